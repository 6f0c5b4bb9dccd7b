/* route.c: the directions of a route: which blocks the engine gets, which index sets are drawn,
 * and what the combine kernel is shown of them. */
#include "step/route.h"

#include "contract/rng.h"
#include "engine/real.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- index sets */

static const Family *family_of(const Route *r, int f) {
    return &r->task->session->problem->family[r->task->id][f];
}

void route_first(const Route *r, int f, uint32_t base[2]) {
    const Family *family = family_of(r, f);
    base[0] = (uint32_t)family->first[0];
    base[1] = (uint32_t)family->first[r->task->plan->family[f].ordered ? 0 : 1];
}

/* Term number k of a family as one or two indices, counted from the first of their range: so the
 * kernels take them. */
static void term_indices(const Route *r, int f, uint64_t k, uint32_t *to) {
    const PlanFamily *plan = &r->task->plan->family[f];
    if (plan->indices == 1)
        to[0] = (uint32_t)k;
    else if (plan->ordered)
        pde_pair_below(k, to);
    else
        pde_pair_of(k, (uint64_t)family_of(r, f)->count[1], to);
}

static void draw_set(const Route *r, int f, uint32_t step, uint32_t point, int worker,
                     uint32_t *to) {
    const Session *s = r->task->session;
    int indices = r->task->plan->family[f].indices;
    uint64_t *number = r->number + worker * r->widest,
             *table = r->table + worker * (int64_t)r->slots;
    uint32_t stream = stream_of(r->stream, ROLE_TRAIN, r->task->id, f | r->part << 3);
    pde_random_subset(s->settings.seed, stream, step, point, (uint64_t)family_of(r, f)->size,
                      (uint32_t)r->count[f], number, table, r->slots);
    for (int64_t k = 0; k < r->count[f]; k++)
        term_indices(r, f, number[k], to + k * indices);
}

typedef struct SetDraw {
    const Route *route;
    int family;
    uint32_t step;
} SetDraw;

static void set_task(void *context, long point, int worker) {
    const SetDraw *draw = context;
    const Route *r = draw->route;
    int64_t size = r->count[draw->family] * r->task->plan->family[draw->family].indices;
    const Settings *set = &r->task->session->settings;
    draw_set(r, draw->family, draw->step, (uint32_t)(set->slice_sets ? point % set->slices : point),
             worker, r->set[draw->family] + point * size);
}

/* The part of K that is this route's. Parts differ by one term at most; the engine's directions
 * are as many as the largest has, and those past `count` get no seed. */
static void enumerate_set(Route *r, int f) {
    assert(r->parts > 0 && r->part >= 0 && r->part < r->parts);
    assert(f < r->task->plan->families);
    int indices = r->task->plan->family[f].indices;
    int64_t size = family_of(r, f)->size, first = size * r->part / r->parts;
    r->count[f] = size * (r->part + 1) / r->parts - first;
    for (int64_t k = 0; k < r->count[f]; k++)
        term_indices(r, f, (uint64_t)(first + k), r->set[f] + k * indices);
}

/* --------------------------------------------------------------------------------- directions */

static uint32_t scalar_index(const Route *r, const PlanBlock *block) {
    return (uint32_t)(r->task->session->problem->vector_inputs + block->which);
}

/* A neighbour outside the coordinates has no direction: its sum's guard discards what is there. */
static uint32_t shifted_index(const Route *r, uint32_t index, int64_t shift) {
    int64_t d = r->task->session->problem->d, i = (int64_t)index + shift;
    return (uint32_t)(i < 0 ? 0 : i >= d ? d - 1 : i);
}

