/* tensor.cuh: tensor networks: what runtime/tensor/tnn_dimension.c, tnn_chain.c and tnn_gradient.c do, for all
 * dimensions of a block at once. The products between rows are cuBLAS's. */

/* Selection sampling (Knuth 3.4.2 S): numbers are made by all threads and taken in order by one. */
KERNEL(tensor_sample, DevTensorSample) {
    SHARED double u[DEV_THREADS];
    int t = (int)threadIdx.x;
    int64_t left = a.n;
    for (int64_t first = 0; first < a.d; first += DEV_THREADS) {
        int64_t i = first + t;
        if (i < a.d) {
            u[t] = pde_uniform(
                pde_random_word(a.seed, a.stream, a.state->now.step, 0, (uint32_t)i));
            a.weight[i] = 0;
        }
        BARRIER;
        for (int64_t k = 0; t == 0 && k < DEV_THREADS && first + k < a.d && left > 0; k++)
            if (u[k] * (double)(a.d - first - k) < (double)left) {
                a.weight[first + k] = (real)((double)a.d / (double)a.n);
                left--;
            }
        BARRIER;
    }
}

KERNEL(tensor_layer, DevTensorLayer) {
    int64_t n = a.net.h * a.net.q, i = thread_number(), dim = i / n;
    int64_t row = i % n / a.net.q, q = i % a.net.q;
    if (dim >= a.count)
        return;
    const real *theta = a.net.theta + (a.first + dim) * a.net.size + a.offset;
    real z, tangent, s[6];
    if (a.z) {
        z = a.z[i] + theta[a.net.h * a.net.h + row];
        tangent = a.tangent_in[i];
    } else {
        tangent = theta[row];
        z = tangent * a.net.at[q] + theta[a.net.h + row];
        a.tangent_in[i] = tangent;
    }
    PDE_ACTIVATION(z, s);
    a.sigma[i] = s[0];
    a.slope[i] = s[1];
    a.curve[i] = s[2];
    a.tangent_out[i] = s[1] * tangent;
}

KERNEL(tensor_output, DevTensorOutput) {
    int64_t n = a.net.p * a.net.q, i = thread_number(), dim = i / n, row = i % n / a.net.q;
    if (dim >= a.count)
        return;
    real s = a.net.at[i % a.net.q], wall = 1 - s * s;
    real value = a.phi[i] + a.net.theta[(a.first + dim) * a.net.size + a.offset + a.net.h * a.net.p + row];
    a.slope[i] = wall * a.slope[i] - 2 * s * value;
    a.phi[i] = wall * value;
}

/* raw of dimension i: entries are dealt out to DEV_TALL rows of threads, nodes to the DEV_WIDE of a
 * row. */
DEVICE void integrate_dimension(const DevTensor *net, int64_t i, const real *phi, const real *slope,
                                real (*part)[DEV_WIDE]) {
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int64_t p = net->p, q8 = net->q, square = p * p, entries = net->matrices * square;
    for (int64_t e0 = 0; e0 < entries; e0 += DEV_TALL) {
        int64_t e = e0 + ty, m = e / square, j = e % square / p, k = e % p;
        real sum = 0;
        for (int64_t q = tx; q < q8 && e < entries; q += DEV_WIDE) {
            real v = phi[j * q8 + q] * phi[k * q8 + q];
            if (m > 0)
                v *= net->table[(i * (net->matrices - 1) + m - 1) * q8 + q];
            if (m == 1)
                v += net->stiffness[i] * slope[j * q8 + q] * slope[k * q8 + q];
            sum += v * net->node_weight[q];
        }
        part[ty][tx] = sum;
        wide_sum(part);
        if (tx == 0 && e < entries)
            net->raw[i * entries + e] = part[ty][0];
        BARRIER;
    }
}

KERNEL(tensor_integrate, DevTensorIntegrate) {
    SHARED real part[DEV_TALL][DEV_WIDE];
    int64_t dim = blockIdx.x, rows = dim * a.net.p * a.net.q;
    integrate_dimension(&a.net, a.first + dim, a.phi + rows, a.slope + rows, part);
}

