/* cgen_loops.c: the loops of generated code: reductions, what they do not change, what one iteration
 * leaves to the next, integrals. */
#include "kernel/cgen_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compilation.h"
#include "runtime/contract/leaf.h"
#include "kernel/merge.h"

/* Does the caller know e as an atom? Asked while looking around, so nothing is recorded. */
static bool known_atom(Gen *g, Ref e) {
    if (!g->atom)
        return false;
    g->probing = true;
    bool known = g->atom(g->atom_context, g, e) != NULL;
    g->probing = false;
    return known;
}

static bool scope_has_index(const GenScope *s, Ref index) {
    for (; s; s = s->outer)
        for (uint32_t k = 0; k < s->index.n; k++)
            if (s->index.at[k] == index)
                return true;
    return false;
}

/* Every free index of e runs in the current scope? */
static bool ready(Gen *g, Ref e, Memo *seen) {
    Ir *ir = g->c->ir;
    Ref done;
    if (!ir->node.at[e].has_index)
        return true;
    if (ir_is(ir, e, OP_INDEX))
        return scope_has_index(g->scope, e);
    if (memo_get(seen, e, 0, &done))
        return done == 2;
    bool ok = true;
    for (uint32_t k = 0; ok && k < ir_arity(ir, e); k++)
        ok = ready(g, ir_kid(ir, e, k), seen);
    memo_put(seen, e, 0, ok ? 2 : 1);
    return ok;
}

/* Reductions over one range, of one kind, computed in one loop. */
typedef struct Loop {
    Op op;
    Ref lo, hi, index;
    uint32_t level;
    VEC(Ref) node;
    VEC(Ref) body;
    Ref except[8];
    uint32_t n_except;
} Loop;

typedef VEC(Loop *) Loops;

/* All reductions below e that can run now, each once. Bodies are looked into, opened, for those that do
 * not depend on the reduction's own index. */
static void find_reductions(Gen *g, Ref e, Memo *seen, Memo *ready_memo, Loops *loops) {
    Ir *ir = g->c->ir;
    Ref done;
    if (memo_get(seen, e, 0, &done) || gen_find_array(g->scope, e, &done))
        return;
    memo_put(seen, e, 0, 1);
    if (known_atom(g, e))
        return;
    if (gen_take_square(g, e))
        return;
    bool binder = ir_is_binder(ir_op(ir, e));
    Ref index;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        find_reductions(g, binder && k == 2 ? ir_open(ir, e, &index) : ir_kid(ir, e, k), seen,
                        ready_memo, loops);
    if (!binder || !ready(g, e, ready_memo))
        return;
    Loop *into = NULL;
    for (uint32_t k = 0; k < loops->n && ir_arity(ir, e) == 3; k++) {
        Loop *l = loops->at[k];
        if (l->op == ir_op(ir, e) && l->lo == ir_kid(ir, e, 0) && l->hi == ir_kid(ir, e, 1) &&
            l->level == ir_id(ir, e) && l->n_except == 0)
            into = l;
    }
    if (!into) {
        into = NEW(&g->c->arena, Loop);
        *into = (Loop){.op = ir_op(ir, e),
                       .lo = ir_kid(ir, e, 0),
                       .hi = ir_kid(ir, e, 1),
                       .level = (uint32_t)ir_id(ir, e)};
        into->index = ir_fresh_index(ir);
        for (uint32_t k = 3; k < ir_arity(ir, e) && into->n_except < 8; k++)
            into->except[into->n_except++] = ir_kid(ir, e, k);
        VEC_PUSH(&g->c->arena, *loops, into);
    }
    VEC_PUSH(&g->c->arena, into->node, e);
}

static int compare_loops(const void *a, const void *b) {
    const Loop *x = *(Loop *const *)a, *y = *(Loop *const *)b;
    return (x->level > y->level) - (x->level < y->level);
}

typedef struct Invariants {
    VEC(Ref) at;
} Invariants;

