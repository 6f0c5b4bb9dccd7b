#include "train/train.h"

#include "engine/ranks/ranks.h"

#include <assert.h>
#include <math.h>

typedef struct Loop {
    Trainee *t;
    Stepper *p;
    const Settings *set;
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
    int64_t row_iteration; /* of the last log row; -1: none */
    StepRow row;           /* the last log row */
    double waited;         /* where steps are queued: when they were last waited for */
    bool warned;
} Loop;

static const double LEAST_RATE_FACTOR = 1e-9; /* rolling back further would change nothing */
static const double WAIT_SECONDS = 0.5;       /* longest time that steps are only queued */

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

static void take_marks(Loop *l) {
    RunState *state = &l->run->state;
    if (l->row.held < state->held_best) {
        state->held_best = l->row.held;
        state->held_best_iteration = state->iteration;
    }
    if (l->row.mark < state->best) {
        state->best = l->row.mark;
        state->best_iteration = state->iteration;
    }
}

/* Whatever the reason, ranks that differ must not go on. */
static Status rows_agree(const Loop *l, Error *error) {
    const double row[] = {l->row.loss, l->row.error, l->row.held, l->row.mark};
    return ranks_same(l->set->ranks, "loss or error", (Bytes){row, sizeof row}, error);
}

static Status make_row(Loop *l, Error *error) {
    l->row.columns = 0;
    Status status = l->t->class->row(l->t, &l->row, error);
    return status == STATUS_OK ? rows_agree(l, error) : status;
}

/* On the way a loss may rise for a while; a run that ends has the least that it has seen. */
static bool has_declined(const Loop *l) {
    const RunState *state = &l->run->state;
    bool last = state->iteration == l->set->iterations;
    double most = last ? 1 : l->set->fall_back;
    return l->set->fall_back > 0 && l->t->class->fall_back && l->row.held > most * state->held_best;
}

/* Training goes on from there with points of its own, since the iteration counts on. */
static Status fall_back(Loop *l, Error *error) {
    RunState *state = &l->run->state;
    assert(state->held_best_iteration < state->iteration);
    Status status = l->t->class->fall_back(l->t, l->run, error);
    state->rate_factor /= 2;
    if (status == STATUS_OK)
        status = stepper_push(l->p, error);
    return status == STATUS_OK ? make_row(l, error) : status;
}

static Status log_progress(Loop *l, double rate, Error *error) {
    const RunState *state = &l->run->state;
    Status status = make_row(l, error);
    if (status == STATUS_OK && has_declined(l))
        status = fall_back(l, error);
    if (status != STATUS_OK)
        return status;
    assert(l->row.columns <= STEP_COLUMNS_MAX);
    take_marks(l);
    int64_t steps = l->steps - l->row_steps;
    LogRow row = {.iteration = (uint64_t)state->iteration,
                  .loss = l->row.loss,
                  .error = l->row.error,
                  .seconds = elapsed(l),
                  .cpu_seconds = cpu_elapsed(l),
                  .ms_per_iteration =
                      steps ? 1e3 * (l->steps_seconds - l->row_seconds) / (double)steps : 0,
                  .rate = rate};
    l->row_seconds = l->steps_seconds;
    l->row_steps = l->steps;
    l->row_iteration = state->iteration;
    Error failure = {0};
    if (!l->run->follows &&
        log_row(&l->run->log, &row, l->row.column, l->row.columns, &failure) != STATUS_OK)
        warn(l, "the log could not be written, training goes on", &failure);
    return STATUS_OK;
}

/* Where rank 0 could not write, no rank has a checkpoint to come back to. */
static Status save(Loop *l, Error *error) {
    RunState *state = &l->run->state;
    int64_t before = l->run->saved;
    state->seconds = elapsed(l);
    state->cpu_seconds = cpu_elapsed(l);
    Status status = l->t->class->save(l->t, l->run, l->config,
                                      state->best_iteration == state->iteration, error);
    unsigned failed = status != STATUS_OK;
    Error apart = {0};
    if (ranks_any(l->set->ranks, &failed, &apart) == STATUS_OK && failed)
        l->run->saved = before;
    return status;
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
    assert(l->t->class->explain && l->t->class->restore); /* whoever refuses a step */
    Status status = l->t->class->explain(l->t, state->iteration, &found, error);
    if (status != STATUS_OK)
        return status;
    switch (l->set->non_finite) {
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
        status = l->t->class->restore(l->t, l->run, error);
        state->rate_factor = factor;
        return status == STATUS_OK ? stepper_push(l->p, error) : status;
    }
    }
    *error = found; /* its lines stay lines */
    return found.status;
}