/* ---------------------------------------------------------------------------------------- chain */

/* Entry e of the matrices of dimension i. */
DEVICE void normalise_entry(const DevTensor *net, int64_t i, int64_t e) {
    int64_t p = net->p, square = p * p, own = net->matrices * square, j = e % square / p, k = e % p;
    const real *S = net->raw + i * own;
    real left = PDE_FN(sqrt)(S[j * p + j]), right = PDE_FN(sqrt)(S[k * p + k]);
    net->unit[i * own + e] = e < square && j == k ? (real)1 : S[e] / left / right;
    if (e < square && j == k)
        net->norm[i * p + j] = left;
}

KERNEL(tensor_normalise, DevTensorChain) {
    int64_t own = a.net.matrices * a.net.p * a.net.p, t = thread_number();
    if (t < a.net.d * own)
        normalise_entry(&a.net, t / own, t % own);
}

/* A thread for each (j, k), which are independent; dimensions in their order. */
KERNEL(tensor_prefix, DevTensorChain) {
    int64_t n = a.net.p * a.net.p, t = thread_number(), channels = a.net.channels;
    int64_t own = a.net.matrices * n, state = (2 + channels) * n;
    if (t >= n)
        return;
    real P = 1, H = 0, O[DEV_CHANNELS];
    UNROLL for (int m = 0; m < DEV_CHANNELS; m++)
        O[m] = 0;
    for (int64_t i = 0; i <= a.net.d; i++) {
        real *to = a.net.prefix + i * state + t;
        to[0] = P;
        to[n] = H;
        UNROLL for (int m = 0; m < DEV_CHANNELS; m++)
            if (m < channels)
                to[(2 + m) * n] = O[m];
        if (i == a.net.d)
            return;
        const real *unit = a.net.unit + i * own + t;
        real w = a.weight ? a.weight[i] : (real)1, S = unit[0];
        H = H * S + P * w * unit[n];
        UNROLL for (int m = 0; m < DEV_CHANNELS; m++) {
            if (m >= channels)
                break;
            H += O[m] * unit[(3 + 2 * m) * n];
            O[m] = P * w * unit[(2 + 2 * m) * n] + (a.net.all_pairs[m] ? O[m] * S : (real)0);
        }
        P *= S;
    }
}

/* One block. */
KERNEL(tensor_quotient, DevTensorChain) {
    SHARED double numerator[DEV_THREADS], norm[DEV_THREADS];
    int t = (int)threadIdx.x;
    int64_t p = a.net.p, n = p * p;
    const real *last = a.net.prefix + a.net.d * (2 + a.net.channels) * n;
    const real *c = a.net.theta + a.net.d * a.net.size;
    double sum = 0, square = 0;
    for (int64_t e = t; e < n; e += DEV_THREADS) {
        double both = (double)(c[e / p] * c[e % p]);
        square += both * (double)last[e];
        sum += both * (double)last[n + e];
    }
    numerator[t] = sum;
    norm[t] = square;
    tree_sum(numerator, t, DEV_THREADS);
    tree_sum(norm, t, DEV_THREADS);
    if (t > 0)
        return;
    a.net.form[0] = (real)numerator[0];
    a.net.form[1] = (real)norm[0];
    if (a.value)
        a.net.state->loss = a.net.form[2] = (real)(numerator[0] / norm[0] + a.net.constant);
}

KERNEL(tensor_coefficients, DevTensorChain) {
    int64_t p = a.net.p, n = p * p, j = thread_number();
    if (j >= p)
        return;
    const real *last = a.net.prefix + a.net.d * (2 + a.net.channels) * n, *H = last + n;
    const real *c = a.net.theta + a.net.d * a.net.size;
    real value = a.net.form[2] - (real)a.net.constant, sum = 0;
    for (int64_t k = 0; k < p; k++)
        sum += c[k] *
               (H[j * p + k] + H[k * p + j] - value * (last[j * p + k] + last[k * p + j])) /
               a.net.form[1];
    a.net.gradient[a.net.d * a.net.size + j] = sum;
}

