/* merge.c: expressions in the form that is cheapest to compute, for code generation only.
 *
 * The IR keeps sums distributed, so that equal terms meet. Here sums over one range that are added with
 * constant coefficients become one sum again, and common factors of a summand are taken out:
 *     4 sum_i a_i - 4 sum_i b_i = 4 sum_i (a_i - b_i),    c_i a_i + c_i b_i = c_i (a_i + b_i).
 * Nothing may be built from the result with ir_reduce, which would undo it. */
#include "kernel/merge.h"

#include "ir/ir_internal.h"
#include "kernel/cgen.h"

typedef struct Sums {
    Ref first; /* the sum with the lowest Ref: its coefficient stands outside */
    VEC(Ref) sum;
    VEC(double) coef;
} Sums;

static bool same_range(const Ir *ir, Ref a, Ref b) {
    return ir_kid(ir, a, 0) == ir_kid(ir, b, 0) && ir_kid(ir, a, 1) == ir_kid(ir, b, 1) &&
           ir_id(ir, a) == ir_id(ir, b);
}

/* ---- common factors ---- */

static bool is_factor(const Ir *ir, Ref term, Ref f) {
    if (!ir_is(ir, term, OP_MUL))
        return term == f;
    for (uint32_t k = 0; k < ir_arity(ir, term); k++)
        if (ir_kid(ir, term, k) == f)
            return true;
    return false;
}

static Ref without_factor(Ir *ir, Ref term, Ref f) {
    Ref rest = ir_const(ir, 1);
    for (uint32_t k = 0; ir_is(ir, term, OP_MUL) && k < ir_arity(ir, term); k++)
        if (ir_kid(ir, term, k) != f)
            rest = ir_mul2(ir, rest, ir_kid(ir, term, k));
    return rest;
}

/* The factor that most terms of the sum have, 0 if none has two. */
static Ref commonest_factor(Ir *ir, Ref e) {
    Memo count = {.arena = ir->arena};
    Ref best = 0, most = 1, n;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        Ref term = ir_kid(ir, e, k);
        uint32_t factors = ir_is(ir, term, OP_MUL) ? ir_arity(ir, term) : 1;
        for (uint32_t j = 0; j < factors; j++) {
            Ref f = factors > 1 ? ir_kid(ir, term, j) : term;
            if (ir_is(ir, f, OP_CONST))
                continue;
            n = memo_get(&count, f, 0, &n) ? n + 1 : 1;
            memo_put(&count, f, 0, n);
            if (n > most || (n == most && best && f < best)) {
                best = f;
                most = n;
            }
        }
    }
    return most > 1 ? best : 0;
}

/* A guarded term keeps its factors: they may have no value where the guard is 0. */
static Ref factorise(Ir *ir, Ref e) {
    if (!ir_is(ir, e, OP_ADD) || ir->node.at[e].has_indicator)
        return e;
    Ref f = commonest_factor(ir, e), inside = ir_const(ir, 0), others = inside;
    if (!f)
        return e;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        Ref term = ir_kid(ir, e, k);
        if (is_factor(ir, term, f))
            inside = ir_add2(ir, inside, without_factor(ir, term, f));
        else
            others = ir_add2(ir, others, term);
    }
    return ir_add2(ir, ir_mul2(ir, f, factorise(ir, inside)), factorise(ir, others));
}

/* ---- sums over one range ---- */

static Ref merged(Ir *ir, const Sums *s) {
    Ref body = ir_const(ir, 0);
    double lead = 1;
    for (uint32_t k = 0; k < s->sum.n; k++)
        lead = s->sum.at[k] == s->first ? s->coef.at[k] : lead;
    for (uint32_t k = 0; k < s->sum.n; k++)
        body = ir_add2(
            ir, body, ir_mul2(ir, ir_const(ir, s->coef.at[k] / lead), ir_kid(ir, s->sum.at[k], 2)));
    Ref kids[3] = {ir_kid(ir, s->first, 0), ir_kid(ir, s->first, 1), factorise(ir, body)};
    return ir_mul2(ir, ir_const(ir, lead), ir_intern(ir, OP_SUM, ir_id(ir, s->first), 3, kids));
}

/* The sum that a term is a multiple of; 0: none. */
static Ref sum_of(Ir *ir, Ref term, double *coef) {
    Ref rest;
    *coef = ir_coefficient(ir, term, &rest);
    return ir_is(ir, rest, OP_SUM) ? rest : 0;
}

