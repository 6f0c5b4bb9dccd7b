/* shape.c: shapes of expressions and ranges of indices (see shape.h).
 *
 * Requires: names resolved, no cyclic definitions. A function is checked anew for each shape of
 * its arguments, since norm(x) and norm(c) sum over different ranges; the ranges that depend on an
 * argument are left open in the tree, all others are filled. */
#include "check/shape.h"

#include "base/compilation.h"
#include "base/limits.h"

#include <string.h>

static const Shape scalar;

const Binding *binding_find(const Binding *b, Sym name) {
    while (b && b->name != name)
        b = b->outer;
    return b;
}

/* A message about the inside of a library function is shown at the user's call. */
Span shape_where(const Checker *k, Span span) {
    return k->in_library ? k->site : span;
}

Str shape_quoted(Checker *k, Span span) {
    return source_text(k->c, shape_where(k, span));
}

/* ---- shapes of names ------------------------------------------------------------------------ */

static Shape shape_of_symbol(Checker *k, const Symbol *s) {
    if (s->kind == SYMBOL_LET)
        return shape_of_let(k, s);
    Shape shape = {.rank = s->rank};
    shape.extent[0] = s->extent[0];
    shape.extent[1] = s->extent[1];
    return shape;
}

static Shape shape_of_name(Checker *k, const Ast *e, const Binding *b) {
    const Binding *local = binding_find(b, e->name);
    if (local && local->index) {
        local->index->used = true;
        return scalar;
    }
    if (local)
        return local->shape;
    if (sym_is(k->c, e->name, "space"))
        return (Shape){.rank = 1, .extent = {space_extent(k->c)}};
    const Symbol *s = symbol_find(k->c, e->name);
    return s ? shape_of_symbol(k, s) : scalar;
}

/* ---- subscripts ----------------------------------------------------------------------------- */

static Shape delta_shape(Checker *k, const Ast *e, const Binding *b) {
    Linear l;
    if (e->n != 3) {
        diag(k->c, E0403, shape_where(k, e->span), 5, "delta", "two subscripts", e->n - 1);
        return scalar;
    }
    for (uint32_t i = 1; i < e->n; i++)
        if (!range_linear(k, e->kid[i], b, &l))
            diag(k->c, E0410, shape_where(k, e->kid[i]->span));
    return scalar;
}

static void argument_misfit(Checker *k, const Binding *local, const char *wanted) {
    Str given = source_text(k->c, local->argument->span);
    diag(k->c, E0421, local->argument->span, sym_cstr(k->c, k->function), wanted, (int)given.n,
         given.s, shape_text(k->c, local->shape));
}

static Shape subscript_shape(Checker *k, const Ast *e, const Binding *b) {
    const Ast *base = e->kid[0];
    if (base->kind == AST_NAME && sym_is(k->c, base->name, "delta") &&
        !symbol_find(k->c, base->name))
        return delta_shape(k, e, b);
    Shape shape = shape_of(k, base, b);
    const Binding *local = base->kind == AST_NAME ? binding_find(b, base->name) : NULL;
    if (shape.rank != e->n - 1) {
        if (local && local->argument) {
            argument_misfit(k, local, e->n == 2 ? "a vector" : "a matrix");
        } else {
            Str text = shape_quoted(k, base->span);
            static const char *const wants[] = {"no subscript", "one subscript", "two subscripts"};
            Diag *d = diag(k->c, E0403, shape_where(k, e->span), (int)text.n, text.s,
                           wants[shape.rank], e->n - 1);
            diag_label(k->c, d, "this is %s", shape_text(k->c, shape));
        }
        return scalar;
    }
    for (uint32_t i = 1; i < e->n; i++)
        range_use(k, e->kid[i], b, base, shape.extent[i - 1], local != NULL);
    return scalar;
}

/* ---- operators ------------------------------------------------------------------------------ */

/* In k * grad(u) the gradient is what makes a vector of it. */
static const Ast *vector_part(Checker *k, const Ast *e, const Binding *b) {
    for (;;) {
        if (e->kind == AST_NEG || e->kind == AST_DIV)
            e = e->kid[0];
        else if (e->kind == AST_MUL)
            e = e->kid[shape_of(k, e->kid[0], b).rank > 0 ? 0 : 1];
        else
            return e;
    }
}

