/* tensor_step.c: a gradient step of a tensor network as a list of calls, in the order of
 * runtime/tensor/tnn_gradient.c. Terms that were not drawn have weight zero; their dimensions are computed
 * like the others, which the host leaves out where it can. */
#include "cuda/tensor/device_tensor.h"

#include <assert.h>

#include "engine/stream.h"

enum { SIGMA, SLOPE, CURVE, TANGENT_IN, TANGENT_OUT }; /* parts of a hidden layer */

static double bytes(int64_t numbers) {
    return 8 * (double)numbers;
}

void cuda_tensor_each(CudaTensor *c, EngineKernel kernel, const void *argument, size_t size,
                      int64_t n, double moved) {
    backend_each(c->backend, c->kernel[kernel], argument, size, n, moved);
}

double *cuda_tensor_part(const CudaTensor *c, int layer, int which) {
    return c->layer + ((int64_t)layer * TENSOR_PARTS + which) * c->block * c->net.h * c->net.q;
}

/* to[count][m][q] = op(W) from[count][k][q] for each dimension of a block, W without gaps at
 * `offset` of its parameters; op(W) is m x k. */
static void mix(CudaTensor *c, bool transpose, int64_t first, int64_t count, int64_t offset,
                int64_t m, int64_t k, const double *from, double *to) {
    Product p = product_of(transpose, false, m, c->net.q, k,
                           c->theta + first * c->net.size + offset, from, to);
    p.stride_a = c->net.size;
    p.stride_b = k * c->net.q;
    p.stride_c = m * c->net.q;
    p.count = count;
    backend_product(c->backend, &p);
}

/* ------------------------------------------------------------------------------------- forward */

void cuda_tensor_hidden(CudaTensor *c, int64_t first, int64_t count) {
    int64_t h = c->net.h, offset = 0, n = count * h * c->net.q;
    for (int l = 0; l < c->t->config.depth - 1; l++) {
        DevTensorLayer a = {.net = c->net,
                            .first = first,
                            .count = count,
                            .offset = offset,
                            .z = l > 0 ? c->work[0] : NULL,
                            .sigma = cuda_tensor_part(c, l, SIGMA),
                            .slope = cuda_tensor_part(c, l, SLOPE),
                            .curve = cuda_tensor_part(c, l, CURVE),
                            .tangent_in = cuda_tensor_part(c, l, TANGENT_IN),
                            .tangent_out = cuda_tensor_part(c, l, TANGENT_OUT)};
        if (l > 0) {
            mix(c, true, first, count, offset, h, h, cuda_tensor_part(c, l - 1, SIGMA), c->work[0]);
            mix(c, true, first, count, offset, h, h, cuda_tensor_part(c, l - 1, TANGENT_OUT),
                a.tangent_in);
        }
        TENSOR_EACH(c, layer, a, n, bytes(6 * n));
        offset += l > 0 ? h * h + h : 2 * h;
    }
}

