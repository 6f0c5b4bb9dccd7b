/* points.c: standard numbers by (group, leaf of coordinates) with their partial sums of squares, then
 * what finishes a group: time, law, boundary, and the point programs. A thread does all of it for one
 * group, which stays in its cache; the numbers of groups that are left over when every thread has had
 * as many are made by all threads together. Sums are by leaf and tree (contract/leaf.h): the bits do not
 * depend on the threads. */
#include "step/points.h"

#include "step/domain.h"

#include "contract/leaf.h"
#include "contract/rng.h"
#include "engine/real.h"
#include "step/paths.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------- laws */

/* number: which auxiliary, or which space */
static int find_sample(const Plan *plan, bool test, PlanTarget target, int number) {
    for (int i = 0; i < plan->samples; i++) {
        const PlanSample *s = &plan->sample[i];
        int own = target == TARGET_AUX ? s->aux : target == TARGET_SPACE ? s->space : 0;
        if (s->test == test && s->target == target && own == number)
            return i;
    }
    return test ? find_sample(plan, false, target, number) : -1;
}

/* The space's own law for points inside; NULL: its domain's. */
static const PlanSample *inside_law(const Points *p, int space) {
    int sample = p->space_sample[space];
    const PlanSample *s = sample < 0 ? NULL : &p->c.problem->plan.sample[sample];
    return s && s->base != BASE_DOMAIN ? s : NULL;
}

static bool on_boundary(const Points *p) {
    return p->c.kind == PLAN_boundary;
}

static const PlanTask *task_of(const Points *p) {
    return &p->c.problem->plan.task[p->c.task];
}

/* May points of this task lie on this space's boundary? */
static bool has_boundary(const Points *p, int space) {
    if (!on_boundary(p) || !domain_of(&p->c.problem->space[space])->boundary)
        return false;
    const PlanTask *task = task_of(p);
    bool named = task->faces == 0;
    for (int f = 0; f < task->faces; f++)
        named = named || task->face[f].space == space;
    return named;
}

int points_law(const Points *p, int space) {
    return inside_law(p, space) && !has_boundary(p, space) ? p->space_sample[space] : -1;
}

bool points_are_round(const Points *p, int space) {
    return domain_of(&p->c.problem->space[space])->round && points_law(p, space) < 0;
}

static PdeLaw standard_law(const Points *p, int space) {
    int law = points_law(p, space);
    bool normal = law >= 0 && p->c.problem->plan.sample[law].base == BASE_NORMAL;
    return normal || points_are_round(p, space) ? PDE_LAW_NORMAL : PDE_LAW_UNIFORM;
}

/* Which component of the lattice this is. */
static int component(const Points *p, StreamUse use, int number) {
    return use == STREAM_TIME     ? 0
           : use == STREAM_RADIUS ? 1 + number
                                  : 1 + p->c.problem->spaces + number;
}

/* A lattice has one shift for each time that its points were gone through; one for each half of a constraint's points. */
static double quasi(const Points *p, int at, uint32_t point) {
    const uint32_t stream = stream_of(STREAM_LATTICE, p->c.role, p->c.task, 0);
    uint32_t round = (uint32_t)(point / (uint64_t)p->lattice.points);
    if (p->c.times) {
        const int64_t half = points_half(p, point % p->c.points), size = points_half_size(&p->c);
        round = (uint32_t)(point / p->c.points * 2 * p->c.times + half);
        point = (uint32_t)((point % p->c.points - half * size) % size);
    }
    const uint32_t word = pde_random_word(p->seed, stream, p->step, round, (uint32_t)at);
    return lattice_uniform(&p->lattice, point, at, (double)word * 0x1p-32);
}

double points_uniform(const Points *p, StreamUse use, int space, uint32_t point) {
    if (p->c.times && use == STREAM_TIME) /* a set has one time */
        point =
            (uint32_t)(point / p->c.points * p->c.times + points_half(p, point % p->c.points) / 2);
    else if (p->lattice.points && (use == STREAM_TIME || use == STREAM_RADIUS))
        return quasi(p, component(p, use, space), point);
    uint32_t stream = stream_of(use, p->c.role, p->c.task, space);
    return pde_uniform(pde_random_word(p->seed, stream, p->step, point, 0));
}

/* ------------------------------------------------------------------- first region: numbers */

