/* quotient.c: the residual of an eigenproblem L psi = lambda psi at a point, with two values of lambda, gives the local
 * eigenvalue L psi / psi. Its mean by psi^2 is the Rayleigh quotient, wherever psi decays: never below the smallest
 * eigenvalue of a symmetric L. Losses are means by the density p of the points, and do not see whether the points are
 * where psi is; weights psi^2 / p do, and say how few of the points they rest on. */
#include "measure/quotient.h"

#include "engine/real.h"
#include "measure/report_values.h"
#include "step/route.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { POINTS = 10000 };

/* The task that is the norm: a loss, or watched. -1: there is none. */
static int norm_id(const Plan *plan) {
    for (int t = 0; t < plan_all_tasks(plan); t++)
        if (plan->task[t].kind == PLAN_norm)
            return t;
    return -1;
}

/* The task's residuals at the points that are there. */
static const void *residuals(Task *t) {
    if (t->values > 0 && t->plan->kind != PLAN_norm) {
        session_task_value(t, STEP_HELD_OUT);
        return t->value_residual;
    }
    Route *r = t->values > 0 ? t->value : t->gradient;
    route_prepare(r, STEP_HELD_OUT);
    route_value(r);
    return r->residual;
}

static void set_unknown(Session *s, int k, double value) {
    s->unknown[k] = value;
    session_unknowns_changed(s);
}

/* owner of both: of each point the weight psi^2 / p, and the local eigenvalue */
typedef struct Local {
    int64_t n;
    double *weight, *value;
} Local;

static void add_batch(Session *s, Task *norm, int k, double step, Local *to) {
    Task *t = &s->task[0];
    PdePrecision precision = s->settings.precision;
    int64_t points = s->settings.points, n = to->n;
    double lambda = s->unknown[k];
    const void *weight = residuals(norm);
    for (int64_t p = 0; p < problem_groups(points) * PDE_LANES; p++)
        for (int64_t i = 0; i < s->problem->n_in; i++)
            points_set_coordinate(&t->points, p, i, points_coordinate(&norm->points, p, i));
    points_run_programs(&t->points);
    const void *residual = residuals(t);
    for (int64_t i = 0; i < points; i++)
        to->value[n + i] = real_get(precision, residual, i);
    set_unknown(s, k, lambda + step);
    points_run_programs(&t->points); /* lambda may be in them */
    residual = residuals(t);
    set_unknown(s, k, lambda);
    for (int64_t i = 0; i < points; i++) {
        double here = to->value[n + i], there = real_get(precision, residual, i);
        double w = 1 + real_get(precision, weight, i), e = lambda + step * here / (here - there);
        if (!isfinite(w) || !isfinite(e))
            continue;
        to->weight[to->n] = w;
        to->value[to->n++] = e;
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* By Hill, from the largest weights; they are sorted. */
static double tail_of(double *weight, int64_t n) {
    int64_t m = (int64_t)(3 * sqrt((double)n));
    double sum = 0;
    if (m >= n)
        return (double)INFINITY;
    qsort(weight, (size_t)n, sizeof *weight, by_size);
    for (int64_t i = 0; i < m; i++)
        sum += log(weight[i] / weight[m]);
    return weight[m] > 0 ? sum / (double)m : (double)INFINITY;
}

static void take_mean(const Local *l, Quotient *q) {
    double weights = 0, sum = 0, square = 0;
    for (int64_t i = 0; i < l->n; i++) {
        weights += l->weight[i];
        sum += l->weight[i] * l->value[i];
    }
    q->value = sum / weights;
    for (int64_t i = 0; i < l->n; i++) {
        double off = l->weight[i] / weights * (l->value[i] - q->value);
        square += off * off;
    }
    q->error = sqrt(square);
    q->tail = tail_of(l->weight, l->n);
}

/* The equation leaves the size of psi free: numbers of the network's type do not reach everywhere. Moves the output's
 * bias in this copy until the mean of psi^2 / p is 1. */
static bool normalise(Session *own) {
    enum { TRIES = 100 };
    static const double FAR = 1e20, LONG = 10;
    Task *t = &own->task[0];
    PdePrecision precision = own->settings.precision;
    int64_t points = own->settings.points;
    void *theta = malloc((size_t)own->network.size * real_size(precision));
    bool ready = false;
    points_draw(&t->points, own->settings.seed, STEP_PILOT, 0);
    for (int k = 0; k < TRIES && theta && !ready; k++) {
        const void *weight = residuals(t);
        double mean = 0;
        for (int64_t i = 0; i < points; i++)
            mean += (1 + real_get(precision, weight, i)) / (double)points;
        ready = mean < FAR && mean > 1 / FAR;
        double more = ready ? -log(mean) / 2 : mean <= 1 / FAR ? LONG : -LONG;
        pde_engine_get(own->engine, PDE_SLOT_PARAMETERS, theta);
        more = real_get(precision, theta, own->network.size - 1) + more / own->output_scale[0];
        real_set(precision, theta, own->network.size - 1, more);
        pde_engine_set(own->engine, PDE_SLOT_PARAMETERS, theta);
    }
    free(theta);
    return ready;
}

void quotient_make(Session *s, Quotient *q) {
    *q = (Quotient){0};
    const Plan *plan = &s->problem->plan;
    int k = plan->eigen - 1, id = norm_id(plan);
    int64_t points = s->settings.points, batches = POINTS / points + 1;
    size_t size = (size_t)(batches * points) * sizeof(double);
    Local local = {.weight = malloc(size), .value = malloc(size)};
    Session own = {0};
    bool ready = k >= 0 && id >= 0 && local.weight && local.value && plan->task[0].residuals == 1 &&
                 report_session(s, id, points, &own, NULL) == STATUS_OK;
    if (ready && plan->watched)
        ready = normalise(&own);
    for (int64_t b = 0; b < batches && ready; b++) {
        double step = fmax(1, fabs(s->unknown[k]));
        points_draw(&own.task[0].points, s->settings.seed, STEP_HELD_OUT, (uint32_t)(b * points));
        points_draw(&s->task[0].points, s->settings.seed, STEP_HELD_OUT, (uint32_t)(b * points));
        add_batch(s, &own.task[0], k, step, &local);
    }
    if (ready && local.n > 0) {
        q->name = plan->unknown[k];
        q->stated = s->unknown[k];
        take_mean(&local, q);
    }
    if (own.engine)
        session_close(&own);
    free(local.weight);
    free(local.value);
}
