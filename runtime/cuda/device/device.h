/* device.h: which CUDA devices there are, and whether they can be used. */
#ifndef PDE_RUNTIME_CUDA_DEVICE_DEVICE_H
#define PDE_RUNTIME_CUDA_DEVICE_DEVICE_H

#include "cuda/device/api.h"
#include "files/buffer.h"

enum { CUDA_NO_DEVICE = -1 }; /* in place of a device's number: the processor */

typedef struct CudaDeviceInfo {
    int ordinal;
    char name[96];
    int arch;      /* compute capability: 80 is 8.0, sm_80 */
    size_t memory; /* bytes */
    int multiprocessors;
} CudaDeviceInfo;

/* Opens the driver; NO_DEVICE with the reason if there is none or it has no device. */
Status cuda_device_count(CudaApi *api, int *count, Error *error);
Status cuda_device_info(CudaApi *api, int ordinal, CudaDeviceInfo *info, Error *error);

/* Opens what a run on the device needs; with has_ptx (the module brings its kernels compiled) that
 * is not the compiler. The reason why not is the error's message. */
Status cuda_device_usable(CudaApi *api, int ordinal, bool has_ptx, CudaDeviceInfo *info,
                          Error *error);

/* `auto`, `cpu` or `cuda:N` to a device's number or CUDA_NO_DEVICE. `auto` is the first device if
 * it is usable and else the processor, without a word; `cuda:N` that is not usable is an error. */
Status cuda_device_resolve(CudaApi *api, const char *option, bool has_ptx, int *ordinal,
                           Error *error);

/* The text of `pderun --devices`: a line for each device, and why something is not usable. */
void cuda_devices_print(CudaApi *api, Buffer *out);

#endif
