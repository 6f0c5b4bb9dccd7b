#include "step/vector_rows.h"

#include "engine/real.h"
#include "step/route.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 512 }; /* of all points together */

/* ------------------------------------------------------------------------------------ one entry */

static void scale_seeds(PdePrecision precision, void *seed, int64_t n, double factor) {
    for (int64_t i = 0; i < n && seed; i++)
        real_set(precision, seed, i, factor * real_get(precision, seed, i));
}

/* Q and its seeds become the root of Q and its seeds. At 0 the root has no derivative; a row of zeros
 * asks for nothing. */
static void take_root(const Route *r, const PdeCombineArgs *a) {
    const Session *s = r->task->session;
    PdePrecision precision = s->settings.precision;
    int64_t outputs = s->problem->outputs;
    double root = sqrt(fmax(0, real_get(precision, a->residual, 0)));
    double factor = root > 0 ? 0.5 / root : 0;
    if (isnan(real_get(precision, a->residual, 0)))
        root = factor = (double)NAN;
    real_set(precision, a->residual, 0, root);
    scale_seeds(precision, a->seed_n, outputs, factor);
    for (int m = 0; m < PDE_MAX_ORDER; m++)
        scale_seeds(precision, a->seed_d[m], outputs * a->directions, factor);
    scale_seeds(precision, a->seed_unknown, s->problem->plan.unknowns, factor);
}

/* The arguments of entry e of a point: its index alone, with the directions that follow it. */
typedef struct OneEntry {
    const uint32_t *set[PLAN_FAMILIES_MAX];
    int64_t count[PLAN_FAMILIES_MAX], block[PDE_MAX_BLOCKS + 1];
    double factor[PLAN_FAMILIES_MAX];
} OneEntry;

static void only_entry(const Route *r, int64_t e, OneEntry *one, PdeCombineArgs *a) {
    memcpy(one->block, r->block, sizeof one->block);
    memcpy(one->factor, r->factor, sizeof one->factor);
    memcpy(one->count, r->count, sizeof one->count);
    for (int b = 0; b < r->plan->blocks; b++)
        if (plan_block_follows_family(r->plan->block[b].kind))
            one->block[b] += e;
    one->set[0] += e * r->task->plan->family[0].indices;
    one->factor[0] *= (double)one->count[0];
    one->count[0] = 1;
    a->count = one->count;
    a->factor = one->factor;
    a->block = one->block;
}

static void *entry_of(PdePrecision precision, void *seed, int64_t at) {
    return seed ? real_at(precision, seed, at) : NULL;
}

static void combine(void *context, const PdeJet *jet) {
    const Entries *n = context;
    const Route *r = &n->route;
    const Session *s = r->task->session;
    PdePrecision precision = s->settings.precision;
    int64_t outputs = s->problem->outputs, unknowns = s->problem->plan.unknowns;
    int rows = route_residuals(r);
    for (int e = jet->only ? jet->only - 1 : 0; e < (jet->only ? jet->only : rows); e++) {
        OneEntry one;
        PdeCombineArgs a = route_args(r, jet->point, one.set);
        if (r->entries)
            only_entry(r, e, &one, &a);
        a.n = jet->n;
        a.residual = real_at(precision, jet->residual, e);
        a.seed_n = entry_of(precision, jet->seed_n, e * outputs);
        for (int m = 0; m < PDE_MAX_ORDER; m++) {
            a.d[m] = jet->d[m];
            a.seed_d[m] = entry_of(precision, jet->seed_d[m], e * outputs * a.directions);
        }
        a.seed_unknown = entry_of(precision, n->seed_unknown, (jet->point * rows + e) * unknowns);
        if (a.seed_unknown)
            memset(a.seed_unknown, 0, (size_t)unknowns * real_size(precision));
        r->kernel(&a);
        take_root(r, &a);
    }
}

/* ---------------------------------------------------------------------------------------- use */

int entries_count(const Entries *n) {
    return route_residuals(&n->route);
}

PdeTaskSpec entries_spec(Entries *n) {
    const Session *s = n->route.task->session;
    size_t unknowns = (size_t)(entries_count(n) * s->problem->plan.unknowns);
    return (PdeTaskSpec){.combine = combine,
                         .context = n,
                         .residual = n->route.residual,
                         .shared = 1,
                         .beside = n->seed_unknown,
                         .beside_unit = unknowns * real_size(s->settings.precision)};
}

/* ------------------------------------------------------------------------------------ creating */

int64_t entries_planned(const Settings *s, const PlanTask *plan, int64_t size) {
    int64_t most = s->points < ROWS_MOST ? ROWS_MOST / s->points : 1;
    most = s->terms < most ? s->terms : most;
    return plan->unavailable ? 1 : size < most ? size : most;
}

Status entries_open(Task *t, Entries **entries, Error *error) {
    assert(t->plan->squares);
    const Session *s = t->session;
    Entries *n = calloc(1, sizeof *n);
    *entries = n;
    if (!n)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a condition on vectors");
    bool separate = !t->plan->unavailable;
    int64_t size = s->problem->family[t->id][0].size;
    int64_t unknowns = s->problem->plan.unknowns;
    RouteConfig config = {.task = t,
                          .terms = separate ? TERMS_SAMPLE : TERMS_EXACT,
                          .sample = entries_planned(&s->settings, t->plan, size),
                          .entries = separate,
                          .parts = 1,
                          .stream = STREAM_SET,
                          .x = pde_batch_x(t->gradient[0].batch)};
    Status status = route_create(&config, &n->route, error);
    if (status != STATUS_OK)
        return status;
    route_fixed_directions(&n->route);
    size_t rows = (size_t)(s->settings.points * entries_count(n));
    if (unknowns)
        n->seed_unknown = calloc(rows * (size_t)unknowns, real_size(s->settings.precision));
    return n->seed_unknown || !unknowns
               ? STATUS_OK
               : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a condition on vectors");
}

void entries_close(Entries *n) {
    if (!n)
        return;
    route_free(&n->route);
    free(n->seed_unknown);
    free(n);
}
