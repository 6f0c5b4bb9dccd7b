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

void coefficients_variance(const Walk *w, const Coefficients *c, const double *divisor, double *to,
                           bool *good) {
    const PlanProcess *p = &w->q->plan.process;
    double by[PDE_LANES];
    for (int l = 0; l < PDE_LANES; l++) {
        by[l] = 1 / divisor[l];
        good[l] = !w->factor || w->factor_sign / divisor[l] > 0;
        for (int r = 0; r < p->ranks; r++)
            good[l] = good[l] && !(c->strength[r * PDE_LANES + l] * by[l] < 0);
    }
    for (int64_t i = 0; i < w->q->d; i++) {
        double *v = to + i * PDE_LANES;
        for (int l = 0; l < PDE_LANES; l++) {
            v[l] = c->diagonal[i * PDE_LANES + l] * by[l];
            good[l] = good[l] & (v[l] >= 0);
        }
        for (int r = 0; r < p->ranks; r++)
            for (int l = 0; l < PDE_LANES; l++) {
                double vector = c->vector[r][i * PDE_LANES + l];
                v[l] += c->strength[r * PDE_LANES + l] * by[l] * vector * vector;
            }
        if (!w->factor)
            continue;
        double square = 0;
        for (int64_t k = 0; k <= i; k++)
            square += w->factor[i * w->q->d + k] * w->factor[i * w->q->d + k];
        for (int l = 0; l < PDE_LANES; l++) {
            double scale = c->scale[i * PDE_LANES + l];
            v[l] += scale * scale * square * fabs(by[l]);
        }
    }
}

/* What its derivative does not say of how c changes when the solution does by s. */
static double change_beyond(const Coefficients *c, int lane, double divisor, double s) {
    double line = s * c->bend_rate[lane], rate = c->rate[lane];
    return fmax(fabs(c->rate_less[lane] - rate + line), fabs(c->rate_more[lane] - rate - line)) /
           fabs(divisor);
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* Sums and maxima over the coordinates, of each lane. */
typedef struct Bends {
    double drift[PDE_LANES], diagonal[PDE_LANES], slope[PDE_LANES], shift[PDE_LANES];
} Bends;

static void add_bends_of(Bends *b, const Coefficients *c, int64_t i, const double *by,
                         const double *variance, double per_shift) {
    int64_t row = i * PDE_LANES;
    for (int l = 0; l < PDE_LANES; l++) {
        double v = variance[row + l], drift = c->bend_drift[row + l] * by[l],
               slope = c->bend_slope[row + l] * by[l] / v,
               diagonal = fabs(c->bend_diagonal[row + l] * by[l] / v),
               change = (c->drift_less[row + l] * by[l] - c->drift[row + l]) * per_shift;
        /* where nothing changes a variance of 0 is no reason for doubt */
        b->drift[l] += drift < 0 || drift > 0 ? drift * drift / v : 0;
        b->shift[l] += change < 0 || change > 0 ? change * change / v : 0;
        b->slope[l] = fabs(slope) > fabs(b->slope[l]) ? slope : b->slope[l];
        b->diagonal[l] = larger(diagonal, b->diagonal[l]);
    }
}

static void look_at_bends(Walk *w, int64_t group, const Coefficients *c, const bool *walks,
                          const double *divisor, const double *variance) {
    WalkFacts *f = &w->group_facts[group];
    double s = w->run.shift, by[PDE_LANES];
    Bends b = {0};
    for (int l = 0; l < PDE_LANES; l++)
        by[l] = 1 / divisor[l];
    for (int64_t i = 0; i < w->q->d; i++)
        add_bends_of(&b, c, i, by, variance, s > 0 ? 1 / s : 0);
    for (int l = 0; l < PDE_LANES; l++) {
        Path *path = &w->path[group * PDE_LANES + l];
        if (!walks[l])
            continue;
        path->bend_rate = c->bend_rate[l] / divisor[l];
        path->bend_drift = fmax(b.drift[l], b.shift[l]);
        path->bend_beyond = s > 0 ? change_beyond(c, l, divisor[l], s) / s : 0;
        f->bend_diagonal += b.diagonal[l];
        f->bend_slope += b.slope[l];
    }
}

void coefficients_look(Walk *w, int64_t group, const Coefficients *c, const bool *walks,
                       const double *divisor, const double *variance) {
    assert(group >= 0 && group < WALK_GROUPS);
    WalkFacts *f = &w->group_facts[group];
    double least[PDE_LANES], most[PDE_LANES] = {0};
    for (int l = 0; l < PDE_LANES; l++)
        least[l] = HUGE_VAL;
    for (int64_t i = 0; i < w->q->d * PDE_LANES; i += PDE_LANES)
        for (int l = 0; l < PDE_LANES; l++) {
            least[l] = variance[i + l] < least[l] ? variance[i + l] : least[l];
            most[l] = larger(fabs(c->drift[i + l]), most[l]);
        }
    for (int l = 0; l < PDE_LANES; l++) {
        if (!walks[l])
            continue;
        f->rate_most = fmax(f->rate_most, c->rate[l] / divisor[l]);
        f->weight_most = fmax(f->weight_most, w->path[group * PDE_LANES + l].weight);
        f->variance_least = fmin(f->variance_least, least[l]);
        f->drifts = f->drifts || most[l] > 0;
        f->steps++;
    }
    if (c->bend_rate)
        look_at_bends(w, group, c, walks, divisor, variance);
}
