/* solve.c: from a text to a trained run, as pderun does it, without a terminal. */
#define _POSIX_C_SOURCE 200809L
#include "library/failure.h"

#include "compiler/base/source.h"
#include "compiler/pdec.h"
#include "library/problem_file.h"
#include "runtime/commands/pderun.h"
#include "runtime/files/say.h"
#include "runtime/tensor/tnn_module.h"
#include "runtime/train/run_frame.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- compiling */

static Status problem_make(PdeProblem *p, const char *text, size_t size, Error *error) {
    Config config;
    Status status = config_init(&config, error);
    if (status != STATUS_OK)
        return status;
    (void)config_open_cache(&config, NULL); /* an unsafe one is not used */
    const ProblemHow how = {.cache = config.cache, .json = true};
    buffer_bytes(&p->text, text, size);
    status = buffer_status(&p->text, error);
    if (status == STATUS_OK)
        status =
            problem_text_compile(p->name, text, size, &how, &p->module, &p->diagnostics, error);
    config_free(&config);
    return status;
}

PdeFailure *pde_compile(const char *name, const char *text, size_t size, PdeProblem **problem) {
    Error error = {0};
    PdeProblem *p = *problem = calloc(1, sizeof *p);
    Status status = STATUS_OUT_OF_MEMORY;
    if (p && (p->name = strdup(name ? name : "problem.pde")))
        status = problem_make(p, text, size, &error);
    else
        error_set(&error, status, "no memory for the problem");
    if (status == STATUS_OK)
        return NULL;
    PdeFailure *failure = failure_make(&error, p ? &p->diagnostics : NULL);
    pde_problem_free(p);
    *problem = NULL;
    return failure;
}

PdeFailure *pde_compile_file(const char *path, PdeProblem **problem) {
    char *text = NULL;
    size_t size = 0;
    Error error = {0};
    *problem = NULL;
    if (source_read(path, &text, &size) != READ_OK) {
        error_set(&error, STATUS_CANNOT_READ, "'%s' cannot be read", path);
        return failure_make(&error, NULL);
    }
    PdeFailure *failure = pde_compile(path, text, size, problem);
    free(text);
    return failure;
}

const char *pde_problem_diagnostics(const PdeProblem *problem) {
    return problem->diagnostics.data ? problem->diagnostics.data : "";
}

PdeFailure *pde_problem_show(const PdeProblem *problem, const char *stage, char **text) {
    const PdecOptions options = {.emit = stage, .beside = problem->name};
    PdecResult result;
    Error error = {0};
    *text = NULL;
    const int made =
        pdec_compile(problem->name, problem->text.data, problem->text.size, &options, &result);
    if (made == PDEC_USAGE)
        error_set(&error, STATUS_OPTION_VALUE, "there is no stage '%s'", stage);
    else if (made != PDEC_OK || !(*text = strdup(result.output ? result.output : "")))
        error_set(&error, STATUS_OUT_OF_MEMORY, "no memory for '%s'", stage);
    pdec_result_free(&result);
    return error.status == STATUS_OK ? NULL : failure_make(&error, NULL);
}

void pde_problem_free(PdeProblem *problem) {
    if (!problem)
        return;
    free(problem->name);
    buffer_free(&problem->text);
    buffer_free(&problem->diagnostics);
    module_free(&problem->module);
    free(problem);
}

/* -------------------------------------------------------------------------------------- training */

/* "name=value" as an argument of the command line, which says what is wrong with it. */
static Status read_options(Config *config, const char *const *options, Error *error) {
    Status status = STATUS_OK;
    for (; options && *options && status == STATUS_OK; options++) {
        Buffer text = {0};
        buffer_printf(&text, "--%s", *options);
        status = buffer_status(&text, error);
        char *argv[] = {(char[]){"pde"}, text.data};
        if (status == STATUS_OK)
            status = config_read_arguments(config, 2, argv, error);
        buffer_free(&text);
    }
    for (Option k = 0; k < OPTION_COUNT && status == STATUS_OK; k++)
        if (option_table[k].group == GROUP_ACTION && config->value[k].source == CONFIG_COMMAND_LINE)
            status = error_set(error, STATUS_OPTION_CONFLICT,
                               "'%s' is not of a training: it has a function of its own",
                               option_name(k));
    return status;
}

typedef struct Listener {
    PdeCallback *callback;
    void *context;
    volatile sig_atomic_t stop;
} Listener;

static void on_progress(void *context, const ProgressState *state, bool last) {
    Listener *l = context;
    const PdeProgress progress = {state->iteration, state->iterations, state->loss, state->error};
    (void)last;
    if (l->callback && l->callback(l->context, &progress) != 0)
        l->stop = 1;
}

static void on_warning(void *context, const char *text) {
    (void)context;
    say_lines(text, strlen(text)); /* into the report */
    say("\n");
}

static Status train_module(ModuleFile *module, Config *config, Error *error) {
    Status status = module_prepare(module, config, error);
    if (status != STATUS_OK)
        return status;
    return tnn_in_module(module) ? tnn_act(module, config, error)
                                 : run_training(module, config, error);
}

/* As pderun would, into `report`; the directory goes to the host. */
static Status train_host(const PdeProblem *problem, Config *config, FrameHost *host, Buffer *report,
                         Error *error) {
    ModuleFile module;
    (void)config_open_cache(config, NULL);
    config->module = strdup(problem->name);
    Status status = config->module
                        ? module_copy(&problem->module, problem->name, &module, error)
                        : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the name");
    if (status != STATUS_OK)
        return status;
    frame_host(host);
    say_into(report);
    status = train_module(&module, config, error);
    say_into(NULL);
    frame_host(NULL);
    module_free(&module);
    return status;
}

PdeFailure *pde_solve(const PdeProblem *problem, const char *const *options, PdeCallback *callback,
                      void *context, PdeRun **run) {
    Listener listener = {.callback = callback, .context = context};
    FrameHost host = {
        .hooks = {&listener, on_progress, on_warning, &listener.stop},
    };
    Config config;
    Error error = {0};
    Buffer report = {0};
    *run = NULL;
    Status status = config_init(&config, &error);
    if (status != STATUS_OK)
        return failure_make(&error, NULL);
    status = read_options(&config, options, &error);
    if (status == STATUS_OK)
        status = train_host(problem, &config, &host, &report, &error);
    config_free(&config);
    /* a run that was stopped, or that is worse than a constant, is a run, and its report says so */
    if ((status == STATUS_INTERRUPTED || status == STATUS_WORSE_THAN_TRIVIAL) &&
        host.directory[0]) {
        error = (Error){0};
        status = STATUS_OK;
    }
    if (status == STATUS_OK)
        status = run_load(host.directory, &report, run, &error);
    buffer_free(&report);
    return status == STATUS_OK ? NULL : failure_make(&error, NULL);
}
