/* extent.c: numbers of entries, affine in one dimension: comparing, reading, writing. */
#include "base/compilation.h"
#include "check/shape.h"

#include <math.h>
#include <stdlib.h>

static bool combine(Extent a, Extent b, int64_t sign, Extent *sum) {
    if (a.coef && b.coef && a.dim != b.dim)
        return false;
    if (llabs(a.coef) > 1000000000 || llabs(b.coef) > 1000000000 ||
        llabs(a.constant) > 1000000000000 || llabs(b.constant) > 1000000000000)
        return false;
    sum->coef = a.coef + sign * b.coef;
    sum->constant = a.constant + sign * b.constant;
    sum->dim = a.coef ? a.dim : b.dim;
    if (sum->coef == 0)
        sum->dim = 0;
    return true;
}

/* Of vectors over several dims it has no form of its own: `space` times one, which stands for their sum. */
Extent space_extent(Compilation *c) {
    Extent sum = {0};
    for (uint32_t i = 0; i < c->symbols->list.n; i++) {
        const Symbol *s = &c->symbols->list.at[i];
        if (s->kind == SYMBOL_SPACE && !combine(sum, s->extent[0], 1, &sum))
            return (Extent){.dim = intern_cstr(c, "space"), .coef = 1};
    }
    return sum;
}

bool extent_is_mixed(const Compilation *c, Extent e) {
    return e.coef && sym_is(c, e.dim, "space");
}

bool extent_same(Extent a, Extent b) {
    return a.coef == b.coef && a.constant == b.constant && (a.coef == 0 || a.dim == b.dim);
}

static bool whole(const Ast *e, Extent *extent) {
    if (e->number != floor(e->number) || fabs(e->number) > 1e12)
        return false;
    *extent = (Extent){.constant = (int64_t)e->number};
    return true;
}

bool extent_value(Compilation *c, Extent e, double *value) {
    double d = 0, own;
    if (extent_is_mixed(c, e)) {
        for (uint32_t i = 0; i < c->symbols->list.n; i++) {
            const Symbol *s = &c->symbols->list.at[i];
            if (s->kind != SYMBOL_SPACE)
                continue;
            if (!extent_value(c, s->extent[0], &own))
                return false;
            d += own;
        }
    } else if (e.coef) {
        const Symbol *s = symbol_find(c, e.dim);
        if (!s || !constant_value(c, s->def->kid[0], &d))
            return false;
    }
    *value = (double)e.coef * d + (double)e.constant;
    return true;
}

bool extent_of_expression(Compilation *c, const Ast *e, Extent *extent) {
    Extent a, b;
    const Symbol *s;
    switch (e->kind) {
    case AST_NUMBER:
        return whole(e, extent);
    case AST_NAME:
        s = symbol_find(c, e->name);
        if (!s || s->kind != SYMBOL_DIM)
            return false;
        *extent = (Extent){.dim = e->name, .coef = 1};
        return true;
    case AST_ADD:
    case AST_SUB:
        return extent_of_expression(c, e->kid[0], &a) && extent_of_expression(c, e->kid[1], &b) &&
               combine(a, b, e->kind == AST_ADD ? 1 : -1, extent);
    case AST_NEG:
        return extent_of_expression(c, e->kid[0], &a) && combine((Extent){0}, a, -1, extent);
    case AST_MUL:
        if (!extent_of_expression(c, e->kid[0], &a) || !extent_of_expression(c, e->kid[1], &b))
            return false;
        if (a.coef && b.coef)
            return false;
        if (a.coef) {
            Extent swap = a;
            a = b;
            b = swap;
        }
        if (llabs(a.constant) > 1000000 || llabs(b.constant) > 1000000 || llabs(b.coef) > 1000000)
            return false;
        *extent = (Extent){
            .dim = b.dim, .coef = a.constant * b.coef, .constant = a.constant * b.constant};
        return true;
    default:
        return false;
    }
}

static bool default_of(Compilation *c, Sym dim, double *value) {
    const Symbol *s = symbol_find(c, dim);
    if (sym_is(c, dim, "space"))
        return extent_value(c, (Extent){.dim = dim, .coef = 1}, value);
    return s && s->kind == SYMBOL_DIM && constant_value(c, s->def->kid[0], value);
}

/* The vectors' own lengths, of an extent that is the sum of all. */
static void print_lengths(Compilation *c, Text *out) {
    bool first = true;
    for (uint32_t i = 0; i < c->symbols->list.n; i++) {
        const Symbol *s = &c->symbols->list.at[i];
        if (s->kind != SYMBOL_SPACE)
            continue;
        text_printf(out, "%s%s", first ? "" : "+", extent_formula(c, s->extent[0]));
        first = false;
    }
}

const char *extent_formula(Compilation *c, Extent e) {
    Text t = {.arena = &c->arena};
    if (extent_is_mixed(c, e) && e.coef == 1) {
        print_lengths(c, &t);
        if (e.constant)
            text_printf(&t, "%c%lld", e.constant < 0 ? '-' : '+', llabs((long long)e.constant));
        return text_cstr(&t);
    }
    if (e.coef == 0) {
        text_printf(&t, "%lld", (long long)e.constant);
        return text_cstr(&t);
    }
    if (e.coef != 1)
        text_printf(&t, "%lld*", (long long)e.coef);
    text_printf(&t, "%s", sym_cstr(c, e.dim));
    if (e.constant)
        text_printf(&t, "%c%lld", e.constant < 0 ? '-' : '+', llabs((long long)e.constant));
    return text_cstr(&t);
}

const char *extent_text(Compilation *c, Extent e) {
    Text t = {.arena = &c->arena};
    double d;
    text_printf(&t, "%s", extent_formula(c, e));
    if (e.coef && default_of(c, e.dim, &d))
        text_printf(&t, " = %.0f", (double)e.coef * d + (double)e.constant);
    return text_cstr(&t);
}

const char *shape_text(Compilation *c, Shape s) {
    Text t = {.arena = &c->arena};
    if (s.rank == 0)
        return "a scalar";
    if (s.rank == 1)
        text_printf(&t, "a vector of length %s", extent_text(c, s.extent[0]));
    else
        text_printf(&t, "a matrix of %s by %s", extent_text(c, s.extent[0]),
                    extent_text(c, s.extent[1]));
    return text_cstr(&t);
}

Ast *extent_ast(Compilation *c, Extent e, Span span) {
    Ast *constant = ast_new(c, AST_NUMBER, span, 0, NULL);
    constant->number = (double)llabs(e.constant);
    if (e.coef == 0) {
        constant->number = (double)e.constant;
        return constant;
    }
    Ast *dim = ast_new(c, AST_NAME, span, 0, NULL);
    dim->name = e.dim;
    if (e.coef != 1) {
        Ast *factor = ast_new(c, AST_NUMBER, span, 0, NULL);
        factor->number = (double)e.coef;
        dim = ast_new(c, AST_MUL, span, 2, (Ast *[]){factor, dim});
    }
    if (e.constant == 0)
        return dim;
    return ast_new(c, e.constant < 0 ? AST_SUB : AST_ADD, span, 2, (Ast *[]){dim, constant});
}
