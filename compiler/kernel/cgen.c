/* cgen.c: C text for IR expressions.
 *
 * gen_values works scope by scope. First every reduction (and every costly invariant of a loop) that
 * the roots need and that depends on no index but those already running is computed into a variable;
 * reductions over one range share a loop, whose body is a scope of its own. Then the roots
 * themselves follow as straight-line code. Loops are in cgen_loops.c. */
#include "kernel/cgen_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/compilation.h"
#include "kernel/merge.h"
#include "kernel/watch_kernels.h"

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

/* Neither a backslash nor the trigraph of one may end the line: it would swallow the next. */
void gen_comment(Gen *g, const char *text) {
    Text t = {.arena = &g->c->arena};
    for (size_t n = 0; *text && n < 90; text++, n++) {
        char ch = *text >= 0x20 && *text < 0x7f && *text != '\\' && *text != '?' ? *text : '.';
        text_bytes(&t, &ch, 1);
    }
    gen_line(g, "// %s%s", text_cstr(&t), *text ? "..." : "");
}

void gen_quote(Gen *g, Span span) {
    Place first = source_place(g->c, span.lo),
          last = source_place(g->c, span.hi > span.lo ? span.hi - 1 : span.lo);
    for (uint32_t n = first.line; n <= last.line && n < first.line + 8; n++) {
        Str line = source_line(first.source, n);
        gen_comment(g, gen_text(g, "%u | %.*s", n, (int)line.n, line.s));
    }
}

/* ---- what varies, what is costly ---- */

bool gen_varies(const Ir *ir, Ref e) {
    return ir_contains(ir, e, OP_SPACE) || ir_contains(ir, e, OP_TIME) ||
           ir_contains(ir, e, OP_AUX) || ir_contains(ir, e, OP_OUTWARD) || ir_has_net(ir, e);
}

bool gen_find_array(const GenScope *s, Ref e, Ref *number) {
    for (; s; s = s->outer)
        if (memo_get(&s->array, e, 0, number))
            return true;
    return false;
}

Ref gen_cheapest(Gen *g, Ref e) {
    g->merged.arena = &g->c->arena;
    return g->lanes && !g->watch ? merge_sums(g->c->ir, e, &g->merged) : e;
}

static const Ref *cheapest_all(Gen *g, uint32_t n, const Ref *root) {
    Ref *out = NEW_ARRAY(&g->c->arena, Ref, n);
    for (uint32_t k = 0; k < n; k++)
        out[k] = gen_cheapest(g, root[k]);
    return out;
}

/* ---- integers ---- */

void gen_name_index(Gen *g, Ref index, const char *name) {
    uint32_t depth = 0;
    for (const GenScope *s = g->scope; s; s = s->outer)
        depth += s->index.n;
    memo_put(&g->index_name, index, 0, intern_cstr(g->c, name));
    VEC_PUSH(&g->c->arena, g->scope->index, index);
    if (g->watch) /* shown to people: i, j, ... from the outside in */
        memo_put(g->c->ir->index_name, index, 0,
                 intern_cstr(g->c, (const char *[]){"i", "j", "k", "m"}[depth & 3]));
}

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
    case OP_DIM:
        return gen_text(g, "pde_dim_%s", sym_cstr(g->c, (Sym)ir_id(ir, e)));
    case OP_ADD:
    case OP_MUL: {
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
    default:
        break;
    }
    return gen_text(g, "(int64_t)(%s)",
                    gen_value(g, e)); /* argmax and the like: a number per point */
}

static bool find_uniform(const GenScope *s, Ref e, Ref *k) {
    for (; s; s = s->outer)
        if (memo_get(&s->uniform, e, 0, k))
            return true;
    return false;
}

static void put_lane_line(Gen *g, const char *text) {
    Text *saved = g->out;
    g->out = g->scope->lane_text;
    g->depth += g->lanes;
    put_line(g, text);
    g->depth -= g->lanes;
    g->out = saved;
}

/* sin and cos of one argument, both needed: one call. False: not such a pair. */
static bool sine_and_cosine(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    Ref argument = ir_kid(ir, e, 0), known;
    if (!g->lanes || g->watch || !ir_is(ir, e, OP_FUNC) ||
        (ir_id(ir, e) != FUNC_sin && ir_id(ir, e) != FUNC_cos))
        return false;
    Ref sine = ir_func(ir, FUNC_sin, 1, &argument), cosine = ir_func(ir, FUNC_cos, 1, &argument);
    Ref other = e == sine ? cosine : sine;
    if ((e != sine && e != cosine) || !memo_get(&g->wanted, other, 0, &known) ||
        gen_find_array(g->scope, other, &known))
        return false;
    const char *a = gen_value(g, argument);
    uint32_t s = g->temporaries++, c = g->temporaries++;
    put_lane_line(g, gen_text(g, "real t%u, t%u;", s, c));
    put_lane_line(g, gen_text(g, "PDE_FN(sincos)(%s, &t%u, &t%u);", a, s, c));
    memo_put(&g->scope->lane, sine, 0, s);
    memo_put(&g->scope->lane, cosine, 0, c);
    return true;
}

