/* session.c: the formula of every algorithm,
 *     G = sum over tasks of  2 w / (B rho^2) * sum_b R_J(x_b) * grad R_I(x_b),
 * with w the task's weight and rho its residual scale. Accumulation over n parts or draws divides
 * each by n; parts of K enter with factor n, so that their mean is the whole sum exactly. */
#define _POSIX_C_SOURCE 200809L
#include "step/session.h"

#include "engine/optim_rule_double.h"
#include "engine/ranks/ranks.h"
#include "engine/real.h"
#include "step/hook.h"
#include "step/mean.h"
#include "step/optimiser.h"
#include "step/route.h"
#include "step/step_rule.h"
#include "step/vector_rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>

enum { GRADIENT_BATCHES_MAX = 64, VALUE_DIRECTIONS = 1024 };

static const char *const phase_names[] = {"points and sources", "index sets", "values",
                                          "gradient",           "update",     "evaluation"};

const char *phase_name(Phase phase) {
    return phase_names[phase];
}

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cpu_seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -------------------------------------------------------------------------------------- a step */

static void group_program(void *context, int64_t group, const PdePointArgs *args) {
    Task *t = context;
    for (int i = 0; i < t->values && t->value != t->gradient; i++)
        route_group(&t->value[i], group, args);
    for (int i = 0; i < t->gradients; i++)
        route_group(&t->gradient[i], group, args);
    if (t->id == 0)
        hooks_group(t->session, group, args);
    if (t->entries)
        route_group(&t->entries->route, group, args);
}

/* R_J: the mean over parts of K, or the one sample; of a norm, over points. */
void session_task_value(Task *t, uint32_t step) {
    assert(t->values > 0);
    Session *s = t->session;
    PdePrecision precision = s->settings.precision;
    int64_t n = s->settings.points * t->plan->residuals;
    bool alias = t->value == t->gradient;
    int parts = alias ? t->values : t->value->parts;
    double start = seconds_now();
    for (int m = 0; m < parts; m++) {
        Route *r = alias ? &t->value[m] : t->value;
        if (!alias)
            r->part = r->terms == TERMS_ALL ? m : r->part;
        route_prepare(r, step);
        route_value(r);
        for (int64_t i = 0; i < n; i++) {
            double before = m ? real_get(precision, t->value_residual, i) : 0;
            real_set(precision, t->value_residual, i,
                     before + real_get(precision, r->residual, i) / parts);
        }
    }
    mean_take(t);
    s->seconds[PHASE_VALUE] += seconds_now() - start;
}

/* Do residuals come with a factor of their own? */
static bool has_multiplier(const Task *t) {
    return t->values > 0 || t->plan->squares;
}

static void add_unknown_gradient(Task *t, const Route *r, double scale) {
    Session *s = t->session;
    PdePrecision precision = s->settings.precision;
    int unknowns = s->problem->plan.unknowns;
    int64_t n = s->settings.points * t->plan->residuals;
    for (int64_t i = 0; i < n; i++) {
        double m = has_multiplier(t) ? real_get(precision, t->multiplier, i)
                                     : scale * real_get(precision, r->residual, i);
        for (int k = 0; k < unknowns; k++)
            s->unknown_gradient[k] += m * real_get(precision, t->seed_unknown, i * unknowns + k);
    }
}

static void add_loss(Task *t, const Route *r, double factor) {
    assert(t->values == 0 || t->value_residual);
    const Session *s = t->session;
    PdePrecision precision = s->settings.precision;
    int64_t n = s->settings.points * t->plan->residuals;
    double square = 0, product = 0;
    for (int64_t i = 0; i < n; i++) {
        double mine = real_get(precision, r->residual, i);
        double other = t->plan->squares ? 1
                       : t->values      ? real_get(precision, t->value_residual, i)
                                        : mine;
        square += other * other;
        product += other * mine;
    }
    bool unbiased = t->plan->squares || t->plan->kind == PLAN_constraint;
    t->loss += factor * (unbiased ? product : square);
    t->product += factor * product;
}

