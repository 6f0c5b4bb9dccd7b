/* device_plan.h: --plan with a device. */
#ifndef PDE_RUNTIME_CUDA_SESSION_DEVICE_PLAN_H
#define PDE_RUNTIME_CUDA_SESSION_DEVICE_PLAN_H

#include "cuda/device/backend.h"
#include "step/session.h"

/* Prints memory and work of a step on a device, and what the GPUs of gpu.def need for both.
 * Needs no device. */
Status cuda_plan_print(const Problem *problem, const Settings *settings, Factors factors,
                       Error *error);

#endif
