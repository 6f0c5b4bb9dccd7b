/* attack.c: x += size * sign(d R^2 / dx), with the sign of each coordinate and of the time; then back
 * into the domain. Each of the steps draws its own index sets, of --attack-terms terms. */
#include "step/attack.h"

#include "engine/real.h"
#include "engine/tree_sum.h"
#include "step/domain.h"
#include "step/points.h"
#include "step/route.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* owner of everything but session */
struct Attack {
    Session *session;
    Route route;
    void *frozen;                  /* real[groups][rows][PDE_LANES] */
    void *bar[PDE_MAX_BLOCKS + 1]; /* real[groups][inputs][PDE_LANES]; NULL: no such adjoint */
    void *slope;                   /* real[groups][n_in][PDE_LANES] */
};

Route *attack_route(Attack *a) {
    return &a->route;
}

static void group_of(void *self, int64_t group, const PdePointArgs *args) {
    Attack *a = self;
    route_group(&a->route, group, args);
}

/* -------------------------------------------------------------------------------------- gradient */

static void ascent_task(void *context, long group, int worker) {
    Attack *a = context;
    const Session *s = a->session;
    const Problem *q = s->problem;
    const void *bar[PDE_MAX_BLOCKS + 1];
    PdePointArgs args = points_args(&s->task[0].points, group);
    (void)worker;
    for (int b = 0; b <= a->route.plan->blocks; b++)
        bar[b] = a->bar[b] ? real_const_at(q->precision, a->bar[b], group * q->inputs * PDE_LANES)
                           : NULL;
    args.bar = bar;
    args.value = real_at(q->precision, a->frozen, group * a->route.frozen_rows * PDE_LANES);
    args.out = real_at(q->precision, a->slope, group * q->n_in * PDE_LANES);
    q->kernels.ascent[0](&args);
}

const void *attack_gradient(Attack *a, uint32_t step, int number) {
    assert(a && a->route.batch && number >= 0);
    Session *s = a->session;
    int blocks = a->route.plan->blocks;
    a->route.part = number;
    route_prepare(&a->route, step);
    PdeTaskSpec spec = route_spec(&a->route);
    spec.scale = 1;
    pde_reverse(s->engine, a->route.batch, &spec);
    for (int b = 0; b <= blocks; b++)
        if (a->bar[b])
            pde_adjoint(s->engine, a->route.batch, b < blocks ? b : -1, a->bar[b]);
    pde_engine_run(s->engine, ascent_task, a, (long)problem_groups(s->settings.points));
    return a->slope;
}

/* ------------------------------------------------------------------------------------------ move */

static double between(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

/* Coordinate i of the point, moved up its slope. */
static double moved(const Attack *a, int64_t point, int64_t i) {
    const Points *p = &a->session->task[0].points;
    const Problem *q = a->session->problem;
    int64_t lane = (point / PDE_LANES * q->n_in) * PDE_LANES + point % PDE_LANES;
    double slope = real_get(q->precision, a->slope, lane + i * PDE_LANES);
    return points_coordinate(p, point, i) + a->session->settings.attack_size * (slope > 0   ? 1
                                                                                : slope < 0 ? -1
                                                                                            : 0);
}

static void move_point(Attack *a, int64_t point) {
    Points *p = &a->session->task[0].points;
    const Problem *q = a->session->problem;
    for (int k = 0; k < q->spaces; k++) {
        const Space *own = &q->space[k];
        TreeSum square = {.wide = pde_leaf(own->d)};
        for (int64_t i = own->first; i < own->first + own->d; i++) {
            double x = moved(a, point, i);
            points_set_coordinate(p, point, i, x);
            tree_sum_add(&square, x * x);
        }
        domain_of(own)->project(p, k, point, tree_sum(&square));
    }
    if (q->plan.time)
        points_set_coordinate(p, point, q->d,
                              between(moved(a, point, q->d), q->time[0], q->time[1]));
}

static void move_task(void *context, long point, int worker) {
    (void)worker;
    move_point(context, point);
}

static void move_points(void *self, uint32_t step) {
    Attack *a = self;
    Session *s = a->session;
    double start = seconds_now();
    for (int m = 0; m < s->settings.attack_steps; m++) {
        attack_gradient(a, step, m);
        pde_engine_run(s->engine, move_task, a, (long)s->settings.points);
        points_run_programs(&s->task[0].points);
    }
    s->seconds[PHASE_POINTS] += seconds_now() - start;
}

/* ---------------------------------------------------------------------------------------- create */

static Status check(const Session *s, Error *error) {
    const PlanTask *t = &s->task[0].plan[0];
    if (pde_optim_has(s->settings.optimiser.kind, PDE_ONE_LOSS))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--optimiser lbfgs minimises one loss on points that stay: leave out "
                         "--attack-steps");
    if (s->problem->plan.inside)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "points that climb the residual would leave a domain that has `where`: "
                         "leave --attack-steps out");
    if (t->has_ascent)
        return STATUS_OK;
    if (t->no_ascent)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "the gradient of the residual of '%s' in its points is not available: %s",
                         t->name, t->no_ascent);
    return error_set(error, STATUS_OPTION_CONFLICT,
                     "the module has no gradient of the residual in its points: add a line such as "
                     "'attack sign(steps = 20)' to solve { } and compile again");
}

