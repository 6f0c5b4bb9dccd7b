/* Steps on a device against steps of the host: the same points, sets, losses and parameters.
 *
 *     test_cuda_step TOLERANCE STEPS ORDER MEMORY module.so [options of pderun]
 *
 * ORDER 0, 1, 2: the kernels as C on the host, threads of a block as they come, in reverse,
 * shuffled; device: through the driver's interface, which the software device may stand in for.
 * MEMORY: megabytes of the device, 0 for enough (little makes tiles of points). TOLERANCE holds for
 * each array: largest difference in parts of its largest number. Parameters move by the optimiser's
 * rule, where a gradient that is zero but for rounding is divided by its own size: they are
 * compared by their change as a whole. */
#include "emulate.h"
#include "runtime/commands/pderun.h"
#include "runtime/cuda/device/driver.h"
#include "runtime/cuda/step/device_session.h"
#include "runtime/engine/real.h"
#include "runtime/cache/cache.h"
#include "runtime/measure/evaluate.h"
#include "runtime/measure/scales/scales.h"
#include "runtime/step/average.h"
#include "runtime/step/lbfgs/lbfgs.h"
#include "runtime/step/natural/natural.h"
#include "runtime/step/route.h"
#include "runtime/step/vector_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double tolerance;
static int failures;
static double most_caution = 1;

static void report(const char *what, int step, double difference, double size) {
    double relative = difference / (size > 0 ? size : 1);
    if (relative <= tolerance)
        return;
    printf("step %d: %s differs by %.3g of %.3g: %.3g\n", step, what, difference, size, relative);
    failures++;
}

static void *copy_of(CudaSession *s, const void *from, size_t bytes) {
    void *to = calloc(bytes + 1, 1);
    if (from)
        backend_download(s->backend, to, from, bytes);
    return to;
}

static void compare(CudaSession *s, const char *what, int step, const void *a, const void *device,
                    int64_t n) {
    PdePrecision p = s->host->settings.precision;
    void *b = copy_of(s, device, (size_t)n * real_size(p));
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = real_get(p, a, i), y = real_get(p, b, i);
        difference = x == y ? difference : fmax(difference, isnan(x - y) ? 1e300 : fabs(x - y));
        size = fmax(size, fabs(x));
    }
    report(what, step, difference, size);
    free(b);
}

static void compare_sets(int step, const Route *host, const CudaRoute *r) {
    const PlanTask *plan = host->task->plan;
    for (int f = 0; f < plan->families && !host->exact; f++) {
        int64_t n = host->count[f] * plan->family[f].indices *
                    (host->per_point ? host->task->session->settings.points : 1);
        void *set = copy_of(r->task->s, r->set[f], (size_t)n * sizeof(uint32_t));
        if (memcmp(host->set[f], set, (size_t)n * sizeof(uint32_t)) != 0)
            report("an index set", step, 1, 0);
        free(set);
    }
}

static void compare_task(int step, const Task *host, const CudaTask *t) {
    const Problem *q = host->session->problem;
    const Points *p = &host->points;
    int64_t B = host->session->settings.points, groups = B / PDE_LANES;
    CudaSession *c = t->s;
    if (groups == 0)
        return;
    compare(c, "points", step, p->c.x, t->x, groups * q->n_in * PDE_LANES);
    compare(c, "aux", step, p->aux, t->aux, groups * q->aux_rows * PDE_LANES);
    if (p->normal)
        compare(c, "normals", step, p->normal, t->normal, groups * q->d * PDE_LANES);
    compare(c, "scalars", step, p->scalar, t->scalar, groups * p->c.scalars * PDE_LANES);
    for (int m = 0; m < (host->entries ? 1 : host->gradients); m++) {
        const Route *route = host->entries ? &host->entries->route : &host->gradient[m];
        const CudaRoute *r = t->entries ? t->entries : &t->gradient[m];
        compare_sets(step, route, r);
        compare(c, "residuals", step, route->residual, r->residual, B * route_residuals(route));
    }
}

/* Change of all parameters since the start, as one vector. */
static void compare_parameters(int step, const Session *s, CudaSession *c, const void *start) {
    int64_t n = s->network.size;
    PdePrecision p = s->settings.precision;
    void *mine = malloc((size_t)n * real_size(p));
    void *theta = copy_of(c, c->theta, (size_t)n * real_size(p));
    double difference = 0, size = 0;
    pde_engine_get(s->engine, PDE_SLOT_PARAMETERS, mine);
    for (int64_t i = 0; i < n; i++) {
        double x = real_get(p, mine, i), y = real_get(p, theta, i), z = real_get(p, start, i);
        difference += (x - y) * (x - y);
        size += (x - z) * (x - z);
    }
    report("parameters", step, sqrt(difference), sqrt(size));
    free(mine);
    free(theta);
}

