/* diff.c: exact partial derivatives of anything, memoised over the DAG.
 *
 * d x_e / d x_k is the Kronecker delta of e and k; index.c eliminates it in the enclosing sum, so the
 * derivative of sum_i f(x_i, x_{i+1}) by x_k has two terms, not d. */
#include "base/compilation.h"

#include <assert.h>
#include "base/limits.h"
#include "ir/ir.h"
#include "ir/ir_internal.h"
#include "ir/lost.h"
#include "ir/problem.h"
#include "ir/tangent.h"

#define NUM(v) ir_const(ir, v)
#define PI_ ir_atom(ir, OP_PI, 0)
#define ADD(a, b) ir_add2(ir, a, b)
#define SUB(a, b) ir_sub(ir, a, b)
#define MUL(a, b) ir_mul2(ir, a, b)
#define POW(a, b) ir_pow(ir, a, b)
#define NEG(a) ir_neg(ir, a)
#define FN(name, a) ir_func(ir, FUNC_##name, 1, (Ref[]){a})

/* The derivative of a function by its argument number `which`, from func.def. */
static Ref function_derivative(Ir *ir, Func f, Ref SELF, Ref A, Ref B, uint32_t which) {
    switch (f) {
#define F(name, arity, jump, c, da, db)                                                            \
    case FUNC_##name:                                                                              \
        return which == 0 ? (da) : (db);
#include "text/func.def"
    case FUNC_COUNT:
        break;
    }
    (void)SELF, (void)B;
    return NUM(0);
}

static Ref diff_func(Ir *ir, Ref e, Ref v) {
    uint32_t n = ir_arity(ir, e);
    Ref a = ir_kid(ir, e, 0), b = n > 1 ? ir_kid(ir, e, 1) : 0, total = NUM(0);
    for (uint32_t k = 0; k < n; k++) {
        Ref inner = ir_diff(ir, ir_kid(ir, e, k), v);
        if (!ir_is_number(ir, inner, 0))
            total = ADD(total, MUL(function_derivative(ir, (Func)ir_id(ir, e), e, a, b, k), inner));
    }
    return total;
}

static Ref diff_mul(Ir *ir, Ref e, Ref v) {
    uint32_t n = ir_arity(ir, e);
    Ref *factors = NEW_ARRAY(ir->arena, Ref, n), *terms = NEW_ARRAY(ir->arena, Ref, n);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t m = 0; m < n; m++)
            factors[m] = ir_kid(ir, e, m);
        factors[k] = ir_diff(ir, factors[k], v);
        terms[k] = ir_mul(ir, n, factors);
    }
    return ir_add(ir, n, terms);
}

static Ref diff_pow(Ir *ir, Ref e, Ref v) {
    Ref base = ir_kid(ir, e, 0), exponent = ir_kid(ir, e, 1);
    Ref db = ir_diff(ir, base, v), de = ir_diff(ir, exponent, v);
    Ref by_base = MUL(MUL(exponent, POW(base, SUB(exponent, NUM(1)))), db);
    if (ir_is_number(ir, de, 0))
        return by_base;
    return ADD(by_base, MUL(MUL(e, FN(log, base)), de));
}

/* d prod_i f_i = sum_i f_i' prod_{j != i} f_j: no division, so zeros are harmless. */
static Ref diff_prod(Ir *ir, Ref e, Ref v) {
    Ref index, body = ir_open_avoiding(ir, e, v, &index), inner = ir_diff(ir, body, v);
    uint32_t n = ir_arity(ir, e);
    if (n - 3 + 1 > LIMIT_KIDS - 3)
        arena_fail(ir->arena, ARENA_FAIL_LIMIT);
    Ref except[LIMIT_KIDS], lo = ir_kid(ir, e, 0), hi = ir_kid(ir, e, 1);
    for (uint32_t k = 3; k < n; k++) {
        except[k - 3] = ir_kid(ir, e, k);
        inner = MUL(inner, SUB(NUM(1), ir_delta(ir, index, ir_kid(ir, e, k))));
    }
    except[n - 3] = index;
    Ref other = ir_fresh_index(ir);
    Ref rest =
        ir_reduce_except(ir, OP_PROD, other, lo, hi, ir_open_as(ir, e, other), n - 2, except);
    return ir_reduce(ir, OP_SUM, index, lo, hi, MUL(inner, rest));
}

