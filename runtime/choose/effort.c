/* effort.c: see effort.h. */
#include "choose/effort.h"

#include "step/session.h"

#include <math.h>

bool effort_applies(const Config *config, const Plan *plan) {
    if (config_is(config, OPTION_EFFORT, "none"))
        return false;
    return plan->automatic || config_is_stated(config, OPTION_EFFORT) ||
           config_is_stated(config, OPTION_TIME) || config_flag(config, OPTION_SUGGEST);
}

static double effort_seconds(const Config *config) {
    if (config_is_stated(config, OPTION_TIME))
        return config_number(config, OPTION_TIME);
    return config_is(config, OPTION_EFFORT, "quick")      ? 10
           : config_is(config, OPTION_EFFORT, "thorough") ? 600
                                                          : 60;
}

/* Iterations of the file give way to a budget of the command line. */
static bool iterations_count(const Config *config) {
    ConfigSource source = config->value[OPTION_ITERATIONS].source;
    return config_is_stated(config, OPTION_ITERATIONS) &&
           (source == CONFIG_COMMAND_LINE || (source >= config->value[OPTION_EFFORT].source &&
                                              source >= config->value[OPTION_TIME].source));
}

Budget effort_budget(const Config *config) {
    return (Budget){effort_seconds(config),
                    iterations_count(config) ? config_integer(config, OPTION_ITERATIONS) : 0};
}

Stopwatch stopwatch_start(void) {
    return (Stopwatch){seconds_now(), cpu_seconds_now()};
}

double stopwatch_seconds(Stopwatch start) {
    return fmin(seconds_now() - start.wall, cpu_seconds_now() - start.cpu);
}

int64_t effort_round(double iterations, int64_t least) {
    double power = iterations > 1 ? round(2 * log2(iterations)) / 2 : 0;
    int64_t n = (int64_t)round(exp2(power));
    return n > least ? n : least;
}