/* Costly parts of an opened body that its loop does not change (the loop's index does not run yet). */
static void find_invariants(Gen *g, Ref e, Memo *seen, Memo *ready_memo, Invariants *out) {
    Ir *ir = g->c->ir;
    Ref done;
    if (memo_get(seen, e, 0, &done) || gen_find_array(g->scope, e, &done))
        return;
    memo_put(seen, e, 0, 1);
    if (ir_arity(ir, e) == 0 || known_atom(g, e))
        return;
    bool costly = ir_is(ir, e, OP_FUNC) || ir_is(ir, e, OP_POW);
    if (costly && gen_varies(ir, e) && ready(g, e, ready_memo)) {
        VEC_PUSH(&g->c->arena, out->at, e);
        return;
    }
    bool binder = ir_is_binder(ir_op(ir, e));
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (!(binder && k == 2))
            find_invariants(g, ir_kid(ir, e, k), seen, ready_memo, out);
}

static void declare_array(Gen *g, const char *prefix, uint32_t k, bool varies, const char *start);

void gen_invariants(Gen *g, uint32_t n, const Ref *body) {
    Arena *a = &g->c->arena;
    Memo seen = {.arena = a}, ready_memo = {.arena = a};
    Invariants found = {0};
    for (uint32_t k = 0; k < n; k++)
        find_invariants(g, body[k], &seen, &ready_memo, &found);
    if (found.at.n == 0)
        return;
    const char **line = NEW_ARRAY(a, const char *, found.at.n);
    uint32_t *number_of = NEW_ARRAY(a, uint32_t, found.at.n);
    for (uint32_t k = 0; k < found.at.n; k++) {
        number_of[k] = g->temporaries++;
        declare_array(g, "a", number_of[k], true, "R(0)");
        line[k] = gen_text(g, g->lanes ? "a%u[l] = %%s;" : "a%u = %%s;", number_of[k]);
    }
    gen_values(g, found.at.n, found.at.at, line);
    for (uint32_t k = 0; k < found.at.n; k++) {
        gen_watch_array(g, found.at.at[k], number_of[k], true);
        memo_put(&g->scope->array, found.at.at[k], 0, number_of[k]);
    }
}

static const char *start_value(Op op) {
    switch (op) {
    case OP_PROD:
        return "R(1)";
    case OP_MAX:
    case OP_ARGMAX:
        return "-INFINITY";
    case OP_MIN:
    case OP_ARGMIN:
        return "INFINITY";
    default:
        return "R(0)";
    }
}

static void declare_array(Gen *g, const char *prefix, uint32_t k, bool varies, const char *start) {
    if (g->lanes && varies) {
        gen_line(g, "real %s%u[PDE_OWN_LANES];", prefix, k);
        gen_line(g, "PDE_EACH_LANE %s%u[l] = %s;", prefix, k, start);
    } else {
        gen_line(g, "real %s%u = %s;", prefix, k, start);
    }
}

static const char *accumulate_line(Gen *g, Op op, uint32_t k, bool varies, const char *name) {
    const char *at = g->lanes && varies ? "[l]" : "";
    switch (op) {
    case OP_SUM:
        return gen_text(g, "a%u%s += %%s;", k, at);
    case OP_PROD:
        return gen_text(g, "a%u%s *= %%s;", k, at);
    case OP_MAX:
        return gen_text(g, "a%u%s = PDE_FN(fmax)(a%u%s, %%s);", k, at, k, at);
    case OP_MIN:
        return gen_text(g, "a%u%s = PDE_FN(fmin)(a%u%s, %%s);", k, at, k, at);
    default:
        return gen_text(
            g,
            "{ const real v = %%s; const int better = v %s b%u%s; a%u%s = better ? R(%s) : a%u%s; "
            "b%u%s = better ? v : b%u%s; }",
            op == OP_ARGMAX ? ">" : "<", k, at, k, at, name, k, at, k, at, k, at);
    }
}

