/* run.c: the directory of a run, and its solution at points.
 *
 * A thread that evaluates takes an evaluator that nobody uses, or opens one. So threads wait for one another only while
 * one is opened, and the numbers do not depend on how many there are. */
#define _POSIX_C_SOURCE 200809L
#include "library/failure.h"

#include "library/expression.h"
#include "runtime/commands/predictor.h"
#include "runtime/commands/trained_model.h"
#include "runtime/error/estimate.h"
#include "runtime/error/walk.h"
#include "runtime/tensor/tnn_module.h"
#include "runtime/train/run_directory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Evaluator {
    char *what; /* NULL: the fields */
    Problem problem;
    Settings settings;
    Predictor *predictor;
    bool busy;
    struct Evaluator *next;
} Evaluator;

struct PdeRun {
    char *directory, *title, *field[PLAN_FIELDS_MAX];
    Config config;
    ModuleFile module;
    Buffer report;
    size_t inputs, fields;
    pthread_mutex_t lock; /* of the list */
    Evaluator *list;
};

/* ------------------------------------------------------------------------------------ evaluators */

static void evaluator_free(Evaluator *e) {
    predictor_close(e->predictor);
    problem_close(&e->problem);
    free(e->what);
    free(e);
}

static Status evaluator_fill(PdeRun *run, const char *what, bool alone, Evaluator *e,
                             Error *error) {
    ModuleFile module;
    const ProblemHow how = {.cache = run->config.cache};
    int expressions = 0;
    Status status = module_copy(&run->module, run->config.module, &module, error);
    if (status != STATUS_OK)
        return status;
    status = expressions_compile(&module, run->config.module, what, &how, &expressions, error);
    if (status == STATUS_OK)
        status =
            model_problem(&module, &run->config, OPTION_MODEL, &e->settings, &e->problem, error);
    module_free(&module);
    if (status != STATUS_OK)
        return status;
    if (!alone)
        e->settings.threads = 1; /* the threads are the caller's */
    return predictor_open(&e->problem, &e->settings, run->directory, what, expressions,
                          &e->predictor, error);
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The run's lock is held. */
static Status evaluator_find(PdeRun *run, const char *what, Evaluator **out, Error *error) {
    bool alone = true;
    for (Evaluator *e = run->list; e; e = e->next) {
        alone &= !e->busy;
        if (!e->busy && same_text(e->what, what)) {
            *out = e;
            return STATUS_OK;
        }
    }
    Evaluator *e = calloc(1, sizeof *e);
    if (!e || (what && !(e->what = strdup(what)))) {
        free(e);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory to evaluate");
    }
    Status status = evaluator_fill(run, what, alone, e, error);
    if (status != STATUS_OK) {
        evaluator_free(e);
        return status;
    }
    e->next = run->list;
    *out = run->list = e;
    return STATUS_OK;
}

static Status evaluator_take(PdeRun *run, const char *what, Evaluator **out, Error *error) {
    pthread_mutex_lock(&run->lock);
    Status status = evaluator_find(run, what, out, error);
    if (status == STATUS_OK)
        (*out)->busy = true;
    pthread_mutex_unlock(&run->lock);
    return status;
}

static void evaluator_give(PdeRun *run, Evaluator *e) {
    pthread_mutex_lock(&run->lock);
    e->busy = false;
    pthread_mutex_unlock(&run->lock);
}

PdeFailure *pde_columns(PdeRun *run, const char *what, size_t *quantities,
                        size_t columns[PDE_QUANTITIES]) {
    Error error = {0};
    Evaluator *e;
    if (evaluator_take(run, what, &e, &error) != STATUS_OK)
        return failure_make(&error, NULL);
    *quantities = (size_t)predictor_quantities(e->predictor);
    for (size_t k = 0; k < *quantities; k++)
        columns[k] = (size_t)predictor_columns(e->predictor, (int)k);
    evaluator_give(run, e);
    return NULL;
}

PdeFailure *pde_evaluate(PdeRun *run, const char *what, const double *x, size_t rows, double *out) {
    Error error = {0};
    Evaluator *e;
    double *at[PREDICT_QUANTITIES];
    if (evaluator_take(run, what, &e, &error) != STATUS_OK)
        return failure_make(&error, NULL);
    for (int k = 0; k < predictor_quantities(e->predictor); k++) {
        at[k] = out;
        out += rows * (size_t)predictor_columns(e->predictor, k);
    }
    predictor_run(e->predictor, x, (int64_t)rows, at);
    evaluator_give(run, e);
    return NULL;
}

/* ------------------------------------------------------------------------------------- error bars */

static Status bars(const Evaluator *e, const char *directory, const double *x, size_t rows,
                   int paths, ErrorPoint *point, Error *error) {
    enum { PATHS = 128, STEPS = 32 };
    double *theta = NULL, scale[PLAN_FIELDS_MAX];
    char text[ESTIMATE_WHY_MAX];
    Walk *walk = NULL;
    bool stopped = false;
    volatile sig_atomic_t never = 0;
    const char *why = walk_refusal(&e->problem);
    if (why)
        return error_set(error, STATUS_OPTION_VALUE, "no error bar: %s", why);
    Status status = model_parameters(&e->problem, &e->settings, directory, &theta, scale, error);
    if (status == STATUS_OK)
        status = walk_open(&e->problem, &e->settings, theta, scale, &walk, error);
    const int most = paths > 0 ? paths : PATHS;
    EstimateConfig config = {.points = (int64_t)rows,
                             .x = x,
                             .paths = (most + WALK_BLOCK - 1) / WALK_BLOCK * WALK_BLOCK,
                             .steps = STEPS,
                             .two_steps = true,
                             .stop = &never};
    if (status == STATUS_OK)
        status = estimate_points(walk, &config, point, &stopped, error);
    if (status == STATUS_OK) {
        const ErrorSum sum = estimate_sum(point, (int64_t)rows);
        why = estimate_doubt(walk, &sum, text);
        if (why)
            status = error_set(error, STATUS_OPTION_VALUE, "no error bar: %s", why);
    }
    walk_close(walk);
    free(theta);
    return status;
}

PdeFailure *pde_error_bars(PdeRun *run, const double *x, size_t rows, int paths, double *error_out,
                           double *half) {
    Error error = {0};
    Evaluator *e;
    if (evaluator_take(run, NULL, &e, &error) != STATUS_OK)
        return failure_make(&error, NULL);
    ErrorPoint *point = calloc(rows + 1, sizeof *point);
    Status status = point ? bars(e, run->directory, x, rows, paths, point, &error)
                          : error_set(&error, STATUS_OUT_OF_MEMORY, "no memory for error bars");
    for (size_t k = 0; k < rows && status == STATUS_OK; k++) {
        error_out[k] = point[k].error;
        half[k] = point[k].half;
    }
    free(point);
    evaluator_give(run, e);
    return status == STATUS_OK ? NULL : failure_make(&error, NULL);
}

/* ------------------------------------------------------------------------------------- the run */

static Status open_module(PdeRun *run, Error *error) {
    char path[RUN_PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/module.so", run->directory);
    if (n < 0 || n >= (int)sizeof path)
        return error_set(error, STATUS_OPTION_VALUE, "the name of the run is too long");
    run->config.module = strdup(path);
    if (!run->config.module)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a name");
    Status status = module_read(path, &run->module, error);
    if (status == STATUS_OK)
        status = config_set(&run->config, OPTION_MODEL, run->directory, error);
    if (status == STATUS_OK && tnn_in_module(&run->module))
        status = error_set(error, STATUS_OPTION_VALUE,
                           "'%s' is of a tensor network, whose values are not given at points yet",
                           run->directory);
    return status;
}

static Status take_names(PdeRun *run, Error *error) {
    Evaluator *e;
    Status status = evaluator_take(run, NULL, &e, error);
    if (status != STATUS_OK)
        return status;
    const Plan *plan = &e->problem.plan;
    run->inputs = (size_t)e->problem.n_in;
    run->title = strdup(plan->title);
    bool whole = run->title != NULL;
    for (; run->fields < (size_t)plan->fields && whole; run->fields++)
        whole = (run->field[run->fields] = strdup(plan->field[run->fields].name)) != NULL;
    evaluator_give(run, e);
    return whole ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for names");
}

Status run_load(const char *directory, Buffer *report, PdeRun **out, Error *error) {
    PdeRun *run = *out = calloc(1, sizeof *run);
    if (!run)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a run");
    pthread_mutex_init(&run->lock, NULL);
    run->directory = strdup(directory);
    Status status = run->directory ? config_init(&run->config, error)
                                   : error_set(error, STATUS_OUT_OF_MEMORY, "no memory");
    if (status == STATUS_OK) {
        (void)config_open_cache(&run->config, NULL);
        status = open_module(run, error);
    }
    if (status == STATUS_OK)
        status = take_names(run, error);
    if (status != STATUS_OK) {
        pde_run_free(run);
        *out = NULL;
    } else if (report) {
        run->report = *report;
        *report = (Buffer){0};
    }
    return status;
}

PdeFailure *pde_load(const char *directory, PdeRun **run) {
    Error error = {0};
    return run_load(directory, NULL, run, &error) == STATUS_OK ? NULL : failure_make(&error, NULL);
}

const char *pde_run_directory(const PdeRun *run) {
    return run->directory;
}

const char *pde_run_report(const PdeRun *run) {
    return run->report.data ? run->report.data : "";
}

const char *pde_run_title(const PdeRun *run) {
    return run->title;
}

size_t pde_run_inputs(const PdeRun *run) {
    return run->inputs;
}

size_t pde_run_fields(const PdeRun *run) {
    return run->fields;
}

const char *pde_run_field(const PdeRun *run, size_t field) {
    return field < run->fields ? run->field[field] : NULL;
}

void pde_run_free(PdeRun *run) {
    if (!run)
        return;
    for (Evaluator *e = run->list, *next; e; e = next) {
        next = e->next;
        evaluator_free(e);
    }
    for (size_t k = 0; k < run->fields; k++)
        free(run->field[k]);
    free(run->title);
    free(run->directory);
    buffer_free(&run->report);
    module_free(&run->module);
    config_free(&run->config);
    pthread_mutex_destroy(&run->lock);
    free(run);
}
