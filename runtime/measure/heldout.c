#include "measure/heldout.h"

#include "engine/real.h"
#include "step/route.h"

static void route_at(Route *r, uint32_t step) {
    route_prepare(r, step);
    route_value(r);
}

/* R_J into value_residual; what is to be multiplied with it: R_I, or R_J itself where it has all
 * terms. A value's route owns the points of the others and comes first. */
static const void *two_residuals(Task *t, uint32_t step) {
    PdePrecision precision = t->session->settings.precision;
    Route *r = &t->gradient[0];
    bool sampled = t->values ? t->value->terms == TERMS_SAMPLE : r->terms == TERMS_SAMPLE;
    if (t->values) {
        session_task_value(t, step);
    } else {
        route_at(r, step);
        for (int64_t i = 0; i < t->session->settings.points * t->plan->residuals; i++)
            real_set(precision, t->value_residual, i, real_get(precision, r->residual, i));
    }
    if (!sampled)
        return t->value_residual;
    route_at(r, step - 1);
    return r->residual;
}

static double task_loss(Task *t, int64_t points, uint32_t step) {
    const Session *s = t->session;
    int64_t B = s->settings.points, E = t->plan->residuals;
    double sum = 0;
    for (int64_t first = 0; first < points; first += B, step -= 2) {
        points_draw(&t->points, s->settings.seed, STEP_HELD_OUT, (uint32_t)first);
        const void *other = two_residuals(t, step);
        for (int64_t i = 0; i < E * (points - first < B ? points - first : B); i++)
            sum += real_get(s->settings.precision, t->value_residual, i) *
                   real_get(s->settings.precision, other, i);
    }
    return sum / (double)points * t->plan->weight / (t->residual_scale * t->residual_scale);
}

double held_out_loss(Session *s, int64_t points, uint32_t draw) {
    uint32_t batches = (uint32_t)((points + s->settings.points - 1) / s->settings.points);
    double start = seconds_now(), loss = 0;
    for (int i = 0; i < s->tasks; i++)
        loss += task_loss(&s->task[i], points, STEP_HELD_OUT - 2 * batches * draw);
    s->seconds[PHASE_EVALUATE] += seconds_now() - start;
    return loss;
}