/* Far out a tail may be 0 times a huge weight, or no number: it adds nothing. */
static const char *integrate_line(Gen *g, uint32_t k, bool varies, const char *weight) {
    return gen_text(g, "{ const real v = %%s; a%u%s += v < 0 || v > 0 ? R(%s) * v : R(0); }", k,
                    g->lanes && varies ? "[l]" : "", weight);
}

/* `for` over the nodes of the quadrature in place of integers; the node is a double called `name`. */
static const char *open_quadrature(Gen *g, const Loop *loop, const char *name) {
    const char *weight = gen_text(g, "w%s", name), *end[2];
    Ref kid[2] = {loop->lo, loop->hi};
    for (int k = 0; k < 2; k++) {
        double v;
        bool infinite = ir_is_const(g->c->ir, kid[k], &v) && isinf(v);
        end[k] = infinite ? "INFINITY" : gen_value(g, kid[k]);
    }
    text_bytes(g->out, g->scope->uniform_text->s,
               g->scope->uniform_text->n); /* what the ends need */
    g->scope->uniform_text->n = 0;
    if (gen_is_shared(g))
        gen_open(g, "for (int k%s = 0; k%s < PDE_NODES; k%s++) {", name, name, name);
    else
        gen_open(g, "PDE_EACH_TERM(k%s, 0, PDE_NODES) {", name);
    gen_line(g, "double %s, %s;", name, weight);
    gen_line(g, "if (!pde_node((int)k%s, %s, %s, &%s, &%s)) continue;", name, end[0], end[1], name,
             weight);
    gen_push(g);
    gen_share(g);
    gen_name_index(g, loop->index, name);
    return weight;
}

/* Functions that the next iteration needs of the same coordinate are kept for it. */
typedef struct Carried {
    uint32_t n;
    Ref *now, *next;
    uint32_t *number;
} Carried;

/* Before a loop that keeps values, which threads therefore share in pieces: those of its first index. */
static Carried start_carried(Gen *g, const Loop *loop, const char *name, uint32_t n,
                             const Ref *body) {
    Refs now = {0}, next = {0};
    if (g->lanes && !g->watch && loop->op != OP_INTEGRAL && loop->n_except == 0)
        merge_carried(g->c->ir, loop->index, n, body, &now, &next);
    Carried c = {now.at.n, now.at.at, next.at.at, NEW_ARRAY(&g->c->arena, uint32_t, now.at.n)};
    const char **line = NEW_ARRAY(&g->c->arena, const char *, c.n);
    Ref *first = NEW_ARRAY(&g->c->arena, Ref, c.n), start = loop->lo;
    if (c.n && !gen_is_shared(g)) {
        gen_line(g, "PDE_RANGE(%s, %s, %s)", name, gen_integer(g, loop->lo),
                 gen_integer(g, loop->hi));
        start = ir_fresh_index(g->c->ir);
        gen_name_index(g, start, gen_text(g, "first_%s", name));
    }
    for (uint32_t k = 0; k < c.n; k++) {
        c.number[k] = g->temporaries++;
        gen_line(g, "real a%u[PDE_OWN_LANES];", c.number[k]);
        line[k] = gen_text(g, "a%u[l] = %%s;", c.number[k]);
        first[k] = ir_substitute(g->c->ir, c.now[k], loop->index, start);
    }
    if (c.n)
        gen_values(g, c.n, first, line);
    return c;
}

/* The loop's body, and then what is kept. */
static void emit_body(Gen *g, const Carried *c, uint32_t n, const Ref *body,
                      const char *const *line) {
    Ref *root = NEW_ARRAY(&g->c->arena, Ref, n + c->n);
    const char **lines = NEW_ARRAY(&g->c->arena, const char *, n + c->n);
    memcpy(root, body, n * sizeof *root);
    memcpy(lines, line, n * sizeof *lines);
    for (uint32_t k = 0; k < c->n; k++) {
        memo_put(&g->scope->array, c->now[k], 0, c->number[k]);
        root[n + k] = c->next[k];
        lines[n + k] = gen_text(g, "a%u[l] = %%s;", c->number[k]);
    }
    gen_values(g, n + c->n, root, lines);
}

