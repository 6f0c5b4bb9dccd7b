/* candidate.c: see candidate.h. */
#define _POSIX_C_SOURCE 200809L
#include "choose/candidate.h"

#include "choose/effort.h"
#include "load/variant.h"
#include "measure/auto_sizes.h"
#include "measure/scales/scales.h"
#include "step/optimiser.h"
#include "train/recheck.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(Candidate *c, const Error *error) {
    c->stage = STAGE_FAILED;
    snprintf(c->why, sizeof c->why, "%.250s", error->message);
}

/* ---------------------------------------------------------------------------------- its settings */

static Status choose_integer(Config *config, Option option, int64_t value, Error *error) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)value);
    return config_choose(config, option, number, error);
}

/* Sampled terms: Adam, with as many points and terms as the pilot finds best, where there is time for one. */
static Status choose_adam(Config *config, const Facts *facts, Error *error) {
    const char *size = rule_pilot(facts) ? "auto" : "64";
    Status status = config_choose(config, OPTION_OPTIMISER, "adam", error);
    if (status == STATUS_OK && !rule_pilot(facts))
        status = choose_integer(config, OPTION_WIDTH, rule_width(facts), error);
    if (status == STATUS_OK)
        status = config_choose(config, OPTION_POINTS, size, error);
    if (status == STATUS_OK)
        status = config_choose(config, OPTION_TERMS, size, error);
    return status;
}

static Status choose_natural(Config *config, const Facts *facts, Error *error) {
    static const char *const algorithm[] = {"exact", "full", "3"};
    const Tweak tweak[] = {{OPTION_OPTIMISER, "natural"},
                           {OPTION_ALGORITHM, algorithm[rule_sums(facts)]},
                           {OPTION_RATE, "linear(0.1,0)"},
                           {OPTION_MOMENTUM, "auto"},
                           {OPTION_DAMPING, "1e-6"}};
    Status status = choose_integer(config, OPTION_POINTS, rule_points(facts), error);
    for (size_t k = 0; k < sizeof tweak / sizeof *tweak && status == STATUS_OK; k++)
        status = config_choose(config, tweak[k].option, tweak[k].value, error);
    return status;
}

/* Whoever states another optimiser gets the defaults that belong to it. */
static Status choose_method(Config *config, const Facts *facts, Error *error) {
    bool other = config_is_stated(config, OPTION_OPTIMISER) &&
                 !config_is(config, OPTION_OPTIMISER, "natural");
    if (other)
        return STATUS_OK;
    bool natural = rule_natural(facts) || config_is_stated(config, OPTION_OPTIMISER);
    return natural ? choose_natural(config, facts, error) : choose_adam(config, facts, error);
}

static Status choose_by_rules(Candidate *c, const Facts *facts, Error *error) {
    Config *config = &c->config;
    Status status = choose_method(config, facts, error);
    if (status == STATUS_OK && rule_natural(facts))
        status = choose_integer(config, OPTION_WIDTH, rule_width(facts), error);
    if (status == STATUS_OK && !c->problem.plan.linear)
        status = config_choose(config, OPTION_ACTIVATION,
                               pde_activation_name(rule_activation(facts)), error);
    for (int k = 0; k < c->tweaks && status == STATUS_OK; k++)
        status = config_choose(config, c->tweak[k].option, c->tweak[k].value, error);
    return status;
}

/* ------------------------------------------------------------------------------------- opening */

static Status open_module(const ModuleFile *module, const Config *config, ModuleFile *copy,
                          Error *error) {
    char *data = malloc(module->size);
    if (!data)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a copy of the module");
    memcpy(data, module->data, module->size);
    Status status = module_parse(config->module, data, module->size, copy, error);
    if (status == STATUS_OK)
        status = variant_select(copy, config->module, config_text(config, OPTION_VARIANT), error);
    return status;
}

