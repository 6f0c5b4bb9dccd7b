/* Time of a whole training step of a module, by phase: what pderun does between two log rows.
 * usage: bench_run MODULE.so [pderun options ...]      (30 steps unless --iterations is given) */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "runtime/scales.h"
#include "runtime/session.h"

enum { STEPS_MAX = 10000 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(Session *s) {
    static double all[STEPS_MAX];
    double least[PHASES];
    int64_t steps = s->settings.iterations < STEPS_MAX ? s->settings.iterations : STEPS_MAX;
    for (int i = 0; i < PHASES; i++)
        least[i] = 1e300;
    for (int64_t k = 0; k < steps; k++) {
        memset(s->seconds, 0, sizeof s->seconds);
        double start = seconds_now();
        session_gradient(s, (uint32_t)k);
        session_finite(s);
        session_update(s, 1e-4);
        all[k] = 1e3 * (seconds_now() - start);
        for (int i = 0; i < PHASES; i++)
            least[i] = s->seconds[i] < least[i] ? s->seconds[i] : least[i];
    }
    qsort(all, (size_t)steps, sizeof all[0], by_size);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%8lld %6lld %6s %9.3f %9.3f |", (long long)s->problem->d, (long long)s->settings.terms,
           algorithm_name(s->settings.algorithm), all[0], all[steps / 2]);
    for (int i = 0; i < PHASE_EVALUATE; i++)
        printf(" %8.3f", 1e3 * least[i]);
    printf(" | %6ld MB\n", usage.ru_maxrss / 1024);
}

static Status run(int argc, char **argv, Config *config, Error *error) {
    ModuleFile module;
    Settings settings;
    Problem problem;
    Session s;
    Bytes json;
    Status status = config_read_arguments(config, argc, argv, error);
    if (status == STATUS_OK)
        status = module_read(config->module ? config->module : "", &module, error);
    if (status != STATUS_OK)
        return status;
    if (module_section(&module, ".pde.conf", &json))
        status = config_read_json(config, CONFIG_MODULE, json, "the module", error);
    if (status == STATUS_OK)
        status = settings_read(config, &settings, error);
    if (status == STATUS_OK)
        status = problem_open(&module, config, settings.precision, &problem, error);
    if (status != STATUS_OK)
        return status;
    status = session_open(&problem, &settings, &s, error);
    if (status == STATUS_OK) {
        status = scales_choose(&s, error);
        measure(&s);
        session_close(&s);
    }
    problem_close(&problem);
    return status;
}

int main(int argc, char **argv) {
    Config config;
    Error error = {0};
    printf("       d  terms    alg    min ms    median |   points     sets    value     grad   update "
           "|  peak\n");
    if (config_init(&config, &error) == STATUS_OK)
        run(argc, argv, &config, &error);
    config_free(&config);
    if (error.status != STATUS_OK)
        fprintf(stderr, "bench_run: %s\n", error.message);
    return status_exit_code(error.status);
}
