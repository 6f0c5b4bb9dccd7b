/* feature_bind.c: free indices in the list of features become bound. */
#include "base/compilation.h"
#include "text/symbols.h"

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
    if (e->kind == AST_NAME && subscript && !is_bound(bound, e->name) &&
        !symbol_find(f->c, e->name) && f->n < 2 && (f->n == 0 || f->at[0]->name != e->name))
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
