/* coefficients.c: drift, diffusion and rate of the process at the points where the paths are (walk_state.h). */
#include "error/walk_state.h"

#include "step/route.h"

#include <assert.h>
#include <math.h>

int64_t coefficients_rows(const Problem *q) {
    assert(q->d > 0 && q->plan.process.class != PROCESS_none);
    const PlanProcess *p = &q->plan.process;
    int64_t vectors = 2 + p->ranks + p->matrix + (p->linear ? 0 : 4);
    return vectors * q->d + 2 + p->ranks + (p->linear ? 0 : 3);
}

Coefficients coefficients_of(const Walk *w, int64_t group) {
    assert(group >= 0 && group < WALK_GROUPS);
    const PlanProcess *p = &w->q->plan.process;
    int64_t row = w->q->d * PDE_LANES;
    Coefficients c = {.drift = w->coefficient + group * w->rows * PDE_LANES};
    double *at = c.drift + 2 * row;
    c.diagonal = c.drift + row;
    for (int r = 0; r < p->ranks; r++, at += row)
        c.vector[r] = at;
    c.scale = p->matrix ? at : NULL;
    at += p->matrix ? row : 0;
    if (!p->linear) {
        c.bend_drift = at;
        c.bend_diagonal = at + row;
        c.bend_slope = at + 2 * row;
        c.drift_less = at + 3 * row;
        at += 4 * row;
    }
    c.tau = at;
    c.rate = at + PDE_LANES;
    c.strength = at + 2 * PDE_LANES;
    c.bend_rate = p->linear ? NULL : c.strength + p->ranks * PDE_LANES;
    c.rate_less = p->linear ? NULL : c.bend_rate + PDE_LANES;
    c.rate_more = p->linear ? NULL : c.bend_rate + 2 * PDE_LANES;
    return c;
}

double coefficients_divisor(const Walk *w, const Coefficients *c, int lane) {
    assert(lane >= 0 && lane < PDE_LANES);
    switch (w->q->plan.process.class) {
    case PROCESS_terminal:
        return c->tau[lane];
    case PROCESS_initial:
        return -c->tau[lane];
    default:
        return w->sign;
    }
}

/* Values of the network are taken on the way to the residual. */
static void keep_value(void *context, const PdeJet *jet) {
    Walk *w = context;
    w->n[jet->point] = *(const double *)jet->n;
    w->spec.combine(w->spec.context, jet);
}

static void make_group(void *context, long group, int worker) {
    Walk *w = context;
    PdePointArgs args = points_args(&w->s.task[0].points, group);
    (void)worker;
    args.gradient = w->slope + group * w->q->inputs * PDE_LANES;
    args.value = w->n + group * PDE_LANES;
    args.output_scale = w->s.output_scale;
    args.normal = w->shift;
    args.out = w->coefficient + group * w->rows * PDE_LANES;
    w->q->kernels.process(&args);
}

void coefficients_make(Walk *w) {
    assert(w->route && w->coefficient);
    points_run_programs(&w->s.task[0].points);
    route_prepare(w->route, w->turn);
    w->spec = route_spec(w->route);
    PdeTaskSpec spec = w->spec;
    spec.combine = keep_value;
    spec.context = w;
    pde_value(w->s.engine, w->route->batch, &spec);
    if (!w->q->plan.process.linear)
        pde_input_gradient(w->s.engine, w->route->batch, 0, w->slope);
    pde_engine_run(w->s.engine, make_group, w, walk_groups_of(w));
}

void coefficients_sign(Walk *w) {
    double sum = 0;
    const PlanProcess *p = &w->q->plan.process;
    for (int64_t g = 0; g < walk_groups_of(w); g++) {
        Coefficients c = coefficients_of(w, g);
        for (int64_t i = 0; i < w->q->d * PDE_LANES; i++)
            sum += c.diagonal[i];
        for (int i = 0; i < p->ranks * PDE_LANES; i++)
            sum += c.strength[i];
    }
    sum = w->factor && !(sum < 0 || sum > 0) ? w->factor_sign : sum;
    w->sign = sum < 0 ? -1 : 1;
}

bool coefficients_variance(const Walk *w, const Coefficients *c, int lane, double divisor,
                           double *to) {
    const PlanProcess *p = &w->q->plan.process;
    bool good = !w->factor || w->factor_sign / divisor > 0;
    for (int64_t i = 0; i < w->q->d; i++) {
        int64_t at = i * PDE_LANES + lane;
        double v = c->diagonal[at] / divisor;
        good = good && v >= 0;
        for (int r = 0; r < p->ranks; r++) {
            double strength = c->strength[r * PDE_LANES + lane] / divisor;
            good = good && !(strength < 0);
            v += strength * c->vector[r][at] * c->vector[r][at];
        }
        if (w->factor)
            for (int64_t k = 0; k <= i; k++)
                v += pow(c->scale[at] * w->factor[i * w->q->d + k], 2) / fabs(divisor);
        to[at] = v;
    }
    return good;
}

/* What its derivative does not say of how c changes when the solution does by s. */
static double change_beyond(const Coefficients *c, int lane, double divisor, double s) {
    double line = s * c->bend_rate[lane], rate = c->rate[lane];
    return fmax(fabs(c->rate_less[lane] - rate + line), fabs(c->rate_more[lane] - rate - line)) /
           fabs(divisor);
}

static void look_at_bends(WalkFacts *f, const Walk *w, const Coefficients *c, int lane,
                          double divisor, const double *variance, Path *path) {
    double by_drift = 0, by_diagonal = 0, by_slope = 0, by_shift = 0, s = w->run.shift;
    for (int64_t i = 0; i < w->q->d; i++) {
        int64_t at = i * PDE_LANES + lane;
        double v = variance[at], drift = c->bend_drift[at] / divisor,
               slope = c->bend_slope[at] / divisor, diagonal = c->bend_diagonal[at] / divisor;
        if (drift < 0 || drift > 0)
            by_drift += drift * drift / v;
        double change = c->drift_less[at] / divisor - c->drift[at];
        if (s > 0 && (change < 0 || change > 0))
            by_shift += change * change / (v * s * s);
        if (slope < 0 || slope > 0)
            by_slope = fabs(slope / v) > fabs(by_slope) ? slope / v : by_slope;
        if (diagonal < 0 || diagonal > 0)
            by_diagonal = fmax(by_diagonal, fabs(diagonal / v));
    }
    path->bend_rate = c->bend_rate[lane] / divisor;
    path->bend_drift = fmax(by_drift, by_shift);
    path->bend_beyond = s > 0 ? change_beyond(c, lane, divisor, s) / s : 0;
    f->bend_diagonal += by_diagonal;
    f->bend_slope += by_slope;
}

void coefficients_look(Walk *w, int64_t group, const Coefficients *c, int lane, double divisor,
                       const double *variance) {
    assert(group >= 0 && group < WALK_GROUPS);
    WalkFacts *f = &w->group_facts[group];
    Path *path = &w->path[group * PDE_LANES + lane];
    f->rate_most = fmax(f->rate_most, c->rate[lane] / divisor);
    f->weight_most = fmax(f->weight_most, path->weight);
    for (int64_t i = 0; i < w->q->d; i++) {
        double b = c->drift[i * PDE_LANES + lane];
        f->variance_least = fmin(f->variance_least, variance[i * PDE_LANES + lane]);
        f->drifts = f->drifts || b < 0 || b > 0;
    }
    if (c->bend_rate)
        look_at_bends(f, w, c, lane, divisor, variance, path);
    f->steps++;
}
