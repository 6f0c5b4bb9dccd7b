/* Steps on a device against steps of the host: the same points, sets, losses and parameters.
 *
 *     test_cuda_step TOLERANCE STEPS ORDER MEMORY module.so [options of pderun]
 *
 * ORDER 0, 1, 2: the threads of a block as they come, in reverse, shuffled. MEMORY: megabytes of
 * the device, 0 for enough (little makes tiles of points). TOLERANCE holds for each array: largest
 * difference in parts of its largest number. Parameters move by the optimiser's rule, where a
 * gradient that is zero but for rounding is divided by its own size: they are compared by their
 * change as a whole. */
#include "emulate.h"
#include "runtime/cuda/session.h"
#include "runtime/pderun.h"
#include "runtime/real.h"
#include "runtime/scales.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double tolerance;
static int failures;

static void report(const char *what, int step, double difference, double size) {
    double relative = difference / (size > 0 ? size : 1);
    if (relative <= tolerance)
        return;
    printf("step %d: %s differs by %.3g of %.3g: %.3g\n", step, what, difference, size, relative);
    failures++;
}

static void compare(const char *what, int step, PdePrecision p, const void *a, const void *b,
                    int64_t n) {
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = real_get(p, a, i), y = real_get(p, b, i);
        difference = x == y ? difference : fmax(difference, isnan(x - y) ? 1e300 : fabs(x - y));
        size = fmax(size, fabs(x));
    }
    report(what, step, difference, size);
}

static void compare_sets(int step, const Route *host, const CudaRoute *r) {
    const PlanTask *plan = host->task->plan;
    for (int f = 0; f < plan->families && !host->exact; f++) {
        int64_t n = host->count[f] * plan->family[f].indices *
                    (host->per_point ? host->task->session->settings.points : 1);
        if (memcmp(host->set[f], r->set[f], (size_t)n * sizeof(uint32_t)) != 0)
            report("an index set", step, 1, 0);
    }
}

static void compare_task(int step, const Task *host, const CudaTask *t) {
    const Problem *q = host->session->problem;
    const Points *p = &host->points;
    int64_t B = host->session->settings.points, groups = B / PDE_LANES;
    PdePrecision real = q->precision;
    if (groups == 0)
        return;
    compare("points", step, real, p->c.x, t->x, groups * q->n_in * PDE_LANES);
    compare("aux", step, real, p->aux, t->aux, groups * q->aux_rows * PDE_LANES);
    if (p->normal)
        compare("normals", step, real, p->normal, t->normal, groups * q->d * PDE_LANES);
    compare("scalars", step, real, p->scalar, t->scalar, groups * p->c.scalars * PDE_LANES);
    for (int m = 0; m < host->gradients; m++) {
        compare_sets(step, &host->gradient[m], &t->gradient[m]);
        compare("residuals", step, real, host->gradient[m].residual, t->gradient[m].residual,
                B * host->plan->residuals);
    }
}

/* Change of all parameters since the start, as one vector. */
static void compare_parameters(int step, const Session *s, const CudaSession *c,
                               const void *start) {
    int64_t n = s->network.size;
    PdePrecision p = s->settings.precision;
    void *mine = malloc((size_t)n * real_size(p));
    double difference = 0, size = 0;
    pde_engine_get(s->engine, PDE_SLOT_PARAMETERS, mine);
    for (int64_t i = 0; i < n; i++) {
        double x = real_get(p, mine, i), y = real_get(p, c->theta, i), z = real_get(p, start, i);
        difference += (x - y) * (x - y);
        size += (x - z) * (x - z);
    }
    report("parameters", step, sqrt(difference), sqrt(size));
    free(mine);
}

static int fail(const Error *error) {
    fprintf(stderr, "%s\n", error->message);
    return 2;
}

static int run(Config *config, int steps, int order, size_t memory, Error *error) {
    ModuleFile module;
    Settings settings;
    Problem problem;
    Session host, mirror;
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
    if (status != STATUS_OK)
        return fail(error);
    memcpy(mirror.output_scale, host.output_scale, sizeof host.output_scale);
    for (int i = 0; i < host.tasks; i++)
        mirror.task[i].residual_scale = host.task[i].residual_scale;
    Backend *backend = emulate_backend(&problem, (int)settings.activation, memory, order);
    void *start = malloc((size_t)host.network.size * real_size(problem.precision));
    pde_engine_get(host.engine, PDE_SLOT_PARAMETERS, start);
    status = cuda_session_open(&mirror, backend, &device, error);
    if (status == STATUS_OK)
        status = cuda_session_push(device, error);
    for (int i = 0; i < steps && status == STATUS_OK && !failures; i++) {
        CudaRefusal refusal = {0};
        if (!session_step(&host, (uint32_t)i, 1e-3))
            printf("step %d: the host refuses\n", i);
        status = cuda_session_step(device, (uint32_t)i, 1e-3, error);
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
    }
    if (status != STATUS_OK)
        return fail(error);
    printf("%s: %d steps, loss %.6g, tile %lld of %lld points\n", failures ? "FAILED" : "ok", steps,
           host.loss, (long long)device->task[0].gradient[0].tile, (long long)settings.points);
    cuda_session_close(device);
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
    int result = run(&config, atoi(argv[2]), atoi(argv[3]), (size_t)(atof(argv[4]) * 1e6), &error);
    config_free(&config);
    return result;
}
