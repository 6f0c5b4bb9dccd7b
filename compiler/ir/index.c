/* index.c: index calculus: indicators, reductions over an index, opening and closing binders.
 *
 * Identities used, for a sum over i in lo..hi:
 *   sum (a + b)            = sum a + sum b
 *   sum (f * b_i)          = f * sum b_i                     (f free of i)
 *   sum delta(i - k) b_i   = [lo <= k <= hi] b_k
 *   sum [a <= i+c <= b] b_i = sum over the intersected range
 * A range that starts at a constant is shifted to start at 1, so that the sums which come out of a
 * derivative (x_k and x_{k-1} alike) share their subexpressions and can run in one loop. */
#include <assert.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/ir_internal.h"

Ref ir_fresh_index(Ir *ir) {
    return ir_atom(ir, OP_INDEX, (1u << 31) | ir->next_index++);
}

/* ---- comparing index expressions ---- */

enum { PROOF_DEPTH = 4 };

/* e >= 0 for all dimensions >= 1? Linear forms in dimensions, and in minima and maxima of these: since
 * -min(a, b) >= -a and max(a, b) >= a, it is enough if one of the two will do. */
static bool provably_nonnegative(Ir *ir, Ref e, int depth) {
    double low = 0, c;
    uint32_t n = ir_is(ir, e, OP_ADD) ? ir_arity(ir, e) : 1;
    for (uint32_t k = 0; k < n; k++) {
        Ref term = ir_is(ir, e, OP_ADD) ? ir_kid(ir, e, k) : e, rest;
        c = ir_coefficient(ir, term, &rest);
        if (ir_is_number(ir, rest, 1)) {
            low += c;
        } else if (ir_is(ir, rest, OP_DIM) && c > 0) {
            low += c;
        } else if (ir_is(ir, rest, OP_FUNC) && ir_id(ir, rest) == (c > 0 ? FUNC_max : FUNC_min) &&
                   depth) {
            for (uint32_t side = 0; side < 2; side++) {
                Ref change = ir_mul2(ir, ir_const(ir, c), ir_sub(ir, ir_kid(ir, rest, side), rest));
                if (provably_nonnegative(ir, ir_add2(ir, e, change), depth - 1))
                    return true;
            }
            return false;
        } else {
            return false;
        }
    }
    return low >= 0;
}

bool ir_provably_le(Ir *ir, Ref a, Ref b) {
    return provably_nonnegative(ir, ir_sub(ir, b, a), PROOF_DEPTH);
}

Ref ir_int_max(Ir *ir, Ref a, Ref b) {
    if (ir_provably_le(ir, a, b))
        return b;
    if (ir_provably_le(ir, b, a))
        return a;
    return ir_func(ir, FUNC_max, 2, a < b ? (Ref[]){a, b} : (Ref[]){b, a});
}

Ref ir_int_min(Ir *ir, Ref a, Ref b) {
    if (ir_provably_le(ir, a, b))
        return a;
    if (ir_provably_le(ir, b, a))
        return b;
    return ir_func(ir, FUNC_min, 2, a < b ? (Ref[]){a, b} : (Ref[]){b, a});
}

bool ir_solve_index(Ir *ir, Ref e, Ref index, Ref *solution) {
    assert(ir_is(ir, index, OP_INDEX) && solution);
    uint32_t n = ir_is(ir, e, OP_ADD) ? ir_arity(ir, e) : 1;
    double c = 0;
    for (uint32_t k = 0; k < n; k++) {
        Ref term = ir_is(ir, e, OP_ADD) ? ir_kid(ir, e, k) : e, rest;
        double own = ir_coefficient(ir, term, &rest);
        if (rest == index)
            c += own;
        else if (ir_depends(ir, rest, index))
            return false;
    }
    if ((c < 1 || c > 1) && (c < -1 || c > -1))
        return false;
    /* c * index + rest = 0: index = -rest / c = index - e / c */
    *solution = ir_sub(ir, index, c > 0 ? e : ir_neg(ir, e));
    return true;
}

