/* vanish.c: see vanish.h.
 *
 * The place of the delta is solved for one variable, which becomes (s - rest) / factor, or c + s y at a point of
 * many coordinates. The order of the factor in s is then counted from its form, never too high: x^2 * abs(x) has
 * order 3. The m-th derivative of a delta is nothing beside order m + 1. What B^c, a power of a sum of n squares,
 * holds where they vanish after k derivatives is nothing if 2 c - k + n > 0: then it is a function that can be
 * integrated, and homogeneous of another degree than a delta (Hormander, Linear Partial Differential Operators I,
 * section 3.2). */
#include "terms/vanish.h"

#include <math.h>

#include "base/compilation.h"
#include "base/limits.h"
#include "eval/touch.h"
#include "ir/lost.h"

enum { ROOTS = 16 };
static const double ROUNDING = 1e-12;
static const double LOGARITHM = -1e-3; /* the order of log(s): below every power */

/* A variable and what it is near the place. */
typedef struct Root {
    Ref variable, to;
    Ref index, lo, hi; /* of a sum of squares: to holds for every entry of lo..hi */
} Root;

typedef struct Zeros {
    Ir *ir;
    Ref s;
    Root root[ROOTS];
    uint32_t n;
    double codimension, degree; /* of a POLE: number of squares, and their exponent */
    double sums;                /* of squares, over all entries */
    Ref last;                   /* entry of them */
} Zeros;

/* ---- solving for a variable ---- */

static bool occurs(const Ir *ir, Ref e, Ref node, Memo *seen) {
    Ref before;
    if (e == node)
        return true;
    if (e < node || memo_get(seen, e, 0, &before)) /* kids are older than what holds them */
        return false;
    memo_put(seen, e, 0, 1);
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (occurs(ir, ir_kid(ir, e, k), node, seen))
            return true;
    return false;
}

static bool is_variable(const Ir *ir, Ref e) {
    return ir_has_net(ir, e) || ir_contains(ir, e, OP_SPACE) || ir_contains(ir, e, OP_TIME) ||
           ir_contains(ir, e, OP_AUX);
}

static bool is_atom(const Ir *ir, Ref e) {
    Op op = ir_op(ir, e);
    return op == OP_SPACE || op == OP_TIME || op == OP_AUX || op == OP_FIELD || op == OP_NET;
}

/* z = factor * variable + rest, the variable nowhere else; a coordinate if there is one. */
static bool solve(Ir *ir, Ref z, Ref *variable, Ref *factor, Ref *rest) {
    uint32_t n = ir_is(ir, z, OP_ADD) ? ir_arity(ir, z) : 1;
    bool found = false;
    for (uint32_t k = 0; k < n; k++) {
        Ref term = n > 1 ? ir_kid(ir, z, k) : z;
        uint32_t m = ir_is(ir, term, OP_MUL) ? ir_arity(ir, term) : 1;
        for (uint32_t j = 0; j < m; j++) {
            Ref f = m > 1 ? ir_kid(ir, term, j) : term;
            if (!is_variable(ir, f) || (found && !is_atom(ir, f)))
                continue;
            Ref others = ir_sub(ir, z, term), cofactor = ir_div(ir, term, f);
            Memo seen = {.arena = ir->arena};
            if (occurs(ir, others, f, &seen) || occurs(ir, cofactor, f, &seen))
                continue;
            *variable = f;
            *factor = cofactor;
            *rest = others;
            if (is_atom(ir, f))
                return true;
            found = true;
        }
    }
    return found;
}

static void add_root(Zeros *p, Root root) {
    if (p->n < ROOTS)
        p->root[p->n++] = root;
}

/* Near z = 0 z is `value`: s, or s times a direction. */
static void add_zero(Zeros *p, Ref z, Ref value, Root range) {
    Ir *ir = p->ir;
    Ref variable, factor, rest;
    double c;
    if (!solve(ir, z, &variable, &factor, &rest)) {
        range.variable = z;
        range.to = value;
        add_root(p, range);
        return;
    }
    range.variable = variable;
    range.to = ir_div(ir, ir_sub(ir, value, rest), factor);
    add_root(p, range);
    if (ir_is(ir, variable, OP_POW) && ir_is_const(ir, ir_kid(ir, variable, 1), &c)) {
        range.variable = ir_kid(ir, variable, 0);
        range.to = ir_pow(ir, range.to, ir_const(ir, 1 / c));
        add_root(p, range);
    }
}

/* ---- sums of squares ---- */

static double count_of(const Vanish *v, Ref lo, Ref hi) {
    return bounds_of(&v->bounds[0], ir_sub(v->c->ir, hi, lo)).lo + 1;
}

