/* selftest.c: verifies this very module in double, on a small network and a few points:
 *   gradient    the parameter gradient of a step against central differences of its loss
 *   directions  first and second derivatives along the sampled directions against differences
 *   solution    the residual of the exact solution, whose derivatives come from differences too:
 *               zero, if source, terms and trial function are right
 *   oracle      sources, exact solutions and all other known quantities against the values that the
 *               compiler's interpreter found (oracle_check.c) */
#include "commands/pderun.h"

#include "contract/rng.h"
#include "engine/real.h"
#include "files/number.h"
#include "files/say.h"
#include "measure/evaluate.h"
#include "measure/oracle_check.h"
#include "measure/solution_check.h"
#include "step/attack.h"
#include "step/route.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_POINTS = SOLUTION_POINTS, GRADIENT_PROBES = 24, DIRECTIONS_MAX = 8 };

static const double SOLUTION_LIMIT = 1e-5, ORACLE_LIMIT = 1e-9;

typedef struct Selftest {
    Session s;
    Evaluation e;
    int failures;
} Selftest;

static void verdict(Selftest *t, const char *name, double error, double limit) {
    char a[NUMBER_TEXT_MAX], b[NUMBER_TEXT_MAX];
    bool ok = error <= limit; /* false for NaN */
    say("  %-44s %-10s (limit %s)  %s\n", name, number_print_digits(error, 3, a),
        number_print_digits(limit, 2, b), ok ? "ok" : "FAILED");
    t->failures += !ok;
}

static void skipped(const char *name, const char *why) {
    say("  %-44s not done: %s\n", name, why);
}

/* ------------------------------------------------------------------------------------ gradient */

/* The loss of the step with one parameter moved. With R_J held constant (algorithms 1, 2) the
 * gradient is not that of the loss, so the self-test runs algorithm 3 or exact. */
static double loss_at(Selftest *t, double *theta, int64_t i, double value) {
    double before = theta[i];
    theta[i] = value;
    pde_engine_set(t->s.engine, PDE_SLOT_PARAMETERS, theta);
    session_gradient_here(&t->s, 0);
    theta[i] = before;
    return t->s.loss;
}

static void test_gradient(Selftest *t) {
    int64_t n = t->s.network.size;
    double *theta = malloc((size_t)n * sizeof *theta), *g = malloc((size_t)n * sizeof *g);
    double worst = 0, size = 0;
    if (!theta || !g) {
        free(theta);
        free(g);
        skipped("gradient of the parameters", "no memory");
        return;
    }
    pde_engine_get(t->s.engine, PDE_SLOT_PARAMETERS, theta);
    session_gradient(&t->s, 0);
    pde_gradient_store(t->s.engine);
    pde_engine_get(t->s.engine, PDE_SLOT_GRADIENT, g);
    for (int k = 0; k < GRADIENT_PROBES; k++) {
        uint32_t stream = stream_of(STREAM_SELFTEST, ROLE_TRAIN, 0, 0);
        uint64_t word = pde_random_word64(t->s.settings.seed, stream, 0, 0, (uint32_t)k);
        /* the small layers are a small part of all parameters: every other probe goes there */
        int64_t small = n - t->s.network.width[0] * t->s.network.width[1];
        int64_t i = k % 2 ? n - 1 - (int64_t)pde_random_below(word, (uint64_t)small)
                          : (int64_t)pde_random_below(word, (uint64_t)n);
        double h = 1e-4;
        double slope =
            (8 * (loss_at(t, theta, i, theta[i] + h) - loss_at(t, theta, i, theta[i] - h)) -
             (loss_at(t, theta, i, theta[i] + 2 * h) - loss_at(t, theta, i, theta[i] - 2 * h))) /
            (12 * h);
        worst = fmax(worst, fabs(slope - g[i]));
        size = fmax(size, fabs(g[i]));
    }
    pde_engine_set(t->s.engine, PDE_SLOT_PARAMETERS, theta);
    free(theta);
    free(g);
    verdict(t, "gradient of the parameters", worst / size, 1e-6);
}

/* ---------------------------------------------------------------------------------- directions */

typedef struct Captured {
    double n[TEST_POINTS];
    double d[2][TEST_POINTS][DIRECTIONS_MAX];
    int64_t shown;
    double second[TEST_POINTS]; /* sum of the first `rotated` second derivatives */
    int64_t rotated;
} Captured;

