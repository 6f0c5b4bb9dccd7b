/* step.cuh: loss, refusal of steps that are not finite, and the update rules of optim.def. */

KERNEL(begin, DevBegin) {
    if (thread_number() > 0)
        return;
    a.state->now = a.now;
    a.state->loss = a.state->product = 0;
    a.state->bad = 0;
}

/* x * 0 is not zero for infinities and NaN. All threads that write, write the same. */
KERNEL(finite, DevFinite) {
    int64_t i = thread_number();
    if (i < a.n && a.v[i] * 0 != 0)
        a.state->bad = 1;
}

/* A bad step is refused, unless one was already: the first is named. */
DEVICE void refuse_bad(DevState *s) {
    if (!s->bad || s->refused)
        return;
    s->refused = 1;
    s->refused_step = s->now.step;
    s->refused_updates = s->now.updates;
}

/* After all checks and before the updates, which look at `refused`. */
KERNEL(end, DevEnd) {
    if (thread_number() > 0)
        return;
    DevState *s = a.state;
    if (s->loss * 0 != 0)
        s->bad = 1;
    for (int64_t k = 0; k < a.unknowns; k++)
        if (a.unknown_gradient[k] * 0 != 0)
            s->bad = 1;
    refuse_bad(s);
}

/* One block. */
KERNEL(loss, DevLoss) {
    SHARED double part[DEV_THREADS];
    int t = (int)threadIdx.x;
    double s = 0, p = 0;
    for (int64_t i = t; i < a.n; i += DEV_THREADS) {
        double mine = (double)a.residual[i];
        double other = a.squares ? 1 : a.value ? (double)a.value[i] : mine;
        s += other * other;
        p += other * mine;
    }
    s = block_sum(part, s);
    p = block_sum(part, p);
    if (t > 0)
        return;
    a.state->loss += a.factor * (a.squares ? p : s);
    a.state->product += a.factor * p;
}

KERNEL(axpy, DevAxpy) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    double before = a.keep != 0 ? a.keep * (double)a.to[i] : 0;
    a.to[i] = (real)(before + a.factor * (a.from ? (double)a.from[i] : 1));
}

/* Parameter number i with gradient g. Its body is a row for each of optim.def: compile.c writes them. */
DEVICE void apply_rule(const DevMoved *a, const PdeRule *rule, int64_t i, real g);

#define RULES_BEGIN                                                                                \
    DEVICE void apply_rule(const DevMoved *a, const PdeRule *rule, int64_t i, real g) {            \
        real_Rule k = real_rule(rule);                                                             \
        switch (a->kind) {
#define RULES_ROW(number, name, states)                                                            \
    case number: {                                                                                 \
        real s[states + 1] = {0};                                                                  \
        for (int m = 0; m < states; m++)                                                           \
            s[m] = a->state[m * a->stride + i];                                                    \
        a->theta[i] = real_##name(&k, a->theta[i], s, g);                                          \
        for (int m = 0; m < states; m++)                                                           \
            a->state[m * a->stride + i] = s[m];                                                    \
        break;                                                                                     \
    }
#define RULES_END                                                                                  \
    }                                                                                              \
    }

KERNEL(update, DevUpdate) {
    int64_t i = thread_number();
    if (i < a.n && !a.state->refused)
        apply_rule(&a.moved, &a.state->now.rule, i, a.gradient[i]);
}

/* A block for each unknown. */
KERNEL(unknown_sum, DevUnknownSum) {
    SHARED double part[DEV_THREADS];
    int t = (int)threadIdx.x;
    int64_t k = blockIdx.x;
    double sum = 0;
    for (int64_t i = t; i < a.n; i += DEV_THREADS) {
        double m = a.multiplier ? (double)a.multiplier[i] : a.scale * (double)a.residual[i];
        sum += m * (double)a.seed[i * a.unknowns + k];
    }
    sum = block_sum(part, sum);
    if (t == 0)
        a.gradient[k] += sum;
}

/* step/step_rule.h has the rule. */
KERNEL(unknown, DevUnknown) {
    int64_t k = thread_number();
    if (k >= a.unknowns || a.state->refused)
        return;
    double s[2] = {a.m[k], a.v[k]};
    double value = unknown_moved(&a.state->now.unknown_rule, a.limit + 3 * k, a.value[k], s, a.gradient[k]);
    a.m[k] = s[0];
    a.v[k] = s[1];
    a.value[k] = value;
    a.seen[k] = (real)value;
}

KERNEL(square, DevSquare) {
    SHARED double part[DEV_THREADS];
    int64_t i = thread_number();
    double sum = block_sum(part, i < a.n ? (double)a.v[i] * (double)a.v[i] : 0);
    if (threadIdx.x == 0)
        a.partial[blockIdx.x] = sum;
}

/* One block. */
KERNEL(sum, DevSum) {
    SHARED double part[DEV_THREADS];
    int t = (int)threadIdx.x;
    double sum = 0;
    for (int64_t i = t; i < a.n; i += DEV_THREADS)
        sum += a.from[i];
    sum = block_sum(part, sum);
    if (t == 0)
        *a.to = sum;
}

/* A block for each field. */
KERNEL(score, DevScore) {
    SHARED double part[DEV_THREADS];
    int t = (int)threadIdx.x;
    int64_t f = blockIdx.x;
    double sum = 0;
    for (int64_t i = t; i < a.points; i += DEV_THREADS) {
        double difference = (double)a.value[i * a.fields + f] - a.exact[i * a.fields + f];
        sum += difference * difference;
    }
    sum = block_sum(part, sum);
    if (t == 0)
        a.square[f] = a.add ? a.square[f] + sum : sum;
}

/* Every block adds the partial sums in the same order. */
KERNEL(clip, DevClip) {
    SHARED double part[DEV_THREADS];
    int t = (int)threadIdx.x;
    int64_t i = thread_number();
    double sum = 0;
    for (int64_t j = t; j < a.partials; j += DEV_THREADS)
        sum += a.partial[j];
    double norm = pde_sqrt(block_sum(part, sum));
    if (i < a.n && norm > a.limit)
        a.v[i] *= (real)(a.limit / norm);
}
