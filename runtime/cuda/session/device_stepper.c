/* device_stepper.c: the steps of a session on a device, as the training loop wants them. */
#include "cuda/session/select.h"

#include "cuda/step/device_session.h"
#include "files/say.h"

static Status push(Stepper *p, Error *error) {
    return cuda_session_push(p->self, error);
}

static Status step(Stepper *p, int64_t iteration, double rate, StepEnd *end, Error *error) {
    *end = STEP_TAKEN;
    return cuda_session_step(p->self, (uint32_t)iteration, rate, error);
}

static Status wait_for(Stepper *p, Refusal *refusal, Error *error) {
    CudaRefusal found = {0};
    Status status = cuda_session_wait(p->self, &found, error);
    *refusal = (Refusal){found.refused, found.step};
    return status;
}

static Status pull(Stepper *p, bool state, Error *error) {
    CudaRefusal refusal;
    return cuda_session_pull(p->self, state, &refusal, error);
}

static Status score(Stepper *p, const Evaluation *e, double *error_l2, Error *error) {
    return cuda_session_score(p->self, e, error_l2, error);
}

static void print(const Stepper *p) {
    const CudaSession *s = p->self;
    say("  device      %s, %.0f MB%s\n", s->backend->name, cuda_session_bytes(s) / 1e6,
        factors_text(s->backend));
    if (cuda_session_blocks(s) > 0)
        say("  jacobian    in %d blocks of columns: whole it does not fit on the device\n",
            cuda_session_blocks(s));
}

static void release(Stepper *p) {
    cuda_session_close(p->self);
}

Stepper cuda_stepper(struct CudaSession *session) {
    static const StepperClass class = {.name = "device",
                                       .queues = true,
                                       .push = push,
                                       .step = step,
                                       .wait = wait_for,
                                       .pull = pull,
                                       .score = score,
                                       .print = print,
                                       .close = release};
    return (Stepper){&class, session};
}