static Diag *not_scalar(Checker *k, const Ast *whole, Shape s, const Binding *b) {
    Compilation *c = k->c;
    const Ast *e = vector_part(k, whole, b);
    Str text = shape_quoted(k, e->span);
    Diag *d = diag(c, E0402, shape_where(k, e->span), (int)text.n, text.s, shape_text(c, s));
    diag_label(c, d, "%s", shape_text(c, s));
    if (e->kind == AST_CALL && sym_is(c, e->name, "grad"))
        diag_fix(c, d, false, e->name_span, "lap", "did you mean the Laplacian?");
    else if (e->kind == AST_NAME && s.rank == 1)
        diag_note(c, d, "write one entry (%s_i) or its length (norm(%s))", sym_cstr(c, e->name),
                  sym_cstr(c, e->name));
    return d;
}

void shape_scalar(Checker *k, const Ast *e, const Binding *b) {
    Shape s = shape_of(k, e, b);
    if (s.rank == 0)
        return;
    const Binding *local = e->kind == AST_NAME ? binding_find(b, e->name) : NULL;
    if (local && local->argument)
        argument_misfit(k, local, "a scalar");
    else
        not_scalar(k, e, s, b);
}

void shape_sides(Checker *k, const Ast *left, const Ast *right) {
    Shape l = shape_of(k, left, NULL), r = shape_of(k, right, NULL);
    if (l.rank > 0) {
        Diag *d = not_scalar(k, left, l, NULL);
        if (r.rank == 0)
            diag_also(k->c, d, right->span, "the right side is a scalar");
    }
    if (r.rank > 0) {
        Diag *d = not_scalar(k, right, r, NULL);
        if (l.rank == 0)
            diag_also(k->c, d, left->span, "the left side is a scalar");
    }
}

static bool shapes_agree(Shape a, Shape b) {
    if (a.rank != b.rank)
        return false;
    for (uint32_t i = 0; i < a.rank; i++)
        if (!extent_same(a.extent[i], b.extent[i]))
            return false;
    return true;
}

static void differ(Checker *k, const Ast *left, Shape l, const Ast *right, Shape r, Span where) {
    Diag *d = diag(k->c, E0404, shape_where(k, where), shape_text(k->c, l), shape_text(k->c, r));
    if (k->in_library)
        return;
    diag_also(k->c, d, left->span, "%s", shape_text(k->c, l));
    diag_also(k->c, d, right->span, "%s", shape_text(k->c, r));
}

void shape_condition(Checker *k, const Ast *left, const Ast *right) {
    Shape l = shape_of(k, left, NULL), r = shape_of(k, right, NULL);
    if (l.rank > 1)
        not_scalar(k, left, l, NULL);
    if (r.rank > 1)
        not_scalar(k, right, r, NULL);
    if (l.rank == 1 && r.rank == 1 && !shapes_agree(l, r))
        differ(k, left, l, right, r, left->span);
}

static Shape sum_shape(Checker *k, const Ast *e, const Binding *b) {
    Shape left = shape_of(k, e->kid[0], b), right = shape_of(k, e->kid[1], b);
    if (!shapes_agree(left, right))
        differ(k, e->kid[0], left, e->kid[1], right, e->name_span);
    return left.rank >= right.rank ? left : right;
}

static Shape product_shape(Checker *k, const Ast *e, const Binding *b) {
    Shape left = shape_of(k, e->kid[0], b);
    if (e->kind == AST_DIV) {
        shape_scalar(k, e->kid[1], b);
        return left;
    }
    Shape right = shape_of(k, e->kid[1], b);
    if (left.rank == 0)
        return right;
    if (right.rank == 0)
        return left;
    Str l = shape_quoted(k, e->kid[0]->span), r = shape_quoted(k, e->kid[1]->span);
    Diag *d = diag(k->c, E0405, shape_where(k, e->name_span), shape_text(k->c, left),
                   shape_text(k->c, right));
    if (!k->in_library && left.rank == 1 && right.rank == 1) {
        Text fixed = {.arena = &k->c->arena};
        text_printf(&fixed, "dot(%.*s, %.*s)", (int)l.n, l.s, (int)r.n, r.s);
        diag_fix(k->c, d, false, e->span, text_cstr(&fixed), "for the inner product");
    }
    return scalar;
}

static Shape power_shape(Checker *k, const Ast *e, const Binding *b) {
    Shape base = shape_of(k, e->kid[0], b);
    shape_scalar(k, e->kid[1], b);
    if (base.rank == 0)
        return scalar;
    Str text = shape_quoted(k, e->kid[0]->span);
    Diag *d = diag(k->c, E0423, shape_where(k, e->kid[0]->span), (int)text.n, text.s,
                   shape_text(k->c, base));
    if (!k->in_library && base.rank == 1) {
        Text fixed = {.arena = &k->c->arena};
        text_printf(&fixed, "norm(%.*s)", (int)text.n, text.s);
        diag_fix(k->c, d, false, e->kid[0]->span, text_cstr(&fixed), "for its length");
    }
    return scalar;
}