/* The first coordinates of a group from the lattice in place of random numbers; then the sums of squares anew. */
static void draw_lattice(const Points *p, int space, int64_t group, int64_t rows, void *x,
                         double *squares) {
    const Problem *q = p->c.problem;
    const bool normal = standard_law(p, space) == PDE_LAW_NORMAL;
    const int64_t first = q->space[space].first;
    for (int64_t i = 0; i < rows; i++) {
        const int at = component(p, STREAM_SPACE, (int)(first + i));
        for (int l = 0; l < PDE_LANES && at < LATTICE_DIMENSIONS; l++) {
            const double u = quasi(p, at, p->first + (uint32_t)(group * PDE_LANES + l));
            real_set(q->precision, x, i * PDE_LANES + l, normal ? lattice_normal(u) : u);
        }
    }
    if (!squares)
        return;
    memset(squares, 0, PDE_LANES * sizeof *squares);
    for (int64_t i = 0; i < rows * PDE_LANES; i++) {
        const double v = real_get(q->precision, x, i);
        squares[i % PDE_LANES] += v * v;
    }
}

static void draw_numbers(const Points *p, int64_t group, int64_t chunk) {
    const Problem *q = p->c.problem;
    int space = 0;
    while (chunk >= p->chunk[space + 1])
        space++;
    const Space *own = &q->space[space];
    int64_t wide = pde_leaf(own->d), i0 = (chunk - p->chunk[space]) * wide;
    int64_t i1 = i0 + wide < own->d ? i0 + wide : own->d;
    void *x = real_at(q->precision, p->c.x, (group * q->n_in + own->first) * PDE_LANES);
    double *squares =
        points_are_round(p, space) ? p->partial + (group * p->chunks + chunk) * PDE_LANES : NULL;
    if (squares)
        memset(squares, 0, PDE_LANES * sizeof *squares);
    pde_random_fill(p->c.engine, standard_law(p, space), p->seed,
                    stream_of(STREAM_SPACE, p->c.role, p->c.task, space * DOMAIN_TRIES), p->step,
                    p->first + (uint32_t)(group * PDE_LANES), i0, i1, x, squares);
    if (p->lattice.points && i0 == 0 && own->first < LATTICE_DIMENSIONS)
        draw_lattice(p, space, group, i1, x, squares);
}

/* Tasks begin with the groups `shared` .. groups-1. */
static void numbers_task(void *context, long task, int worker) {
    const Points *p = context;
    (void)worker;
    draw_numbers(p, p->shared + task / p->chunks, task % p->chunks);
}

/* ------------------------------------------------------------- second region: whole groups */

/* Standard numbers into `rows` rows at `to`, then the sample statement's transformation. */
static void draw_sample(const Points *p, int sample, StreamUse use, int sub, int64_t group,
                        int64_t rows, void *to) {
    const Problem *q = p->c.problem;
    PdeLaw law = q->plan.sample[sample].base == BASE_NORMAL ? PDE_LAW_NORMAL : PDE_LAW_UNIFORM;
    PdePointArgs args = points_args(p, group);
    int64_t first = p->c.slices ? paths_first(p, group) : group * PDE_LANES;
    if (use != STREAM_SPACE)
        pde_random_fill(p->c.engine, law, p->seed, stream_of(use, p->c.role, p->c.task, sub),
                        p->step, p->first + (uint32_t)first, 0, rows, to, NULL);
    if (use != STREAM_SPACE && p->c.slices)
        paths_share(p, group, rows, to);
    args.out = to;
    q->kernels.sample[sample](&args);
}

static void finish_time(const Points *p, int64_t group, void *x) {
    static const int pinned[] = {
#define ROW(name, boundary, time) time,
        PLAN_TASK_KINDS(ROW)
#undef ROW
    };
    const Problem *q = p->c.problem;
    void *row = real_at(q->precision, x, q->d * PDE_LANES);
    int pin = pinned[p->c.kind];
    if (p->time_sample >= 0 && !pin) {
        draw_sample(p, p->time_sample, STREAM_TIME, 0, group, 1, row);
        return;
    }
    for (int l = 0; l < PDE_LANES; l++) {
        uint32_t point = p->first + (uint32_t)(group * PDE_LANES + l);
        double t =
            pin ? q->time[pin - 1]
                : q->time[0] + (q->time[1] - q->time[0]) * points_uniform(p, STREAM_TIME, 0, point);
        real_set(q->precision, row, l, t);
    }
}

