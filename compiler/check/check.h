/* check.h: what the files of the pass `check` share. */
#ifndef PDE_COMPILER_CHECK_CHECK_H
#define PDE_COMPILER_CHECK_CHECK_H

#include "base/compilation.h"
#include "check/shape.h"

#define BIT(kind) (1u << (uint32_t)(kind))

/* check.c */
const Ast *check_find(const Compilation *c, AstKind kind); /* the first of a kind, or NULL */
Symbol *check_symbol(Compilation *c, Sym name);            /* NULL: none of this name */

/* check_domain.c */
/* False: a parameter uses a later one; evaluating could go in circles, and nothing else is checked. */
bool check_constants_order(Checker *k);
bool check_constant(Checker *k, const Ast *e); /* numbers, dims and params only? */
bool check_order(Checker *k, const Ast *lo, const Ast *hi, const char *what); /* lo < hi? */
void check_domain(Checker *k, const Ast *s);
bool check_space_extent(Checker *k);      /* sets it, before all else: all extents rest on it */
bool check_bounded(const Compilation *c); /* has any of the domains a boundary? */
bool check_is_bounded(const Compilation *c, const Ast *domain);
/* Has its boundary these parts (domain_part.h)? What a message says of them; NULL: it is one part. */
bool check_has_parts(const Compilation *c, const Ast *domain, unsigned parts);
const char *check_parts(Compilation *c, const Ast *domain);

/* check_faces.c */
void check_faces(Checker *k, const Ast *faces);

/* check_laws.c */
void check_random(Checker *k, const Ast *s);
void check_data(Checker *k, const Ast *s);
void check_sample(Checker *k, const Ast *s);

enum { EXPECTATION_SAMPLES_MAX = 1000000000 }; /* sample numbers are 32-bit counters */

#endif