double session_task_weight(const Task *t) {
    return t->plan->weight * t->balance;
}

static double loss_factor(const Task *t) {
    double weight = session_task_weight(t) / (t->residual_scale * t->residual_scale);
    return weight / (double)(t->session->settings.points * t->gradients);
}

void session_task_gradient(Task *t, uint32_t step) {
    assert(t->gradients > 0 && t->gradients <= GRADIENT_BATCHES_MAX);
    Session *s = t->session;
    int64_t n = s->settings.points * t->plan->residuals;
    double factor = loss_factor(t);
    t->loss = t->product = 0;
    if (t->values)
        session_task_value(t, step);
    for (int64_t i = 0; i < n && has_multiplier(t); i++)
        real_set(s->settings.precision, t->multiplier, i,
                 t->plan->squares
                     ? factor
                     : 2 * factor * real_get(s->settings.precision, t->value_residual, i));
    for (int m = 0; m < t->gradients; m++) {
        Route *r = &t->gradient[m];
        double start = seconds_now();
        route_prepare(r, step);
        double middle = seconds_now();
        PdeTaskSpec spec = route_spec(r);
        spec.multiplier = has_multiplier(t) ? t->multiplier : NULL;
        spec.scale = 2 * factor;
        pde_gradient_add(s->engine, r->batch, &spec);
        s->seconds[PHASE_SETS] += middle - start;
        s->seconds[PHASE_GRADIENT] += seconds_now() - middle;
        add_loss(t, r, factor);
        if (t->seed_unknown)
            add_unknown_gradient(t, r, spec.scale);
    }
}

/* Conditions with one set of points: one pass through the network. */
static void joint_gradient(Session *s) {
    double start = seconds_now(), factor[PLAN_TASKS_MAX];
    for (int i = 0; i < s->tasks; i++)
        factor[i] = loss_factor(&s->task[i]);
    joint_add(s->joint, factor);
    s->seconds[PHASE_GRADIENT] += seconds_now() - start;
    for (int i = 0; i < s->tasks; i++) {
        Task *t = &s->task[i];
        if (!joint_has(s->joint, t))
            continue;
        t->loss = t->product = 0;
        add_loss(t, t->gradient, factor[i]);
    }
}

/* The step whose points are those of `step`. */
static uint32_t draw_of(const Session *s, uint32_t step) {
    assert(s->settings.fresh >= 0);
    int64_t fresh = s->settings.fresh;
    return fresh == 0 ? 0 : (uint32_t)(step - step % fresh);
}

void session_draw(Session *s, uint32_t step) {
    double start = seconds_now();
    for (int i = 0; i < s->tasks; i++)
        points_draw_ahead(&s->task[i].points, s->settings.seed, draw_of(s, step), 0);
    s->seconds[PHASE_POINTS] += seconds_now() - start;
    hooks_before(s, step);
}

void session_gradient_here(Session *s, uint32_t step) {
    assert(s->tasks > 0 && s->tasks <= PLAN_TASKS_MAX);
    pde_gradient_begin(s->engine);
    for (int k = 0; k < PLAN_UNKNOWNS_MAX; k++)
        s->unknown_gradient[k] = 0;
    s->loss = s->product = 0;
    if (s->joint)
        joint_gradient(s);
    for (int i = 0; i < s->tasks; i++) {
        if (!joint_has(s->joint, &s->task[i]))
            session_task_gradient(&s->task[i], step);
        s->loss += s->task[i].loss;
        s->product += s->task[i].product;
    }
}

void session_gradient(Session *s, uint32_t step) {
    session_draw(s, step);
    session_gradient_here(s, step);
}

void session_gradient_again(Session *s, uint32_t step) {
    session_gradient(s, pde_optim_has(s->settings.optimiser.kind, PDE_ONE_LOSS) ? 0 : step);
}

