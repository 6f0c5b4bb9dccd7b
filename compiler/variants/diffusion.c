/* diffusion.c: the equation's own process, as far as it does not depend on the
 * solution. */
#include "base/compilation.h"
#include "eval/bindings.h"
#include "variants/find.h"

/* Derivatives of the network are 0: what is left is the process of the linear
 * part. Where a coefficient jumps with the solution, the middle of both sides. */
static Ref forget_net(Ir *ir, Ref e, void *context) {
    (void)context;
    bool jumps = ir_is(ir, e, OP_FUNC) && ir_has_net(ir, e);
    if (jumps && ir_id(ir, e) == FUNC_step)
        return ir_const(ir, 0.5);
    if (jumps && ir_id(ir, e) == FUNC_sign)
        return ir_const(ir, 0);
    return ir_is(ir, e, OP_NET) || ir_is(ir, e, OP_FIELD) ? ir_const(ir, 0) : 0;
}

static double number_of(Compilation *c, Ref e) {
    Values v = {.cap = 0};
    NpyFile none = {0};
    double value = 0;
    if (ir_contains(c->ir, e, OP_SPACE) || ir_contains(c->ir, e, OP_TIME) ||
        values_collect(c, ir_const(c->ir, 0), &none, &v) || values_number(c, &v, e, &value))
        return 0;
    return value;
}

/* The network is trained in no other dimension, if coordinates are named. */
static int64_t few_coordinates(Compilation *c) {
    enum { FEW = 6 };
    double d = number_of(c, c->problem->d);
    return d >= 1 && d <= FEW ? (int64_t)d : 0;
}

/* 1 where the index is a, 0 at the others of 1 .. n, in words that the language has. */
static Ref is_at(Ir *ir, Ref index, int64_t a, int64_t n) {
    Ref out = ir_const(ir, 1);
    for (int64_t j = 1; j <= n; j++) {
        Ref gap = ir_sub(ir, index, ir_const(ir, (double)j));
        if (j != a)
            out = ir_mul2(ir, out, ir_mul2(ir, ir_const(ir, 1 / (double)(a - j)), gap));
    }
    return out;
}

static Ref put_coordinate(Ir *ir, Ref e, void *context) {
    const Ref *pair = context;
    (void)ir;
    return e == pair[0] ? pair[1] : 0;
}

/* A coefficient that says something else for each of few coordinates: a polynomial in the index. */
static Ref by_coordinates(Compilation *c, Ref e, Ref index) {
    Ir *ir = c->ir;
    int64_t n = ir_contains(ir, e, OP_DELTA) ? few_coordinates(c) : 0;
    Ref sum = n > 0 ? ir_const(ir, 0) : e;
    for (int64_t a = 1; a <= n; a++) {
        Ref at = ir_const(ir, (double)a);
        Ref x[2] = {ir_indexed(ir, OP_SPACE, 0, 1, &at), ir_indexed(ir, OP_SPACE, 0, 1, &index)};
        Ref own = ir_rewrite(ir, ir_substitute(ir, e, index, at), put_coordinate, x);
        sum = ir_add2(ir, sum, ir_mul2(ir, is_at(ir, index, a, n), own));
    }
    return sum;
}

Diffusion diffusion_of(Compilation *c) {
    Ir *ir = c->ir;
    const Process *p = c->problem->process;
    Diffusion d = {.index = p ? p->index : 0};
    if (!p || (p->class != PROCESS_TERMINAL && p->class != PROCESS_INITIAL) || !p->diffuses ||
        ir_has_net(ir, p->diagonal) || ir_has_net(ir, p->tau))
        return d;
    double tau = number_of(c, p->tau);
    if (!(tau > 0 || tau < 0))
        return d;
    d.forward = p->class == PROCESS_TERMINAL;
    Ref unit = d.forward ? p->tau : ir_neg(ir, p->tau);
    d.drift = ir_div(ir, ir_expand(ir, ir_rewrite(ir, p->drift, forget_net, NULL)), unit);
    d.diagonal = p->diagonal;
    if (p->matrix)
        d.diagonal = ir_add2(ir, d.diagonal,
                             ir_mul2(ir, ir_substitute(ir, p->matrix, p->other, p->index),
                                     ir_powi(ir, p->scale, 2)));
    d.diagonal = by_coordinates(c, ir_expand(ir, ir_div(ir, d.diagonal, unit)), d.index);
    d.drift = by_coordinates(c, d.drift, d.index);
    for (uint32_t r = 0; r < p->ranks && !ir_has_net(ir, p->strength[r]); r++) {
        d.vector[d.ranks] = by_coordinates(c, p->vector[r], d.index);
        d.strength[d.ranks++] = ir_div(ir, p->strength[r], unit);
    }
    d.where = c->problem->equation.at[0].ast->span;
    d.known = true;
    return d;
}