/* The space's rows x of a group, from its standard numbers to its law inside. */
static void finish_inside(const Points *p, int space, int64_t group, void *x) {
    const Space *own = &p->c.problem->space[space];
    if (inside_law(p, space))
        draw_sample(p, p->space_sample[space], STREAM_SPACE, 0, group, own->d, x);
    else
        domain_of(own)->inside(p, space, group, x);
}

/* The part of the boundary that the point is on; -1: the condition holds on all of it. */
static int boundary_part(const Points *p, uint32_t point) {
    int parts = task_of(p)->faces;
    if (parts <= 1)
        return parts - 1;
    uint32_t stream = stream_of(STREAM_FACE, p->c.role, p->c.task, PLAN_SPACES_MAX);
    uint64_t word = pde_random_word64(p->seed, stream, p->step, point, 0);
    return (int)pde_random_below(word, (uint64_t)parts);
}

PlanSide points_side(const Points *p, int space, uint32_t point, int64_t *coordinate) {
    int part = boundary_part(p, point);
    *coordinate = -1;
    if (part < 0 || task_of(p)->face[part].space != space)
        return SIDE_both;
    *coordinate = p->c.problem->face[p->c.task][part];
    return task_of(p)->face[part].side;
}

int points_boundary_space(const Points *p, uint32_t point) {
    assert(p->bounded > 0);
    if (p->bounded == 1)
        return p->on[0];
    int part = boundary_part(p, point);
    if (part >= 0)
        return task_of(p)->face[part].space;
    uint32_t stream = stream_of(STREAM_FACE, p->c.role, p->c.task, PLAN_SPACES_MAX);
    uint64_t word = pde_random_word64(p->seed, stream, p->step, point, 0);
    return p->on[pde_random_below(word, (uint64_t)p->bounded)];
}

/* Standard numbers of its own for a law that the boundary does not use. */
static void spare_numbers(const Points *p, int space, int64_t group, const void *x, void *spare) {
    const Problem *q = p->c.problem;
    int64_t d = q->space[space].d;
    const PlanSample *law = inside_law(p, space);
    if (!law) {
        memcpy(spare, x, (size_t)(d * PDE_LANES) * real_size(q->precision));
        return;
    }
    pde_random_fill(
        p->c.engine, law->base == BASE_NORMAL ? PDE_LAW_NORMAL : PDE_LAW_UNIFORM, p->seed,
        stream_of(STREAM_SPACE, p->c.role, p->c.task, (PLAN_SPACES_MAX + space) * DOMAIN_TRIES),
        p->step, p->first + (uint32_t)(group * PDE_LANES), 0, d, spare, NULL);
}

/* A random one of the observations: its place and its data. */
static void finish_observed(const Points *p, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const PlanTask *task = task_of(p);
    int64_t columns = q->n_in + task->observed;
    void *aux = real_at(q->precision, p->aux, group * q->aux_rows * PDE_LANES);
    for (int l = 0; l < PDE_LANES; l++) {
        uint32_t stream = stream_of(STREAM_FACE, p->c.role, p->c.task, 0);
        uint32_t point = p->first + (uint32_t)(group * PDE_LANES + l);
        uint64_t word = pde_random_word64(p->seed, stream, p->step, point, 0);
        int64_t k = (int64_t)pde_random_below(word, (uint64_t)q->observations[p->c.task]);
        const double *row = q->observed[p->c.task] + k * columns;
        for (int64_t i = 0; i < q->n_in; i++)
            real_set(q->precision, x, i * PDE_LANES + l, row[i]);
        for (int i = 0; i < task->observed; i++)
            real_set(q->precision, aux, q->aux_first[task->first_observed + i] * PDE_LANES + l,
                     row[q->n_in + i]);
    }
}

/* Of several domains with a boundary: each point is on that of one and inside the others. */
static void finish_mixed(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = &q->space[space];
    int64_t row = group * q->d + own->first;
    void *spare = real_at(q->precision, p->spare, row * PDE_LANES);
    void *normal = real_at(q->precision, p->normal, row * PDE_LANES);
    spare_numbers(p, space, group, x, spare);
    domain_of(own)->boundary(p, space, group, x);
    finish_inside(p, space, group, spare);
    for (int l = 0; l < PDE_LANES; l++) {
        if (points_boundary_space(p, p->first + (uint32_t)(group * PDE_LANES + l)) == space)
            continue;
        for (int64_t i = 0; i < own->d; i++) {
            real_set(q->precision, x, i * PDE_LANES + l,
                     real_get(q->precision, spare, i * PDE_LANES + l));
            real_set(q->precision, normal, i * PDE_LANES + l, 0);
        }
    }
}

