#include "select.h"

#include "../cache.h"
#include "device.h"
#include "driver.h"
#include "kernels.h"
#include "session.h"

#include <string.h>

static Status open_device(Session *s, const Config *config, int ordinal, Error *error) {
    char cache[1024];
    Backend *backend = NULL;
    DriverConfig driver = {.ordinal = ordinal,
                           .problem = s->problem,
                           .activation = s->settings.activation,
                           .tf32 = config_flag(config, OPTION_TF32)};
    if (!config_flag(config, OPTION_NO_CACHE) && cache_directory(cache, sizeof cache))
        driver.cache = cache;
    Status status = cuda_session_check(s, error);
    if (status == STATUS_OK)
        status = driver_open(&driver, &backend, error);
    return status == STATUS_OK ? cuda_session_open(s, backend, &s->device, error) : status;
}

Status cuda_select(Session *s, const Config *config, Buffer *note, Error *error) {
    const char *option = config_text(config, OPTION_DEVICE);
    bool automatic = strcmp(option, "auto") == 0;
    CudaApi api = {0};
    int ordinal = CUDA_NO_DEVICE;
    Error reason = {0};
    bool has_ptx =
        cuda_kernels_have_ptx(&s->problem->module, s->problem->precision == PDE_F64, CUDA_ANY_ARCH);
    Status status = cuda_device_resolve(&api, option, has_ptx, &ordinal, &reason);
    cuda_close(&api);
    if (status == STATUS_OK && ordinal != CUDA_NO_DEVICE)
        status = open_device(s, config, ordinal, &reason);
    if (status == STATUS_OK)
        return STATUS_OK;
    if (!automatic)
        return error_set(error, status, "%s", reason.message);
    buffer_printf(note, "cuda:%d is not used: %s", ordinal, reason.message);
    return STATUS_OK;
}
