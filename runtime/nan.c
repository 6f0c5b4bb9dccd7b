#include "nan.h"

#include "real.h"
#include "route.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What one point showed; kept per point, so that the first point is named whatever the threads. */
typedef struct Found {
    int64_t point, direction;
    int order; /* 0 the value, -1 the residual itself */
} Found;

typedef struct Probe {
    const Route *route;
    Found *found; /* [B] */
    PdeTaskSpec inner;
} Probe;

static void inspect(void *context, const PdeJet *jet) {
    const Probe *p = context;
    const Session *s = p->route->task->session;
    PdePrecision precision = s->settings.precision;
    int64_t outputs = s->problem->outputs, K = p->route->block[p->route->plan->blocks];
    Found *f = &p->found[jet->point];
    *f = (Found){-1, -1, -1};
    p->inner.combine(p->inner.context, jet);
    for (int64_t e = 0; e < p->route->task->plan->residuals; e++)
        if (!isfinite(real_get(precision, jet->residual, e)))
            *f = (Found){jet->point, -1, -1};
    for (int m = PDE_MAX_ORDER; m >= 1; m--)
        for (int64_t k = 0; jet->d[m - 1] && k < outputs * K; k++)
            if (!isfinite(real_get(precision, jet->d[m - 1], k)))
                *f = (Found){jet->point, k % K, m};
    for (int64_t o = 0; o < outputs; o++)
        if (!isfinite(real_get(precision, jet->n, o)))
            *f = (Found){jet->point, -1, 0};
}

/* Point coordinates and scalars first: they are what the rest is made of. */
static bool bad_input(const Task *t, Error *error, int64_t iteration) {
    const Session *s = t->session;
    const Problem *q = s->problem;
    for (int64_t b = 0; b < s->settings.points; b++) {
        for (int64_t i = 0; i < q->n_in; i++)
            if (!isfinite(points_coordinate(&t->points, b, i))) {
                error_set(error, STATUS_NON_FINITE,
                          "iteration %lld: coordinate %lld of point %lld of '%s' is not finite: "
                          "the sampling law makes it so",
                          (long long)iteration, (long long)i + 1, (long long)b, t->plan->name);
                return true;
            }
        for (int k = 0; k < t->plan->scalars; k++)
            if (!isfinite(real_get(q->precision, points_scalars(&t->points, b / PDE_LANES),
                                   k * PDE_LANES + b % PDE_LANES))) {
                const char *name = NULL;
                for (int i = 0; i < q->plan.sources; i++)
                    if (q->plan.source[i].task == t->id && q->plan.source[i].scalar == k)
                        name = q->plan.source[i].name;
                error_set(error, STATUS_NON_FINITE,
                          "iteration %lld: %s%s of '%s' is not finite at point %lld, before any "
                          "network is involved",
                          (long long)iteration, name ? "the source " : "a known quantity",
                          name ? name : "", t->plan->name, (long long)b);
                return true;
            }
    }
    return false;
}

enum { DIRECTION_NAME_MAX = 80 };

/* "x_7 (term 3)", ...: indices from 1 as in the language */
static const char *direction_name(const Route *r, int64_t direction, char *out) {
    int b = 0;
    while (direction >= r->block[b + 1])
        b++;
    const PlanBlock *block = &r->plan->block[b];
    const uint32_t *index = pde_batch_directions(r->batch, b)->index;
    long long k = (long long)(direction - r->block[b]);
    if (block->kind == BLOCK_unit && !r->per_point)
        snprintf(out, DIRECTION_NAME_MAX, "%.32s_%lld (term %lld)",
                 r->task->session->problem->plan.space, (long long)index[k] + 1, k + 1);
    else if (block->kind == BLOCK_pair)
        snprintf(out, DIRECTION_NAME_MAX, "a pair of coordinates (term %lld)", k + 1);
    else
        snprintf(out, DIRECTION_NAME_MAX, "a direction of kind %s (number %lld)",
                 plan_block_kind_name(block->kind), k + 1);
    return out;
}

static bool describe_route(Task *t, Route *r, Found *found, int64_t iteration, Error *error) {
    char name[DIRECTION_NAME_MAX];
    Probe probe = {r, found, route_spec(r)};
    PdeTaskSpec spec = {.combine = inspect, .context = &probe, .residual = r->residual};
    pde_value(t->session->engine, r->batch, &spec);
    for (int64_t b = 0; b < t->session->settings.points; b++) {
        const Found *f = &found[b];
        if (f->point < 0)
            continue;
        if (f->order < 0) {
            error_set(error, STATUS_NON_FINITE,
                      "iteration %lld: the residual '%s' is not finite at point %lld, although the "
                      "network and its derivatives are: the equation itself makes it so there",
                      (long long)iteration, t->plan->name, (long long)b);
        } else if (f->order == 0) {
            error_set(error, STATUS_NON_FINITE,
                      "iteration %lld: the network itself is not finite at point %lld of '%s': its "
                      "parameters have grown too large",
                      (long long)iteration, (long long)b, t->plan->name);
        } else {
            error_set(error, STATUS_NON_FINITE,
                      "iteration %lld: the network's derivative of order %d along %s is not finite at "
                      "point %lld of '%s'",
                      (long long)iteration, f->order, direction_name(r, f->direction, name),
                      (long long)b, t->plan->name);
        }
        return true;
    }
    return false;
}

void nan_describe(Session *s, int64_t iteration, Error *error) {
    Found *found = NULL;
    for (int i = 0; i < s->tasks; i++)
        if (bad_input(&s->task[i], error, iteration))
            return;
    found = calloc((size_t)s->settings.points, sizeof *found);
    for (int i = 0; i < s->tasks && found; i++) {
        Task *t = &s->task[i];
        if (t->values && t->value != t->gradient &&
            describe_route(t, t->value, found, iteration, error))
            break;
        if (describe_route(t, t->gradient, found, iteration, error))
            break;
    }
    free(found);
    error_set(error, STATUS_NON_FINITE,
              "iteration %lld: the gradient is not finite although all residuals are: numbers "
              "became too large for their type on the way back",
              (long long)iteration);
}
