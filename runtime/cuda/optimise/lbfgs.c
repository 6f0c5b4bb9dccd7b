/* lbfgs.c: the step of runtime/step/lbfgs/lbfgs.c on a device, with its history and all vectors, in double.
 *
 * A turn is one evaluation of the gradient, with what comes before and after it: where an iteration
 * begins its direction; the point to try; whether it is taken, or another is tried in the next
 * turn. All of that the device decides. The host queues a turn for each iteration and reads
 * nothing; when it waits it learns how many iterations are not over, and queues as many turns. */
#include "cuda/optimise/device_optimiser.h"

#include "step/lbfgs/lbfgs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct CudaLbfgs {
    DevLbfgs *state; /* on the device */
    double *s, *y, *x, *g, *along, *partial;
    int64_t parts;
    int64_t queued, finished; /* iterations; finished: as the host last saw it */
    uint32_t first;           /* step number of the first iteration that is queued */
    bool done;
} CudaLbfgs;

/* ----------------------------------------------------------------------------------- the turn */

static DevLbfgsStep arguments(const CudaSession *s, int64_t at) {
    assert(s->self && at >= -1);
    const CudaLbfgs *l = s->self;
    return (DevLbfgsStep){.state = s->state,
                          .lbfgs = l->state,
                          .s = l->s,
                          .y = l->y,
                          .x = l->x,
                          .g = l->g,
                          .along = l->along,
                          .theta = s->theta,
                          .gradient = s->whole,
                          .partial = l->partial,
                          .n = s->host->network.size,
                          .parts = l->parts,
                          .at = at};
}

/* One block. */
static void decide(CudaSession *s, EngineKernel kernel, int64_t at) {
    DevLbfgsStep a = arguments(s, at);
    cuda_each(s, kernel, &a, sizeof a, 1, 16 * (double)a.parts);
}

/* Over vectors, of which so many in double and in the network's type are read or written, with
 * about one operation for each number. */
