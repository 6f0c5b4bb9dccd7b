/* balance.c: norms of the gradients of single losses on a device, for runtime/step/balance.c, which
 * makes weights of them. The weights are part of the recorded step, and it is recorded anew: the
 * host reads a few numbers, and waits, at each of these steps, not at the others. */
#include "step/balance.h"

#include "cuda/step/device_hook.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct CudaBalance {
    void *first;          /* dW1 of one loss */
    double *square, *sum; /* of norms: in parts, and of each loss */
} CudaBalance;

static Status open(CudaSession *s, void **self, Error *error) {
    CudaBalance *b = *self = calloc(1, sizeof *b);
    if (!b)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for balanced weights on a device");
    int64_t size = s->inputs * s->h1, rest = s->host->network.size - s->small;
    int64_t most = size > rest ? size : rest;
    b->first = cuda_buffer(s, USE_parameters, size, s->real);
    b->square = cuda_buffer(s, USE_parameters, cuda_blocks(most, DEV_THREADS), sizeof(double));
    b->sum = cuda_buffer(s, USE_parameters, 2 * (int64_t)s->tasks, sizeof(double));
    return STATUS_OK;
}

static void add_square(CudaSession *s, const void *v, int64_t n, double *to) {
    const CudaBalance *b = s->hook[HOOK_balance];
    DevSquare square = {v, n, b->square};
    DevSum sum = {b->square, to, cuda_blocks(n, DEV_THREADS)};
    CUDA_EACH(s, square, square, n, (double)n * (double)s->real);
    CUDA_EACH(s, sum, sum, 1, 8 * (double)sum.n);
}

/* What a task's gradient has left where the first layer's is made from. */
static void clear_seeds(CudaTask *t) {
    CudaSession *s = t->s;
    int64_t points = s->host->settings.points, h = s->h1;
    backend_zero(s->backend, t->z1bar, (size_t)(points * h) * s->real);
    for (int m = 0; m < t->gradients; m++) {
        const CudaRoute *r = &t->gradient[m];
        if (r->rbar)
            backend_zero(s->backend, r->rbar, (size_t)(r->K * h) * s->real);
        if (r->each)
            backend_zero(s->backend, r->each, (size_t)(points * r->K * h) * s->real);
        if (r->gram_bar)
            backend_zero(s->backend, r->gram_bar, (size_t)(h * h) * s->real);
    }
}

/* Squares of the norms of the gradient of one loss: in the first layer, and after it. */
static void measure(CudaTask *t, double *to) {
    assert(t->s->hook[HOOK_balance]);
    CudaSession *s = t->s;
    const CudaBalance *b = s->hook[HOOK_balance];
    int64_t rest = s->host->network.size - s->small;
    Task *host = &s->host->task[t - s->task];
    double before = host->balance;
    host->balance = 1;
    backend_zero(s->backend, s->gradient, (size_t)rest * s->real);
    cuda_task_gradient(t);
    host->balance = before;
    cuda_first_gradient(s, &s->first, b->first);
    add_square(s, b->first, s->inputs * s->h1, to);
    add_square(s, s->gradient, rest, to + 1);
    clear_seeds(t);
}

static void before(CudaSession *s, const DevNow *now) {
    const CudaBalance *b = s->hook[HOOK_balance];
    double square[2 * PLAN_TASKS_MAX], norm[PLAN_TASKS_MAX];
    if (!balance_is_due(s->host, now->step) || cuda_refused(s))
        return; /* a refused step comes again, and its weights with it */
    DevBegin begin = {s->state, *now};
    CUDA_EACH(s, begin, begin, 1, 0);
    cuda_draw(s);
    for (int i = 0; i < s->tasks; i++)
        clear_seeds(&s->task[i]);
    for (int i = 0; i < s->tasks; i++)
        measure(&s->task[i], b->sum + 2 * i);
    backend_download(s->backend, square, b->sum, 2 * (size_t)s->tasks * sizeof *square);
    for (int i = 0; i < s->tasks; i++)
        norm[i] = sqrt(square[2 * i] + square[2 * i + 1]) / s->task[i].host->plan->weight;
    if (s->backend->status == STATUS_OK)
        balance_take(s->host, now->step, norm);
    s->recorded = false;
}

const DeviceHook device_hook_balance = {.name = "balance", .open = open, .before = before};
