/* settings.c: from words to rows of tables. The words of a CHOICE in option.def stand in the order
 * of the enumerations here, which its table of names is made from or checked against. */
#include "options/settings.h"

#include <math.h>
#include <string.h>

typedef struct AlgorithmRow {
    const char *name;
    Terms value, gradient;
    const char *text;
} AlgorithmRow;

static const AlgorithmRow algorithms[] = {
#define ALGORITHM(name, value, gradient, text) {#name, value, gradient, text},
#include "options/algorithm.def"
};

const char *algorithm_name(Algorithm a) {
    return algorithms[a].name;
}

const char *algorithm_text(Algorithm a) {
    return algorithms[a].text;
}

Terms algorithm_value(Algorithm a) {
    return algorithms[a].value;
}

Terms algorithm_gradient(Algorithm a) {
    return algorithms[a].gradient;
}

static int schedule_of(const char *name) {
    for (int i = 0; i < PDE_SCHEDULES; i++)
        if (strcmp(pde_schedule_name((PdeSchedule)i), name) == 0)
            return i;
    return 0;
}

/* linear(a, b) and cosine(a, b) go from a to b; exponential(a, q) multiplies by q each step; power(a, m, p) is
 * a / (n + m)^p in step n. A further argument is the number of warm-up steps. */
static void read_rate(const char *text, int64_t iterations, PdeRateConfig *rate) {
    RateText given = {.schedule = "constant", .argument = {1e-3}, .count = 1};
    (void)config_read_rate(text, &given); /* checked when the option was read */
    *rate = (PdeRateConfig){.kind = (PdeSchedule)schedule_of(given.schedule),
                            .base = given.argument[0],
                            .final = 1,
                            .total = iterations > 0 ? iterations : 1};
    int used = 1;
    if (rate->kind == PDE_RATE_power) {
        rate->offset = given.count > 1 ? given.argument[1] : 0;
        rate->exponent = given.count > 2 ? given.argument[2] : 1;
        used = 3;
    } else if (rate->kind != PDE_RATE_constant && given.count > 1) {
        double second = given.argument[1];
        rate->final = rate->kind == PDE_RATE_exponential ? pow(second, (double)iterations)
                      : rate->base > 0                   ? second / rate->base
                                                         : 0;
        used = 2;
    }
    if (given.count > used)
        rate->warmup = (int64_t)given.argument[used];
}

/* Position of a CHOICE's word. */
static int64_t choice(const Config *c, Option option) {
    return c->value[option].integer;
}

/* Points or terms of what runs before a choice, or without one (--selftest). */
enum { UNDECIDED = 100 };

static void read_method(const Config *c, Settings *s) {
    s->algorithm = (Algorithm)choice(c, OPTION_ALGORITHM);
    s->estimator = (Estimator)choice(c, OPTION_ESTIMATOR);
    s->slice_sets = config_is(c, OPTION_INDEX_SETS, "slice");
    s->per_point = s->slice_sets || config_is(c, OPTION_INDEX_SETS, "per-point");
    s->slices = config_integer(c, OPTION_SLICES);
    s->resample = config_integer(c, OPTION_RESAMPLE);
    s->lattice = config_is(c, OPTION_SAMPLING, "lattice");
    s->points_auto = config_is(c, OPTION_POINTS, "auto");
    s->terms_auto = config_is(c, OPTION_TERMS, "auto");
    s->points = s->points_auto ? UNDECIDED : config_integer(c, OPTION_POINTS);
    s->terms = s->terms_auto ? UNDECIDED : config_integer(c, OPTION_TERMS);
    s->value_terms = config_integer(c, OPTION_VALUE_TERMS);
    if (s->value_terms == 0)
        s->value_terms = s->terms;
    s->accumulate = (int)config_integer(c, OPTION_ACCUMULATE);
    s->attack_steps = (int)config_integer(c, OPTION_ATTACK_STEPS);
    s->attack_size = config_number(c, OPTION_ATTACK_SIZE);
    s->attack_terms = config_integer(c, OPTION_ATTACK_TERMS);
    s->balance = config_is(c, OPTION_WEIGHTS, "balance");
    s->balance_every = config_integer(c, OPTION_BALANCE_EVERY);
    s->balance_keep = config_number(c, OPTION_BALANCE_KEEP);
    s->scale_auto = config_is(c, OPTION_SCALE, "auto");
    s->scale_none = config_is(c, OPTION_SCALE, "none");
    s->scale = s->scale_none ? 1 : config_number(c, OPTION_SCALE);
}

static void set_number(const Config *c, Option option, double *to) {
    if (config_is_set(c, option))
        *to = config_number(c, option);
}