static void capture(void *context, const PdeJet *jet) {
    Captured *c = context;
    c->n[jet->point] = ((const double *)jet->n)[0];
    for (int m = 0; m < 2; m++)
        for (int64_t k = 0; jet->d[m] && k < c->shown; k++)
            c->d[m][jet->point][k] = ((const double *)jet->d[m])[k];
    c->second[jet->point] = 0;
    for (int64_t k = 0; k < c->rotated; k++)
        c->second[jet->point] += ((const double *)jet->d[1])[k];
    ((double *)jet->residual)[0] = 0;
}

/* Of rotated directions single second derivatives are not to be had, only their sum. */
static void test_directions(Selftest *t) {
    Task *task = &t->s.task[0];
    Route *r = &task->gradient[0];
    int64_t K = r->block[r->plan->blocks], n_in = t->s.problem->inputs;
    Captured base = {.shown = K < DIRECTIONS_MAX ? K : DIRECTIONS_MAX,
                     .rotated = pde_batch_rotated(r->batch)};
    Captured moved[4] = {{.shown = 0}};
    double *x = pde_batch_x(r->batch), worst[2] = {0, 0}, size[2] = {0, 0};
    double sum[TEST_POINTS] = {0}, sizes[TEST_POINTS] = {0};
    int64_t tried = base.rotated > base.shown ? base.rotated : base.shown;
    double *copy = malloc((size_t)(n_in * PDE_LANES) * sizeof *copy), h = 1e-3;
    PdeTaskSpec spec = {.combine = capture, .context = &base};
    if (!copy)
        return;
    session_gradient(&t->s, 0);
    memcpy(copy, x, (size_t)(n_in * PDE_LANES) * sizeof *copy);
    pde_value(t->s.engine, r->batch, &spec);
    for (int64_t k = 0; k < tried; k++) {
        int b = 0;
        while (k >= r->block[b + 1])
            b++;
        double v;
        if (!solution_direction(r, b, k - r->block[b], 0, 0, &v))
            continue;
        for (int j = 0; j < 4; j++) {
            double step = h * (j < 2 ? j - 2 : j - 1);
            for (int64_t i = 0; i < n_in; i++)
                for (int l = 0; l < PDE_LANES; l++) {
                    solution_direction(r, b, k - r->block[b], l, i, &v);
                    x[i * PDE_LANES + l] = copy[i * PDE_LANES + l] + step * v;
                }
            spec.context = &moved[j];
            pde_value(t->s.engine, r->batch, &spec);
            memcpy(x, copy, (size_t)(n_in * PDE_LANES) * sizeof *copy);
        }
        for (int l = 0; l < PDE_LANES; l++) {
            double first =
                (8 * (moved[2].n[l] - moved[1].n[l]) - (moved[3].n[l] - moved[0].n[l])) / (12 * h);
            double second = (16 * (moved[2].n[l] + moved[1].n[l]) - moved[3].n[l] - moved[0].n[l] -
                             30 * base.n[l]) /
                            (12 * h * h);
            sum[l] += k < base.rotated ? second : 0;
            sizes[l] += k < base.rotated ? fabs(second) : 0;
            if (k >= base.shown)
                continue;
            worst[0] = fmax(worst[0], fabs(first - base.d[0][l][k]));
            size[0] = fmax(size[0], fabs(first));
            if (r->plan->block[b].order >= 2 && k >= base.rotated) {
                worst[1] = fmax(worst[1], fabs(second - base.d[1][l][k]));
                size[1] = fmax(size[1], fabs(second));
            }
        }
    }
    for (int l = 0; l < PDE_LANES && base.rotated; l++) {
        worst[1] = fmax(worst[1], fabs(sum[l] - base.second[l]));
        size[1] = fmax(size[1], sizes[l]);
    }
    free(copy);
    if (size[0] > 0)
        verdict(t, "first derivatives along directions", worst[0] / size[0], 1e-8);
    if (size[1] > 0)
        verdict(t, "second derivatives along directions", worst[1] / size[1], 1e-4);
}

/* ------------------------------------------------------------------------------------- attack */

/* sum_e R_e^2 / 2 of each point, with input i of all of them moved by `by`. */
static void half_squares(Selftest *t, int64_t i, double by, double out[TEST_POINTS]) {
    Points *p = &t->s.task[0].points;
    Route *r = attack_route(attack_of(&t->s));
    int residuals = t->s.task[0].plan->residuals;
    double before[TEST_POINTS];
    for (int64_t b = 0; b < TEST_POINTS; b++) {
        before[b] = points_coordinate(p, b, i);
        points_set_coordinate(p, b, i, before[b] + by);
    }
    points_run_programs(p);
    route_prepare(r, 0);
    route_value(r);
    for (int64_t b = 0; b < TEST_POINTS; b++) {
        out[b] = 0;
        for (int e = 0; e < residuals; e++)
            out[b] += pow(real_get(PDE_F64, r->residual, b * residuals + e), 2) / 2;
        points_set_coordinate(p, b, i, before[b]);
    }
}

