#include "train/train.h"

#include "cuda/step/device_session.h"
#include "measure/heldout.h"
#include "measure/nonfinite.h"
#include "measure/reference.h"
#include "step/average.h"
#include "step/balance.h"
#include "step/optimiser.h"
#include "train/recheck.h"

#include <math.h>

typedef struct Loop {
    Session *s;
    Evaluation *e;
    Run *run;
    const Config *config;
    const TrainHooks *hooks;
    double began;                 /* when this process started to train */
    double before;                /* seconds of earlier processes */
    double cpu_began, cpu_before; /* the same, of the processor's time in all threads */
    double steps_seconds;         /* spent in steps */
    int64_t steps;
    double row_seconds; /* steps_seconds and steps at the last log row */
    int64_t row_steps;
    double loss, error, held; /* of the last log row; NaN: unknown */
    double waited;            /* with a device: when it was last waited for */
    bool warned;
} Loop;

static const double LEAST_RATE_FACTOR = 1e-9; /* rolling back further would change nothing */
static const double WAIT_SECONDS = 0.5; /* longest time that steps are only queued on a device */

const char *train_end_text(TrainEnd end) {
    static const char *const text[] = {
#define ROW(name, words) words,
        TRAIN_ENDS(ROW)
#undef ROW
    };
    return text[end];
}

static void warn(Loop *l, const char *what, const Error *error) {
    Buffer text = {0};
    buffer_printf(&text, "%s: %s", what, error->message);
    if (!text.failed && !l->warned)
        l->hooks->warn(l->hooks->context, text.data);
    l->warned = true;
    buffer_free(&text);
}

static double elapsed(const Loop *l) {
    return l->before + seconds_now() - l->began;
}

static double cpu_elapsed(const Loop *l) {
    return l->cpu_before + cpu_seconds_now() - l->cpu_began;
}

/* ------------------------------------------------------------------------------- rows, saves */

/* What --stop-below and the best model go by. */
static double mark_of(const Loop *l) {
    return !isnan(l->error) ? l->error : !isnan(l->held) ? l->held : l->loss;
}

static void estimate_held_out(Loop *l) {
    RunState *state = &l->run->state;
    if (l->s->settings.held_out == 0)
        return;
    l->held = held_out_loss(l->s, l->s->settings.held_out, 0);
    if (l->held < state->held_best) {
        state->held_best = l->held;
        state->held_best_iteration = state->iteration;
    }
}

/* A device scores its parameters itself, where that is all a row needs; else they are the host's. */
static bool device_scores(const Loop *l) {
    const Plan *plan = &l->s->problem->plan;
    for (int f = 0; f < plan->fields; f++)
        if (plan->field[f].free_constant) /* of which means are to be subtracted */
            return false;
    return l->s->device && l->e->points > 0 && l->s->settings.held_out == 0;
}

/* Where a mean of the parameters is kept, it is what is scored. */
static Status score(Loop *l, Error *error) {
    if (device_scores(l))
        return cuda_session_score(l->s->device, l->e, &l->error, error);
    if (l->s->device) {
        CudaRefusal refusal;
        Status status = cuda_session_pull(l->s->device, false, &refusal, error);
        if (status != STATUS_OK)
            return status;
    }
    if (l->s->average)
        average_swap(l->s->average);
    l->error = l->e->points > 0 ? evaluation_errors(l->e, NULL).l2 : reference_error(l->e);
    estimate_held_out(l);
    if (l->s->average)
        average_swap(l->s->average);
    return STATUS_OK;
}

static Status log_progress(Loop *l, double rate, Error *error) {
    RunState *state = &l->run->state;
    l->loss = l->s->loss;
    Status status = score(l, error);
    if (status != STATUS_OK)
        return status;
    double mark = mark_of(l);
    if (mark < state->best) {
        state->best = mark;
        state->best_iteration = state->iteration;
    }
    int64_t steps = l->steps - l->row_steps;
    LogRow row = {.iteration = (uint64_t)state->iteration,
                  .loss = l->loss,
                  .error = l->error,
                  .seconds = elapsed(l),
                  .cpu_seconds = cpu_elapsed(l),
                  .ms_per_iteration =
                      steps ? 1e3 * (l->steps_seconds - l->row_seconds) / (double)steps : 0,
                  .rate = rate};
    l->row_seconds = l->steps_seconds;
    l->row_steps = l->steps;
    LogValue extra[PLAN_UNKNOWNS_MAX + PLAN_TASKS_MAX + 2 + OPTIMISER_COLUMNS_MAX];
    char name[PLAN_TASKS_MAX][PLAN_NAME_MAX];
    size_t count = 0;
    if (algorithm_value(l->s->settings.algorithm) == TERMS_SAMPLE)
        extra[count++] = (LogValue){"loss_unbiased", l->s->product};
    if (!isnan(l->held))
        extra[count++] = (LogValue){"loss_held_out", l->held};
    count += (size_t)optimiser_columns(l->s, extra + count);
    for (int i = 1; i < l->s->tasks && l->s->settings.balance; i++)
        extra[count++] = (LogValue){balance_name(&l->s->task[i], name[i], sizeof name[i]),
                                    session_task_weight(&l->s->task[i])};
    bool mean = l->s->average && average_count(l->s->average) > 0;
    const double *unknown = mean ? average_unknowns(l->s->average) : l->s->unknown;
    for (int k = 0; k < l->s->problem->plan.unknowns; k++)
        extra[count++] = (LogValue){l->s->problem->plan.unknown[k], unknown[k]};
    Error failure = {0};
    if (log_row(&l->run->log, &row, extra, count, &failure) != STATUS_OK)
        warn(l, "the log could not be written, training goes on", &failure);
    return STATUS_OK;
}

