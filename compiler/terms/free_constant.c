/* free_constant.c: u + 1 is put in the place of u, and what is left of the difference decides. */
#include "terms/free_constant.h"

#include "base/compilation.h"
#include "terms/periodic.h"
#include "text/ast.h"

static bool holds(const Ir *ir, Ref e, uint32_t field) {
    if (!ir_has_net(ir, e))
        return false;
    if (ir_is(ir, e, OP_FIELD))
        return ir_id(ir, e) == field;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (holds(ir, ir_kid(ir, e, k), field))
            return true;
    return false;
}

/* value[k]: what is put in the place of field k. */
static bool is_same(Compilation *c, Ref residual, uint32_t n, const Ref *value) {
    Ref shifted = ir_replace_fields(c->ir, residual, OP_FIELD, n, value);
    return shifted == residual ||
           ir_is_number(c->ir, ir_expand(c->ir, ir_sub(c->ir, shifted, residual)), 0);
}

bool constant_is_free(Compilation *c, uint32_t field) {
    const Problem *p = c->problem;
    Ir *ir = c->ir;
    Ref *value = NEW_ARRAY(&c->arena, Ref, p->field.n + 1);
    bool present = false;
    if (!ir_is(ir, p->field.at[field].trial, OP_NET))
        return false;
    for (uint32_t k = 0; k < p->field.n; k++) {
        Ref u = ir_indexed(ir, OP_FIELD, k, 0, NULL);
        value[k] = k == field ? ir_add2(ir, u, ir_const(ir, 1)) : u;
    }
    for (uint32_t k = 0; k < p->equation.n; k++) {
        Ref residual = p->equation.at[k].residual;
        present = present || holds(ir, residual, field);
        if (!is_same(c, residual, p->field.n, value))
            return false;
    }
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (!is_same(c, p->condition.at[k].residual, p->field.n, value))
            return false;
    return present;
}

void free_constants_say(Compilation *c) {
    const Problem *p = c->problem;
    for (uint32_t f = 0; f < p->field.n; f++) {
        Str name = sym_str(c, p->field.at[f].name);
        /* where a condition is missing, that is what is said; a domain without an edge has none */
        bool given = !p->time && periodic_everywhere(c);
        for (uint32_t k = 0; k < p->condition.n; k++)
            given = given || holds(c->ir, p->condition.at[k].residual, f);
        if (!given || !constant_is_free(c, f))
            continue;
        for (uint32_t e = 0; e < p->equation.n; e++)
            if (holds(c->ir, p->equation.at[e].residual, f)) {
                diag(c, W1206, p->equation.at[e].ast->span, (int)name.n, name.s);
                break;
            }
    }
}
