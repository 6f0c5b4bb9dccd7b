/* cgen.c: C text for IR expressions.
 *
 * gen_values works scope by scope. First every reduction (and every costly invariant of a loop) that
 * the roots need and that depends on no index but those already running is computed into a variable;
 * reductions over one range share a loop, whose body is a scope of its own. Then the roots
 * themselves follow as straight-line code. */
#include "cgen.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compilation.h"

static const char *const FUNC_C[] = {
#define F(name, arity, smooth, c, da, db) c,
#include "func.def"
};

/* Names of values known in a scope. Lane temporaries die with their block; the others live on in
 * the scopes inside. */
struct GenScope {
    GenScope *outer;
    Memo uniform; /* node -> number of u<k> */
    Memo lane;    /* node -> number of t<k>, inside the current lane block */
    Memo array;   /* node -> number of a<k>: one value per lane, or one in point mode */
    VEC(Ref) index;
    Text *uniform_text, *lane_text;
};

/* Does the caller know e as an atom? Asked while looking around, so nothing is recorded. */
static bool known_atom(Gen *g, Ref e) {
    if (!g->atom)
        return false;
    g->probing = true;
    bool known = g->atom(g->atom_context, g, e) != NULL;
    g->probing = false;
    return known;
}

/* ---- lines ---- */

static void indent(Gen *g, Text *out) {
    for (int k = 0; k < g->depth; k++)
        text_str(out, STR("    "));
}

static const char *format_list(Gen *g, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0)
        arena_fail(&g->c->arena, ARENA_FAIL_LIMIT);
    char *text = arena_alloc(&g->c->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, args);
    return text;
}

const char *gen_text(Gen *g, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = format_list(g, format, args);
    va_end(args);
    return text;
}

static void put_line(Gen *g, const char *text) {
    indent(g, g->out);
    text_bytes(g->out, text, strlen(text));
    text_str(g->out, STR("\n"));
}

void gen_line(Gen *g, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(g, format_list(g, format, args));
    va_end(args);
}

void gen_open(Gen *g, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(g, format_list(g, format, args));
    va_end(args);
    g->depth++;
}

void gen_close(Gen *g) {
    g->depth--;
    gen_line(g, "}");
}

void gen_comment(Gen *g, const char *text) {
    Text t = {.arena = &g->c->arena};
    for (size_t n = 0; *text && n < 90; text++, n++) {
        char ch = *text >= 0x20 && *text < 0x7f && *text != '\\' ? *text : '?';
        text_bytes(&t, &ch, 1);
    }
    gen_line(g, "// %s%s", text_cstr(&t), *text ? "..." : "");
}

/* ---- what varies, what is costly ---- */

