/* combine.c: the generated kernels that make residuals of a tile's jets, and the way of their seeds
 * into the network. */
#include "cuda/step/tile.h"

#include <assert.h>
#include <math.h>

/* What depends on the points alone. */
static PdeCombineLaunch point_launch(const Tile *t) {
    const CudaSession *s = t->s;
    const CudaTask *task = t->r->task;
    int64_t E = t->r->residuals, group = t->first / PDE_LANES;
    PdePointLaunch points = cuda_point_launch(task);
    return (PdeCombineLaunch){
        .point0 = {.x = cuda_at(s, task->x, group * points.x),
                   .aux = task->aux ? cuda_at(s, task->aux, group * points.aux) : NULL,
                   .normal = task->normal ? cuda_at(s, task->normal, group * points.normal) : NULL,
                   .tensor = s->tensor,
                   .unknown = points.group0.unknown,
                   .scalar = task->scalar ? cuda_at(s, task->scalar, group * points.out) : NULL,
                   .output_scale = s->output_scale,
                   .n = t->w.n,
                   .residual = cuda_at(s, t->r->residual, t->first * E)},
        .points = t->points,
        .x = points.x,
        .aux = points.aux,
        .normal = points.normal,
        .scalar = points.out,
        .n = s->outputs,
        .residual = E};
}

static PdeCombineLaunch combine_launch(const Tile *t, int part, bool gradient) {
    CudaSession *s = t->s;
    CudaRoute *r = t->r;
    const CudaTask *task = r->task;
    int64_t E = r->residuals, nk = s->outputs * r->K, group = t->first / PDE_LANES;
    int64_t unknowns = s->host->problem->plan.unknowns, families = task->host->plan->families;
    PdeCombineLaunch a = point_launch(t);
    a.point0.set = r->sets;
    a.point0.count = (const int64_t *)r->counts + part * families;
    a.point0.factor = r->factors;
    a.point0.block = r->starts;
    a.point0.weight = r->weights;
    a.point0.directions = r->K;
    a.d = nk;
    a.seed_n = E * s->outputs;
    a.seed_d = E * nk;
    a.seed_unknown = E * unknowns;
    a.sweep = r->blocks * PDE_LANES;
    if (r->sweep)
        a.point0.sweep = cuda_at(s, r->sweep, group * a.sweep);
    for (int f = 0; f < families && r->host->per_point; f++)
        a.set[f] = r->host->count[f] * task->host->plan->family[f].indices;
    if (r->host->per_point && t->first > 0) /* the table of sets of this tile's first point */
        a.point0.set = (const uint32_t *const *)r->sets + t->first / s->tile * families;
    for (int m = 0; m < r->order; m++)
        a.point0.d[m] = t->w.d[m];
    if (r->frozen) {
        a.frozen = r->host->frozen_rows * PDE_LANES;
        a.point0.frozen = cuda_at(s, r->frozen, group * a.frozen);
    }
    if (unknowns > 0)
        a.point0.seed_unknown = cuda_at(s, task->seed_unknown, t->first * E * unknowns);
    if (gradient) {
        a.point0.seed_n = t->w.seed_n;
        for (int m = 0; m < r->order; m++)
            a.point0.seed_d[m] = t->w.seed_d[m];
    }
    return a;
}

/* A single entry of the vectors of a condition: its index, with the directions that follow it. */
static PdeCombineLaunch entry_launch(const Tile *t, PdeCombineLaunch a, int64_t e) {
    const CudaSession *s = t->s;
    const CudaRoute *r = t->r;
    int64_t families = r->task->host->plan->families, tiles = cuda_route_tiles(r);
    int64_t unknowns = s->host->problem->plan.unknowns, nk = s->outputs * r->K;
    PdeCombineArgs *p = &a.point0;
    p->set += e * tiles * families;
    p->block += e * (r->blocks + 1);
    p->count += families;
    p->factor += families;
    p->residual = cuda_at(s, p->residual, e);
    if (p->seed_unknown)
        p->seed_unknown = cuda_at(s, p->seed_unknown, e * unknowns);
    if (p->seed_n)
        p->seed_n = cuda_at(s, p->seed_n, e * s->outputs);
    for (int m = 0; m < r->order && p->seed_d[m]; m++)
        p->seed_d[m] = cuda_at(s, p->seed_d[m], e * nk);
    return a;
}

