/* tensor_solve.c: one pass of eigenproblems of output layers as a list of calls, in the order of
 * runtime/tensor/tnn_solve.c: matrices between the features of a block of dimensions by quadrature, the
 * spectrum of their overlaps and the others in its basis, then the problems: all of the block at
 * once, or a sweep. Nothing comes back to the host. */
#include "cuda/tensor/device_tensor.h"

#include <assert.h>

enum { SWEEP = 64 };                    /* dimensions of a launch at most */
static const double SWEEP_FLOPS = 1e10; /* of a launch of several, so that none takes long */

static double bytes(int64_t numbers) {
    return 8 * (double)numbers;
}

/* Blocks of threads with a problem each. */
static void launch(CudaTensor *c, EngineKernel kernel, const void *argument, size_t size,
                   int64_t blocks, double flops, double moved) {
    Launch launch = {.kernel = c->kernel[kernel],
                     .grid = {(uint32_t)blocks, 1, 1},
                     .block = {DEV_WIDE, DEV_TALL, 1},
                     .argument = argument,
                     .size = size,
                     .flops = flops,
                     .bytes = moved};
    backend_launch(c->backend, &launch);
}

/* X[m] (+)= (rows weighted by function m) rows', of every dimension of a block. */
static void matrix(CudaTensor *c, int64_t first, int64_t count, int m, int64_t function,
                   const double *row, double beta) {
    assert(first >= 0 && count > 0);
    int64_t n = c->net.h + 1, q = c->net.q, all = count * n * q;
    DevTensorWeigh a = {.net = c->net,
                        .first = first,
                        .count = count,
                        .rows = n,
                        .function = function,
                        .row = row,
                        .out = c->weighted};
    Product p = product_of(false, true, n, n, q, c->weighted, row, c->features + m * n * n);
    p.beta = beta;
    p.stride_a = p.stride_b = n * q;
    p.stride_c = c->net.matrices * n * n;
    p.count = count;
    TENSOR_EACH(c, weigh, a, all, bytes(2 * all));
    backend_product(c->backend, &p);
}

/* After cuda_tensor_hidden. */
static void features(CudaTensor *c, int64_t first, int64_t count) {
    enum { SIGMA = 0, TANGENT_OUT = 4, PLAIN = -1, STIFF = -2 };
    int64_t all = count * (c->net.h + 1) * c->net.q;
    int last = c->t->config.depth - 2;
    DevTensorBasis a = {.net = c->net,
                        .count = count,
                        .sigma = cuda_tensor_part(c, last, SIGMA),
                        .tangent = cuda_tensor_part(c, last, TANGENT_OUT),
                        .value = c->value_row,
                        .slope = c->slope_row};
    TENSOR_EACH(c, basis, a, all, bytes(4 * all));
    matrix(c, first, count, 0, PLAIN, c->value_row, 0);
    matrix(c, first, count, 1, STIFF, c->slope_row, 0);
    for (int f = 0; f < c->net.matrices - 1; f++)
        matrix(c, first, count, f + 1, f, c->value_row, f == 0);
}

/* S = Q diag Q', and Q' X Q in the place of each other X. */
void cuda_tensor_spectrum(CudaTensor *c, int64_t count) {
    int64_t n = c->net.h + 1, even = n + n % 2, square = even * even;
    DevTensorSpectrum a = {.state = c->net.state,
                           .n = n,
                           .even = even,
                           .step = c->net.matrices * n * n,
                           .S = c->features,
                           .work = c->rotated,
                           .Q = c->basis,
                           .value = c->spectrum,
                           .turn = c->turn};
    /* ten sweeps of n^2 / 2 rotations of three rows or columns, which are read and written */
    double rotated = 10 * (double)(count * even) * (double)square;
    launch(c, ENGINE_tensor_spectrum, &a, sizeof a, count, 9 * rotated, 8 * 4 * rotated);
    for (int m = 1; m < c->net.matrices; m++) {
        double *X = c->features + m * n * n;
        Product p = product_of(false, false, n, n, n, X, c->basis, c->rotated);
        p.ldb = even;
        p.stride_a = a.step;
        p.stride_b = p.stride_c = square;
        p.count = count;
        backend_product(c->backend, &p);
        p = product_of(true, false, n, n, n, c->basis, c->rotated, X);
        p.lda = even;
        p.stride_a = p.stride_b = square;
        p.stride_c = a.step;
        p.count = count;
        backend_product(c->backend, &p);
    }
}