bool gen_varies(const Ir *ir, Ref e) {
    return ir_contains(ir, e, OP_SPACE) || ir_contains(ir, e, OP_TIME) || ir_contains(ir, e, OP_AUX) ||
           ir_contains(ir, e, OP_OUTWARD) || ir_has_net(ir, e);
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

static bool find_array(const GenScope *s, Ref e, Ref *number) {
    for (; s; s = s->outer)
        if (memo_get(&s->array, e, 0, number))
            return true;
    return false;
}

/* ---- integers ---- */

void gen_name_index(Gen *g, Ref index, const char *name) {
    memo_put(&g->index_name, index, 0, intern_cstr(g->c, name));
    VEC_PUSH(&g->c->arena, g->scope->index, index);
}

static const char *value_of(Gen *g, Ref e);

const char *gen_integer(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    Ref sym;
    double v;
    switch (ir_op(ir, e)) {
    case OP_CONST:
        ir_is_const(ir, e, &v);
        return gen_text(g, "%lld", (long long)v);
    case OP_INDEX:
        if (memo_get(&g->index_name, e, 0, &sym))
            return sym_cstr(g->c, sym);
        return "0";
    case OP_DIM: return gen_text(g, "pde_dim_%s", sym_cstr(g->c, (Sym)ir_id(ir, e)));
    case OP_ADD: case OP_MUL: {
        const char *sign = ir_is(ir, e, OP_ADD) ? " + " : " * ";
        const char *text = gen_integer(g, ir_kid(ir, e, 0));
        for (uint32_t k = 1; k < ir_arity(ir, e); k++)
            text = gen_text(g, "%s%s%s", text, sign, gen_integer(g, ir_kid(ir, e, k)));
        return gen_text(g, "(%s)", text);
    }
    case OP_FUNC:
        if (ir_id(ir, e) == FUNC_max || ir_id(ir, e) == FUNC_min)
            return gen_text(g, "%s(%s, %s)", ir_id(ir, e) == FUNC_max ? "pde_imax" : "pde_imin",
                               gen_integer(g, ir_kid(ir, e, 0)), gen_integer(g, ir_kid(ir, e, 1)));
        break;
    default: break;
    }
    return gen_text(g, "(int64_t)(%s)", value_of(g, e)); /* argmax and the like: a number per point */
}

/* A subscript counted from 0, kept inside 0..extent-1 unless it provably is. */
static const char *subscript(Gen *g, Ref k, Ref extent) {
    Ir *ir = g->c->ir;
    Ref lo = k, hi = k, one = ir_const(ir, 1), range_lo, range_hi;
    for (const GenScope *s = g->scope; s; s = s->outer)
        for (uint32_t j = 0; j < s->index.n; j++) {
            Ref index = s->index.at[j];
            if (!ir_depends(ir, k, index) || !memo_get(&g->index_name, index, 1, &range_lo) ||
                !memo_get(&g->index_name, index, 2, &range_hi))
                continue;
            lo = ir_substitute(ir, lo, index, range_lo);
            hi = ir_substitute(ir, hi, index, range_hi);
        }
    const char *at = gen_integer(g, ir_sub(ir, k, one));
    if (ir_provably_le(ir, one, lo) && ir_provably_le(ir, hi, extent))
        return at;
    return gen_text(g, "pde_inside(%s, %s)", at, gen_integer(g, extent));
}

/* ---- values ---- */

static const char *lane_name(const Gen *g) { return g->lanes ? "l" : "lane"; }

static const char *number(Gen *g, double v) {
    Text t = {.arena = &g->c->arena};
    text_str(&t, STR("R("));
    text_double(&t, v);
    text_str(&t, STR(")"));
    return text_cstr(&t);
}

static uint32_t tensor_number(const Problem *p, Sym name) {
    uint32_t k = 0;
    while (k < p->tensor.n && p->tensor.at[k].name != name)
        k++;
    return k;
}

static const char *tensor_value(Gen *g, Ref e) {
    const Problem *p = g->c->problem;
    const TensorRow *row = &p->tensor.at[tensor_number(p, (Sym)ir_id(g->c->ir, e))];
    const char *at = "0";
    for (uint32_t k = 0; k < row->rank; k++) {
        Ref extent = lower_extent(g->c, row->extent[k]);
        const char *next = subscript(g, ir_kid(g->c->ir, e, k), extent);
        at = k == 0 ? next : gen_text(g, "(%s) * %s + %s", at, gen_integer(g, extent), next);
    }
    return gen_text(g, "v_%s[%s]", sym_cstr(g->c, row->name), at);
}

static const char *atom_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    const Problem *p = g->c->problem;
    switch (ir_op(ir, e)) {
    case OP_CONST: return number(g, ir->node.at[e].payload.number);
    case OP_PI: return "R(3.14159265358979323846)";
    case OP_DIM: return gen_text(g, "R(pde_dim_%s)", sym_cstr(g->c, (Sym)ir_id(ir, e)));
    case OP_PARAM: return gen_text(g, "R(pde_param_%s)", sym_cstr(g->c, (Sym)ir_id(ir, e)));
    case OP_UNKNOWN: {
        uint32_t k = 0;
        while (k < p->unknown.n && p->unknown.at[k].name != ir_id(ir, e))
            k++;
        return gen_text(g, "unknown[%u]", k);
    }
    case OP_INDEX: return gen_text(g, "R(%s)", gen_integer(g, e));
    case OP_TIME: return gen_text(g, "x[%s * PDE_LANES + %s]", gen_integer(g, p->d), lane_name(g));
    case OP_SPACE:
        return gen_text(g, "x[%s * PDE_LANES + %s]", subscript(g, ir_kid(ir, e, 0), p->d), lane_name(g));
    case OP_OUTWARD:
        return gen_text(g, "normal[%s * PDE_LANES + %s]", subscript(g, ir_kid(ir, e, 0), p->d), lane_name(g));
    case OP_AUX: {
        uint32_t row = 0;
        for (uint32_t k = 0; k < p->sample.n && p->sample.at[k].target != ir_id(ir, e); k++)
            row += p->sample.at[k].target != p->space && p->sample.at[k].target != p->time;
        return gen_text(g, "aux[%u * PDE_LANES + %s]", row, lane_name(g));
    }
    case OP_TENSOR: return tensor_value(g, e);
    default: return "R(0)";
    }
}