/* ---- big operators -------------------------------------------------------------------------- */

static void explicit_range(Checker *k, const Ast *range, const Binding *b, IndexVar *v) {
    v->explicit_range = true;
    v->known =
        range_linear(k, range->kid[0], b, &v->lo) && range_linear(k, range->kid[1], b, &v->hi);
    if (!v->known)
        diag(k->c, E0409, shape_where(k, range->span));
}

static void settle(Checker *k, IndexVar *v, bool default_ok) {
    Compilation *c = k->c;
    Str name = sym_str(c, v->name);
    if (v->known || v->explicit_range)
        return;
    if (v->used && !default_ok) {
        Diag *d = diag(c, E0419, shape_where(k, v->span), (int)name.n, name.s);
        diag_note(c, d, "write the range: sum_{%.*s=1..d}", (int)name.n, name.s);
        return;
    }
    v->known = true;
    v->lo = (Linear){.rest = {.constant = 1}};
    v->hi = (Linear){.rest = space_extent(c)};
}

static void fill_range(Checker *k, const Ast *range, const IndexVar *v) {
    if (range->kid[0] || v->from_local || !v->known)
        return;
    range->kid[0] = extent_ast(k->c, v->lo.rest, range->span);
    range->kid[1] = extent_ast(k->c, v->hi.rest, range->span);
}

static void same_range(IndexVar *to, const IndexVar *from) {
    if (to->known || !from->known)
        return;
    Sym name = to->name;
    Span span = to->span;
    bool used = to->used;
    *to = *from;
    to->name = name;
    to->span = span;
    to->used = used;
}

static void warn_grouping(Checker *k, const Ast *e) {
    const Ast *body = e->kid[e->n - 1];
    if (body->kind != AST_POW || body->parenthesised || !body->kid[0]->parenthesised)
        return;
    if (source_text(k->c, (Span){e->name_span.hi, e->name_span.hi + 1}).s[0] != '(')
        return;
    Diag *d = diag(k->c, W1102, e->name_span);
    diag_label(k->c, d, "this is the sum of the powers");
    diag_note(k->c, d,
              "for the power of the sum write (sum_i x_i)^2; to keep the meaning, leave a "
              "blank before the bracket");
}

static Shape big_body(Checker *k, const Ast *e, uint32_t at, const Binding *b) {
    const Ast *kid = e->kid[at];
    if (at + 1 == e->n) {
        shape_scalar(k, kid, b);
        return scalar;
    }
    IndexVar *v = NEW(&k->c->arena, IndexVar);
    v->name = kid->name;
    v->span = shape_where(k, kid->name_span);
    if (kid->kid[0])
        explicit_range(k, kid, b, v);
    Binding inner = {.outer = b, .name = kid->name, .index = v};
    big_body(k, e, at + 1, &inner);
    settle(k, v, false);
    fill_range(k, kid, v);
    if (!v->used && !k->in_library) {
        Str name = sym_str(k->c, v->name);
        diag(k->c, W1101, v->span, (int)name.n, name.s);
    }
    return scalar;
}

/* sum_{i<j}: both indices share a range, whichever of them tells it. */
static Shape ordered_shape(Checker *k, const Ast *e, const Binding *b) {
    IndexVar *v[2];
    for (int i = 0; i < 2; i++) {
        v[i] = NEW(&k->c->arena, IndexVar);
        v[i]->name = e->kid[i]->name;
        v[i]->span = shape_where(k, e->kid[i]->name_span);
    }
    Binding first = {.outer = b, .name = v[0]->name, .index = v[0]};
    Binding second = {.outer = &first, .name = v[1]->name, .index = v[1]};
    shape_scalar(k, e->kid[2], &second);
    same_range(v[0], v[1]);
    same_range(v[1], v[0]);
    for (int i = 0; i < 2; i++) {
        settle(k, v[i], false);
        fill_range(k, e->kid[i], v[i]);
    }
    if (!extent_same(v[0]->hi.rest, v[1]->hi.rest))
        range_clash(k, v[0], v[1]->by_span, sym_str(k->c, v[1]->by_name), v[1]->hi.rest);
    return scalar;
}

static Shape big_shape(Checker *k, const Ast *e, const Binding *b) {
    if (!k->in_library)
        warn_grouping(k, e);
    return e->flag ? ordered_shape(k, e, b) : big_body(k, e, 0, b);
}

/* ---- expectations and integrals ------------------------------------------------------------- */