/* d lambda / d unit, from the last dimension to the first, which carries the suffix along. */
KERNEL(tensor_environment, DevTensorChain) {
    int64_t p = a.net.p, n = p * p, t = thread_number(), channels = a.net.channels;
    int64_t own = a.net.matrices * n, state = (2 + channels) * n;
    if (t >= n)
        return;
    const real *c = a.net.theta + a.net.d * a.net.size;
    real value = a.net.form[2] - (real)a.net.constant, factor = c[t / p] * c[t % p] / a.net.form[1];
    real R = 1, H = 0, Q[DEV_CHANNELS];
    UNROLL for (int m = 0; m < DEV_CHANNELS; m++)
        Q[m] = 0;
    for (int64_t i = a.net.d - 1; i >= 0; i--) {
        const real *prefix = a.net.prefix + i * state + t, *unit = a.net.unit + i * own + t;
        real *bar = a.net.environment + i * own + t;
        real P = prefix[0], S = unit[0], w = a.weight ? a.weight[i] : (real)1;
        real numerator = prefix[n] * R + P * H, next = H * S + R * w * unit[n];
        bar[n] = P * R * w * factor;
        UNROLL for (int m = 0; m < DEV_CHANNELS; m++) {
            if (m >= channels)
                break;
            real O = prefix[(2 + m) * n], f = unit[(2 + 2 * m) * n], g = unit[(3 + 2 * m) * n];
            bar[(2 + 2 * m) * n] = P * Q[m] * w * factor;
            bar[(3 + 2 * m) * n] = O * R * factor;
            if (a.net.all_pairs[m])
                numerator += O * Q[m];
            next += w * f * Q[m];
            Q[m] = g * R + (a.net.all_pairs[m] ? S * Q[m] : (real)0);
        }
        bar[0] = (numerator - value * P * R) * factor;
        H = next;
        R *= S;
    }
}

/* d lambda / d unit becomes d lambda / d raw; a thread for each dimension. */
KERNEL(tensor_denormalise, DevTensorChain) {
    int64_t p = a.net.p, square = p * p, own = a.net.matrices * square, i = thread_number();
    if (i >= a.net.d)
        return;
    const real *unit = a.net.unit + i * own, *norm = a.net.norm + i * p;
    real *bar = a.net.environment + i * own;
    for (int64_t j = 0; j < p; j++)
        bar[j * p + j] = 0;
    for (int64_t j = 0; j < p; j++) {
        real by_norm = 0;
        for (int64_t m = 0; m < a.net.matrices; m++)
            for (int64_t k = 0; k < p; k++) {
                int64_t row = m * square + j * p + k, column = m * square + k * p + j;
                by_norm -= bar[row] * unit[row] + bar[column] * unit[column];
            }
        bar[j * p + j] = by_norm / 2;
    }
    for (int64_t e = 0; e < own; e++)
        bar[e] /= norm[e % square / p] * norm[e % p];
}

/* With rank 1 and no pairs the gradient of a dimension is weight grad (T / S). */
KERNEL(tensor_separate, DevTensorChain) {
    int64_t i = a.first + thread_number();
    if (i >= a.first + a.count)
        return;
    const real *raw = a.net.raw + 2 * i;
    real by = a.weight[i] > 0 ? a.weight[i] / raw[0] : (real)0;
    a.net.environment[2 * i + 1] = by;
    a.net.environment[2 * i] = -by * raw[1] / raw[0];
}

/* One block: sum of weight T / S. The quotient does not see the size of psi. */
KERNEL(tensor_sum, DevTensorChain) {
    SHARED double part[DEV_THREADS];
    int t = (int)threadIdx.x;
    double sum = 0;
    for (int64_t i = t; i < a.net.d; i += DEV_THREADS) {
        double w = a.weight ? (double)a.weight[i] : 1;
        if (w > 0)
            sum += w * (double)(a.net.raw[2 * i + 1] / a.net.raw[2 * i]);
    }
    part[t] = sum;
    tree_sum(part, t, DEV_THREADS);
    if (t > 0)
        return;
    a.net.state->loss = a.net.form[2] = (real)(part[0] + a.net.constant);
    a.net.gradient[a.net.d * a.net.size] = 0;
}

