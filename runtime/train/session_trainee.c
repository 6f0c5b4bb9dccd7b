/* session_trainee.c: a session as what is trained, and its steps on the processor. */
#include "train/stepper.h"

#include "engine/ranks/ranks.h"
#include "measure/heldout.h"
#include "measure/nonfinite.h"
#include "measure/reference.h"
#include "step/hook.h"
#include "step/optimiser.h"
#include "train/recheck.h"

#include <assert.h>
#include <math.h>

/* ------------------------------------------------------------------------------- the processor */

static Status step_here(Stepper *p, int64_t iteration, double rate, StepEnd *end, Error *error) {
    Session *s = p->self;
    (void)error;
    assert(iteration >= 0 && iteration <= ITERATIONS_MOST);
    *end = session_step(s, (uint32_t)iteration, rate) ? STEP_TAKEN : STEP_REFUSED;
    if (*end == STEP_TAKEN)
        hooks_after(s, iteration + 1);
    return STATUS_OK;
}

Stepper session_stepper(Session *session) {
    static const StepperClass class = {.name = "processor", .step = step_here};
    assert(session->engine);
    return (Stepper){&class, session};
}

Status stepper_push(Stepper *p, Error *error) {
    return p->class->push ? p->class->push(p, error) : STATUS_OK;
}

Status stepper_pull(Stepper *p, bool state, Error *error) {
    return p->class->pull ? p->class->pull(p, state, error) : STATUS_OK;
}

void stepper_print(const Stepper *p) {
    if (p->class->print)
        p->class->print(p);
}

void stepper_close(Stepper *p) {
    if (p->class && p->class->close)
        p->class->close(p);
    *p = (Stepper){NULL, NULL};
}

/* ---------------------------------------------------------------------------------- the session */

static Session *session_of(const Trainee *t) {
    assert(t->self);
    return ((const SessionTrainee *)t->self)->session;
}

static double loss_of(const Trainee *t) {
    return session_of(t)->loss;
}

/* A device scores its parameters itself, where that is all a row needs; else they are the host's. */
static bool scored_there(const Trainee *t, const Session *s, const Evaluation *e) {
    const Plan *plan = &s->problem->plan;
    for (int f = 0; f < plan->fields; f++)
        if (plan->field[f].free_constant) /* of which means are to be subtracted */
            return false;
    return t->stepper->class->score && e->points > 0 && s->settings.held_out == 0;
}

/* Where a mean of the parameters is kept, it is what is scored. */
static Status score(Trainee *t, StepRow *row, Error *error) {
    Session *s = session_of(t);
    Evaluation *e = ((SessionTrainee *)t->self)->evaluation;
    row->held = (double)NAN;
    if (scored_there(t, s, e))
        return t->stepper->class->score(t->stepper, e, &row->error, error);
    Status status = stepper_pull(t->stepper, false, error);
    if (status != STATUS_OK)
        return status;
    hooks_result(s);
    row->error = e->points > 0 ? evaluation_errors(e, NULL).l2 : reference_error(e);
    if (s->settings.held_out > 0)
        row->held = held_out_loss(s, s->settings.held_out, 0);
    hooks_result(s);
    return STATUS_OK;
}

static void put(StepRow *row, const char *name, double value) {
    assert(row->columns < STEP_COLUMNS_MAX);
    row->column[row->columns++] = (LogValue){name, value};
}

static Status make_row(Trainee *t, StepRow *row, Error *error) {
    Session *s = session_of(t);
    row->loss = s->loss;
    Status status = score(t, row, error);
    if (status != STATUS_OK)
        return status;
    row->mark = !isnan(row->error) ? row->error : !isnan(row->held) ? row->held : row->loss;
    row->goal = row->mark;
    if (algorithm_value(s->settings.algorithm) == TERMS_SAMPLE)
        put(row, "loss_unbiased", s->product);
    if (!isnan(row->held))
        put(row, "loss_held_out", row->held);
    row->columns += (size_t)optimiser_columns(s, row->column + row->columns);
    row->columns += (size_t)hooks_columns(s, &row->names, row->column + row->columns);
    const double *unknown = hooks_unknowns_of_result(s);
    for (int k = 0; k < s->problem->plan.unknowns; k++)
        put(row, s->problem->plan.unknown[k], unknown[k]);
    return STATUS_OK;
}

static Status save(Trainee *t, Run *run, const Config *config, bool best, Error *error) {
    Status status = stepper_pull(t->stepper, true, error);
    pde_engine_whole(session_of(t)->engine);
    if (status == STATUS_OK)
        status = ranks_status(session_of(t)->settings.ranks, error);
    return status == STATUS_OK ? run_save(run, session_of(t), config, best, error) : status;
}

static Status restore(Trainee *t, Run *run, Error *error) {
    return run_restore(run, session_of(t), error);
}

static Status fall_back(Trainee *t, Run *run, Error *error) {
    return run_fall_back(run, session_of(t), error);
}

/* Where a device refused the step, the processor looks at the same one for itself. */
static Status explain(Trainee *t, int64_t iteration, Error *found, Error *error) {
    Session *s = session_of(t);
    if (t->stepper->class->pull) {
        Status status = stepper_pull(t->stepper, false, error);
        if (status != STATUS_OK)
            return status;
        session_gradient_again(s, (uint32_t)iteration);
    }
    nan_describe(s, iteration, found);
    return STATUS_OK;
}

static bool due(const Trainee *t, int64_t iteration) {
    return recheck_due(session_of(t), iteration);
}

static Status recheck(Trainee *t, int64_t iteration, Buffer *said, Error *error) {
    return recheck_scales(session_of(t), iteration, said, error);
}

/* For good: the model, the table and the report are of the mean. */
static Status finish(Trainee *t, Run *run, bool failed, Error *error) {
    Session *s = session_of(t);
    hooks_result(s);
    if (failed)
        return STATUS_OK;
    pde_engine_whole(s->engine);
    Status status = ranks_status(s->settings.ranks, error);
    return status == STATUS_OK ? run_write_model(run, s, error) : status;
}

Trainee session_trainee(SessionTrainee *self, Stepper *stepper) {
    static const TraineeClass class = {.name = "session",
                                       .loss = loss_of,
                                       .row = make_row,
                                       .save = save,
                                       .restore = restore,
                                       .fall_back = fall_back,
                                       .explain = explain,
                                       .recheck_due = due,
                                       .recheck = recheck,
                                       .finish = finish};
    return (Trainee){&class, self, stepper, &self->session->settings};
}