static void test_attack(Selftest *t) {
    enum { PROBES = 6 };
    static const double step[] = {-2, -1, 1, 2};
    int64_t n_in = t->s.problem->n_in;
    double at[4][TEST_POINTS], worst = 0, size = 0, h = 1e-4, g[PROBES][TEST_POINTS];
    session_gradient(&t->s, 0);
    const void *gradient = attack_gradient(attack_of(&t->s), 0, 0);
    for (int k = 0; k < PROBES; k++) /* the first, the last (time) and some between */
        for (int b = 0; b < TEST_POINTS; b++)
            g[k][b] = real_get(PDE_F64, gradient, (n_in - 1) * k / (PROBES - 1) * PDE_LANES + b);
    for (int k = 0; k < PROBES; k++) {
        for (int j = 0; j < 4; j++)
            half_squares(t, (n_in - 1) * k / (PROBES - 1), h * step[j], at[j]);
        for (int b = 0; b < TEST_POINTS; b++) {
            double slope = (8 * (at[2][b] - at[1][b]) - (at[3][b] - at[0][b])) / (12 * h);
            worst = fmax(worst, fabs(slope - g[k][b]));
            size = fmax(size, fabs(slope));
        }
    }
    points_run_programs(&t->s.task[0].points);
    verdict(t, "gradient of the residual in the points", worst / size, 1e-6);
}

/* ------------------------------------------------------------------------------------ solution */

static void test_solution(Selftest *t, Task *task) {
    char name[80];
    double error;
    snprintf(name, sizeof name, "exact solution in '%.24s'", task->plan->name);
    const char *why = solution_residual(&t->e, task, &error);
    /* whether a residual is wrong or an unknown number cannot be told apart */
    if (!why && error > SOLUTION_LIMIT && t->s.problem->plan.unknowns > 0)
        why = "the unknown numbers are not at their exact values";
    if (why)
        skipped(name, why);
    else
        verdict(t, name, error, SOLUTION_LIMIT);
}

/* -------------------------------------------------------------------------------------- oracle */

static void oracle_verdict(void *context, const char *name, double error) {
    char text[80];
    snprintf(text, sizeof text, "%.60s, oracle", name);
    verdict(context, text, error, ORACLE_LIMIT);
}

/* Before the module is taken over by the problem. Counts failures. */
static Status test_oracle(const ModuleFile *module, const Config *config, int *failures,
                          Error *error) {
    Selftest t = {.failures = 0};
    const char *why = NULL;
    Status status = expected_check(module, config, oracle_verdict, &t, &why, error);
    if (status == STATUS_OK && why)
        skipped("known quantities, oracle", why);
    *failures = t.failures;
    return status;
}

/* --------------------------------------------------------------------------------------- run */

static Status run_tests(Problem *p, const Settings *settings, int failures, Error *error) {
    Selftest *t = calloc(1, sizeof *t);
    if (!t)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the self-test");
    t->failures = failures;
    Status status = session_open(p, settings, &t->s, error);
    if (status == STATUS_OK)
        status = evaluation_open(&t->s, &t->e, error);
    if (status == STATUS_OK) {
        say("  in dimension %lld:\n", (long long)p->d);
        test_gradient(t);
        test_directions(t);
        if (attack_of(&t->s))
            test_attack(t);
        session_gradient(&t->s, 0);
        for (int i = 0; i < t->s.tasks; i++)
            test_solution(t, &t->s.task[i]);
        if (t->failures)
            status = error_set(error, STATUS_SELFTEST_FAILED, "%d checks failed", t->failures);
        evaluation_close(&t->e);
    }
    session_close(&t->s);
    free(t);
    return status;
}

Status run_selftest(ModuleFile *module, const Config *config, Error *error) {
    Settings settings;
    Problem problem;
    Status status = settings_read(config, &settings, error);
    if (status != STATUS_OK)
        return status;
    int failures;
    say("self-test in float64\n");
    status = test_oracle(module, config, &failures, error);
    if (status == STATUS_OK)
        status = problem_open(module, config, PDE_F64, &problem, error);
    if (status != STATUS_OK)
        return status;
    solution_settings(&problem, &settings);
    settings.attack_steps = problem.plan.task[0].has_ascent; /* a step of size 0: points stay */
    status = run_tests(&problem, &settings, failures, error);
    problem_close(&problem);
    return status;
}
