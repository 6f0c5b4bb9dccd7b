/* test_library.c: pde.h as its users see it: this file includes nothing else of ours, and is linked with libpde alone. */
#define _POSIX_C_SOURCE 200809L
#include "library/pde.h"

#include "greatest.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "problem \"Library\"\n"
                           "dim d = 4\n"
                           "domain x in ball(d, 1)\n"
                           "field u(x)\n"
                           "equation lap(u) = g\n"
                           "exact u = (1 - norm(x)^2) * exp(x_1 / d)\n"
                           "source g from exact\n"
                           "boundary u = 0 exactly\n";
enum { D = 4, ROWS = 300, THREADS = 4 };

static const char *const small[] = {"effort=none",    "iterations=200",    "width=8",
                                    "points=20",      "threads=1",         "out=library.run",
                                    "no-report=true", "force=true",        "precision=float64",
                                    "log-every=20",   "optimizer=natural", NULL};

typedef struct Seen {
    int calls;
    uint64_t stop_at;
} Seen;

static int watch(void *context, const PdeProgress *progress) {
    Seen *seen = context;
    seen->calls++;
    return progress->iteration >= seen->stop_at;
}

static PdeRun *solve(const char *const *options, Seen *seen) {
    PdeProblem *problem = NULL;
    PdeRun *run = NULL;
    PdeFailure *failure = pde_compile("library.pde", text, sizeof text - 1, &problem);
    if (!failure)
        failure = pde_solve(problem, options, seen ? watch : NULL, seen, &run);
    if (failure)
        fprintf(stderr, "%s: %s\n", pde_failure_code(failure), pde_failure_message(failure));
    pde_failure_free(failure);
    pde_problem_free(problem);
    return run;
}

TEST mistakes_are_values(void) {
    static const char wrong[] =
        "dim d = 2\ndomain x in ball(d, 1)\nfield u(x)\nequation lap(v) = 1\n";
    PdeProblem *problem = NULL;
    PdeRun *run = NULL;
    PdeFailure *failure = pde_compile(NULL, wrong, sizeof wrong - 1, &problem);
    ASSERT(failure && !problem);
    ASSERT_STR_EQ("R108", pde_failure_code(failure));
    ASSERT(strstr(pde_failure_diagnostics(failure), "\"code\":\"E0301\""));
    ASSERT(strstr(pde_failure_diagnostics(failure), "\"line\":4"));
    pde_failure_free(failure);
    failure = pde_load("/nowhere", &run);
    ASSERT(failure && !run);
    pde_failure_free(failure);
    ASSERT(!pde_compile(NULL, text, sizeof text - 1, &problem));
    const char *const bad[] = {"lr=3", NULL}, *const action[] = {"predict=x.npy", NULL};
    failure = pde_solve(problem, bad, NULL, NULL, &run);
    ASSERT(failure && strstr(pde_failure_message(failure), "'--rate'"));
    pde_failure_free(failure);
    failure = pde_solve(problem, action, NULL, NULL, &run);
    ASSERT(failure && !run);
    pde_failure_free(failure);
    char *terms = NULL;
    ASSERT(!pde_problem_show(problem, "terms", &terms));
    ASSERT(strstr(terms, "equation"));
    pde_text_free(terms);
    failure = pde_problem_show(problem, "nonsense", &terms);
    ASSERT(failure && !terms);
    pde_failure_free(failure);
    pde_failure_free(NULL);
    pde_problem_free(problem);
    ASSERT_EQ(PDE_ABI, pde_abi());
    PASS();
}

static void points(double *x) {
    for (int k = 0; k < ROWS * D; k++)
        x[k] = 0.4 * sin(1 + 37.0 * k);
}

static double exact(const double *x, double *gradient) {
    double q = 1, e = exp(x[0] / D);
    for (int i = 0; i < D; i++)
        q -= x[i] * x[i];
    for (int i = 0; i < D; i++)
        gradient[i] = -2 * x[i] * e + (i == 0 ? q * e / D : 0);
    return q * e;
}