static void finish_space(const Points *p, int space, int64_t group, void *x) {
    if (!has_boundary(p, space))
        finish_inside(p, space, group, x);
    else if (p->bounded > 1)
        finish_mixed(p, space, group, x);
    else
        domain_of(&p->c.problem->space[space])->boundary(p, space, group, x);
}

static void run_programs(Points *p, int64_t group) {
    assert(group >= 0 && group < p->groups);
    const Problem *q = p->c.problem;
    PdePointArgs args = points_args(p, group);
    if (q->kernels.features) {
        PdePointArgs features = args;
        features.out = real_at(q->precision, p->c.inputs, group * q->inputs * PDE_LANES);
        q->kernels.features(&features);
    }
    if (p->c.program && group < p->late && group >= p->mine[0] && group < p->mine[1])
        p->c.program(&args);
    if (p->c.more)
        p->c.more(p->c.context, group, &args);
}

void points_draw_group(Points *p, int64_t group, bool numbers) {
    const Problem *q = p->c.problem;
    void *x = real_at(q->precision, p->c.x, group * q->n_in * PDE_LANES);
    for (int64_t chunk = 0; chunk < p->chunks && numbers; chunk++)
        draw_numbers(p, group, chunk);
    if (p->c.slices)
        paths_times(p, group);
    else if (q->plan.time)
        finish_time(p, group, x);
    for (int i = 0; i < q->plan.auxes; i++) {
        if (p->aux_sample[i] < 0)
            continue;
        int64_t end = i + 1 < q->plan.auxes ? q->aux_first[i + 1] : q->aux_rows;
        int64_t row = group * q->aux_rows + q->aux_first[i];
        draw_sample(p, p->aux_sample[i], STREAM_AUX, i, group, end - q->aux_first[i],
                    real_at(q->precision, p->aux, row * PDE_LANES));
    }
    if (p->c.kind == PLAN_observe)
        finish_observed(p, group, x);
    for (int k = 0; k < q->spaces && p->c.kind != PLAN_observe; k++)
        finish_space(p, k, group, real_at(q->precision, x, q->space[k].first * PDE_LANES));
}

static void group_task(void *context, long group, int worker) {
    Points *p = context;
    (void)worker;
    if (p->accepted)
        accept_draw(p, group);
    else if (!p->c.same)
        points_draw_group(p, group, group < p->shared);
    run_programs(p, group);
}

static void late_task(void *context, long task, int worker) {
    const Points *p = context;
    PdePointArgs args = points_args(p, p->late + task);
    (void)worker;
    p->c.program(&args);
}

/* Programs are divided among ranks, whose numbers go to all before anything reads them. */
static void share_programs(Points *p) {
    pde_engine_share(p->c.engine, p->groups, &p->mine[0], &p->mine[1]);
}

static void gather_programs(Points *p) {
    size_t rows = (size_t)(p->c.scalars * PDE_LANES);
    if (p->c.program && rows > 0)
        pde_engine_gather(p->c.engine, p->scalar, p->groups,
                          rows * real_size(p->c.problem->precision));
}

/* Not drawn again where they are there: the other's late programs may be reading them still. */
static void draw_same(const Points *p) {
    Points *of = p->c.same;
    bool there =
        !of || (of->drawn && of->seed == p->seed && of->step == p->step && of->first == p->first);
    if (!there)
        points_draw(of, p->seed, p->step, p->first);
}

static void draw(Points *p, uint64_t seed, uint32_t step, uint32_t first, bool ahead) {
    assert(p->groups > 0 && p->groups == problem_groups(p->c.points));
    p->seed = seed;
    p->step = step;
    p->first = first;
    p->drawn = true;
    draw_same(p);
    p->shared = p->accepted   ? p->groups
                : p->c.slices ? 0
                              : p->groups - p->groups % pde_engine_threads(p->c.engine);
    p->late = ahead && pde_engine_ranks(p->c.engine) == 1 ? p->shared : p->groups;
    share_programs(p);
    if (!p->c.same)
        pde_engine_run(p->c.engine, numbers_task, p, (long)((p->groups - p->shared) * p->chunks));
    if (p->c.slices)
        paths_walk(p);
    pde_engine_run(p->c.engine, group_task, p, (long)p->groups);
    if (p->c.program && p->late < p->groups)
        pde_engine_later(p->c.engine, late_task, p, (long)(p->groups - p->late));
    gather_programs(p);
}