/* ---- watching ---- */

/* The innermost index that runs here, as a number for the message; 0: none. */
static const char *watch_index(Gen *g) {
    Ref name;
    for (const GenScope *s = g->scope; s; s = s->outer)
        if (s->index.n && memo_get(&g->index_name, s->index.at[s->index.n - 1], 0, &name))
            return sym_cstr(g->c, name);
    return "0";
}

static void put_watch(Gen *g, uint32_t number, const char *name, bool varies) {
    const char *line = gen_text(g, "PDE_WATCH(%u, %s, %s, %s);", g->watch_base + number,
                                g->lanes && varies ? "l" : "-1", watch_index(g), name);
    if (varies) {
        put_lane_line(g, line);
    } else {
        indent(g, g->scope->uniform_text);
        text_printf(g->scope->uniform_text, "%s\n", line);
    }
}

static void watch_temporary(Gen *g, Ref e, uint32_t number, bool varies, const char *text) {
    if (!g->watch)
        return;
    WatchRow *row = watch_row(g->c, g->watch, g->watch_base, number);
    watch_describe(g->c, row, e, g->near);
    watch_uses(g->c, g->watch, g->watch_base, row, text);
    put_watch(g, number, gen_text(g, "%s%u", varies ? "t" : "u", number), varies);
}

void gen_watch_array(Gen *g, Ref e, uint32_t number, bool varies) {
    if (!g->watch)
        return;
    watch_describe(g->c, watch_row(g->c, g->watch, g->watch_base, number), e, g->near);
    bool lanes = g->lanes && varies;
    gen_line(g, "%sPDE_WATCH(%u, %s, %s, a%u%s);", lanes ? "PDE_EACH_LANE " : "",
             g->watch_base + number, lanes ? "l" : "-1", watch_index(g), number,
             lanes ? "[l]" : "");
}

/* What a line does with its value: a temporary it adds to, or a result of the function. */
static void watch_line(Gen *g, const char *line, const char *value) {
    uint32_t number;
    if (g->watch)
        watch_uses(g->c, g->watch, g->watch_base,
                   watch_target(line, &number) ? watch_row(g->c, g->watch, g->watch_base, number)
                                               : NULL,
                   value);
}

static const char *new_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    Ref k;
    bool varies = gen_varies(ir, e);
    if (varies && sine_and_cosine(g, e) && memo_get(&g->scope->lane, e, 0, &k))
        return gen_text(g, "t%u", k);
    const char *text = ir_is(ir, e, OP_TENSOR) ? gen_atom(g, e) : gen_operation(g, e);
    uint32_t name = g->temporaries++;
    const char *line = gen_text(g, "const real %s%u = %s;", varies ? "t" : "u", name, text);
    if (varies) {
        put_lane_line(g, line);
    } else {
        indent(g, g->scope->uniform_text);
        text_printf(g->scope->uniform_text, "%s\n", line);
    }
    watch_temporary(g, e, name, varies, text);
    memo_put(varies ? &g->scope->lane : &g->scope->uniform, e, 0, name);
    return gen_text(g, "%s%u", varies ? "t" : "u", name);
}

const char *gen_value(Gen *g, Ref e) {
    Ir *ir = g->c->ir;
    Ref k;
    const char *own = g->atom ? g->atom(g->atom_context, g, e) : NULL;
    if (own)
        return own;
    if (gen_find_array(g->scope, e, &k) && e == g->square)
        return gen_text(g, "R(a%u[l])", k);
    if (gen_find_array(g->scope, e, &k))
        return gen_text(g, g->lanes && gen_varies(ir, e) ? "a%u[l]" : "a%u", k);
    if (find_uniform(g->scope, e, &k))
        return gen_text(g, "u%u", k);
    if (memo_get(&g->scope->lane, e, 0, &k))
        return gen_text(g, "t%u", k);
    if (ir_arity(ir, e) == 0 || ir_is(ir, e, OP_SPACE) || ir_is(ir, e, OP_OUTWARD) ||
        ir_is(ir, e, OP_AUX))
        return gen_atom(g, e);
    Span outer = g->near;
    if (g->watch && watch_has_place(g->c, ir->trail.at[e]))
        g->near = ir->trail.at[e];
    const char *name = new_value(g, e);
    g->near = outer;
    return name;
}

