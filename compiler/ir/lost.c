/* lost.c: what a derivative that is taken almost everywhere leaves out.
 *
 * d step(a)/dv is delta(a) da/dv, and func.def has 0 for it: no point sees the delta. With Ir.keep_deltas it
 * stays, as a node that only terms/smooth.c knows:
 *   DIRAC(a), order m:   the m-th derivative of delta on the surface a = 0;
 *   POLE(B^c), order m:  what B^c, derived m + 1 times, may hold where B is 0, a sum of squares, or anything if c
 *                        is no integer: asin(a) has the derivative (1 - a^2)^(-1/2) da. */
#include "base/compilation.h"

#include <assert.h>
#include "ir/ir.h"
#include "ir/ir_internal.h"
#include "ir/lost.h"

static double jump_of(Func f) {
    static const double jumps[] = {
#define F(name, arity, jump, c, da, db) jump,
#include "text/func.def"
    };
    return jumps[f];
}

static Ref lost_node(Ir *ir, Op op, Ref kid, double order) {
    union {
        double number;
        uint64_t id;
    } bits = {.number = order};
    return ir_intern(ir, op, bits.id, 1, &kid);
}

double lost_order(const Ir *ir, Ref e) {
    assert(lost_is(ir, e));
    return ir->node.at[e].payload.number;
}

bool lost_is(const Ir *ir, Ref e) {
    return ir_is(ir, e, OP_DIRAC) || ir_is(ir, e, OP_POLE);
}

/* ---- surfaces ---- */

/* delta on a = 0, times the derivative of a: delta is even, so that a and -a are one surface. */
static Ref surface(Ir *ir, Ref a, Ref v) {
    Ref slope = ir_diff(ir, a, v), other = ir_neg(ir, a);
    if (ir_is_number(ir, slope, 0))
        return slope;
    return ir_mul2(ir, lost_node(ir, OP_DIRAC, other < a ? other : a, 0), slope);
}

/* Functions that pass 0 only where their argument does, upwards. */
static bool is_odd(Func f) {
    switch (f) {
    case FUNC_asin:
    case FUNC_atan:
    case FUNC_sinh:
    case FUNC_tanh:
    case FUNC_expm1:
    case FUNC_log1p:
    case FUNC_erf:
    case FUNC_sign:
        return true;
    default:
        return false;
    }
}

static bool is_odd_number(double c) {
    double half = (c - 1) / 2;
    return half - (double)(int64_t)half <= 0 && half - (double)(int64_t)half >= 0;
}

/* The jump of step(a), derived by v: where a = r^3 * q it lies on r = 0 and on q = 0. */
static Ref crossing(Ir *ir, Ref a, Ref v) {
    double c;
    Op op = ir_op(ir, a);
    if (op == OP_MUL) {
        Ref total = ir_const(ir, 0);
        bool negative = ir_is_const(ir, ir_kid(ir, a, 0), &c) && c < 0;
        for (uint32_t k = 0; k < ir_arity(ir, a); k++)
            total = ir_add2(ir, total, crossing(ir, ir_kid(ir, a, k), v));
        return negative ? ir_neg(ir, total) : total;
    }
    if (op == OP_POW) {
        bool odd = ir_is_const(ir, ir_kid(ir, a, 1), &c) && is_odd_number(c);
        return odd ? crossing(ir, ir_kid(ir, a, 0), v) : ir_const(ir, 0);
    }
    if (op == OP_FUNC && is_odd((Func)ir_id(ir, a)))
        return crossing(ir, ir_kid(ir, a, 0), v);
    return surface(ir, a, v);
}

/* ---- poles ---- */

/* Functions that tell whether their argument goes to plus or to minus infinity. */
bool lost_tells_ends(Func f) {
    switch (f) {
    case FUNC_atan:
    case FUNC_tanh:
    case FUNC_erf:
    case FUNC_erfc:
    case FUNC_exp:
    case FUNC_expm1:
    case FUNC_max:
    case FUNC_min:
        return true;
    default:
        return false;
    }
}

