/* tnn_train.c: a run with a tensor network: eigenproblems of the output layers, gradient steps, or
 * both, with log, checkpoints and what a person sees. */
#include "commands/tnn_files.h"

#include "cuda/tensor/device_tensor.h"
#include "files/number.h"
#include "files/say.h"
#include "train/run_frame.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

typedef struct Loop {
    TnnModule *m;
    Run *run;
    const Config *config;
    Screen screen;
    double began, before;        /* when this process started; seconds of earlier ones */
    double reference;            /* exact, or of the dense solver; NaN: none */
    double untrained;            /* the eigenvalue before any step, on the finer rule */
    double value, lambda, error; /* of the last step; on the finer rule; relative */
    double step_seconds;
    int64_t steps, logged; /* of this process; the iteration of the last row */
    bool pulled;           /* the host has what the device has */
    TrainEnd end;
} Loop;

static double elapsed(const Loop *l) {
    return l->before + seconds_now() - l->began;
}

/* ---------------------------------------------------------------------------------------- steps */

static void sample_terms(const TnnModule *m, Tnn *t, uint32_t step) {
    const Settings *s = &m->settings;
    bool sampled = algorithm_gradient(s->algorithm) == TERMS_SAMPLE;
    tnn_sample(t, 0, sampled ? s->terms : 0, step);
    tnn_sample(t, 1, algorithm_value(s->algorithm) == TERMS_SAMPLE ? s->value_terms : 0, step);
}

static double gradient_of(TnnModule *m, uint32_t step) {
    Terms value = algorithm_value(m->settings.algorithm);
    sample_terms(m, &m->tnn, step);
    return tnn_gradient(&m->tnn, value == TERMS_ALL || value == TERMS_SAMPLE);
}

static Status gradient_step(Loop *l, Error *error) {
    int64_t i = l->run->state.iteration;
    if (l->m->device)
        return cuda_tensor_step(l->m->device, (uint32_t)i, pde_rate(&l->m->settings.rate, i),
                                error);
    l->value = gradient_of(l->m, (uint32_t)i);
    if (!tnn_finite(&l->m->tnn) || !isfinite(l->value))
        return error_set(error, STATUS_NON_FINITE,
                         "the gradient of step %lld is not finite: a smaller --rate may help",
                         (long long)i);
    tnn_update(&l->m->tnn, pde_rate(&l->m->settings.rate, i));
    return STATUS_OK;
}

/* The value of a device's last step. The time of its steps is waited for here. */
static Status wait_for(Loop *l, Error *error) {
    double start = seconds_now();
    Status status = l->m->device ? cuda_tensor_value(l->m->device, &l->value, error) : STATUS_OK;
    l->step_seconds += seconds_now() - start;
    return status;
}

/* What a device has done is the host's, for what follows. */
static Status pull(Loop *l, Error *error) {
    if (!l->m->device || l->pulled)
        return STATUS_OK;
    Status status = wait_for(l, error);
    if (status == STATUS_OK)
        status = cuda_tensor_pull(l->m->device, error);
    l->pulled = status == STATUS_OK;
    return status;
}

/* *settled: solving again would change nothing. Only a sweep that is all of an iteration has to be
 * waited for: of a device one number is read then. */
static Status decide(Loop *l, double before, bool *settled, Error *error) {
    const TnnModule *m = l->m;
    bool alone = m->solver == SOLVER_EIGEN, sweeps = alone && !tnn_separable(&m->tnn);
    Status status = sweeps ? wait_for(l, error) : STATUS_OK;
    *settled = alone && (!sweeps || fabs(l->value - before) <= 1e-13 * fabs(l->value));
    return status;
}

