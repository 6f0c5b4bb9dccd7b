/* step.c: one step as a list of calls, recorded once where the device can; parameters to and from
 * the host. The formula of every algorithm is that of runtime/step/session.c. */
#include "cuda/optimise/device_optimiser.h"

#include "engine/real.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------ launches */

void cuda_each(CudaSession *s, EngineKernel kernel, const void *argument, size_t size, int64_t n,
               double moved) {
    backend_each(s->backend, s->kernel[kernel], argument, size, n, moved);
}

void cuda_tall(CudaSession *s, EngineKernel kernel, const void *argument, size_t size,
               int64_t columns, int64_t points, int64_t outputs, double moved) {
    Launch launch = {.kernel = s->kernel[kernel],
                     .grid = {cuda_blocks(columns, DEV_WIDE), (uint32_t)points, (uint32_t)outputs},
                     .block = {DEV_WIDE, DEV_TALL, 1},
                     .argument = argument,
                     .size = size,
                     .bytes = moved};
    backend_launch(s->backend, &launch);
}

DevMoved cuda_moved(const CudaSession *s, int64_t first) {
    return (DevMoved){s->rule.kind, cuda_at(s, s->theta, first), cuda_at(s, s->moment, first),
                      s->host->network.size};
}

/* ------------------------------------------------------------------------------------ gradient */

static void scaled(CudaSession *s, void *to, const void *from, int64_t n, double keep,
                   double factor) {
    DevAxpy a = {to, from, n, keep, factor};
    CUDA_EACH(s, axpy, a, n, cuda_bytes(s, 3 * n));
}

/* R_J: the mean over parts of K, or the one sample. */
void cuda_task_value(CudaTask *t) {
    assert(t->values > 0 && t->values == t->host->values);
    int64_t n = t->s->host->settings.points * t->host->plan->residuals;
    bool alias = t->value == t->gradient;
    int parts = alias ? t->values : t->host->value->parts;
    for (int m = 0; m < parts; m++) {
        CudaRoute *r = alias ? &t->value[m] : t->value;
        int part = r->host->terms != TERMS_ALL ? 0 : alias ? r->host->part : m;
        cuda_route_prepare(r, part);
        cuda_evaluate(r, part, CUDA_RESIDUALS, NULL, 0);
        scaled(t->s, t->value_residual, r->residual, n, m > 0, 1.0 / parts);
    }
}

void cuda_task_inputs(CudaTask *t) {
    CudaSession *s = t->s;
    int64_t points = s->host->settings.points;
    DevProduct x = {.v = t->inputs,
                    .w = s->theta,
                    .lanes = PDE_LANES,
                    .stride = s->inputs * PDE_LANES,
                    .step = PDE_LANES,
                    .rows = points,
                    .n_in = s->inputs,
                    .h = s->h1};
    cuda_first_product(s, &x, t->z1);
    backend_zero(s->backend, t->z1bar, (size_t)(points * s->h1) * s->real);
}

void cuda_task_gradient(CudaTask *t) {
    assert(t->gradients > 0 && t->gradients == t->host->gradients);
    CudaSession *s = t->s;
    int64_t points = s->host->settings.points, n = points * t->host->plan->residuals;
    double weight =
        session_task_weight(t->host) / (t->host->residual_scale * t->host->residual_scale);
    double factor = weight / (double)(points * t->gradients);
    int unknowns = s->host->problem->plan.unknowns;
    bool squares = t->host->plan->squares;
    const void *multiplier = t->values > 0 || squares ? t->multiplier : NULL;
    cuda_task_inputs(t);
    if (t->values > 0) {
        cuda_task_value(t);
        scaled(s, t->multiplier, t->value_residual, n, 0, 2 * factor);
    } else if (squares) {
        scaled(s, t->multiplier, NULL, n, 0, factor);
    }
    for (int m = 0; m < t->gradients; m++) {
        CudaRoute *r = &t->gradient[m];
        int part = r->host->terms == TERMS_ALL ? r->host->part : 0;
        cuda_route_prepare(r, part);
        cuda_evaluate(r, part, CUDA_GRADIENT, multiplier, 2 * factor);
        DevLoss loss = {.state = s->state,
                        .residual = r->residual,
                        .value = t->values > 0 ? t->value_residual : NULL,
                        .n = n,
                        .factor = factor,
                        .squares = squares};
        CUDA_EACH(s, loss, loss, 1, cuda_bytes(s, 2 * n));
        DevUnknownSum u = {s->unknown_gradient, multiplier, r->residual, t->seed_unknown,
                           2 * factor,          n,          unknowns};
        Launch launch = {.kernel = s->kernel[ENGINE_unknown_sum],
                         .grid = {(uint32_t)unknowns, 1, 1},
                         .block = {DEV_THREADS, 1, 1},
                         .argument = &u,
                         .size = sizeof u};
        if (unknowns > 0)
            backend_launch(s->backend, &launch);
    }
}