bool session_finite(const Session *s) {
    bool ok = isfinite(s->loss) && pde_gradient_finite(s->engine);
    for (int k = 0; k < s->problem->plan.unknowns; k++)
        ok = ok && isfinite(s->unknown_gradient[k]);
    return ok;
}

/* Adam in double on the few unknowns; steps are relative to their initial size, and stay within
 * their bounds. */
static void update_unknowns(Session *s, double rate) {
    assert(pde_engine_updates(s->engine) > 0);
    PdeOptimConfig optimiser = pde_optim_unknowns(&s->settings.optimiser);
    PdeRule now = pde_optim_rule(&optimiser, rate, pde_engine_updates(s->engine));
    for (int k = 0; k < s->problem->plan.unknowns; k++) {
        const double *limit = s->unknown_limit[k];
        double state[2] = {s->unknown_state[0][k], s->unknown_state[1][k]};
        s->unknown[k] = unknown_moved(&now, limit, s->unknown[k], state, s->unknown_gradient[k]);
        s->unknown_state[0][k] = state[0];
        s->unknown_state[1][k] = state[1];
    }
    session_unknowns_changed(s);
}

void session_update(Session *s, double rate) {
    double start = seconds_now();
    if (s->settings.clip > 0)
        pde_gradient_clip(s->engine, s->settings.clip);
    pde_update(s->engine, rate);
    if (s->problem->plan.unknowns > 0)
        update_unknowns(s, rate);
    s->seconds[PHASE_UPDATE] += seconds_now() - start;
}

bool session_first_order_step(Session *s, uint32_t step, double rate) {
    session_gradient(s, step);
    if (!session_finite(s))
        return false;
    session_update(s, rate);
    return true;
}

bool session_step(Session *s, uint32_t step, double rate) {
    assert(s->optimiser.class);
    return s->optimiser.class->step(s, s->optimiser.self, step, rate);
}

double unknown_size_at_start(const double *stated) {
    double start = fabs(stated[0]);
    return start > 0 ? start : 1;
}

void session_unknowns_changed(Session *s) {
    for (int k = 0; k < s->problem->plan.unknowns; k++)
        real_set(s->settings.precision, s->unknown_real, k, s->unknown[k]);
    if (s->problem->plan.unknowns > 0)
        hooks_unknowns(s);
    for (int i = 0; i < s->tasks && s->problem->plan.unknowns > 0; i++) {
        Task *t = &s->task[i];
        for (int m = 0; m < t->values && t->value != t->gradient; m++)
            route_fixed_directions(&t->value[m]);
        for (int m = 0; m < t->gradients; m++)
            route_fixed_directions(&t->gradient[m]);
        if (t->entries)
            route_fixed_directions(&t->entries->route);
    }
}

/* ----------------------------------------------------------------------------------- creating */

static Terms gradient_terms(const Task *t) {
    Terms asked = algorithm_gradient(t->session->settings.algorithm);
    if (t->plan->kind == PLAN_constraint) /* its halves would share what is drawn */
        return t->plan->has_exact ? TERMS_EXACT : TERMS_ALL;
    if (t->plan->squares && (t->plan->has_exact || asked == TERMS_EXACT))
        return t->plan->has_exact ? TERMS_EXACT : TERMS_SAMPLE;
    if (t->plan->families == 0 && !t->plan->unavailable)
        return TERMS_ALL;
    return asked;
}

static Status new_route(Task *t, Route *r, RouteConfig config, PdeBatch **owner, Error *error) {
    config.task = t;
    config.points_of = *owner;
    if (!*owner && t->lead)
        config.x = pde_batch_x(t->lead->gradient->batch);
    Status status = route_create(&config, r, error);
    if (status == STATUS_OK && !*owner)
        *owner = r->batch;
    return status;
}

static Route *routes(int count) {
    return calloc((size_t)count, sizeof(Route));
}

