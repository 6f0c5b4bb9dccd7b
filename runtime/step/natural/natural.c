#include "step/natural/natural.h"

#include "engine/optim_rule_double.h"
#include "engine/real.h"
#include "step/mean.h"
#include "step/natural/space.h"
#include "step/route.h"
#include "step/step_rule.h"
#include "step/vector_rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 64 };

/* owner of everything but session */
struct Natural {
    NaturalProblem problem;
    const NaturalSpace *space;
    void *solver; /* the space's own */
    double caution;
};

/* ----------------------------------------------------------------------------------- residuals */

static int64_t rows_of(const Task *t) {
    return t->session->settings.points *
           (t->entries ? entries_count(t->entries) : t->plan->residuals);
}

/* Entries of a vector are averaged, residuals of a system are not. */
static double row_scale(const Task *t) {
    double points = (double)(t->entries ? rows_of(t) : t->session->settings.points);
    return sqrt(session_task_weight(t) / points) / t->residual_scale;
}

static void add_unknown_rows(Natural *n, const Task *t, int64_t row0, double scale) {
    const Session *s = n->problem.session;
    int unknowns = n->problem.unknowns;
    const void *seed = t->entries ? t->entries->seed_unknown : t->seed_unknown;
    for (int64_t i = 0; i < rows_of(t); i++)
        for (int k = 0; k < unknowns; k++)
            n->problem.by_unknown[(row0 + i) * unknowns + k] +=
                scale * unknown_size(s->unknown_limit[k], s->unknown[k]) *
                real_get(s->settings.precision, seed, i * unknowns + k);
}

/* Routes whose rows add up, and one of them with what the engine is to do with it. */
static int routes_of(const Task *t) {
    return t->entries ? 1 : t->gradients;
}

static Route *route_of(const Task *t, int m, PdeTaskSpec *spec) {
    assert(m >= 0 && m < routes_of(t));
    Route *route = t->entries ? &t->entries->route : &t->gradient[m];
    *spec = t->entries ? entries_spec(t->entries) : route_spec(route);
    return route;
}

/* Rows of one task: residuals, and their Jacobian unless only the loss is wanted. */
static void task_rows(Natural *n, Task *t, uint32_t step, int64_t row0, int *part, bool jacobian) {
    assert(row0 >= 0 && row0 + rows_of(t) <= n->problem.rows);
    Session *s = n->problem.session;
    double scale = row_scale(t), own = 0, product = 0;
    int64_t count = rows_of(t);
    int routes = routes_of(t);
    double *r = n->problem.r + row0;
    memset(r, 0, (size_t)count * sizeof *r);
    if (t->values)
        session_task_value(t, step);
    for (int m = 0; m < routes && (jacobian || !t->values); m++) {
        PdeTaskSpec spec;
        Route *route = route_of(t, m, &spec);
        double start = seconds_now();
        route_prepare(route, step);
        s->seconds[PHASE_SETS] += seconds_now() - start;
        start = seconds_now();
        if (jacobian) {
            spec.scale = scale / routes;
            n->space->add(n->solver, (*part)++, &spec);
            if (t->seed_unknown)
                add_unknown_rows(n, t, row0, spec.scale);
        } else {
            pde_value(s->engine, route->batch, &spec);
        }
        s->seconds[jacobian ? PHASE_GRADIENT : PHASE_VALUE] += seconds_now() - start;
        for (int64_t i = 0; i < count; i++)
            r[i] += scale / routes * real_get(s->settings.precision, route->residual, i);
    }
    t->loss = 0;
    for (int64_t i = 0; i < count; i++) {
        own = r[i];
        if (t->values)
            r[i] = scale * real_get(s->settings.precision, t->value_residual, i);
        t->loss += r[i] * r[i];
        product += own * r[i];
    }
    if (jacobian)
        t->product = product;
}

