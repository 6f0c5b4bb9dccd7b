/* resolve.h: what the files of the pass `resolve` share. */
#ifndef PDE_COMPILER_TEXT_RESOLVE_H
#define PDE_COMPILER_TEXT_RESOLVE_H

#include "base/diag.h"
#include "text/symbols.h"

/* A name bound inside an expression. Lives on the C stack of the walk. */
typedef struct Scope Scope;
struct Scope {
    const Scope *outer;
    Sym name;
    Span span;
    bool index;
};

typedef struct Resolver {
    Compilation *c;
    bool net_allowed, outward_allowed, inf_allowed;
    bool library;
    bool *has_exact; /* by symbol */
    const Ast
        *derivative; /* the outermost one around here: what a missing sum would stand before */
} Resolver;

typedef void (*ResolveInside)(Resolver *r, const Ast *e, uint32_t at, const Scope *scope);

/* resolve.c: names in expressions */
const Scope *resolve_scope(const Scope *scope, Sym name); /* NULL: not bound here */
void resolve_expression(Resolver *r, const Ast *e, const Scope *scope);
void resolve_kids(Resolver *r, const Ast *e, const Scope *scope);
void resolve_inside_law(Resolver *r, const Ast *e, uint32_t at, const Scope *scope);
void resolve_inside_value(Resolver *r, const Ast *e, uint32_t at, const Scope *scope);
/* The free indices on the left of `let F_i =` and its like, then whatever follows inside. */
void resolve_indices(Resolver *r, const Ast *target, uint32_t at, const Scope *scope,
                     ResolveInside inside, const Ast *e, uint32_t next);
/* Adds to d the known name that is nearest to an unknown one. */
void resolve_suggest(Resolver *r, Diag *d, Span span, Sym name, const Scope *scope, bool function);

/* resolve_statement.c */
void resolve_statement(Resolver *r, const Ast *statement);

#endif