void cuda_fixed(CudaSession *s) {
    for (int i = 0; i < s->routes && s->host->problem->plan.unknowns > 0; i++)
        cuda_route_fixed(s->route[i]);
}

void cuda_draw(CudaSession *s) {
    cuda_fixed(s);
    for (int i = 0; i < s->tasks; i++)
        cuda_points_draw(&s->task[i]);
    cuda_hooks_drawn(s);
}

void cuda_gradient(CudaSession *s) {
    int unknowns = s->host->problem->plan.unknowns;
    backend_zero(s->backend, s->gradient, (size_t)(s->host->network.size - s->small) * s->real);
    backend_zero(s->backend, s->unknown_gradient, (size_t)unknowns * sizeof(double));
    for (int i = 0; i < s->tasks; i++)
        cuda_task_gradient(&s->task[i]);
}

void cuda_step_calls(CudaSession *s) {
    s->optimiser->calls(s);
}

DevNow cuda_now(const PdeOptimConfig *o, int64_t updates, uint32_t step, double rate) {
    assert(updates >= 0);
    return (DevNow){
        .step = step, .draw = step, .updates = updates, .rule = pde_optim_rule(o, rate, updates)};
}

DevNow cuda_session_now(const CudaSession *s, uint32_t step, double rate) {
    int64_t fresh = s->host->settings.fresh;
    const PdeOptimConfig unknowns = pde_optim_unknowns(&s->rule);
    DevNow now = cuda_now(&s->rule, s->updates, step, rate);
    now.unknown_rule = pde_optim_rule(&unknowns, rate, s->updates);
    now.draw = fresh == 0 ? 0 : (uint32_t)(step - step % fresh);
    now.average = cuda_average_share(s, step);
    return now;
}

static void step_calls(void *session) {
    cuda_step_calls(session);
}

void cuda_run_calls(CudaSession *s) {
    assert(s->backend);
    backend_repeat(s->backend, &s->recorded, step_calls, s);
}

int64_t cuda_settle(CudaSession *s, int64_t queued, int64_t done, CudaProgress *progress) {
    assert(done <= queued);
    while (done < queued && s->backend->status == STATUS_OK) {
        DevState now = {.loss = 0};
        int64_t over = progress(s, queued);
        backend_download(s->backend, &now, s->state, sizeof now);
        done = now.refused ? queued : over;
        for (int64_t i = done; i < queued; i++)
            cuda_run_calls(s);
    }
    return done;
}

bool cuda_refused(CudaSession *s) {
    DevState state = {.refused = 1};
    if (s->optimiser->settle)
        s->optimiser->settle(s);
    backend_download(s->backend, &state, s->state, sizeof state);
    return state.refused != 0;
}

Status cuda_session_step(CudaSession *s, uint32_t step, double rate, Error *error) {
    assert(s->optimiser && s->updates >= 0);
    s->optimiser->step(s, step, rate);
    return backend_status(s->backend, error);
}

/* ------------------------------------------------------------------------- to and from the host */

static void *slot_of(const CudaSession *s, int slot) {
    int64_t state = slot - PDE_SLOT_STATE;
    assert(slot >= 0 && slot <= pde_engine_slots(s->host->engine));
    return slot == PDE_SLOT_PARAMETERS ? s->theta
                                       : cuda_at(s, s->moment, state * s->host->network.size);
}

static void push_directions(CudaSession *s, CudaRoute *r) {
    for (int b = 0; b < r->blocks; b++) {
        const CudaBlock *k = &r->block[b];
        const PdeDirections *d = pde_batch_directions(r->host->batch, b);
        if (k->index && !plan_block_follows_family(r->host->plan->block[b].kind))
            backend_upload(s->backend, k->index, d->index, (size_t)k->count * sizeof(uint32_t));
        if (k->weight)
            backend_upload(s->backend, k->weight, d->weight ? d->weight : r->host->gram_weight,
                           (size_t)s->inputs * s->real);
        if (r->host->plan->block[b].kind == BLOCK_dense)
            backend_upload(s->backend, k->v, d->v, (size_t)(s->inputs * PDE_LANES) * s->real);
    }
}