static const char *condition_of(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    if (ir_is(ir, e, OP_DELTA))
        return gen_text(g, "%s == 0", gen_integer(g, ir_kid(ir, e, 0)));
    const char *k = gen_integer(g, ir_kid(ir, e, 0));
    return gen_text(g, "%s <= %s && %s <= %s", gen_integer(g, ir_kid(ir, e, 1)), k, k,
                       gen_integer(g, ir_kid(ir, e, 2)));
}

static bool is_indicator(const Ir *ir, Ref e) { return ir_is(ir, e, OP_DELTA) || ir_is(ir, e, OP_IN); }

static const char *integer_power(Gen *g, const char *base, int n) {
    switch (n) {
    case 1: return base;
    case 2: return gen_text(g, "PDE_FN(square)(%s)", base);
    case 3: return gen_text(g, "PDE_FN(cube)(%s)", base);
    default: return gen_text(g, "PDE_FN(power)(%s, %d)", base, n);
    }
}

static const char *power_value(Gen *g, Ref base, double e) {
    const char *b = value_of(g, base);
    double whole = floor(e);
    if (e - whole <= 0 && e >= 0 && e <= 64)
        return integer_power(g, b, (int)e);
    if (e - whole >= 0.5 && e - whole <= 0.5 && e > 0 && e <= 8) {
        const char *root = gen_text(g, "PDE_FN(sqrt)(%s)", b);
        return e < 1 ? root : gen_text(g, "%s * %s", integer_power(g, b, (int)whole), root);
    }
    return gen_text(g, "PDE_FN(pow)(%s, %s)", b, number(g, e));
}

static bool divides(const Ir *ir, Ref f, double *e) {
    return ir_is(ir, f, OP_POW) && ir_is_const(ir, ir_kid(ir, f, 1), e) && *e < 0;
}

/* In point mode: the kids of a sum or product that are data of the point, as one node, so that the
 * point program hands over one number for all of them. 0: fewer than two. */
static Ref data_part(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    uint32_t n = ir_arity(ir, e), used = 0;
    Ref *kids = NEW_ARRAY(ir->arena, Ref, n);
    bool varies = false;
    if (g->lanes || !ir_has_net(ir, e))
        return 0;
    for (uint32_t k = 0; k < n; k++) {
        Ref kid = ir_kid(ir, e, k);
        if (ir_has_net(ir, kid) || ir->node.at[kid].has_index || ir_contains(ir, kid, OP_AUX) ||
            (ir_is(ir, e, OP_MUL) && is_indicator(ir, kid)))
            continue;
        varies |= gen_varies(ir, kid);
        kids[used++] = kid;
    }
    if (used < 2 || !varies)
        return 0;
    return ir_is(ir, e, OP_ADD) ? ir_add(ir, used, kids) : ir_mul(ir, used, kids);
}

static bool is_kid(const Ir *ir, Ref parent, Ref e) {
    for (uint32_t k = 0; k < ir_arity(ir, parent); k++)
        if (ir_kid(ir, parent, k) == e)
            return true;
    return false;
}

static const char *product_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    Ref data = data_part(g, e);
    if (data && !ir_is(ir, data, OP_MUL))
        data = 0;
    const char *guard = NULL, *top = data ? value_of(g, data) : NULL, *bottom = NULL;
    double x;
    Ref hoisted;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        Ref f = ir_kid(ir, e, k);
        if (data && is_kid(ir, data, f))
            continue;
        if (is_indicator(ir, f)) {
            const char *one = condition_of(g, f);
            guard = guard ? gen_text(g, "%s && %s", guard, one) : one;
        } else if (divides(ir, f, &x) && !find_array(g->scope, f, &hoisted)) {
            const char *v = power_value(g, ir_kid(ir, f, 0), -x);
            bottom = bottom ? gen_text(g, "%s * %s", bottom, v) : v;
        } else {
            const char *v = value_of(g, f);
            top = top ? gen_text(g, "%s * %s", top, v) : v;
        }
    }
    top = top ? top : "R(1)";
    if (bottom)
        top = gen_text(g, "%s / (%s)", top, bottom);
    return guard ? gen_text(g, "%s ? %s : R(0)", guard, top) : top;
}