/* What the threads of a device found in their shares of a loop, put together. */
static void join_reductions(Gen *g, const Loop *loop, const uint32_t *number_of) {
    static const char *const how[] = {
        [OP_SUM] = "sum", [OP_INTEGRAL] = "sum",  [OP_PROD] = "prod",    [OP_MAX] = "max",
        [OP_MIN] = "min", [OP_ARGMAX] = "argmax", [OP_ARGMIN] = "argmin"};
    bool arg = loop->op == OP_ARGMAX || loop->op == OP_ARGMIN;
    if (gen_is_shared(g))
        return;
    for (uint32_t k = 0; k < loop->node.n; k++) {
        const char *lanes = g->lanes && gen_varies(g->c->ir, loop->node.at[k]) ? "_LANES" : "";
        if (arg)
            gen_line(g, "PDE_JOIN_ARG%s(%s, a%u, b%u)", lanes, how[loop->op], number_of[k],
                     number_of[k]);
        else
            gen_line(g, "PDE_JOIN%s(%s, a%u)", lanes, how[loop->op], number_of[k]);
    }
}

static void enter_loop(Gen *g, Ref index, const char *name, Ref lo, Ref hi) {
    gen_share(g);
    gen_name_index(g, index, name);
    memo_put(&g->index_name, index, 1, lo);
    memo_put(&g->index_name, index, 2, hi);
}

static void open_loop(Gen *g, bool pieces, Ref index, const char *name, Ref lo, Ref hi) {
    if (gen_is_shared(g))
        gen_open(g, "for (int64_t %s = %s; %s <= %s; %s++) {", name, gen_integer(g, lo), name,
                 gen_integer(g, hi), name);
    else if (pieces)
        gen_open(g, "for (int64_t %s = first_%s; %s <= last_%s; %s++) {", name, name, name, name,
                 name);
    else
        gen_open(g, "PDE_FOR%s(%s, %s, %s) {", g->lanes ? "_LANES" : "", name, gen_integer(g, lo),
                 gen_integer(g, hi));
    enter_loop(g, index, name, lo, hi);
}

/* Of how many coordinates a range up to hi is a part: all such loops have the same leaves. */
static const char *count_of(Gen *g, Ref hi) {
    Ref d = g->c->problem->d;
    if (!d || ir_provably_le(g->c->ir, d, hi))
        return gen_integer(g, hi);
    return ir_provably_le(g->c->ir, hi, d)
               ? gen_integer(g, d)
               : gen_text(g, "pde_imax(%s, %s)", gen_integer(g, hi), gen_integer(g, d));
}

void gen_leaves_of(Gen *g, LeafLoop *loop, bool pieces, Ref index, const char *name, Ref lo,
                   Ref hi) {
    Ir *ir = g->c->ir;
    Ref one = ir_const(ir, 1);
    LeafRange r = {.n = count_of(g, hi), .from = "1", .own = pieces || gen_is_shared(g)};
    r.first = pieces ? gen_text(g, "first_%s - 1", name) : gen_integer(g, ir_sub(ir, lo, one));
    r.last = pieces ? gen_text(g, "last_%s - 1", name) : gen_integer(g, ir_sub(ir, hi, one));
    gen_leaves(g, loop, &r, name);
    enter_loop(g, index, name, lo, hi);
}

/* Does what the loop finds depend on the order of its rounding, and is it longer than the least leaf? */
static bool has_leaves(const Ir *ir, const Loop *loop) {
    double lo, hi;
    bool few = ir_is_const(ir, loop->lo, &lo) && ir_is_const(ir, loop->hi, &hi) && lo >= 1 &&
               hi <= PDE_LEAF_LEAST;
    return (loop->op == OP_SUM || loop->op == OP_PROD) && !few;
}