static void push_unknowns(CudaSession *s) {
    const Session *h = s->host;
    size_t size = (size_t)h->problem->plan.unknowns * sizeof(double);
    backend_upload(s->backend, s->unknown, h->unknown, size);
    backend_upload(s->backend, s->unknown_limit, h->unknown_limit, 3 * size);
    for (int m = 0; m < 2; m++)
        backend_upload(s->backend, s->unknown_moment[m], h->unknown_state[m], size);
    backend_upload(s->backend, s->unknown_seen, h->unknown_real,
                   (size_t)h->problem->plan.unknowns * s->real);
    backend_upload(s->backend, s->output_scale, h->output_scale, sizeof h->output_scale);
}

Status cuda_session_push(CudaSession *s, Error *error) {
    const Session *h = s->host;
    assert(h->network.size > 0 && s->real > 0);
    size_t size = (size_t)h->network.size * s->real;
    void *buffer = malloc(size);
    if (!buffer)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a copy of the parameters");
    for (int i = 0; i <= pde_engine_slots(h->engine); i++) {
        pde_engine_get(h->engine, i, buffer);
        backend_upload(s->backend, slot_of(s, i), buffer, size);
    }
    free(buffer);
    push_unknowns(s);
    for (int i = 0; i < s->routes; i++)
        push_directions(s, s->route[i]);
    DevState state = {.loss = 0};
    backend_upload(s->backend, s->state, &state, sizeof state);
    s->updates = pde_engine_updates(h->engine);
    cuda_hooks_push(s);
    if (s->optimiser->push)
        s->optimiser->push(s);
    s->recorded = false; /* scales and weights are part of the launches */
    return backend_status(s->backend, error);
}

static void pull_unknowns(CudaSession *s) {
    Session *h = s->host;
    int unknowns = h->problem->plan.unknowns;
    size_t size = (size_t)unknowns * sizeof(double);
    if (unknowns == 0)
        return;
    backend_download(s->backend, h->unknown, s->unknown, size);
    for (int m = 0; m < 2; m++)
        backend_download(s->backend, h->unknown_state[m], s->unknown_moment[m], size);
    session_unknowns_changed(h);
}

Status cuda_session_wait(CudaSession *s, CudaRefusal *refusal, Error *error) {
    Session *h = s->host;
    DevState now = {.loss = (double)NAN};
    if (s->optimiser->settle)
        s->optimiser->settle(s);
    backend_download(s->backend, &now, s->state, sizeof now);
    pull_unknowns(s);
    if (s->optimiser->pull)
        s->optimiser->pull(s, &now);
    Status status = backend_status(s->backend, error);
    if (status != STATUS_OK)
        return status;
    h->loss = now.loss;
    h->product = now.product;
    *refusal = (CudaRefusal){now.refused != 0, now.refused_step};
    if (refusal->refused) { /* that step's update did not happen; steps may go on from here */
        s->updates = now.refused_updates - 1;
        now.refused = 0;
        backend_upload(s->backend, s->state, &now, sizeof now);
    }
    pde_engine_set_updates(h->engine, s->updates);
    return backend_status(s->backend, error);
}

Status cuda_session_pull(CudaSession *s, bool state, CudaRefusal *refusal, Error *error) {
    Session *h = s->host;
    size_t size = (size_t)h->network.size * s->real;
    Status status = cuda_session_wait(s, refusal, error);
    if (status != STATUS_OK)
        return status;
    void *buffer = malloc(size);
    if (!buffer)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a copy of the parameters");
    for (int i = 0; i <= (state ? pde_engine_slots(h->engine) : 0); i++) {
        backend_download(s->backend, buffer, slot_of(s, i), size);
        if (s->backend->status == STATUS_OK)
            pde_engine_set(h->engine, i, buffer);
    }
    free(buffer);
    cuda_hooks_pull(s);
    if (s->optimiser->pull_state && state)
        s->optimiser->pull_state(s);
    return backend_status(s->backend, error);
}
