/* tensor_sweep.cuh: output layers of coupled dimensions one after the other, each with the others
 * held, as sweep() of runtime/tensor/tnn_solve.c: by one block of threads that goes from dimension to
 * dimension itself, since each of them needs what came of the one before. */

/* A thread for each (j, k), from the last dimension to the first. */
KERNEL(tensor_suffix, DevTensorSuffix) {
    int64_t n = a.net.p * a.net.p, t = thread_number(), channels = a.net.channels;
    int64_t own = a.net.matrices * n, state = (2 + channels) * n;
    if (t >= n)
        return;
    real P = 1, H = 0, O[DEV_CHANNELS];
    UNROLL for (int m = 0; m < DEV_CHANNELS; m++)
        O[m] = 0;
    for (int64_t i = a.net.d; i >= 0; i--) {
        real *to = a.suffix + i * state + t;
        to[0] = P;
        to[n] = H;
        UNROLL for (int m = 0; m < DEV_CHANNELS; m++)
            if (m < channels)
                to[(2 + m) * n] = O[m];
        if (i == 0)
            return;
        const real *unit = a.net.unit + (i - 1) * own + t;
        real S = unit[0];
        H = H * S + P * unit[n];
        UNROLL for (int m = 0; m < DEV_CHANNELS; m++) {
            if (m >= channels)
                break;
            H += unit[(2 + 2 * m) * n] * O[m];
            O[m] = unit[(3 + 2 * m) * n] * P + (a.net.all_pairs[m] ? S * O[m] : (real)0);
        }
        P *= S;
    }
}

/* Memory of the part of a problem that belongs to the ranks. */
typedef struct Ranks {
    int p, even;
    real *E, *F; /* [matrices][p][p]: factors of the quadratic form, and in the basis U */
    real *D, *U; /* [even][even]: factors of the norm, which become diagonal; their basis */
    real *value; /* [even]: D's eigenvalues */
    real *turn;  /* [even]: memory of jacobi() */
} Ranks;

DEVICE Ranks ranks_of(const DevTensorSolve *a) {
    int64_t n = a->net.matrices * a->net.p * a->net.p;
    Ranks r;
    r.p = (int)a->net.p;
    r.even = r.p + r.p % 2;
    r.E = a->rank;
    r.F = r.E + n;
    r.D = r.F + n;
    r.U = r.D + r.even * r.even;
    r.value = r.U + r.even * r.even;
    r.turn = r.value + r.even;
    return r;
}

/* E and D of dimension i, from the states on both of its sides. */
DEVICE void chain_factors(const DevTensorSolve *a, int64_t i, const Ranks *r) {
    int64_t n = a->net.p * a->net.p, state = (2 + a->net.channels) * n;
    for (int64_t k = block_thread(); k < n; k += DEV_THREADS) {
        const real *left = a->net.prefix + i * state + k, *right = a->suffix + (i + 1) * state + k;
        real P = left[0], R = right[0], both = left[n] * R + P * right[n];
        for (int64_t m = 0; m < a->net.channels; m++) {
            real O = left[(2 + m) * n], Q = right[(2 + m) * n];
            r->E[(2 + 2 * m) * n + k] = P * Q;
            r->E[(3 + 2 * m) * n + k] = O * R;
            both += a->net.all_pairs[m] ? O * Q : (real)0;
        }
        r->E[k] = both;
        r->E[n + k] = P * R;
    }
    for (int k = block_thread(); k < r->even * r->even; k += DEV_THREADS) {
        int j = k / r->even, o = k % r->even, at = j * r->p + o;
        const real *left = a->net.prefix + i * state, *right = a->suffix + (i + 1) * state;
        r->D[k] = j < r->p && o < r->p ? left[at] * right[at] : (real)0;
    }
    BARRIER;
}

/* U diagonalises D; F = U' E U. false: D is not finite. */
DEVICE bool rank_basis(const DevTensorSolve *a, const Ranks *r, double *part) {
    int p = r->p, t = block_thread();
    bool ok = jacobi(r->even, r->D, r->U, r->turn, part);
    for (int j = t; j < p; j += DEV_THREADS)
        r->value[j] = r->D[j * r->even + j];
    for (int64_t e = t; e < a->net.matrices * p * p; e += DEV_THREADS) {
        int x = (int)(e % (p * p)) / p, y = (int)(e % p);
        const real *E = r->E + e / (p * p) * p * p;
        real sum = 0;
        for (int j = 0; j < p; j++) {
            real row = 0;
            for (int k = 0; k < p; k++)
                row += E[j * p + k] * r->U[k * r->even + y];
            sum += r->U[j * r->even + x] * row;
        }
        r->F[e] = sum;
    }
    BARRIER;
    return ok;
}

