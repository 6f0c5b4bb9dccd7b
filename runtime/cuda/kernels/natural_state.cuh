/* natural_state.cuh: what a try of an iteration begins with, and what becomes of it: the decisions of
 * runtime/step/natural/natural.c, made on the device. */

KERNEL(natural_queue, DevQueue) {
    if (thread_number() == 0)
        a.queue[a.at] = a.now;
}

KERNEL(natural_try, DevTry) {
    if (thread_number() > 0)
        return;
    a.state->now = a.queue[a.natural->done % DEV_QUEUE];
    a.state->loss = a.state->product = 0;
    a.state->bad = 0;
    a.natural->failed = a.natural->undone = a.natural->forget = a.natural->over = 0;
}

KERNEL(natural_residual, DevResidual) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    double own = a.add ? a.own[i] : 0;
    if (a.residual)
        own += a.factor * (double)a.residual[i];
    a.own[i] = own;
    a.r[i] = a.value ? a.value_factor * (double)a.value[i] : own;
}

DEVICE void scale_row(real *seed, int64_t n, double factor) {
    for (int64_t i = threadIdx.x; seed && i < n; i += DEV_THREADS)
        seed[blockIdx.x * n + i] = (real)(factor * (double)seed[blockIdx.x * n + i]);
}

KERNEL(natural_root, DevRoot) {
    double q = (double)a.residual[blockIdx.x], root = q > 0 ? pde_sqrt(q) : 0;
    double factor = root > 0 ? 0.5 / root : 0;
    BARRIER;
    if (q != q)
        root = factor = q;
    if (threadIdx.x == 0)
        a.residual[blockIdx.x] = (real)root;
    scale_row(a.seed_n, a.outputs, factor);
    UNROLL for (int m = 0; m < 4; m++)
        scale_row(a.seed_d[m], a.directions, factor);
    scale_row(a.seed_unknown, a.unknowns, factor);
}

KERNEL(natural_loss, DevLossRows) {
    SHARED double part[DEV_THREADS];
    double square = 0, product = 0;
    for (int64_t i = threadIdx.x; i < a.rows; i += DEV_THREADS) {
        square += a.r[i] * a.r[i];
        product += a.own[i] * a.r[i];
    }
    square = block_sum(part, square);
    product = block_sum(part, product);
    if (threadIdx.x > 0)
        return;
    a.state->loss = square;
    a.state->product = product;
}

KERNEL(natural_damp, DevDamp) {
    SHARED double part[DEV_THREADS];
    double trace = 0;
    for (int64_t i = threadIdx.x; i < a.rows; i += DEV_THREADS)
        trace += a.k[i * a.rows + i];
    trace = block_sum(part, trace);
    if (threadIdx.x > 0)
        return;
    DevState *s = a.state;
    a.natural->lambda = a.damping * a.natural->caution * trace / (double)a.rows;
    if (s->loss * 0 != 0 || a.natural->lambda * 0 != 0)
        s->bad = 1;
    refuse_bad(s);
}

DEVICE double sum_of(const double *v, int64_t n) {
    double sum = 0;
    for (int64_t i = threadIdx.x; i < n; i += DEV_THREADS)
        sum += v[i];
    return sum;
}

KERNEL(natural_rate, DevRate) {
    SHARED double part[DEV_THREADS];
    double mu = a.state->now.rule.beta1, lambda = a.natural->lambda, rate = a.state->now.rule.rate;
    double square = 0, size = 0, promised = 0;
    for (int64_t i = threadIdx.x; i < a.rows; i += DEV_THREADS) {
        double s = a.sol[i]; /* J (new phi) = r - lambda sol */
        square += s * (a.r[i] - lambda * s + mu * a.along[i]);
        size += s * s;
    }
    square = block_sum(part, square);
    size = block_sum(part, size);
    square += mu * mu * block_sum(part, sum_of(a.phi, a.partials));
    double limit = a.limit * pde_sqrt(block_sum(part, sum_of(a.theta, a.partials)));
    if (natural_is_long(rate, square, limit))
        rate = limit / pde_sqrt(square);
    for (int64_t i = threadIdx.x; i < a.rows; i += DEV_THREADS) {
        double after = a.r[i] - rate * (a.r[i] - lambda * a.sol[i]);
        promised += after * after;
    }
    promised = block_sum(part, promised);
    if (threadIdx.x > 0)
        return;
    a.state->now.rule.rate = rate;
    a.natural->promised = promised;
    if (size * 0 != 0)
        a.natural->failed = 1;
}