static void fill_family_block(const Route *r, int b) {
    assert(b < r->plan->blocks);
    const PlanBlock *block = &r->plan->block[b];
    const PdeDirections *d = pde_batch_directions(r->batch, b);
    int f = block->family, indices = r->task->plan->family[f].indices;
    int64_t sets = r->per_point ? r->task->session->settings.points : 1;
    PdePrecision precision = r->task->session->settings.precision;
    uint32_t base[2];
    route_first(r, f, base);
    for (int64_t k = 0; k < r->count[f] * sets; k++) {
        const uint32_t *term = r->set[f] + k * indices;
        if (block->kind == BLOCK_unit) {
            d->index[k] =
                shifted_index(r, base[block->position] + term[block->position], block->shift);
            continue;
        }
        uint32_t i = base[block->position] + term[block->position];
        d->index[2 * k] = shifted_index(r, i, block->first);
        d->index[2 * k + 1] = block->with_scalar ? scalar_index(r, block)
                              : block->neighbour ? shifted_index(r, i, block->shift)
                                                 : base[1] + term[1];
        /* e_i + e_i for the diagonal of an unordered family is what the kernel expects */
        real_set(precision, d->coefficient, k, block->sign);
    }
}

typedef struct ProbeDraw {
    const Route *route;
    void *v;
    const void *weight;
    int64_t count;
    uint32_t step;
} ProbeDraw;

/* PDE_LANES probes: sqrt(weight_i / n) times +-1 or a normal, so that the sum over probes of a
 * second derivative estimates the weighted sum over all coordinates. */
static void probe_task(void *context, long group, int worker) {
    const ProbeDraw *p = context;
    const Session *s = p->route->task->session;
    int64_t n_in = s->problem->inputs;
    PdePrecision precision = s->settings.precision;
    bool normal = s->settings.estimator == ESTIMATOR_NORMAL;
    void *v = real_at(precision, p->v, group * n_in * PDE_LANES);
    uint32_t stream =
        stream_of(p->route->stream, ROLE_TRAIN, p->route->task->id, p->route->part << 3 | 7);
    (void)worker;
    pde_random_fill(s->engine, normal ? PDE_LAW_NORMAL : PDE_LAW_UNIFORM, s->settings.seed, stream,
                    p->step, (uint32_t)(group * PDE_LANES), 0, n_in, v, NULL);
    for (int64_t i = 0; i < n_in; i++) {
        double size = sqrt(real_get(precision, p->weight, i) / (double)p->count);
        for (int l = 0; l < PDE_LANES; l++) {
            double z = real_get(precision, v, i * PDE_LANES + l);
            real_set(precision, v, i * PDE_LANES + l, size * (normal ? z : z < 0.5 ? -1 : 1));
        }
    }
}

static void fill_probes(const Route *r, int b, uint32_t step) {
    int64_t count = r->block[b + 1] - r->block[b];
    ProbeDraw draw = {r, pde_batch_directions(r->batch, b)->v, r->gram_weight, count, step};
    pde_engine_run(r->task->session->engine, probe_task, &draw, (long)problem_groups(count));
}

static PointKernel *const *direction_kernels(const Route *r) {
    const Kernels *k = &r->task->session->problem->kernels;
    return r->exact ? k->exact_direction[r->task->id] : k->direction[r->task->id];
}

typedef struct Sweep {
    const Route *route;
    int block;
} Sweep;

static void sweep_task(void *context, long group, int worker) {
    const Sweep *sweep = context;
    const Route *r = sweep->route;
    const Session *s = r->task->session;
    PdePrecision precision = s->settings.precision;
    int64_t rows = group * s->problem->inputs * PDE_LANES;
    PdePointArgs args = points_args(&r->task->points, group);
    (void)worker;
    args.gradient = real_const_at(precision, r->slope, rows);
    args.output_scale = s->output_scale;
    args.out = real_at(precision, pde_batch_directions(r->batch, sweep->block)->v, rows);
    args.value = real_at(precision, r->sweep, (group * r->plan->blocks + sweep->block) * PDE_LANES);
    direction_kernels(r)[sweep->block](&args);
}

/* Sums over all coordinates of f(D_i N): their value comes from the full gradient of the network,
 * their parameter gradient from one direction made of it. */
static void fill_gradient_block(const Route *r, int b) {
    const Session *s = r->task->session;
    Sweep sweep = {r, b};
    pde_input_gradient(s->engine, r->batch, r->plan->block[b].output, r->slope);
    pde_engine_run(s->engine, sweep_task, &sweep, (long)problem_groups(s->settings.points));
}

