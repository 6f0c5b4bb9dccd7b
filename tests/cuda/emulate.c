#define _XOPEN_SOURCE 700
#include "emulate.h"

#include "runtime/contract/kernel_abi.h"

#include "runtime/cuda/abi/launch_abi.h"
#include "runtime/load/problem_open.h"
#include "runtime/engine/real.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* --------------------------------------------------------------------------- threads of a block */

EmulatedIndex emulate_block, emulate_thread, emulate_size;
int emulate_activation;

enum { THREADS_MAX = 1024, STACK = 64 << 10 };

/* A coroutine for each thread, made once: it runs a kernel and then waits for the next. Switching
 * by _longjmp, since ucontext's own switch is a system call. */
typedef struct Thread {
    jmp_buf at;
    ucontext_t start;
    char *stack;
    bool begun, done;
    EmulatedIndex index;
} Thread;

static Thread thread[THREADS_MAX];
static jmp_buf scheduler;
static ucontext_t scheduler_context;
static int current;
static void (*kernel_run)(const void *);
static const void *kernel_argument;

static void pause_thread(void) {
    if (!_setjmp(thread[current].at))
        _longjmp(scheduler, 1);
    emulate_thread = thread[current].index;
}

void emulate_barrier(void) {
    pause_thread();
}

static void thread_main(void) {
    for (;;) {
        kernel_run(kernel_argument);
        thread[current].done = true;
        pause_thread();
    }
}

static void resume_thread(int i) {
    current = i;
    emulate_thread = thread[i].index;
    if (_setjmp(scheduler))
        return;
    if (thread[i].begun)
        _longjmp(thread[i].at, 1);
    thread[i].begun = true;
    thread[i].stack = malloc(STACK);
    getcontext(&thread[i].start);
    thread[i].start.uc_stack.ss_sp = thread[i].stack;
    thread[i].start.uc_stack.ss_size = STACK;
    makecontext(&thread[i].start, thread_main, 0);
    swapcontext(&scheduler_context, &thread[i].start);
}

static int place(int i, int n, int order) {
    return order == 0 ? i : order == 1 ? n - 1 - i : (int)((i * 7919L + 13) % n);
}

/* Runs until all threads have ended; a barrier lets every thread come to it first. */
static void run_block(int n, int order) {
    int left = n;
    for (int i = 0; i < n; i++)
        thread[i].done = false;
    while (left > 0)
        for (int i = 0; i < n; i++) {
            int t = place(i, n, order);
            if (thread[t].done)
                continue;
            resume_thread(t);
            left -= thread[t].done;
        }
}

/* ------------------------------------------------------------------------------------- back end */

typedef struct Emulator {
    Backend base;
    const Problem *problem;
    int order;
} Emulator;

/* What BackendKernel points at. */
typedef struct Known {
    const EmulatedKernel *engine;
    PointKernel *point;
    CombineKernel *combine;
} Known;

static Status allocate(Backend *b, size_t bytes, void **pointer, Error *error) {
    (void)b;
    *pointer = malloc(bytes);
    if (!*pointer)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory");
    memset(*pointer, 0xff, bytes); /* NaN until it is written */
    return STATUS_OK;
}

static void release(Backend *b, void *pointer) {
    (void)b;
    free(pointer);
}

static Status transfer(Backend *b, void *to, const void *from, size_t bytes, Error *error) {
    (void)b;
    (void)error;
    memcpy(to, from, bytes);
    return STATUS_OK;
}

static Status zero(Backend *b, void *to, size_t bytes, Error *error) {
    (void)b;
    (void)error;
    memset(to, 0, bytes);
    return STATUS_OK;
}

static void find_generated(const Problem *p, const char *name, Known *known) {
    const Kernels *k = &p->kernels;
    int m, i, used = 0;
    if (sscanf(name, "pde_points_%d_launch%n", &m, &used) == 1 && used)
        known->point = m == p->plan.evaluate_task ? k->evaluate : k->points[m];
    else if (sscanf(name, "pde_combine_%d_launch%n", &m, &used) == 1 && used)
        known->combine = k->combine[m];
    else if (sscanf(name, "pde_exact_%d_launch%n", &m, &used) == 1 && used)
        known->combine = k->exact[m];
    else if (sscanf(name, "pde_sparse_%d_%d_launch%n", &m, &i, &used) == 2 && used)
        known->combine = k->sparse[m][i];
    else if (sscanf(name, "pde_sample_%d_launch%n", &m, &used) == 1 && used)
        known->point = k->sample[m];
    else if (sscanf(name, "pde_ascent_%d_launch%n", &m, &used) == 1 && used)
        known->point = k->ascent[m];
    else if (strcmp(name, "pde_fields_launch") == 0)
        known->combine = k->fields;
    else if (strcmp(name, "pde_features_launch") == 0)
        known->point = k->features;
    else if (sscanf(name, "pde_exact_%*[a-z]_%d_%d_launch%n", &m, &i, &used) == 2 && used)
        known->point = k->exact_direction[m][i];
    else if (sscanf(name, "pde_%*[a-z]_%d_%d_launch%n", &m, &i, &used) == 2 && used)
        known->point = k->direction[m][i];
}

static Status find(Backend *b, const char *name, BackendKernel **kernel, Error *error) {
    Known *known = calloc(1, sizeof *known); /* lives as long as the test */
    const EmulatedKernel *table = b->precision == PDE_F64 ? emulated_f64 : emulated_f32;
    for (; table->name && strcmp(table->name, name) != 0;)
        table++;
    known->engine = table->name ? table : NULL;
    if (!known->engine)
        find_generated(((Emulator *)b)->problem, name, known);
    if (!known->engine && !known->point && !known->combine)
        return error_set(error, STATUS_MODULE_CONTENT, "no kernel '%s'", name);
    *kernel = known;
    return STATUS_OK;
}

