/* tnn_stepper.c: a step of a tensor network is a gradient step, eigenproblems of the output layers, or one after
 * the other. Where it is taken is a table of three functions. */
#include "commands/tnn_stepper.h"

#include "commands/tnn_files.h"
#include "files/say.h"

#include <assert.h>
#include <math.h>

/* ------------------------------------------------------------------------------------ the step */

typedef struct TnnPlace {
    Status (*gradient)(TnnRun *r, uint32_t step, double rate, Error *error);
    Status (*solve)(TnnRun *r, Error *error);
    Status (*value)(TnnRun *r, Error *error); /* waits for run->value */
} TnnPlace;

static void sample_terms(const TnnModule *m, Tnn *t, uint32_t step) {
    const Settings *s = &m->settings;
    bool sampled = algorithm_gradient(s->algorithm) == TERMS_SAMPLE;
    tnn_sample(t, 0, sampled ? s->terms : 0, step);
    tnn_sample(t, 1, algorithm_value(s->algorithm) == TERMS_SAMPLE ? s->value_terms : 0, step);
}

double tnn_gradient_of(TnnModule *m, uint32_t step) {
    Terms value = algorithm_value(m->settings.algorithm);
    sample_terms(m, &m->tnn, step);
    return tnn_gradient(&m->tnn, value == TERMS_ALL || value == TERMS_SAMPLE);
}

/* *end is STEP_SETTLED where solving again would change nothing. Only a sweep that is all of an iteration has
 * to be waited for: of a device one number is read then. */
static Status decide(TnnRun *r, const TnnPlace *place, double before, StepEnd *end, Error *error) {
    bool alone = r->m->solver == SOLVER_EIGEN, sweeps = alone && !tnn_separable(&r->m->tnn);
    Status status = sweeps ? place->value(r, error) : STATUS_OK;
    if (alone && (!sweeps || fabs(r->value - before) <= 1e-13 * fabs(r->value)))
        *end = STEP_SETTLED;
    return status;
}

static Status take_step(TnnRun *r, const TnnPlace *place, int64_t iteration, double rate,
                        StepEnd *end, Error *error) {
    const TnnModule *m = r->m;
    double before = r->value;
    bool solves = m->solver == SOLVER_EIGEN ||
                  (m->solver == SOLVER_ALTERNATE && iteration % m->solve_every == 0);
    Status status = STATUS_OK;
    assert(iteration >= 0 && iteration <= ITERATIONS_MOST);
    *end = STEP_TAKEN;
    if (m->solver != SOLVER_EIGEN)
        status = place->gradient(r, (uint32_t)iteration, rate, error);
    if (status == STATUS_OK && solves)
        status = place->solve(r, error);
    return status == STATUS_OK && solves ? decide(r, place, before, end, error) : status;
}

/* ------------------------------------------------------------------------------- the processor */

static Status gradient_here(TnnRun *r, uint32_t step, double rate, Error *error) {
    r->value = tnn_gradient_of(r->m, step);
    if (!tnn_finite(&r->m->tnn) || !isfinite(r->value))
        return error_set(error, STATUS_NON_FINITE,
                         "the gradient of step %lld is not finite: a smaller --rate may help",
                         (long long)step);
    tnn_update(&r->m->tnn, rate);
    return STATUS_OK;
}

static Status solve_here(TnnRun *r, Error *error) {
    return tnn_solve(&r->m->tnn, &r->value, error);
}

static Status value_here(TnnRun *r, Error *error) {
    (void)r, (void)error; /* it is there */
    return STATUS_OK;
}

static Status step_here(Stepper *p, int64_t iteration, double rate, StepEnd *end, Error *error) {
    static const TnnPlace here = {gradient_here, solve_here, value_here};
    return take_step(p->self, &here, iteration, rate, end, error);
}

static Status score_here(Stepper *p, const Evaluation *e, double *lambda, Error *error) {
    TnnModule *m = ((TnnRun *)p->self)->m;
    (void)e;
    return tnn_score(&m->tnn, &m->fine, lambda, error);
}