/* --------------------------------------------------------------------------------------- loop */

/* What happens to a process alone, and not to the others of a run: all act on it in the same step. The time is rank
 * 0's. */
enum { SIGNAL_CAME = 1, TIME_IS_UP = 2 };

static Status events(const Loop *l, unsigned *seen, Error *error) {
    const Settings *set = l->set;
    bool time =
        !isnan(set->time_limit) && ranks_number(set->ranks) == 0 && elapsed(l) >= set->time_limit;
    *seen = (*l->hooks->interrupt ? SIGNAL_CAME : 0u) | (time ? TIME_IS_UP : 0u);
    return ranks_any(set->ranks, seen, error);
}

/* True if the run ends here, for the reason in *end. */
static bool ends(const Loop *l, bool logged, unsigned seen, StepEnd step, TrainEnd *end) {
    const Settings *set = l->set;
    const RunState *state = &l->run->state;
    int64_t best = set->held_out > 0 ? state->held_best_iteration : state->best_iteration;
    if (seen & SIGNAL_CAME)
        *end = TRAIN_interrupted;
    else if (step == STEP_SETTLED)
        *end = TRAIN_converged;
    else if (seen & TIME_IS_UP)
        *end = TRAIN_time_limit;
    else if (logged && !isnan(set->stop_below) && l->row.goal < set->stop_below)
        *end = TRAIN_below;
    else if (logged && set->patience > 0 && state->iteration - best >= set->patience)
        *end = TRAIN_patience;
    else
        return false;
    return true;
}

static void show(const Loop *l, bool last) {
    ProgressState state = {
        .iteration = (uint64_t)l->run->state.iteration,
        .iterations = (uint64_t)l->set->iterations,
        .loss = l->t->class->loss(l->t),
        .error = l->row.error,
        .now = seconds_now(),
        .time_left = isnan(l->set->time_limit) ? (double)NAN : l->set->time_limit - elapsed(l)};
    l->hooks->progress(l->hooks->context, &state, last);
}

static bool logs_at(const Loop *l, int64_t iteration) {
    return iteration % l->set->log_every == 0 || iteration == l->set->iterations || iteration == 1;
}

/* Waits for the steps that are queued: it may turn out that one was refused, and those after it with it. */
static Status wait_for(Loop *l, StepEnd *end, Error *error) {
    RunState *state = &l->run->state;
    Refusal refusal = {0};
    double start = seconds_now();
    if (!l->p->class->wait)
        return STATUS_OK;
    Status status = l->p->class->wait(l->p, &refusal, error);
    l->waited = seconds_now();
    l->steps_seconds += l->waited - start;
    if (status == STATUS_OK && refusal.refused) {
        assert(refusal.step >= 0 && refusal.step <= state->iteration);
        *end = STEP_REFUSED;
        l->steps -= state->iteration - refusal.step;
        state->iteration = refusal.step;
    }
    return status;
}

static Status take_step(Loop *l, double rate, StepEnd *end, Error *error) {
    RunState *state = &l->run->state;
    double start = seconds_now();
    *end = STEP_TAKEN;
    Status status = l->p->class->step(l->p, state->iteration, rate, end, error);
    if (status == STATUS_OK)
        status = ranks_status(l->set->ranks, error);
    if (status != STATUS_OK || *end == STEP_REFUSED)
        return status;
    int64_t done = ++state->iteration;
    l->steps++;
    l->steps_seconds += seconds_now() - start;
    bool due = logs_at(l, done) || *end == STEP_SETTLED;
    if (l->p->class->queues)
        due = due || done % l->set->checkpoint_every == 0 || start - l->waited > WAIT_SECONDS;
    return due ? wait_for(l, end, error) : STATUS_OK;
}

/* The scales against what training has found so far. Queued steps up to here are waited for first; one
 * that was refused makes the check come again. */
