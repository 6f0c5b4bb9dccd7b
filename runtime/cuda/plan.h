/* plan.h: --plan with a device. */
#ifndef PDE_CUDA_PLAN_H
#define PDE_CUDA_PLAN_H

#include "../session.h"
#include "backend.h"

/* Prints memory and work of a step on a device, and what the GPUs of gpu.def need for both.
 * Needs no device. */
Status cuda_plan_print(const Problem *problem, const Settings *settings, Factors factors,
                       Error *error);

#endif