void points_draw(Points *p, uint64_t seed, uint32_t step, uint32_t first) {
    draw(p, seed, step, first, false);
}

void points_draw_ahead(Points *p, uint64_t seed, uint32_t step, uint32_t first) {
    draw(p, seed, step, first, true);
}

static void program_task(void *context, long group, int worker) {
    (void)worker;
    run_programs(context, group);
}

void points_run_programs(Points *p) {
    assert(p->groups > 0);
    p->drawn = false;
    if (p->c.same)
        p->c.same->drawn = false;
    p->late = p->groups;
    share_programs(p);
    pde_engine_run(p->c.engine, program_task, p, (long)p->groups);
    gather_programs(p);
}

/* ------------------------------------------------------------------------------- create, look */

/* Whether the law of one space can be drawn. */
static Status choose_law(Points *p, int space, Error *error) {
    const Plan *plan = &p->c.problem->plan;
    const DomainOps *domain = domain_of(&p->c.problem->space[space]);
    const PlanSpace *own = &plan->space[space];
    int sample = find_sample(plan, p->c.role == ROLE_TEST, TARGET_SPACE, space);
    p->space_sample[space] = sample;
    if (inside_law(p, space))
        return STATUS_OK;
    if (!domain->inside)
        return error_set(error, STATUS_MODULE_CONTENT,
                         "the whole space has no uniform law: the problem needs a line such as "
                         "'sample %s_i ~ normal(0, 1)'",
                         own->name);
    if (sample >= 0 && plan->sample[sample].law == LAW_radial && !domain->round)
        return error_set(error, STATUS_MODULE_CONTENT, "a %s has no radial law",
                         plan_domain_name(own->domain));
    return STATUS_OK;
}

static Status choose_samples(Points *p, Error *error) {
    const Plan *plan = &p->c.problem->plan;
    bool test = p->c.role == ROLE_TEST;
    p->time_sample = find_sample(plan, test, TARGET_TIME, 0);
    if (p->time_sample >= 0 && plan->sample[p->time_sample].base == BASE_DOMAIN)
        p->time_sample = -1;
    for (int i = 0; i < plan->auxes; i++) {
        p->aux_sample[i] = plan->aux[i].observed ? -1 : find_sample(plan, test, TARGET_AUX, i);
        if (plan->aux[i].observed)
            continue;
        if (p->aux_sample[i] < 0 || plan->sample[p->aux_sample[i]].base == BASE_DOMAIN)
            return error_set(error, STATUS_MODULE_CONTENT, "'%s' has no law", plan->aux[i].name);
    }
    for (int k = 0; k < plan->spaces; k++) {
        if (has_boundary(p, k))
            p->on[p->bounded++] = k;
        Status status = choose_law(p, k, error);
        if (status != STATUS_OK)
            return status;
    }
    return on_boundary(p) && p->bounded == 0
               ? error_set(error, STATUS_MODULE_CONTENT, "the domain has no boundary")
               : STATUS_OK;
}

static void *reals(const Points *p, int64_t count, bool *ok) {
    size_t size = real_size(p->c.problem->precision);
    void *memory = count > 0 ? calloc((size_t)count, size) : NULL;
    *ok = *ok && (memory || count == 0);
    return memory;
}

static Status create_same(const PointsConfig *config, Points *p, Error *error) {
    const Points *of = config->same;
    bool ok = true;
    assert(!of->c.same && of->c.kind == config->kind && of->c.points == config->points);
    *p = *of;
    p->c = *config;
    p->c.x = of->c.x;
    p->own_x = p->spare = p->accepted = NULL;
    p->partial = NULL;
    p->scalar = reals(p, p->groups * config->scalars * PDE_LANES, &ok);
    return ok ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a condition");
}