/* Fills the residuals (and J); the loss. */
static double all_rows(Natural *n, uint32_t step, bool jacobian) {
    NaturalProblem *p = &n->problem;
    Session *s = p->session;
    int64_t row0 = 0;
    int part = 0;
    double loss = 0;
    if (jacobian) {
        n->space->begin(n->solver);
        if (p->by_unknown)
            memset(p->by_unknown, 0, (size_t)(p->rows * p->unknowns) * sizeof *p->by_unknown);
    }
    for (int i = 0; i < s->tasks; i++) {
        task_rows(n, &s->task[i], step, row0, &part, jacobian);
        loss += s->task[i].loss;
        row0 += rows_of(&s->task[i]);
    }
    return loss;
}

/* ---------------------------------------------------------------------------------------- step */

/* phi, theta and unknowns move; what is given back is the rate that the bound on the step's length
 * leaves. */
static double move(Natural *n, double momentum, double rate) {
    Session *s = n->problem.session;
    double square = n->space->length(n->solver);
    double limit = s->settings.step_limit * pde_engine_norm(s->engine, PDE_SLOT_PARAMETERS);
    if (natural_is_long(rate, square, limit))
        rate = limit / sqrt(square);
    n->space->gradient(n->solver);
    pde_update(s->engine, rate);
    for (int k = 0; k < n->problem.unknowns; k++) {
        const double *bound = s->unknown_limit[k];
        double *phi = &s->unknown_state[0][k];
        *phi = momentum * *phi + n->space->unknown_gradient(n->solver, k);
        s->unknown[k] =
            unknown_within(bound, s->unknown[k] - rate * unknown_size(bound, s->unknown[k]) * *phi);
    }
    if (n->problem.unknowns)
        session_unknowns_changed(s);
    return rate;
}

/* Loss at the new parameters, in units of the promised decrease: 1 as promised, below 0 worse. */
static double measure(Natural *n, uint32_t step, double before, double promised) {
    double after = all_rows(n, step, false);
    return isfinite(after) ? natural_quality(before, after, promised) : -1;
}

/* Auto is 1 - rate. With y = theta - phi, a step then is y <- y - J' sol, theta <- theta + rate
 * (y - theta): y takes whole steps on each batch, theta is their mean over 1 / rate batches. A rate
 * that decays slowly makes the mean longer; at constant momentum it would also slow y down. */
double natural_auto_momentum(double rate) {
    return fmax(0, 1 - rate);
}

static double momentum_at(Natural *n, double rate) {
    Session *s = n->problem.session;
    PdeOptimConfig optimiser = s->settings.optimiser;
    if (s->settings.momentum_auto) {
        optimiser.beta1 = natural_auto_momentum(rate);
        pde_engine_set_optimiser(s->engine, &optimiser);
    }
    return optimiser.beta1;
}

typedef enum Outcome { KEPT, UNDONE, BROKEN } Outcome;

static Outcome try_step(Natural *n, uint32_t step, double rate) {
    assert(n->problem.rows > 0);
    Session *s = n->problem.session;
    double mu = momentum_at(n, rate), loss = all_rows(n, step, true);
    double start = seconds_now(), unknown[2][PLAN_UNKNOWNS_MAX];
    s->loss = loss;
    s->product = 0;
    for (int i = 0; i < s->tasks; i++)
        s->product += s->task[i].product;
    if (!isfinite(loss))
        return BROKEN;
    double mean = n->space->gather(n->solver);
    s->seconds[PHASE_GRADIENT] += seconds_now() - start;
    start = seconds_now();
    double lambda = s->settings.damping * n->caution * mean;
    if (!isfinite(lambda) || lambda < 0) /* a trace below 0 is what rounding has left of products */
        return BROKEN;
    if (!n->space->solve(n->solver, mu, lambda))
        return UNDONE;
    memcpy(unknown[0], s->unknown, sizeof unknown[0]);
    memcpy(unknown[1], s->unknown_state[0], sizeof unknown[1]);
    pde_engine_keep(s->engine);
    rate = move(n, mu, rate);
    double promised = n->space->promised(n->solver, rate);
    s->seconds[PHASE_UPDATE] += seconds_now() - start;
    double quality = measure(n, step, loss, promised);
    if (quality >= 0) {
        n->caution = natural_caution_kept(n->caution, quality);
        return KEPT;
    }
    pde_engine_undo(s->engine);
    memcpy(s->unknown, unknown[0], sizeof unknown[0]);
    memcpy(s->unknown_state[0], unknown[1], sizeof unknown[1]);
    if (n->problem.unknowns > 0)
        session_unknowns_changed(s);
    return UNDONE;
}

