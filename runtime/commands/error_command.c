/* error_command.c: pderun --error: the error of a trained model on the test law, and at the points of references
 * and reports, with the corrected values; and the same, briefly, at the end of a training. */
#include "commands/pderun.h"

#include "commands/error_job.h"
#include "commands/error_line.h"
#include "commands/trained_model.h"
#include "engine/real.h"
#include "files/io.h"
#include "files/say.h"
#include "train/run_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parameters and scales of a run, in double. */
typedef struct Trained {
    double *theta;
    double output_scale[PLAN_FIELDS_MAX];
} Trained;

static Status with_problem(const Problem *q, const Settings *settings, const Config *config,
                           Error *error) {
    ErrorJob job = {0};
    Trained trained = {0};
    const ErrorJobConfig c = {.points = config_integer(config, OPTION_ERROR_POINTS),
                              .paths = (int)config_integer(config, OPTION_PATHS),
                              .steps = (int)config_integer(config, OPTION_PATH_STEPS),
                              .goal = config_is_set(config, OPTION_PRECISION_GOAL)
                                          ? config_number(config, OPTION_PRECISION_GOAL)
                                          : 0,
                              .seed = (uint64_t)config_integer(config, OPTION_SEED)};
    const char *why = walk_refusal(q);
    if (why) {
        say("no error bar: %s\n", why);
        return STATUS_OK;
    }
    Status status = model_parameters(q, settings, config_text(config, OPTION_ERROR), &trained.theta,
                                     trained.output_scale, error);
    if (status == STATUS_OK)
        status = error_job_run(q, settings, trained.theta, trained.output_scale, &c, &job, error);
    if (status == STATUS_OK)
        error_job_print(&job, false);
    error_job_free(&job);
    free(trained.theta);
    return status;
}

Status run_error(ModuleFile *module, const Config *config, Error *error) {
    Settings settings;
    Problem problem;
    Status status = model_problem(module, config, OPTION_ERROR, &settings, &problem, error);
    if (status != STATUS_OK)
        return status;
    status = with_problem(&problem, &settings, config, error);
    problem_close(&problem);
    return status;
}

/* ---------------------------------------------------------------------------- after a training */

/* The same problem in double. */
static Status reopen(const Problem *q, const Config *config, Problem *wide, Error *error) {
    ModuleFile copy;
    char *data = malloc(q->module.size);
    if (!data)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the module");
    memcpy(data, q->module.data, q->module.size);
    Status status = module_parse(config->module, data, q->module.size, &copy, error);
    return status == STATUS_OK ? problem_open(&copy, config, PDE_F64, wide, error) : status;
}

static void write_json(const ErrorJob *job, const Run *run) {
    Buffer text = {0};
    char path[RUN_PATH_MAX];
    Error error = {0};
    error_job_write(job, &text);
    buffer_text(&text, "\n");
    if (buffer_status(&text, &error) == STATUS_OK)
        (void)io_write_atomic(run_path(run, "error.json", path), &(Bytes){text.data, text.size}, 1,
                              &error);
    buffer_free(&text);
}

/* How much is tried, one after the other, while there is time. */
static const struct {
    int points, paths;
    bool slices;
} TRIES[] = {{32, 64, true}, {32, 32, false}, {8, 32, false}};
enum { TRY_COUNT = sizeof TRIES / sizeof *TRIES };

static Status try_estimates(const Session *s, const Problem *q, const Trained *trained,
                            ErrorJobConfig *c, bool slices, ErrorLine *line, Error *error) {
    double start = seconds_now(), most = c->seconds_most;
    Status status = STATUS_OK;
    for (int k = 0; k < TRY_COUNT && status == STATUS_OK; k++) {
        c->points = TRIES[k].points;
        c->paths = TRIES[k].paths;
        c->slices = slices && TRIES[k].slices;
        c->seconds_most = estimate_seconds_left(most, start);
        error_job_free(&line->job);
        status = error_job_run(q, &s->settings, trained->theta, trained->output_scale, c,
                               &line->job, error);
        if (!line->job.stopped || *c->stop)
            break;
    }
    return status;
}

void error_line_make(const Session *s, const Config *config, double seconds, ErrorLine *line) {
    enum { STEPS = 16 };
    const double LEAST = 10; /* seconds of training: opening a problem in double takes up to one */
    const double MOST = 256; /* megabytes beside those of the training */
    const Problem *q = s->problem;
    Trained trained = {0};
    Error error = {0};
    ErrorJobConfig c = {.steps = STEPS,
                        .seed = s->settings.seed,
                        .seconds_most = seconds / 10,
                        .stop = frame_hooks(NULL).interrupt};
    *line = (ErrorLine){.slow = seconds < LEAST && !walk_refusal(q)};
    if (seconds < LEAST || *c.stop)
        return;
    /* parameters, gradient and state of the walk's network, and a copy of the parameters, in double */
    line->megabytes = walk_refusal(q) ? 0 : 4 * 8e-6 * (double)pde_engine_size(s->engine);
    if (line->megabytes > MOST)
        return;
    line->megabytes = 0;
    bool narrow = q->precision != PDE_F64 && !walk_refusal(q);
    Status status = narrow ? reopen(q, config, &line->wide, &error) : STATUS_OK;
    line->opened = narrow && status == STATUS_OK;
    if (status == STATUS_OK)
        status = session_parameters(s, &trained.theta, trained.output_scale, &error);
    if (status == STATUS_OK)
        status = try_estimates(s, narrow ? &line->wide : q, &trained, &c,
                               !config_flag(config, OPTION_NO_REPORT), line, &error);
    line->done = status == STATUS_OK && !line->job.stopped;
    line->slow = line->job.stopped && !*c.stop;
    free(trained.theta);
}

/* The figures, as columns of a last row. */
static void write_row(const ErrorJob *job, Run *run, const TrainResult *result) {
    Error error = {0};
    const double nothing = (double)NAN;
    const LogRow row = {.iteration = (uint64_t)result->iterations,
                        .loss = result->loss,
                        .error = result->error,
                        .seconds = result->seconds,
                        .cpu_seconds = run->state.cpu_seconds,
                        .ms_per_iteration = result->ms_per_iteration,
                        .rate = nothing};
    const ErrorSum *s = &job->sum;
    const LogValue figure[] = {{"estimated_error", s->rms / s->size},
                               {"estimated_error_low", s->rms_low / s->size},
                               {"estimated_error_high", s->rms_high / s->size},
                               {"corrected_half", s->noise}};
    (void)log_row(&run->log, &row, figure, sizeof figure / sizeof *figure, &error);
}

void error_line_print(const ErrorLine *line, Run *run, const TrainResult *result) {
    if (line->megabytes > 0)
        say("\nno error bar yet: it takes %.0f MB more; this estimates it: pderun --error %s\n",
            line->megabytes, run->directory);
    if (line->slow)
        say("\nno error bar yet: it would take more than a tenth of this training; this estimates "
            "it: pderun --error %s\n",
            run->directory);
    if (!line->done)
        return;
    say("\n");
    error_job_print(&line->job, true);
    if (line->job.incomplete)
        say("pderun --error %s estimates what has no bar yet\n", run->directory);
    write_json(&line->job, run);
    if (error_job_has(&line->job))
        write_row(&line->job, run, result);
}

void error_line_close(ErrorLine *line) {
    error_job_free(&line->job);
    if (line->opened)
        problem_close(&line->wide);
}