/* ---- indicators ---- */

Ref ir_delta(Ir *ir, Ref a, Ref b) {
    Ref e = ir_sub(ir, a, b), one = ir_const(ir, 1), negative = ir_neg(ir, e);
    double v;
    if (ir_is_const(ir, e, &v))
        return ir_const(ir, v >= 0 && v <= 0);
    if (ir_provably_le(ir, one, e) || ir_provably_le(ir, one, negative))
        return ir_const(ir, 0);                                          /* never equal */
    return ir_intern(ir, OP_DELTA, 0, 1, negative < e ? &negative : &e); /* delta is even */
}

Ref ir_in(Ir *ir, Ref e, Ref lo, Ref hi) {
    bool above = ir_provably_le(ir, lo, e), below = ir_provably_le(ir, e, hi);
    if (above && below)
        return ir_const(ir, 1);
    Ref one = ir_const(ir, 1);
    if (ir_provably_le(ir, ir_add2(ir, e, one), lo) ||
        ir_provably_le(ir, ir_add2(ir, hi, one), e) || ir_provably_le(ir, ir_add2(ir, hi, one), lo))
        return ir_const(ir, 0);
    return ir_intern(ir, OP_IN, 0, 3, (Ref[]){e, lo, hi});
}

/* ---- opening and closing ---- */

/* Replaces one atom by another everywhere, binders staying closed: levels do not change. */
static Ref rename_atom(Ir *ir, Ref e, Ref from, Ref to, Memo *memo) {
    if (e == from)
        return to;
    uint32_t n = ir_arity(ir, e);
    Ref done;
    if (n == 0)
        return e;
    if (memo_get(memo, e, 0, &done))
        return done;
    Span outer = ir_enter(ir, e);
    Ref *kids = NEW_ARRAY(ir->arena, Ref, n);
    bool same = true;
    for (uint32_t k = 0; k < n; k++) {
        kids[k] = rename_atom(ir, ir_kid(ir, e, k), from, to, memo);
        same = same && kids[k] == ir_kid(ir, e, k);
    }
    Ref result = same ? e : ir_with_kids(ir, e, kids);
    ir->trail_here = outer;
    memo_put(memo, e, 0, result);
    return result;
}

Ref ir_open_as(Ir *ir, Ref binder, Ref index) {
    assert(ir_is_binder(ir_op(ir, binder)));
    Memo memo = {.arena = ir->arena};
    Ref bound = ir_atom(ir, OP_BOUND, ir_id(ir, binder));
    return rename_atom(ir, ir_kid(ir, binder, 2), bound, index, &memo);
}

Ref ir_open(Ir *ir, Ref binder, Ref *index) {
    assert(ir_is_binder(ir_op(ir, binder)) && index);
    Ref body;
    *index = ir_atom(ir, OP_INDEX, binder);
    if (memo_get(ir->open_memo, binder, 0, &body))
        return body;
    body = ir_open_as(ir, binder, *index);
    memo_put(ir->open_memo, binder, 0, body);
    return body;
}

Ref ir_open_avoiding(Ir *ir, Ref binder, Ref avoid, Ref *index) {
    Ref own = ir_atom(ir, OP_INDEX, binder);
    if (!ir_depends(ir, avoid, own))
        return ir_open(ir, binder, index);
    *index = ir_fresh_index(ir);
    return ir_open_as(ir, binder, *index);
}

static Ref close_binder(Ir *ir, Op op, Ref index, Ref lo, Ref hi, Ref body, uint32_t n_except,
                        const Ref *except) {
    assert(ir_is(ir, index, OP_INDEX));
    Memo memo = {.arena = ir->arena};
    uint32_t level = ir->node.at[body].level + 1u;
    if (level > LIMIT_BINDER_LEVEL || n_except + 3 > LIMIT_KIDS)
        arena_fail(ir->arena, ARENA_FAIL_LIMIT);
    Ref kids[LIMIT_KIDS] = {lo, hi,
                            rename_atom(ir, body, index, ir_atom(ir, OP_BOUND, level), &memo)};
    if (n_except)
        memcpy(kids + 3, except, n_except * sizeof *kids);
    return ir_intern(ir, op, level, 3 + n_except, kids);
}

