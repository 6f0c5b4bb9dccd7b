/* symbols.c: the table of names, and what the language itself defines. */
#include "text/symbols.h"

#include "base/compilation.h"

#include <string.h>

/* By Sym, so that looking up is one array access; 0: none, else position + 1. */
static void by_name_grow(Compilation *c, Symbols *s, Sym name) {
    if (name < s->by_names)
        return;
    uint32_t cap = s->by_names ? s->by_names * 2 : 256;
    while (cap <= name)
        cap *= 2;
    s->by_name = arena_grow(&c->arena, s->by_name, s->by_names * sizeof *s->by_name,
                            cap * sizeof *s->by_name);
    s->by_names = cap;
}

Symbol *symbol_add(Compilation *c, Symbol symbol) {
    Symbols *s = c->symbols;
    by_name_grow(c, s, symbol.name);
    VEC_PUSH(&c->arena, s->list, symbol);
    if (s->by_name[symbol.name] == 0)
        s->by_name[symbol.name] = s->list.n;
    return &s->list.at[s->list.n - 1];
}

const Symbol *symbol_find(const Compilation *c, Sym name) {
    const Symbols *s = c->symbols;
    if (!s || name >= s->by_names || s->by_name[name] == 0)
        return NULL;
    return &s->list.at[s->by_name[name] - 1];
}

const Symbol *symbol_of_kind(const Compilation *c, SymbolKind kind) {
    for (uint32_t i = 0; i < c->symbols->list.n; i++)
        if (c->symbols->list.at[i].kind == kind)
            return &c->symbols->list.at[i];
    return NULL;
}

const char *symbol_kind_text(SymbolKind kind) {
    switch (kind) {
    case SYMBOL_DIM:
        return "a dimension";
    case SYMBOL_PARAM:
        return "a parameter";
    case SYMBOL_SPACE:
        return "the coordinate vector";
    case SYMBOL_TIME:
        return "the time";
    case SYMBOL_FIELD:
        return "a field";
    case SYMBOL_UNKNOWN:
        return "an unknown number";
    case SYMBOL_LET:
        return "a definition";
    case SYMBOL_FUNCTION:
        return "a function";
    case SYMBOL_RANDOM:
        return "a random constant";
    case SYMBOL_DATA:
        return "data from a file";
    case SYMBOL_SOURCE:
        return "a source";
    case SYMBOL_AUX:
        return "an auxiliary random number";
    case SYMBOL_COORDINATES:
        return "a coordinate vector";
    }
    return "a name";
}

/* ---- what the language itself defines ---- */

typedef struct Builtin {
    const char *name;
    uint32_t arity;
} Builtin;

static const Builtin functions[] = {
    {"sqrt", 1},
#define F(name, arity, jump, spelling, da, db) {#name, arity},
#include "text/func.def"
};

uint32_t builtin_arity(Str name) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == name.n && memcmp(functions[i].name, name.s, name.n) == 0)
            return functions[i].arity;
    return 0;
}

void builtin_offer(Suggestion *near) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        suggest_offer(near, (Str){functions[i].name, strlen(functions[i].name)});
}

bool builtin_name(Str name) {
    static const char *const names[] = {"pi", "inf", "net", "outward", "delta", "exact", "space"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == name.n && memcmp(names[i], name.s, name.n) == 0)
            return true;
    return false;
}