static const char *sum_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    Ref data = data_part(g, e);
    if (data && !ir_is(ir, data, OP_ADD))
        data = 0;
    const char *text = data ? value_of(g, data) : NULL;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        Ref term = ir_kid(ir, e, k), rest;
        if (data && is_kid(ir, data, term))
            continue;
        bool minus = text && ir_coefficient(ir, term, &rest) < 0;
        const char *v = value_of(g, minus ? ir_neg(ir, term) : term);
        text = text ? gen_text(g, "%s %s %s", text, minus ? "-" : "+", v) : v;
    }
    return text;
}

static const char *function_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    const char *a = value_of(g, ir_kid(ir, e, 0)), *name = FUNC_C[ir_id(ir, e)];
    if (ir_arity(ir, e) == 1)
        return gen_text(g, "PDE_FN(%s)(%s)", name, a);
    return gen_text(g, "PDE_FN(%s)(%s, %s)", name, a, value_of(g, ir_kid(ir, e, 1)));
}

static const char *operation_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    double x;
    switch (ir_op(ir, e)) {
    case OP_ADD: return sum_value(g, e);
    case OP_MUL: return product_value(g, e);
    case OP_FUNC: return function_value(g, e);
    case OP_POW:
        if (divides(ir, e, &x))
            return gen_text(g, "R(1) / (%s)", power_value(g, ir_kid(ir, e, 0), -x));
        if (ir_is_const(ir, ir_kid(ir, e, 1), &x))
            return power_value(g, ir_kid(ir, e, 0), x);
        return gen_text(g, "PDE_FN(pow)(%s, %s)", value_of(g, ir_kid(ir, e, 0)), value_of(g, ir_kid(ir, e, 1)));
    case OP_DELTA: case OP_IN: return gen_text(g, "%s ? R(1) : R(0)", condition_of(g, e));
    default: return "R(0)";
    }
}

static bool find_uniform(const GenScope *s, Ref e, Ref *k) {
    for (; s; s = s->outer)
        if (memo_get(&s->uniform, e, 0, k))
            return true;
    return false;
}

/* The C expression for e: an atom as it is, anything else a temporary that is computed once. */
static const char *value_of(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    Ref k;
    const char *own = g->atom ? g->atom(g->atom_context, g, e) : NULL;
    if (own)
        return own;
    if (find_array(g->scope, e, &k))
        return gen_text(g, g->lanes && gen_varies(ir, e) ? "a%u[l]" : "a%u", k);
    if (find_uniform(g->scope, e, &k))
        return gen_text(g, "u%u", k);
    if (memo_get(&g->scope->lane, e, 0, &k))
        return gen_text(g, "t%u", k);
    if (ir_arity(ir, e) == 0 || ir_is(ir, e, OP_SPACE) || ir_is(ir, e, OP_OUTWARD) || ir_is(ir, e, OP_AUX))
        return atom_value(g, e);
    bool varies = gen_varies(ir, e);
    const char *text = ir_is(ir, e, OP_TENSOR) ? atom_value(g, e) : operation_value(g, e);
    uint32_t name = g->temporaries++;
    Text *saved = g->out;
    g->out = varies ? g->scope->lane_text : g->scope->uniform_text;
    g->depth += varies && g->lanes ? 1 : 0;
    gen_line(g, "const real %s%u = %s;", varies ? "t" : "u", name, text);
    g->depth -= varies && g->lanes ? 1 : 0;
    g->out = saved;
    memo_put(varies ? &g->scope->lane : &g->scope->uniform, e, 0, name);
    return gen_text(g, "%s%u", varies ? "t" : "u", name);
}

/* ---- scopes ---- */

void gen_push(Gen *g) {
    Arena *a = &g->c->arena;
    GenScope *s = NEW(a, GenScope);
    *s = (GenScope){.outer = g->scope, .uniform = {.arena = a}, .lane = {.arena = a}, .array = {.arena = a}};
    s->uniform_text = NEW(a, Text);
    s->lane_text = NEW(a, Text);
    s->uniform_text->arena = s->lane_text->arena = a;
    g->scope = s;
}