static Ref substitute(Ir *ir, Ref e, Ref from, Ref to, Memo *memo) {
    if (e == from)
        return to;
    Ref done;
    if (!ir_depends(ir, e, from))
        return e;
    if (memo_get(memo, e, 0, &done))
        return done;
    uint32_t n = ir_arity(ir, e);
    Ref *kids = NEW_ARRAY(ir->arena, Ref, n + 1), result;
    Span outer = ir_enter(ir, e);
    if (ir_is_binder(ir_op(ir, e))) {
        Ref index, body = ir_open_avoiding(ir, e, to, &index);
        for (uint32_t k = 0; k < n; k++)
            kids[k] = substitute(ir, k == 2 ? body : ir_kid(ir, e, k), from, to, memo);
        result =
            ir_reduce_except(ir, ir_op(ir, e), index, kids[0], kids[1], kids[2], n - 3, kids + 3);
    } else {
        for (uint32_t k = 0; k < n; k++)
            kids[k] = substitute(ir, ir_kid(ir, e, k), from, to, memo);
        result = ir_with_kids(ir, e, kids);
    }
    ir->trail_here = outer;
    memo_put(memo, e, 0, result);
    return result;
}

Ref ir_substitute(Ir *ir, Ref e, Ref from, Ref to) {
    assert(from > 0 && to > 0);
    Memo memo = {.arena = ir->arena};
    return substitute(ir, e, from, to, &memo);
}

/* ---- sums ---- */

/* Must this sum (a factor under a sum over index) be multiplied out? Yes if an indicator of the
 * index hides in it, or if it couples the index to another one that could be summed apart. */
static bool wants_expansion(Ir *ir, Ref factor, Ref index) {
    double e;
    if (ir_is(ir, factor, OP_POW) && ir_is_const(ir, ir_kid(ir, factor, 1), &e) && e >= 2 &&
        e <= 4 && e - (int)e <= 0)
        factor = ir_kid(ir, factor, 0);
    if (!ir_is(ir, factor, OP_ADD) || !ir_depends(ir, factor, index))
        return false;
    bool apart = false, indicator = false;
    for (uint32_t k = 0; k < ir_arity(ir, factor); k++) {
        Ref term = ir_kid(ir, factor, k);
        if (!ir_depends(ir, term, index))
            apart |= ir->node.at[term].has_index;
        else
            indicator |= ir->node.at[term].has_indicator;
    }
    return apart || indicator;
}

/* The product of all factors with the chosen one written out as a sum; 0 if it is too long. */
static Ref expand_factor(Ir *ir, uint32_t n, const Ref *factors, uint32_t chosen) {
    Ref sum = factors[chosen], rest;
    double e = 1;
    if (ir_is(ir, sum, OP_POW)) {
        ir_is_const(ir, ir_kid(ir, sum, 1), &e);
        sum = ir_kid(ir, sum, 0);
    }
    uint32_t terms = ir_arity(ir, sum);
    if (terms > LIMIT_EXPANSION)
        return 0;
    rest = ir_powi(ir, sum, (int)e - 1);
    Ref *out = NEW_ARRAY(ir->arena, Ref, terms), *product = NEW_ARRAY(ir->arena, Ref, n + 1);
    for (uint32_t k = 0; k < terms; k++) {
        memcpy(product, factors, n * sizeof *product);
        product[chosen] = ir_kid(ir, sum, k);
        product[n] = rest;
        out[k] = ir_mul(ir, n + 1, product);
    }
    return ir_add(ir, terms, out);
}

/* Narrows lo..hi by [from <= e <= to] where one of the three moves with the index. Returns what is
 * left of the condition (1 if nothing), or 0 if it cannot be used. */