static Ref merge_terms(Ir *ir, Ref e) {
    VEC(Sums) group = {0};
    Ref total = ir_const(ir, 0);
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        double coef;
        Ref term = ir_kid(ir, e, k), sum = sum_of(ir, term, &coef);
        uint32_t g = 0;
        while (sum && g < group.n && !same_range(ir, group.at[g].first, sum))
            g++;
        if (!sum) {
            total = ir_add2(ir, total, term);
            continue;
        }
        if (g == group.n)
            VEC_PUSH(ir->arena, group, ((Sums){.first = sum}));
        if (sum < group.at[g].first)
            group.at[g].first = sum;
        VEC_PUSH(ir->arena, group.at[g].sum, sum);
        VEC_PUSH(ir->arena, group.at[g].coef, coef);
    }
    for (uint32_t g = 0; g < group.n; g++)
        total = ir_add2(ir, total, merged(ir, &group.at[g]));
    return group.n ? total : e;
}

Ref merge_sums(Ir *ir, Ref e, Memo *memo) {
    Ref done, *kids;
    uint32_t n = ir_arity(ir, e);
    Op op = ir_op(ir, e);
    bool inner = op == OP_ADD || op == OP_MUL || op == OP_POW || op == OP_FUNC || ir_is_binder(op);
    if (n == 0 || !inner)
        return e;
    if (memo_get(memo, e, 0, &done))
        return done;
    kids = NEW_ARRAY(ir->arena, Ref, n);
    bool same = true;
    for (uint32_t k = 0; k < n; k++) {
        kids[k] = merge_sums(ir, ir_kid(ir, e, k), memo);
        same = same && kids[k] == ir_kid(ir, e, k);
    }
    Ref result = same ? e : ir_with_kids(ir, e, kids);
    if (ir_is(ir, result, OP_ADD))
        result = merge_terms(ir, result);
    memo_put(memo, e, 0, result);
    memo_put(memo, result, 0, result);
    return result;
}

/* ---- what the next iteration needs again ---- */

void merge_reachable(const Ir *ir, Ref e, Memo *seen, Refs *functions) {
    Ref done;
    if (ir_arity(ir, e) == 0 || memo_get(seen, e, 0, &done))
        return;
    memo_put(seen, e, 0, 1);
    if (functions && ir_is(ir, e, OP_FUNC))
        VEC_PUSH(ir->arena, functions->at, e);
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (!(ir_is_binder(ir_op(ir, e)) && k == 2))
            merge_reachable(ir, ir_kid(ir, e, k), seen, functions);
}

void merge_carried(Ir *ir, Ref index, uint32_t n, const Ref *body, Refs *now, Refs *next) {
    Memo seen = {.arena = ir->arena};
    Refs functions = {0};
    Ref found, after = ir_add2(ir, index, ir_const(ir, 1));
    for (uint32_t k = 0; k < n; k++)
        merge_reachable(ir, body[k], &seen, &functions);
    for (uint32_t k = 0; k < functions.at.n; k++) {
        Ref e = functions.at.at[k];
        if (!gen_varies(ir, e) || !ir_depends(ir, e, index) || ir_contains(ir, e, OP_TENSOR) ||
            ir_contains(ir, e, OP_SUM) || ir->node.at[e].has_indicator)
            continue;
        Ref later = ir_substitute(ir, e, index, after);
        if (!memo_get(&seen, later, 0, &found))
            continue;
        VEC_PUSH(ir->arena, now->at, e);
        VEC_PUSH(ir->arena, next->at, later);
    }
    /* One further ahead, so that an iteration does not wait for what it computes itself. */
    for (uint32_t k = 0, n_pairs = now->at.n; k < n_pairs; k++) {
        Ref e = next->at.at[k];
        bool kept = false;
        for (uint32_t j = 0; j < n_pairs; j++)
            kept |= now->at.at[j] == e;
        if (kept)
            continue;
        VEC_PUSH(ir->arena, now->at, e);
        VEC_PUSH(ir->arena, next->at, ir_substitute(ir, e, index, after));
    }
    for (uint32_t i = 0; i + 1 < now->at.n;
         i++) /* first those that take what another still holds */
        for (uint32_t j = i + 1; j < now->at.n; j++)
            if (next->at.at[j] == now->at.at[i]) {
                Ref a = now->at.at[i], b = next->at.at[i];
                now->at.at[i] = now->at.at[j], next->at.at[i] = next->at.at[j];
                now->at.at[j] = a, next->at.at[j] = b;
                j = i;
            }
}
