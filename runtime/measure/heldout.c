#include "measure/heldout.h"

#include "engine/real.h"
#include "step/route.h"

static void route_at(Route *r, uint32_t step) {
    route_prepare(r, step);
    route_value(r);
}

/* A value's route owns the points of the others and comes first. */
const void *held_out_residuals(Task *t, uint32_t step) {
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
    if (t->plan->squares)
        return NULL;
    if (!sampled)
        return t->value_residual;
    route_at(r, step - 1);
    return r->residual;
}

/* The share of one batch of `count` points in the task's loss on `points` points. */
static double batch_share(Task *t, int64_t first, int64_t count, int64_t points, uint32_t step) {
    const Session *s = t->session;
    PdePrecision precision = s->settings.precision;
    double sum = 0;
    points_draw(&t->points, s->settings.seed, STEP_HELD_OUT, (uint32_t)first);
    const void *other = held_out_residuals(t, step);
    for (int64_t i = 0; i < t->plan->residuals * count; i++)
        sum +=
            real_get(precision, t->value_residual, i) * (other ? real_get(precision, other, i) : 1);
    return sum / (double)points * t->plan->weight / (t->residual_scale * t->residual_scale);
}

int64_t held_out_batches(const Session *s, int64_t points) {
    return (points + s->settings.points - 1) / s->settings.points;
}

double held_out_parts(Session *s, int64_t points, uint32_t draw, double *of_task,
                      double *of_batch) {
    int64_t B = s->settings.points, batches = held_out_batches(s, points);
    double start = seconds_now(), loss = 0;
    for (int64_t k = 0; k < batches && of_batch; k++)
        of_batch[k] = 0;
    for (int i = 0; i < s->tasks; i++) {
        uint32_t step = STEP_HELD_OUT - 2 * (uint32_t)batches * draw;
        double task = 0;
        for (int64_t k = 0; k < batches; k++, step -= 2) {
            int64_t left = points - k * B;
            double share = batch_share(&s->task[i], k * B, left < B ? left : B, points, step);
            task += share;
            if (of_batch)
                of_batch[k] += share;
        }
        loss += task;
        if (of_task)
            of_task[i] = task;
    }
    s->seconds[PHASE_EVALUATE] += seconds_now() - start;
    return loss;
}

double held_out_loss(Session *s, int64_t points, uint32_t draw) {
    return held_out_parts(s, points, draw, NULL, NULL);
}