static Status save(Loop *l, Error *error) {
    RunState *state = &l->run->state;
    state->seconds = elapsed(l);
    state->cpu_seconds = cpu_elapsed(l);
    if (l->s->device) {
        CudaRefusal refusal;
        Status status = cuda_session_pull(l->s->device, true, &refusal, error);
        if (status != STATUS_OK)
            return status;
    }
    return run_save(l->run, l->s, l->config, state->best_iteration == state->iteration, error);
}

static void save_or_warn(Loop *l) {
    Error error = {0};
    if (save(l, &error) == STATUS_OK)
        l->warned = false;
    else
        warn(l, "no checkpoint could be written, training goes on", &error);
}

/* --------------------------------------------------------------------------- non-finite values */

/* The parameters have not been touched. STATUS_OK: training goes on. */
static Status handle_non_finite(Loop *l, Error *error) {
    RunState *state = &l->run->state;
    Error found = {0};
    if (l->s->device) { /* the processor looks at the same step for itself */
        CudaRefusal refusal;
        Status status = cuda_session_pull(l->s->device, false, &refusal, error);
        if (status != STATUS_OK)
            return status;
        session_gradient_again(l->s, (uint32_t)state->iteration);
    }
    nan_describe(l->s, state->iteration, &found);
    switch (l->s->settings.non_finite) {
    case NON_FINITE_STOP:
        save_or_warn(l);
        break;
    case NON_FINITE_SKIP:
        l->hooks->warn(l->hooks->context, found.message);
        state->iteration++;
        state->skipped++;
        return STATUS_OK;
    case NON_FINITE_ROLLBACK: {
        if (l->run->saved < 0 || state->rate_factor < LEAST_RATE_FACTOR)
            break;
        double factor = state->rate_factor / 2;
        l->hooks->warn(l->hooks->context, found.message);
        Status status = run_restore(l->run, l->s, error);
        state->rate_factor = factor;
        if (status == STATUS_OK && l->s->device)
            status = cuda_session_push(l->s->device, error);
        return status;
    }
    }
    *error = found; /* its lines stay lines */
    return found.status;
}

/* --------------------------------------------------------------------------------------- loop */

/* True if the run ends here, for the reason in *end. */
static bool ends(const Loop *l, bool logged, TrainEnd *end) {
    const Settings *set = &l->s->settings;
    const RunState *state = &l->run->state;
    double mark = mark_of(l);
    int64_t best = set->held_out > 0 ? state->held_best_iteration : state->best_iteration;
    if (*l->hooks->interrupt)
        *end = TRAIN_interrupted;
    else if (!isnan(set->time_limit) && elapsed(l) >= set->time_limit)
        *end = TRAIN_time_limit;
    else if (logged && !isnan(set->stop_below) && mark < set->stop_below)
        *end = TRAIN_below;
    else if (logged && set->patience > 0 && state->iteration - best >= set->patience)
        *end = TRAIN_patience;
    else
        return false;
    return true;
}

static void show(const Loop *l, bool last) {
    const Settings *set = &l->s->settings;
    ProgressState state = {.iteration = (uint64_t)l->run->state.iteration,
                           .iterations = (uint64_t)set->iterations,
                           .loss = l->s->loss,
                           .error = l->error,
                           .now = seconds_now(),
                           .time_left =
                               isnan(set->time_limit) ? (double)NAN : set->time_limit - elapsed(l)};
    l->hooks->progress(l->hooks->context, &state, last);
}

static bool logs_at(const Loop *l, int64_t iteration) {
    const Settings *set = &l->s->settings;
    return iteration % set->log_every == 0 || iteration == set->iterations || iteration == 1;
}

/* Waits for the steps that are queued on a device: it may turn out that one was refused, and those
 * after it with it. */
static Status device_wait(Loop *l, bool *refused, Error *error) {
    RunState *state = &l->run->state;
    CudaRefusal refusal;
    double start = seconds_now();
    Status status = cuda_session_wait(l->s->device, &refusal, error);
    *refused = status == STATUS_OK && refusal.refused;
    l->waited = seconds_now();
    l->steps_seconds += l->waited - start;
    if (*refused) {
        l->steps -= state->iteration - refusal.step;
        state->iteration = refusal.step;
    }
    return status;
}