static Status create(Attack *a, Error *error) {
    Session *s = a->session;
    Task *t = &s->task[0];
    const Problem *q = s->problem;
    RouteConfig config = {.task = t,
                          .terms = TERMS_SAMPLE,
                          .sample = s->settings.attack_terms,
                          .parts = 1,
                          .stream = STREAM_ATTACK_SET,
                          .x = pde_batch_x(t->gradient[0].batch)};
    Status status = route_create(&config, &a->route, error);
    if (status != STATUS_OK)
        return status;
    size_t lanes = (size_t)problem_groups(s->settings.points) * PDE_LANES;
    size_t size = real_size(s->settings.precision);
    int64_t rows = t->plan->frozen + t->plan->frozen_arrays * q->d;
    a->frozen = calloc(lanes * (size_t)(rows + 1), size);
    a->slope = calloc(lanes * (size_t)q->n_in, size);
    bool ok = a->frozen && a->slope;
    for (int b = 0; b <= a->route.plan->blocks && ok; b++)
        if (b == a->route.plan->blocks || a->route.plan->block[b].kind == BLOCK_point_dense)
            ok = (a->bar[b] = calloc(lanes * (size_t)q->inputs, size)) != NULL;
    if (!ok)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the attack on points");
    a->route.frozen = a->frozen;
    a->route.frozen_rows = rows;
    route_fixed_directions(&a->route);
    return STATUS_OK;
}

static Status open(Session *s, void **self, Error *error) {
    Status status = check(s, error);
    if (status != STATUS_OK)
        return status;
    Attack *a = calloc(1, sizeof *a);
    *self = a;
    if (!a)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the attack on points");
    a->session = s;
    return create(a, error);
}

static void release(void *self) {
    Attack *a = self;
    route_free(&a->route);
    free(a->frozen);
    free(a->slope);
    for (int b = 0; b <= PDE_MAX_BLOCKS; b++)
        free(a->bar[b]);
    free(a);
}

/* ---------------------------------------------------------------------------------------- hook */

Attack *attack_of(const Session *s) {
    return s->hook[HOOK_attack].self;
}

static bool wanted(const Settings *settings) {
    return settings->attack_steps > 0;
}

static void unknowns(void *self) {
    route_fixed_directions(&((Attack *)self)->route);
}

static void describe(void *self, const Config *config, Buffer *to) {
    const Settings *set = &((const Attack *)self)->session->settings;
    buffer_printf(
        to, "  attack      %d times by %s up the sign of the residual's gradient, %lld terms\n",
        set->attack_steps, config_text(config, OPTION_ATTACK_SIZE), (long long)set->attack_terms);
}

const StepHook hook_attack = {.name = "attack",
                              .wanted = wanted,
                              .open = open,
                              .close = release,
                              .group = group_of,
                              .before = move_points,
                              .unknowns = unknowns,
                              .describe = describe};