Status candidate_problem(const Candidate *c, const ModuleFile *module, PdePrecision precision,
                         Problem *problem, Error *error) {
    assert(c->name[0]);
    ModuleFile copy = {0};
    Status status = open_module(module, &c->config, &copy, error);
    if (status == STATUS_OK)
        status = problem_open(&copy, &c->config, precision, problem, error);
    module_free(&copy);
    return status;
}

/* The precision is a matter of the number of inputs, which the problem has to be opened for. */
static Status open_and_choose(Candidate *c, const ModuleFile *module, double seconds,
                              Error *error) {
    Status status = candidate_problem(c, module, PDE_F32, &c->problem, error);
    if (status != STATUS_OK)
        return status;
    Facts facts = facts_of(&c->problem, seconds);
    status = config_choose(&c->config, OPTION_PRECISION,
                           rule_precision(&facts) == PDE_F64 ? "float64" : "float32", error);
    if (status == STATUS_OK)
        status = choose_by_rules(c, &facts, error);
    if (status == STATUS_OK)
        status = settings_read(&c->config, &c->settings, error);
    if (status == STATUS_OK && c->settings.precision != PDE_F32) {
        problem_close(&c->problem);
        status = candidate_problem(c, module, c->settings.precision, &c->problem, error);
    }
    if (status == STATUS_OK)
        status = optimiser_imply(&c->config, &c->problem, error);
    if (status == STATUS_OK)
        status = settings_read(&c->config, &c->settings, error);
    return status;
}

/* The best of a few steps, after one that warms up. They are of a session that is thrown away. False: some number in
 * them was not finite. */
static bool measure_step(Candidate *c, Session *s) {
    enum { STEPS = 4 };
    bool finite = true;
    c->step_seconds = HUGE_VAL;
    for (uint32_t i = 0; i < STEPS; i++) {
        Stopwatch start = stopwatch_start();
        finite = session_step(s, i, 1e-6) && finite;
        if (i > 0)
            c->step_seconds = fmin(c->step_seconds, stopwatch_seconds(start));
    }
    return finite;
}

static Status prepare(Candidate *c, bool *finite, Error *error) {
    assert(c->stage == STAGE_FAILED || c->stage == STAGE_OPEN);
    Choice choice;
    Session s;
    Status status = choice_make(&c->problem, &c->config, &c->settings, &choice, error);
    if (status == STATUS_OK)
        status = session_open(&c->problem, &c->settings, &s, error);
    if (status != STATUS_OK)
        return status;
    status = scales_choose(&s, error);
    if (status == STATUS_OK)
        status = state_take(&s, &c->state, error);
    if (status == STATUS_OK)
        *finite = measure_step(c, &s);
    session_close(&s);
    return status;
}

/* Where single precision does not get through the first steps, double may. */
static Status prepare_wide(Candidate *c, const ModuleFile *module, Error *error) {
    bool finite = true;
    Status status = prepare(c, &finite, error);
    if (status != STATUS_OK || finite || c->settings.precision == PDE_F64 ||
        config_is_stated(&c->config, OPTION_PRECISION))
        return status;
    problem_close(&c->problem);
    status = config_choose(&c->config, OPTION_PRECISION, "float64", error);
    if (status == STATUS_OK)
        status = settings_read(&c->config, &c->settings, error);
    if (status == STATUS_OK)
        status = candidate_problem(c, module, PDE_F64, &c->problem, error);
    return status == STATUS_OK ? prepare(c, &finite, error) : status;
}

