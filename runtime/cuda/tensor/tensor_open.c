/* tensor_open.c: the buffers of a tensor network on a device; parameters to and from the host. */
#include "cuda/tensor/device_tensor.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)DEV_CHANNELS == TNN_CHANNELS_MAX, "channels as on the host");

enum { BLOCK_MAX = 32768 }; /* of a batch of cuBLAS */

static double *numbers(CudaTensor *c, CudaTensorUse use, int64_t count) {
    size_t bytes = (size_t)count * sizeof(double);
    double *p = bytes ? backend_allocate(c->backend, bytes) : NULL;
    if (p)
        c->buffer[c->buffers++] = p;
    c->used[use] += (double)bytes;
    return p;
}

static double *copy_of(CudaTensor *c, CudaTensorUse use, const double *from, int64_t count) {
    double *p = numbers(c, use, count);
    if (p)
        backend_upload(c->backend, p, from, (size_t)count * sizeof(double));
    return p;
}

static DevState *state_of(CudaTensor *c) {
    DevState *state = backend_allocate(c->backend, sizeof *state);
    if (state)
        c->buffer[c->buffers++] = state;
    return state;
}

double cuda_tensor_bytes(const CudaTensor *c) {
    double sum = 0;
    for (int i = 0; i < CUDA_TENSOR_USE_COUNT; i++)
        sum += c->used[i];
    return sum;
}

/* --------------------------------------------------------------------------------------- open */

static int states_of(const CudaTensor *c) {
    return pde_optim_states(c->t->config.optimiser.kind);
}

static void open_net(CudaTensor *c) {
    const Tnn *t = c->t;
    int64_t d = t->problem.d, p = t->config.rank, n = p * p, q8 = t->rule.padded;
    DevTensor *net = &c->net;
    *net = (DevTensor){.d = d,
                       .p = p,
                       .h = t->config.width,
                       .q = q8,
                       .size = t->size,
                       .channels = t->problem.channels,
                       .matrices = t->matrices,
                       .constant = t->problem.constant};
    for (int m = 0; m < t->problem.channels; m++)
        net->all_pairs[m] = t->problem.all_pairs[m];
    net->theta = c->theta = numbers(c, TENSOR_parameters, t->parameters);
    net->gradient = c->gradient = numbers(c, TENSOR_parameters, t->parameters);
    c->moment = numbers(c, TENSOR_parameters, states_of(c) * t->parameters);
    net->state = state_of(c);
    net->table = copy_of(c, TENSOR_matrices, t->table, d * (t->matrices - 1) * q8);
    net->raw = numbers(c, TENSOR_matrices, d * t->matrices * n);
    net->unit = numbers(c, TENSOR_matrices, d * t->matrices * n);
    net->environment = numbers(c, TENSOR_matrices, d * t->matrices * n);
    net->norm = numbers(c, TENSOR_matrices, d * p);
    net->prefix =
        numbers(c, TENSOR_matrices, tnn_separable(t) ? 0 : (d + 1) * (2 + t->problem.channels) * n);
    net->form = numbers(c, TENSOR_matrices, 3);
    net->at = copy_of(c, TENSOR_matrices, t->rule.at, q8);
    net->node_weight = copy_of(c, TENSOR_matrices, t->rule.weight, q8);
    for (int m = 0; m < 2; m++)
        c->weight[m] = copy_of(c, TENSOR_matrices, t->weight[m], d);
}

static Status open_stiffness(CudaTensor *c, Error *error) {
    const TnnProblem *p = &c->t->problem;
    double *stiffness = malloc((size_t)p->d * sizeof *stiffness);
    if (!stiffness)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a tensor network on a device");
    for (int64_t i = 0; i < p->d; i++)
        stiffness[i] = p->kinetic[i] / (p->half[i] * p->half[i]);
    c->net.stiffness = copy_of(c, TENSOR_matrices, stiffness, p->d);
    free(stiffness);
    return STATUS_OK;
}