/* ------------------------------------------------------------------------------------ a device */

static Status gradient_there(TnnRun *r, uint32_t step, double rate, Error *error) {
    return cuda_tensor_step(r->device, step, rate, error);
}

static Status solve_there(TnnRun *r, Error *error) {
    return cuda_tensor_solve(r->device, error);
}

static Status value_there(TnnRun *r, Error *error) {
    return cuda_tensor_value(r->device, &r->value, error);
}

static Status step_there(Stepper *p, int64_t iteration, double rate, StepEnd *end, Error *error) {
    static const TnnPlace there = {gradient_there, solve_there, value_there};
    return take_step(p->self, &there, iteration, rate, end, error);
}

static Status wait_there(Stepper *p, Refusal *refusal, Error *error) {
    *refusal = (Refusal){false, 0}; /* one that is not finite is an error */
    return value_there(p->self, error);
}

static Status pull_there(Stepper *p, bool state, Error *error) {
    TnnRun *r = p->self;
    (void)state; /* both come together */
    Status status = value_there(r, error);
    return status == STATUS_OK ? cuda_tensor_pull(r->device, error) : status;
}

static Status score_there(Stepper *p, const Evaluation *e, double *lambda, Error *error) {
    (void)e;
    return cuda_tensor_score(((TnnRun *)p->self)->device, lambda, error);
}

static void print_there(const Stepper *p) {
    const CudaTensor *c = ((const TnnRun *)p->self)->device;
    say("  device      %s, %.0f MB\n", c->backend->name, cuda_tensor_bytes(c) / 1e6);
}

static void release_there(Stepper *p) {
    TnnRun *r = p->self;
    cuda_tensor_close(r->device);
    r->device = NULL;
}

Stepper tnn_stepper(TnnRun *run) {
    static const StepperClass here = {.name = "processor", .step = step_here, .score = score_here};
    static const StepperClass there = {.name = "device",
                                       .step = step_there,
                                       .wait = wait_there,
                                       .pull = pull_there,
                                       .score = score_there,
                                       .print = print_there,
                                       .close = release_there};
    return (Stepper){run->device ? &there : &here, run};
}

/* --------------------------------------------------------------------------------- the network */

static double loss_of(const Trainee *t) {
    return ((const TnnRun *)t->self)->value;
}

static Status make_row(Trainee *t, StepRow *row, Error *error) {
    TnnRun *r = t->self;
    Status status = t->stepper->class->score(t->stepper, NULL, &r->lambda, error);
    if (status != STATUS_OK)
        return status;
    r->error = fabs(r->lambda - r->reference) / fabs(r->reference);
    row->loss = r->value;
    row->error = row->goal = r->error;
    row->held = (double)NAN;
    row->mark = isnan(r->error) ? r->lambda : r->error;
    row->column[row->columns++] = (LogValue){r->m->name, r->lambda};
    return STATUS_OK;
}

static Status save(Trainee *t, Run *run, const Config *config, bool best, Error *error) {
    TnnRun *r = t->self;
    Status status = stepper_pull(t->stepper, true, error);
    return status == STATUS_OK ? tnn_save(run, r->m, config, best, error) : status;
}

/* A run that was complete already is scored for its last lines. */
static Status finish(Trainee *t, Run *run, bool failed, Error *error) {
    TnnRun *r = t->self;
    Status status = STATUS_OK;
    if (failed)
        return STATUS_OK;
    if (isnan(r->lambda)) {
        r->value = tnn_value(&r->m->tnn);
        status = tnn_score(&r->m->tnn, &r->m->fine, &r->lambda, error);
    }
    return status == STATUS_OK ? tnn_write_model(run, r->m, r->lambda, error) : status;
}

Trainee tnn_trainee(TnnRun *run, Stepper *stepper) {
    static const TraineeClass class = {.name = "tensor network",
                                       .last_row = true,
                                       .loss = loss_of,
                                       .row = make_row,
                                       .save = save,
                                       .finish = finish};
    return (Trainee){&class, run, stepper, &run->m->settings};
}