static Ref narrow(Ir *ir, Ref condition, Ref index, Ref *lo, Ref *hi) {
    Ref e = ir_kid(ir, condition, 0), from = ir_kid(ir, condition, 1),
        to = ir_kid(ir, condition, 2);
    bool me = ir_depends(ir, e, index), mf = ir_depends(ir, from, index),
         mt = ir_depends(ir, to, index);
    Ref one = ir_const(ir, 1), at;
    bool above = mf && ir_provably_le(ir, from, e), below = mt && ir_provably_le(ir, e, to);
    if (me && (!mf || above) && (!mt || below) && ir_solve_index(ir, e, index, &at)) {
        Ref slope = ir_sub(ir, e, index); /* e = index + c: free of the index exactly then */
        if (ir_depends(ir, slope, index))
            return 0;
        if (!above)
            *lo = ir_int_max(ir, *lo, ir_sub(ir, from, slope));
        if (!below)
            *hi = ir_int_min(ir, *hi, ir_sub(ir, to, slope));
        return one;
    }
    if (!me && mf && !mt) { /* index + c <= e */
        Ref c = ir_sub(ir, from, index);
        if (ir_depends(ir, c, index))
            return 0;
        *hi = ir_int_min(ir, *hi, ir_sub(ir, e, c));
        return ir_in(ir, e, e, to);
    }
    if (!me && !mf && mt) { /* e <= index + c */
        Ref c = ir_sub(ir, to, index);
        if (ir_depends(ir, c, index))
            return 0;
        *lo = ir_int_max(ir, *lo, ir_sub(ir, e, c));
        return ir_in(ir, e, from, e);
    }
    return 0;
}

static Ref sum_of(Ir *ir, Ref index, Ref lo, Ref hi, Ref body);

static Ref sum_terms(Ir *ir, Ref index, Ref lo, Ref hi, Ref sum) {
    uint32_t n = ir_arity(ir, sum);
    Ref *terms = NEW_ARRAY(ir->arena, Ref, n);
    for (uint32_t k = 0; k < n; k++)
        terms[k] = sum_of(ir, index, lo, hi, ir_kid(ir, sum, k));
    return ir_add(ir, n, terms);
}

static Ref number_of_values(Ir *ir, Ref lo, Ref hi) {
    Ref one = ir_const(ir, 1);
    return ir_int_max(ir, ir_const(ir, 0), ir_add2(ir, ir_sub(ir, hi, lo), one));
}

/* The sum of a product whose factors all depend on the index. */
static Ref sum_product(Ir *ir, Ref index, Ref lo, Ref hi, uint32_t n, Ref *factor) {
    Ref at;
    for (uint32_t k = 0; k < n; k++) {
        if (ir_is(ir, factor[k], OP_DELTA) &&
            ir_solve_index(ir, ir_kid(ir, factor[k], 0), index, &at)) {
            Ref inside = ir_in(ir, at, lo, hi);
            factor[k] = ir_const(ir, 1);
            return ir_mul2(ir, inside, ir_substitute(ir, ir_mul(ir, n, factor), index, at));
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!wants_expansion(ir, factor[k], index))
            continue;
        Ref expanded = expand_factor(ir, n, factor, k);
        if (expanded)
            return sum_of(ir, index, lo, hi, expanded);
    }
    for (uint32_t k = 0; k < n; k++) {
        Ref left;
        if (ir_is(ir, factor[k], OP_IN) && (left = narrow(ir, factor[k], index, &lo, &hi)) != 0) {
            factor[k] = left;
            return sum_of(ir, index, lo, hi, ir_mul(ir, n, factor));
        }
    }
    Ref body = ir_mul(ir, n, factor), one = ir_const(ir, 1);
    double start;
    if (ir_is_const(ir, lo, &start) && (start < 1 || start > 1)) {
        Ref shift = ir_const(ir, start - 1);
        body = ir_substitute(ir, body, index, ir_add2(ir, index, shift));
        return sum_of(ir, index, one, ir_sub(ir, hi, shift), body);
    }
    return close_binder(ir, OP_SUM, index, lo, hi, body, 0, NULL);
}

