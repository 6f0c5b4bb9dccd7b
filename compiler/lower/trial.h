/* trial.h: trial functions: what the compiler builds for `exactly`, and proofs for an ansatz. */
#ifndef PDE_COMPILER_LOWER_TRIAL_H
#define PDE_COMPILER_LOWER_TRIAL_H

#include "ir/problem.h"

/* Fills Field.trial, the in_net forms of equations, conditions and reports, and every
 * ConditionRow.state. */
void trial_build(Compilation *c, Problem *p);

/* e in NET atoms: sources and trial functions put in, written out. */
Ref trial_apply(Compilation *c, const Problem *p, Ref e);

/* The places of an `at` clause (problem.c); env: what is bound around it. */
uint32_t lower_places(Compilation *c, const Env *env, const Ast *at, PlaceRow *rows);

/* Sources by their values; an unknown by an expression (problem.c). */
Ref problem_put_sources(Compilation *c, const Problem *p, Ref e);
Ref problem_put_unknown(Compilation *c, Ref e, Sym name, Ref value);

#endif
