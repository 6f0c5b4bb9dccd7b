/* lbfgs.cuh: the step of runtime/step/lbfgs/lbfgs.c, which decides by the same functions (lbfgs_search.h). Vectors
 * are double. Kernels over vectors have a.parts blocks, each of which leaves its part of a sum for the
 * next kernel; all kernels of a turn are launched, and look at the phase for whether it is theirs. */

/* Sums of blocks, of two kinds: a kernel that reads those of one side writes to the other. */
DEVICE double *lbfgs_parts(const DevLbfgsStep *a, int64_t side, int64_t kind) {
    return a->partial + (2 * (side & 1) + kind) * a->parts;
}

DEVICE void leave_part(double *part, double mine, double *to) {
    double sum = block_sum(part, mine);
    if (threadIdx.x == 0)
        to[blockIdx.x] = sum;
}

DEVICE double join_parts(double *part, const DevLbfgsStep *a, int64_t side, int64_t kind) {
    return block_sum(part, sum_of(lbfgs_parts(a, side, kind), a->parts));
}

/* Pair k of them, oldest first. */
DEVICE int64_t lbfgs_slot(const DevLbfgs *l, int64_t k) {
    return (l->oldest + k) % LBFGS_PAIRS;
}

#define LBFGS_EACH(i) for (int64_t i = thread_number(); i < a.n; i += a.parts * DEV_THREADS)

KERNEL(lbfgs_turn, DevLbfgsStep) {
    if (thread_number() > 0)
        return;
    a.state->loss = a.state->product = 0;
    a.state->bad = 0;
    a.lbfgs->moved = 0;
}

/* ----------------------------------------------------------------------------------- direction */

KERNEL(lbfgs_descend, DevLbfgsStep) {
    SHARED double part[DEV_THREADS];
    const DevLbfgs *l = a.lbfgs;
    if (l->phase != DEV_LBFGS_BEGIN)
        return;
    const double *s = l->pairs > 0 ? a.s + lbfgs_slot(l, l->pairs - 1) * a.n : a.g;
    double sum = 0;
    LBFGS_EACH(i) {
        double along = -a.g[i];
        a.along[i] = along;
        sum += s[i] * along;
    }
    leave_part(part, sum, lbfgs_parts(&a, 0, 0));
}

/* Step `at` of the recursion: from the newest pair to the oldest, and back. It takes the product
 * that the step before has left, and leaves that of the next. */
KERNEL(lbfgs_recur, DevLbfgsStep) {
    SHARED double part[DEV_THREADS];
    const DevLbfgs *l = a.lbfgs;
    int64_t pairs = l->pairs, at = a.at, next = at + 1;
    if (l->phase != DEV_LBFGS_BEGIN || at >= 2 * pairs)
        return;
    int64_t slot = lbfgs_slot(l, at < pairs ? pairs - 1 - at : at - pairs);
    int64_t other = lbfgs_slot(l, next < pairs ? pairs - 1 - next : next - pairs);
    int64_t newest = lbfgs_slot(l, pairs - 1);
    double quotient = join_parts(part, &a, at, 0) / l->sy[slot];
    double factor = at < pairs ? -quotient : l->alpha[slot] - quotient;
    double scale = next == pairs ? l->sy[newest] / l->yy[newest] : 1;
    const double *v = (at < pairs ? a.y : a.s) + slot * a.n;
    const double *w = (next < pairs ? a.s : a.y) + other * a.n;
    double sum = 0;
    LBFGS_EACH(i) {
        double along = (a.along[i] + factor * v[i]) * scale;
        a.along[i] = along;
        sum += w[i] * along;
    }
    leave_part(part, sum, lbfgs_parts(&a, next, 0));
    if (at < pairs && thread_number() == 0)
        a.lbfgs->alpha[slot] = quotient;
}

/* -------------------------------------------------------------------------------------- search */

KERNEL(lbfgs_slope, DevLbfgsStep) {
    SHARED double part[DEV_THREADS];
    double slope = 0, square = 0;
    if (a.lbfgs->phase != DEV_LBFGS_BEGIN)
        return;
    LBFGS_EACH(i) {
        slope += a.g[i] * a.along[i];
        square += a.g[i] * a.g[i];
    }
    leave_part(part, slope, lbfgs_parts(&a, 1, 0));
    leave_part(part, square, lbfgs_parts(&a, 1, 1));
}

/* The search failed: once more downhill, or not at all. */
DEVICE void lbfgs_fail(DevLbfgs *l) {
    l->phase = l->pairs > 0 ? DEV_LBFGS_BEGIN : DEV_LBFGS_DONE;
    l->finished += l->pairs == 0;
    l->pairs = 0;
}

/* One block. A direction that does not lead down makes way for that of steepest descent, which
 * lbfgs_trial puts there. */
