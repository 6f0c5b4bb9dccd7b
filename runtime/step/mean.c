/* mean.c: see mean.h. */
#include "step/mean.h"

#include "engine/real.h"

#include <assert.h>

/* Are the points of a constraint new in each step, and their gradient what moves the parameters? Then R_J is of the
 * half that grad R is not of, and the gradient is that of the squared integral without the variance of its estimate. */
static bool halves_are_crossed(const Settings *s) {
    return s->fresh == 1 && !pde_optim_has(s->optimiser.kind, PDE_JACOBIAN) &&
           !pde_optim_has(s->optimiser.kind, PDE_ONE_LOSS);
}

/* Points first .. last - 1 have R_J = value. */
static void set_values(Task *t, int64_t first, int64_t last, double value) {
    for (int64_t i = first; i < last; i++)
        real_set(t->session->settings.precision, t->value_residual, i, value);
}

/* Of a norm, and of a constraint, the mean over points is to be 0: R_J of each is that mean, and the sum over points of R_J
 * grad R its exact gradient; of a constraint, for the points of each time. */
void mean_take(Task *t) {
    const Settings *s = &t->session->settings;
    int64_t n = s->points, sets = mean_sets(t), at[3] = {0};
    for (int64_t k = 0; k < sets; k++) {
        mean_set(t, k, at);
        double sum[2] = {0}, all = 0;
        for (int64_t i = at[0]; i < at[2]; i++) {
            double r = real_get(s->precision, t->value_residual, i);
            sum[i >= at[1]] += r;
            all += r;
        }
        bool crossed = t->plan->kind == PLAN_constraint && halves_are_crossed(s);
        double whole = all / (double)(at[2] - at[0]);
        set_values(t, at[0], at[1], crossed ? sum[1] / (double)(at[2] - at[1]) : whole);
        set_values(t, at[1], at[2], crossed ? sum[0] / (double)(at[1] - at[0]) : whole);
    }
    assert(sets == 0 || at[2] == n);
}

int64_t mean_sets(const Task *t) {
    return t->plan->kind == PLAN_norm         ? 1
           : t->plan->kind == PLAN_constraint ? t->points.c.times
                                              : 0;
}

void mean_set(const Task *t, int64_t set, int64_t at[3]) {
    int64_t n = t->session->settings.points, half = n / (2 * mean_sets(t));
    at[0] = 2 * set * half;
    at[1] = at[0] + half;
    at[2] = set + 1 == mean_sets(t) ? n : at[1] + half;
}

int64_t mean_times(const Session *s) {
    enum { EACH = 16, MOST = 32 };
    int64_t times = s->problem->plan.time ? s->settings.points / EACH : 1;
    return times < 1 ? 1 : times > MOST ? MOST : times;
}

int64_t points_half_size(const PointsConfig *c) {
    return c->points / (2 * c->times);
}

int64_t points_half(const Points *p, int64_t point) {
    assert(p->c.times > 0 && points_half_size(&p->c) > 0);
    const int64_t half = point / points_half_size(&p->c), last = 2 * p->c.times - 1;
    return half < last ? half : last;
}