static Status create_values(Task *t, PdeBatch **owner, Error *error) {
    const Settings *s = &t->session->settings;
    Terms terms = t->plan->families == 0 ? TERMS_NONE : algorithm_value(s->algorithm);
    int64_t largest = 1;
    if (terms == TERMS_NONE || t->plan->squares ||
        t->plan->kind == PLAN_constraint) /* linear in what is sampled: no value is needed */
        return STATUS_OK;
    if (terms == TERMS_ALL && t->plan->has_exact)
        terms = TERMS_EXACT;
    for (int f = 0; f < t->plan->families; f++)
        largest =
            (int64_t)fmax((double)largest, (double)t->session->problem->family[t->id][f].size);
    RouteConfig config = {.terms = terms,
                          .sample = s->value_terms,
                          .probes = s->estimator != ESTIMATOR_COORDINATE && terms == TERMS_SAMPLE,
                          .parts = 1,
                          .stream = STREAM_VALUE_SET};
    if (terms == TERMS_ALL)
        config.parts = (int)((largest + VALUE_DIRECTIONS - 1) / VALUE_DIRECTIONS);
    t->value = routes(1);
    if (!t->value)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a task");
    t->values = 1;
    return new_route(t, t->value, config, owner, error);
}

static Status create_gradients(Task *t, PdeBatch **owner, Error *error) {
    const Settings *s = &t->session->settings;
    Terms terms = gradient_terms(t);
    int count = t->plan->families == 0 || terms == TERMS_EXACT ? 1 : s->accumulate;
    t->gradient = routes(count);
    if (!t->gradient)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a task");
    for (int m = 0; m < count; m++) {
        RouteConfig config = {.terms = terms,
                              .sample = s->terms,
                              .probes =
                                  s->estimator != ESTIMATOR_COORDINATE && terms == TERMS_SAMPLE,
                              .part = m,
                              .parts = count,
                              .stream = STREAM_SET};
        t->gradients = m + 1;
        Status status = new_route(t, &t->gradient[m], config, owner, error);
        if (status != STATUS_OK)
            return status;
    }
    if (t->plan->kind == PLAN_norm || t->plan->kind == PLAN_constraint ||
        (terms == TERMS_ALL && count > 1 &&
         !t->plan->squares)) { /* the residual of a part, or of a point, is not that of the whole */
        t->value = t->gradient;
        t->values = count;
    }
    return STATUS_OK;
}

static Status check_method(const Task *t, Error *error) {
    const Settings *s = &t->session->settings;
    if (!plan_task_has_terms(t->plan) ||
        (t->plan->squares &&
         pde_optim_has(s->optimiser.kind, PDE_JACOBIAN))) /* its entries are drawn anyway */
        return STATUS_OK;
    if (s->algorithm != ALGORITHM_exact && t->plan->unavailable)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "the terms of '%s' cannot be sampled (%s): use --algorithm exact",
                         t->plan->name, t->plan->unavailable);
    if (s->algorithm == ALGORITHM_exact && !t->plan->has_exact)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "the sum in '%s' has no closed form over all terms: --algorithm exact is "
                         "not possible, full or 1 to 3 are",
                         t->plan->name);
    if (s->estimator != ESTIMATOR_COORDINATE && !t->plan->has_exact)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "the terms of '%s' are not a plain second-order sum: --estimator "
                         "coordinate is the one that is possible",
                         t->plan->name);
    return STATUS_OK;
}