/* Momentum, and what the step's outcome was. */
static void compare_natural(int step, const Session *s, CudaSession *c) {
    int64_t n = s->network.size;
    PdePrecision p = s->settings.precision;
    double mine = natural_caution(natural_of(s)), device = natural_caution(natural_of(c->host));
    void *phi = malloc((size_t)n * real_size(p));
    pde_engine_get(s->engine, PDE_SLOT_STATE, phi);
    compare(c, "momentum", step, phi, c->moment, n);
    report("caution", step, fabs(mine - device), mine);
    most_caution = fmax(most_caution, mine);
    free(phi);
}

/* The search went the same way: as many evaluations, and the same pairs. */
static void compare_lbfgs(int step, const Session *s, const Session *mirror) {
    const LbfgsHistory *a = lbfgs_history(lbfgs_of(s)), *b = lbfgs_history(lbfgs_of(mirror));
    const double *mine[] = {a->s, a->y}, *device[] = {b->s, b->y};
    report("evaluations", step,
           fabs((double)(lbfgs_evaluations(lbfgs_of(s)) - lbfgs_evaluations(lbfgs_of(mirror)))), 1);
    report("pairs", step, fabs((double)(a->pairs - b->pairs)), 1);
    for (int k = 0; k < 2 && a->pairs == b->pairs; k++) {
        double difference = 0, size = 0;
        for (int64_t i = 0; i < a->pairs * s->network.size; i++) {
            difference = fmax(difference, fabs(mine[k][i] - device[k][i]));
            size = fmax(size, fabs(mine[k][i]));
        }
        report(k ? "changes of the gradient" : "steps of the history", step, difference, size);
    }
}

/* Both are the host's by now. */
static void compare_average(int step, const Session *s, const Session *mirror) {
    PdePrecision p = s->settings.precision;
    double difference = 0, size = 0;
    for (int64_t i = 0; i < s->network.size; i++) {
        double x = real_get(p, average_data(average_of(s)), i);
        difference = fmax(difference, fabs(x - real_get(p, average_data(average_of(mirror)), i)));
        size = fmax(size, fabs(x));
    }
    report("mean", step, difference, size);
    report("count of the mean", step,
           fabs((double)(average_count(average_of(s)) - average_count(average_of(mirror)))), 1);
    for (int k = 0; k < s->problem->plan.unknowns; k++)
        report("mean of an unknown", step,
               fabs(average_unknowns(average_of(s))[k] - average_unknowns(average_of(mirror))[k]),
               1);
}

/* On the test points; where a mean is kept, of the mean. */
static Status compare_score(int step, Session *s, Evaluation *e, CudaSession *c, Error *error) {
    double there = 0;
    hooks_result(s);
    double here = evaluation_errors(e, NULL).l2;
    hooks_result(s);
    Status status = cuda_session_score(c, e, &there, error);
    if (!isnan(here) || !isnan(there))
        report("error", step, isnan(here - there) ? 1e300 : fabs(here - there), here);
    return status;
}

static int fail(const Error *error) {
    fprintf(stderr, "%s\n", error->message);
    return 2;
}

static Status open_backend(const Problem *problem, const Settings *settings, const char *order,
                           size_t memory, Backend **backend, Error *error) {
    if (strcmp(order, "device") != 0) {
        *backend = emulate_backend(problem, (int)settings->activation, memory, atoi(order));
        return STATUS_OK;
    }
    char cache[CACHE_PATH_MAX];
    DriverConfig config = {.problem = problem, .activation = settings->activation};
    if (cache_find(cache, NULL) == STATUS_OK && cache[0])
        config.cache = cache;
    Status status = driver_open(&config, backend, error);
    if (status == STATUS_OK && memory > 0)
        (*backend)->memory = memory;
    return status;
}