static Ref diff_extremum(Ir *ir, Ref e, Ref v) {
    Ref index, body = ir_open_avoiding(ir, e, v, &index), inner = ir_diff(ir, body, v);
    Op where = ir_is(ir, e, OP_MAX) ? OP_ARGMAX : OP_ARGMIN;
    Ref at = ir_reduce(ir, where, index, ir_kid(ir, e, 0), ir_kid(ir, e, 1), body);
    return ir_substitute(ir, inner, index, at);
}

static bool field_depends(Ir *ir, Ref e, Ref v) {
    const Problem *p = ir->c->problem;
    if (!ir_is(ir, v, OP_SPACE) && !ir_is(ir, v, OP_TIME))
        return false;
    if (!p || ir_id(ir, e) >= p->field.n || p->field.at[ir_id(ir, e)].on == problem_variables(p))
        return true;
    return (problem_variables_of(ir, v) & p->field.at[ir_id(ir, e)].on) != 0;
}

static Ref with_variable(Ir *ir, Ref e, Ref v) {
    uint32_t n = ir_arity(ir, e);
    if (n + 1 > LIMIT_DERIVATIVE_ORDER)
        arena_fail(ir->arena, ARENA_FAIL_LIMIT);
    Ref kids[LIMIT_KIDS];
    for (uint32_t k = 0; k < n; k++)
        kids[k] = ir_kid(ir, e, k);
    kids[n] = v;
    return ir_indexed(ir, ir_op(ir, e), ir_id(ir, e), n + 1, kids);
}

/* The chain rule through the features: d net/dv = sum over inputs a of d net/da * da/dv. */
static Ref diff_through_features(Ir *ir, Ref e, Ref v) {
    Ref total = NUM(0);
    for (uint32_t f = 0; f < ir->features->at.n; f++) {
        const Feature *feature = &ir->features->at.at[f];
        if (!feature->index) {
            Ref input = ir_indexed(ir, OP_INPUT, f, 0, NULL);
            total = ADD(total, MUL(ir_diff(ir, feature->value, v), with_variable(ir, e, input)));
            continue;
        }
        Ref m = ir_fresh_index(ir), input = ir_indexed(ir, OP_INPUT, f, 1, &m);
        Ref slope = ir_diff(ir, ir_substitute(ir, feature->value, feature->index, m), v);
        Ref term = MUL(slope, with_variable(ir, e, input));
        total = ADD(total, ir_reduce(ir, OP_SUM, m, NUM(1), ir->c->problem->d, term));
    }
    return total;
}

static Ref diff_field(Ir *ir, Ref e, Ref v) {
    if (ir_is(ir, v, OP_FIELD) || ir_is(ir, v, OP_NET))
        return NUM(e == v); /* the atom itself is the variable: for linearity and for seeds */
    if (!field_depends(ir, e, v))
        return NUM(0);
    bool net = ir_is(ir, e, OP_NET);
    if (net && ir->features && ir->features->wide)
        return tangent_diff(ir, e, v);
    if (net && ir->linear_net && ir_arity(ir, e) > 0)
        return NUM(0); /* its slopes are constants */
    if (net && ir->features)
        return diff_through_features(ir, e, v);
    return with_variable(ir, e, v);
}