typedef struct SparseFill {
    const Route *route;
    int block;
} SparseFill;

static void sparse_task(void *context, long point, int worker) {
    const SparseFill *fill = context;
    const Route *r = fill->route;
    const PdeDirections *d = pde_batch_directions(r->batch, fill->block);
    const uint32_t *set[PLAN_FAMILIES_MAX];
    int64_t n =
        (r->block[fill->block + 1] - r->block[fill->block]) * r->plan->block[fill->block].entries;
    PdeCombineArgs args = route_args(r, point, set);
    (void)worker;
    args.sparse_row = d->index + point * n;
    args.sparse_value = real_at(r->task->session->settings.precision, d->coefficient, point * n);
    r->task->session->problem->kernels.sparse[r->task->id][fill->block](&args);
}

/* How the features move with the coordinates of the sampled terms, at every point. */
static void fill_sparse_block(const Route *r, int b) {
    SparseFill fill = {r, b};
    const Session *s = r->task->session;
    pde_engine_run(s->engine, sparse_task, &fill, (long)s->settings.points);
}

void route_prepare(Route *r, uint32_t step) {
    assert(r->batch && r->task);
    const Task *t = r->task;
    for (int f = 0; f < t->plan->families && !r->exact; f++) {
        if (r->terms == TERMS_ALL) {
            enumerate_set(r, f);
        } else if (r->per_point) {
            SetDraw draw = {r, f, step};
            pde_engine_run(t->session->engine, set_task, &draw, (long)t->session->settings.points);
        } else {
            draw_set(r, f, step, 0, 0, r->set[f]);
        }
    }
    for (int b = 0; b < r->plan->blocks; b++) {
        if (r->plan->block[b].kind == BLOCK_sparse)
            fill_sparse_block(r, b);
        else if (plan_block_follows_family(r->plan->block[b].kind))
            fill_family_block(r, b);
        else if (r->probes && r->plan->block[b].kind == BLOCK_gram)
            fill_probes(r, b, step);
        else if (r->plan->block[b].kind == BLOCK_gradient)
            fill_gradient_block(r, b);
    }
}

static bool gram_weights(Route *r, int b);

void route_fixed_directions(Route *r) {
    const Session *s = r->task->session;
    const Problem *q = s->problem;
    for (int b = 0; b < r->plan->blocks; b++) {
        const PlanBlock *block = &r->plan->block[b];
        const PdeDirections *d = pde_batch_directions(r->batch, b);
        if (block->kind == BLOCK_scalar)
            d->index[0] = scalar_index(r, block);
        if (d->weight) /* each Gram block has weights of its own, and one buffer serves them in turn */
            gram_weights(r, b);
        for (int64_t i = 0; d->weight && i < q->inputs; i++)
            real_set(q->precision, d->weight, i, real_get(q->precision, r->gram_weight, i));
        for (int64_t i = 0; r->weight[b] && i < q->d; i++)
            d->index[i] = (uint32_t)i;
        if (block->kind == BLOCK_dense) {
            PdePointArgs args = points_args(&r->task->points, 0);
            args.x = args.aux = args.normal = NULL;
            args.out = d->v;
            direction_kernels(r)[b](&args);
        }
    }
}

void route_group(Route *r, int64_t group, const PdePointArgs *given) {
    const Problem *q = r->task->session->problem;
    for (int b = 0; b < r->plan->blocks; b++) {
        if (r->plan->block[b].kind != BLOCK_point_dense)
            continue;
        PdePointArgs args = *given;
        args.out = real_at(q->precision, pde_batch_directions(r->batch, b)->v,
                           group * q->inputs * PDE_LANES);
        direction_kernels(r)[b](&args);
    }
}

/* ------------------------------------------------------------------------------------ combine */

