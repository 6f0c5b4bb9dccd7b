/* edge.c: data of exact conditions, taken at their own place.
 *
 * A trial function holds its data at every point, not only where the condition is. So data at an end of
 * time are evaluated there first, and data on the boundary must not be the exact solution: training would
 * start from the answer. Where the boundary meets an end of time both data hold: they must agree there, or
 * no function meets both. Symbolically first (|x|^2 = R^2), then at random points of the edge. */
#include "lower/edge.h"

#include <string.h>

#include "base/compilation.h"
#include "lower/constraint.h"

Ref edge_at_time(Compilation *c, const Problem *p, AstOp where, Ref e) {
    return ir_replace(c->ir, e, ir_atom(c->ir, OP_TIME, 0),
                      where == COND_INITIAL ? p->t_lo : p->t_hi);
}

static Ref remove_net(Ir *ir, Ref e, void *context) {
    (void)context;
    return ir_is(ir, e, OP_NET) ? ir_const(ir, 0) : 0;
}

static bool named_exact(const Compilation *c, const Ast *e) {
    return e->kind == AST_CALL && e->name && strcmp(sym_cstr(c, e->name), "exact") == 0;
}

/* seen: names that were followed */
static bool calls_exact(const Compilation *c, const Ast *e, Memo *seen) {
    Ref before;
    if (!e)
        return false;
    if (named_exact(c, e))
        return true;
    const Symbol *s = e->name ? symbol_find(c, e->name) : NULL;
    if (s && (s->kind == SYMBOL_LET || s->kind == SYMBOL_FUNCTION) &&
        !memo_get(seen, e->name, 0, &before)) {
        memo_put(seen, e->name, 0, 1);
        if (calls_exact(c, s->def, seen))
            return true;
    }
    for (uint32_t k = 0; k < e->n; k++)
        if (calls_exact(c, e->kid[k], seen))
            return true;
    return false;
}

bool edge_calls_exact(Compilation *c, const Ast *e) {
    Memo seen = {.arena = &c->arena};
    return calls_exact(c, e, &seen);
}

static void ways_out(Compilation *c, Diag *d, const Field *f) {
    diag_also(c, d, f->span,
              "the trial function of this field would hold the solution at every point");
    diag_note(c, d, "training would start from the answer, and its error would say nothing");
}

Ref edge_boundary_data(Compilation *c, const Problem *p, const ConditionRow *row, uint32_t field,
                       Ref data) {
    const Field *f = &p->field.at[field];
    bool known = f->exact && ir_is_number(c->ir, ir_sub(c->ir, data, f->exact), 0) &&
                 ir_contains(c->ir, data, OP_SPACE);
    if (!known && !edge_calls_exact(c, row->ast))
        return data;
    if (constraint_vanishes(c, data, COND_BOUNDARY, &row->on))
        return ir_const(c->ir, 0);
    Ref there = constraint_remainder(c, p, data, COND_BOUNDARY, &row->on);
    if (row->on.n == 1 && row->on.at[0].coordinate && there != data)
        return there; /* a face of a box: what it says of the interior it says of one section only */
    if (!ir_contains(c->ir, there, OP_SPACE) && /* an annulus has two radii */
        constraint_vanishes(c, ir_sub(c->ir, data, there), COND_BOUNDARY, &row->on))
        return there;
    Diag *d = diag(c, E0582, row->ast->span, "these boundary data");
    ways_out(c, d, f);
    diag_note(c, d, "leave `exactly` out: the condition is then a loss on the boundary only");
    diag_note(
        c, d,
        "or write `ansatz` with a formula that has these values on the boundary and others inside");
    return 0;
}

bool edge_agree(Compilation *c, const Problem *p, const ConditionRow *time,
                const ConditionRow *boundary, Ref gap) {
    if (ir_is_number(c->ir, gap, 0))
        return true;
    Ref left = constraint_remainder(c, p, gap, COND_BOUNDARY, &boundary->on);
    if (ir_is_number(c->ir, left, 0) || constraint_vanishes(c, gap, COND_BOUNDARY, &boundary->on))
        return true;
    bool initial = time->where == COND_INITIAL;
    Diag *d =
        diag(c, E0581, time->ast->span, initial ? "initial" : "terminal", ir_text(c->ir, left));
    diag_label(c, d, "on the boundary at %s = %s this differs", sym_cstr(c, p->time),
               ir_text(c->ir, initial ? p->t_lo : p->t_hi));
    diag_also(c, d, boundary->ast->span, "from these data by %s", ir_text(c->ir, left));
    diag_note(
        c, d,
        "a function that meets both exactly does not exist; data that agree there are accepted");
    diag_note(c, d, "leave `exactly` out of one of the two: it is then trained as a loss");
    return false;
}

void edge_check_ansatz(Compilation *c, const Problem *p, const Field *f) {
    Ref e = f->exact;
    bool moves =
        e && ir_contains(c->ir, e,
                         p->time ? OP_TIME : OP_SPACE); /* a state of rest may be its own data */
    if (!moves ||
        (ir_rewrite(c->ir, f->trial, remove_net, NULL) != e && !edge_calls_exact(c, f->ansatz)))
        return;
    Diag *d = diag(c, E0582, f->ansatz->span, "this ansatz");
    ways_out(c, d, f);
    diag_note(
        c, d,
        "write data that hold where the conditions are, as in f(x) + t * net for an initial f(x)");
}
