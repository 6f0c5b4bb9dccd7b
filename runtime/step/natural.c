#include "step/natural.h"

#include "engine/lapack.h"
#include "engine/optim_rule_double.h"
#include "engine/dense.h"
#include "engine/real.h"
#include "step/route.h"
#include "step/step_rule.h"
#include "step/vector_rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 64 };
/* a gradient step long before; more would overflow in time */

/* owner of everything but session and lapack */
struct Natural {
    Session *session;
    const Lapack *lapack;
    PdeJacobian *jacobian;
    int64_t rows;
    double *k, *factor;      /* [rows][rows] */
    double *r, *along, *sol; /* [rows]: residuals, J phi, solution */
    double *by_unknown;      /* [rows][unknowns]: dr by unknowns in parts of their size */
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
    const Session *s = n->session;
    int unknowns = s->problem->plan.unknowns;
    const void *seed = t->entries ? t->entries->seed_unknown : t->seed_unknown;
    for (int64_t i = 0; i < rows_of(t); i++)
        for (int k = 0; k < unknowns; k++)
            n->by_unknown[(row0 + i) * unknowns + k] +=
                scale * unknown_size(s->unknown_limit[k], s->unknown[k]) *
                real_get(s->settings.precision, seed, i * unknowns + k);
}

/* Routes whose rows add up, and one of them with what the engine is to do with it. */
static int routes_of(const Task *t) {
    return t->entries ? 1 : t->gradients;
}

static Route *route_of(const Task *t, int m, PdeTaskSpec *spec) {
    Route *route = t->entries ? &t->entries->route : &t->gradient[m];
    *spec = t->entries ? entries_spec(t->entries) : route_spec(route);
    return route;
}