PdeCombineArgs route_args(const Route *r, int64_t point, const uint32_t **set) {
    const Task *t = r->task;
    const Session *s = t->session;
    int64_t group = point / PDE_LANES, unknowns = s->problem->plan.unknowns;
    for (int f = 0; f < t->plan->families; f++) {
        int64_t size = r->count[f] * t->plan->family[f].indices;
        set[f] = r->set[f] ? r->set[f] + (r->per_point ? point * size : 0) : NULL;
    }
    return (PdeCombineArgs){.x = points_x(&t->points, group),
                            .aux = points_aux(&t->points, group),
                            .normal = points_normal(&t->points, group),
                            .tensor = (const void *const *)s->problem->tensor,
                            .unknown = s->unknown_real,
                            .scalar = points_scalars(&t->points, group),
                            .lane = point % PDE_LANES,
                            .set = set,
                            .count = r->count,
                            .factor = r->factor,
                            .block = r->block,
                            .weight = (const double *const *)r->weight,
                            .sweep = r->sweep ? real_const_at(s->settings.precision, r->sweep,
                                                              group * r->plan->blocks * PDE_LANES)
                                              : NULL,
                            .directions = r->block[r->plan->blocks],
                            .output_scale = s->output_scale,
                            .frozen = r->frozen ? real_at(s->settings.precision, r->frozen,
                                                          group * r->frozen_rows * PDE_LANES)
                                                : NULL,
                            .seed_unknown = t->seed_unknown
                                                ? real_at(s->settings.precision, t->seed_unknown,
                                                          point * t->plan->residuals * unknowns)
                                                : NULL};
}

static void combine(void *context, const PdeJet *jet) {
    const Route *r = context;
    const uint32_t *set[PLAN_FAMILIES_MAX];
    PdeCombineArgs args = route_args(r, jet->point, set);
    args.n = jet->n;
    args.residual = jet->residual;
    args.seed_n = jet->seed_n;
    for (int m = 0; m < PDE_MAX_ORDER; m++) {
        args.d[m] = jet->d[m];
        args.seed_d[m] = jet->seed_d[m];
    }
    if (args.seed_unknown) {
        const Session *s = r->task->session;
        int64_t n = r->task->plan->residuals * s->problem->plan.unknowns;
        memset(args.seed_unknown, 0, (size_t)n * real_size(s->settings.precision));
    }
    r->kernel(&args);
}

PdeTaskSpec route_spec(Route *r) {
    const Task *t = r->task;
    size_t unknowns = (size_t)(t->plan->residuals * t->session->problem->plan.unknowns);
    return (PdeTaskSpec){.combine = combine,
                         .context = r,
                         .residual = r->residual,
                         .shared = !r->frozen, /* which lies by groups */
                         .beside = t->seed_unknown,
                         .beside_unit = unknowns * real_size(t->session->settings.precision)};
}

void route_value(Route *r) {
    assert(r->batch && r->residual);
    PdeTaskSpec spec = route_spec(r);
    pde_value(r->task->session->engine, r->batch, &spec);
}

/* ------------------------------------------------------------------------------------- create */

static Status out_of_memory(Error *error) {
    return error_set(error, STATUS_OUT_OF_MEMORY,
                     "no memory for the directions of a step; fewer --points or --terms, or "
                     "--accumulate, need less");
}

static int64_t largest_part(int64_t size, int parts) {
    assert(parts > 0);
    return (size + parts - 1) / parts;
}

static void choose_counts(Route *r, const RouteConfig *c) {
    for (int f = 0; f < r->task->plan->families; f++) {
        int64_t size = family_of(r, f)->size;
        r->count[f] = r->exact                   ? size
                      : c->terms == TERMS_SAMPLE ? (c->sample < size ? c->sample : size)
                                                 : largest_part(size, c->parts);
        r->factor[f] = r->exact                   ? 1
                       : c->terms == TERMS_SAMPLE ? (double)size / (double)r->count[f]
                                                  : c->parts;
        if (r->count[f] > r->widest)
            r->widest = r->count[f];
    }
}