static Status step(Loop *l, bool *settled, Error *error) {
    TnnModule *m = l->m;
    double start = seconds_now(), before = l->value;
    bool solves = m->solver == SOLVER_EIGEN ||
                  (m->solver == SOLVER_ALTERNATE && l->run->state.iteration % m->solve_every == 0);
    Status status = STATUS_OK;
    *settled = false;
    if (m->solver != SOLVER_EIGEN) {
        status = gradient_step(l, error);
        l->pulled = false;
    }
    if (status == STATUS_OK && solves) {
        status =
            m->device ? cuda_tensor_solve(m->device, error) : tnn_solve(&m->tnn, &l->value, error);
        l->pulled = false;
    }
    l->run->state.iteration++;
    l->steps++;
    l->step_seconds += seconds_now() - start;
    return status == STATUS_OK && solves ? decide(l, before, settled, error) : status;
}

/* ----------------------------------------------------------------------------------- log, files */

static Status log_progress(Loop *l, Error *error) {
    RunState *state = &l->run->state;
    TnnModule *m = l->m;
    Status status = wait_for(l, error);
    if (status == STATUS_OK)
        status = m->device ? cuda_tensor_score(m->device, &l->lambda, error)
                           : tnn_score(&m->tnn, &m->fine, &l->lambda, error);
    if (status != STATUS_OK)
        return status;
    l->error = fabs(l->lambda - l->reference) / fabs(l->reference);
    double mark = isnan(l->error) ? l->lambda : l->error;
    if (mark < state->best) {
        state->best = mark;
        state->best_iteration = state->iteration;
    }
    LogRow row = {.iteration = (uint64_t)state->iteration,
                  .loss = l->value,
                  .error = l->error,
                  .seconds = elapsed(l),
                  .ms_per_iteration = 1e3 * l->step_seconds / (double)l->steps,
                  .rate = pde_rate(&l->m->settings.rate, state->iteration - 1)};
    const LogValue extra[] = {{l->m->name, l->lambda}};
    l->logged = state->iteration;
    return log_row(&l->run->log, &row, extra, 1, error);
}

static void show(Loop *l, bool last) {
    ProgressState state = {.iteration = (uint64_t)l->run->state.iteration,
                           .iterations = (uint64_t)l->m->settings.iterations,
                           .loss = l->value,
                           .error = l->error,
                           .now = seconds_now(),
                           .time_left = isnan(l->m->settings.time_limit)
                                            ? (double)NAN
                                            : l->m->settings.time_limit - elapsed(l)};
    frame_show(&l->screen, &state, last);
}

static Status save(Loop *l, Error *error) {
    Status status = pull(l, error);
    l->run->state.seconds = elapsed(l);
    if (status != STATUS_OK)
        return status;
    return tnn_save(l->run, l->m, l->config,
                    l->run->state.best_iteration == l->run->state.iteration, error);
}

static bool ends(Loop *l, bool settled) {
    const Settings *s = &l->m->settings;
    const RunState *state = &l->run->state;
    if (*frame_interrupted())
        l->end = TRAIN_interrupted;
    else if (settled)
        l->end = TRAIN_converged;
    else if (!isnan(s->time_limit) && elapsed(l) >= s->time_limit)
        l->end = TRAIN_time_limit;
    else if (!isnan(s->stop_below) && l->error < s->stop_below)
        l->end = TRAIN_below;
    else if (s->patience > 0 && state->iteration - state->best_iteration >= s->patience)
        l->end = TRAIN_patience;
    else if (state->iteration >= s->iterations)
        l->end = TRAIN_finished;
    else
        return false;
    return true;
}

static Status iterate(Loop *l, Error *error) {
    const Settings *s = &l->m->settings;
    const RunState *state = &l->run->state;
    Status status = STATUS_OK;
    for (bool settled = false; status == STATUS_OK && !ends(l, settled);) {
        status = step(l, &settled, error);
        bool last = settled || state->iteration == s->iterations || *frame_interrupted();
        if (status == STATUS_OK &&
            (last || state->iteration == 1 || state->iteration % s->log_every == 0))
            status = log_progress(l, error);
        if (status == STATUS_OK && state->iteration % s->checkpoint_every == 0 && !last)
            status = save(l, error);
        show(l, false);
    }
    if (status == STATUS_OK && l->steps > 0 && l->logged != state->iteration)
        status = log_progress(l, error);
    return status;
}

