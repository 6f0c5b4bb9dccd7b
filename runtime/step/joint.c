/* joint.c: conditions of one kind without directions, such as those of a system's fields on the boundary: they have one
 * set of points, and one pass through the network gives all their residuals and their gradient. */

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
} Group;

/* owner of the batches */
struct Joint {
    Session *session;
    int groups;
    Group group[PLAN_TASKS_MAX];
    bool has[PLAN_TASKS_MAX];
};

/* A condition on values alone; unknowns would want sums of their own. */
static bool is_plain(const Session *s, const PlanTask *t) {
    return t->kind != PLAN_equation && t->kind != PLAN_report && t->families == 0 &&
           !t->unavailable && !t->squares && t->sampled.blocks == 0 &&
           s->problem->plan.unknowns == 0 && !s->settings.report;
}

Task *joint_lead(Session *s, int slot) {
    assert(slot >= 0 && slot < PLAN_TASKS_MAX);
    const PlanTask *t = s->task[slot].plan;
    for (int i = 0; i < slot && is_plain(s, t); i++)
        if (s->task[i].plan->kind == t->kind && is_plain(s, s->task[i].plan))
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
        int64_t residuals = route_residuals(r);
        PdeTaskSpec spec = route_spec(r);
        PdeJet own = *jet;
        own.residual = real_at(precision, jet->residual, at);
        own.seed_n = real_at(precision, jet->seed_n, at * s->problem->outputs);
        spec.combine(spec.context, &own);
        memcpy(real_at(precision, r->residual, jet->point * residuals), own.residual,
               (size_t)residuals * real_size(precision));
        at += residuals;
    }
}

static int group_residuals(const Group *g) {
    int sum = 0;
    for (int i = 0; i < g->tasks; i++)
        sum += route_residuals(g->of->session->task[g->task[i]].gradient);
    return sum;
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
    for (int i = 0; i < s->tasks; i++)
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
        ok = g->batch != NULL;
    }
    if (a->groups == 0) {
        free(a);
        *to = NULL;
    }
    return ok ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the conditions");
}

void joint_close(Joint *a) {
    for (int i = 0; a && i < a->groups; i++)
        pde_batch_destroy(a->group[i].batch);
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
        /* not divided among ranks: residuals are written beside the jet, and values alone are quickly made */
        PdeTaskSpec spec = {.combine = combine, .context = g, .scale = 2, .factor = scale};
        pde_gradient_add(s->engine, g->batch, &spec);
    }
}
