/* gradient_rows.c: see gradient_rows.h. */
#include "kernel/gradient_rows.h"

#include "base/compilation.h"
#include "ir/net_input.h"
#include "ir/tangent.h"

/* Entry `row` (from 1) of the gradient by the inputs; 0: the value itself. */
static Ref row_atom(Ir *ir, Ref row) {
    return ir_indexed(ir, OP_AUX, intern_cstr(ir->c, row ? "$g" : "$n"), row ? 1 : 0, &row);
}

static Ref read_node(Ir *ir, Ref e, void *context) {
    const Problem *p = ir->c->problem;
    Ref at;
    (void)context;
    if (!ir_has_net(ir, e))
        return e;
    if (!ir_is(ir, e, OP_NET))
        return 0;
    if (ir_arity(ir, e) == 0)
        return row_atom(ir, 0);
    Ref input = ir_kid(ir, e, 0), slot = ir_const(ir, input_slot(p, ir, input) + 1.0);
    if (!input_entry(ir, input, &at))
        return row_atom(ir, ir_add2(ir, input_vector_rows(p, ir), slot));
    Ref first =
        p->features ? input_feature_row(p, ir, (uint32_t)ir_id(ir, input)) : ir_const(ir, 0);
    return row_atom(ir, ir_add2(ir, first, at));
}

Ref gradient_rows(Ir *ir, Ref e) {
    return ir_rewrite(ir, tangent_by_inputs(ir, e), read_node, NULL);
}

const char *gradient_atom(void *context, Gen *g, Ref e) {
    (void)context;
    if (!ir_is(g->c->ir, e, OP_AUX) || sym_str(g->c, (Sym)ir_id(g->c->ir, e)).s[0] != '$')
        return NULL;
    if (g->probing)
        return "";
    if (ir_arity(g->c->ir, e) == 0)
        return ir_id(g->c->ir, e) == intern_cstr(g->c, "$n") ? "scale * value[l]" : "shift[l]";
    return gen_text(g, "scale * gradient[(%s - 1) * PDE_LANES + l]",
                    gen_integer(g, ir_kid(g->c->ir, e, 0)));
}