/* From the second failure on the momentum of earlier steps is under suspicion as well. */
bool natural_step(Natural *n, uint32_t step, double rate) {
    assert(n && n->solver);
    for (int i = 0; i < NATURAL_TRIES; i++) {
        Outcome outcome = try_step(n, step, rate);
        if (outcome != UNDONE)
            return outcome == KEPT;
        n->caution = natural_caution_undone(n->caution);
        if (i > 0)
            pde_engine_forget(n->problem.session->engine);
    }
    return true;
}

double natural_caution(const Natural *n) {
    return n->caution;
}

void natural_set_caution(Natural *n, double caution) {
    n->caution = caution;
}

Natural *natural_of(const Session *s) {
    return optimiser_self(s, &optimiser_natural);
}

/* ----------------------------------------------------------------------------- as an optimiser */

/* It may begin with Adam, whose state is not its own. */
static bool begins_with_adam(Session *s, uint32_t step) {
    int64_t first = s->settings.adam_first;
    if (first == 0)
        return false;
    PdeOptimConfig adam = pde_optim_default(PDE_OPT_adam);
    pde_engine_set_optimiser(s->engine, step < first ? &adam : &s->settings.optimiser);
    if (step == first)
        pde_engine_forget(s->engine);
    return step < first;
}

static bool take_step(Session *s, void *self, uint32_t step, double rate) {
    if (begins_with_adam(s, step))
        return session_first_order_step(s, step, NATURAL_FIRST_RATE);
    session_draw(s, step);
    return natural_step(self, step, rate);
}

static void restart(void *self) {
    natural_set_caution(self, 1);
}

static void save(const void *self, JsonWriter *json) {
    json_key(json, "caution");
    json_put_number(json, natural_caution(self));
}

static void load(void *self, const struct json_t *from) {
    natural_set_caution(self, json_number_or(from, "caution", 1));
}

bool natural_by_columns(const Settings *s, double rows, double columns) {
    return s->natural_space == NATURAL_SPACE_AUTO ? rows > columns
                                                  : s->natural_space == NATURAL_SPACE_PARAMETERS;
}

/* What the step is made of, and whether sampled terms bias it. */
static void describe(const Session *s, const void *self, const Config *config, Buffer *to) {
    const Natural *n = self;
    bool sampled = false, exact = true;
    for (int i = 0; i < s->tasks; i++) {
        const PlanTask *plan = s->task[i].plan;
        exact = exact && (!plan_task_has_terms(plan) || plan->has_exact || plan->squares);
        sampled = sampled || (plan_task_has_terms(plan) && !plan->squares);
    }
    sampled = sampled && algorithm_gradient(s->settings.algorithm) == TERMS_SAMPLE;
    buffer_printf(to, "              damping %s, momentum %s, Jacobian %.0f MB%s",
                  config_text(config, OPTION_DAMPING), config_text(config, OPTION_MOMENTUM),
                  (double)n->space->bytes(n->solver) / 1e6,
                  n->space == &natural_columns ? ", normal equations" : "");
    if (s->settings.adam_first > 0)
        buffer_printf(to, ", after %lld iterations of Adam", (long long)s->settings.adam_first);
    if (sampled)
        buffer_printf(to, "\n              terms are sampled: the direction of a step is biased%s",
                      exact ? "; --algorithm exact has no such bias" : "");
    buffer_text(to, "\n");
}