/* The part of rank j of the solution, normalised; its size becomes c_j. A part that vanished keeps
 * its old function with c_j = 0. */
DEVICE void store_output(const DevTensorSolve *a, const Eigen *e, real *W) {
    int p = e->ranks, n = e->features, t = block_thread();
    const real *part = e->vector + p * n, *v = part + p * n;
    real *c = a->net.theta + a->net.d * a->net.size;
    for (int j = t; j < p; j += DEV_THREADS) {
        double norm = 0;
        for (int f = 0; f < n; f++)
            norm += (double)e->feature_value[f] * (double)part[j * n + f] * (double)part[j * n + f];
        c[j] = (real)(norm > 1e-30 ? pde_sqrt(norm) : 0);
    }
    BARRIER;
    for (int k = t; k < p * n; k += DEV_THREADS)
        if (c[k / n] > 0)
            W[k % n * p + k / n] = v[k] / c[k / n];
    BARRIER;
}

/* phi and its slope at the nodes. */
DEVICE void output_rows(const DevTensorSolve *a, int64_t dim, const real *W, real *phi,
                        real *slope) {
    int64_t p = a->net.p, n = a->net.h + 1, q8 = a->net.q;
    const real *value_row = a->value_row + dim * n * q8, *slope_row = a->slope_row + dim * n * q8;
    for (int64_t k = block_thread(); k < p * q8; k += DEV_THREADS) {
        int64_t j = k / q8, q = k % q8;
        real value = 0, by = 0;
        for (int64_t f = 0; f < n; f++) {
            value += W[f * p + j] * value_row[f * q8 + q];
            by += W[f * p + j] * slope_row[f * q8 + q];
        }
        phi[k] = value;
        slope[k] = by;
    }
    BARRIER;
}

/* The state to the left of all dimensions. */
DEVICE void chain_begin(const DevTensor *net) {
    int64_t n = net->p * net->p, state = (2 + net->channels) * n;
    for (int64_t k = block_thread(); k < state; k += DEV_THREADS)
        net->prefix[k] = k < n;
    BARRIER;
}

/* The state to the right of dimension i from the one to its left. */
DEVICE void chain_step(const DevTensor *net, int64_t i) {
    int64_t n = net->p * net->p, state = (2 + net->channels) * n;
    for (int64_t k = block_thread(); k < n; k += DEV_THREADS) {
        const real *from = net->prefix + i * state + k,
                   *unit = net->unit + i * net->matrices * n + k;
        real *to = net->prefix + (i + 1) * state + k;
        real P = from[0], S = unit[0], H = from[n] * S + P * unit[n];
        for (int64_t m = 0; m < net->channels; m++) {
            real O = from[(2 + m) * n];
            H += O * unit[(3 + 2 * m) * n];
            to[(2 + m) * n] = P * unit[(2 + 2 * m) * n] + (net->all_pairs[m] ? O * S : (real)0);
        }
        to[0] = P * S;
        to[n] = H;
    }
    BARRIER;
}

/* One block. */
KERNEL(tensor_sweep, DevTensorSolve) {
    SHARED double part[DEV_THREADS];
    SHARED real sums[DEV_TALL][DEV_WIDE];
    int64_t own = a.net.matrices * a.net.p * a.net.p;
    Ranks r = ranks_of(&a);
    if (a.net.state->refused || a.net.state->unsolved)
        return;
    chain_begin(&a.net);
    for (int64_t i = a.from; i < a.from + a.count; i++) {
        int64_t k = i - a.first, rows = k * a.net.p * a.net.q;
        double lambda = 0;
        Eigen e = eigen_of(&a, k, 0);
        real *W = a.net.theta + (i + 1) * a.net.size - e.ranks * e.features;
        e.F = r.F;
        e.U = r.U;
        e.rank_value = r.value;
        e.rank_step = r.even;
        chain_factors(&a, i, &r);
        if (!rank_basis(&a, &r, part) || !lowest_pair(&e, W, &lambda, part)) {
            a.net.state->unsolved = 1;
            return;
        }
        store_output(&a, &e, W);
        output_rows(&a, k, W, a.phi + rows, a.slope + rows);
        integrate_dimension(&a.net, i, a.phi + rows, a.slope + rows, sums);
        for (int64_t m = block_thread(); m < own; m += DEV_THREADS)
            normalise_entry(&a.net, i, m);
        BARRIER;
        chain_step(&a.net, i);
        if (i == a.net.d - 1 && block_thread() == 0)
            a.net.state->loss = lambda + a.net.constant;
    }
}
