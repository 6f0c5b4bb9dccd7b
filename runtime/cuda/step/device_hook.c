/* device_hook.c: the hooks that a session on a device has, one after the other. */
#include "cuda/step/device_hook.h"

#include <assert.h>
#include <stdlib.h>

static const DeviceHook *const hooks[] = {
#define ROW(name) &device_hook_##name,
    STEP_HOOKS(ROW)
#undef ROW
};

/* EACH(s, does) { ... }: of hook k */
#define EACH(s, does)                                                                              \
    for (int k = 0; k < STEP_HOOK_COUNT; k++)                                                      \
        if ((s)->host->hook[k].on && hooks[k]->does)

Status cuda_hooks_open(CudaSession *s, Error *error) {
    assert(s->tasks > 0);
    Status status = STATUS_OK;
    EACH(s, open) {
        assert(!s->hook[k]);
        status = status == STATUS_OK ? hooks[k]->open(s, &s->hook[k], error) : status;
    }
    return status;
}

void cuda_hooks_close(CudaSession *s) {
    for (int k = 0; k < STEP_HOOK_COUNT; k++)
        free(s->hook[k]);
}

void cuda_hooks_routes(CudaSession *s) {
    EACH(s, route)
    s->route[s->routes++] = hooks[k]->route(s->hook[k]);
}

void cuda_hooks_before(CudaSession *s, const DevNow *now) {
    EACH(s, before)
    hooks[k]->before(s, now);
}

void cuda_hooks_drawn(CudaSession *s) {
    EACH(s, drawn)
    hooks[k]->drawn(s);
}

void cuda_hooks_after(CudaSession *s, const DevNatural *judged) {
    EACH(s, after)
    hooks[k]->after(s, judged);
}

void cuda_hooks_push(CudaSession *s) {
    EACH(s, push)
    hooks[k]->push(s);
}

void cuda_hooks_pull(CudaSession *s) {
    EACH(s, pull)
    hooks[k]->pull(s);
}