void gen_pop(Gen *g) { g->scope = g->scope->outer; }

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
    if (memo_get(seen, e, 0, &done) || find_array(g->scope, e, &done))
        return;
    memo_put(seen, e, 0, 1);
    if (known_atom(g, e))
        return;
    bool binder = ir_is_binder(ir_op(ir, e));
    Ref index;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        find_reductions(g, binder && k == 2 ? ir_open(ir, e, &index) : ir_kid(ir, e, k), seen, ready_memo, loops);
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
        *into = (Loop){.op = ir_op(ir, e), .lo = ir_kid(ir, e, 0), .hi = ir_kid(ir, e, 1),
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
    if (memo_get(seen, e, 0, &done) || find_array(g->scope, e, &done))
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

static void emit_invariants(Gen *g, uint32_t n, const Ref *body) {
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
    for (uint32_t k = 0; k < found.at.n; k++)
        memo_put(&g->scope->array, found.at.at[k], 0, number_of[k]);
}

static const char *start_value(Op op) {
    switch (op) {
    case OP_PROD: return "R(1)";
    case OP_MAX: case OP_ARGMAX: return "-INFINITY";
    case OP_MIN: case OP_ARGMIN: return "INFINITY";
    default: return "R(0)";
    }
}

static void declare_array(Gen *g, const char *prefix, uint32_t k, bool varies, const char *start) {
    if (g->lanes && varies) {
        gen_line(g, "real %s%u[PDE_LANES];", prefix, k);
        gen_line(g, "PDE_EACH_LANE %s%u[l] = %s;", prefix, k, start);
    } else {
        gen_line(g, "real %s%u = %s;", prefix, k, start);
    }
}

static const char *accumulate_line(Gen *g, Op op, uint32_t k, bool varies, const char *name) {
    const char *at = g->lanes && varies ? "[l]" : "";
    switch (op) {
    case OP_SUM: return gen_text(g, "a%u%s += %%s;", k, at);
    case OP_PROD: return gen_text(g, "a%u%s *= %%s;", k, at);
    case OP_MAX: return gen_text(g, "a%u%s = PDE_FN(fmax)(a%u%s, %%s);", k, at, k, at);
    case OP_MIN: return gen_text(g, "a%u%s = PDE_FN(fmin)(a%u%s, %%s);", k, at, k, at);
    default:
        return gen_text(g, "{ const real v = %%s; const int better = v %s b%u%s; a%u%s = better ? R(%s) : a%u%s; "
                              "b%u%s = better ? v : b%u%s; }",
                           op == OP_ARGMAX ? ">" : "<", k, at, k, at, name, k, at, k, at, k, at);
    }
}

/* `for` over the nodes of the quadrature in place of integers; the node is a double called `name`. */
static const char *open_quadrature(Gen *g, const Loop *loop, const char *name) {
    const char *weight = gen_text(g, "w%s", name), *end[2];
    Ref kid[2] = {loop->lo, loop->hi};
    for (int k = 0; k < 2; k++) {
        double v;
        bool infinite = ir_is_const(g->c->ir, kid[k], &v) && isinf(v);
        end[k] = infinite ? (v > 0 ? "INFINITY" : "-INFINITY") : value_of(g, kid[k]);
    }
    text_bytes(g->out, g->scope->uniform_text->s, g->scope->uniform_text->n); /* what the ends need */
    g->scope->uniform_text->n = 0;
    gen_open(g, "for (int k%s = 0; k%s < PDE_NODES; k%s++) {", name, name, name);
    gen_line(g, "double %s, %s;", name, weight);
    gen_line(g, "if (!pde_node(k%s, %s, %s, &%s, &%s)) continue;", name, end[0], end[1], name, weight);
    gen_push(g);
    gen_name_index(g, loop->index, name);
    return weight;
}

static void emit_loop(Gen *g, Loop *loop) {
    Ir *ir = g->c->ir;
    uint32_t n = loop->node.n, *number_of = NEW_ARRAY(&g->c->arena, uint32_t, n);
    Ref *body = NEW_ARRAY(&g->c->arena, Ref, n);
    const char **line = NEW_ARRAY(&g->c->arena, const char *, n);
    const char *name = gen_text(g, "i%u", g->temporaries++);
    bool arg = loop->op == OP_ARGMAX || loop->op == OP_ARGMIN;
    for (uint32_t k = 0; k < n; k++) {
        bool varies = gen_varies(ir, loop->node.at[k]);
        body[k] = ir_open_as(ir, loop->node.at[k], loop->index);
        number_of[k] = g->temporaries++;
        declare_array(g, "a", number_of[k], varies, arg ? "R(1)" : start_value(loop->op));
        if (arg)
            declare_array(g, "b", number_of[k], varies, start_value(loop->op));
        line[k] = accumulate_line(g, loop->op, number_of[k], varies, name);
    }
    emit_invariants(g, n, body);
    if (loop->op == OP_INTEGRAL) {
        const char *weight = open_quadrature(g, loop, name);
        for (uint32_t k = 0; k < n; k++)
            line[k] = gen_text(g, g->lanes && gen_varies(ir, loop->node.at[k]) ? "a%u[l] += R(%s) * (%%s);"
                                                                               : "a%u += R(%s) * (%%s);",
                               number_of[k], weight);
    } else {
        gen_push(g);
        gen_for(g, loop->index, name, loop->lo, loop->hi);
    }
    for (uint32_t k = 0; k < loop->n_except; k++)
        gen_line(g, "if (%s == %s) continue;", name, gen_integer(g, loop->except[k]));
    gen_values(g, n, body, line);
    gen_close(g);
    gen_pop(g);
    for (uint32_t k = 0; k < n; k++)
        memo_put(&g->scope->array, loop->node.at[k], 0, number_of[k]);
}

void gen_for(Gen *g, Ref index, const char *name, Ref lo, Ref hi) {
    gen_open(g, "for (int64_t %s = %s; %s <= %s; %s++) {", name, gen_integer(g, lo), name, gen_integer(g, hi), name);
    gen_name_index(g, index, name);
    memo_put(&g->index_name, index, 1, lo);
    memo_put(&g->index_name, index, 2, hi);
}

/* Puts the value into the one %s of the line. */
static const char *fill_line(Gen *g, const char *line, const char *value) {
    const char *hole = strstr(line, "%s");
    return hole ? gen_text(g, "%.*s%s%s", (int)(hole - line), line, value, hole + 2) : line;
}

/* The reductions that the roots need and that can run in the current scope. */
static void emit_reductions(Gen *g, uint32_t n, const Ref *root) {
    Memo seen = {.arena = &g->c->arena}, ready_memo = {.arena = &g->c->arena};
    Loops loops = {0};
    for (uint32_t k = 0; k < n; k++)
        find_reductions(g, root[k], &seen, &ready_memo, &loops);
    if (loops.n > 1)
        qsort(loops.at, loops.n, sizeof *loops.at, compare_loops);
    for (uint32_t k = 0; k < loops.n; k++)
        emit_loop(g, loops.at[k]);
}

void gen_values(Gen *g, uint32_t n, const Ref *root, const char *const *line) {
    emit_reductions(g, n, root);
    GenScope *s = g->scope;
    s->uniform_text->n = s->lane_text->n = 0;
    if (g->lanes) /* lane temporaries end with their lane loop */
        s->lane = (Memo){.arena = &g->c->arena};
    Text last = {.arena = &g->c->arena}, once = {.arena = &g->c->arena};
    for (uint32_t k = 0; k < n; k++) {
        bool lane = g->lanes && strstr(line[k], "l]"); /* else the same for all lanes: not in their loop */
        const char *filled = fill_line(g, line[k], value_of(g, root[k]));
        for (int d = 0; d < g->depth + lane; d++)
            text_str(lane ? &last : &once, STR("    "));
        text_printf(lane ? &last : &once, "%s\n", filled);
    }
    text_bytes(g->out, s->uniform_text->s, s->uniform_text->n);
    s->uniform_text->n = 0; /* written: the ends of an integral may add to it next */
    if (!g->lanes)
        text_bytes(g->out, s->lane_text->s, s->lane_text->n);
    text_bytes(g->out, once.s, once.n);
    if (last.n == 0)
        return;
    gen_open(g, "PDE_EACH_LANE {");
    if (g->lane_prologue)
        gen_line(g, "%s", g->lane_prologue);
    text_bytes(g->out, s->lane_text->s, s->lane_text->n);
    text_bytes(g->out, last.s, last.n);
    gen_close(g);
}

void gen_map(Gen *g, Ref index, const char *name, Ref lo, Ref hi, uint32_t n, const Ref *root,
             const char *const *line) {
    emit_reductions(g, n, root);
    const char *prologue = g->lane_prologue;
    g->lane_prologue = NULL;
    emit_invariants(g, n, root);
    g->lane_prologue = prologue;
    gen_push(g);
    gen_for(g, index, name, lo, hi);
    gen_values(g, n, root, line);
    gen_close(g);
    gen_pop(g);
}