void cuda_tensor_outputs(CudaTensor *c, int64_t first, int64_t count) {
    int64_t h = c->net.h, p = c->net.p, n = count * p * c->net.q, last = c->t->config.depth - 2;
    DevTensorOutput out = {.net = c->net,
                           .first = first,
                           .count = count,
                           .offset = c->net.size - (h + 1) * p,
                           .phi = c->phi,
                           .slope = c->slope};
    mix(c, true, first, count, out.offset, p, h, cuda_tensor_part(c, (int)last, SIGMA), c->phi);
    mix(c, true, first, count, out.offset, p, h, cuda_tensor_part(c, (int)last, TANGENT_OUT),
        c->slope);
    TENSOR_EACH(c, output, out, n, bytes(4 * n));
    DevTensorIntegrate a = {c->net, first, c->phi, c->slope};
    Launch launch = {.kernel = c->kernel[ENGINE_tensor_integrate],
                     .grid = {(uint32_t)count, 1, 1},
                     .block = {DEV_WIDE, DEV_TALL, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .flops = 5 * (double)(count * c->net.matrices * p * p * c->net.q),
                     .bytes = bytes(2 * n + count * (c->net.matrices - 1) * c->net.q)};
    backend_launch(c->backend, &launch);
}

void cuda_tensor_matrices(CudaTensor *c, int64_t first, int64_t count) {
    cuda_tensor_hidden(c, first, count);
    cuda_tensor_outputs(c, first, count);
}

/* -------------------------------------------------------------------------------------- chain */

static void prefix(CudaTensor *c, const double *weight, bool value) {
    int64_t n = c->net.p * c->net.p, moved = c->net.d * n;
    DevTensorChain a = {.net = c->net, .weight = weight, .value = value};
    TENSOR_EACH(c, prefix, a, n, bytes(moved * (c->net.matrices + 2 + c->net.channels)));
    TENSOR_EACH(c, quotient, a, 1, 0);
}

static void chain(CudaTensor *c, bool value_weights) {
    int64_t n = c->net.p * c->net.p, own = c->net.d * c->net.matrices * n;
    DevTensorChain a = {.net = c->net, .weight = c->weight[0]};
    TENSOR_EACH(c, normalise, a, own, bytes(2 * own));
    if (value_weights)
        prefix(c, c->weight[1], true);
    prefix(c, c->weight[0], !value_weights);
    TENSOR_EACH(c, coefficients, a, c->net.p, 0);
    TENSOR_EACH(c, environment, a, n, bytes(3 * own));
    TENSOR_EACH(c, denormalise, a, c->net.d, bytes(4 * own));
}

/* ------------------------------------------------------------------------------------ way back */

static void sum_rows(CudaTensor *c, DevTensorRows a) {
    int64_t rows = a.rows * a.count;
    a.step = c->net.size;
    a.q = c->net.q;
    Launch launch = {.kernel = c->kernel[ENGINE_tensor_rows],
                     .grid = {(uint32_t)((rows + DEV_TALL - 1) / DEV_TALL), 1, 1},
                     .block = {DEV_WIDE, DEV_TALL, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .bytes = bytes(rows * c->net.q * (a.more ? 2 : 1))};
    backend_launch(c->backend, &launch);
}

/* g[h][out] = rows[count][h][q] bar[count][out][q]', and again for the tangents. */
static void layer_gradient(CudaTensor *c, int64_t count, int l, int64_t out, const double *bar,
                           const double *tangent_bar, double *g) {
    assert(count > 0 && l >= 0 && out > 0);
    Product p =
        product_of(false, true, c->net.h, out, c->net.q, cuda_tensor_part(c, l, SIGMA), bar, g);
    p.stride_a = c->net.h * c->net.q;
    p.stride_b = out * c->net.q;
    p.stride_c = c->net.size;
    p.count = count;
    backend_product(c->backend, &p);
    p.a = cuda_tensor_part(c, l, TANGENT_OUT);
    p.b = tangent_bar;
    p.beta = 1;
    backend_product(c->backend, &p);
    sum_rows(c,
             (DevTensorRows){.to = g + c->net.h * out, .from = bar, .rows = out, .count = count});
}

static void backward(CudaTensor *c, int64_t first, int64_t count) {
    assert(first >= 0 && count > 0 && first + count <= c->net.d);
    int64_t h = c->net.h, out = c->net.p, n = count * out * c->net.q;
    int64_t at = c->net.size - (h + 1) * out;
    double *bar = c->work[0], *tangent = c->work[1], *to = c->work[2], *to_tangent = c->work[3];
    double *g = c->gradient + first * c->net.size;
    DevTensorSeed seed = {c->net, first, count, c->phi, c->slope, bar, tangent};
    TENSOR_EACH(c, seed, seed, n, bytes(n * (2 * out + 2)));
    for (int l = c->t->config.depth - 2; l >= 0; l--) {
        layer_gradient(c, count, l, out, bar, tangent, g + at);
        mix(c, false, first, count, at, h, out, bar, to);
        mix(c, false, first, count, at, h, out, tangent, to_tangent);
        n = count * h * c->net.q;
        DevTensorBack back = {.bar = to,
                              .tangent_bar = to_tangent,
                              .slope = cuda_tensor_part(c, l, SLOPE),
                              .curve = cuda_tensor_part(c, l, CURVE),
                              .tangent_in = cuda_tensor_part(c, l, TANGENT_IN),
                              .n = n};
        TENSOR_EACH(c, back, back, n, bytes(7 * n));
        double *swap = bar, *swap_tangent = tangent;
        bar = to;
        tangent = to_tangent;
        to = swap;
        to_tangent = swap_tangent;
        out = h;
        at -= l > 0 ? h * h + h : 2 * h;
    }
    sum_rows(
        c, (DevTensorRows){
               .to = g, .from = bar, .more = tangent, .at = c->net.at, .rows = h, .count = count});
    sum_rows(c, (DevTensorRows){.to = g + h, .from = bar, .rows = h, .count = count});
}

/* ---------------------------------------------------------------------------------------- step */

int64_t cuda_tensor_block(const CudaTensor *c, int64_t first) {
    assert(first >= 0 && first < c->net.d);
    return c->net.d - first < c->block ? c->net.d - first : c->block;
}

static void gradient_separate(CudaTensor *c, bool value_weights) {
    for (int64_t first = 0; first < c->net.d; first += c->block) {
        int64_t count = cuda_tensor_block(c, first);
        DevTensorChain a = {.net = c->net, .weight = c->weight[0], .first = first, .count = count};
        cuda_tensor_matrices(c, first, count);
        TENSOR_EACH(c, separate, a, count, bytes(5 * count));
        backward(c, first, count);
    }
    DevTensorChain sum = {.net = c->net, .weight = c->weight[value_weights ? 1 : 0]};
    TENSOR_EACH(c, sum, sum, 1, bytes(3 * c->net.d));
}

static void gradient_coupled(CudaTensor *c, bool value_weights) {
    bool whole = c->block >= c->net.d;
    for (int64_t first = 0; first < c->net.d; first += c->block)
        cuda_tensor_matrices(c, first, cuda_tensor_block(c, first));
    chain(c, value_weights);
    for (int64_t first = 0; first < c->net.d; first += c->block) {
        if (!whole)
            cuda_tensor_matrices(c, first, cuda_tensor_block(c, first));
        backward(c, first, cuda_tensor_block(c, first));
    }
}

static void sample(CudaTensor *c, int which, int64_t n) {
    assert(which == 0 || which == 1);
    DevTensorSample a = {.state = c->net.state,
                         .weight = c->weight[which],
                         .d = c->net.d,
                         .n = n,
                         .seed = c->t->config.seed,
                         .stream =
                             stream_of(which ? STREAM_VALUE_SET : STREAM_SET, ROLE_TRAIN, 0, 0)};
    if (n > 0 && n < c->net.d)
        TENSOR_EACH(c, sample, a, 1, bytes(c->net.d));
}

static void update(CudaTensor *c) {
    const PdeOptimConfig *o = &c->t->config.optimiser;
    int64_t n = c->t->parameters;
    DevFinite finite = {c->net.state, c->net.gradient, n};
    DevEnd end = {c->net.state, NULL, 0};
    DevUpdate a = {.state = c->net.state,
                   .moved = {o->kind, c->net.theta, c->moment, n},
                   .gradient = c->net.gradient,
                   .n = n};
    cuda_tensor_each(c, ENGINE_finite, &finite, sizeof finite, n, bytes(n));
    cuda_tensor_each(c, ENGINE_end, &end, sizeof end, 1, 0);
    cuda_tensor_each(c, ENGINE_update, &a, sizeof a, n,
                     bytes((3 + 2 * pde_optim_states(o->kind)) * n));
}

void cuda_tensor_calls(CudaTensor *c) {
    const Settings *s = &c->m->settings;
    Terms value = algorithm_value(s->algorithm);
    bool value_weights = value == TERMS_ALL || value == TERMS_SAMPLE;
    sample(c, 0, algorithm_gradient(s->algorithm) == TERMS_SAMPLE ? s->terms : 0);
    sample(c, 1, value == TERMS_SAMPLE ? s->value_terms : 0);
    if (tnn_separable(c->t))
        gradient_separate(c, value_weights);
    else
        gradient_coupled(c, value_weights);
    update(c);
}

static void step_calls(void *tensor) {
    cuda_tensor_calls(tensor);
}

Status cuda_tensor_step(CudaTensor *c, uint32_t step, double rate, Error *error) {
    assert(c->updates >= 0);
    DevBegin begin = {c->net.state, cuda_now(&c->t->config.optimiser, ++c->updates, step, rate)};
    cuda_tensor_each(c, ENGINE_begin, &begin, sizeof begin, 1, 0);
    backend_repeat(c->backend, &c->recorded, step_calls, c);
    return backend_status(c->backend, error);
}

/* --------------------------------------------------------------------------------------- score */

Status cuda_tensor_score(CudaTensor *c, double *lambda, Error *error) {
    CudaTensor fine = *c; /* the same memory in other blocks */
    DevState state = {.loss = 0};
    int64_t own = c->net.d * c->net.matrices * c->net.p * c->net.p;
    DevTensorChain all = {.net = c->fine};
    fine.net = c->fine;
    fine.block = c->fine_block;
    for (int64_t first = 0; first < fine.net.d; first += fine.block)
        cuda_tensor_matrices(&fine, first, cuda_tensor_block(&fine, first));
    if (tnn_separable(c->t)) {
        TENSOR_EACH(&fine, sum, all, 1, bytes(3 * fine.net.d));
    } else {
        TENSOR_EACH(&fine, normalise, all, own, bytes(2 * own));
        prefix(&fine, NULL, true);
    }
    backend_download(c->backend, &state, c->fine.state, sizeof state);
    *lambda = state.loss;
    return backend_status(c->backend, error);
}
