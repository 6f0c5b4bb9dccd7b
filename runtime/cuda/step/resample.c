/* resample.c: points by their residuals on a device: not there; cuda/session/select.c says so. */
#include "cuda/step/device_hook.h"

const DeviceHook device_hook_resample = {.name = "resample"};
