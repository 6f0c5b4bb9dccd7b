/* attack.c: the launches of points that climb the squared residual of the equation: what
 * runtime/step/attack.c does, with its route. Every move is a reverse sweep without the gradient of the
 * parameters, a product of its seeds with W1, the generated ascent kernel and the move itself. */
#include "step/attack.h"

#include "cuda/step/device_hook.h"
#include "cuda/step/domain.h"

#include <assert.h>
#include <stdlib.h>

typedef struct CudaAttack {
    CudaRoute route;
    BackendKernel *ascent;
    void *bar[PDE_MAX_BLOCKS + 1]; /* [groups][inputs][PDE_LANES]; NULL: no such adjoint */
    void *bars;                    /* the same pointers, on the device */
    void *slope;                   /* [groups][n_in][PDE_LANES] */
} CudaAttack;

static CudaRoute *route_of(void *self) {
    return &((CudaAttack *)self)->route;
}

static Status open(CudaSession *s, void **self, Error *error) {
    CudaAttack *a = *self = calloc(1, sizeof *a);
    const Route *host = attack_route(attack_of(s->host));
    int64_t lanes = s->groups * PDE_LANES;
    if (!a)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the attack on a device");
    cuda_route_open(&s->task[0], host, &a->route, true);
    a->route.frozen = cuda_buffer(s, USE_directions, lanes * (host->frozen_rows + 1), s->real);
    a->slope = cuda_buffer(s, USE_directions, lanes * s->host->problem->n_in, s->real);
    for (int b = 0; b <= a->route.blocks; b++)
        if (b == a->route.blocks || host->plan->block[b].kind == BLOCK_point_dense)
            a->bar[b] = cuda_buffer(s, USE_directions, lanes * s->inputs, s->real);
    size_t size = (size_t)(a->route.blocks + 1) * sizeof *a->bar;
    a->bars = cuda_buffer(s, USE_directions, a->route.blocks + 1, sizeof *a->bar);
    if (a->bars)
        backend_upload(s->backend, a->bars, a->bar, size);
    a->ascent = cuda_generated(s, "ascent", 0, -1);
    return STATUS_OK;
}

/* Seeds of rows of the first layer, `step` apart, to those of its inputs: times W1. */
static void inputs_of(CudaSession *s, const void *rows, int64_t step, void *to) {
    Product p = {.transpose_b = true,
                 .m = s->inputs,
                 .n = PDE_LANES,
                 .k = s->h1,
                 .a = s->theta,
                 .b = rows,
                 .c = to,
                 .lda = s->h1,
                 .ldb = step,
                 .ldc = PDE_LANES,
                 .stride_b = PDE_LANES * step,
                 .stride_c = PDE_LANES * s->inputs,
                 .count = s->groups};
    backend_product(s->backend, &p);
}

static void gradient(CudaAttack *a, int number) {
    CudaRoute *r = &a->route;
    CudaTask *t = r->task;
    CudaSession *s = t->s;
    r->draw = number;
    cuda_task_inputs(t);
    cuda_route_prepare(r, 0);
    cuda_evaluate(r, 0, CUDA_ADJOINTS, NULL, 1);
    for (int b = 0; b < r->blocks; b++)
        if (a->bar[b])
            inputs_of(s, cuda_at(s, r->each, r->block[b].row0 * s->h1), r->K * s->h1, a->bar[b]);
    inputs_of(s, t->z1bar, s->h1, a->bar[r->blocks]);
    PdePointLaunch run = cuda_point_launch(t);
    run.group0.bar = a->bars;
    run.bar = s->inputs * PDE_LANES;
    run.group0.value = r->frozen;
    run.value = r->host->frozen_rows * PDE_LANES;
    run.group0.out = a->slope;
    run.out = s->host->problem->n_in * PDE_LANES;
    cuda_point_run(s, a->ascent, &run, s->groups,
                   cuda_bytes(s, s->groups * (2 * run.out + run.bar + run.value)));
}

static void move_points(CudaSession *s) {
    assert(s->hook[HOOK_attack]);
    CudaAttack *a = s->hook[HOOK_attack];
    CudaTask *t = a->route.task;
    const Problem *q = s->host->problem;
    int64_t n = s->groups * PDE_LANES * q->n_in;
    DevClimb climb = {.x = t->x,
                      .slope = a->slope,
                      .stride = q->n_in * PDE_LANES,
                      .points = s->host->settings.points,
                      .rows = q->n_in,
                      .d = q->d,
                      .size = s->host->settings.attack_size,
                      .time = {q->time[0], q->time[1]}};
    for (int m = 0; m < s->host->settings.attack_steps; m++) {
        gradient(a, m);
        CUDA_EACH(s, climb, climb, n, cuda_bytes(s, 3 * n));
        cuda_domain(t)->project(t);
        cuda_points_programs(t);
    }
}

const DeviceHook device_hook_attack = {
    .name = "attack", .open = open, .route = route_of, .drawn = move_points};