static const void *moved(PdePrecision p, const void *base, int64_t n) {
    return base ? real_const_at(p, base, n) : NULL;
}

static void run_point(PdePrecision p, PointKernel *kernel, const PdePointLaunch *a, int64_t group) {
    PdePointArgs g = a->group0;
    g.x = moved(p, g.x, group * a->x);
    g.aux = moved(p, g.aux, group * a->aux);
    g.normal = moved(p, g.normal, group * a->normal);
    g.gradient = moved(p, g.gradient, group * a->gradient);
    g.out = (void *)moved(p, g.out, group * a->out);
    g.value = (void *)moved(p, g.value, group * a->value);
    g.bar_at = group * a->bar;
    kernel(&g);
}

static void run_combine(PdePrecision p, CombineKernel *kernel, const PdeCombineLaunch *a,
                        int64_t point) {
    PdeCombineArgs c = a->point0;
    int64_t group = point / PDE_LANES;
    const uint32_t *set[PDE_LAUNCH_FAMILIES];
    c.lane = point % PDE_LANES;
    c.x = moved(p, c.x, group * a->x);
    c.aux = moved(p, c.aux, group * a->aux);
    c.normal = moved(p, c.normal, group * a->normal);
    c.scalar = moved(p, c.scalar, group * a->scalar);
    c.sweep = moved(p, c.sweep, group * a->sweep);
    c.frozen = (void *)moved(p, c.frozen, group * a->frozen);
    c.sparse_row = c.sparse_row ? c.sparse_row + point * a->sparse : NULL;
    c.sparse_value = (void *)moved(p, c.sparse_value, point * a->sparse);
    for (int f = 0; f < PDE_LAUNCH_FAMILIES; f++)
        set[f] = a->set[f] ? c.set[f] + point * a->set[f] : NULL;
    for (int f = 0; f < PDE_LAUNCH_FAMILIES; f++)
        if (a->set[f])
            c.set = set;
    c.n = moved(p, c.n, point * a->n);
    c.residual = (void *)moved(p, c.residual, point * a->residual);
    c.seed_n = (void *)moved(p, c.seed_n, point * a->seed_n);
    c.seed_unknown = (void *)moved(p, c.seed_unknown, point * a->seed_unknown);
    for (int m = 0; m < 4; m++) {
        c.d[m] = moved(p, c.d[m], point * a->d);
        c.seed_d[m] = (void *)moved(p, c.seed_d[m], point * a->seed_d);
    }
    kernel(&c);
}

static Status launch(Backend *b, const Launch *l, Error *error) {
    const Known *known = l->kernel;
    (void)error;
    for (int64_t i = 0; i < l->grid[0] && !known->engine; i++) {
        if (known->point)
            run_point(b->precision, known->point, l->argument, i);
        else
            run_combine(b->precision, known->combine, l->argument, i);
    }
    if (!known->engine)
        return STATUS_OK;
    emulate_size = (EmulatedIndex){l->block[0], l->block[1], l->block[2]};
    int n = (int)(l->block[0] * l->block[1] * l->block[2]);
    for (int i = 0; i < n; i++)
        thread[i].index = (EmulatedIndex){(uint32_t)i % l->block[0], (uint32_t)i / l->block[0], 0};
    kernel_run = known->engine->run;
    kernel_argument = l->argument;
    for (uint32_t z = 0; z < l->grid[2]; z++)
        for (uint32_t y = 0; y < l->grid[1]; y++)
            for (uint32_t x = 0; x < l->grid[0]; x++) {
                emulate_block = (EmulatedIndex){x, y, z};
                run_block(n, ((Emulator *)b)->order);
            }
    return STATUS_OK;
}

static double entry(const Backend *b, const void *p, bool transpose, int64_t ld, int64_t i,
                    int64_t j) {
    return real_get(b->precision, p, transpose ? j * ld + i : i * ld + j);
}

static Status product(Backend *b, const Product *p, Error *error) {
    (void)error;
    for (int64_t c = 0; c < p->count; c++) {
        const void *x = real_const_at(b->precision, p->a, c * p->stride_a);
        const void *y = real_const_at(b->precision, p->b, c * p->stride_b);
        void *z = real_at(b->precision, p->c, c * p->stride_c);
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++) {
                double sum = 0;
                for (int64_t k = 0; k < p->k; k++)
                    sum += entry(b, x, p->transpose_a, p->lda, i, k) *
                           entry(b, y, p->transpose_b, p->ldb, k, j);
                if (p->beta != 0)
                    sum += p->beta * real_get(b->precision, z, i * p->ldc + j);
                real_set(b->precision, z, i * p->ldc + j, sum);
            }
    }
    return STATUS_OK;
}

static void emulate_close(Backend *b) {
    free(b);
}

static const BackendOps emulate_ops = {.allocate = allocate,
                                       .release = release,
                                       .upload = transfer,
                                       .download = transfer,
                                       .zero = zero,
                                       .kernel = find,
                                       .launch = launch,
                                       .product = product,
                                       .close = emulate_close};

Backend *emulate_backend(const Problem *problem, int activation, size_t memory, int order) {
    Emulator *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->base = (Backend){.ops = &emulate_ops,
                        .precision = problem->precision,
                        .memory = memory,
                        .name = "the emulator"};
    e->problem = problem;
    e->order = order;
    emulate_activation = activation;
    return &e->base;
}