static Ref put_root(Ir *ir, Ref e, void *context);

/* Is z 0 already where what was added before is? Then it is no further condition: x^2 + x^4 vanishes on a plane. */
static bool follows(const Zeros *p, Ref z) {
    Ir *ir = p->ir;
    Ref near = ir_rewrite(ir, z, put_root, (void *)(uintptr_t)p);
    return p->n > 0 && ir_is_number(ir, ir_substitute(ir, near, p->s, ir_const(ir, 0)), 0);
}

static void add_squares(const Vanish *v, Zeros *p, Ref e, Root range) {
    Ir *ir = p->ir;
    double q;
    if (lost_even_power(ir, e, &q)) {
        Ref z = ir_kid(ir, e, 0);
        if (!is_variable(ir, z))
            return;
        if (follows(p, z)) {
            p->degree = fmin(p->degree, q);
            return;
        }
        Ref y = ir_indexed(ir, OP_AUX, (1u << 30) + p->n, range.index ? 1 : 0, &range.index);
        add_zero(p, z, ir_mul2(ir, p->s, y), range);
        p->codimension += range.index ? count_of(v, range.lo, range.hi) : 1;
        p->degree = fmin(p->degree, q);
        p->sums += range.index != 0;
        p->last = range.index ? range.hi : p->last;
    } else if (ir_is(ir, e, OP_SUM)) {
        range.lo = ir_kid(ir, e, 0);
        range.hi = ir_kid(ir, e, 1);
        Ref body = ir_open(ir, e, &range.index);
        add_squares(v, p, body, range);
    } else if (ir_is(ir, e, OP_ADD)) {
        for (uint32_t k = 0; k < ir_arity(ir, e); k++)
            add_squares(v, p, ir_kid(ir, e, k), range);
    } else if (ir_is(ir, e, OP_MUL)) { /* a factor that vanishes is enough */
        uint32_t before = p->n;
        for (uint32_t k = 0; k < ir_arity(ir, e) && p->n == before; k++)
            add_squares(v, p, ir_kid(ir, e, k), range);
    }
}

/* ---- putting the place in ---- */

static bool in_range(Ir *ir, const Root *r, Ref k) {
    double at, first;
    if (!ir_is_const(ir, k, &at) || !ir_is_const(ir, r->lo, &first))
        return true;
    return at >= first && !ir_provably_le(ir, ir_add2(ir, r->hi, ir_const(ir, 1)), k);
}

/* The entry of a root that node e is; 0: none. */
static Ref entry_of(Ir *ir, const Root *r, Ref e) {
    if (!r->index || ir_op(ir, e) != ir_op(ir, r->variable) ||
        ir_id(ir, e) != ir_id(ir, r->variable) || ir_arity(ir, e) != 1 ||
        ir_arity(ir, r->variable) != 1)
        return 0;
    Ref kid = ir_kid(ir, e, 0), own = ir_kid(ir, r->variable, 0);
    bool derived =
        ir_is(ir, e, OP_FIELD) || ir_is(ir, e, OP_NET); /* d(u, x_k): the entry is that of x */
    if (derived && (!ir_is(ir, kid, OP_SPACE) || !ir_is(ir, own, OP_SPACE)))
        return 0;
    if (derived) {
        kid = ir_kid(ir, kid, 0);
        own = ir_kid(ir, own, 0);
    } else if (!ir_is(ir, e, OP_SPACE)) {
        return 0;
    }
    return own == r->index && in_range(ir, r, kid) ? kid : 0;
}

static Ref put_root(Ir *ir, Ref e, void *context) {
    const Zeros *p = context;
    for (uint32_t k = 0; k < p->n; k++) {
        const Root *r = &p->root[k];
        Ref entry = entry_of(ir, r, e);
        if (entry)
            return ir_substitute(ir, r->to, r->index, entry);
        if (e == r->variable)
            return r->to;
    }
    bool derived =
        ir_is(ir, e, OP_FIELD) || ir_is(ir, e, OP_NET); /* its kids are names of variables */
    return derived ? e : 0;
}

/* ---- values that an answer rests on ---- */

static void rely_on(Compilation *c, Sym name, double least) {
    Problem *p = c->problem;
    for (uint32_t k = 0; k < p->relied.n; k++)
        if (p->relied.at[k].name == name) {
            p->relied.at[k].least = fmax(p->relied.at[k].least, least);
            return;
        }
    Relied row = {name, least};
    VEC_PUSH(&c->arena, p->relied, row);
}