static Status create_sets(Route *r, Error *error) {
    const Session *s = r->task->session;
    int workers = r->per_point ? pde_engine_threads(s->engine) : 1;
    int64_t points = r->per_point ? s->settings.points : 1;
    if (r->exact)
        return STATUS_OK;
    for (r->slots = 2; (int64_t)r->slots < 2 * r->widest;)
        r->slots *= 2;
    for (int f = 0; f < r->task->plan->families; f++) {
        size_t size = (size_t)(r->count[f] * r->task->plan->family[f].indices * points);
        r->set[f] = calloc(size, sizeof *r->set[f]);
        if (!r->set[f])
            return out_of_memory(error);
    }
    if (r->terms != TERMS_SAMPLE)
        return STATUS_OK;
    r->number = calloc((size_t)(r->widest * workers) + 1, sizeof *r->number);
    r->table = calloc((size_t)r->slots * (size_t)workers, sizeof *r->table);
    return r->number && r->table ? STATUS_OK : out_of_memory(error);
}

/* 1 for coordinates, 0 for time, unless the module has weights of its own. False if the engine's
 * Gram directions cannot stand for the sum: they need h1 coordinates of positive weight and none
 * of negative. */
static bool gram_weights(Route *r, int b) {
    const Session *s = r->task->session;
    const Problem *q = s->problem;
    PointKernel *kernel = direction_kernels(r)[b];
    int64_t positive = 0, negative = 0;
    for (int64_t i = 0; i < q->inputs; i++)
        real_set(q->precision, r->gram_weight, i, i < q->vector_inputs ? 1 : 0);
    PdePointArgs args = {.tensor = (const void *const *)q->tensor,
                         .unknown = s->unknown_real,
                         .out = r->gram_weight};
    if (kernel)
        kernel(&args);
    for (int64_t i = 0; i < q->inputs; i++) {
        positive += real_get(q->precision, r->gram_weight, i) > 0;
        negative += real_get(q->precision, r->gram_weight, i) < 0;
    }
    return negative == 0 && positive >= s->network.width[1];
}

/* Where they cannot, all coordinates are directions, with their weights beside them. */
static Status create_gram(Route *r, Error *error) {
    const Problem *q = r->task->session->problem;
    bool taken = false;
    for (int b = 0; b < r->plan->blocks; b++) {
        if (r->plan->block[b].kind != BLOCK_gram)
            continue;
        if (!r->gram_weight)
            r->gram_weight = calloc((size_t)q->inputs, real_size(q->precision));
        if (!r->gram_weight)
            return out_of_memory(error);
        bool fits = gram_weights(r, b);
        if (r->probes || (fits && !taken)) { /* the engine has one Gram matrix in a batch */
            taken = true;
            continue;
        }
        r->weight[b] = calloc((size_t)q->d, sizeof(double));
        if (!r->weight[b])
            return out_of_memory(error);
        for (int64_t i = 0; i < q->d; i++)
            r->weight[b][i] = real_get(q->precision, r->gram_weight, i);
    }
    return STATUS_OK;
}

static PdeDirectionBlock engine_block(const Route *r, const RouteConfig *c, int index) {
    const PlanBlock *b = &r->plan->block[index];
    PdeDirectionBlock e = {plan_block_engine_kind(b->kind), b->order, 1, b->entries};
    if (plan_block_follows_family(b->kind)) {
        e.count = r->count[b->family];
        if (r->per_point && b->kind != BLOCK_sparse)
            e.kind = PDE_DIR_POINT_UNIT;
    } else if (b->kind == BLOCK_gram) {
        const Session *s = r->task->session;
        e.kind = r->probes ? PDE_DIR_DENSE : r->weight[index] ? PDE_DIR_UNIT : PDE_DIR_GRAM;
        e.count = r->probes ? c->sample : r->weight[index] ? s->problem->d : s->network.width[1];
    }
    return e;
}

int route_residuals(const Route *r) {
    return r->entries ? (int)r->count[0] : r->task->plan->residuals;
}

/* Have all parts of K the same number of terms? A shorter one leaves its last direction unused, which
 * a rotation would mix with the others. */