static void go_over(CudaSession *s, EngineKernel kernel, int64_t at, int doubles, int reals) {
    DevLbfgsStep a = arguments(s, at);
    Launch launch = {.kernel = s->kernel[kernel],
                     .grid = {(uint32_t)a.parts, 1, 1},
                     .block = {DEV_THREADS, 1, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .flops = (double)a.n * (doubles + reals),
                     .bytes = 8 * (double)a.n * doubles + cuda_bytes(s, a.n * reals)};
    backend_launch(s->backend, &launch);
}

static void find_direction(CudaSession *s) {
    go_over(s, ENGINE_lbfgs_descend, 0, 3, 0);
    for (int64_t at = 0; at < 2 * LBFGS_PAIRS; at++)
        go_over(s, ENGINE_lbfgs_recur, at, 4, 0);
    go_over(s, ENGINE_lbfgs_slope, 0, 2, 0);
    decide(s, ENGINE_lbfgs_search, 0);
}

static void take_products(CudaSession *s, int64_t at) {
    go_over(s, ENGINE_lbfgs_products, at, 2, 0);
    decide(s, ENGINE_lbfgs_pair, at);
}

static void calls(CudaSession *s) {
    int64_t n = s->host->network.size;
    DevFinite finite = {s->state, s->whole, n};
    decide(s, ENGINE_lbfgs_turn, 0);
    find_direction(s);
    go_over(s, ENGINE_lbfgs_trial, 0, 2, 1);
    cuda_gradient(s);
    cuda_first_gradient(s, &s->first, s->whole);
    CUDA_EACH(s, finite, finite, n, cuda_bytes(s, n));
    go_over(s, ENGINE_lbfgs_measure, 0, 1, 1);
    decide(s, ENGINE_lbfgs_judge, 0);
    go_over(s, ENGINE_lbfgs_move, 0, 6, 2);
    take_products(s, -1);
}

/* --------------------------------------------------------------------------------------- queue */

static void take_step(CudaSession *s, uint32_t step, double rate) {
    CudaLbfgs *l = s->self;
    (void)rate; /* the search finds its own */
    if (l->done)
        return;
    assert(l->finished <= l->queued);
    if (l->queued == l->finished)
        l->first = step;
    l->queued++;
    cuda_run_calls(s);
}

static int64_t progress(CudaSession *s, int64_t queued) {
    CudaLbfgs *l = s->self;
    DevLbfgs state = {.finished = queued};
    backend_download(s->backend, &state, l->state, sizeof state);
    l->done = state.phase == DEV_LBFGS_DONE;
    return l->done ? queued : state.finished;
}

static void settle(CudaSession *s) {
    CudaLbfgs *l = s->self;
    l->finished = cuda_settle(s, l->queued, l->finished, progress);
}

/* ------------------------------------------------------------------------- to and from the host */

static void push(CudaSession *s) {
    assert(lbfgs_of(s->host));
    CudaLbfgs *l = s->self;
    const LbfgsHistory *h = lbfgs_history(lbfgs_of(s->host));
    size_t size = (size_t)h->pairs * (size_t)s->host->network.size * sizeof(double);
    DevLbfgs state = {.phase = DEV_LBFGS_FIRST,
                      .loss = (double)NAN,
                      .pairs = h->pairs,
                      .evaluations = lbfgs_evaluations(lbfgs_of(s->host))};
    DevBegin begin = {s->state, {.updates = s->updates + 1}}; /* all evaluations are of step 0 */
    l->queued = l->finished = 0;
    l->done = false;
    backend_upload(s->backend, l->state, &state, sizeof state);
    backend_upload(s->backend, l->s, h->s, size);
    backend_upload(s->backend, l->y, h->y, size);
    for (int k = 0; k < h->pairs; k++)
        take_products(s, k);
    CUDA_EACH(s, begin, begin, 1, 0);
    cuda_draw(s);
}

static void pull_state(CudaSession *s) {
    const CudaLbfgs *l = s->self;
    LbfgsHistory *h = lbfgs_history(lbfgs_of(s->host));
    DevLbfgs state = {.pairs = 0};
    int64_t n = s->host->network.size;
    backend_download(s->backend, &state, l->state, sizeof state);
    assert(state.pairs >= 0 && state.pairs <= LBFGS_PAIRS);
    h->pairs = (int)state.pairs;
    for (int64_t k = 0; k < state.pairs; k++) {
        int64_t from = (state.oldest + k) % LBFGS_PAIRS * n;
        backend_download(s->backend, h->s + k * n, l->s + from, (size_t)n * sizeof(double));
        backend_download(s->backend, h->y + k * n, l->y + from, (size_t)n * sizeof(double));
    }
}

static void pull(CudaSession *s, DevState *now) {
    CudaLbfgs *l = s->self;
    DevLbfgs seen = {.loss = (double)NAN};
    backend_download(s->backend, &seen, l->state, sizeof seen);
    if (s->backend->status != STATUS_OK)
        return;
    lbfgs_set_evaluations(lbfgs_of(s->host), seen.evaluations);
    l->queued = l->finished = seen.finished; /* what was queued after a refused step is forgotten */
    now->refused_step = l->first;
    if (!now->refused)
        now->loss = seen.loss;
}

/* ---------------------------------------------------------------------------------------- open */

/* So that what is too much has a name. */
static Status check_room(const CudaSession *s, int64_t numbers, Error *error) {
    double memory = (double)s->backend->memory, need = 8 * (double)numbers;
    if (memory == 0 || cuda_session_bytes(s) + need < memory)
        return STATUS_OK;
    return error_set(error, STATUS_OUT_OF_MEMORY,
                     "the history of L-BFGS, %d copies of %lld parameters, needs %.2f GB, and %s "
                     "has %.2f GB: L-BFGS is for small problems",
                     2 * LBFGS_PAIRS, (long long)s->host->network.size, need / 1e9,
                     s->backend->name, memory / 1e9);
}

static Status open(CudaSession *s, Error *error) {
    int64_t n = s->host->network.size, blocks = (n + DEV_PART_NUMBERS - 1) / DEV_PART_NUMBERS;
    CudaLbfgs *l = s->self = calloc(1, sizeof *l);
    if (!l)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the optimiser on a device");
    l->parts = blocks < DEV_PARTS ? blocks : DEV_PARTS;
    const struct {
        double **vector;
        int64_t count;
    } want[] = {
        {&l->s, LBFGS_PAIRS * n}, {&l->y, LBFGS_PAIRS * n},    {&l->x, n}, {&l->g, n},
        {&l->along, n},           {&l->partial, 4 * l->parts},
    };
    int64_t numbers = 0, kinds = sizeof want / sizeof want[0];
    for (int64_t i = 0; i < kinds; i++)
        numbers += want[i].count;
    Status status = check_room(s, numbers, error);
    if (status != STATUS_OK)
        return status;
    for (int64_t i = 0; i < kinds; i++)
        *want[i].vector = cuda_buffer(s, USE_history, want[i].count, sizeof(double));
    l->state = cuda_buffer(s, USE_history, 1, sizeof *l->state);
    return backend_status(s->backend, error);
}

static void release(CudaSession *s) {
    free(s->self);
}

const DeviceOptimiser device_lbfgs = {.name = "lbfgs",
                                      .open = open,
                                      .close = release,
                                      .calls = calls,
                                      .step = take_step,
                                      .settle = settle,
                                      .push = push,
                                      .pull = pull,
                                      .pull_state = pull_state};