/* -------------------------------------------------------------------------------- header, footer
 */

static void print_header(const Loop *l) {
    static const char *const solver[] = {"eigenproblems of the output layers",
                                         "gradient steps and eigenproblems", "gradient steps"};
    const TnnModule *m = l->m;
    const Settings *s = &m->settings;
    double least = (double)INFINITY, most = 0;
    for (int64_t i = 0; i < m->problem.d; i++) {
        least = m->operator.half[i]<least ? m->operator.half[i] : least;
        most = m->operator.half[i]> most  ? m->operator.half[i] : most;
    }
    char a[NUMBER_TEXT_MAX], b[NUMBER_TEXT_MAX];
    say("%s\n", m->problem.plan.title);
    say_lines(m->text, strlen(m->text));
    say("  dimension   %lld, boxes of half width %s to %s\n", (long long)m->problem.d,
        number_print_digits(least, 4, a), number_print_digits(most, 4, b));
    say("  network     rank %d, width %d, %d weight layers, %s, %lld parameters, float64\n",
        m->config.rank, m->config.width, m->config.depth, pde_activation_name(m->config.activation),
        (long long)m->tnn.parameters);
    say("  quadrature  %d nodes; scored on %d\n", m->tnn.rule.nodes, m->fine.nodes);
    say("  solver      %s", solver[m->solver]);
    if (m->solver != SOLVER_EIGEN) {
        say("; algorithm %s, rate %s", algorithm_name(s->algorithm),
            config_text(l->config, OPTION_RATE));
        if (algorithm_gradient(s->algorithm) == TERMS_SAMPLE)
            say(", %lld of %lld terms", (long long)s->terms, (long long)m->problem.d);
        say(", blocks of %lld dimensions", (long long)m->tnn.tape_dims);
    }
    if (m->device)
        say("\n  device      %s, %.0f MB", m->device->backend->name,
            cuda_tensor_bytes(m->device) / 1e6);
    say("\n  machine     %d threads, %s\n", pde_pool_size(m->tnn.pool), m->tnn.ops->name);
    if (l->run->state.iteration > 0)
        say("  resumed     after iteration %lld\n", (long long)l->run->state.iteration);
    (void)say_end();
}

static void print_error(const char *name, double lambda, double reference) {
    char number[NUMBER_TEXT_MAX];
    if (!isnan(reference))
        say("  %-30s %.12g   relative error %s\n", name, reference,
            number_print_digits(fabs(lambda - reference) / fabs(reference), 4, number));
}

static void print_footer(const Loop *l, double dense) {
    char number[NUMBER_TEXT_MAX];
    const TnnModule *m = l->m;
    say("\n  %-30s %.12g   on %d nodes (%.12g on the %d that were trained on)\n", m->name,
        l->lambda, m->fine.nodes, l->value, m->tnn.rule.nodes);
    print_error("exact", l->lambda, m->exact);
    print_error("dense solver, same box", l->lambda, dense);
    if (!isnan(dense) && !isnan(m->exact))
        say("  %-30s %s   of the exact value\n", "the walls raise it by",
            number_print_digits((dense - m->exact) / fabs(m->exact), 3, number));
    if (fabs(l->value - l->lambda) > 1e-6 * fabs(l->lambda) &&
        algorithm_gradient(m->settings.algorithm) != TERMS_SAMPLE)
        say("  the two rules disagree: more --nodes or --cells are needed\n");
    Verdict verdict;
    verdict_of_eigenvalue(l->lambda, l->untrained, l->reference, &verdict);
    frame_verdict(&verdict);
}

/* ----------------------------------------------------------------------------------------- train
 */