static Status create_task(Session *s, int slot, int id, Error *error) {
    assert(slot >= 0 && slot <= id && id < PLAN_TASKS_MAX);
    Task *t = &s->task[slot];
    const Problem *p = s->problem;
    PdeBatch *owner = NULL;
    *t = (Task){
        .session = s, .id = id, .plan = &p->plan.task[id], .residual_scale = 1, .balance = 1};
    t->lead = joint_lead(s, slot);
    if (t->plan->kind == PLAN_constraint && s->settings.points < 2)
        return error_set(error, STATUS_OPTION_VALUE,
                         "'%s' is a mean over two independent halves of the points: --points must "
                         "be 2 or more",
                         t->plan->name);
    Status status = check_method(t, error);
    if (status == STATUS_OK)
        status = create_values(t, &owner, error);
    if (status == STATUS_OK)
        status = create_gradients(t, &owner, error);
    if (status != STATUS_OK)
        return status;
    int64_t n = s->settings.points * t->plan->residuals, unknowns = p->plan.unknowns;
    size_t size = real_size(s->settings.precision);
    t->value_residual = calloc((size_t)n, size);
    t->multiplier = calloc((size_t)n, size);
    t->seed_unknown = unknowns ? calloc((size_t)(n * unknowns), size) : NULL;
    if (!t->value_residual || !t->multiplier || (unknowns && !t->seed_unknown))
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a task");
    PointsConfig config = {.problem = p,
                           .engine = s->engine,
                           .kind = t->plan->kind,
                           .role = ROLE_TRAIN,
                           .task = t->lead ? t->lead->id : id,
                           .same = t->lead ? &t->lead->points : NULL,
                           .points = s->settings.points,
                           .slices = t->plan->kind == PLAN_equation ? s->settings.slices : 0,
                           .lattice = s->settings.lattice ||
                                      (t->plan->kind == PLAN_constraint && !p->kernels.inside),
                           .times = t->plan->kind == PLAN_constraint ? mean_times(s) : 0,
                           .inputs = pde_batch_x(owner),
                           .unknown = s->unknown_real,
                           .program = p->kernels.points[id],
                           .scalars = t->plan->scalars,
                           .more = group_program,
                           .context = t};
    status = points_create(&config, &t->points, error);
    for (int m = 0; m < t->values && t->value != t->gradient && status == STATUS_OK; m++)
        route_fixed_directions(&t->value[m]);
    for (int m = 0; m < t->gradients && status == STATUS_OK; m++)
        route_fixed_directions(&t->gradient[m]);
    return status;
}

/* What looks at all parameters of the first layer in every step, or NULL. */
static const char *needs_whole_layer(const Settings *set) {
    return pde_optim_has(set->optimiser.kind, PDE_JACOBIAN)   ? "--optimiser natural"
           : pde_optim_has(set->optimiser.kind, PDE_ONE_LOSS) ? "--optimiser lbfgs"
           : set->clip > 0                                    ? "--clip"
           : set->average > 0                                 ? "--average"
           : set->balance                                     ? "--weights balance"
           : set->attack_steps > 0                            ? "--attack-steps"
                                                              : NULL;
}

bool session_divides_coordinates(const Session *s) {
    enum { MANY = 4096 }; /* below it the first layer is a small part of a step */
    const Settings *set = &s->settings;
    return set->ranks && set->divide != DIVIDE_POINTS && !needs_whole_layer(set) &&
           (set->divide == DIVIDE_COORDINATES || s->problem->inputs >= MANY);
}

/* First parameters. Of fields of fewer variables each set has units of its own: what would join them is zero. */
static Status first_parameters(Session *s, void *start, Error *error) {
    const Plan *plan = &s->problem->plan;
    network_initialise(&s->network, &s->settings, start);
    if (plan->sets == 0)
        return STATUS_OK;
    if (s->settings.width < plan->sets)
        return error_set(error, STATUS_OPTION_VALUE,
                         "the fields have %d different sets of variables, and each has hidden "
                         "units of its own: --width must be %d or more",
                         plan->sets, plan->sets);
    if (s->settings.ranks)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "fields of fewer variables are trained by one process: start pderun "
                         "without mpirun or srun");
    uint8_t *live = calloc((size_t)s->network.size, 1);
    if (live) {
        network_confine(&s->network, plan, live);
        network_scale_parts(&s->network, &s->settings, live, start);
    }
    bool ok = live && pde_engine_confine(s->engine, live);
    free(live);
    return ok ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the network");
}

