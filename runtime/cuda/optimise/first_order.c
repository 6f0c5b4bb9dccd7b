/* first_order.c: a step of the optimisers that move each parameter by a rule for itself, as a list of calls. */
#include "cuda/optimise/device_optimiser.h"

#include <assert.h>
#include <math.h>

static void check_finite(CudaSession *s, const void *v, int64_t n) {
    DevFinite a = {s->state, v, n};
    if (v)
        CUDA_EACH(s, finite, a, n, cuda_bytes(s, n));
}

static void check_all(CudaSession *s) {
    int64_t points = s->host->settings.points;
    check_finite(s, s->gradient, s->host->network.size - s->small);
    for (int i = 0; i < s->tasks; i++) {
        const CudaTask *t = &s->task[i];
        check_finite(s, t->z1bar, points * s->h1);
        for (int m = 0; m < t->gradients; m++) {
            const CudaRoute *r = &t->gradient[m];
            check_finite(s, r->rbar, r->K * s->h1);
            check_finite(s, r->each, points * r->K * s->h1);
            check_finite(s, r->gram_bar, s->h1 * s->h1);
        }
    }
    DevEnd a = {s->state, s->unknown_gradient, s->host->problem->plan.unknowns};
    CUDA_EACH(s, end, a, 1, 0);
}

static void clip(CudaSession *s) {
    int64_t n = s->host->network.size;
    DevSquare square = {s->whole, n, s->square};
    DevClip a = {s->whole, n, s->square, cuda_blocks(n, DEV_THREADS), s->host->settings.clip};
    CUDA_EACH(s, square, square, n, cuda_bytes(s, n));
    CUDA_EACH(s, clip, a, n, cuda_bytes(s, 2 * n));
}

void cuda_update_parameters(CudaSession *s, const CudaFirst *from, bool clips) {
    int64_t size = s->host->network.size, first = s->whole ? 0 : s->small;
    int slots = pde_engine_slots(s->host->engine);
    cuda_first_gradient(s, from, s->whole);
    if (s->whole && clips)
        clip(s);
    DevUpdate a = {.state = s->state,
                   .moved = cuda_moved(s, first),
                   .gradient = s->whole ? s->whole : s->gradient,
                   .n = size - first};
    CUDA_EACH(s, update, a, a.n, cuda_bytes(s, a.n * (3 + 2 * slots)));
}

static void update(CudaSession *s) {
    check_all(s);
    cuda_update_parameters(s, &s->first, true);
    int unknowns = s->host->problem->plan.unknowns;
    if (unknowns == 0)
        return;
    DevUnknown u = {.state = s->state,
                    .gradient = s->unknown_gradient,
                    .limit = s->unknown_limit,
                    .value = s->unknown,
                    .m = s->unknown_moment[0],
                    .v = s->unknown_moment[1],
                    .seen = s->unknown_seen,
                    .unknowns = unknowns};
    CUDA_EACH(s, unknown, u, unknowns, 0);
}

void cuda_first_order_calls(CudaSession *s) {
    cuda_draw(s);
    cuda_gradient(s);
    update(s);
    cuda_hooks_after(s, NULL);
}

void cuda_first_order_step(CudaSession *s, uint32_t step, double rate) {
    assert(s->updates >= 0 && isfinite(rate));
    s->updates++;
    DevBegin begin = {s->state, cuda_session_now(s, step, rate)};
    cuda_hooks_before(s, &begin.now);
    CUDA_EACH(s, begin, begin, 1, 0);
    cuda_run_calls(s);
}

const DeviceOptimiser device_first = {
    .name = "first", .calls = cuda_first_order_calls, .step = cuda_first_order_step};
