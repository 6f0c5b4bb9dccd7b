/* Built with -O3 -march=native -ffp-contract=fast: the peak is that of this processor. */
#define _POSIX_C_SOURCE 200809L
#include "limits.h"

#include <stdlib.h>
#include <time.h>

#include "runtime/engine/engine.h"

enum { FMAS = 200000, ROWS = 16, LANES = 16, STREAM = 12800000, PIECE = 16384 };

typedef float lane __attribute__((vector_size(4 * LANES)));

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void peak_task(void *context, long task, int worker) {
    lane v[ROWS], a = (lane){0} + 0.999f, b = (lane){0} + 1e-3f;
    (void)worker;
    for (int i = 0; i < ROWS; i++)
        v[i] = b * (float)(i + task);
    for (int n = 0; n < FMAS; n++) {
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; i++)
            v[i] = v[i] * a + b;
    }
    for (int i = 1; i < ROWS; i++)
        v[0] += v[i];
    ((float *)context)[task * LANES] = v[0][0];
}

static void stream_task(void *context, long task, int worker) {
    float *w = (float *)context + task * PIECE, *m = w + STREAM, *v = m + STREAM;
    (void)worker;
    for (long i = 0; i < PIECE; i++) {
        m[i] = 0.9f * m[i] + 0.1f * w[i];
        v[i] = 0.99f * v[i] + 0.01f * w[i];
        w[i] = w[i] - 1e-3f * m[i];
    }
}

static double best_of(PdeEngine *e, PdeRegion *task, void *context, long tasks, int runs) {
    double best = 1e300;
    for (int i = 0; i < runs; i++) {
        double start = now();
        pde_engine_run(e, task, context, tasks);
        double t = now() - start;
        best = t < best ? t : best;
    }
    return best;
}

Limits bench_limits(int threads) {
    int64_t width[] = {1, 1, 1};
    PdeEngineConfig config = {
        PDE_F32, PDE_ISA_BEST, threads, 2, width, PDE_ACT_tanh, pde_optim_default(PDE_OPT_sgd),
        NULL};
    PdeEngine *e = pde_engine_create(&config);
    float *memory = calloc(3 * (size_t)STREAM, sizeof *memory);
    Limits l = {.isa = "none"};
    if (e && memory) {
        l.threads = pde_engine_threads(e);
        l.isa = pde_engine_isa_name(e);
        long tasks = 4L * l.threads;
        l.flops =
            2.0 * FMAS * ROWS * LANES * (double)tasks / best_of(e, peak_task, memory, tasks, 20);
        l.bytes =
            6.0 * sizeof(float) * STREAM / best_of(e, stream_task, memory, STREAM / PIECE, 10);
    }
    free(memory);
    pde_engine_destroy(e);
    return l;
}