TEST a_run_is_evaluated(void) {
    static double x[ROWS * D], out[ROWS * (3 + D)], error[4], half[4];
    Seen seen = {0, 1000000};
    PdeRun *run = solve(small, &seen);
    ASSERT(run);
    ASSERT(seen.calls > 5);
    ASSERT_STR_EQ("Library", pde_run_title(run));
    ASSERT_STR_EQ("u", pde_run_field(run, 0));
    ASSERT(!pde_run_field(run, 1));
    ASSERT_EQ((size_t)D, pde_run_inputs(run));
    ASSERT(strstr(pde_run_report(run), "verdict: "));
    points(x);
    size_t n = 0, columns[PDE_QUANTITIES];
    ASSERT(!pde_columns(run, "u, grad, lap(u), residual", &n, columns));
    ASSERT(n == 4 && columns[0] == 1 && columns[1] == D && columns[2] == 1 && columns[3] == 1);
    ASSERT(!pde_evaluate(run, "u, grad, lap(u), residual", x, ROWS, out));
    double worst = 0, slope[D], last = 0;
    for (int k = 0; k < ROWS; k++) {
        worst = fmax(worst, fabs(out[k] - exact(x + D * k, slope)));
        for (int i = 0; i < D; i++)
            worst = fmax(worst, fabs(out[ROWS + D * k + i] - slope[i]));
        last = fmax(last, fabs(out[ROWS * (2 + D) + k]));
    }
    ASSERTm("values and slopes are those of the solution", worst < 0.02);
    ASSERTm("the residual is small", last < 0.2);
    PdeFailure *failure = pde_error_bars(run, x, 4, 0, error, half);
    ASSERT(!failure);
    for (int k = 0; k < 4; k++)
        ASSERT(fabs(out[k] - error[k] - exact(x + D * k, slope)) <= 2 * half[k]);
    failure = pde_evaluate(run, "lap(v)", x, 1, out);
    ASSERT(failure && strstr(pde_failure_message(failure), "not declared"));
    pde_failure_free(failure);
    pde_run_free(run);
    PASS();
}

typedef struct Part {
    PdeRun *run;
    const double *x;
    double out[2 * ROWS];
    int failed;
} Part;

static void *evaluate(void *context) {
    Part *part = context;
    for (int k = 0; k < 20; k++)
        part->failed |= pde_evaluate(part->run, "u, lap(u)", part->x, ROWS, part->out) != NULL;
    return NULL;
}

TEST threads_get_the_same_numbers(void) {
    static double x[ROWS * D];
    static Part part[THREADS + 1];
    PdeRun *run = NULL;
    pthread_t thread[THREADS];
    points(x);
    ASSERT(!pde_load("library.run", &run));
    ASSERT_STR_EQ("", pde_run_report(run));
    for (int k = 0; k <= THREADS; k++)
        part[k] = (Part){.run = run, .x = x};
    evaluate(&part[THREADS]);
    for (int k = 0; k < THREADS; k++)
        ASSERT_EQ(0, pthread_create(&thread[k], NULL, evaluate, &part[k]));
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        ASSERT(!part[k].failed);
        ASSERT_EQ(0, memcmp(part[k].out, part[THREADS].out, sizeof part[k].out));
    }
    pde_run_free(run);
    PASS();
}

TEST a_callback_stops(void) {
    Seen seen = {0, 40};
    PdeRun *run = solve(small, &seen);
    ASSERT(run);
    ASSERT(strstr(pde_run_report(run), "interrupted after"));
    pde_run_free(run);
    PASS();
}

/* Two trainings at once are what each is alone. */
static void *train(void *context) {
    const char *options[16];
    size_t n = 0;
    for (; small[n]; n++)
        options[n] = strcmp(small[n], "out=library.run") == 0 ? (const char *)context : small[n];
    options[n] = NULL;
    return solve(options, NULL);
}

TEST two_trainings_at_once(void) {
    static double x[ROWS * D], a[ROWS], b[ROWS], c[ROWS];
    pthread_t thread[2];
    void *run[3];
    char out[3][16] = {"out=one.run", "out=two.run", "out=three.run"};
    points(x);
    run[2] = train(out[2]);
    for (int k = 0; k < 2; k++)
        ASSERT_EQ(0, pthread_create(&thread[k], NULL, train, out[k]));
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], &run[k]);
    ASSERT(run[0] && run[1] && run[2]);
    ASSERT(!pde_evaluate(run[0], NULL, x, ROWS, a) && !pde_evaluate(run[1], NULL, x, ROWS, b) &&
           !pde_evaluate(run[2], NULL, x, ROWS, c));
    ASSERT(memcmp(a, b, sizeof a) == 0 && memcmp(a, c, sizeof a) == 0);
    for (int k = 0; k < 3; k++)
        pde_run_free(run[k]);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    /* below the build, which has it when this is killed */
    char scratch[] = "test_library.XXXXXX";
    char *here = mkdtemp(scratch) && chdir(scratch) == 0 ? getcwd(NULL, 0) : NULL;
    if (!here)
        return 2;
    setenv("XDG_CACHE_HOME", here, 1);
    free(here);
    GREATEST_MAIN_BEGIN();
    RUN_TEST(mistakes_are_values);
    RUN_TEST(a_run_is_evaluated);
    RUN_TEST(threads_get_the_same_numbers);
    RUN_TEST(a_callback_stops);
    RUN_TEST(two_trainings_at_once);
    GREATEST_MAIN_END();
}
