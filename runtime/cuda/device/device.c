/* device.c: asking the driver what there is. */
#define _POSIX_C_SOURCE 200809L
#include "cuda/device/device.h"

#include <string.h>
#include <unistd.h>

enum { OLDEST_ARCH = 75 };

Status cuda_device_count(CudaApi *api, int *count, Error *error) {
    *count = 0;
    Status status = cuda_open(api, CUDA_DRIVER, error);
    if (status != STATUS_OK)
        return status;
    Error reason = {0};
    if (CUDA_CALL(api, &reason, DRIVER, cuInit, 0) != STATUS_OK)
        return error_set(error, STATUS_NO_DEVICE, "the NVIDIA driver did not start: %s",
                         reason.message);
    status = CUDA_CALL(api, error, DRIVER, cuDeviceGetCount, count);
    if (status == STATUS_OK && *count < 1)
        return error_set(error, STATUS_NO_DEVICE, "the NVIDIA driver has no device");
    return status;
}

static Status read_info(CudaApi *api, CudaDeviceInfo *info, Error *error) {
    CudaDevice device;
    int major = 0, minor = 0;
    Status status = CUDA_CALL(api, error, DRIVER, cuDeviceGet, &device, info->ordinal);
    if (status == STATUS_OK)
        status = CUDA_CALL(api, error, DRIVER, cuDeviceGetName, info->name, (int)sizeof info->name,
                           device);
    if (status == STATUS_OK)
        status = CUDA_CALL(api, error, DRIVER, cuDeviceTotalMem, &info->memory, device);
    if (status == STATUS_OK)
        status = CUDA_CALL(api, error, DRIVER, cuDeviceGetAttribute, &major, CUDA_MAJOR, device);
    if (status == STATUS_OK)
        status = CUDA_CALL(api, error, DRIVER, cuDeviceGetAttribute, &minor, CUDA_MINOR, device);
    if (status == STATUS_OK)
        status = CUDA_CALL(api, error, DRIVER, cuDeviceGetAttribute, &info->multiprocessors,
                           CUDA_MULTIPROCESSORS, device);
    info->name[sizeof info->name - 1] = '\0';
    info->arch = major * 10 + minor;
    return status;
}

Status cuda_device_info(CudaApi *api, int ordinal, CudaDeviceInfo *info, Error *error) {
    int count;
    *info = (CudaDeviceInfo){.ordinal = ordinal};
    Status status = cuda_device_count(api, &count, error);
    if (status != STATUS_OK)
        return status;
    if (ordinal >= count)
        return error_set(error, STATUS_NO_DEVICE, "there is no cuda:%d: the last device is cuda:%d",
                         ordinal, count - 1);
    return read_info(api, info, error);
}

Status cuda_device_usable(CudaApi *api, int ordinal, bool has_ptx, CudaDeviceInfo *info,
                          Error *error) {
    Status status = cuda_device_info(api, ordinal, info, error);
    if (status != STATUS_OK)
        return status;
    if (info->arch < OLDEST_ARCH)
        return error_set(error, STATUS_NO_DEVICE,
                         "cuda:%d (%s) has compute capability %d.%d, and %d.%d is needed", ordinal,
                         info->name, info->arch / 10, info->arch % 10, OLDEST_ARCH / 10,
                         OLDEST_ARCH % 10);
    status = cuda_open(api, CUDA_CUBLAS, error);
    return status == STATUS_OK && !has_ptx ? cuda_open(api, CUDA_NVRTC, error) : status;
}

/* N of cuda:N, which the options have checked. */
static int ordinal_of(const char *option) {
    int ordinal = 0;
    for (const char *at = option + strlen("cuda:"); *at >= '0' && *at <= '9'; at++)
        ordinal = 10 * ordinal + (*at - '0');
    return ordinal;
}

Status cuda_device_resolve(CudaApi *api, const char *option, bool has_ptx, int *ordinal,
                           Error *error) {
    CudaDeviceInfo info;
    *ordinal = CUDA_NO_DEVICE;
    if (strcmp(option, "cpu") == 0)
        return STATUS_OK;
    bool automatic = strcmp(option, "auto") == 0;
    int wanted = automatic ? 0 : ordinal_of(option);
    Status status = cuda_device_usable(api, wanted, has_ptx, &info, automatic ? NULL : error);
    if (status == STATUS_OK)
        *ordinal = wanted;
    return automatic ? STATUS_OK : status;
}

static void print_device(CudaApi *api, int ordinal, Buffer *out) {
    CudaDeviceInfo info;
    Error error = {0};
    bool usable = cuda_device_usable(api, ordinal, false, &info, &error) == STATUS_OK;
    buffer_printf(out, "cuda:%d   %s", ordinal, info.name[0] ? info.name : "a device");
    if (info.arch)
        buffer_printf(out, ", sm_%d, %d multiprocessors, %.1f GB", info.arch, info.multiprocessors,
                      (double)info.memory / 1e9);
    if (!usable)
        buffer_printf(out, "\n         not usable: %s", error.message);
    buffer_text(out, "\n");
}

void cuda_devices_print(CudaApi *api, Buffer *out) {
    Error error = {0};
    int count;
    buffer_printf(out, "cpu      %ld threads\n", sysconf(_SC_NPROCESSORS_ONLN));
    if (cuda_device_count(api, &count, &error) != STATUS_OK) {
        buffer_printf(out, "cuda     not usable: %s\n", error.message);
        return;
    }
    for (int k = 0; k < count; k++)
        print_device(api, k, out);
}
