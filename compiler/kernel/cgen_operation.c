/* cgen_operation.c: the C expression of one node, its operands being named already or named on the way.
 *
 * Requires: a scope in which the node may be computed. Promises: the text has the value that the interpreter gives
 * the node; subscripts that are not provably inside their extent are kept inside by what is written. */
#include "kernel/cgen_internal.h"

#include <math.h>

#include "base/compilation.h"

static const char *const FUNC_C[] = {
#define F(name, arity, jump, c, da, db) c,
#include "text/func.def"
};

/* A subscript counted from 0, kept inside 0..extent-1 unless it provably is. */
static const char *subscript(Gen *g, Ref k, Ref extent) {
    Ir *ir = g->c->ir;
    Ref lo = k, hi = k, one = ir_const(ir, 1), range_lo, range_hi;
    for (const GenScope *s = g->scope; s; s = s->outer)
        for (uint32_t j = 0; j < s->index.n; j++) {
            Ref index = s->index.at[j];
            if (!ir_depends(ir, k, index) || !memo_get(&g->index_name, index, 1, &range_lo) ||
                !memo_get(&g->index_name, index, 2, &range_hi))
                continue;
            lo = ir_substitute(ir, lo, index, range_lo);
            hi = ir_substitute(ir, hi, index, range_hi);
        }
    const char *at = gen_integer(g, ir_sub(ir, k, one));
    if (ir_provably_le(ir, one, lo) && ir_provably_le(ir, hi, extent))
        return at;
    return gen_text(g, "pde_inside(%s, %s)", at, gen_integer(g, extent));
}

/* ---- values ---- */

static const char *lane_name(const Gen *g) {
    return g->lanes ? "l" : "lane";
}

static const char *number(Gen *g, double v) {
    Text t = {.arena = &g->c->arena};
    text_str(&t, STR("R("));
    text_double(&t, v);
    text_str(&t, STR(")"));
    return text_cstr(&t);
}

static uint32_t tensor_number(const Problem *p, Sym name) {
    uint32_t k = 0;
    while (k < p->tensor.n && p->tensor.at[k].name != name)
        k++;
    return k;
}

static const char *tensor_value(Gen *g, Ref e) {
    const Problem *p = g->c->problem;
    const TensorRow *row = &p->tensor.at[tensor_number(p, (Sym)ir_id(g->c->ir, e))];
    const char *at = "0";
    for (uint32_t k = 0; k < row->rank; k++) {
        Ref extent = lower_extent(g->c, row->extent[k]);
        const char *next = subscript(g, ir_kid(g->c->ir, e, k), extent);
        at = k == 0 ? next : gen_text(g, "(%s) * %s + %s", at, gen_integer(g, extent), next);
    }
    return gen_text(g, "v_%s[%s]", sym_cstr(g->c, row->name), at);
}

const char *gen_atom(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    const Problem *p = g->c->problem;
    switch (ir_op(ir, e)) {
    case OP_CONST:
        return number(g, ir->node.at[e].payload.number);
    case OP_PI:
        return "R(3.14159265358979323846)";
    case OP_DIM:
        return gen_text(g, "R(pde_dim_%s)", sym_cstr(g->c, (Sym)ir_id(ir, e)));
    case OP_PARAM:
        return gen_text(g, "R(pde_param_%s)", sym_cstr(g->c, (Sym)ir_id(ir, e)));
    case OP_UNKNOWN: {
        uint32_t k = 0;
        while (k < p->unknown.n && p->unknown.at[k].name != ir_id(ir, e))
            k++;
        return gen_text(g, "unknown[%u]", k);
    }
    case OP_INDEX:
        return gen_text(g, "R(%s)", gen_integer(g, e));
    case OP_TIME:
        return gen_text(g, "x[%s * PDE_LANES + %s]", gen_integer(g, p->d), lane_name(g));
    case OP_SPACE:
        return gen_text(g, "x[%s * PDE_LANES + %s]", subscript(g, ir_kid(ir, e, 0), p->d),
                        lane_name(g));
    case OP_OUTWARD:
        return gen_text(g, "normal[%s * PDE_LANES + %s]", subscript(g, ir_kid(ir, e, 0), p->d),
                        lane_name(g));
    case OP_AUX: {
        uint32_t row = 0;
        for (uint32_t k = 0; k < p->sample.n && p->sample.at[k].target != ir_id(ir, e); k++)
            row +=
                problem_space(p, p->sample.at[k].target) < 0 && p->sample.at[k].target != p->time;
        return gen_text(g, "aux[%u * PDE_LANES + %s]", row, lane_name(g));
    }
    case OP_TENSOR:
        return tensor_value(g, e);
    default:
        return "R(0)";
    }
}

static const char *condition_of(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    if (ir_is(ir, e, OP_DELTA))
        return gen_text(g, "%s == 0", gen_integer(g, ir_kid(ir, e, 0)));
    const char *k = gen_integer(g, ir_kid(ir, e, 0));
    return gen_text(g, "%s <= %s && %s <= %s", gen_integer(g, ir_kid(ir, e, 1)), k, k,
                    gen_integer(g, ir_kid(ir, e, 2)));
}

static bool is_indicator(const Ir *ir, Ref e) {
    return ir_is(ir, e, OP_DELTA) || ir_is(ir, e, OP_IN);
}

static const char *integer_power(Gen *g, const char *base, int n) {
    switch (n) {
    case 1:
        return base;
    case 2:
        return gen_text(g, "PDE_FN(square)(%s)", base);
    case 3:
        return gen_text(g, "PDE_FN(cube)(%s)", base);
    default:
        return gen_text(g, "PDE_FN(power)(%s, %d)", base, n);
    }
}