Status points_create(const PointsConfig *config, Points *p, Error *error) {
    const Problem *q = config->problem;
    if (config->same)
        return create_same(config, p, error);
    *p = (Points){.c = *config};
    Status status = choose_samples(p, error);
    if (status != STATUS_OK)
        return status;
    bool ok = true;
    p->groups = problem_groups(config->points);
    if (config->lattice)
        lattice_make(config->times ? points_half_size(config) : config->points,
                     component(p, STREAM_SPACE,
                               (int)(q->d < LATTICE_DIMENSIONS ? q->d : LATTICE_DIMENSIONS)),
                     &p->lattice);
    if (!p->c.x && q->plan.has_features)
        p->c.x = p->own_x = reals(p, p->groups * q->n_in * PDE_LANES, &ok);
    else if (!p->c.x)
        p->c.x = p->c.inputs;
    for (int k = 0; k < q->spaces; k++)
        p->chunk[k + 1] = p->chunk[k] + pde_leaf_of(q->space[k].d - 1, pde_leaf(q->space[k].d)) + 1;
    p->chunks = p->chunk[q->spaces];
    p->aux = reals(p, p->groups * q->aux_rows * PDE_LANES, &ok);
    p->normal = reals(p, on_boundary(p) ? p->groups * q->d * PDE_LANES : 0, &ok);
    p->spare = reals(p, p->bounded > 1 ? p->groups * q->d * PDE_LANES : 0, &ok);
    p->scalar = reals(p, p->groups * config->scalars * PDE_LANES, &ok);
    bool filter = q->kernels.inside && config->kind != PLAN_observe && config->kind != PLAN_report;
    int64_t rows = q->n_in + q->aux_rows + (on_boundary(p) ? q->d : 0);
    p->accepted = reals(p, filter ? p->groups * rows * PDE_LANES : 0, &ok);
    p->partial = calloc((size_t)(p->groups * p->chunks * PDE_LANES), sizeof(double));
    status = !ok || !p->partial ? error_set(error, STATUS_OUT_OF_MEMORY,
                                            "no memory for %lld points", (long long)config->points)
             : config->slices   ? paths_create(p, error)
             : p->accepted      ? accept_check(p, error)
                                : STATUS_OK;
    if (status != STATUS_OK)
        points_free(p);
    return status;
}

void points_free(Points *p) {
    if (!p->c.same) {
        free(p->aux);
        free(p->normal);
    }
    free(p->own_x);
    free(p->spare);
    free(p->scalar);
    free(p->partial);
    free(p->accepted);
    paths_free(p);
    *p = (Points){0};
}

const void *points_x(const Points *p, int64_t group) {
    assert(group >= 0 && group < p->groups);
    const Problem *q = p->c.problem;
    return real_const_at(q->precision, p->c.x, group * q->n_in * PDE_LANES);
}

const void *points_inputs(const Points *p, int64_t group) {
    const Problem *q = p->c.problem;
    return real_const_at(q->precision, p->c.inputs, group * q->inputs * PDE_LANES);
}

const void *points_aux(const Points *p, int64_t group) {
    const Problem *q = p->c.problem;
    return p->aux ? real_const_at(q->precision, p->aux, group * q->aux_rows * PDE_LANES) : NULL;
}

const void *points_normal(const Points *p, int64_t group) {
    const Problem *q = p->c.problem;
    return p->normal ? real_const_at(q->precision, p->normal, group * q->d * PDE_LANES) : NULL;
}

const void *points_scalars(const Points *p, int64_t group) {
    int64_t at = group * p->c.scalars * PDE_LANES;
    return p->scalar ? real_const_at(p->c.problem->precision, p->scalar, at) : NULL;
}

PdePointArgs points_args(const Points *p, int64_t group) {
    const Problem *q = p->c.problem;
    int64_t at = group * p->c.scalars * PDE_LANES;
    return (PdePointArgs){.x = points_x(p, group),
                          .aux = points_aux(p, group),
                          .normal = points_normal(p, group),
                          .tensor = (const void *const *)q->tensor,
                          .unknown = p->c.unknown,
                          .out = p->scalar ? real_at(q->precision, p->scalar, at) : NULL};
}

double points_coordinate(const Points *p, int64_t point, int64_t i) {
    assert(point >= 0 && point < p->groups * PDE_LANES);
    assert(i >= 0 && i < p->c.problem->n_in);
    const Problem *q = p->c.problem;
    return real_get(q->precision, points_x(p, point / PDE_LANES),
                    i * PDE_LANES + point % PDE_LANES);
}

double points_input(const Points *p, int64_t point, int64_t i) {
    const Problem *q = p->c.problem;
    return real_get(q->precision, points_inputs(p, point / PDE_LANES),
                    i * PDE_LANES + point % PDE_LANES);
}

void points_set_coordinate(Points *p, int64_t point, int64_t i, double value) {
    assert(point >= 0 && point < p->groups * PDE_LANES);
    assert(i >= 0 && i < p->c.problem->n_in);
    const Problem *q = p->c.problem;
    real_set(q->precision, p->c.x,
             (point / PDE_LANES * q->n_in + i) * PDE_LANES + point % PDE_LANES, value);
}
