/* tnn_stepper.h: a tensor network as what is trained, and its steps on the processor or a device. */
#ifndef PDE_RUNTIME_COMMANDS_TNN_STEPPER_H
#define PDE_RUNTIME_COMMANDS_TNN_STEPPER_H

#include "cuda/tensor/device_tensor.h"
#include "tensor/tnn_module.h"
#include "train/stepper.h"

typedef struct TnnRun {
    TnnModule *m;
    CudaTensor *device;          /* what takes the steps; NULL: the processor */
    double reference;            /* exact, or of the dense solver; NaN: none */
    double value, lambda, error; /* of the last step; on the finer rule; relative */
} TnnRun;

/* By who takes the steps: run->device, which it closes. */
Stepper tnn_stepper(TnnRun *run);
Trainee tnn_trainee(TnnRun *run, Stepper *stepper);

/* The value on the terms of one step; its gradient is in the network. */
double tnn_gradient_of(TnnModule *m, uint32_t step);

#endif