/* Jets once more for the rows and for the loss, rows with all parameters, J'J and its factor. */
static void plan_columns(const StepSizes *sizes, double columns, StepCost *c) {
    c->blocks = 1;
    c->normal = true;
    c->jacobian = 8 * 1024 * columns + 4 * columns * columns;
    c->natural = columns * columns * (sizes->rows + columns / 3 + 2) + 2 * sizes->rows * columns +
                 2 * sizes->gradient / 3;
    c->flops += c->natural;
}

/* Rows of J, K and its factor, J phi, J' s, and the loss once more. */
static void plan_rows(const Settings *set, const Network *n, const StepSizes *sizes, StepCost *c) {
    double real = (double)real_size(set->precision), rows = sizes->rows, joint = sizes->joint;
    double in = (double)n->width[0], h = (double)n->width[1];
    double columns = (double)n->size - in * h + joint * h, all = real * rows * columns;
    double sums = rows <= 264 ? 8 : rows <= 528 ? 4 : rows <= 792 ? 2 : 1; /* partial ones of K */
    c->blocks = ceil(all / (double)set->jacobian_bytes);
    c->jacobian = all / c->blocks + real * rows * (2 * h + joint) + 16 * rows * rows +
                  8 * 4 * sums * rows * rows + 24 * joint * h;
    c->natural = rows * rows * (columns + h + in) + 4 * rows * columns + 4 * rows * in * h +
                 rows * rows * rows / 3 + sizes->gradient / 3;
    if (set->algorithm == ALGORITHM_exact)
        c->natural += 4 * in * h * h;
    if (c->blocks >
        1) /* jets again for each block in K, J phi and J' s, but for the one that is there */
        c->natural += (3 * c->blocks - 2) * sizes->gradient;
    c->flops += c->natural;
}

static void plan_cost(const Settings *set, const Network *n, const StepSizes *sizes, StepCost *c) {
    double columns = (double)n->live + sizes->unknowns;
    c->parameters += 2 * (double)real_size(set->precision) * (double)n->size; /* to come back to */
    if (n->live < n->size || natural_by_columns(set, sizes->rows, columns))
        plan_columns(sizes, columns, c);
    else
        plan_rows(set, n, sizes, c);
}

/* ------------------------------------------------------------------------------------ creating */

static Status create(Natural *n, Error *error) {
    NaturalProblem *p = &n->problem;
    const Session *s = p->session;
    PdeJacobianPart part[PARTS_MAX];
    PdeTaskSpec spec;
    int parts = 0;
    for (int i = 0; i < s->tasks; i++)
        p->means += mean_sets(&s->task[i]);
    p->mean = calloc((size_t)p->means + 1, sizeof *p->mean);
    if (!p->mean)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the optimiser");
    p->means = 0;
    for (int i = 0; i < s->tasks; i++) {
        const Task *t = &s->task[i];
        for (int64_t k = 0, at[3]; k < mean_sets(t); k++, p->means++) {
            mean_set(t, k, at);
            p->mean[p->means][0] = p->rows + at[0];
            p->mean[p->means][1] = at[2] - at[0];
        }
        for (int m = 0; m < routes_of(t) && parts < PARTS_MAX; m++)
            part[parts++] = (PdeJacobianPart){route_of(t, m, &spec)->batch, p->rows};
        p->rows += rows_of(t);
    }
    p->unknowns = s->problem->plan.unknowns;
    p->r = calloc((size_t)p->rows, sizeof *p->r);
    if (p->unknowns)
        p->by_unknown = calloc((size_t)(p->rows * p->unknowns), sizeof *p->by_unknown);
    if (!p->r || (p->unknowns && !p->by_unknown) || !pde_engine_keep(s->engine))
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld residuals",
                         (long long)p->rows);
    if (p->means && s->settings.natural_space == NATURAL_SPACE_PARAMETERS)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "a norm of `normalise` or a constraint is a row of its own, and "
                         "--natural-space parameters has none: leave it out");
    if (p->means && s->problem->plan.sets)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--optimiser natural cannot train a constraint beside fields of fewer "
                         "variables: --optimiser adam can");
    if (s->problem->plan.sets && s->settings.natural_space == NATURAL_SPACE_ROWS)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "with fields of fewer variables some parameters are zero, and "
                         "--natural-space rows would move them: leave it out");
    double columns = (double)(pde_engine_live(s->engine, NULL) + p->unknowns);
    bool by_columns = !p->means && (s->problem->plan.sets ||
                                    natural_by_columns(&s->settings, (double)p->rows, columns));
    n->space = by_columns ? &natural_columns : &natural_rows;
    return n->space->open(p, part, parts, &n->solver, error);
}

