/* natural.c: one try of an iteration as a list of calls, and the queue of iterations. */
#include "cuda/optimise/device_natural.h"

#include "step/natural/natural.h"

#include <assert.h>
#include <math.h>

/* --------------------------------------------------------------------------------------- solving
 */

static void factorise(CudaSession *s) {
    assert(((const CudaNatural *)s->self)->rows > 0);
    CudaNatural *n = s->self;
    for (int64_t first = 0; first < n->rows; first += DEV_PANEL) {
        DevPanel a = {n->state, n->factor, n->inverse, n->rows, first};
        int64_t left = n->rows - first - DEV_PANEL, tiles = cuda_blocks(left, DEV_TILE);
        double used = (double)(tiles * (tiles + 1) / 2) * DEV_TILE * DEV_TILE;
        CUDA_EACH(s, natural_panel, a, 1, 8.0 * 3 * DEV_PANEL * DEV_PANEL);
        if (left <= 0)
            break;
        Launch below = {.kernel = s->kernel[ENGINE_natural_below],
                        .grid = {cuda_blocks(left, DEV_TALL), 1, 1},
                        .block = {DEV_THREADS, 1, 1},
                        .argument = &a,
                        .size = sizeof a,
                        .flops = 2.0 * DEV_PANEL * DEV_PANEL * (double)left,
                        .bytes = 8.0 * DEV_PANEL * (double)left * (2 + DEV_PANEL / DEV_TALL)};
        backend_launch(s->backend, &below);
        Launch trail = {.kernel = s->kernel[ENGINE_natural_trail],
                        .grid = {(uint32_t)tiles, (uint32_t)tiles, 1},
                        .block = {DEV_THREADS, 1, 1},
                        .argument = &a,
                        .size = sizeof a,
                        .flops = 2 * DEV_PANEL * used,
                        .bytes =
                            8 * (double)left * (double)left + 16.0 * DEV_PANEL / DEV_TILE * used};
        backend_launch(s->backend, &trail);
    }
}

static void solve(CudaSession *s) {
    CudaNatural *n = s->self;
    int64_t size = n->rows * n->rows;
    DevDamp damp = {s->state, n->state, n->k, n->rows, s->host->settings.damping};
    CUDA_EACH(s, natural_damp, damp, 1, 32 * (double)n->rows);
    DevShift shift = {s->state, n->state, n->k, n->r, n->along, n->factor, n->sol, n->rows};
    CUDA_EACH(s, natural_shift, shift, size, 16 * (double)size);
    factorise(s);
    DevTriangle a = {n->factor, n->inverse, n->sol, n->rows};
    CUDA_EACH(s, natural_solve, a, 1, 8 * (double)size);
    s->backend->flops += 2 * (double)size;
}

/* -------------------------------------------------------------------------------------- moving */

static void square(CudaSession *s, const void *v, double *partial) {
    int64_t n = s->host->network.size;
    DevSquare a = {v, n, partial};
    CUDA_EACH(s, square, a, n, cuda_bytes(s, n));
}

static void choose_rate(CudaSession *s) {
    assert(((const CudaNatural *)s->self)->norms[0]);
    CudaNatural *n = s->self;
    int64_t size = s->host->network.size;
    square(s, s->moment, n->norms[0]);
    square(s, s->theta, n->norms[1]);
    DevRate a = {.state = s->state,
                 .natural = n->state,
                 .r = n->r,
                 .along = n->along,
                 .sol = n->sol,
                 .rows = n->rows,
                 .phi = n->norms[0],
                 .theta = n->norms[1],
                 .partials = cuda_blocks(size, DEV_THREADS),
                 .limit = s->host->settings.step_limit};
    CUDA_EACH(s, natural_rate, a, 1, 16 * (double)a.partials);
}

/* Into the copies, or back from them where the device has said so. */
static void keep(CudaSession *s, bool back) {
    CudaNatural *n = s->self;
    const DevNatural *judged = back ? n->state : NULL;
    int64_t size = s->host->network.size, unknowns = s->host->problem->plan.unknowns;
    DevKeep a = {judged, s->theta, s->moment, n->kept[0], n->kept[1], size};
    CUDA_EACH(s, natural_keep, a, size, back ? 0 : cuda_bytes(s, 4 * size));
    DevKeepUnknown u = {judged,          s->unknown,      s->unknown_moment[0],
                        n->kept_unknown, s->unknown_seen, unknowns};
    if (unknowns > 0)
        CUDA_EACH(s, natural_keep_unknown, u, unknowns, 0);
}