/* ------------------------------------------------------------------------------------- way back */

KERNEL(tensor_seed, DevTensorSeed) {
    int64_t p = a.net.p, q8 = a.net.q, i = thread_number(), dim = i / (p * q8);
    int64_t j = i / q8 % p, q = i % q8, square = p * p;
    if (dim >= a.count)
        return;
    int64_t whole = a.first + dim;
    const real *bar = a.net.environment + whole * a.net.matrices * square;
    const real *phi = a.phi + dim * p * q8 + q, *slope = a.slope + dim * p * q8 + q;
    real value = 0, by_slope = 0;
    for (int64_t m = 0; m < a.net.matrices; m++) {
        const real *B = bar + m * square;
        real f = m == 0 ? (real)1 : a.net.table[(whole * (a.net.matrices - 1) + m - 1) * q8 + q];
        real sum = 0;
        for (int64_t k = 0; k < p; k++) {
            sum += (B[j * p + k] + B[k * p + j]) * phi[k * q8];
            if (m == 1)
                by_slope += (B[j * p + k] + B[k * p + j]) * slope[k * q8];
        }
        value += f * sum;
    }
    real s = a.net.at[q], w = a.net.node_weight[q], wall = 1 - s * s;
    real d = by_slope * w * a.net.stiffness[whole];
    a.value_bar[i] = wall * value * w - 2 * s * d;
    a.slope_bar[i] = wall * d;
}

KERNEL(tensor_back, DevTensorBack) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    real s1 = a.slope[i], t = a.tangent_bar[i];
    a.bar[i] = a.bar[i] * s1 + t * a.curve[i] * a.tangent_in[i];
    a.tangent_bar[i] = t * s1;
}

/* DEV_TALL rows for each block of threads. */
KERNEL(tensor_rows, DevTensorRows) {
    SHARED real part[DEV_TALL][DEV_WIDE];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int64_t row = (int64_t)blockIdx.x * DEV_TALL + ty, rows = a.rows * a.count;
    real sum = 0;
    for (int64_t q = tx; q < a.q && row < rows; q += DEV_WIDE) {
        real v = a.from[row * a.q + q];
        sum += (a.at ? v * a.at[q] : v) + (a.more ? a.more[row * a.q + q] : (real)0);
    }
    part[ty][tx] = sum;
    wide_sum(part);
    if (tx == 0 && row < rows)
        a.to[row / a.rows * a.step + row % a.rows] = part[ty][0];
}

/* --------------------------------------------------------------- matrices between the features */

KERNEL(tensor_basis, DevTensorBasis) {
    int64_t h = a.net.h, q8 = a.net.q, n = (h + 1) * q8, i = thread_number(), dim = i / n;
    int64_t row = i % n / q8, q = i % q8, at = (dim * h + row) * q8 + q;
    if (dim >= a.count)
        return;
    real s = a.net.at[q], wall = 1 - s * s;
    real value = row < h ? a.sigma[at] : (real)1, slope = row < h ? a.tangent[at] : (real)0;
    a.value[i] = wall * value;
    a.slope[i] = wall * slope - 2 * s * value;
}

KERNEL(tensor_weigh, DevTensorWeigh) {
    int64_t q8 = a.net.q, i = thread_number(), dim = i / (a.rows * q8), q = i % q8;
    if (dim >= a.count)
        return;
    int64_t whole = a.first + dim;
    real f = a.function >= 0
                 ? a.net.table[(whole * (a.net.matrices - 1) + a.function) * q8 + q]
             : a.function == -2 ? a.net.stiffness[whole]
                                : (real)1;
    a.out[i] = a.row[i] * a.net.node_weight[q] * f;
}
