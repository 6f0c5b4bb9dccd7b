/* extent.c: numbers of entries, affine in one dimension: comparing, reading, writing. */
#include "base/compilation.h"
#include "check/shape.h"

#include <math.h>
#include <stdlib.h>

Extent space_extent(const Compilation *c) {
    const Symbol *space = symbol_of_kind(c, SYMBOL_SPACE);
    return space ? space->extent[0] : (Extent){0};
}

bool extent_same(Extent a, Extent b) {
    return a.coef == b.coef && a.constant == b.constant && (a.coef == 0 || a.dim == b.dim);
}

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

static bool whole(const Ast *e, Extent *extent) {
    if (e->number != floor(e->number) || fabs(e->number) > 1e12)
        return false;
    *extent = (Extent){.constant = (int64_t)e->number};
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
    return s && s->kind == SYMBOL_DIM && constant_value(c, s->def->kid[0], value);
}

const char *extent_formula(Compilation *c, Extent e) {
    Text t = {.arena = &c->arena};
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