static void move_unknowns(CudaSession *s) {
    CudaNatural *n = s->self;
    DevUnknownMove a = {.state = s->state,
                        .columns = n->columns,
                        .sol = n->sol,
                        .limit = s->unknown_limit,
                        .value = s->unknown,
                        .phi = s->unknown_moment[0],
                        .seen = s->unknown_seen,
                        .rows = n->rows,
                        .unknowns = s->host->problem->plan.unknowns};
    Launch launch = {.kernel = s->kernel[ENGINE_natural_unknown_move],
                     .grid = {(uint32_t)a.unknowns, 1, 1},
                     .block = {DEV_THREADS, 1, 1},
                     .argument = &a,
                     .size = sizeof a};
    if (a.unknowns > 0)
        backend_launch(s->backend, &launch);
}

static void calls(CudaSession *s) {
    CudaNatural *n = s->self;
    if (n->adam) {
        cuda_first_order_calls(s);
        return;
    }
    double *after = n->residual + n->rows;
    DevTry begin = {s->state, n->state, n->queue};
    CUDA_EACH(s, natural_try, begin, 1, 0);
    cuda_draw(s);
    cuda_natural_prepare(s);
    cuda_natural_products(s);
    cuda_natural_rows(s);
    cuda_natural_gram(s);
    solve(s);
    choose_rate(s);
    keep(s, false);
    cuda_natural_transposed(s);
    cuda_update_parameters(s, &n->first, false);
    move_unknowns(s);
    cuda_fixed(s);
    cuda_natural_measure(s, after);
    DevJudge judge = {s->state, n->state, after, n->rows};
    CUDA_EACH(s, natural_judge, judge, 1, 8 * (double)n->rows);
    keep(s, true);
    cuda_hooks_after(s, n->state);
}

/* --------------------------------------------------------------------------------------- queue */

static int64_t progress(CudaSession *s, int64_t queued) {
    const CudaNatural *n = s->self;
    DevNatural state = {.done = queued};
    backend_download(s->backend, &state, n->state, sizeof state);
    return state.done;
}

static void settle(CudaSession *s) {
    CudaNatural *n = s->self;
    n->done = cuda_settle(s, n->queued, n->done, progress);
}

/* It may begin with Adam, whose state is not its own; after a refusal Adam goes on. */
static bool begins_with_adam(CudaSession *s, int64_t step) {
    CudaNatural *n = s->self;
    const Settings *set = &s->host->settings;
    bool adam = step < set->adam_first;
    if (adam != n->adam)
        s->recorded = false;
    n->adam = adam;
    s->rule = adam ? pde_optim_default(PDE_OPT_adam) : set->optimiser;
    if (set->adam_first > 0 && step == set->adam_first && !cuda_refused(s))
        backend_zero(s->backend, s->moment,
                     (size_t)(pde_engine_slots(s->host->engine) * s->host->network.size) * s->real);
    return adam;
}

static void take_step(CudaSession *s, uint32_t step, double rate) {
    assert(isfinite(rate));
    CudaNatural *n = s->self;
    if (begins_with_adam(s, step)) {
        cuda_first_order_step(s, step, NATURAL_FIRST_RATE);
        return;
    }
    s->updates++;
    DevNow now = cuda_session_now(s, step, rate);
    if (s->host->settings.momentum_auto)
        now.rule.beta1 = natural_auto_momentum(rate);
    cuda_hooks_before(s, &now);
    if (n->queued - n->done == DEV_QUEUE)
        settle(s);
    DevQueue a = {n->queue, n->queued++ % DEV_QUEUE, now};
    CUDA_EACH(s, natural_queue, a, 1, 0);
    cuda_run_calls(s);
}

static void push(CudaSession *s) {
    CudaNatural *n = s->self;
    DevNatural state = {.caution = natural_caution(natural_of(s->host))};
    n->queued = n->done = 0;
    backend_upload(s->backend, n->state, &state, sizeof state);
}

static void pull(CudaSession *s, DevState *now) {
    CudaNatural *n = s->self;
    DevNatural state = {.caution = 1};
    backend_download(s->backend, &state, n->state, sizeof state);
    if (s->backend->status == STATUS_OK)
        natural_set_caution(natural_of(s->host), state.caution);
    if (!now->refused)
        return;
    state.done = n->queued; /* what was queued after a refused step is forgotten */
    state.tries = 0;
    backend_upload(s->backend, n->state, &state, sizeof state);
}

const DeviceOptimiser device_natural = {.name = "natural",
                                        .open = cuda_natural_open,
                                        .close = cuda_natural_close,
                                        .calls = calls,
                                        .step = take_step,
                                        .settle = settle,
                                        .push = push,
                                        .pull = pull};
