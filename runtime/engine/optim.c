/* Optimiser defaults and learning-rate schedules: the parts of optim.def and schedule.def that do
 * not depend on the number type. Update rules are in engine/kernels/update.h.
 */
#include <math.h>

#include "engine/engine.h"

PdeOptimConfig pde_optim_default(PdeOptimiser kind) {
    static const double decay[] = {
#define OPTIMISER(name, slots, decay, text) decay,
#include "contract/optim.def"
#undef OPTIMISER
    };
    return (PdeOptimConfig){kind, 0.9, 0.999, 1e-8, decay[kind]};
}

static double rate_constant(double p, double final) {
    (void)p;
    (void)final;
    return 1.0;
}

static double rate_linear(double p, double final) {
    return 1.0 + p * (final - 1.0);
}

static double rate_exponential(double p, double final) {
    return pow(final, p);
}

static double rate_cosine(double p, double final) {
    return final + (1.0 - final) * 0.5 * (1.0 + cos(3.14159265358979323846 * p));
}

double pde_rate(const PdeRateConfig *config, int64_t step) {
    static double (*const fraction[])(double, double) = {
#define SCHEDULE(name, text) rate_##name,
#include "contract/schedule.def"
#undef SCHEDULE
    };
    if (step < config->warmup)
        return config->base * (double)(step + 1) / (double)config->warmup;
    int64_t length = config->total - config->warmup;
    double p = length > 0 ? (double)(step - config->warmup) / (double)length : 1.0;
    return config->base * fraction[config->kind](p < 1.0 ? p : 1.0, config->final);
}

const char *pde_optimiser_name(PdeOptimiser kind) {
    static const char *const name[] = {
#define OPTIMISER(name, slots, decay, text) #name,
#include "contract/optim.def"
#undef OPTIMISER
    };
    return name[kind];
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
#define ACTIVATION(name, text) #name,
#include "contract/activation.def"
#undef ACTIVATION
    };
    return name[kind];
}
