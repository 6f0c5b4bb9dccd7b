/* lower_extent.c: how many entries a vector expression has, and what kind of value a name is, before it is lowered.
 *
 * Requires: a checked tree and the names bound around it. Ranges that the checks leave open, because they depend
 * on a function's argument, are found here. */
#include "lower/lower.h"

#include "base/compilation.h"

Ref lower_extent(Compilation *c, Extent e) {
    Ir *ir = c->ir;
    Ref constant = ir_const(ir, (double)e.constant);
    if (!e.dim)
        return constant;
    Ref unit = sym_is(c, e.dim, "space") ? c->problem->d : ir_atom(ir, OP_DIM, e.dim);
    return ir_add2(ir, ir_mul2(ir, ir_const(ir, (double)e.coef), unit), constant);
}

const Symbol *lower_lookup(const Compilation *c, Sym name) {
    return symbol_find(c, name);
}

const Symbol *lower_function_of(const Compilation *c, const Ast *call) {
    const Symbol *s = lower_lookup(c, call->name);
    return s && s->kind == SYMBOL_FUNCTION ? s : NULL;
}

static uint32_t rank_of_name(Compilation *c, const Env *env, Sym name) {
    const Env *b = env_find(env, name);
    if (b)
        return b->ast ? lower_rank_of(c, b->env, b->ast) : b->vector;
    if (sym_is(c, name, "space"))
        return 1;
    const Symbol *s = lower_lookup(c, name);
    return s && s->kind != SYMBOL_FUNCTION ? s->rank : 0;
}

uint32_t lower_rank_of(Compilation *c, const Env *env, const Ast *e) {
    uint32_t rank = 0, r;
    switch (e->kind) {
    case AST_NAME:
        return rank_of_name(c, env, e->name);
    case AST_SUBSCRIPT:
    case AST_NUMBER:
    case AST_DERIVATIVE:
    case AST_BIG:
        return 0;
    case AST_ENTRIES:
        return 1;
    case AST_CALL: {
        const Symbol *f = lower_function_of(c, e);
        if (f) {
            const Ast *target = f->def->kid[0];
            return target->kind == AST_SUBSCRIPT ? target->n - 1 : 0;
        }
        break;
    }
    default:
        break;
    }
    for (uint32_t k = 0; k < e->n; k++)
        if (e->kid[k] && (r = lower_rank_of(c, env, e->kid[k])) > rank)
            rank = r;
    return rank;
}

/* Of f(x) with f(y)_i = ...: how far its index runs there. */
static bool extent_of_call(Compilation *c, const Env *env, const Ast *e, uint32_t axis,
                           Ref *extent) {
    const Ast *def = lower_function_of(c, e)->def, *target = def->kid[0];
    if (target->kind != AST_SUBSCRIPT)
        return false;
    return lower_infer_extent(c, lower_arguments(c, env, e, target->kid[0]), def->kid[1],
                              target->kid[axis + 1]->name, extent);
}

bool lower_extent_of(Compilation *c, const Env *env, const Ast *e, uint32_t axis, Ref *extent) {
    if (e->kind == AST_NAME) {
        const Env *b = env_find(env, e->name);
        if (b && b->ast)
            return lower_extent_of(c, b->env, b->ast, axis, extent);
        const Symbol *s = b ? NULL : lower_lookup(c, e->name);
        if ((b && b->vector) || (!b && axis == 0 && sym_is(c, e->name, "space"))) {
            *extent = c->problem->d;
            return true;
        }
        if (!s || s->kind == SYMBOL_FUNCTION || s->rank <= axis)
            return false;
        *extent = lower_extent(c, s->extent[axis]);
        return true;
    }
    if (e->kind == AST_CALL && lower_function_of(c, e) && lower_rank_of(c, env, e) > axis) {
        if (c->problem->space.n == 1 || !extent_of_call(c, env, e, axis, extent))
            *extent = c->problem->d; /* grad, hessian and their like run over the coordinates */
        return true;
    }
    if (e->kind == AST_ENTRIES) {
        Ref lo = lower_scalar(c, env, e->kid[0]->kid[0]),
            hi = lower_scalar(c, env, e->kid[0]->kid[1]);
        *extent = ir_add2(c->ir, ir_sub(c->ir, hi, lo), ir_const(c->ir, 1));
        return true;
    }
    if (e->kind == AST_SUBSCRIPT || e->kind == AST_BIG || e->kind == AST_DERIVATIVE)
        return false;
    for (uint32_t k = 0; k < e->n; k++)
        if (e->kid[k] && lower_extent_of(c, env, e->kid[k], axis, extent))
            return true;
    return false;
}

bool lower_infer_extent(Compilation *c, const Env *env, const Ast *e, Sym index, Ref *extent) {
    if (e->kind == AST_SUBSCRIPT)
        for (uint32_t k = 1; k < e->n; k++)
            if (e->kid[k]->kind == AST_NAME && e->kid[k]->name == index &&
                lower_extent_of(c, env, e->kid[0], k - 1, extent))
                return true;
    for (uint32_t k = 0; k < e->n; k++)
        if (e->kid[k] && lower_infer_extent(c, env, e->kid[k], index, extent))
            return true;
    return false;
}
