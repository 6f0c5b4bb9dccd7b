/* Optimiser defaults and learning-rate schedules: the parts of optim.def and schedule.def that do
 * not depend on the number type. Update rules are in engine/kernels/update.h.
 */
#include <assert.h>
#include <math.h>

#include "engine/engine.h"

typedef struct Row {
    const char *name;
    int states;
    double beta1, beta2, beta3, decay;
    unsigned traits;
} Row;

static const Row rows[] = {
#define OPTIMISER(name, class, states, beta1, beta2, beta3, decay, traits, text)                   \
    {#name, states, beta1, beta2, beta3, decay, traits},
#include "contract/optim.def"
#undef OPTIMISER
};

PdeOptimConfig pde_optim_default(PdeOptimiser kind) {
    const Row *r = &rows[kind];
    return (PdeOptimConfig){kind, r->beta1, r->beta2, r->beta3, 1e-8, r->decay};
}

int pde_optim_states(PdeOptimiser kind) {
    assert(kind < PDE_OPTIMISERS);
    return rows[kind].states;
}

int pde_optim_has(PdeOptimiser kind, unsigned trait) {
    return (rows[kind].traits & trait) != 0;
}

PdeOptimConfig pde_optim_unknowns(const PdeOptimConfig *o) {
    return pde_optim_states(o->kind) > 2 ? pde_optim_default(PDE_OPT_adam) : *o;
}

PdeRule pde_optim_rule(const PdeOptimConfig *o, double rate, int64_t t) {
    assert(t > 0);
    double one = 1 - pow(o->beta1, (double)t), two = 1 - pow(o->beta2, (double)t);
    return (PdeRule){.rate = rate,
                     .beta1 = o->beta1,
                     .beta2 = o->beta2,
                     .beta3 = o->beta3,
                     .epsilon = o->epsilon,
                     .decay = o->decay,
                     .step = rate / one,
                     .step2 = rate / two,
                     .root = 1 / sqrt(two),
                     .root3 = 1 / sqrt(1 - pow(o->beta3, (double)t)),
                     .later = t > 1};
}

/* Where a schedule is: progress in [0,1], and which step after warm-up, from 1. */
typedef struct RatePlace {
    double progress, step;
} RatePlace;

static double rate_constant(const PdeRateConfig *c, RatePlace at) {
    (void)c;
    (void)at;
    return 1.0;
}

static double rate_linear(const PdeRateConfig *c, RatePlace at) {
    return 1.0 + at.progress * (c->final - 1.0);
}

static double rate_exponential(const PdeRateConfig *c, RatePlace at) {
    return pow(c->final, at.progress);
}

static double rate_cosine(const PdeRateConfig *c, RatePlace at) {
    return c->final + (1.0 - c->final) * 0.5 * (1.0 + cos(3.14159265358979323846 * at.progress));
}

static double rate_power(const PdeRateConfig *c, RatePlace at) {
    return pow(at.step + c->offset, -c->exponent);
}

double pde_rate(const PdeRateConfig *config, int64_t step) {
    assert(step >= 0);
    static double (*const fraction[])(const PdeRateConfig *, RatePlace) = {
#define SCHEDULE(name, text) rate_##name,
#include "contract/schedule.def"
#undef SCHEDULE
    };
    if (step < config->warmup)
        return config->base * (double)(step + 1) / (double)config->warmup;
    const int64_t length = config->total - config->warmup, after = step - config->warmup;
    const double p = length > 0 ? (double)after / (double)length : 1.0;
    return config->base *
           fraction[config->kind](config, (RatePlace){p < 1.0 ? p : 1.0, (double)after + 1});
}

const char *pde_optimiser_name(PdeOptimiser kind) {
    return rows[kind].name;
}

const char *pde_schedule_name(PdeSchedule kind) {
    static const char *const name[] = {
#define SCHEDULE(name, text) #name,
#include "contract/schedule.def"
#undef SCHEDULE
    };
    return name[kind];
}

const char *pde_activation_name(PdeActivation kind) {
    static const char *const name[] = {
#define ACTIVATION(name, ...) #name,
#include "contract/activation.def"
#undef ACTIVATION
    };
    return name[kind];
}