static Status recheck(Loop *l, StepEnd *end, Error *error) {
    RunState *state = &l->run->state;
    Buffer said = {0};
    if (!l->t->class->recheck || !l->t->class->recheck_due(l->t, state->iteration))
        return STATUS_OK;
    Status status = wait_for(l, end, error);
    bool goes_on = status == STATUS_OK && *end != STEP_REFUSED;
    if (goes_on)
        status = stepper_pull(l->p, true, error);
    if (goes_on && status == STATUS_OK)
        status = l->t->class->recheck(l->t, state->iteration, &said, error);
    if (status == STATUS_OK && said.size > 0) {
        l->hooks->warn(l->hooks->context, said.data);
        status = stepper_push(l->p, error);
        if (isnan(l->row.error)) /* losses are in other units now */
            state->best = (double)INFINITY;
        state->held_best = (double)INFINITY;
    }
    buffer_free(&said);
    return status;
}

/* After a step that was taken: its row and checkpoint, if they are due. *over: the run ends here, unless
 * it turns out that a step was refused that was thought to be taken. */
static Status after_step(Loop *l, double rate, TrainEnd *end, bool *over, StepEnd *step,
                         Error *error) {
    const RunState *state = &l->run->state;
    bool last = state->iteration == l->set->iterations;
    bool logs = logs_at(l, state->iteration) || *step == STEP_SETTLED;
    unsigned seen = 0;
    Status status = logs ? log_progress(l, rate, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = events(l, &seen, error);
    if (status != STATUS_OK)
        return status;
    show(l, false);
    *over = ends(l, logs, seen, *step, end);
    if (*over && l->p->class->queues)
        return wait_for(l, step, error);
    bool keeps = logs && l->set->fall_back > 0 && state->held_best_iteration == state->iteration;
    if (!*over && (state->iteration % l->set->checkpoint_every == 0 || keeps) && !last)
        save_or_warn(l);
    return STATUS_OK;
}

static Status iterate(Loop *l, TrainEnd *end, Error *error) {
    const RunState *state = &l->run->state;
    double rate = 0;
    *end = TRAIN_finished;
    for (bool over = false; state->iteration < l->set->iterations && !over;) {
        StepEnd step;
        rate = pde_rate(&l->set->rate, state->iteration) * state->rate_factor;
        Status status = take_step(l, rate, &step, error);
        if (status == STATUS_OK && step != STEP_REFUSED)
            status = recheck(l, &step, error);
        if (status == STATUS_OK && step != STEP_REFUSED)
            status = after_step(l, rate, end, &over, &step, error);
        if (status == STATUS_OK && step == STEP_REFUSED) {
            unsigned seen = 0;
            status = handle_non_finite(l, error);
            if (status == STATUS_OK)
                status = events(l, &seen, error);
            over = status == STATUS_OK && ends(l, false, seen, step, end);
        }
        if (status != STATUS_OK)
            return status;
    }
    if (!l->t->class->last_row || l->steps == 0 || l->row_iteration == state->iteration)
        return STATUS_OK;
    StepEnd step = STEP_TAKEN;
    Status status = wait_for(l, &step, error);
    return status == STATUS_OK ? log_progress(l, rate, error) : status;
}

Status train(Trainee *trainee, Run *run, const Config *config, const TrainHooks *hooks,
             TrainResult *result, Error *error) {
    Loop loop = {.t = trainee,
                 .p = trainee->stepper,
                 .set = trainee->settings,
                 .run = run,
                 .config = config,
                 .hooks = hooks,
                 .began = seconds_now(),
                 .before = run->state.seconds,
                 .cpu_began = cpu_seconds_now(),
                 .cpu_before = run->state.cpu_seconds,
                 .row_iteration = -1,
                 .row = {.loss = (double)NAN,
                         .error = (double)NAN,
                         .held = (double)NAN,
                         .mark = (double)NAN,
                         .goal = (double)NAN}};
    assert(trainee->class && trainee->settings && loop.p && loop.p->class);
    assert(run->state.iteration >= 0);
    Status status = stepper_push(loop.p, error);
    if (status == STATUS_OK)
        status = iterate(&loop, &result->end, error);
    if (status == STATUS_OK && run->saved != run->state.iteration)
        status = save(&loop, error);
    Status last = trainee->class->finish(trainee, run, status != STATUS_OK, error);
    show(&loop, true);
    result->iterations = run->state.iteration;
    result->loss = loop.row.loss;
    result->error = loop.row.error;
    result->seconds = elapsed(&loop);
    result->ms_per_iteration = loop.steps ? 1e3 * loop.steps_seconds / (double)loop.steps : 0;
    return status != STATUS_OK ? status : last;
}
