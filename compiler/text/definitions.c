/* definitions.c: no definition leads back to itself, and no chain of them is too deep.
 *
 * Requires: c->symbols. Later passes put definitions into one another recursively, so the depth of
 * what comes out is bounded here, by LIMIT_EXPANDED_DEPTH. */
#include "text/symbols.h"

#include "base/compilation.h"
#include "base/limits.h"

/* A name bound around an expression: it is no symbol there. Lives on the C stack or the arena. */
typedef struct Scope Scope;
struct Scope {
    const Scope *outer;
    Sym name;
};

static const Scope *scope_find(const Scope *scope, Sym name) {
    while (scope && scope->name != name)
        scope = scope->outer;
    return scope;
}

typedef struct Depths {
    Compilation *c;
    uint32_t *height; /* by symbol; 0: not known yet */
    bool *open;
    bool failed;
} Depths;

static uint32_t height_of(Depths *k, const Ast *e, uint32_t above, const Scope *scope);

/* The value of a definition, under its parameters and indices. */
static uint32_t height_of_value(Depths *k, const Ast *def, const Ast *binder, uint32_t at,
                                uint32_t above, const Scope *scope) {
    const Ast *first = at == 0 && binder->n ? binder->kid[0] : NULL;
    if (first && first->kind == AST_CALL && binder->kind == AST_SUBSCRIPT && first->n) {
        Scope *parameters = NEW_ARRAY(&k->c->arena, Scope, first->n);
        for (uint32_t i = 0; i < first->n; i++) {
            parameters[i] = (Scope){.outer = scope, .name = first->kid[i]->name};
            scope = &parameters[i];
        }
        return height_of_value(k, def, binder, 1, above, scope);
    }
    if (at >= binder->n)
        return height_of(k, def->kid[1], above, scope);
    Scope inner = {.outer = scope, .name = binder->kid[at]->name};
    return height_of_value(k, def, binder, at + 1, above, &inner);
}

static uint32_t height_of_symbol(Depths *k, const Ast *use, uint32_t above) {
    const Symbol *s = symbol_find(k->c, use->name);
    if (!s || (s->kind != SYMBOL_LET && s->kind != SYMBOL_FUNCTION) || k->failed)
        return 0;
    size_t at = (size_t)(s - k->c->symbols->list.at);
    Str text = sym_str(k->c, s->name);
    if (k->open[at]) {
        Diag *d = diag(k->c, E0306, use->name_span, (int)text.n, text.s);
        diag_also(k->c, d, s->span, "defined here");
        k->failed = true;
        return 0;
    }
    if (k->height[at] == 0) {
        k->open[at] = true;
        k->height[at] = height_of_value(k, s->def, s->def->kid[0], 0, above, NULL) + 1;
        k->open[at] = false;
    }
    if (above + k->height[at] > LIMIT_EXPANDED_DEPTH && !k->failed) {
        diag(k->c, E0704, use->span, (int)text.n, text.s, LIMIT_EXPANDED_DEPTH);
        k->failed = true;
    }
    return k->height[at];
}

/* The body of a sum, under its indices. */
static uint32_t height_of_big(Depths *k, const Ast *e, uint32_t at, uint32_t above,
                              const Scope *scope) {
    uint32_t height = height_of(k, e->kid[at], above + 1, scope);
    if (at + 1 == e->n)
        return height + 1;
    Scope inner = {.outer = scope, .name = e->kid[at]->name};
    uint32_t rest = height_of_big(k, e, at + 1, above, &inner);
    return height + 1 > rest ? height + 1 : rest;
}

static uint32_t height_of(Depths *k, const Ast *e, uint32_t above, const Scope *scope) {
    uint32_t most = 0;
    if (k->failed || above > LIMIT_EXPANDED_DEPTH + LIMIT_TREE_DEPTH)
        return 0;
    if (e->kind == AST_BIG || e->kind == AST_ENTRIES)
        return height_of_big(k, e, 0, above, scope);
    for (uint32_t i = 0; i < e->n; i++)
        if (e->kid[i]) {
            uint32_t h = height_of(k, e->kid[i], above + 1, scope);
            most = h > most ? h : most;
        }
    if (e->kind == AST_NAME && !scope_find(scope, e->name))
        most += height_of_symbol(k, e, above);
    else if (e->kind == AST_CALL) /* the arguments stand inside the body */
        most += height_of_symbol(k, e, above + most);
    return most + 1;
}

void definitions_check(Compilation *c) {
    Depths k = {.c = c};
    uint32_t n = c->symbols->list.n;
    k.height = NEW_ARRAY(&c->arena, uint32_t, n + 1);
    k.open = NEW_ARRAY(&c->arena, bool, n + 1);
    for (uint32_t i = 0; i < n && !k.failed; i++) {
        const Symbol *s = &c->symbols->list.at[i];
        if ((s->kind != SYMBOL_LET && s->kind != SYMBOL_FUNCTION) || k.height[i])
            continue;
        k.open[i] = true;
        k.height[i] = height_of_value(&k, s->def, s->def->kid[0], 0, 0, NULL) + 1;
        k.open[i] = false;
    }
}
