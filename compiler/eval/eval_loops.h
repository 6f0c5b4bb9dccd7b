/* eval_loops.h: the part of the interpreter that runs over an index: sums, products, extrema, integrals, draws.
 * Included by eval_body.h only, with REAL, NAME, MATH. */

static void NAME(move)(Eval *v, Ref index, REAL value) {
    if (v->in->fuel && v->clock > v->in->fuel)
        NAME(fail)(v, "too many steps to evaluate a sum over", index);
    NAME(fill)(v, v->value[index], value);
    v->moved[index] = ++v->clock;
    v->computed[index] = v->clock;
}

static bool NAME(same_dependencies)(const Eval *v, Ref a, Ref b) {
    const Dependencies *x = &v->deps[a], *y = &v->deps[b];
    if (x->n != y->n)
        return false;
    for (uint32_t i = 0; i < x->n; i++) {
        bool found = false;
        for (uint32_t j = 0; j < y->n; j++)
            found |= x->at[i] == y->at[j];
        if (!found)
            return false;
    }
    return true;
}

/* All sums of the loop that depend on nothing more or less than e does, e among them. */
static void NAME(sums)(Eval *v, Ref e) {
    NAME(Loop) *loop = NAME(loop_of)(v, e);
    int64_t lo = (int64_t)MATH(llround)(NAME(value_of)(v, loop->lo)[0]);
    int64_t hi = (int64_t)MATH(llround)(NAME(value_of)(v, loop->hi)[0]);
    if (!loop->active)
        loop->active = NEW_ARRAY(v->arena, bool, loop->sum.n);
    bool *active = loop->active;
    for (uint32_t k = 0; k < loop->sum.n; k++) {
        active[k] = loop->sum.at[k] == e ||
                    (v->deps[e].n == 0 && NAME(same_dependencies)(v, loop->sum.at[k], e));
        if (active[k])
            NAME(fill)(v, v->value[loop->sum.at[k]], 0);
    }
    for (int64_t i = lo; i <= hi && !v->trouble; i++) {
        NAME(move)(v, loop->index, (REAL)i);
        for (uint32_t k = 0; k < loop->sum.n; k++) {
            if (!active[k])
                continue;
            const REAL *term = NAME(value_of)(v, loop->body.at[k]);
            REAL *out = v->value[loop->sum.at[k]];
            for (uint32_t p = 0; p < v->points; p++)
                out[p] += term[p];
        }
    }
    for (uint32_t k = 0; k < loop->sum.n; k++)
        if (active[k])
            v->computed[loop->sum.at[k]] = v->clock;
}

static void NAME(reduction)(Eval *v, Ref e, REAL *out) {
    Ref index, body = ir_open(v->ir, e, &index);
    Op op = ir_op(v->ir, e);
    int64_t lo = (int64_t)MATH(llround)(NAME(value_of)(v, ir_kid(v->ir, e, 0))[0]);
    int64_t hi = (int64_t)MATH(llround)(NAME(value_of)(v, ir_kid(v->ir, e, 1))[0]);
    REAL *best = v->best[e] ? v->best[e] : out;
    NAME(fill)(v, out, op == OP_PROD ? 1 : 0);
    if (hi < lo && op != OP_PROD)
        NAME(fail)(v, "the largest or smallest of nothing", e);
    for (int64_t i = lo; i <= hi && !v->trouble; i++) {
        bool left_out = false;
        for (uint32_t k = 3; k < ir_arity(v->ir, e); k++)
            left_out |= (int64_t)MATH(llround)(NAME(value_of)(v, ir_kid(v->ir, e, k))[0]) == i;
        if (left_out)
            continue;
        NAME(move)(v, index, (REAL)i);
        const REAL *term = NAME(value_of)(v, body);
        for (uint32_t p = 0; p < v->points; p++) {
            bool more = op == OP_MAX || op == OP_ARGMAX ? term[p] > best[p] : term[p] < best[p];
            if (op == OP_PROD)
                out[p] *= term[p];
            else if (i == lo || more) {
                out[p] = (REAL)i;
                best[p] = term[p]; /* for MAX and MIN this is out itself */
            }
        }
    }
}

/* Double-exponential rule; infinite ends by exp-sinh. A few hundred nodes reach rounding error for
 * integrands that are smooth inside. */
static void NAME(integral)(Eval *v, Ref e, REAL *out) {
    Ref var, body = ir_open(v->ir, e, &var);
    REAL lo = NAME(value_of)(v, ir_kid(v->ir, e, 0))[0],
         hi = NAME(value_of)(v, ir_kid(v->ir, e, 1))[0];
    const REAL h = (REAL)1 / 64, half_pi = PI_VALUE / 2;
    NAME(fill)(v, out, 0);
    for (int k = -330; k <= 330 && !v->trouble; k++) {
        REAL s = half_pi * MATH(sinh)((REAL)k * h), ds = half_pi * MATH(cosh)((REAL)k * h), at,
             weight;
        if (MATH(fabs)(hi) < (REAL)1e300) {
            at = (lo + hi) / 2 + (hi - lo) / 2 * MATH(tanh)(s);
            weight = (hi - lo) / 2 * ds / (MATH(cosh)(s) * MATH(cosh)(s));
        } else {
            at = lo + MATH(exp)(s);
            weight = ds * MATH(exp)(s);
        }
        if (!(weight > 0) || !(MATH(fabs)(at) < (REAL)1e300) || at <= lo || at >= hi)
            continue;
        NAME(move)(v, var, at);
        const REAL *f = NAME(value_of)(v, body);
        for (uint32_t p = 0; p < v->points; p++)
            if (f[p] < 0 || f[p] > 0) /* underflowed tails times a huge weight */
                out[p] += h * weight * f[p];
    }
}

/* The words of the counter are those of the kernels; Box and Muller's transform is the C library's. */
static void NAME(draw)(Eval *v, Ref e, REAL *out) {
    const REAL *sample = NAME(value_of)(v, ir_kid(v->ir, e, 0)),
               *entry = NAME(value_of)(v, ir_kid(v->ir, e, 1));
    uint64_t id = ir_id(v->ir, e);
    int64_t s = 0, i = 0;
    for (uint32_t p = 0; p < v->points; p++) {
        int64_t next_s = (int64_t)MATH(llround)(sample[p]),
                next_i = (int64_t)MATH(llround)(entry[p]);
        if (p > 0 && next_s == s && next_i == i) { /* as for most points */
            out[p] = out[p - 1];
            continue;
        }
        s = next_s;
        i = next_i;
        uint32_t word[2];
        pde_draw_words((uint32_t)(id / 2), s, i, word);
        bool odd = i % 2 != 0;
        out[p] = ((REAL)word[odd ? 0 : 1] + (REAL)0.5) * (REAL)0x1p-32;
        if (id % 2 == DRAW_NORMAL) {
            REAL radius = MATH(sqrt)(-2 * MATH(log)(((REAL)word[0] + (REAL)0.5) * (REAL)0x1p-32));
            REAL angle = (REAL)(int32_t)word[1] * (REAL)0x1p-31 * PI_VALUE;
            out[p] = radius * (odd ? MATH(sin)(angle) : MATH(cos)(angle));
        }
    }
}