/* Queues a step on the device, which is waited for when someone wants to know. */
static Status device_step(Loop *l, double rate, bool *refused, Error *error) {
    RunState *state = &l->run->state;
    double start = seconds_now();
    *refused = false;
    Status status = cuda_session_step(l->s->device, (uint32_t)state->iteration, rate, error);
    int64_t done = ++state->iteration;
    l->steps++;
    l->steps_seconds += seconds_now() - start;
    bool due = logs_at(l, done) || done % l->s->settings.checkpoint_every == 0 ||
               start - l->waited > WAIT_SECONDS;
    return status == STATUS_OK && due ? device_wait(l, refused, error) : status;
}

/* One step; *refused if its numbers were not finite and nothing was changed. */
static Status step(Loop *l, double rate, bool *refused, Error *error) {
    if (l->s->device)
        return device_step(l, rate, refused, error);
    double start = seconds_now();
    *refused = !session_step(l->s, (uint32_t)l->run->state.iteration, rate);
    if (*refused)
        return STATUS_OK;
    l->run->state.iteration++;
    if (l->s->average)
        average_add(l->s->average, l->run->state.iteration);
    l->steps++;
    l->steps_seconds += seconds_now() - start;
    return STATUS_OK;
}

/* The scales against what training has found so far. A device's steps up to here are waited for first; one
 * that was refused makes the check come again. */
static Status recheck(Loop *l, bool *refused, Error *error) {
    RunState *state = &l->run->state;
    Buffer said = {0};
    Status status = STATUS_OK;
    if (!recheck_due(l->s, state->iteration))
        return STATUS_OK;
    if (l->s->device) {
        CudaRefusal refusal;
        status = device_wait(l, refused, error);
        if (status == STATUS_OK && !*refused)
            status = cuda_session_pull(l->s->device, true, &refusal, error);
    }
    if (status == STATUS_OK && !*refused)
        status = recheck_scales(l->s, state->iteration, &said, error);
    if (status == STATUS_OK && said.size > 0) {
        l->hooks->warn(l->hooks->context, said.data);
        if (l->s->device)
            status = cuda_session_push(l->s->device, error);
        if (isnan(l->error)) /* losses are in other units now */
            state->best = (double)INFINITY;
        state->held_best = (double)INFINITY;
    }
    buffer_free(&said);
    return status;
}

/* After a step that was taken: its row and checkpoint, if they are due. *over: the run ends here, unless
 * it turns out that a device has refused a step that was thought to be taken. */
static Status after_step(Loop *l, double rate, TrainEnd *end, bool *over, bool *refused,
                         Error *error) {
    const Settings *set = &l->s->settings;
    const RunState *state = &l->run->state;
    bool last = state->iteration == set->iterations, logs = logs_at(l, state->iteration);
    Status status = logs ? log_progress(l, rate, error) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    show(l, false);
    *over = ends(l, logs, end);
    if (*over && l->s->device)
        return device_wait(l, refused, error);
    if (!*over && state->iteration % set->checkpoint_every == 0 && !last)
        save_or_warn(l);
    return STATUS_OK;
}

static Status iterate(Loop *l, TrainEnd *end, Error *error) {
    const Settings *set = &l->s->settings;
    const RunState *state = &l->run->state;
    *end = TRAIN_finished;
    while (state->iteration < set->iterations) {
        double rate = pde_rate(&set->rate, state->iteration) * state->rate_factor;
        bool refused, over = false;
        Status status = step(l, rate, &refused, error);
        if (status == STATUS_OK && !refused)
            status = recheck(l, &refused, error);
        if (status == STATUS_OK && !refused)
            status = after_step(l, rate, end, &over, &refused, error);
        if (status == STATUS_OK && refused) {
            status = handle_non_finite(l, error);
            over = status == STATUS_OK && ends(l, false, end);
        }
        if (status != STATUS_OK || over)
            return status;
    }
    return STATUS_OK;
}

Status train(Session *s, Evaluation *e, Run *run, const Config *config, const TrainHooks *hooks,
             TrainResult *result, Error *error) {
    Loop loop = {.s = s,
                 .e = e,
                 .run = run,
                 .config = config,
                 .hooks = hooks,
                 .began = seconds_now(),
                 .before = run->state.seconds,
                 .cpu_began = cpu_seconds_now(),
                 .cpu_before = run->state.cpu_seconds,
                 .loss = (double)NAN,
                 .error = (double)NAN,
                 .held = (double)NAN};
    Status status = s->device ? cuda_session_push(s->device, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = iterate(&loop, &result->end, error);
    if (status == STATUS_OK && run->saved != run->state.iteration)
        status = save(&loop, error);
    if (s->average) /* for good: the model, the table and the report are of the mean */
        average_swap(s->average);
    if (status == STATUS_OK)
        status = run_write_model(run, s, error);
    show(&loop, true);
    result->iterations = run->state.iteration;
    result->loss = loop.loss;
    result->error = loop.error;
    result->seconds = elapsed(&loop);
    result->ms_per_iteration = loop.steps ? 1e3 * loop.steps_seconds / (double)loop.steps : 0;
    return status;
}