static void law_shape(Checker *k, const Ast *law, const Binding *b) {
    if (sym_is(k->c, law->name, "radial"))
        return;
    for (uint32_t i = 0; i < law->n; i++)
        shape_scalar(k, law->kid[i], b);
}

static Shape expect_shape(Checker *k, const Ast *e, uint32_t at, const Binding *b) {
    if (at + 1 == e->n) {
        shape_scalar(k, e->kid[at], b);
        return scalar;
    }
    const Ast *target = e->kid[at]->kid[0];
    Shape s = shape_of_target(k, target, e->kid[at]->kid[1], true, b);
    Sym name = target->kind == AST_SUBSCRIPT ? target->kid[0]->name : target->name;
    Binding inner = {.outer = b, .name = name, .shape = s};
    return expect_shape(k, e, at + 1, &inner);
}

static Shape integral_shape(Checker *k, const Ast *e, const Binding *b) {
    shape_scalar(k, e->kid[0], b);
    shape_scalar(k, e->kid[1], b);
    Binding inner = {.outer = b, .name = e->name};
    shape_scalar(k, e->kid[2], &inner);
    return scalar;
}

/* ---- definitions and calls ------------------------------------------------------------------ */

static Shape target_axes(Checker *k, const Ast *target, uint32_t at, const Ast *value, bool law,
                         const Binding *b) {
    if (at == target->n) {
        if (law)
            law_shape(k, value, b);
        else
            shape_scalar(k, value, b);
        return scalar;
    }
    const Ast *index = target->kid[at];
    if (index->kind != AST_NAME || binding_find(b, index->name) || symbol_find(k->c, index->name)) {
        diag(k->c, E0418, shape_where(k, index->span));
        return scalar;
    }
    IndexVar *v = NEW(&k->c->arena, IndexVar);
    v->name = index->name;
    v->span = shape_where(k, index->span);
    Binding inner = {.outer = b, .name = index->name, .index = v};
    Shape s = target_axes(k, target, at + 1, value, law, &inner);
    bool shifted = v->used_in_subscript && !v->known;
    settle(k, v, !shifted);
    if (at <= 2)
        s.extent[at - 1] = v->hi.rest;
    return s;
}

Shape shape_of_target(Checker *k, const Ast *target, const Ast *value, bool law, const Binding *b) {
    if (target->kind != AST_SUBSCRIPT && law)
        law_shape(k, value, b);
    if (target->kind != AST_SUBSCRIPT)
        return law ? scalar : shape_of(k, value, b);
    Shape s = target_axes(k, target, 1, value, law, b);
    s.rank = target->n - 1;
    if (s.rank > 2) {
        Str text = shape_quoted(k, target->span);
        diag(k->c, E0403, shape_where(k, target->span), (int)text.n, text.s,
             "at most two subscripts", s.rank);
        s.rank = 2;
    }
    return s;
}

Shape shape_of_let(Checker *k, const Symbol *symbol) {
    Symbol *s = &k->c->symbols->list.at[symbol - k->c->symbols->list.at];
    size_t at = (size_t)(s - k->c->symbols->list.at);
    Shape shape = {.rank = s->rank};
    if (!k->let_done[at]) {
        k->let_done[at] = true;
        bool library = k->in_library;
        Sym function = k->function;
        k->in_library = false;
        k->function = 0;
        shape = shape_of_target(k, s->def->kid[0], s->def->kid[1], false, NULL);
        k->in_library = library;
        k->function = function;
        s->rank = shape.rank;
        s->extent[0] = shape.extent[0];
        s->extent[1] = shape.extent[1];
    }
    shape.extent[0] = s->extent[0];
    shape.extent[1] = s->extent[1];
    shape.rank = s->rank;
    return shape;
}

static const Instance *instance_find(const Checker *k, const Symbol *f, const Shape *arguments) {
    for (const Instance *t = k->instances[f - k->c->symbols->list.at]; t; t = t->next) {
        bool same = true;
        for (uint32_t a = 0; same && a < t->n; a++)
            same = shapes_agree(t->argument[a], arguments[a]);
        if (same)
            return t;
    }
    return NULL;
}

static Shape function_body(Checker *k, const Symbol *f, const Ast *head, uint32_t at,
                           const Ast *call, const Shape *arguments, const Binding *outer,
                           const Binding *b) {
    if (at < head->n) {
        Binding inner = {.outer = b,
                         .name = head->kid[at]->name,
                         .shape = arguments[at],
                         .argument = call->kid[at],
                         .coordinate = shape_coordinate(k, call->kid[at], outer)};
        return function_body(k, f, head, at + 1, call, arguments, outer, &inner);
    }
    return shape_of_target(k, f->def->kid[0], f->def->kid[1], false, b);
}