/* A dense solution where it is cheap: one small eigenproblem per dimension, or d = 2. */
static double dense_reference(const TnnModule *m) {
    enum { BASIS = 72, BASIS_OF_TWO = 28, DIMENSIONS_MAX = 2000 };
    if (m->problem.d > DIMENSIONS_MAX)
        return (double)NAN;
    return tnn_dense(&m->tnn, m->operator.channels ? BASIS_OF_TWO : BASIS, NULL);
}

static Status finish(Loop *l, double dense, Error *error) {
    Status status = save(l, error);
    if (status == STATUS_OK)
        status = tnn_write_model(l->run, l->m, l->lambda, error);
    show(l, true);
    if (status != STATUS_OK)
        return status;
    TnnOutcome outcome = {l->lambda, dense, train_end_text(l->end), elapsed(l)};
    if (l->m->device)
        (void)tnn_value(&l->m->tnn); /* the report draws from the host's matrices */
    bool report =
        !config_flag(l->config, OPTION_NO_REPORT) && tnn_report(l->run, l->m, l->config, &outcome);
    print_footer(l, dense);
    TrainResult result = {.end = l->end,
                          .iterations = l->run->state.iteration,
                          .seconds = elapsed(l),
                          .ms_per_iteration =
                              l->steps ? 1e3 * l->step_seconds / (double)l->steps : 0};
    return frame_end(l->run, l->config, &result, report, error);
}

static Status train_network(TnnModule *m, Run *run, const Config *config, double untrained,
                            Error *error) {
    double dense = dense_reference(m);
    Loop l = {.m = m,
              .run = run,
              .config = config,
              .screen = frame_screen(config),
              .began = seconds_now(),
              .before = run->state.seconds,
              .reference = isnan(m->exact) ? dense : m->exact,
              .untrained = untrained,
              .value = (double)NAN,
              .error = (double)NAN,
              .pulled = true};
    print_header(&l);
    Status status = STATUS_OK;
    if (config_is_set(config, OPTION_TRACE)) {
        double lambda = gradient_of(m, (uint32_t)run->state.iteration);
        status = tnn_write_trace(m, lambda, config_text(config, OPTION_TRACE), error);
    }
    if (status == STATUS_OK)
        status = iterate(&l, error);
    if (status == STATUS_OK && l.steps == 0) { /* a resumed run that was complete */
        l.value = tnn_value(&m->tnn);
        status = tnn_score(&m->tnn, &m->fine, &l.lambda, error);
    }
    return status == STATUS_OK ? finish(&l, dense, error) : status;
}

static Status select_device(TnnModule *m, const Config *config, Error *error) {
    Buffer note = {0};
    Status status = cuda_tensor_select(m, config, &note, error);
    frame_note(&note);
    return status;
}

static Status with_module(ModuleFile *module, Config *config, Run *run, Checkpoint *checkpoint,
                          Error *error) {
    TnnModule m;
    Status status = tnn_open(module, config, &m, error);
    if (status != STATUS_OK)
        return status;
    status = tnn_make(&m, error);
    double untrained = (double)NAN;
    if (status == STATUS_OK)
        status = tnn_score(&m.tnn, &m.fine, &untrained, error);
    if (status == STATUS_OK && checkpoint)
        status = tnn_load(run, &m, checkpoint, error);
    if (checkpoint)
        checkpoint_free(checkpoint);
    if (status == STATUS_OK)
        status = run_write_config(run, config, error);
    if (status == STATUS_OK)
        status = log_open(run->directory, (uint64_t)run->state.iteration, &run->log, error);
    if (status == STATUS_OK)
        status = select_device(&m, config, error);
    if (status == STATUS_OK)
        status = train_network(&m, run, config, untrained, error);
    tnn_close(&m);
    return status;
}

Status tnn_training(ModuleFile *module, Config *config, Error *error) {
    return frame_run(module, config, with_module, error);
}
