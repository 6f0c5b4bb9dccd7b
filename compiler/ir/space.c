/* space.c: which of several coordinate vectors a coordinate belongs to.
 * requires: the spaces of the problem; their coordinates stand one after the other, so that a point is one vector
 * and x_k, y_k are SPACE numbers k and k + first. establishes: what can be said of an index without its range. */
#include "ir/problem.h"

#include "base/compilation.h"

int problem_space(const Problem *p, Sym name) {
    for (uint32_t k = 0; k < p->space.n; k++)
        if (p->space.at[k].name == name)
            return (int)k;
    return -1;
}

const char *problem_space_name(const Compilation *c) {
    const Problem *p = c->problem;
    return p->space.n == 1 ? sym_cstr(c, p->space.at[0].name) : "space";
}

static uint32_t terms_of(const Ir *ir, Ref e) {
    return ir_is(ir, e, OP_ADD) ? ir_arity(ir, e) : ir_is_number(ir, e, 0) ? 0 : 1;
}

/* Within the vector for all dimensions, or the vector's first row plus something shorter. Nothing stands behind the
 * last vector. */
static bool is_entry_of(Ir *ir, const Space *x, bool last, Ref at, Ref local) {
    if (ir_provably_le(ir, ir_const(ir, 1), local) && (last || ir_provably_le(ir, local, x->d)))
        return true;
    return !ir_is_number(ir, x->first, 0) && ir->node.at[at].has_index &&
           terms_of(ir, local) < terms_of(ir, at);
}

const Space *problem_space_of(Ir *ir, Ref at, Ref *local) {
    const Problem *p = ir->c->problem;
    for (uint32_t k = p->space.n; k-- > 0;) {
        const Space *x = &p->space.at[k];
        *local = ir_sub(ir, at, x->first);
        if (p->space.n == 1 || is_entry_of(ir, x, k + 1 == p->space.n, at, *local))
            return x;
    }
    *local = at;
    return NULL;
}
