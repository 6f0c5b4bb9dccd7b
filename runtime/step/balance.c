/* balance.c: a condition pulls at the parameters as strongly as the equation, times the weight that
 * the problem gives it. With g_k the gradient of loss k without weight, its factor is
 * |g_equation| / |g_k|, averaged over measurements: keep * old + (1 - keep) * new. Only the ratios
 * of weights matter to the direction of a step, so the equation's own factor stays 1. */
#include "step/balance.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* weight.initial1 and the like: the name of a loss's weight in log and output. */
static const char *name_of(const Task *t, char *out, size_t size) {
    snprintf(out, size, "weight.%s%d", plan_task_kind_name(t->plan->kind), t->id);
    return out;
}

/* Memory and conflicts, once. */
static Status open(Session *s, void **self, Error *error) {
    *self = s;
    if (pde_optim_has(s->settings.optimiser.kind, PDE_ONE_LOSS))
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "--optimiser lbfgs minimises one loss, --weights balance changes it between "
            "steps: use fixed weights");
    pde_gradient_begin(s->engine);
    if (!pde_gradient_store(s->engine)) /* so that no step allocates */
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the gradient of a loss");
    return STATUS_OK;
}

/* The norm of the gradient of one loss, without any weight. */
static double gradient_norm(Task *t, uint32_t step) {
    PdeEngine *engine = t->session->engine;
    double before = t->balance;
    t->balance = 1;
    pde_gradient_begin(engine);
    session_task_gradient(t, step);
    t->balance = before;
    return pde_gradient_store(engine) ? pde_gradient_norm(engine) / t->plan->weight : (double)NAN;
}

bool balance_is_due(const Session *s, uint32_t step) {
    const Settings *set = &s->settings;
    return set->balance && s->tasks > 1 && step % set->balance_every == 0 && s->balanced != step;
}

void balance_take(Session *s, uint32_t step, const double *norm) {
    assert(s->settings.balance && s->tasks <= PLAN_TASKS_MAX);
    double keep = step == 0 ? 0 : s->settings.balance_keep;
    for (int i = 1; i < s->tasks; i++) {
        Task *t = &s->task[i];
        double factor = norm[0] / norm[i];
        if (isfinite(factor) &&
            factor > 0) /* a loss that is met exactly, or not a number, says nothing */
            t->balance = keep * t->balance + (1 - keep) * factor;
    }
    s->balanced = step;
}

static void measure(void *self, uint32_t step) {
    Session *s = self;
    double norm[PLAN_TASKS_MAX];
    if (!balance_is_due(s, step))
        return;
    for (int i = 0; i < s->tasks; i++)
        norm[i] = gradient_norm(&s->task[i], step);
    balance_take(s, step, norm);
}

/* ---------------------------------------------------------------------------------------- hook */

static bool wanted(const Settings *settings) {
    return settings->balance;
}

static void release(void *self) {
    (void)self; /* it is the session */
}

static void restart(void *self) {
    Session *s = self;
    for (int i = 0; i < s->tasks; i++)
        s->task[i].balance = 1;
    s->balanced = -1;
}

static int columns(void *self, HookNames *names, NamedNumber *to) {
    const Session *s = self;
    for (int i = 1; i < s->tasks; i++)
        to[i - 1] = (NamedNumber){name_of(&s->task[i], names->task[i], sizeof names->task[i]),
                                  session_task_weight(&s->task[i])};
    return s->tasks - 1;
}

static void describe(void *self, const Config *config, Buffer *to) {
    const Settings *set = &((const Session *)self)->settings;
    buffer_printf(
        to,
        "  weights     balanced by the norms of the gradients every %lld iterations, %s of "
        "the old ones kept\n",
        (long long)set->balance_every, config_text(config, OPTION_BALANCE_KEEP));
}

const StepHook hook_balance = {.name = "balance",
                               .wanted = wanted,
                               .open = open,
                               .close = release,
                               .before = measure,
                               .restart = restart,
                               .columns = columns,
                               .describe = describe};