static int run(Config *config, int steps, const char *order, size_t memory, Error *error) {
    ModuleFile module;
    Settings settings;
    Problem problem;
    Session host, mirror;
    Evaluation evaluation;
    CudaSession *device;
    Status status = module_read(config->module, &module, error);
    Bytes json;
    if (status == STATUS_OK)
        status = module_require(&module, ".pde.conf", &json, error);
    if (status == STATUS_OK)
        status = config_read_json(config, CONFIG_MODULE, json, "the module", error);
    if (status == STATUS_OK)
        status = settings_read(config, &settings, error);
    if (status == STATUS_OK)
        status = problem_open(&module, config, settings.precision, &problem, error);
    if (status == STATUS_OK)
        status = session_open(&problem, &settings, &host, error);
    if (status == STATUS_OK)
        status = scales_choose(&host, error);
    if (status == STATUS_OK)
        status = session_open(&problem, &settings, &mirror, error);
    if (status == STATUS_OK)
        status = evaluation_open(&host, &evaluation, error);
    if (status != STATUS_OK)
        return fail(error);
    memcpy(mirror.output_scale, host.output_scale, sizeof host.output_scale);
    memcpy(mirror.unknown_limit, host.unknown_limit, sizeof host.unknown_limit);
    for (int i = 0; i < host.tasks; i++)
        mirror.task[i].residual_scale = host.task[i].residual_scale;
    Backend *backend = NULL;
    void *start = malloc((size_t)host.network.size * real_size(problem.precision));
    pde_engine_get(host.engine, PDE_SLOT_PARAMETERS, start);
    status = open_backend(&problem, &settings, order, memory, &backend, error);
    if (status == STATUS_OK)
        status = cuda_session_open(&mirror, backend, &device, error);
    if (status == STATUS_OK)
        status = cuda_session_push(device, error);
    for (int i = 0; i < steps && status == STATUS_OK && !failures; i++) {
        CudaRefusal refusal = {0};
        double rate = natural_of(&host) ? pde_rate(&settings.rate, i) : 1e-3;
        if (!session_step(&host, (uint32_t)i, rate))
            printf("step %d: the host refuses\n", i);
        hooks_after(&host, i + 1);
        status = cuda_session_step(device, (uint32_t)i, rate, error);
        if (status == STATUS_OK)
            status = cuda_session_pull(device, true, &refusal, error);
        if (refusal.refused)
            report("refusal", i, 1, 0);
        report("loss", i, fabs(host.loss - mirror.loss), fabs(host.loss));
        for (int t = 0; t < host.tasks; t++)
            compare_task(i, &host.task[t], &device->task[t]);
        compare_parameters(i, &host, device, start);
        for (int k = 0; k < problem.plan.unknowns; k++)
            report("unknown", i, fabs(host.unknown[k] - mirror.unknown[k]), fabs(host.unknown[k]));
        if (natural_of(&host))
            compare_natural(i, &host, device);
        if (lbfgs_of(&host))
            compare_lbfgs(i, &host, &mirror);
        for (int t = 1; t < host.tasks; t++)
            report("weight", i, fabs(host.task[t].balance - mirror.task[t].balance),
                   host.task[t].balance);
        if (average_of(&host) && average_count(average_of(&host)) > 0)
            compare_average(i, &host, &mirror);
        if (status == STATUS_OK)
            status = compare_score(i, &host, &evaluation, device, error);
    }
    if (status != STATUS_OK)
        return fail(error);
    if (cuda_session_blocks(device) > 0)
        printf("%d blocks of the Jacobian's columns\n", cuda_session_blocks(device));
    printf("%s: %d steps, ", failures ? "FAILED" : "ok", steps);
    if (lbfgs_of(&host))
        printf("%lld evaluations, ", (long long)lbfgs_evaluations(lbfgs_of(&host)));
    printf("loss %.6g, tile %lld of %lld points, most caution %g\n", host.loss,
           (long long)device->tile, (long long)settings.points, most_caution);
    cuda_session_close(device);
    evaluation_close(&evaluation);
    free(start);
    session_close(&mirror);
    session_close(&host);
    problem_close(&problem);
    return failures > 0;
}

int main(int argc, char **argv) {
    Config config;
    Error error = {0};
    if (argc < 6)
        return 2;
    tolerance = atof(argv[1]);
    if (config_init(&config, &error) != STATUS_OK ||
        config_read_arguments(&config, argc - 4, argv + 4, &error) != STATUS_OK)
        return fail(&error);
    int result = run(&config, atoi(argv[2]), argv[3], (size_t)(atof(argv[4]) * 1e6), &error);
    config_free(&config);
    return result;
}