static Ref derive(Ir *ir, Ref e, Ref v) {
    switch (ir_op(ir, e)) {
    case OP_CONST:
    case OP_PI:
    case OP_DIM:
    case OP_TENSOR:
    case OP_OUTWARD:
    case OP_SOURCE:
    case OP_DRAW:
    case OP_INPUT:
    case OP_TANGENT:
    case OP_INDEX:
    case OP_BOUND:
    case OP_DELTA:
    case OP_IN:
    case OP_ARGMAX:
    case OP_ARGMIN:
    case OP_DIRAC:
    case OP_POLE:
        return NUM(0);
    case OP_PARAM:
    case OP_UNKNOWN:
    case OP_TIME:
        return NUM(e == v);
    case OP_SPACE:
        return ir_is(ir, v, OP_SPACE) ? ir_delta(ir, ir_kid(ir, e, 0), ir_kid(ir, v, 0)) : NUM(0);
    case OP_AUX:
        return NUM(e == v);
    case OP_FIELD:
    case OP_NET:
        return diff_field(ir, e, v);
    case OP_ADD: {
        uint32_t n = ir_arity(ir, e);
        Ref *terms = NEW_ARRAY(ir->arena, Ref, n);
        for (uint32_t k = 0; k < n; k++)
            terms[k] = ir_diff(ir, ir_kid(ir, e, k), v);
        return ir_add(ir, n, terms);
    }
    case OP_MUL:
        return diff_mul(ir, e, v);
    case OP_POW:
        return diff_pow(ir, e, v);
    case OP_FUNC:
        return diff_func(ir, e, v);
    case OP_SUM:
    case OP_INTEGRAL: {
        Ref index, body = ir_open_avoiding(ir, e, v, &index);
        return ir_reduce(ir, ir_op(ir, e), index, ir_kid(ir, e, 0), ir_kid(ir, e, 1),
                         ir_diff(ir, body, v));
    }
    case OP_PROD:
        return diff_prod(ir, e, v);
    case OP_MAX:
    case OP_MIN:
        return diff_extremum(ir, e, v);
    case OP_EXPECT: {
        Ref inner = ir_diff(ir, ir_kid(ir, e, 0), v);
        return ir_with_kids(ir, e, &inner);
    }

    case OP_COUNT:
        break;
    }
    return NUM(0);
}

Ref ir_diff(Ir *ir, Ref e, Ref variable) {
    assert(e > 0 && variable > 0);
    Ref done;
    if (memo_get(ir->diff_memo, e, variable, &done))
        return done;
    Span outer = ir_enter(ir, e);
    done = derive(ir, e, variable);
    if (ir->keep_deltas)
        done = ADD(done, lost_derivative(ir, e, variable));
    ir->trail_here = outer;
    memo_put(ir->diff_memo, e, variable, done);
    return done;
}

typedef struct Replacement {
    Op op;
    uint32_t n;
    const Ref *value;
} Replacement;

static Ref replace_field(Ir *ir, Ref e, void *context) {
    const Replacement *r = context;
    if (!ir_has_net(ir, e))
        return e;
    if (!ir_is(ir, e, r->op) || ir_id(ir, e) >= r->n || !r->value[ir_id(ir, e)])
        return 0;
    Ref value = r->value[ir_id(ir, e)];
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        value = ir_diff(ir, value, ir_kid(ir, e, k));
    return value;
}

Ref ir_replace_fields(Ir *ir, Ref e, Op field_or_net, uint32_t n, const Ref *value) {
    assert(field_or_net == OP_FIELD || field_or_net == OP_NET);
    Replacement r = {field_or_net, n, value};
    return ir_rewrite(ir, e, replace_field, &r);
}

typedef struct Put {
    Ref from, to;
} Put;

static Ref put_node(Ir *ir, Ref e, void *context) {
    (void)ir;
    const Put *put = context;
    return e == put->from ? put->to : 0;
}

Ref ir_replace(Ir *ir, Ref e, Ref from, Ref to) {
    assert(from > 0 && to > 0);
    Put put = {from, to};
    return ir_rewrite(ir, e, put_node, &put);
}