static const char *power_value(Gen *g, Ref base, double e) {
    const char *b = gen_value(g, base);
    double whole = floor(e);
    if (e - whole <= 0 && e >= 0 && e <= 64)
        return integer_power(g, b, (int)e);
    if (e - whole >= 0.5 && e - whole <= 0.5 && e > 0 && e <= 8) {
        const char *root = gen_text(g, "PDE_FN(sqrt)(%s)", b);
        return e < 1 ? root : gen_text(g, "%s * %s", integer_power(g, b, (int)whole), root);
    }
    return gen_text(g, "PDE_FN(pow)(%s, %s)", b, number(g, e));
}

static bool divides(const Ir *ir, Ref f, double *e) {
    return ir_is(ir, f, OP_POW) && ir_is_const(ir, ir_kid(ir, f, 1), e) && *e < 0;
}

/* In point mode: the kids of a sum or product that are data of the point, as one node, so that the
 * point program hands over one number for all of them. 0: fewer than two. */
static Ref data_part(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    uint32_t n = ir_arity(ir, e), used = 0;
    Ref *kids = NEW_ARRAY(ir->arena, Ref, n);
    bool varies = false;
    if (g->lanes || !ir_has_net(ir, e))
        return 0;
    for (uint32_t k = 0; k < n; k++) {
        Ref kid = ir_kid(ir, e, k);
        if (ir_has_net(ir, kid) || ir->node.at[kid].has_index || ir_contains(ir, kid, OP_AUX) ||
            (ir_is(ir, e, OP_MUL) && is_indicator(ir, kid)))
            continue;
        varies |= gen_varies(ir, kid);
        kids[used++] = kid;
    }
    if (used < 2 || !varies)
        return 0;
    return ir_is(ir, e, OP_ADD) ? ir_add(ir, used, kids) : ir_mul(ir, used, kids);
}

static bool is_kid(const Ir *ir, Ref parent, Ref e) {
    for (uint32_t k = 0; k < ir_arity(ir, parent); k++)
        if (ir_kid(ir, parent, k) == e)
            return true;
    return false;
}

static const char *product_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    Ref data = data_part(g, e);
    if (data && !ir_is(ir, data, OP_MUL))
        data = 0;
    const char *guard = NULL, *top = data ? gen_value(g, data) : NULL, *bottom = NULL;
    double x;
    Ref hoisted;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        Ref f = ir_kid(ir, e, k);
        if (data && is_kid(ir, data, f))
            continue;
        if (is_indicator(ir, f)) {
            const char *one = condition_of(g, f);
            guard = guard ? gen_text(g, "%s && %s", guard, one) : one;
        } else if (!g->watch && divides(ir, f, &x) && !gen_find_array(g->scope, f, &hoisted)) {
            const char *v = power_value(g, ir_kid(ir, f, 0), -x);
            bottom = bottom ? gen_text(g, "%s * %s", bottom, v) : v;
        } else {
            const char *v = gen_value(g, f);
            top = top ? gen_text(g, "%s * %s", top, v) : v;
        }
    }
    top = top ? top : "R(1)";
    if (bottom)
        top = gen_text(g, "%s / (%s)", top, bottom);
    return guard ? gen_text(g, "%s ? %s : R(0)", guard, top) : top;
}

static const char *sum_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    Ref data = data_part(g, e);
    if (data && !ir_is(ir, data, OP_ADD))
        data = 0;
    bool round = false;
    const char *wide = g->square ? gen_wide(g, e, &round) : NULL;
    if (wide && round)
        return gen_text(g, "R(%s)", wide);
    const char *text = data ? gen_value(g, data) : NULL;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        Ref term = ir_kid(ir, e, k), rest;
        if (data && is_kid(ir, data, term))
            continue;
        bool minus = text && ir_coefficient(ir, term, &rest) < 0;
        const char *v = gen_value(g, minus ? ir_neg(ir, term) : term);
        text = text ? gen_text(g, "%s %s %s", text, minus ? "-" : "+", v) : v;
    }
    return text;
}

static const char *function_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    const char *a = gen_value(g, ir_kid(ir, e, 0)), *name = FUNC_C[ir_id(ir, e)];
    if (ir_arity(ir, e) == 1)
        return gen_text(g, "PDE_FN(%s)(%s)", name, a);
    return gen_text(g, "PDE_FN(%s)(%s, %s)", name, a, gen_value(g, ir_kid(ir, e, 1)));
}

const char *gen_operation(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    double x;
    switch (ir_op(ir, e)) {
    case OP_ADD:
        return sum_value(g, e);
    case OP_MUL:
        return product_value(g, e);
    case OP_FUNC:
        return function_value(g, e);
    case OP_POW:
        if (divides(ir, e, &x))
            return gen_text(g, "R(1) / (%s)", power_value(g, ir_kid(ir, e, 0), -x));
        if (ir_is_const(ir, ir_kid(ir, e, 1), &x))
            return power_value(g, ir_kid(ir, e, 0), x);
        return gen_text(g, "PDE_FN(pow)(%s, %s)", gen_value(g, ir_kid(ir, e, 0)),
                        gen_value(g, ir_kid(ir, e, 1)));
    case OP_DELTA:
    case OP_IN:
        return gen_text(g, "%s ? R(1) : R(0)", condition_of(g, e));
    case OP_DRAW:
        return gen_text(g, "R(pde_draw_%s(%u, %s, %s))",
                        ir_id(ir, e) % 2 == DRAW_NORMAL ? "normal" : "uniform",
                        (uint32_t)(ir_id(ir, e) / 2), gen_integer(g, ir_kid(ir, e, 0)),
                        gen_integer(g, ir_kid(ir, e, 1)));
    default:
        return "R(0)";
    }
}
