/* check.h: what the files of the pass `check` share. */
#ifndef PDE_COMPILER_CHECK_CHECK_H
#define PDE_COMPILER_CHECK_CHECK_H

#include "base/compilation.h"
#include "check/shape.h"

#define BIT(kind) (1u << (uint32_t)(kind))

/* check.c */
bool check_is(const Compilation *c, Sym name, const char *text);
const Ast *check_find(const Compilation *c, AstKind kind); /* the first of a kind, or NULL */
Symbol *check_symbol(Compilation *c, Sym name);            /* NULL: none of this name */

/* check_laws.c */
void check_random(Checker *k, const Ast *s);
void check_data(Checker *k, const Ast *s);
void check_sample(Checker *k, const Ast *s);

enum { EXPECTATION_SAMPLES_MAX = 1000000000 }; /* sample numbers are 32-bit counters */

#endif