/* Means of squares and their seeds become roots and theirs: runtime/step/vector_rows.h. */
static void take_roots(Tile *t, const PdeCombineLaunch *l) {
    CudaSession *s = t->s;
    int64_t rows = t->points * l->residual, each = s->outputs * (1 + t->r->order * t->r->K);
    DevRoot a = {.residual = l->point0.residual,
                 .seed_n = l->point0.seed_n,
                 .seed_unknown = l->point0.seed_unknown,
                 .outputs = s->outputs,
                 .directions = s->outputs * t->r->K,
                 .unknowns = s->host->problem->plan.unknowns};
    for (int m = 0; m < t->r->order; m++)
        a.seed_d[m] = l->point0.seed_d[m];
    Launch launch = {.kernel = s->kernel[ENGINE_natural_root],
                     .grid = {(uint32_t)rows, 1, 1},
                     .block = {DEV_THREADS, 1, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .bytes = cuda_bytes(s, a.seed_n ? 2 * rows * each : 2 * rows)};
    backend_launch(s->backend, &launch);
}

void cuda_combine(Tile *t, int part, bool gradient) {
    assert(t->points > 0 && part >= 0);
    CudaSession *s = t->s;
    const CudaRoute *r = t->r;
    PdeCombineLaunch all = combine_launch(t, part, gradient);
    if (all.point0.seed_unknown)
        backend_zero(s->backend, all.point0.seed_unknown,
                     (size_t)(t->points * all.seed_unknown) * s->real);
    if (gradient)
        backend_zero(s->backend, t->w.seed_n, t->w.seed_bytes);
    for (int64_t e = 0; e < (r->host->entries ? all.residual : 1); e++) {
        PdeCombineLaunch a = r->host->entries ? entry_launch(t, all, e) : all;
        Launch launch = {.kernel = r->combine,
                         .grid = {(uint32_t)t->points, 1, 1},
                         .block = {PDE_LAUNCH_TERMS, 1, 1},
                         .argument = &a,
                         .size = sizeof a,
                         .bytes = cuda_bytes(s, t->points * a.d * r->order * (gradient ? 2 : 1))};
        backend_launch(s->backend, &launch);
    }
    if (r->roots)
        take_roots(t, &all);
}

void cuda_fold(Tile *t, const void *multiplier, double scale) {
    assert(t->points > 0 && isfinite(scale));
    CudaSession *s = t->s;
    CudaRoute *r = t->r;
    int64_t E = r->residuals, n = t->points * s->outputs * (1 + r->order * r->K);
    DevFold a = {.residual = cuda_at(s, r->residual, t->first * E),
                 .multiplier = multiplier ? cuda_at(s, multiplier, t->first * E) : NULL,
                 .seed_n = t->w.seed_n,
                 .nbar = t->w.nbar,
                 .seed = t->w.seed,
                 .scale = scale,
                 .points = t->points,
                 .residuals = E,
                 .one = t->to ? t->residual + 1 : 0,
                 .outputs = s->outputs,
                 .directions = r->K,
                 .order = r->order};
    for (int m = 0; m < r->order; m++)
        a.seed_d[m] = t->w.seed_d[m];
    CUDA_EACH(s, fold, a, n, cuda_bytes(s, n * (E + 1)));
}

void cuda_fields(Tile *t) {
    assert(t->r->combine && t->points > 0);
    PdeCombineLaunch a = point_launch(t);
    Launch launch = {.kernel = t->r->combine,
                     .grid = {(uint32_t)t->points, 1, 1},
                     .block = {PDE_LAUNCH_TERMS, 1, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .bytes = cuda_bytes(t->s, 2 * t->points * a.residual)};
    backend_launch(t->s->backend, &launch);
}
