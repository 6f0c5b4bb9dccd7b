/* tensor_solve.c: what a device gives to the eigenproblems of output layers: matrices between the
 * features of a dimension, by quadrature, for a block of dimensions at a time. */
#include "tensor.h"

static double bytes(int64_t numbers) {
    return 8 * (double)numbers;
}

/* X[m] (+)= (rows weighted by function m) rows', of every dimension of a block. */
static void matrix(CudaTensor *c, int64_t first, int64_t count, int m, int64_t function,
                   const double *row, double beta) {
    int64_t n = c->net.h + 1, q = c->net.q, all = count * n * q;
    DevTensorWeigh a = {.net = c->net,
                        .first = first,
                        .count = count,
                        .rows = n,
                        .function = function,
                        .row = row,
                        .out = c->weighted};
    Product p = {.transpose_b = true,
                 .m = n,
                 .n = n,
                 .k = q,
                 .a = c->weighted,
                 .b = row,
                 .c = c->features + m * n * n,
                 .lda = q,
                 .ldb = q,
                 .ldc = n,
                 .beta = beta,
                 .stride_a = n * q,
                 .stride_b = n * q,
                 .stride_c = c->net.matrices * n * n,
                 .count = count};
    TENSOR_EACH(c, weigh, a, all, bytes(2 * all));
    backend_product(c->backend, &p);
}

static Status fetch(void *context, int64_t first, int64_t count, Error *error) {
    enum { SIGMA = 0, TANGENT_OUT = 4, PLAIN = -1, STIFF = -2 };
    CudaTensor *c = context;
    int64_t n = c->net.h + 1, all = count * n * c->net.q;
    int last = c->t->config.depth - 2;
    DevTensorBasis a = {.net = c->net,
                        .count = count,
                        .sigma = cuda_tensor_part(c, last, SIGMA),
                        .tangent = cuda_tensor_part(c, last, TANGENT_OUT),
                        .value = c->value_row,
                        .slope = c->slope_row};
    cuda_tensor_hidden(c, first, count);
    TENSOR_EACH(c, basis, a, all, bytes(4 * all));
    matrix(c, first, count, 0, PLAIN, c->value_row, 0);
    matrix(c, first, count, 1, STIFF, c->slope_row, 0);
    for (int f = 0; f < c->net.matrices - 1; f++)
        matrix(c, first, count, f + 1, f, c->value_row, f == 0);
    backend_download(c->backend, c->fetched, c->features,
                     (size_t)(count * c->net.matrices * n * n) * sizeof(double));
    return backend_status(c->backend, error);
}

static Status raw(void *context, Error *error) {
    CudaTensor *c = context;
    int64_t square = c->net.p * c->net.p;
    backend_upload(c->backend, c->theta, c->t->theta, (size_t)c->t->parameters * sizeof(double));
    for (int64_t first = 0; first < c->net.d; first += c->block)
        cuda_tensor_matrices(c, first, c->net.d - first < c->block ? c->net.d - first : c->block);
    backend_download(c->backend, c->t->raw, c->net.raw,
                     (size_t)(c->net.d * c->net.matrices * square) * sizeof(double));
    return backend_status(c->backend, error);
}

Status cuda_tensor_solve(CudaTensor *c, double *lambda, Error *error) {
    double value;
    const TnnRemote remote = {
        .context = c, .block = c->block, .X = c->fetched, .fetch = fetch, .raw = raw};
    Status status = cuda_tensor_pull(c, true, &value, error);
    if (status == STATUS_OK)
        status = tnn_solve(c->t, &remote, lambda, error);
    return status == STATUS_OK ? cuda_tensor_push(c, error) : status;
}