/* The answer holds for these params: a run may not change them. */
static void rely_on_params(const Vanish *v, Ref e) {
    Ir *ir = v->c->ir;
    if (ir_is(ir, e, OP_PARAM))
        rely_on(v->c, (Sym)ir_id(ir, e), 0);
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        rely_on_params(v, ir_kid(ir, e, k));
}

/* Of an exponent that is made of params. */
static double stated_value(const Vanish *v, Ref e) {
    rely_on_params(v, e);
    return bounds_of(&v->bounds[0], e).lo;
}

/* ---- orders ---- */

typedef struct Orders {
    const Vanish *v;
    Ir *ir;
    Ref s;
    double *known;
    bool *done;
} Orders;

static double order(Orders *o, Ref e);

static double order_of_power(Orders *o, Ref e) {
    double base = order(o, ir_kid(o->ir, e, 0)), c;
    Ref exponent = ir_kid(o->ir, e, 1);
    if (base >= 0 && base <= 0)
        return 0;
    if (ir_depends(o->ir, exponent, o->s))
        return -HUGE_VAL;
    if (!ir_is_const(o->ir, exponent, &c))
        c = stated_value(o->v, exponent);
    return base * c;
}

static double order_of_function(Orders *o, Ref e) {
    double a = order(o, ir_kid(o->ir, e, 0)), b;
    switch ((Func)ir_id(o->ir, e)) {
    case FUNC_sin:
    case FUNC_atan:
    case FUNC_tanh:
    case FUNC_erf:
        return fmax(a, 0); /* 0 at 0, and bounded */
    case FUNC_tan:
    case FUNC_asin:
    case FUNC_sinh:
    case FUNC_expm1:
    case FUNC_log1p:
    case FUNC_abs:
        return a >= 0 ? a : -HUGE_VAL;
    case FUNC_cos:
    case FUNC_sign:
    case FUNC_step:
    case FUNC_erfc:
        return 0;
    case FUNC_max:
    case FUNC_min:
        b = order(o, ir_kid(o->ir, e, 1));
        return a >= 0 && b >= 0 ? fmin(a, b) : -HUGE_VAL;
    case FUNC_log:
        return a >= 0 && a <= 0 ? 0 : LOGARITHM;
    default:
        return a >= 0 ? 0 : -HUGE_VAL;
    }
}

static double order_of_kids(Orders *o, Ref e) {
    bool sum = ir_is(o->ir, e, OP_ADD);
    double total = sum ? HUGE_VAL : 0;
    for (uint32_t k = 0; k < ir_arity(o->ir, e); k++) {
        double kid = order(o, ir_kid(o->ir, e, k));
        total = sum ? fmin(total, kid) : total + kid;
    }
    return isnan(total) ? -HUGE_VAL : total;
}

static double compute_order(Orders *o, Ref e) {
    double body;
    if (e == o->s)
        return 1;
    if (ir_is_number(o->ir, e, 0))
        return HUGE_VAL;
    if (!ir_depends(o->ir, e, o->s))
        return 0;
    switch (ir_op(o->ir, e)) {
    case OP_ADD:
    case OP_MUL:
        return order_of_kids(o, e);
    case OP_POW:
        return order_of_power(o, e);
    case OP_FUNC:
        return order_of_function(o, e);
    case OP_SUM:
    case OP_MAX:
    case OP_MIN:
    case OP_INTEGRAL:
        return order(o, ir_kid(o->ir, e, 2));
    case OP_PROD:
        body = order(o, ir_kid(o->ir, e, 2));
        return body >= 0 ? body : -HUGE_VAL;
    case OP_EXPECT:
        return order(o, ir_kid(o->ir, e, 0));
    default:
        return 0;
    }
}

static double order(Orders *o, Ref e) {
    if (!o->done[e]) {
        o->known[e] = compute_order(o, e);
        o->done[e] = true;
    }
    return o->known[e];
}

/* A lower bound of the factor's order at the place. */
static double order_at(const Vanish *v, Zeros *p, Ref factor) {
    Ir *ir = p->ir;
    Ref near = ir_rewrite(ir, factor, put_root, p);
    uint32_t n = ir->node.n;
    Orders o = {v, ir, p->s, NEW_ARRAY(ir->arena, double, n), NEW_ARRAY(ir->arena, bool, n)};
    double found = order(&o, near);
    bool hidden = found >= 0 && found <= 0 &&
                  ir_is_number(ir, ir_substitute(ir, near, p->s, ir_const(ir, 0)), 0);
    return hidden ? 1 : found;
}

/* ---- verdicts ---- */

bool vanish_open(Compilation *c, Vanish *v) {
    *v = (Vanish){.c = c};
    for (; v->n < VANISH_VALUES; v->n++)
        if (!bounds_open(c, v->n, &v->bounds[v->n]))
            return false;
    return true;
}

