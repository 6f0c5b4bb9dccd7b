/* Time of a whole training step of a module, by phase: what pderun does between two log rows.
 * usage: bench_run MODULE.so [pderun options ...]     one row; --iterations steps are measured
 *        bench_run natural MODULE.so [options ...]     a natural step beside one of Adam, in turns
 *        bench_run limits      the machine's FMA peak in GFLOP/s and its memory's GB/s
 * The environment's BENCH_LIMITS, as the second form prints them, give the fractions of a row. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "limits.h"
#include "runtime/measure/scales/scales.h"
#include "runtime/step/session.h"

enum { STEPS_MAX = 10000, WARM_STEPS = 3 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a step computes and moves, at least: jets and values through the inner layers, products with
 * the points and of their adjoints, the update's reading and writing of parameters and state. */
typedef struct Work {
    double gradient, update, bytes;
} Work;

static Work work_of(const Session *s) {
    const int64_t *width = s->network.width;
    double B = (double)s->settings.points, in = (double)width[0], h = (double)width[1], inner = 0;
    Work w = {0};
    for (int l = 1; l < s->network.layers; l++)
        inner += (double)(width[l] * width[l + 1]);
    for (int i = 0; i < s->tasks; i++)
        for (int m = 0; m < s->task[i].gradients; m++) {
            const Route *r = &s->task[i].gradient[m];
            double K = (double)pde_batch_direction_count(r->batch);
            double turned = (double)pde_batch_rotated(r->batch);
            K -= turned > h ? turned - h : 0; /* no more than h rows are left of them */
            double gram = r->gram_weight && r->exact ? 2 * in * h * h : 0;
            w.gradient += 6 * B * (K > 0 ? K + 2 : 1) * inner +
                          (s->task[i].values ? 0 : 2 * B * in * h) + gram;
            w.update += 2 * B * in * h + gram;
        }
    size_t real = s->settings.precision == PDE_F64 ? sizeof(double) : sizeof(float);
    w.bytes = 2.0 * (double)real * (1 + pde_engine_slots(s->engine)) * (double)s->network.size;
    return w;
}

static double percent(double amount, double seconds, double giga) {
    return giga > 0 && seconds > 0 ? 1e-7 * amount / seconds / giga : 0;
}

static void print_fractions(const Session *s, const double *least) {
    const char *limits = getenv("BENCH_LIMITS");
    char *end = NULL;
    double gflops = limits ? strtod(limits, &end) : 0, gbytes = limits ? strtod(end, NULL) : 0;
    Work w = work_of(s);
    printf(" | %4.0f%% %4.0f%% %4.0f%%", percent(w.gradient, least[PHASE_GRADIENT], gflops),
           percent(w.update, least[PHASE_UPDATE], gflops),
           percent(w.bytes, least[PHASE_UPDATE], gbytes));
}

static void measure(Session *s) {
    static double all[STEPS_MAX];
    double least[PHASES];
    int64_t steps = s->settings.iterations < STEPS_MAX ? s->settings.iterations : STEPS_MAX;
    for (int i = 0; i < PHASES; i++)
        least[i] = 1e300;
    for (int64_t k = -WARM_STEPS; k < steps; k++) {
        memset(s->seconds, 0, sizeof s->seconds);
        double start = seconds_now();
        session_step(s, (uint32_t)(k + WARM_STEPS), 1e-4);
        if (k < 0)
            continue;
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
    print_fractions(s, least);
    printf(" | %6ld", usage.ru_maxrss / 1024);
}

/* Steps of Adam and of natural gradient in turns, so that a busy machine slows both. */
static Status compare(const Problem *p, const Settings *settings, Error *error) {
    static double all[2][STEPS_MAX];
    static const PdeOptimiser kind[2] = {PDE_OPT_adam, PDE_OPT_natural};
    int64_t steps = settings->iterations < STEPS_MAX ? settings->iterations : STEPS_MAX;
    Session s[2];
    Status status = STATUS_OK;
    int open = 0;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        Settings own = *settings;
        own.optimiser = pde_optim_default(kind[i]);
        own.adam_first = 0;
        status = session_open(p, &own, &s[i], error);
        open += status == STATUS_OK;
        if (status == STATUS_OK)
            status = scales_choose(&s[i], error);
    }
    for (int64_t k = -WARM_STEPS; k < steps && status == STATUS_OK; k++)
        for (int i = 0; i < 2; i++) {
            double start = seconds_now();
            session_step(&s[i], (uint32_t)(k + WARM_STEPS), 1e-4);
            if (k >= 0)
                all[i][k] = 1e3 * (seconds_now() - start);
        }
    for (int i = 0; i < open; i++) {
        qsort(all[i], (size_t)steps, sizeof all[i][0], by_size);
        session_close(&s[i]);
    }
    if (status == STATUS_OK)
        printf("%8lld %6lld %6s | %9.3f %9.3f | %9.3f %9.3f | %5.2f %5.2f", (long long)p->d,
               (long long)settings->points, algorithm_name(settings->algorithm), all[0][0],
               all[0][steps / 2], all[1][0], all[1][steps / 2], all[1][0] / all[0][0],
               all[1][steps / 2] / all[0][steps / 2]);
    return status;
}

static Status time_one(const Problem *p, const Settings *settings, Error *error) {
    Session s;
    Status status = session_open(p, settings, &s, error);
    if (status != STATUS_OK)
        return status;
    status = scales_choose(&s, error);
    measure(&s);
    session_close(&s);
    return status;
}

static Status run(int argc, char **argv, bool natural, Config *config, Error *error) {
    ModuleFile module;
    Settings settings;
    Problem problem;
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
    status = natural ? compare(&problem, &settings, error) : time_one(&problem, &settings, error);
    problem_close(&problem);
    return status;
}

int main(int argc, char **argv) {
    Config config;
    Error error = {0};
    if (argc == 2 && strcmp(argv[1], "limits") == 0) {
        Limits l = bench_limits(0);
        printf("%.1f %.1f %s, %d threads\n", 1e-6 * l.flops, 1e-6 * l.bytes, l.isa, l.threads);
        return l.flops > 0 ? 0 : 3;
    }
    bool natural = argc > 1 && strcmp(argv[1], "natural") == 0;
    if (config_init(&config, &error) == STATUS_OK)
        run(argc - natural, argv + natural, natural, &config, &error);
    config_free(&config);
    if (error.status != STATUS_OK)
        fprintf(stderr, "bench_run: %s\n", error.message);
    else
        printf("\n");
    return status_exit_code(error.status);
}