Status candidate_open(Candidate *c, const ModuleFile *module, const Config *config, double seconds,
                      Error *error) {
    assert(seconds >= 0 && module->data);
    Error own = {0};
    c->measure = c->error = c->noise = c->relative = (double)NAN;
    Status status = config_copy(&c->config, config, error);
    if (status != STATUS_OK)
        return status;
    for (int k = 0; k < c->tweaks && status == STATUS_OK; k++)
        if (c->tweak[k].option == OPTION_VARIANT)
            status = config_choose(&c->config, OPTION_VARIANT, c->tweak[k].value, error);
    if (status != STATUS_OK)
        return status;
    c->stage = STAGE_OPEN;
    status = open_and_choose(c, module, seconds, &own);
    if (status == STATUS_OK)
        status = prepare_wide(c, module, &own);
    if (status != STATUS_OK)
        fail(c, &own);
    if (status == STATUS_OUT_OF_MEMORY)
        return error_set(error, status, "%s", own.message);
    return STATUS_OK;
}

void candidate_close(Candidate *c) {
    problem_close(&c->problem);
    state_free(&c->state);
    config_free(&c->config);
    *c = (Candidate){0};
}

/* ------------------------------------------------------------------------------------- training */

/* As in a run (train/recheck.h), but only while there is time to begin anew. */
static Status recheck(const Candidate *c, Session *s, int64_t done, Error *error) {
    Buffer said = {0};
    if (done > c->slot / 4 || !recheck_due(s, done))
        return STATUS_OK;
    Status status = recheck_scales(s, done, &said, error);
    buffer_free(&said);
    return status;
}

static Status train_session(Candidate *c, Session *s, int64_t to,
                            const volatile sig_atomic_t *interrupt, Error *error) {
    Settings slot = c->settings;
    slot.rate.total = c->slot;
    Status status = STATUS_OK;
    while (c->done < to && status == STATUS_OK && !*interrupt) {
        if (!session_step(s, (uint32_t)c->done, pde_rate(&slot.rate, c->done)))
            return error_set(error, STATUS_NON_FINITE, "a step was not finite at iteration %lld",
                             (long long)c->done);
        c->done++;
        status = recheck(c, s, c->done, error);
    }
    return status;
}

/* So many steps say more of what one costs than the first few of a session, of which some are undone. */
enum { STEPS_ENOUGH = 8 };

Status candidate_train(Candidate *c, int64_t to, const volatile sig_atomic_t *interrupt,
                       Error *error) {
    assert(to >= 0 && to <= c->slot && c->stage != STAGE_FAILED);
    Session s;
    Error own = {0};
    Settings settings = c->settings;
    settings.rate.total = c->slot;
    Status status = session_open(&c->problem, &settings, &s, &own);
    if (status == STATUS_OK) {
        const Stopwatch start = stopwatch_start();
        const int64_t before = c->done;
        state_give(&c->state, &s);
        status = train_session(c, &s, to, interrupt, &own);
        if (c->done - before >= STEPS_ENOUGH)
            c->step_seconds = stopwatch_seconds(start) / (double)(c->done - before);
        if (status == STATUS_OK)
            status = state_take(&s, &c->state, &own);
        session_close(&s);
    }
    if (status != STATUS_OK)
        fail(c, &own);
    if (status == STATUS_OUT_OF_MEMORY)
        return error_set(error, status, "%s", own.message);
    return STATUS_OK;
}

Status candidate_session(const Candidate *c, int64_t points, Session *s, Error *error) {
    assert(c->stage != STAGE_FAILED && points > 0);
    Settings set = c->settings;
    Facts facts = facts_of(&c->problem, 0);
    set.points = points;
    set.algorithm = facts.exact                          ? ALGORITHM_exact
                    : facts.terms > 256 && facts.samples ? ALGORITHM_2
                                                         : ALGORITHM_full;
    set.terms = set.value_terms = 64;
    set.estimator = ESTIMATOR_COORDINATE;
    set.per_point = set.slice_sets = false;
    set.slices = 0;
    set.accumulate = 1;
    set.optimiser = pde_optim_default(PDE_OPT_adam);
    set.adam_first = 0;
    set.attack_steps = 0;
    set.balance = false;
    set.average = 0;
    Status status = session_open(&c->problem, &set, s, error);
    if (status == STATUS_OK)
        state_begin(&c->state, s);
    return status;
}