static Ref sum_of(Ir *ir, Ref index, Ref lo, Ref hi, Ref body) {
    Ref one = ir_const(ir, 1);
    if (ir_is_number(ir, body, 0) || ir_provably_le(ir, ir_add2(ir, hi, one), lo))
        return ir_const(ir, 0);
    if (ir_is(ir, body, OP_ADD))
        return sum_terms(ir, index, lo, hi, body);
    if (!ir_depends(ir, body, index))
        return ir_mul2(ir, number_of_values(ir, lo, hi), body);
    if (lo == hi)
        return ir_substitute(ir, body, index, lo);
    uint32_t n = ir_is(ir, body, OP_MUL) ? ir_arity(ir, body) : 1, inside = 0, outside = 0;
    Ref *in = NEW_ARRAY(ir->arena, Ref, n + 1), *out = NEW_ARRAY(ir->arena, Ref, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        Ref factor = n == 1 ? body : ir_kid(ir, body, k);
        if (ir_depends(ir, factor, index))
            in[inside++] = factor;
        else
            out[outside++] = factor;
    }
    /* a sum that was left alone when its factors went out is distributed as it would have been without them */
    bool alone = outside && inside == 1 && ir_is(ir, in[0], OP_ADD);
    Ref sum =
        alone ? sum_terms(ir, index, lo, hi, in[0]) : sum_product(ir, index, lo, hi, inside, in);
    if (outside == 0)
        return sum;
    out[outside++] = sum;
    return ir_mul(ir, outside, out);
}

Ref ir_reduce_except(Ir *ir, Op op, Ref index, Ref lo, Ref hi, Ref body, uint32_t n_except,
                     const Ref *except) {
    assert(lo > 0 && hi > 0 && body > 0);
    if (op == OP_SUM)
        return sum_of(ir, index, lo, hi, body);
    if (op == OP_PROD && n_except == 0 && !ir_depends(ir, body, index))
        return ir_pow(ir, body, number_of_values(ir, lo, hi));
    if ((op == OP_MAX || op == OP_MIN) && !ir_depends(ir, body, index) &&
        ir_provably_le(ir, lo, hi))
        return body;
    return close_binder(ir, op, index, lo, hi, body, n_except, except);
}

Ref ir_reduce(Ir *ir, Op op, Ref index, Ref lo, Ref hi, Ref body) {
    return ir_reduce_except(ir, op, index, lo, hi, body, 0, NULL);
}

/* ---- writing out products ---- */

static Ref expand_once(Ir *ir, Ref e) {
    uint32_t n = ir_arity(ir, e);
    Ref *factors = NEW_ARRAY(ir->arena, Ref, n + 1);
    for (uint32_t k = 0; k < n; k++)
        factors[k] = ir_kid(ir, e, k);
    for (uint32_t k = 0; k < n; k++) {
        Ref f = factors[k];
        double p = 1;
        if (ir_is(ir, f, OP_POW) && ir_is_const(ir, ir_kid(ir, f, 1), &p) && p >= 2 && p <= 4 &&
            p - (int)p <= 0)
            f = ir_kid(ir, f, 0);
        if (ir_is(ir, f, OP_ADD) && ir_has_net(ir, f)) {
            Ref expanded = expand_factor(ir, n, factors, k);
            if (expanded)
                return expanded;
        }
    }
    return e;
}

Ref ir_expand(Ir *ir, Ref e) {
    for (uint32_t round = 0; round < LIMIT_EXPANSION; round++) {
        uint32_t n = ir_is(ir, e, OP_ADD) ? ir_arity(ir, e) : 1;
        Ref *terms = NEW_ARRAY(ir->arena, Ref, n);
        bool same = true;
        for (uint32_t k = 0; k < n; k++) {
            Ref term = ir_is(ir, e, OP_ADD) ? ir_kid(ir, e, k) : e;
            terms[k] = ir_is(ir, term, OP_MUL) ? expand_once(ir, term) : term;
            same = same && terms[k] == term;
        }
        if (same)
            return e;
        e = ir_add(ir, n, terms);
    }
    return e;
}