/* Arithmetic and traffic of the lowest pair of a matrix of n rows: its tridiagonal form, which goes
 * through what is left of the matrix three times a row, and bisection by all threads. */
static double lowest_flops(int64_t n) {
    return (double)n * (8.0 / 3 * (double)n * (double)n + 8.0 * DEV_THREADS * 6);
}

static double lowest_bytes(int64_t n) {
    return 8 * (double)n * (double)n * (double)n;
}

static DevTensorSolve problem_of(const CudaTensor *c, int64_t first) {
    bool separable = tnn_separable(c->t);
    int64_t n = c->net.h + 1;
    return (DevTensorSolve){.net = c->net,
                            .first = first,
                            .from = first,
                            .even = n + n % 2,
                            .Y = c->features,
                            .Q = c->basis,
                            .value = c->spectrum,
                            .square = separable ? c->rotated : c->square,
                            .vector = c->vector,
                            .kept = c->kept,
                            .value_row = c->value_row,
                            .slope_row = c->slope_row,
                            .phi = c->phi,
                            .slope = c->slope,
                            .suffix = c->suffix,
                            .rank = c->rank};
}

/* ---------------------------------------------------------------------- independent dimensions */

void cuda_tensor_lowest(CudaTensor *c, int64_t first, int64_t count) {
    assert(first >= 0 && count > 0);
    int64_t n = c->net.h + 1;
    DevTensorSolve a = problem_of(c, first);
    a.count = count;
    launch(c, ENGINE_tensor_lowest, &a, sizeof a, count, (double)count * lowest_flops(n),
           (double)count * lowest_bytes(n));
}

static void solve_all(CudaTensor *c) {
    for (int64_t first = 0; first < c->net.d; first += c->block) {
        int64_t count = cuda_tensor_block(c, first);
        cuda_tensor_hidden(c, first, count);
        features(c, first, count);
        cuda_tensor_spectrum(c, count);
        cuda_tensor_lowest(c, first, count);
        cuda_tensor_outputs(c, first, count);
    }
    DevTensorChain sum = {.net = c->net};
    TENSOR_EACH(c, sum, sum, 1, bytes(3 * c->net.d));
}

/* ------------------------------------------------------------------------ one after the other */

static void sweep(CudaTensor *c, int64_t first, int64_t count) {
    assert(first >= 0 && first + count <= c->net.d);
    int64_t n = (c->net.h + 1) * c->net.p, own = c->net.matrices * c->net.p * c->net.p;
    int64_t most =
        lowest_flops(n) > SWEEP_FLOPS / SWEEP ? (int64_t)(SWEEP_FLOPS / lowest_flops(n)) : SWEEP;
    DevTensorSolve a = problem_of(c, first);
    for (most = most > 1 ? most : 1; a.from < first + count; a.from += most) {
        a.count = first + count - a.from < most ? first + count - a.from : most;
        double dims = (double)a.count;
        launch(c, ENGINE_tensor_sweep, &a, sizeof a, 1,
               dims * (lowest_flops(n) + (double)((4 * n + 5 * own) * c->net.q)),
               dims * (lowest_bytes(n) + bytes(2 * n * c->net.q)));
    }
}

static void solve_coupled(CudaTensor *c) {
    int64_t square = c->net.p * c->net.p, own = c->net.d * c->net.matrices * square;
    bool whole = c->block >= c->net.d;
    DevTensorChain chain = {.net = c->net};
    DevTensorSuffix suffix = {c->net, c->suffix};
    for (int64_t first = 0; first < c->net.d; first += c->block)
        cuda_tensor_matrices(c, first, cuda_tensor_block(c, first));
    TENSOR_EACH(c, normalise, chain, own, bytes(2 * own));
    TENSOR_EACH(c, suffix, suffix, square, bytes(own + c->net.d * (2 + c->net.channels) * square));
    for (int64_t first = 0; first < c->net.d; first += c->block) {
        int64_t count = cuda_tensor_block(c, first);
        if (!whole)
            cuda_tensor_hidden(c, first, count);
        features(c, first, count);
        cuda_tensor_spectrum(c, count);
        sweep(c, first, count);
    }
}

void cuda_tensor_solve_calls(CudaTensor *c) {
    if (tnn_separable(c->t))
        solve_all(c);
    else
        solve_coupled(c);
}

Status cuda_tensor_solve(CudaTensor *c, Error *error) {
    cuda_tensor_solve_calls(c);
    return backend_status(c->backend, error);
}
