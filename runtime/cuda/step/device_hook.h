/* device_hook.h: the hooks of step/hook.h on a device, each in the file of its name. What a hook leaves NULL it
 * does not need. A session on a device has those that the host's session has. */
#ifndef PDE_RUNTIME_CUDA_STEP_DEVICE_HOOK_H
#define PDE_RUNTIME_CUDA_STEP_DEVICE_HOOK_H

#include "cuda/step/device_session.h"

typedef struct DeviceHook {
    const char *name;
    /* After the tasks; sets session->hook[], which is closed also after a failure. */
    Status (*open)(CudaSession *session, void **self, Error *error);
    /* A route of its own. */
    CudaRoute *(*route)(void *self);
    /* Before the calls of the step of `now` are queued. */
    void (*before)(CudaSession *session, const DevNow *now);
    /* Calls of a step, after points were drawn, and after the update. judged: whose steps may be undone, and
     * count when they are over; NULL: every step counts. */
    void (*drawn)(CudaSession *session);
    void (*after)(CudaSession *session, const DevNatural *judged);
    /* What it keeps, from the host and back. */
    void (*push)(CudaSession *session);
    void (*pull)(CudaSession *session);
} DeviceHook;

#define ROW(name) extern const DeviceHook device_hook_##name;
STEP_HOOKS(ROW)
#undef ROW

/* For each hook that the session has and that does this, in order. */
Status cuda_hooks_open(CudaSession *session, Error *error);
void cuda_hooks_close(CudaSession *session);
/* Their routes, to the end of the session's. */
void cuda_hooks_routes(CudaSession *session);
void cuda_hooks_before(CudaSession *session, const DevNow *now);
void cuda_hooks_drawn(CudaSession *session);
void cuda_hooks_after(CudaSession *session, const DevNatural *judged);
void cuda_hooks_push(CudaSession *session);
void cuda_hooks_pull(CudaSession *session);

#endif
