/* device_optimiser.h: who takes the steps on a device: the same classes as in step/optimiser.h, each in the file
 * of its name. What a class leaves NULL it does not need. */
#ifndef PDE_RUNTIME_CUDA_OPTIMISE_DEVICE_OPTIMISER_H
#define PDE_RUNTIME_CUDA_OPTIMISE_DEVICE_OPTIMISER_H

#include "cuda/step/device_hook.h"

typedef struct DeviceOptimiser {
    const char *name;
    /* After the tasks, before the scratch of a tile; sets session->self, which is closed also after a failure. */
    Status (*open)(CudaSession *session, Error *error);
    void (*close)(CudaSession *session);
    /* The calls of one step or try, which are recorded once where the device can. */
    void (*calls)(CudaSession *session);
    /* Queues a step. */
    void (*step)(CudaSession *session, uint32_t step, double rate);
    /* Waits until all queued steps are over, or one was refused. */
    void (*settle)(CudaSession *session);
    /* What the host's optimiser has beside the engine's state, to the device and, after settling, back. */
    void (*push)(CudaSession *session);
    void (*pull)(CudaSession *session, DevState *now);
    /* The large part of it, which only checkpoints need. */
    void (*pull_state)(CudaSession *session);
} DeviceOptimiser;

/* device_first and its like, one for each class that optim.def names */
#define OPTIMISER(name, class, ...) extern const DeviceOptimiser device_##class;
#include "contract/optim.def"
#undef OPTIMISER

const DeviceOptimiser *device_optimiser(PdeOptimiser kind);

/* first_order.c: gradient, look and update by session->rule; others may begin with it. */
void cuda_first_order_calls(CudaSession *session);
void cuda_first_order_step(CudaSession *session, uint32_t step, double rate);
/* From the gradient of all parts to the parameters. */
void cuda_update_parameters(CudaSession *session, const CudaFirst *first, bool clips);

#endif