static void read_network(const Config *c, Settings *s) {
    s->width = config_integer(c, OPTION_WIDTH);
    s->depth = (int)config_integer(c, OPTION_DEPTH);
    s->activation = (PdeActivation)choice(c, OPTION_ACTIVATION);
    s->init = (Initialisation)choice(c, OPTION_INIT);
    s->init_first = config_number(c, OPTION_INIT_FIRST);
    s->optimiser = pde_optim_default((PdeOptimiser)choice(c, OPTION_OPTIMISER));
    s->momentum_auto = config_is(c, OPTION_MOMENTUM, "auto");
    if (pde_optim_has(s->optimiser.kind, PDE_MOMENTUM))
        s->optimiser.beta1 = s->momentum_auto ? 0.9 : config_number(c, OPTION_MOMENTUM);
    else
        set_number(c, OPTION_BETA1, &s->optimiser.beta1);
    set_number(c, OPTION_BETA2, &s->optimiser.beta2);
    set_number(c, OPTION_BETA3, &s->optimiser.beta3);
    set_number(c, OPTION_EPSILON, &s->optimiser.epsilon);
    if (!pde_optim_has(s->optimiser.kind,
                       PDE_JACOBIAN)) /* its step is not along a gradient of the loss */
        set_number(c, OPTION_DECAY, &s->optimiser.decay);
    s->clip = config_number(c, OPTION_CLIP);
    s->damping = config_number(c, OPTION_DAMPING);
    s->natural_space = (NaturalSpaceChoice)choice(c, OPTION_NATURAL_SPACE);
    s->jacobian_bytes = config_integer(c, OPTION_JACOBIAN_MEMORY) * 1000000;
    s->step_limit = config_number(c, OPTION_STEP_LIMIT);
    s->adam_first = config_integer(c, OPTION_ADAM_FIRST);
    s->fresh = config_integer(c, OPTION_FRESH);
    s->precision = (PdePrecision)choice(c, OPTION_PRECISION);
    s->threads = (int)config_integer(c, OPTION_THREADS);
    s->ranks = c->ranks;
    s->divide = config_is(c, OPTION_DISTRIBUTE, "coordinates") ? DIVIDE_COORDINATES
                : config_is(c, OPTION_DISTRIBUTE, "auto")      ? DIVIDE_AUTO
                                                               : DIVIDE_POINTS;
}

static Status check_slices(const Settings *s, Error *error) {
    if (s->slice_sets && s->slices == 0)
        return error_set(error, STATUS_OPTION_CONFLICT, "--index-sets slice needs --slices");
    if (s->slices > 0 && s->lattice)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--slices draws points along random paths: leave out --sampling lattice");
    if (s->slices > 0 && (s->points_auto || s->points % s->slices != 0))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--slices %lld needs --points that are a multiple of it: the paths times "
                         "their slices",
                         (long long)s->slices);
    return STATUS_OK;
}

Status settings_read(const Config *c, Settings *s, Error *error) {
    *s = (Settings){0};
    read_method(c, s);
    read_network(c, s);
    s->seed = (uint64_t)config_integer(c, OPTION_SEED);
    s->iterations = config_integer(c, OPTION_ITERATIONS);
    read_rate(config_text(c, OPTION_RATE), s->iterations, &s->rate);
    s->log_every = config_integer(c, OPTION_LOG_EVERY);
    s->checkpoint_every = config_integer(c, OPTION_CHECKPOINT_EVERY);
    s->patience = config_integer(c, OPTION_PATIENCE);
    s->held_out = config_integer(c, OPTION_HELD_OUT);
    s->fall_back = config_number(c, OPTION_FALL_BACK);
    s->average = config_number(c, OPTION_AVERAGE);
    s->test_points = config_integer(c, OPTION_TEST_POINTS);
    s->keep = (int)config_integer(c, OPTION_KEEP);
    s->time_limit = config_number(c, OPTION_TIME_LIMIT);
    s->stop_below = config_number(c, OPTION_STOP_BELOW);
    s->non_finite = (NonFinite)choice(c, OPTION_NON_FINITE);
    if (s->depth < 2 || s->depth > PDE_MAX_LAYERS)
        return error_set(error, STATUS_OPTION_VALUE,
                         "a network has 2 to %d weight layers, --depth gives %d", PDE_MAX_LAYERS,
                         s->depth);
    if (s->iterations > ITERATIONS_MOST)
        return error_set(error, STATUS_OPTION_VALUE, "at most %lld iterations are possible",
                         (long long)ITERATIONS_MOST);
    return check_slices(s, error);
}