KERNEL(lbfgs_search, DevLbfgsStep) {
    SHARED double part[DEV_THREADS];
    DevLbfgs *l = a.lbfgs;
    if (l->phase != DEV_LBFGS_BEGIN)
        return;
    double slope = join_parts(part, &a, 1, 0), square = join_parts(part, &a, 1, 1);
    if (threadIdx.x > 0)
        return;
    double length = pde_sqrt(square);
    int leads_down = lbfgs_search_begin(&l->search, l->loss, slope, length, l->pairs);
    if (!leads_down && l->pairs > 0) {
        l->pairs = 0;
        leads_down = lbfgs_search_begin(&l->search, l->loss, -square, length, 0);
    }
    if (leads_down)
        l->phase = DEV_LBFGS_SEARCH;
    else
        lbfgs_fail(l);
}

KERNEL(lbfgs_trial, DevLbfgsStep) {
    const DevLbfgs *l = a.lbfgs;
    double t = l->search.t;
    if (l->phase != DEV_LBFGS_SEARCH)
        return;
    LBFGS_EACH(i) {
        if (l->pairs == 0)
            a.along[i] = -a.g[i];
        a.theta[i] = (real)(a.x[i] + t * a.along[i]);
    }
}

KERNEL(lbfgs_measure, DevLbfgsStep) {
    SHARED double part[DEV_THREADS];
    double sum = 0;
    if (a.lbfgs->phase != DEV_LBFGS_SEARCH)
        return;
    LBFGS_EACH(i)
        sum += (double)a.gradient[i] * a.along[i];
    leave_part(part, sum, lbfgs_parts(&a, 0, 0));
}

DEVICE void lbfgs_take(DevLbfgs *l, double loss) {
    l->phase = DEV_LBFGS_BEGIN;
    l->loss = loss;
    l->moved = 1;
}

/* The oldest pair makes room for a new one. */
DEVICE int64_t lbfgs_new_slot(DevLbfgs *l) {
    if (l->pairs == LBFGS_PAIRS) {
        l->oldest = lbfgs_slot(l, 1);
        l->pairs--;
    }
    return lbfgs_slot(l, l->pairs);
}

/* One block. A step is refused only where not even x has a finite loss. */
KERNEL(lbfgs_judge, DevLbfgsStep) {
    SHARED double part[DEV_THREADS];
    DevLbfgs *l = a.lbfgs;
    DevState *s = a.state;
    if (l->phase == DEV_LBFGS_DONE)
        return;
    double slope = join_parts(part, &a, 0, 0);
    if (threadIdx.x > 0)
        return;
    if (s->loss * 0 != 0)
        s->bad = 1;
    if (l->phase == DEV_LBFGS_FIRST) {
        refuse_bad(s);
        l->slot = -1;
        if (!s->bad)
            lbfgs_take(l, s->loss);
        return;
    }
    l->evaluations++;
    int verdict = lbfgs_search_judge(&l->search, s->bad ? __builtin_inf() : s->loss, slope);
    if (verdict == LBFGS_FAILED)
        lbfgs_fail(l);
    if (verdict != LBFGS_TAKEN)
        return;
    lbfgs_take(l, s->loss);
    l->slot = lbfgs_new_slot(l);
    l->finished++;
}

/* ---------------------------------------------------------------------------------------- pairs */

KERNEL(lbfgs_move, DevLbfgsStep) {
    const DevLbfgs *l = a.lbfgs;
    int64_t slot = l->slot;
    LBFGS_EACH(i) {
        if (l->phase == DEV_LBFGS_DONE)
            a.theta[i] = (real)a.x[i];
        if (!l->moved)
            continue;
        double x = (double)a.theta[i], g = (double)a.gradient[i];
        if (slot >= 0) {
            a.s[slot * a.n + i] = x - a.x[i];
            a.y[slot * a.n + i] = g - a.g[i];
        }
        a.x[i] = x;
        a.g[i] = g;
    }
}

/* Products of a pair: of the new one if there is one, or of any. */
DEVICE int64_t lbfgs_pair_slot(const DevLbfgsStep *a) {
    return a->at >= 0 ? a->at : a->lbfgs->moved ? a->lbfgs->slot : -1;
}

KERNEL(lbfgs_products, DevLbfgsStep) {
    SHARED double part[DEV_THREADS];
    int64_t slot = lbfgs_pair_slot(&a);
    const double *s = a.s + slot * a.n, *y = a.y + slot * a.n;
    double sy = 0, yy = 0;
    if (slot < 0)
        return;
    LBFGS_EACH(i) {
        sy += s[i] * y[i];
        yy += y[i] * y[i];
    }
    leave_part(part, sy, lbfgs_parts(&a, 0, 0));
    leave_part(part, yy, lbfgs_parts(&a, 0, 1));
}

/* One block. */
KERNEL(lbfgs_pair, DevLbfgsStep) {
    SHARED double part[DEV_THREADS];
    DevLbfgs *l = a.lbfgs;
    int64_t slot = lbfgs_pair_slot(&a);
    if (slot < 0)
        return;
    double sy = join_parts(part, &a, 0, 0), yy = join_parts(part, &a, 0, 1);
    if (threadIdx.x > 0)
        return;
    l->sy[slot] = sy;
    l->yy[slot] = yy;
    if (a.at < 0)
        l->pairs += lbfgs_pair_counts(sy, yy);
}