/* The functions at the nodes of the finer rule, by and by. */
static Status open_fine_table(CudaTensor *c, Error *error) {
    enum { DIMENSIONS = 64 }; /* of a copy */
    const TnnRule *rule = &c->m->fine;
    int64_t one = (c->net.matrices - 1) * rule->padded, d = c->net.d;
    double *table = numbers(c, TENSOR_matrices, d * one);
    double *memory = malloc((size_t)(DIMENSIONS * one + rule->padded) * sizeof *memory);
    c->fine.table = table;
    if (!memory)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the finer rule");
    for (int64_t first = 0; first < d && table; first += DIMENSIONS) {
        int64_t count = d - first < DIMENSIONS ? d - first : DIMENSIONS;
        for (int64_t k = 0; k < count; k++)
            tnn_functions_at(
                c->t, rule, first + k,
                &(TnnRows){.functions = memory + k * one, .y = memory + DIMENSIONS * one});
        backend_upload(c->backend, table + first * one, memory,
                       (size_t)(count * one) * sizeof(double));
    }
    free(memory);
    return STATUS_OK;
}

/* The same network on the rule of the score. Matrices are made anew by whoever needs them. */
static Status open_fine(CudaTensor *c, Error *error) {
    const TnnRule *rule = &c->m->fine;
    c->fine = c->net;
    c->fine.q = rule->padded;
    c->fine.state = state_of(c);
    c->fine.at = copy_of(c, TENSOR_matrices, rule->at, rule->padded);
    c->fine.node_weight = copy_of(c, TENSOR_matrices, rule->weight, rule->padded);
    return open_fine_table(c, error);
}

/* ------------------------------------------------------------------- memory of eigenproblems */

static void open_problems(CudaTensor *c, int64_t unknowns, int64_t count) {
    c->vector = numbers(c, TENSOR_problems, count * DEV_EIGEN_VECTORS * unknowns);
    c->kept = (int32_t *)numbers(c, TENSOR_problems, (count * unknowns + 1) / 2);
}

/* A sweep has one problem at a time. */
static void open_sweep(CudaTensor *c) {
    int64_t p = c->net.p, even = p + p % 2, n = (c->net.h + 1) * p;
    c->square = numbers(c, TENSOR_problems, n * n);
    c->rank = numbers(c, TENSOR_problems, 2 * c->net.matrices * p * p + 2 * even * even + 2 * even);
    c->suffix = numbers(c, TENSOR_matrices, (c->net.d + 1) * (2 + c->net.channels) * p * p);
    open_problems(c, n, 1);
}

/* Numbers of one dimension of what cuda_tensor_open_features takes. */
static int64_t features_size(const CudaTensor *c) {
    int64_t n = c->net.h + 1, even = n + n % 2;
    return 3 * n * c->net.q + c->net.matrices * n * n + 2 * even * (even + 1) +
           (tnn_separable(c->t) ? DEV_EIGEN_VECTORS * n + n : 0);
}

void cuda_tensor_open_features(CudaTensor *c) {
    int64_t n = c->net.h + 1, even = n + n % 2, b = c->block;
    c->value_row = numbers(c, TENSOR_features, b * n * c->net.q);
    c->slope_row = numbers(c, TENSOR_features, b * n * c->net.q);
    c->weighted = numbers(c, TENSOR_features, b * n * c->net.q);
    c->features = numbers(c, TENSOR_features, b * c->net.matrices * n * n);
    c->rotated = numbers(c, TENSOR_features, b * even * even);
    c->basis = numbers(c, TENSOR_features, b * even * even);
    c->spectrum = numbers(c, TENSOR_features, b * even);
    c->turn = numbers(c, TENSOR_features, b * even);
    if (tnn_separable(c->t))
        open_problems(c, n, b);
}

/* ----------------------------------------------------------------------- a block of dimensions */

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Dimensions whose activations there is room for: at least one on the finer rule. */
static int64_t tape_dimensions(const CudaTensor *c) {
    return larger(c->block, (c->fine.q + c->net.q - 1) / c->net.q);
}

/* As many dimensions as the memory that is left has room for. */
static Status choose_block(CudaTensor *c, int64_t numbers_of_one, Error *error) {
    int64_t d = c->net.d, parts = c->m->settings.accumulate;
    double one = 8 * (double)numbers_of_one;
    double room = (double)c->backend->memory - cuda_tensor_bytes(c);
    c->block = parts > 1 ? (d + parts - 1) / parts : d;
    c->block = c->block > BLOCK_MAX ? BLOCK_MAX : c->block;
    if (c->backend->memory > 0 && (double)c->block * one > room)
        c->block = room > one ? (int64_t)(room / one) : 0;
    if (c->block > 0 && (c->backend->memory == 0 || (double)tape_dimensions(c) * one <= room))
        return STATUS_OK;
    return error_set(error, STATUS_OUT_OF_MEMORY,
                     "a tensor network of %lld dimensions needs more memory than %s has "
                     "(%.1f GB)",
                     (long long)d, c->backend->name, (double)c->backend->memory / 1e9);
}

