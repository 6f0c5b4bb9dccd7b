/* diffusion.c: the equation's own process, as far as it does not depend on the
 * solution. */
#include "base/compilation.h"
#include "eval/bindings.h"
#include "variants/find.h"

/* Derivatives of the network are 0: what is left is the process of the linear
 * part. */
static Ref forget_net(Ir *ir, Ref e, void *context) {
    (void)context;
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
    d.diagonal = ir_expand(ir, ir_div(ir, d.diagonal, unit));
    for (uint32_t r = 0; r < p->ranks && !ir_has_net(ir, p->strength[r]); r++) {
        d.vector[d.ranks] = p->vector[r];
        d.strength[d.ranks++] = ir_div(ir, p->strength[r], unit);
    }
    d.where = c->problem->equation.at[0].ast->span;
    d.known = true;
    return d;
}