/* A step that makes the loss larger is undone, with more caution; one that keeps its promise needs
 * less of it. From the second failure on the momentum is under suspicion as well. */
KERNEL(natural_judge, DevJudge) {
    SHARED double part[DEV_THREADS];
    double after = 0;
    for (int64_t i = threadIdx.x; i < a.rows; i += DEV_THREADS)
        after += a.after[i] * a.after[i];
    after = block_sum(part, after);
    DevNatural *n = a.natural;
    if (threadIdx.x > 0 || a.state->refused)
        return;
    double quality = natural_quality(a.state->loss, after, n->promised);
    if (!n->failed && after * 0 == 0 && quality >= 0) {
        n->caution = natural_caution_kept(n->caution, quality);
        n->tries = 0;
        n->over = 1;
        n->done++;
        return;
    }
    n->caution = natural_caution_undone(n->caution);
    n->undone = 1;
    n->forget = n->tries > 0;
    n->tries++;
    if (n->tries < NATURAL_TRIES)
        return;
    n->tries = 0;
    n->over = 1;
    n->done++;
}

KERNEL(natural_keep, DevKeep) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    if (!a.natural) {
        a.kept_theta[i] = a.theta[i];
        a.kept_phi[i] = a.phi[i];
    } else if (a.natural->undone) {
        a.theta[i] = a.kept_theta[i];
        a.phi[i] = a.natural->forget ? (real)0 : a.kept_phi[i];
    }
}

KERNEL(natural_keep_unknown, DevKeepUnknown) {
    int64_t i = thread_number();
    if (i >= a.unknowns)
        return;
    if (!a.natural) {
        a.kept[i] = a.value[i];
        a.kept[a.unknowns + i] = a.phi[i];
    } else if (a.natural->undone) {
        a.value[i] = a.kept[i];
        a.phi[i] = a.kept[a.unknowns + i];
        a.seen[i] = (real)a.value[i];
    }
}

KERNEL(natural_unknown_rows, DevUnknownRows) {
    int64_t i = thread_number(), k = i % a.unknowns;
    if (i >= a.n * a.unknowns)
        return;
    double x = a.factor * unknown_size(a.limit + 3 * k, a.value[k]) * (double)a.seed[i];
    a.columns[i] = a.add ? a.columns[i] + x : x;
}

/* A block for each unknown. */
KERNEL(natural_unknown_move, DevUnknownMove) {
    SHARED double part[DEV_THREADS];
    int64_t k = blockIdx.x;
    double sum = 0;
    for (int64_t i = threadIdx.x; i < a.rows; i += DEV_THREADS)
        sum += a.sol[i] * a.columns[i * a.unknowns + k];
    sum = block_sum(part, sum);
    if (threadIdx.x > 0 || a.state->refused)
        return;
    const double *limit = a.limit + 3 * k;
    double phi = a.state->now.rule.beta1 * a.phi[k] + sum;
    double value = unknown_within(limit, a.value[k] - a.state->now.rule.rate * unknown_size(limit, a.value[k]) * phi);
    a.phi[k] = phi;
    a.value[k] = value;
    a.seen[k] = (real)value;
}

/* ------------------------------------------------------------------------ mean of the parameters */

/* Weight of the parameters in their mean after this step; 0: none. */
DEVICE double average_weight(const DevAverage *a) {
    double share = a->state->now.average, window = share * (double)(*a->count + 1);
    if (share == 0 || a->state->refused || (a->natural && !a->natural->over))
        return 0;
    return window > 1 ? 1 / window : 1;
}

KERNEL(average, DevAverage) {
    int64_t i = thread_number();
    double weight = average_weight(&a);
    if (i >= a.n || weight == 0)
        return;
    real before = weight < 1 ? a.mean[i] : (real)0;
    a.mean[i] = weight < 1 ? before + (real)weight * (a.theta[i] - before) : a.theta[i];
}

/* One thread, after all others: the unknowns, and the count. */
KERNEL(averaged, DevAverage) {
    double weight = average_weight(&a);
    if (thread_number() > 0 || weight == 0)
        return;
    for (int64_t k = 0; k < a.unknowns; k++)
        a.unknown_mean[k] += weight * (a.unknown[k] - a.unknown_mean[k]);
    ++*a.count;
}