static void open_reductions(Gen *g, const Loop *loop, LeafLoop *leaves, bool pieces,
                            const char *name, const uint32_t *number_of) {
    if (!has_leaves(g->c->ir, loop)) {
        open_loop(g, pieces, loop->index, name, loop->lo, loop->hi);
        return;
    }
    for (uint32_t k = 0; k < loop->node.n; k++)
        gen_adds(g, leaves, gen_text(g, "a%u", number_of[k]), loop->op == OP_SUM ? "sum" : "prod",
                 g->lanes && gen_varies(g->c->ir, loop->node.at[k]));
    gen_leaves_of(g, leaves, pieces, loop->index, name, loop->lo, loop->hi);
}

static void emit_loop(Gen *g, Loop *loop) {
    Ir *ir = g->c->ir;
    uint32_t n = loop->node.n, *number_of = NEW_ARRAY(&g->c->arena, uint32_t, n);
    Ref *body = NEW_ARRAY(&g->c->arena, Ref, n);
    const char **line = NEW_ARRAY(&g->c->arena, const char *, n);
    const char *name = gen_text(g, "i%u", g->temporaries++);
    bool arg = loop->op == OP_ARGMAX || loop->op == OP_ARGMIN;
    LeafLoop leaves = {0};
    for (uint32_t k = 0; k < n; k++) {
        bool varies = gen_varies(ir, loop->node.at[k]);
        body[k] = gen_cheapest(g, ir_open_as(ir, loop->node.at[k], loop->index));
        number_of[k] = g->temporaries++;
        declare_array(g, "a", number_of[k], varies, arg ? "R(1)" : start_value(loop->op));
        if (arg)
            declare_array(g, "b", number_of[k], varies, start_value(loop->op));
        line[k] = accumulate_line(g, loop->op, number_of[k], varies, name);
    }
    gen_invariants(g, n, body);
    Carried carried = start_carried(g, loop, name, n, body);
    if (loop->op == OP_INTEGRAL) {
        const char *weight = open_quadrature(g, loop, name);
        for (uint32_t k = 0; k < n; k++)
            line[k] = integrate_line(g, number_of[k], gen_varies(ir, loop->node.at[k]), weight);
    } else {
        gen_push(g);
        open_reductions(g, loop, &leaves, carried.n && !gen_is_shared(g), name, number_of);
    }
    for (uint32_t k = 0; k < loop->n_except; k++)
        gen_line(g, "if (%s == %s) continue;", name, gen_integer(g, loop->except[k]));
    emit_body(g, &carried, n, body, line);
    if (leaves.sum.n)
        gen_leaves_end(g, &leaves);
    else
        gen_close(g);
    gen_pop(g);
    join_reductions(g, loop, number_of);
    for (uint32_t k = 0; k < n; k++) {
        gen_watch_array(g, loop->node.at[k], number_of[k], gen_varies(ir, loop->node.at[k]));
        memo_put(&g->scope->array, loop->node.at[k], 0, number_of[k]);
    }
}

void gen_for(Gen *g, Ref index, const char *name, Ref lo, Ref hi) {
    open_loop(g, false, index, name, lo, hi);
}

void gen_reductions(Gen *g, uint32_t n, const Ref *root) {
    Memo seen = {.arena = &g->c->arena}, ready_memo = {.arena = &g->c->arena};
    Loops loops = {0};
    for (uint32_t k = 0; k < n; k++)
        find_reductions(g, root[k], &seen, &ready_memo, &loops);
    if (loops.n > 1)
        qsort(loops.at, loops.n, sizeof *loops.at, compare_loops);
    for (uint32_t k = 0; k < loops.n; k++)
        emit_loop(g, loops.at[k]);
}
