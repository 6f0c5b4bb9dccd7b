/* driver.h: the back end of a real device, through CUDA's driver API and cuBLAS. */
#ifndef PDE_RUNTIME_CUDA_DEVICE_DRIVER_H
#define PDE_RUNTIME_CUDA_DEVICE_DRIVER_H

#include "cuda/device/api.h"
#include "cuda/device/backend.h"
#include "load/problem_open.h"

typedef struct DriverConfig {
    int ordinal; /* of the device */
    const Problem *problem;
    PdeActivation activation;
    Factors factors;   /* of products of float32 */
    bool plain;        /* no captured graphs */
    const char *cache; /* directory of compiled kernels, or NULL */
} DriverConfig;

/* Opens the device and loads the engine's kernels and those of the problem. */
Status driver_open(const DriverConfig *config, Backend **backend, Error *error);

#endif