static Status create_engine(Session *s, Error *error) {
    const Settings *set = &s->settings;
    if (set->ranks && set->divide == DIVIDE_COORDINATES && needs_whole_layer(set))
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "--distribute coordinates leaves each process a part of the first layer, and %s "
            "needs all of it in every step: leave one of them out",
            needs_whole_layer(set));
    if (s->problem->plan.linear && set->activation != PDE_ACT_identity)
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "this module was compiled for a network without activation (activation = identity), "
            "and its derivatives are wrong for --activation %s: change it in the .pde file",
            pde_activation_name(set->activation));
    PdeEngineConfig config = {.precision = set->precision,
                              .isa = PDE_ISA_BEST,
                              .threads = set->threads,
                              .layers = s->network.layers,
                              .width = s->network.width,
                              .activation = set->activation,
                              .ranks = ranks_shared(set->ranks, session_divides_coordinates(s)),
                              .optimiser = set->adam_first > 0 ? pde_optim_default(PDE_OPT_adam)
                                                               : set->optimiser};
    s->engine = pde_engine_create(&config);
    void *start = s->engine ? calloc((size_t)s->network.size, real_size(set->precision)) : NULL;
    if (!start)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a network of %lld parameters",
                         (long long)s->network.size);
    Status status = first_parameters(s, start, error);
    if (status == STATUS_OK)
        pde_engine_set(s->engine, PDE_SLOT_PARAMETERS, start);
    free(start);
    return status;
}

static Status create_all(Session *s, Error *error) {
    Status status = create_engine(s, error);
    int unknowns = s->problem->plan.unknowns, batches = 0;
    s->unknown_real = calloc((size_t)unknowns + 1, real_size(s->settings.precision));
    if (status == STATUS_OK && !s->unknown_real)
        status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the unknowns");
    for (int k = 0; k < unknowns && status == STATUS_OK; k++) {
        memcpy(s->unknown_limit[k], s->problem->unknown[k], sizeof s->unknown_limit[k]);
        s->unknown_limit[k][0] = unknown_size_at_start(s->problem->unknown[k]);
        s->unknown[k] = s->problem->unknown[k][0];
        real_set(s->settings.precision, s->unknown_real, k, s->unknown[k]);
    }
    int report = s->settings.report, count = report ? 1 : s->problem->plan.tasks;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        s->tasks = i + 1;
        status = create_task(s, i, report ? report : i, error);
        batches += s->task[i].gradients;
    }
    if (status == STATUS_OK && batches > GRADIENT_BATCHES_MAX)
        status = error_set(error, STATUS_OPTION_VALUE,
                           "--accumulate %d makes %d parts of a gradient, at most %d are possible",
                           s->settings.accumulate, batches, GRADIENT_BATCHES_MAX);
    if (status == STATUS_OK)
        status = joint_open(s, &s->joint, error);
    if (status == STATUS_OK)
        status = optimiser_open(s, error);
    if (status == STATUS_OK)
        status = hooks_open(s, error);
    return status;
}

Status session_open(const Problem *problem, const Settings *settings, Session *s, Error *error) {
    *s = (Session){.problem = problem, .settings = *settings, .balanced = -1};
    s->settings.precision = problem->precision;
    s->network = network_of(&s->settings, problem);
    for (int o = 0; o < PLAN_FIELDS_MAX; o++)
        s->output_scale[o] = 1;
    Status status = create_all(s, error);
    if (status != STATUS_OK)
        session_close(s);
    return status;
}

static void free_routes(Route *r, int count) {
    assert(count == 0 || r);
    for (int i = 0; i < count; i++)
        route_free(&r[i]);
    free(r);
}

void session_close(Session *s) {
    optimiser_close(s);
    hooks_close(s);
    joint_close(s->joint);
    for (int i = 0; i < s->tasks; i++) {
        Task *t = &s->task[i];
        if (t->value != t->gradient)
            free_routes(t->value, t->values);
        free_routes(t->gradient, t->gradients);
        points_free(&t->points);
        free(t->value_residual);
        free(t->multiplier);
        free(t->seed_unknown);
    }
    free(s->unknown_real);
    pde_engine_destroy(s->engine);
    *s = (Session){0};
}
