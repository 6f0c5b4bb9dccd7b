/* feature.c: the list of features, from the text to the IR. */
#include "lower/feature.h"

#include <string.h>

#include "base/compilation.h"
#include "ir/net_input.h"
#include "text/symbols.h"

/* ---- free indices ---- */

typedef struct Bound {
    const struct Bound *outer;
    Sym name;
} Bound;

static bool is_bound(const Bound *b, Sym name) {
    while (b && b->name != name)
        b = b->outer;
    return b != NULL;
}

/* The first free indices with different names. */
typedef struct Free {
    Compilation *c;
    const Ast *at[2];
    uint32_t n;
} Free;

static void find_free(Free *f, const Ast *e, const Bound *bound, bool subscript);

static void find_in_big(Free *f, const Ast *e, uint32_t at, const Bound *bound) {
    find_free(f, e->kid[at], bound, false);
    if (at + 1 == e->n)
        return;
    Bound inner = {bound, e->kid[at]->name};
    find_in_big(f, e, at + 1, &inner);
}

/* Names in subscripts that nothing declares. */
static void find_free(Free *f, const Ast *e, const Bound *bound, bool subscript) {
    if (e->kind == AST_BIG) {
        find_in_big(f, e, 0, bound);
        return;
    }
    if (e->kind == AST_EXPECT) /* binds its own; no feature has one */
        return;
    if (e->kind == AST_NAME && subscript && !is_bound(bound, e->name) && !symbol_find(f->c, e->name) && f->n < 2 &&
        (f->n == 0 || f->at[0]->name != e->name))
        f->at[f->n++] = e;
    for (uint32_t k = 0; k < e->n; k++)
        if (e->kid[k])
            find_free(f, e->kid[k], bound, subscript || (e->kind == AST_SUBSCRIPT && k > 0));
}

void features_bind(Compilation *c, const Ast *list) {
    for (uint32_t k = 0; k < list->n; k++) {
        Free f = {.c = c};
        Ast *entry = list->kid[k];
        find_free(&f, entry, NULL, false);
        if (f.n == 0)
            continue;
        if (f.n == 2) {
            Str first = sym_str(c, f.at[0]->name), second = sym_str(c, f.at[1]->name);
            Diag *d = diag(c, E0433, f.at[1]->span, (int)first.n, first.s, (int)second.n, second.s);
            diag_also(c, d, f.at[0]->span, "the first");
            list->kid[k] = ast_new(c, AST_ERROR, entry->span, 0, NULL);
            continue;
        }
        Ast *range = ast_new(c, AST_RANGE, f.at[0]->span, 2, (Ast *[]){NULL, NULL});
        range->name = f.at[0]->name;
        range->name_span = f.at[0]->span;
        list->kid[k] = ast_new(c, AST_ENTRIES, entry->span, 2, (Ast *[]){range, entry});
    }
}

/* ---- lowering ---- */

/* The value of network mlp(NAME = ...) if it is of that kind, or NULL. */
static const Ast *network_argument(const Compilation *c, const Ast *solve, const char *name, AstKind kind) {
    for (uint32_t k = 0; solve && k < solve->n; k++) {
        const Ast *setting = solve->kid[k], *value = setting->kid[0];
        if (strcmp(sym_cstr(c, setting->name), "network") != 0 || value->kind != AST_CALL)
            continue;
        for (uint32_t a = 0; a < value->n; a++)
            if (value->kid[a]->kind == AST_ARG && strcmp(sym_cstr(c, value->kid[a]->name), name) == 0 &&
                value->kid[a]->kid[0]->kind == kind)
                return value->kid[a]->kid[0];
    }
    return NULL;
}

static Feature lower_feature(Compilation *c, const Ast *ast) {
    Feature f = {.ast = ast};
    uint32_t rank = lower_rank(c, ast);
    if (rank == 0) {
        f.value = lower_scalar(c, NULL, ast);
    } else {
        f.index = ir_fresh_index(c->ir);
        f.value = lower_entry(c, ast, f.index);
        if (rank > 1 || !lower_entries(c, ast, &f.size)) {
            diag(c, E0556, ast->span);
            f.size = c->problem->d;
        }
    }
    if (ir_has_net(c->ir, f.value))
        diag(c, E0601, ast->span, "a feature must not depend on the unknown");
    return f;
}

void features_lower(Compilation *c, Problem *p) {
    const Ast *list = network_argument(c, p->solve, "features", AST_LIST);
    const Ast *activation = network_argument(c, p->solve, "activation", AST_NAME);
    uint32_t vectors = 0;
    c->ir->linear_net = activation && strcmp(sym_cstr(c, activation->name), "identity") == 0;
    if (!list || list->n == 0)
        return;
    p->features = NEW(&c->arena, Features);
    for (uint32_t k = 0; k < list->n; k++) {
        Feature f = lower_feature(c, list->kid[k]);
        vectors += f.index != 0;
        p->features->wide |= f.index && f.size != p->d;
        VEC_PUSH(&c->arena, p->features->at, f);
    }
    p->features->wide |= vectors > 1;
    if (vectors > INPUT_VECTORS || list->n - vectors > INPUT_SCALARS)
        diag(c, E0559, list->span, vectors > INPUT_VECTORS ? "vectors" : "numbers");
    c->ir->features = p->features;
}

Extent feature_entries(const Compilation *c, const Feature *f) {
    Ir *ir = c->ir;
    Extent e = {0};
    bool sum = ir_is(ir, f->size, OP_ADD);
    for (uint32_t k = 0; k < (sum ? ir_arity(ir, f->size) : 1); k++) {
        Ref rest;
        double factor = ir_coefficient(ir, sum ? ir_kid(ir, f->size, k) : f->size, &rest);
        if (ir_is(ir, rest, OP_DIM)) {
            e.dim = (Sym)ir_id(ir, rest);
            e.coef += (int64_t)factor;
        } else {
            e.constant += (int64_t)factor;
        }
    }
    return e;
}
