/* symbols.h: what every name of a problem means. Filled by resolve.c, read by check.c and lower.c. */
#ifndef PDE_COMPILER_TEXT_SYMBOLS_H
#define PDE_COMPILER_TEXT_SYMBOLS_H

#include "base/suggest.h"
#include "text/ast.h"

typedef enum SymbolKind {
    SYMBOL_DIM,        /* dim d = 100: an integer, set at run time */
    SYMBOL_PARAM,      /* param T = 0.3 */
    SYMBOL_SPACE,      /* the coordinate vector of `domain` */
    SYMBOL_TIME,       /* the coordinate of `time` */
    SYMBOL_FIELD,      /* an unknown function */
    SYMBOL_UNKNOWN,    /* an unknown number */
    SYMBOL_LET,        /* a named expression; rank 0, 1 or 2; definition: LETDEF */
    SYMBOL_FUNCTION,   /* let f(y) = ...; definition: LETDEF whose kid 0 is a CALL */
    SYMBOL_RANDOM,     /* random c_i ~ law */
    SYMBOL_DATA,       /* data A_ij from file */
    SYMBOL_SOURCE,     /* g of `source g from exact` */
    SYMBOL_AUX,        /* an auxiliary random number of `sample s ~ ...` */
    SYMBOL_COORDINATES /* y of `coordinates y = sine(x)` */
} SymbolKind;

/* The number of entries along one axis, as coef * dim + constant (dim 0: a constant). */
typedef struct Extent {
    Sym dim;
    int64_t coef, constant;
} Extent;

typedef struct Symbol {
    SymbolKind kind;
    Sym name;
    Span span;      /* where it is declared (its name) */
    const Ast *def; /* the declaring statement (for LET, FUNCTION: the LETDEF) */
    uint32_t rank;  /* 0 scalar, 1 vector, 2 matrix */
    Extent extent[2];
    bool library; /* declared in stdlib */
} Symbol;

/* owner: Compilation (arena). Every name of the program in order of declaration, then stdlib's. */
typedef struct Symbols {
    VEC(Symbol) list;
    uint32_t *by_name; /* by Sym: position + 1 in list, 0: none */
    uint32_t by_names;
    bool full; /* the limit was reported */
} Symbols;

const Symbol *symbol_find(const Compilation *c, Sym name); /* NULL: no such name */
Symbol *symbol_add(Compilation *c, Symbol symbol);
const Symbol *symbol_of_kind(const Compilation *c, SymbolKind kind); /* the first; NULL: none */
const char *symbol_kind_text(SymbolKind kind);                       /* "a parameter" */

/* The parts of the pass `resolve`: declare.c fills c->symbols, definitions.c checks the lets. */
void declare_all(Compilation *c);
void definitions_check(Compilation *c);
/* A feature with a free index is a vector given by its entries: it becomes ENTRIES in the list, with the
 * index bound. Says where a feature has two. Before names are resolved. */
void features_bind(Compilation *c, const Ast *list);

/* Functions the language knows (func.def and sqrt): number of arguments, 0 if it is none. */
uint32_t builtin_arity(Str name);
void builtin_offer(Suggestion *near);
/* pi, inf, net, outward, delta, exact, space. */
bool builtin_name(Str name);

#endif
