/* quadratic.c: warns of known data that cost more than O(d) per point.
 *
 * requires: sources solved, residuals built. A reduction whose body holds another one that depends on its
 * index, both over ranges that grow with a dimension, is a double loop. Sums over derivatives of the
 * unknown are left out: they are terms, and can be sampled. */
#include "base/compilation.h"
#include "ir/problem.h"
#include "pass.h"

typedef struct Search {
    Ir *ir;
    bool *seen;
    Ref found;
} Search;

static bool loops(Op op) {
    return op == OP_SUM || op == OP_PROD || op == OP_MAX || op == OP_MIN;
}

/* lo .. hi with a number of values that no dimension changes? */
static bool grows(Ir *ir, Ref e) {
    double width;
    return !ir_is_const(ir, ir_sub(ir, ir_kid(ir, e, 1), ir_kid(ir, e, 0)), &width);
}

static bool holds(const Ir *ir, Ref e, Ref atom, bool *seen) {
    if (e == atom)
        return true;
    if (seen[e])
        return false;
    seen[e] = true;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (holds(ir, ir_kid(ir, e, k), atom, seen))
            return true;
    return false;
}

/* A growing reduction below e that depends on the bound index. */
static Ref inner_loop(Search *s, Ref e, Ref bound) {
    if (s->seen[e])
        return 0;
    s->seen[e] = true;
    bool *seen = NEW_ARRAY(&s->ir->c->arena, bool, s->ir->node.n);
    if (loops(ir_op(s->ir, e)) && grows(s->ir, e) && holds(s->ir, e, bound, seen))
        return e;
    Ref found = 0;
    for (uint32_t k = 0; k < ir_arity(s->ir, e) && !found; k++)
        found = inner_loop(s, ir_kid(s->ir, e, k), bound);
    return found;
}

static void find_double_loop(Search *s, Ref e) {
    if (s->seen[e] || s->found)
        return;
    s->seen[e] = true;
    if (loops(ir_op(s->ir, e)) && !ir_has_net(s->ir, e) && grows(s->ir, e)) {
        Search inner = {.ir = s->ir, .seen = NEW_ARRAY(&s->ir->c->arena, bool, s->ir->node.n + 64)};
        s->found =
            inner_loop(&inner, ir_kid(s->ir, e, 2), ir_atom(s->ir, OP_BOUND, ir_id(s->ir, e)));
    }
    for (uint32_t k = 0; k < ir_arity(s->ir, e); k++)
        find_double_loop(s, ir_kid(s->ir, e, k));
}

/* At the inner sum where the user wrote it, else at the statement. */
static void look_at(Compilation *c, Ref e, Span statement) {
    Search s = {.ir = c->ir, .seen = NEW_ARRAY(&c->arena, bool, c->ir->node.n + 64)};
    if (!e)
        return;
    find_double_loop(&s, e);
    if (!s.found)
        return;
    Span at = c->ir->origin.at[s.found];
    bool written = at.lo >= statement.lo && at.hi <= statement.hi && at.hi > at.lo;
    diag(c, W1203, written ? at : statement, "O(d^2)");
}

void quadratic_run(Compilation *c) {
    const Problem *p = c->problem;
    if (p->tensor_net) /* integrated, never evaluated at points */
        return;
    for (uint32_t k = 0; k < p->equation.n; k++)
        look_at(c, p->equation.at[k].residual, p->equation.at[k].ast->span);
    for (uint32_t k = 0; k < p->condition.n; k++)
        look_at(c, p->condition.at[k].residual, p->condition.at[k].ast->span);
    for (uint32_t k = 0; k < p->source.n; k++)
        look_at(c, p->source.at[k].value, p->source.at[k].span);
}