/* The arguments' own spans lie in the library when one library function calls another. */
static Shape function_shape(Checker *k, const Ast *e, const Symbol *f, const Binding *b) {
    Compilation *c = k->c;
    const Ast *target = f->def->kid[0];
    const Ast *head = target->kind == AST_SUBSCRIPT ? target->kid[0] : target;
    Shape *arguments = NEW_ARRAY(&c->arena, Shape, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++)
        arguments[i] = shape_of(k, e->kid[i], b);
    if (e->n != head->n) {
        Str name = sym_str(c, e->name);
        diag(c, E0415, shape_where(k, e->span), (int)name.n, name.s, head->n, e->n);
        return scalar;
    }
    const Instance *known = instance_find(k, f, arguments);
    if (known)
        return known->result;
    Checker saved = *k;
    if (f->library && !k->in_library) {
        k->in_library = true;
        k->site = e->span;
    }
    k->function = e->name;
    uint32_t errors = diag_errors(c);
    Shape result = function_body(k, f, head, 0, e, arguments, b, NULL);
    k->in_library = saved.in_library;
    k->site = saved.site;
    k->function = saved.function;
    if (diag_errors(c) == errors || !f->library) { /* a bad library call is reported each time */
        const Instance **list = &k->instances[f - c->symbols->list.at];
        Instance *t = NEW(&c->arena, Instance);
        *t = (Instance){.next = *list, .n = e->n, .argument = arguments, .result = result};
        *list = t;
    }
    return result;
}

static Shape call_shape(Checker *k, const Ast *e, const Binding *b) {
    Compilation *c = k->c;
    const Symbol *f = symbol_find(c, e->name);
    if (sym_is(c, e->name, "exact") || (f && f->kind == SYMBOL_FIELD))
        return scalar;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->kid[i]->kind == AST_ARG) {
            Str name = sym_str(c, e->name);
            diag(c, E0406, shape_where(k, e->kid[i]->span), "a named argument", (int)name.n,
                 name.s);
            return scalar;
        }
    if (f)
        return function_shape(k, e, f, b);
    Str name = sym_str(c, e->name);
    uint32_t arity = builtin_arity(name);
    if (e->n != arity)
        diag(c, E0415, shape_where(k, e->span), (int)name.n, name.s, arity, e->n);
    for (uint32_t i = 0; i < e->n; i++)
        shape_scalar(k, e->kid[i], b);
    return scalar;
}

/* `a / sum_i b * c` takes c into the sum, which a quick reader may not. */
static void warn_quotient(Checker *k, const Ast *e) {
    const Ast *big = e->kid[1];
    const Ast *body = big->kind == AST_BIG ? big->kid[big->n - 1] : NULL;
    if (k->in_library || !body || big->parenthesised || body->parenthesised ||
        (body->kind != AST_MUL && body->kind != AST_DIV))
        return;
    Diag *d = diag(k->c, W1103, e->name_span);
    diag_also(k->c, d, body->span, "all of this is summed, then divided by");
    diag_note(k->c, d,
              "put brackets around what is meant: 1 / (sum_i x_i * 2), or (1 / sum_i x_i) * 2");
}

Shape shape_of(Checker *k, const Ast *e, const Binding *b) {
    switch (e->kind) {
    case AST_NUMBER:
        return scalar;
    case AST_NAME:
        return shape_of_name(k, e, b);
    case AST_SUBSCRIPT:
        return subscript_shape(k, e, b);
    case AST_CALL:
        return call_shape(k, e, b);
    case AST_DERIVATIVE:
        return shape_of_derivative(k, e, b);
    case AST_NEG:
        return shape_of(k, e->kid[0], b);
    case AST_ADD:
    case AST_SUB:
        return sum_shape(k, e, b);
    case AST_DIV:
        warn_quotient(k, e);
        return product_shape(k, e, b);
    case AST_MUL:
        return product_shape(k, e, b);
    case AST_POW:
        return power_shape(k, e, b);
    case AST_BIG:
        return big_shape(k, e, b);
    case AST_ENTRIES:
        return range_entries(k, e, b);
    case AST_EXPECT:
        return expect_shape(k, e, 0, b);
    case AST_INTEGRAL:
        return integral_shape(k, e, b);
    case AST_STRING:
        diag(k->c, E0406, shape_where(k, e->span), "a text", 10, "expression");
        return scalar;
    case AST_LIST:
        diag(k->c, E0406, shape_where(k, e->span), "a list", 10, "expression");
        return scalar;
    default:
        return scalar;
    }
}