/* ---- scopes ---- */

Gen gen_new(Compilation *c, Text *out, bool lanes) {
    Watch *watch = c->problem->watch;
    Gen g = {.c = c,
             .out = out,
             .lanes = lanes,
             .index_name = {.arena = &c->arena},
             .watch = watch,
             .watch_base = watch ? watch->row.n : 0};
    g.square = lanes && !watch ? gen_round_square(c) : 0;
    gen_push(&g);
    return g;
}

void gen_push(Gen *g) {
    Arena *a = &g->c->arena;
    GenScope *s = NEW(a, GenScope);
    *s = (GenScope){
        .outer = g->scope, .uniform = {.arena = a}, .lane = {.arena = a}, .array = {.arena = a}};
    s->uniform_text = NEW(a, Text);
    s->lane_text = NEW(a, Text);
    s->uniform_text->arena = s->lane_text->arena = a;
    g->scope = s;
}

void gen_pop(Gen *g) {
    g->scope = g->scope->outer;
}

void gen_share(Gen *g) {
    g->scope->shared = true;
}

bool gen_is_shared(const Gen *g) {
    const GenScope *s = g->scope;
    while (s && !s->shared)
        s = s->outer;
    return s != NULL;
}

/* ---- roots ---- */

/* Puts the value into the one %s of the line. */
static const char *fill_line(Gen *g, const char *line, const char *value) {
    const char *hole = strstr(line, "%s");
    return hole ? gen_text(g, "%.*s%s%s", (int)(hole - line), line, value, hole + 2) : line;
}

/* A store to `out` has a lane loop of its own, after all lanes were computed: a compiler that cannot know that out is
 * not x would otherwise have to store one lane before it loads the next. Gives back what the first loop does. */
static const char *keep_for_store(Gen *g, const char *line, const char *value, Text *stores) {
    uint32_t number = g->temporaries++;
    gen_line(g, "real a%u[PDE_OWN_LANES];", number);
    for (int d = 0; d < g->depth; d++)
        text_str(stores, STR("    "));
    text_printf(stores, "PDE_EACH_LANE %s\n", fill_line(g, line, gen_text(g, "a%u[l]", number)));
    return gen_text(g, "a%u[l] = %s;", number, value);
}

void gen_values(Gen *g, uint32_t n, const Ref *root, const char *const *line) {
    root = cheapest_all(g, n, root);
    gen_reductions(g, n, root);
    GenScope *s = g->scope;
    g->wanted = (Memo){.arena = &g->c->arena};
    for (uint32_t k = 0; k < n; k++)
        merge_reachable(g->c->ir, root[k], &g->wanted, NULL);
    s->uniform_text->n = s->lane_text->n = 0;
    if (g->lanes) /* lane temporaries end with their lane loop */
        s->lane = (Memo){.arena = &g->c->arena};
    Text last = {.arena = &g->c->arena}, once = {.arena = &g->c->arena};
    Text stores = {.arena = &g->c->arena};
    for (uint32_t k = 0; k < n; k++) {
        bool lane =
            g->lanes && strstr(line[k], "l]"); /* else the same for all lanes: not in their loop */
        const char *value = gen_value(g, root[k]), *filled = fill_line(g, line[k], value);
        watch_line(g, line[k], value);
        if (lane && strncmp(line[k], "out[", 4) == 0)
            filled = keep_for_store(g, line[k], value, &stores);
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
    text_bytes(g->out, stores.s, stores.n);
}

void gen_map(Gen *g, Ref index, const char *name, Ref lo, Ref hi, uint32_t n, const Ref *root,
             const char *const *line) {
    gen_map_total(g, index, name, lo, hi, n, root, line, NULL);
}

void gen_map_total(Gen *g, Ref index, const char *name, Ref lo, Ref hi, uint32_t n, const Ref *root,
                   const char *const *line, const char *total) {
    LeafLoop leaves = {0};
    root = cheapest_all(g, n, root);
    gen_reductions(g, n, root);
    const char *prologue = g->lane_prologue;
    g->lane_prologue = NULL;
    gen_invariants(g, n, root);
    g->lane_prologue = prologue;
    gen_push(g);
    if (total) {
        gen_adds(g, &leaves, total, "sum", g->lanes);
        gen_leaves_of(g, &leaves, false, index, name, lo, hi);
    } else {
        gen_for(g, index, name, lo, hi);
    }
    gen_values(g, n, root, line);
    if (total)
        gen_leaves_end(g, &leaves);
    else
        gen_close(g);
    gen_pop(g);
}