/* Rows of one task: residuals, and their Jacobian unless only the loss is wanted. */
static void task_rows(Natural *n, Task *t, uint32_t step, int64_t row0, int *part, bool jacobian) {
    assert(row0 >= 0 && row0 + rows_of(t) <= n->rows);
    Session *s = n->session;
    double scale = row_scale(t), own = 0, product = 0;
    int64_t count = rows_of(t);
    int routes = routes_of(t);
    double *r = n->r + row0;
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
            pde_jacobian_add(n->jacobian, (*part)++, &spec);
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

/* Fills n->r (and J); the loss. */
static double all_rows(Natural *n, uint32_t step, bool jacobian) {
    Session *s = n->session;
    int64_t row0 = 0;
    int part = 0;
    double loss = 0;
    if (jacobian) {
        pde_jacobian_begin(n->jacobian);
        if (n->by_unknown)
            memset(n->by_unknown, 0,
                   (size_t)(n->rows * s->problem->plan.unknowns) * sizeof *n->by_unknown);
    }
    for (int i = 0; i < s->tasks; i++) {
        task_rows(n, &s->task[i], step, row0, &part, jacobian);
        loss += s->task[i].loss;
        row0 += rows_of(&s->task[i]);
    }
    return loss;
}

/* ---------------------------------------------------------------------------------------- step */

/* Unknowns are further columns of J. */
static void add_unknown_columns(Natural *n) {
    const Session *s = n->session;
    int unknowns = s->problem->plan.unknowns;
    for (int64_t i = 0; i < n->rows && unknowns; i++) {
        const double *a = n->by_unknown + i * unknowns;
        for (int64_t j = 0; j < n->rows; j++)
            for (int k = 0; k < unknowns; k++)
                n->k[i * n->rows + j] += a[k] * n->by_unknown[j * unknowns + k];
        for (int k = 0; k < unknowns; k++)
            n->along[i] += a[k] * s->unknown_state[0][k];
    }
}

/* n->sol = (K + lambda)^-1 (r - mu J phi); false where K is not finite or not positive enough. */
static bool solve(Natural *n, double momentum, double lambda) {
    assert(n->rows > 0 && n->rows <= INT32_MAX);
    int size = (int)n->rows, one = 1, info = 0;
    memcpy(n->factor, n->k, (size_t)(n->rows * n->rows) * sizeof *n->factor);
    for (int64_t i = 0; i < n->rows; i++) {
        n->factor[i * n->rows + i] += lambda;
        n->sol[i] = n->r[i] - momentum * n->along[i];
    }
    n->lapack->dpotrf("L", &size, n->factor, &size, &info);
    if (info == 0)
        n->lapack->dpotrs("L", &size, &one, n->factor, &size, n->sol, &size, &info);
    return info == 0 && isfinite(dense_dot(n->sol, n->sol, n->rows));
}

static double mean_eigenvalue(const Natural *n) {
    assert(n->rows > 0);
    double trace = 0;
    for (int64_t i = 0; i < n->rows; i++)
        trace += n->k[i * n->rows + i];
    return trace / (double)n->rows;
}

/* phi, theta and unknowns move; what is given back is the rate that the bound on the step's length
 * leaves. */
static double move(Natural *n, double momentum, double lambda, double rate) {
    Session *s = n->session;
    double length = pde_engine_norm(s->engine, PDE_SLOT_STATE), square = 0;
    for (int64_t i = 0; i < n->rows; i++) /* J (new phi) = r - lambda sol */
        square += n->sol[i] * (n->r[i] - lambda * n->sol[i] + momentum * n->along[i]);
    square += momentum * momentum * length * length;
    double limit = s->settings.step_limit * pde_engine_norm(s->engine, PDE_SLOT_PARAMETERS);
    if (natural_is_long(rate, square, limit))
        rate = limit / sqrt(square);
    pde_jacobian_transposed(n->jacobian, n->sol);
    pde_update(s->engine, rate);
    int unknowns = s->problem->plan.unknowns;
    for (int k = 0; k < unknowns; k++) {
        const double *bound = s->unknown_limit[k];
        double g = 0, *phi = &s->unknown_state[0][k];
        for (int64_t i = 0; i < n->rows; i++)
            g += n->sol[i] * n->by_unknown[i * unknowns + k];
        *phi = momentum * *phi + g;
        s->unknown[k] =
            unknown_within(bound, s->unknown[k] - rate * unknown_size(bound, s->unknown[k]) * *phi);
    }
    if (unknowns)
        session_unknowns_changed(s);
    return rate;
}

/* The loss that the linear model promises for theta - rate phi. */
static double predicted_loss(const Natural *n, double lambda, double rate) {
    double loss = 0;
    for (int64_t i = 0; i < n->rows; i++) {
        double after = n->r[i] - rate * (n->r[i] - lambda * n->sol[i]);
        loss += after * after;
    }
    return loss;
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
    PdeOptimConfig optimiser = n->session->settings.optimiser;
    if (n->session->settings.momentum_auto) {
        optimiser.beta1 = natural_auto_momentum(rate);
        pde_engine_set_optimiser(n->session->engine, &optimiser);
    }
    return optimiser.beta1;
}

typedef enum Outcome { KEPT, UNDONE, BROKEN } Outcome;

static Outcome try_step(Natural *n, uint32_t step, double rate) {
    Session *s = n->session;
    double mu = momentum_at(n, rate), loss = all_rows(n, step, true);
    double start = seconds_now(), unknown[2][PLAN_UNKNOWNS_MAX];
    s->loss = loss;
    s->product = 0;
    for (int i = 0; i < s->tasks; i++)
        s->product += s->task[i].product;
    if (!isfinite(loss))
        return BROKEN;
    pde_jacobian_gram(n->jacobian, n->k);
    pde_jacobian_times(n->jacobian, PDE_SLOT_STATE, n->along);
    add_unknown_columns(n);
    s->seconds[PHASE_GRADIENT] += seconds_now() - start;
    start = seconds_now();
    double lambda = s->settings.damping * n->caution * mean_eigenvalue(n);
    if (!isfinite(lambda))
        return BROKEN;
    if (!solve(n, mu, lambda))
        return UNDONE;
    memcpy(unknown[0], s->unknown, sizeof unknown[0]);
    memcpy(unknown[1], s->unknown_state[0], sizeof unknown[1]);
    pde_engine_keep(s->engine);
    rate = move(n, mu, lambda, rate);
    double promised = predicted_loss(n, lambda, rate);
    s->seconds[PHASE_UPDATE] += seconds_now() - start;
    double quality = measure(n, step, loss, promised);
    if (quality >= 0) {
        n->caution = natural_caution_kept(n->caution, quality);
        return KEPT;
    }
    pde_engine_undo(s->engine);
    memcpy(s->unknown, unknown[0], sizeof unknown[0]);
    memcpy(s->unknown_state[0], unknown[1], sizeof unknown[1]);
    if (s->problem->plan.unknowns > 0)
        session_unknowns_changed(s);
    return UNDONE;
}

/* From the second failure on the momentum of earlier steps is under suspicion as well. */
bool natural_step(Natural *n, uint32_t step, double rate) {
    assert(n && n->jacobian);
    for (int i = 0; i < NATURAL_TRIES; i++) {
        Outcome outcome = try_step(n, step, rate);
        if (outcome != UNDONE)
            return outcome == KEPT;
        n->caution = natural_caution_undone(n->caution);
        if (i > 0)
            pde_engine_forget(n->session->engine);
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
    double bytes = (double)(pde_jacobian_bytes(n->jacobian) + 16 * n->rows * n->rows);
    buffer_printf(to, "              damping %s, momentum %s, Jacobian %.0f MB",
                  config_text(config, OPTION_DAMPING), config_text(config, OPTION_MOMENTUM),
                  bytes / 1e6);
    if (s->settings.adam_first > 0)
        buffer_printf(to, ", after %lld iterations of Adam", (long long)s->settings.adam_first);
    if (sampled)
        buffer_printf(to, "\n              terms are sampled: the direction of a step is biased%s",
                      exact ? "; --algorithm exact has no such bias" : "");
    buffer_text(to, "\n");
}

/* Rows of J, K and its factor, J phi, J' s, and the loss once more. */
static void plan_cost(const Settings *set, const Network *n, const StepSizes *sizes, StepCost *c) {
    double real = (double)real_size(set->precision), rows = sizes->rows, joint = sizes->joint;
    double in = (double)n->width[0], h = (double)n->width[1];
    double columns = (double)n->size - in * h + joint * h, all = real * rows * columns;
    double sums = rows <= 264 ? 8 : rows <= 528 ? 4 : rows <= 792 ? 2 : 1; /* partial ones of K */
    c->blocks = ceil(all / (double)set->jacobian_bytes);
    c->jacobian = all / c->blocks + real * rows * (2 * h + joint) + 16 * rows * rows +
                  8 * 4 * sums * rows * rows + 24 * joint * h;
    c->parameters += 2 * real * (double)n->size; /* to come back to */
    c->natural = rows * rows * (columns + h + in) + 4 * rows * columns + 4 * rows * in * h +
                 rows * rows * rows / 3 + sizes->gradient / 3;
    if (set->algorithm == ALGORITHM_exact)
        c->natural += 4 * in * h * h;
    if (c->blocks >
        1) /* jets again for each block in K, J phi and J' s, but for the one that is there */
        c->natural += (3 * c->blocks - 2) * sizes->gradient;
    c->flops += c->natural;
}

/* ------------------------------------------------------------------------------------ creating */

static Status create(Natural *n, Error *error) {
    const Session *s = n->session;
    PdeJacobianPart part[PARTS_MAX];
    PdeTaskSpec spec;
    int parts = 0, unknowns = s->problem->plan.unknowns;
    for (int i = 0; i < s->tasks; i++) {
        const Task *t = &s->task[i];
        for (int m = 0; m < routes_of(t) && parts < PARTS_MAX; m++)
            part[parts++] = (PdeJacobianPart){route_of(t, m, &spec)->batch, n->rows};
        n->rows += rows_of(t);
    }
    size_t rows = (size_t)n->rows;
    n->jacobian = pde_jacobian_create(s->engine, part, parts, s->settings.jacobian_bytes);
    n->k = calloc(rows * rows, sizeof *n->k);
    n->factor = calloc(rows * rows, sizeof *n->factor);
    n->r = calloc(rows, sizeof *n->r);
    n->along = calloc(rows, sizeof *n->along);
    n->sol = calloc(rows, sizeof *n->sol);
    n->by_unknown = unknowns ? calloc(rows * (size_t)unknowns, sizeof *n->by_unknown) : NULL;
    bool ok = n->jacobian && n->k && n->factor && n->r && n->along && n->sol &&
              (n->by_unknown || !unknowns) && pde_engine_keep(s->engine);
    return ok ? STATUS_OK
              : error_set(error, STATUS_OUT_OF_MEMORY,
                          "no memory for the Jacobian of %lld residuals; fewer --points or "
                          "--terms, or a smaller --width, need less",
                          (long long)n->rows);
}

static Status open(Session *session, void **self, Error *error) {
    Natural *n = calloc(1, sizeof *n);
    *self = n;
    if (!n)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the optimiser");
    n->session = session;
    n->caution = 1;
    Status status = STATUS_OK;
    for (int i = 0; i < session->tasks && status == STATUS_OK; i++)
        if (session->task[i].plan->squares)
            status = entries_open(&session->task[i], &session->task[i].entries, error);
    if (status == STATUS_OK)
        status = create(n, error);
    if (status == STATUS_OK)
        status = lapack_open(1, error);
    n->lapack = lapack();
    return status;
}

static void release(void *self) {
    Natural *n = self;
    for (int i = 0; i < n->session->tasks; i++)
        entries_close(n->session->task[i].entries);
    pde_jacobian_destroy(n->jacobian);
    free(n->k);
    free(n->factor);
    free(n->r);
    free(n->along);
    free(n->sol);
    free(n->by_unknown);
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
    bool exact = true, sums = false;
    for (int i = 0; i < problem->plan.tasks; i++) {
        const PlanTask *t = &problem->plan.task[i];
        exact = exact && (!plan_task_has_terms(t) || t->has_exact || t->squares);
        sums = sums || (plan_task_has_terms(t) && !t->squares);
    }
    Status status = imply_rates(config, error);
    if (status == STATUS_OK && exact && sums)
        status = config_imply(config, OPTION_OPTIMISER, OPTION_ALGORITHM, "exact", error);
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
