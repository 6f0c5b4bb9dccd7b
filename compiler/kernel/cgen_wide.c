/* cgen_wide.c: what depends on a point through |x|^2 alone, in double.
 *
 * In a ball of many dimensions nearly all of the volume lies at the boundary: 1 - |x|^2 is about 2/d
 * there, and nothing is left of it when |x|^2 was rounded to float. So |x|^2 is summed and taken from
 * the squared radius in double, and rounded to the number type after that. Of several coordinate vectors only the
 * first is looked at, whose rows stand first. */
#include "kernel/cgen_internal.h"

#include <math.h>

#include "base/compilation.h"
#include "eval/domain.h"

Ref gen_round_square(Compilation *c) {
    const Problem *p = c->problem;
    return p->space.n ? domain_operations(c, &p->space.at[0])->square(c, &p->space.at[0]) : 0;
}

bool gen_take_square(Gen *g, Ref e) {
    if (!g->square || e != g->square || !g->lanes || g->watch || gen_is_shared(g))
        return false;
    uint32_t number = g->temporaries++;
    gen_line(g, "double a%u[PDE_OWN_LANES];", number);
    gen_line(g, "PDE_SQUARE(a%u, %s)", number, gen_integer(g, g->c->problem->space.at[0].d));
    memo_put(&g->scope->array, e, 0, number);
    return true;
}

static const char *wide_number(Gen *g, double v) {
    Text t = {.arena = &g->c->arena};
    text_str(&t, STR("(double)("));
    text_double(&t, v);
    text_str(&t, STR(")"));
    return text_cstr(&t);
}

static const char *wide_list(Gen *g, Ref e, const char *sign, bool *found) {
    const char *text = NULL;
    for (uint32_t k = 0; k < ir_arity(g->c->ir, e); k++) {
        const char *one = gen_wide(g, ir_kid(g->c->ir, e, k), found);
        if (!one)
            return NULL;
        text = text ? gen_text(g, "%s %s %s", text, sign, one) : one;
    }
    return gen_text(g, "(%s)", text);
}

const char *gen_wide(Gen *g, Ref e, bool *found) {
    Ir *ir = g->c->ir;
    Ref number;
    double v;
    if (e == g->square && gen_find_array(g->scope, e, &number)) {
        *found = true;
        return gen_text(g, "a%u[l]", number);
    }
    switch (ir_op(ir, e)) {
    case OP_CONST:
        return ir_is_const(ir, e, &v) && isfinite(v) ? wide_number(g, v) : NULL;
    case OP_DIM:
        return gen_text(g, "(double)pde_dim_%s", sym_cstr(g->c, (Sym)ir_id(ir, e)));
    case OP_PARAM:
        return gen_text(g, "pde_param_%s", sym_cstr(g->c, (Sym)ir_id(ir, e)));
    case OP_ADD:
        return wide_list(g, e, "+", found);
    case OP_MUL:
        return wide_list(g, e, "*", found);
    case OP_POW: {
        const char *base = gen_wide(g, ir_kid(ir, e, 0), found),
                   *power = gen_wide(g, ir_kid(ir, e, 1), found);
        return base && power ? gen_text(g, "pde_pow(%s, %s)", base, power) : NULL;
    }
    default:
        return NULL;
    }
}
