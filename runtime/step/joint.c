/* joint.c: conditions of one kind without directions, such as those of a system's fields on the boundary: they have one
 * set of points, and one pass through the network gives all their residuals and their gradient.
 *
 * Each condition's mean over these points is as free of bias as over its own: only the noise of several is no longer
 * independent. What this means elsewhere:
 * - Resampling and attacks move the points of the equation only (task 0), which never shares.
 * - A lattice is that of the first condition's stream, with its random shifts.
 * - Balanced weights enter as factors of each condition; their norms are measured condition by condition, on the batches
 *   that the conditions still have (session_task_gradient).
 * - Held-out losses and whoever else draws one condition's points at a time get the right ones: points.c draws again what
 *   is not there.
 * - Natural gradient wants a row for each residual and makes them condition by condition, on the common points: it has no
 *   use for the common pass.
 * - Ranks divide the common pass as any other: combine writes to the jet alone, and residuals go to their conditions
 *   when all ranks have all of them. */

#include "engine/real.h"
#include "step/route.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Tasks with the points of the first. */
typedef struct Group {
    Joint *of;
    int tasks, task[PLAN_TASKS_MAX];
    PdeBatch *batch;
    void *residual; /* real[B][residuals of all] */
} Group;

/* owner of batches and residuals */
struct Joint {
    Session *session;
    int groups;
    Group group[PLAN_TASKS_MAX];
    bool has[PLAN_TASKS_MAX];
};

/* A condition on values alone. Each observation has places of its own; unknowns would want sums of their own. */
static bool is_plain(const Problem *q, const Settings *set, const PlanTask *t) {
    bool condition =
        t->kind == PLAN_boundary || t->kind == PLAN_initial || t->kind == PLAN_terminal;
    return condition && t->families == 0 && !t->unavailable && !t->squares &&
           t->sampled.blocks == 0 && q->plan.unknowns == 0 && !set->report;
}

/* Do both hold at the same places? The same parts of the boundary in another order count as others. */
static bool same_places(const Problem *q, int a, int b) {
    const PlanTask *one = &q->plan.task[a], *other = &q->plan.task[b];
    bool same = one->kind == other->kind && one->faces == other->faces;
    for (int f = 0; f < one->faces && same; f++)
        same = one->face[f].space == other->face[f].space &&
               one->face[f].side == other->face[f].side && q->face[a][f] == q->face[b][f];
    return same;
}

bool joint_shares(const Problem *q, const Settings *set, int a, int b) {
    assert(a >= 0 && b >= 0 && a < q->plan.tasks && b < q->plan.tasks);
    return is_plain(q, set, &q->plan.task[a]) && is_plain(q, set, &q->plan.task[b]) &&
           same_places(q, a, b);
}

bool joint_passes(const Settings *set) {
    return !pde_optim_has(set->optimiser.kind, PDE_JACOBIAN);
}

Task *joint_lead(Session *s, int slot) {
    assert(slot >= 0 && slot < PLAN_TASKS_MAX);
    for (int i = 0; i < slot; i++)
        if (joint_shares(s->problem, &s->settings, s->task[i].id, s->task[slot].id))
            return s->task[i].lead ? s->task[i].lead : &s->task[i];
    return NULL;
}

/* Each condition's kernel sees its own part of the residuals and seeds. */
static void combine(void *context, const PdeJet *jet) {
    const Group *g = context;
    const Session *s = g->of->session;
    PdePrecision precision = s->settings.precision;
    int64_t at = 0;
    for (int i = 0; i < g->tasks; i++) {
        Route *r = s->task[g->task[i]].gradient;
        PdeTaskSpec spec = route_spec(r);
        PdeJet own = *jet;
        own.residual = real_at(precision, jet->residual, at);
        own.seed_n = real_at(precision, jet->seed_n, at * s->problem->outputs);
        spec.combine(spec.context, &own);
        at += route_residuals(r);
    }
}

static int group_residuals(const Group *g) {
    int sum = 0;
    for (int i = 0; i < g->tasks; i++)
        sum += route_residuals(g->of->session->task[g->task[i]].gradient);
    return sum;
}

/* To each condition its residuals. */
static void hand_out(const Group *g) {
    const Session *s = g->of->session;
    PdePrecision precision = s->settings.precision;
    const int64_t all = group_residuals(g);
    int64_t at = 0;
    for (int i = 0; i < g->tasks; i++) {
        Route *r = s->task[g->task[i]].gradient;
        const int64_t mine = route_residuals(r);
        for (int64_t b = 0; b < s->settings.points; b++)
            memcpy(real_at(precision, r->residual, b * mine),
                   real_at(precision, g->residual, b * all + at),
                   (size_t)mine * real_size(precision));
        at += mine;
    }
}

static void add_task(Joint *a, int task) {
    const Session *s = a->session;
    int lead = (int)(s->task[task].lead - s->task);
    for (int i = 0; i < a->groups; i++)
        if (a->group[i].task[0] == lead) {
            a->group[i].task[a->group[i].tasks++] = task;
            return;
        }
    a->group[a->groups++] = (Group){.of = a, .tasks = 2, .task = {lead, task}};
    a->has[lead] = true;
}

Status joint_open(Session *s, Joint **to, Error *error) {
    Joint *a = calloc(1, sizeof *a);
    bool ok = a != NULL;
    *to = a;
    if (!ok)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the conditions");
    a->session = s;
    for (int i = 0; i < s->tasks && joint_passes(&s->settings); i++)
        if (s->task[i].lead) {
            a->has[i] = true;
            add_task(a, i);
        }
    for (int i = 0; i < a->groups && ok; i++) {
        Group *g = &a->group[i];
        PdeBatchConfig config = {.points = s->settings.points,
                                 .residuals = group_residuals(g),
                                 .x = pde_batch_x(s->task[g->task[0]].gradient->batch)};
        g->batch = pde_batch_create(s->engine, &config);
        g->residual = calloc((size_t)(s->settings.points * config.residuals),
                             real_size(s->settings.precision));
        ok = g->batch && g->residual;
    }
    if (a->groups == 0) {
        free(a);
        *to = NULL;
    }
    return ok ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the conditions");
}

void joint_close(Joint *a) {
    for (int i = 0; a && i < a->groups; i++) {
        pde_batch_destroy(a->group[i].batch);
        free(a->group[i].residual);
    }
    free(a);
}

bool joint_has(const Joint *a, const Task *t) {
    return a && a->has[t - a->session->task];
}

void joint_add(Joint *a, const double *factor) {
    assert(a->groups > 0);
    const Session *s = a->session;
    for (int i = 0; i < a->groups; i++) {
        Group *g = &a->group[i];
        double scale[PLAN_TASKS_MAX * PLAN_RESIDUALS_MAX];
        int at = 0;
        for (int k = 0; k < g->tasks; k++)
            for (int e = 0; e < route_residuals(s->task[g->task[k]].gradient); e++)
                scale[at++] = factor[g->task[k]];
        PdeTaskSpec spec = {.combine = combine,
                            .context = g,
                            .scale = 2,
                            .factor = scale,
                            .residual = g->residual,
                            .shared = 1};
        pde_gradient_add(s->engine, g->batch, &spec);
        hand_out(g);
    }
}
