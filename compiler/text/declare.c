/* declare.c: the symbols that statements declare. First part of the pass `resolve`. */
#include "text/symbols.h"

#include "base/compilation.h"
#include "base/limits.h"

static void declare(Compilation *c, SymbolKind kind, Sym name, Span span, const Ast *def,
                    uint32_t rank, bool library) {
    if (name == 0)
        return;
    Str text = sym_str(c, name);
    const Symbol *old = symbol_find(c, name);
    if (!library && (builtin_name(text) || builtin_arity(text))) {
        Diag *d = diag(c, E0303, span, (int)text.n, text.s);
        diag_label(c, d, "choose another name");
        return;
    }
    if (old && old->library == library) {
        Diag *d = diag(c, E0302, span, (int)text.n, text.s, symbol_kind_text(old->kind));
        diag_label(c, d, "declared again");
        diag_also(c, d, old->span, "first declared here");
        return;
    }
    if (!library && c->symbols->list.n == LIMIT_SYMBOLS) {
        if (!c->symbols->full)
            diag(c, E0707, span, LIMIT_SYMBOLS);
        c->symbols->full = true;
        return;
    }
    symbol_add(c, (Symbol){.kind = kind,
                           .name = name,
                           .span = span,
                           .def = def,
                           .rank = rank,
                           .library = library});
}

static void declare_target(Compilation *c, SymbolKind kind, const Ast *target, const Ast *def,
                           bool library) {
    if (target->kind == AST_SUBSCRIPT && target->kid[0]->kind == AST_CALL)
        declare(c, SYMBOL_FUNCTION, target->kid[0]->name, target->kid[0]->name_span, def,
                target->n - 1, library);
    else if (target->kind == AST_SUBSCRIPT)
        declare(c, kind, target->kid[0]->name, target->kid[0]->span, def, target->n - 1, library);
    else if (target->kind == AST_CALL)
        declare(c, SYMBOL_FUNCTION, target->name, target->name_span, def, 0, library);
    else
        declare(c, kind, target->name, target->name_span, def, 0, library);
}

static void declare_sample(Compilation *c, const Ast *s, bool library) {
    const Ast *target = s->kid[0];
    Sym name = target->kind == AST_SUBSCRIPT ? target->kid[0]->name : target->name;
    const Symbol *old = symbol_find(c, name);
    if (old && (old->kind == SYMBOL_SPACE || old->kind == SYMBOL_TIME || old->kind == SYMBOL_AUX ||
                old->kind == SYMBOL_COORDINATES))
        return;
    declare_target(c, SYMBOL_AUX, target, s, library);
}

/* Coordinates first: a sample statement before its domain must not declare x anew. */
static void declare_coordinates(Compilation *c, const Ast *s) {
    if (s->kind == AST_DOMAIN)
        declare(c, SYMBOL_SPACE, s->name, s->name_span, s, s->flag ? 0 : 1, false);
    else if (s->kind == AST_TIME)
        declare(c, SYMBOL_TIME, s->name, s->name_span, s, 0, false);
    else if (s->kind == AST_COORDINATES)
        declare(c, SYMBOL_COORDINATES, s->name, s->name_span, s, 1, false);
}

static void declare_statement(Compilation *c, const Ast *s, bool library) {
    switch (s->kind) {
    case AST_DIM:
    case AST_PARAM:
        for (uint32_t i = 0; i < s->n; i++)
            declare(c, s->kind == AST_DIM ? SYMBOL_DIM : SYMBOL_PARAM, s->kid[i]->name,
                    s->kid[i]->name_span, s->kid[i], 0, library);
        break;
    case AST_FIELD:
        for (uint32_t i = 0; i < s->n; i++)
            declare(c, SYMBOL_FIELD, s->kid[i]->name, s->kid[i]->name_span, s->kid[i], 0, library);
        break;
    case AST_UNKNOWN:
        declare(c, SYMBOL_UNKNOWN, s->name, s->name_span, s, 0, library);
        break;
    case AST_LET:
        for (uint32_t i = 0; i < s->n; i++)
            declare_target(c, SYMBOL_LET, s->kid[i]->kid[0], s->kid[i], library);
        break;
    case AST_RANDOM:
        declare_target(c, SYMBOL_RANDOM, s->kid[0], s, library);
        break;
    case AST_DATA:
        declare_target(c, SYMBOL_DATA, s->kid[0], s, library);
        break;
    case AST_SOURCE:
        for (uint32_t i = 0; i < s->n; i++)
            declare(c, SYMBOL_SOURCE, s->kid[i]->name, s->kid[i]->span, s, 0, library);
        break;
    case AST_SAMPLE:
        declare_sample(c, s, library);
        break;
    default:
        break;
    }
}

void declare_all(Compilation *c) {
    for (uint32_t i = 0; i < c->program->n; i++)
        declare_coordinates(c, c->program->kid[i]);
    for (uint32_t i = 0; i < c->program->n; i++)
        declare_statement(c, c->program->kid[i], false);
    for (uint32_t i = 0; i < c->library->n; i++)
        declare_statement(c, c->library->kid[i], true);
}
