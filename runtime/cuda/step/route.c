/* route.c: the launches that draw the index sets of a route and make its directions, in the order
 * of runtime/step/route.c. */
#include "step/route.h"

#include <assert.h>

#include "cuda/step/device_session.h"
#include "engine/stream.h"

static const Family *family_of(const CudaRoute *r, int f) {
    return &r->task->s->host->problem->family[r->task->host->id][f];
}

static void draw_set(CudaRoute *r, int f) {
    CudaSession *s = r->task->s;
    const Route *host = r->host;
    const PlanFamily *plan = &r->task->host->plan->family[f];
    int64_t points = host->per_point ? s->host->settings.points : 1;
    DevSet a = {.state = s->state,
                .set = r->set[f],
                .number = r->number,
                .table = r->table,
                .size = (uint64_t)family_of(r, f)->size,
                .second = (uint64_t)family_of(r, f)->count[1],
                .count = host->count[f],
                .slots = host->slots,
                .stream = stream_of(host->stream, ROLE_TRAIN, r->task->host->id, f | r->draw << 3),
                .seed = s->host->settings.seed,
                .slices = s->host->settings.slice_sets ? s->host->settings.slices : 0,
                .indices = plan->indices,
                .ordered = plan->ordered};
    Launch launch = {.kernel = s->kernel[ENGINE_set],
                     .grid = {(uint32_t)points, 1, 1},
                     .block = {PDE_LAUNCH_TERMS, 1, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .bytes = 4 * (double)(points * a.count * plan->indices)};
    backend_launch(s->backend, &launch);
}

static int64_t part_start(const CudaRoute *r, int f, int part) {
    return family_of(r, f)->size * part / r->host->parts;
}

static void enumerate_set(CudaRoute *r, int f, int part) {
    assert(part >= 0 && part < r->host->parts);
    const PlanFamily *plan = &r->task->host->plan->family[f];
    DevEnumerate a = {.set = r->set[f],
                      .first = (uint64_t)part_start(r, f, part),
                      .second = (uint64_t)family_of(r, f)->count[1],
                      .count = part_start(r, f, part + 1) - part_start(r, f, part),
                      .indices = plan->indices,
                      .ordered = plan->ordered};
    CUDA_EACH(r->task->s, enumerate, a, a.count, 4 * (double)(a.count * plan->indices));
}

static void family_block(CudaRoute *r, int b, int part) {
    assert(b >= 0 && b < r->blocks);
    CudaSession *s = r->task->s;
    const PlanBlock *plan = &r->host->plan->block[b];
    const CudaBlock *k = &r->block[b];
    int f = plan->family;
    int64_t sets = r->host->per_point ? s->host->settings.points : 1, count = r->host->count[f];
    if (r->host->terms == TERMS_ALL)
        count = part_start(r, f, part + 1) - part_start(r, f, part);
    DevDirections a = {.set = r->set[f],
                       .index = k->index,
                       .coefficient = k->coefficient,
                       .count = count * sets,
                       .d = s->host->problem->d,
                       .shift = plan->shift,
                       .first = plan->first,
                       .scalar = (uint32_t)(s->host->problem->vector_inputs + plan->which),
                       .indices = r->task->host->plan->family[f].indices,
                       .position = plan->position,
                       .pair = plan->kind == BLOCK_pair,
                       .with_scalar = plan->with_scalar,
                       .neighbour = plan->neighbour,
                       .sign = plan->sign};
    route_first(r->host, f, a.base);
    CUDA_EACH(s, directions, a, a.count, 8 * (double)a.count);
}

/* Weights of a Gram block's coordinates, or a dense direction: made once, or after each step if
 * there are unknowns. */
static void run_fixed(CudaRoute *r, int b, void *to) {
    CudaSession *s = r->task->s;
    PdePointLaunch a = cuda_point_launch(r->task);
    a.group0.x = a.group0.aux = a.group0.normal = NULL;
    a.group0.out = to;
    if (r->block[b].kernel)
        cuda_point_run(s, r->block[b].kernel, &a, 1, cuda_bytes(s, s->inputs));
}

void cuda_route_fixed(CudaRoute *r) {
    for (int b = 0; b < r->blocks; b++) {
        if (r->block[b].weight)
            run_fixed(r, b, r->block[b].weight);
        else if (r->host->plan->block[b].kind == BLOCK_dense)
            run_fixed(r, b, r->block[b].v);
    }
}

static void probes(CudaRoute *r, int b) {
    CudaSession *s = r->task->s;
    const CudaBlock *k = &r->block[b];
    bool normal = s->host->settings.estimator == ESTIMATOR_NORMAL;
    int64_t groups = (k->count + PDE_LANES - 1) / PDE_LANES, rows = s->inputs;
    DevRandom a = {
        .state = s->state,
        .out = k->v,
        .stride = rows * PDE_LANES,
        .rows = rows,
        .groups = groups,
        .seed = s->host->settings.seed,
        .stream = stream_of(r->host->stream, ROLE_TRAIN, r->task->host->id, r->host->part << 3 | 7),
        .normal = normal,
        .by_step = 1};
    int64_t n = groups * PDE_LANES * rows;
    CUDA_EACH(s, random, a, groups * PDE_LANES * ((rows + 3) / 4), cuda_bytes(s, n));
    DevProbe p = {k->v, k->weight, rows, groups, k->count, normal};
    CUDA_EACH(s, probe, p, n, cuda_bytes(s, 2 * n));
}

/* The full gradient of the network, the sum over it, and the direction that carries its derivative.
 */
static void gradient_block(CudaRoute *r, int b) {
    CudaSession *s = r->task->s;
    const CudaBlock *k = &r->block[b];
    cuda_slope(r, r->host->plan->block[b].output, k->value);
    Product p = {.transpose_b = true,
                 .m = s->inputs,
                 .n = PDE_LANES,
                 .k = s->h1,
                 .a = s->theta,
                 .b = k->value,
                 .c = r->slope,
                 .lda = s->h1,
                 .ldb = s->h1,
                 .ldc = PDE_LANES,
                 .stride_b = PDE_LANES * s->h1,
                 .stride_c = PDE_LANES * s->inputs,
                 .count = s->groups};
    backend_product(s->backend, &p);
    PdePointLaunch a = cuda_point_launch(r->task);
    a.group0.gradient = r->slope;
    a.group0.output_scale = s->output_scale;
    a.group0.out = k->v;
    a.group0.value = cuda_at(s, r->sweep, b * PDE_LANES);
    a.gradient = a.out = s->inputs * PDE_LANES;
    a.value = r->blocks * PDE_LANES;
    cuda_point_run(s, k->kernel, &a, s->groups, cuda_bytes(s, 3 * s->groups * a.out));
}

/* How the features move with the coordinates of the terms, at every point. */
static void sparse_block(CudaRoute *r, int b, int part) {
    CudaSession *s = r->task->s;
    const CudaTask *t = r->task;
    const PlanTask *plan = t->host->plan;
    const CudaBlock *k = &r->block[b];
    PdePointLaunch points = cuda_point_launch(r->task);
    int64_t n = k->count * k->entries, all = s->host->settings.points;
    PdeCombineLaunch a = {.point0 = {.x = points.group0.x,
                                     .aux = points.group0.aux,
                                     .normal = points.group0.normal,
                                     .tensor = s->tensor,
                                     .unknown = s->unknown_seen,
                                     .scalar = t->scalar,
                                     .set = r->sets,
                                     .count = (const int64_t *)r->counts + part * plan->families,
                                     .factor = r->factors,
                                     .block = r->starts,
                                     .weight = r->weights,
                                     .directions = r->K,
                                     .output_scale = s->output_scale,
                                     .sparse_row = k->index,
                                     .sparse_value = k->coefficient},
                          .points = all,
                          .x = points.x,
                          .aux = points.aux,
                          .normal = points.normal,
                          .scalar = points.out,
                          .sparse = n};
    for (int f = 0; f < plan->families && r->host->per_point; f++)
        a.set[f] = r->host->count[f] * plan->family[f].indices;
    Launch launch = {.kernel = k->kernel,
                     .grid = {(uint32_t)all, 1, 1},
                     .block = {PDE_LAUNCH_TERMS, 1, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .bytes = cuda_bytes(s, 2 * all * n)};
    backend_launch(s->backend, &launch);
}

void cuda_route_prepare(CudaRoute *r, int part) {
    assert(part >= 0 && part < r->host->parts);
    CudaSession *s = r->task->s;
    const Route *host = r->host;
    for (int f = 0; f < r->task->host->plan->families && !host->exact; f++) {
        if (host->terms == TERMS_ALL)
            enumerate_set(r, f, part);
        else
            draw_set(r, f);
    }
    for (int b = 0; b < r->blocks; b++) {
        PlanBlockKind kind = host->plan->block[b].kind;
        if (kind == BLOCK_sparse) {
            sparse_block(r, b, part);
        } else if (plan_block_follows_family(kind)) {
            family_block(r, b, part);
        } else if (host->probes && kind == BLOCK_gram) {
            probes(r, b);
        } else if (kind == BLOCK_gradient) {
            gradient_block(r, b);
        } else if (kind == BLOCK_point_dense) {
            PdePointLaunch a = cuda_point_launch(r->task);
            a.group0.out = r->block[b].v;
            a.out = s->inputs * PDE_LANES;
            cuda_point_run(s, r->block[b].kernel, &a, s->groups,
                           cuda_bytes(s, 2 * s->groups * a.out));
        }
    }
}
