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

/* ---- the variables of an expression ---- */

/* Indices that are open, the innermost first, with their ranges. */
typedef struct Opened {
    const struct Opened *outer;
    Ref index, lo, hi;
    Ref number; /* of this opening, for the memo */
} Opened;

typedef struct Looking {
    Ir *ir;
    Memo seen;
    Ref openings;
} Looking;

/* Is this coordinate the space's own over the whole range of the only index in it? Linear in the index, so that the
 * ends of the range tell. */
static bool always_in(Ir *ir, const Space *x, Ref at, const Opened *open) {
    Ref local = ir_sub(ir, at, x->first), end[2] = {local, local}, solution;
    for (; open; open = open->outer)
        if (ir_depends(ir, local, open->index)) {
            if (!ir_solve_index(ir, local, open->index, &solution))
                return false;
            end[0] = ir_substitute(ir, local, open->index, open->lo);
            end[1] = ir_substitute(ir, local, open->index, open->hi);
            break;
        }
    for (int k = 0; k < 2; k++)
        if (ir->node.at[end[k]].has_index || !ir_provably_le(ir, ir_const(ir, 1), end[k]) ||
            !ir_provably_le(ir, end[k], x->d))
            return false;
    return true;
}

static VarSet coordinate_variable(Ir *ir, Ref at, const Opened *open) {
    const Problem *p = ir->c->problem;
    Ref local;
    for (uint32_t k = 0; k < p->space.n; k++)
        if (p->space.n == 1 || always_in(ir, &p->space.at[k], at, open))
            return (VarSet)1 << k;
    const Space *own = problem_space_of(ir, at, &local);
    return own ? (VarSet)1 << (own - p->space.at) : problem_variables(p) & ~VARIABLE_TIME;
}

static VarSet look(Looking *l, Ref e, const Opened *open) {
    Ir *ir = l->ir;
    Ref known, number = open ? open->number : 0;
    VarSet found = 0;
    if (memo_get(&l->seen, e, number, &known))
        return known;
    if (ir_is(ir, e, OP_TIME)) {
        found = VARIABLE_TIME;
    } else if (ir_is(ir, e, OP_SPACE)) {
        found = coordinate_variable(ir, ir_kid(ir, e, 0), open);
    } else if (ir_is(ir, e, OP_FIELD)) {
        found = ir->c->problem->field.at[ir_id(ir, e)].on;
    } else if (ir_is_binder(ir_op(ir, e))) {
        Opened inner = {open, 0, ir_kid(ir, e, 0), ir_kid(ir, e, 1), ++l->openings};
        Ref body = ir_open(ir, e, &inner.index);
        found = look(l, inner.lo, open) | look(l, inner.hi, open) | look(l, body, &inner);
    } else if (!ir_is(ir, e, OP_NET)) { /* what a network sees is its field's own matter */
        for (uint32_t k = 0; k < ir_arity(ir, e); k++)
            found |= look(l, ir_kid(ir, e, k), open);
    }
    memo_put(&l->seen, e, number, found);
    return found;
}

VarSet problem_variables(const Problem *p) {
    return (((VarSet)1 << p->space.n) - 1) | (p->time ? VARIABLE_TIME : 0);
}

VarSet problem_variables_of(Ir *ir, Ref e) {
    Looking l = {.ir = ir, .seen = {.arena = ir->arena}};
    return look(&l, e, NULL);
}

Sym problem_variable_name(const Problem *p, VarSet set) {
    for (uint32_t k = 0; k < p->space.n; k++)
        if (set >> k & 1)
            return p->space.at[k].name;
    return p->time;
}
