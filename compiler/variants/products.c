/* products.c: vectors of products. A sum whose terms have x_i and x_{i+1} in
 * them makes neighbours interact, and the first thing that a network would have
 * to learn is their product. */
#include "base/compilation.h"
#include "lower/trial.h"
#include "variants/find.h"

enum { FARTHEST = 2 };

typedef struct Pattern {
    Compilation *c;
    Ir *ir;
    bool pairs, triples;
    Span where;
} Pattern;

/* Which of x_i, x_{i+1}, x_{i+2} occur in e, counted from the first that does;
 * 0: something else does. */
static bool shifts_of(Ir *ir, Ref e, Ref index, int64_t *low, int64_t *high) {
    if (ir_is(ir, e, OP_SPACE)) {
        double shift;
        if (!ir_is_const(ir, ir_sub(ir, ir_kid(ir, e, 0), index), &shift))
            return false;
        *low = (int64_t)shift < *low ? (int64_t)shift : *low;
        *high = (int64_t)shift > *high ? (int64_t)shift : *high;
        return true;
    }
    if (ir_is_binder(ir_op(ir, e)))
        return !ir_contains(ir, e, OP_SPACE);
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (!shifts_of(ir, ir_kid(ir, e, k), index, low, high))
            return false;
    return true;
}

static void look(Pattern *p, Ref e, Memo *seen) {
    Ir *ir = p->ir;
    Ref done;
    if (memo_get(seen, e, 0, &done) || !ir_contains(ir, e, OP_SPACE))
        return;
    memo_put(seen, e, 0, 1);
    if (!ir_is_binder(ir_op(ir, e))) {
        for (uint32_t k = 0; k < ir_arity(ir, e); k++)
            look(p, ir_kid(ir, e, k), seen);
        return;
    }
    Ref index, body = ir_open(ir, e, &index);
    int64_t low = INT32_MAX, high = INT32_MIN;
    if (ir_is(ir, e, OP_SUM) && !ir_has_net(ir, e) && shifts_of(ir, body, index, &low, &high) &&
        high > low && high - low <= FARTHEST) {
        p->pairs = true;
        p->triples = p->triples || high - low == FARTHEST;
    }
    look(p, body, seen);
}

static void look_in(Pattern *p, Ref e, Span place) {
    Memo seen = {.arena = &p->c->arena};
    bool had = p->pairs;
    look(p, e, &seen);
    if (p->pairs && !had)
        p->where = place;
}

static void add_product(Compilation *c, const Spread *s, int from, int to, Finds *finds,
                        const char *reason, Span where) {
    Ir *ir = c->ir;
    Ref e = ir_const(ir, 1);
    for (int shift = from; shift <= to; shift++)
        e = ir_mul2(ir, e, input_entry_of(c, s, shift));
    find_add(c, finds, FIND_PRODUCT, ir_text(ir, e), reason, where);
}

void find_products(Compilation *c, const Spread *s, Finds *finds) {
    const Problem *p = c->problem;
    Pattern found = {.c = c, .ir = c->ir};
    if (!p->space.n)
        return;
    for (uint32_t k = 0; k < p->condition.n; k++)
        look_in(&found, p->condition.at[k].residual, p->condition.at[k].ast->span);
    for (uint32_t k = 0; k < p->equation.n; k++)
        look_in(&found, problem_put_sources(c, p, p->equation.at[k].residual),
                p->equation.at[k].ast->span);
    if (!found.pairs)
        return;
    memo_put(c->ir->index_name, s->index, 0, intern_cstr(c, find_free_name(c, "i")));
    Ref x = input_entry_of(c, s, 0);
    find_add(c, finds, FIND_PRODUCT, ir_text(c->ir, ir_powi(c->ir, x, 2)),
             "squares beside products", found.where);
    add_product(c, s, 0, 1, finds, "neighbours stand together under a sum", found.where);
    if (found.triples)
        add_product(c, s, 0, 2, finds, "three neighbours stand together under a sum", found.where);
}