/* The jump of atan(a), or the like, where a changes its sign through infinity: atan(1/x_1) falls from pi/2 to
 * -pi/2 at x_1 = 0, and its derivative, -1/(1 + x_1^2), does not know. Even poles come back on the same side. */
static Ref through_poles(Ir *ir, Ref a, Ref v) {
    double c;
    Ref total = ir_const(ir, 0);
    switch (ir_op(ir, a)) {
    case OP_ADD:
    case OP_MUL:
        for (uint32_t k = 0; k < ir_arity(ir, a); k++)
            total = ir_add2(ir, total, through_poles(ir, ir_kid(ir, a, k), v));
        return total;
    case OP_POW:
        if (!ir_is_const(ir, ir_kid(ir, a, 1), &c) || !is_odd_number(c))
            return total;
        return c < 0 ? crossing(ir, ir_kid(ir, a, 0), v) : through_poles(ir, ir_kid(ir, a, 0), v);
    case OP_FUNC: {
        Func f = (Func)ir_id(ir, a);
        Ref inner = ir_kid(ir, a, 0);
        if (f == FUNC_tan)
            return surface(ir, ir_func(ir, FUNC_cos, 1, &inner), v);
        return f == FUNC_sinh ? through_poles(ir, inner, v) : total;
    }
    case OP_SUM: {
        Ref index, body = ir_open(ir, a, &index);
        return ir_reduce(ir, OP_SUM, index, ir_kid(ir, a, 0), ir_kid(ir, a, 1),
                         through_poles(ir, body, v));
    }
    default:
        return total;
    }
}

bool lost_has_pole(const Ir *ir, Ref e) {
    double c;
    if (ir_is(ir, e, OP_POW) && ir_is_const(ir, ir_kid(ir, e, 1), &c) && c < 0 && is_odd_number(c))
        return true;
    if (ir_is(ir, e, OP_FUNC) && (Func)ir_id(ir, e) == FUNC_tan)
        return true;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (lost_has_pole(ir, ir_kid(ir, e, k)))
            return true;
    return false;
}

/* What a function holds beside its derivative: the delta of its own jump, and those of poles of its arguments. */
static Ref jumps_of(Ir *ir, Ref e, Ref v) {
    Func f = (Func)ir_id(ir, e);
    double jump = jump_of(f);
    Ref total = jump > 0 ? ir_mul2(ir, ir_const(ir, jump), crossing(ir, ir_kid(ir, e, 0), v))
                         : ir_const(ir, 0);
    for (uint32_t k = 0; k < ir_arity(ir, e) && lost_tells_ends(f); k++)
        total = ir_add2(ir, total, through_poles(ir, ir_kid(ir, e, k), v));
    return total;
}

/* ---- ties ---- */

static Ref find_choice(const Ir *ir, Ref e) {
    if (ir_is(ir, e, OP_ARGMAX) || ir_is(ir, e, OP_ARGMIN))
        return e;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        Ref found = find_choice(ir, ir_kid(ir, e, k));
        if (found)
            return found;
    }
    return 0;
}

/* One of the two entries that are largest alike: the same INDEX for every question about this maximum. */
static Ref tied_index(Ir *ir, Ref choice, uint32_t which) {
    assert(which < 2);
    return ir_atom(ir, OP_INDEX, LOST_TIE | ((uint64_t)choice * 2 + which));
}

