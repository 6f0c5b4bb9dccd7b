#include "measure/scales/norm.h"

#include "engine/real.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { POINTS_BEGIN = 2000 };

Task *norm_task(Session *s) {
    for (int i = 0; i < s->tasks; i++)
        if (s->task[i].plan->kind == PLAN_norm)
            return &s->task[i];
    return NULL;
}

double norm_measure(Task *t, int64_t batches, uint32_t step, double *error) {
    assert(batches > 1);
    const Settings *set = &t->session->settings;
    double sum = 0, square = 0, n = (double)batches;
    for (int64_t k = 0; k < batches; k++) {
        points_draw(&t->points, set->seed, step, (uint32_t)(k * set->points));
        session_task_value(t, step);
        double norm = 1 + real_get(set->precision, t->value_residual, 0);
        sum += norm;
        square += norm * norm;
    }
    *error = sqrt(fmax(0, square / n - sum / n * (sum / n)) / (n - 1));
    return sum / n;
}

/* The logarithm of the norm where the output's bias is b. */
static double log_norm_at(Task *t, void *theta, double b) {
    Session *s = t->session;
    double error;
    real_set(s->settings.precision, theta, s->network.size - 1, b);
    pde_engine_set(s->engine, PDE_SLOT_PARAMETERS, theta);
    return log(norm_measure(t, POINTS_BEGIN / s->settings.points + 2, STEP_PILOT, &error));
}

double norm_begin(Session *s) {
    Task *t = norm_task(s);
    void *theta = t ? malloc((size_t)s->network.size * real_size(s->settings.precision)) : NULL;
    if (!theta)
        return 0;
    assert(s->network.width[s->network.layers] == 1);
    pde_engine_get(s->engine, PDE_SLOT_PARAMETERS, theta);
    double here = log_norm_at(t, theta, 0), there = log_norm_at(t, theta, 1);
    double b = here / (here - there);
    b = isfinite(b) ? b : 0;
    real_set(s->settings.precision, theta, s->network.size - 1, b);
    pde_engine_set(s->engine, PDE_SLOT_PARAMETERS, theta);
    free(theta);
    return b;
}