static Status open(Session *session, void **self, Error *error) {
    Natural *n = calloc(1, sizeof *n);
    *self = n;
    if (!n)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the optimiser");
    n->problem.session = session;
    n->caution = 1;
    Status status = STATUS_OK;
    for (int i = 0; i < session->tasks && status == STATUS_OK; i++)
        if (session->task[i].plan->squares)
            status = entries_open(&session->task[i], &session->task[i].entries, error);
    return status == STATUS_OK ? create(n, error) : status;
}

static void release(void *self) {
    Natural *n = self;
    Session *s = n->problem.session;
    for (int i = 0; i < s->tasks; i++)
        entries_close(s->task[i].entries);
    if (n->space)
        n->space->close(n->solver);
    free(n->problem.mean);
    free(n->problem.r);
    free(n->problem.by_unknown);
    free(n);
}

/* Rate, momentum and damping belong together: whoever chose a rate has the plain defaults of the
 * others. */
static Status imply_rates(Config *config, Error *error) {
    if (config->value[OPTION_RATE].source >= config->value[OPTION_OPTIMISER].source)
        return STATUS_OK;
    Status status = config_imply(config, OPTION_OPTIMISER, OPTION_RATE, "cosine(0.1,0.001)", error);
    if (status == STATUS_OK)
        status = config_imply(config, OPTION_OPTIMISER, OPTION_MOMENTUM, "auto", error);
    if (status == STATUS_OK)
        status = config_imply(config, OPTION_OPTIMISER, OPTION_DAMPING, "1e-6", error);
    return status;
}

/* Rate with its momentum and damping, and the exact sum where every task has one, unless they were
 * chosen for this optimiser. */
static Status imply(Config *config, const Problem *problem, Error *error) {
    bool exact = true, sums = false, norm = false;
    for (int i = 0; i < problem->plan.tasks; i++) {
        const PlanTask *t = &problem->plan.task[i];
        norm = norm || t->kind == PLAN_norm || t->kind == PLAN_constraint;
        exact = exact && (!plan_task_has_terms(t) || t->has_exact || t->squares);
        sums = sums || (plan_task_has_terms(t) && !t->squares);
    }
    Status status = imply_rates(config, error);
    if (status == STATUS_OK && exact && sums)
        status = config_imply(config, OPTION_OPTIMISER, OPTION_ALGORITHM, "exact", error);
    if (status == STATUS_OK && norm)
        status = config_imply(config, OPTION_OPTIMISER, OPTION_NATURAL_SPACE, "rows", error);
    return status;
}

const OptimiserClass optimiser_natural = {.name = "natural",
                                          .imply = imply,
                                          .open = open,
                                          .close = release,
                                          .step = take_step,
                                          .restart = restart,
                                          .save = save,
                                          .load = load,
                                          .describe = describe,
                                          .plan = plan_cost};