/* e jumps from its value at entry i to that at entry j where the two are largest alike. */
static Ref tie(Ir *ir, Ref e, Ref v) {
    Ref choice = find_choice(ir, e);
    if (!choice)
        return ir_const(ir, 0);
    Ref entry[2], at[2], jump;
    Span outer =
        ir_enter(ir, choice); /* it is the maximum that has the kink, wherever its index went */
    for (uint32_t k = 0; k < 2; k++) {
        Ref index = tied_index(ir, choice, k);
        entry[k] = ir_open_as(ir, choice, index);
        at[k] = ir_replace(ir, e, choice, index);
    }
    jump = ir_mul2(ir, ir_sub(ir, at[0], at[1]), surface(ir, ir_sub(ir, entry[0], entry[1]), v));
    ir->trail_here = outer;
    return jump;
}

bool lost_at_tie(const Ir *ir, Ref e) {
    if (ir_is(ir, e, OP_INDEX))
        return (ir_id(ir, e) & LOST_TIE) != 0;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (lost_at_tie(ir, ir_kid(ir, e, k)))
            return true;
    return false;
}

/* ---- points ---- */

bool lost_even_power(const Ir *ir, Ref e, double *exponent) {
    return ir_is(ir, e, OP_POW) && ir_is_const(ir, ir_kid(ir, e, 1), exponent) && *exponent >= 2 &&
           *exponent / 2 - (double)(int64_t)(*exponent / 2) <= 0;
}

bool lost_square_sum(const Ir *ir, Ref e) {
    double c;
    uint32_t squares = 0;
    if (lost_even_power(ir, e, &c))
        return true;
    if (ir_is(ir, e, OP_SUM))
        return lost_square_sum(ir, ir_kid(ir, e, 2));
    if (!ir_is(ir, e, OP_ADD) && !ir_is(ir, e, OP_MUL))
        return false;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        squares += lost_square_sum(ir, ir_kid(ir, e, k));
    return ir_is(ir, e, OP_ADD) ? squares == ir_arity(ir, e) : squares > 0;
}

/* What is under a root is nowhere below 0, so where it is 0 it is so as a square is: sqrt(1 - cos(x_1)) has a kink. */
bool lost_is_root(const Ir *ir, Ref e) {
    double c;
    return ir_is(ir, e, OP_POW) && ir_is_const(ir, ir_kid(ir, e, 1), &c) &&
           c - (double)(int64_t)c != 0;
}

static Ref pole(Ir *ir, Ref e, Ref v) {
    Ref base = ir_kid(ir, e, 0);
    double c;
    bool polynomial =
        ir_is_const(ir, ir_kid(ir, e, 1), &c) && c >= 0 && c - (double)(int64_t)c <= 0;
    if (polynomial || !(lost_square_sum(ir, base) || lost_is_root(ir, e)) ||
        ir_is_number(ir, ir_diff(ir, base, v), 0))
        return ir_const(ir, 0);
    return lost_node(ir, OP_POLE, e, 0);
}

/* ---- */

/* Derivatives of what is lost already. */
static Ref further(Ir *ir, Ref e, Ref v) {
    Ref kid = ir_kid(ir, e, 0),
        slope = ir_diff(ir, ir_is(ir, e, OP_POLE) ? ir_kid(ir, kid, 0) : kid, v);
    if (ir_is_number(ir, slope, 0))
        return slope;
    Ref next = lost_node(ir, ir_op(ir, e), kid, lost_order(ir, e) + 1);
    return ir_is(ir, e, OP_POLE) ? next : ir_mul2(ir, next, slope);
}

Ref lost_derivative(Ir *ir, Ref e, Ref v) {
    assert(e > 0 && v > 0);
    switch (ir_op(ir, e)) {
    case OP_FUNC:
        return jumps_of(ir, e, v);
    case OP_POW:
        return pole(ir, e, v);
    case OP_DIRAC:
    case OP_POLE:
        return further(ir, e, v);
    case OP_SPACE:
    case OP_AUX:
    case OP_TENSOR:
    case OP_OUTWARD:
    case OP_DELTA:
    case OP_IN:
    case OP_ARGMAX:
    case OP_ARGMIN:
        return tie(ir, e, v);
    default:
        return ir_const(ir, 0);
    }
}