static Status open_block(CudaTensor *c, Error *error) {
    const TnnConfig *k = &c->t->config;
    int64_t p = c->net.p, q = c->net.q, wide = q * larger(k->width, k->rank);
    int64_t layers = (int64_t)(k->depth - 1) * TENSOR_PARTS * k->width * q;
    int64_t one = layers + 2 * p * q + 4 * wide + (c->solves ? features_size(c) : 0);
    Status status = choose_block(c, one, error);
    if (status != STATUS_OK)
        return status;
    int64_t held = tape_dimensions(c);
    c->layer = numbers(c, TENSOR_tape, held * layers);
    c->phi = numbers(c, TENSOR_tape, held * p * q);
    c->slope = numbers(c, TENSOR_tape, held * p * q);
    for (int m = 0; m < 4; m++)
        c->work[m] = numbers(c, TENSOR_tape, held * wide);
    c->fine_block = held * q / c->fine.q;
    if (c->solves)
        cuda_tensor_open_features(c);
    return STATUS_OK;
}

static Status open_all(CudaTensor *c, Error *error) {
    cuda_engine_kernels(c->backend, c->kernel);
    open_net(c);
    Status status = open_stiffness(c, error);
    if (status == STATUS_OK)
        status = open_fine(c, error);
    if (c->solves && !tnn_separable(c->t))
        open_sweep(c);
    if (status == STATUS_OK)
        status = backend_status(c->backend, error);
    if (status == STATUS_OK)
        status = open_block(c, error);
    Status last = backend_status(c->backend, error);
    return status != STATUS_OK ? status : last;
}

Status cuda_tensor_open(TnnModule *m, Backend *backend, CudaTensor **tensor, Error *error) {
    CudaTensor *c = calloc(1, sizeof *c);
    *tensor = NULL;
    if (!c) {
        backend_close(backend);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a tensor network on a device");
    }
    *c = (CudaTensor){
        .t = &m->tnn, .m = m, .backend = backend, .solves = m->solver != SOLVER_GRADIENT};
    Status status = open_all(c, error);
    if (status == STATUS_OK)
        *tensor = c;
    else
        cuda_tensor_close(c);
    return status;
}

void cuda_tensor_close(CudaTensor *c) {
    if (!c)
        return;
    for (int i = 0; i < c->buffers; i++)
        backend_release(c->backend, c->buffer[i]);
    backend_close(c->backend);
    free(c);
}

/* ------------------------------------------------------------------------- to and from the host */

Status cuda_tensor_push(CudaTensor *c, Error *error) {
    assert(c->t->theta && c->net.theta);
    size_t size = (size_t)c->t->parameters * sizeof(double);
    DevState state = {.loss = 0};
    backend_upload(c->backend, c->net.theta, c->t->theta, size);
    for (int m = 0; m < states_of(c); m++)
        backend_upload(c->backend, c->moment + m * c->t->parameters, c->t->state[m], size);
    backend_upload(c->backend, c->net.state, &state, sizeof state);
    c->updates = c->t->updates;
    return backend_status(c->backend, error);
}

Status cuda_tensor_value(CudaTensor *c, double *value, Error *error) {
    DevState now = {.loss = (double)NAN};
    backend_download(c->backend, &now, c->net.state, sizeof now);
    Status status = backend_status(c->backend, error);
    if (status != STATUS_OK)
        return status;
    c->t->updates = now.refused ? now.refused_updates - 1 : c->updates;
    *value = now.loss;
    if (now.unsolved)
        return error_set(error, STATUS_NON_FINITE, TNN_UNSOLVED);
    if (!now.refused)
        return STATUS_OK;
    return error_set(error, STATUS_NON_FINITE,
                     "the gradient of step %lld is not finite: a smaller --rate may help",
                     (long long)now.refused_step);
}

Status cuda_tensor_pull(CudaTensor *c, Error *error) {
    size_t size = (size_t)c->t->parameters * sizeof(double);
    backend_download(c->backend, c->t->theta, c->net.theta, size);
    for (int m = 0; m < states_of(c); m++)
        backend_download(c->backend, c->t->state[m], c->moment + m * c->t->parameters, size);
    return backend_status(c->backend, error);
}