/* The count of squares may fall with a dim as far as the margin lets it. */
static void rely_on_count(const Vanish *v, const Zeros *p, Ref count, double margin) {
    Ir *ir = v->c->ir;
    if (ir_is(ir, count, OP_DIM))
        rely_on(v->c, (Sym)ir_id(ir, count),
                fmax(1, bounds_of(&v->bounds[0], count).lo - floor((ceil(margin) - 1) / p->sums)));
    for (uint32_t k = 0; k < ir_arity(ir, count); k++)
        rely_on_count(v, p, ir_kid(ir, count, k), margin);
}

static void rely_on_domain(const Vanish *v) {
    const Problem *p = v->c->problem;
    for (uint32_t k = 0; k < p->space.n; k++)
        for (uint32_t i = 0; i < 3 && p->space.at[k].argument[i]; i++)
            rely_on_params(v, p->space.at[k].argument[i]);
    if (p->time) {
        rely_on_params(v, p->t_lo);
        rely_on_params(v, p->t_hi);
    }
}

/* Index by index, where that may tell more. */
static Interval close_bounds(const Bounds *b, Ref a) {
    Interval i = bounds_of(b, a);
    return i.lo > 0 || i.hi < 0 ? i : bounds_by_index(b, a);
}

/* 1: above 0 in the whole domain, or beneath if `both`; 0: not that. */
static bool has_sign(const Vanish *v, uint32_t values, Ref a, bool both, bool strictly) {
    bool above = true, below = both;
    for (uint32_t k = 0; k < values; k++) {
        Interval i = close_bounds(&v->bounds[k], a);
        double most = fmax(fabs(i.lo), fabs(i.hi)), slack = isfinite(most) ? ROUNDING * most : 0;
        above &= strictly ? i.lo > 0 : i.lo >= -slack;
        below &= i.hi <= slack;
    }
    return above || below;
}

/* With the stated params, and if not with others too, then these are relied on. */
static bool keeps(const Vanish *v, Ref a, bool both, bool strictly) {
    if (!has_sign(v, 1, a, both, strictly))
        return false;
    if (!has_sign(v, v->n, a, both, strictly)) {
        rely_on_params(v, a);
        rely_on_domain(v);
    }
    return true;
}

/* Has it one sign in the whole domain? Then nothing crosses 0. */
static bool keeps_sign(const Vanish *v, Ref a) {
    return keeps(v, a, true, false);
}

static bool is_positive(const Vanish *v, Ref base) {
    return keeps(v, base, false, true);
}

static bool surface_is_nothing(const Vanish *v, Ref lost, Ref factor) {
    Ir *ir = v->c->ir;
    Ref a = ir_kid(ir, lost, 0);
    if (keeps_sign(v, a))
        return true;
    Zeros p = {.ir = ir, .s = ir_fresh_index(ir)};
    add_zero(&p, a, p.s, (Root){0});
    return order_at(v, &p, factor) > lost_order(ir, lost);
}

/* Where base is 0, it is the square of the distance s from a surface, and what is left is s^(2 power) / s. */
static bool root_is_nothing(const Vanish *v, Ref base, double power, Ref factor) {
    int order;
    return power > 0 || !touch_find(v->c, base, factor, &order) || 2 * power + order > 0;
}

static bool pole_is_nothing(const Vanish *v, Ref lost, Ref factor) {
    Ir *ir = v->c->ir;
    Ref power = ir_kid(ir, lost, 0), base = ir_kid(ir, power, 0), exponent = ir_kid(ir, power, 1);
    double c;
    if (is_positive(v, base))
        return true;
    if (!ir_is_const(ir, exponent, &c))
        c = stated_value(v, exponent);
    if (!lost_square_sum(ir, base))
        return root_is_nothing(v, base, c - 0.5 * lost_order(ir, lost), factor);
    Zeros p = {.ir = ir, .s = ir_fresh_index(ir), .degree = HUGE_VAL};
    add_squares(v, &p, base, (Root){0});
    if (p.n == 0)
        return true;
    double margin =
        p.degree * c - 1 - lost_order(ir, lost) + p.codimension + order_at(v, &p, factor);
    if (margin > 0 && p.sums > 0 && isfinite(margin))
        rely_on_count(v, &p, p.last, margin);
    return margin > 0;
}

bool vanish_is_nothing(const Vanish *v, Ref lost, Ref factor) {
    if (ir_is_number(v->c->ir, factor, 0))
        return true;
    return ir_is(v->c->ir, lost, OP_DIRAC) ? surface_is_nothing(v, lost, factor)
                                           : pole_is_nothing(v, lost, factor);
}