static bool even_parts(const Route *r) {
    const Task *t = r->task;
    bool even = true;
    for (int f = 0; f < t->plan->families && r->terms == TERMS_ALL; f++)
        even = even && t->session->problem->family[t->id][f].size % r->parts == 0;
    return even;
}

/* Rows of a Jacobian, and sets of each point, are of the directions themselves. */
bool route_rotates(const PlanRoute *plan, const Settings *set) {
    return plan->blocks > 0 && plan->block[0].uniform && !set->per_point &&
           !pde_optim_has(set->optimiser.kind, PDE_JACOBIAN);
}

static Status create_batch(Route *r, const RouteConfig *c, Error *error) {
    const Session *s = r->task->session;
    PdeBatchConfig config = {.points = s->settings.points,
                             .blocks = r->plan->blocks,
                             .residuals = route_residuals(r),
                             .rotate = route_rotates(r->plan, &s->settings) && even_parts(r),
                             .x = c->x,
                             .points_of = c->points_of};
    for (int b = 0; b < r->plan->blocks; b++) {
        const PlanBlock *block = &r->plan->block[b];
        if (r->per_point && block->kind == BLOCK_pair)
            return error_set(error, STATUS_OPTION_CONFLICT,
                             "'%s' needs pairs of directions, for a sum over pairs or for features "
                             "of x beside others: these have --index-sets shared only",
                             r->task->plan->name);
        config.block[b] = engine_block(r, c, b);
        r->kind[b] = config.block[b].kind;
        r->block[b + 1] = r->block[b] + config.block[b].count;
    }
    if (!pde_batch_serves(s->engine, &config))
        return error_set(error, STATUS_MODULE_CONTENT,
                         "the engine does not have the directions of '%s' together",
                         r->task->plan->name);
    r->batch = pde_batch_create(s->engine, &config);
    return r->batch ? STATUS_OK : out_of_memory(error);
}

Status route_create(const RouteConfig *c, Route *r, Error *error) {
    assert(c->task && c->parts > 0 && c->part < c->parts);
    Task *t = c->task;
    const Session *s = t->session;
    bool exact = c->terms == TERMS_EXACT || c->probes;
    *r = (Route){.task = t,
                 .plan = exact ? &t->plan->exact : &t->plan->sampled,
                 .terms = c->terms,
                 .exact = exact,
                 .probes = c->probes,
                 .entries = c->entries,
                 .part = c->part,
                 .parts = c->parts,
                 .stream = c->stream,
                 .kernel =
                     exact ? s->problem->kernels.exact[t->id] : s->problem->kernels.combine[t->id]};
    r->per_point =
        s->settings.per_point && c->terms == TERMS_SAMPLE && !exact && t->plan->families > 0;
    choose_counts(r, c);
    Status status = create_sets(r, error);
    if (status == STATUS_OK)
        status = create_gram(r, error);
    if (status == STATUS_OK)
        status = create_batch(r, c, error);
    if (status != STATUS_OK)
        return status;
    size_t size = real_size(s->settings.precision);
    r->residual = calloc((size_t)(s->settings.points * route_residuals(r)), size);
    bool sweeps = false;
    for (int b = 0; b < r->plan->blocks; b++)
        sweeps = sweeps || r->plan->block[b].kind == BLOCK_gradient;
    if (sweeps) {
        size_t lanes = (size_t)problem_groups(s->settings.points) * PDE_LANES;
        r->slope = calloc(lanes * (size_t)s->problem->inputs, size);
        r->sweep = calloc(lanes * (size_t)r->plan->blocks, size);
    }
    bool ok = r->residual && (!sweeps || (r->slope && r->sweep));
    return ok ? STATUS_OK : out_of_memory(error);
}

void route_free(Route *r) {
    pde_batch_destroy(r->batch);
    for (int f = 0; f < PLAN_FAMILIES_MAX; f++)
        free(r->set[f]);
    free(r->number);
    free(r->table);
    free(r->residual);
    free(r->gram_weight);
    for (int b = 0; b < PDE_MAX_BLOCKS; b++)
        free(r->weight[b]);
    free(r->slope);
    free(r->sweep);
    *r = (Route){0};
}
