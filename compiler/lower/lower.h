/* lower.h: what the files that lower expressions share. */
#ifndef PDE_COMPILER_LOWER_LOWER_H
#define PDE_COMPILER_LOWER_LOWER_H

#include "ir/problem.h"

struct Env {
    const Env *outer;
    Sym name;
    Ref value;      /* an index or a bound variable: this IR expression */
    bool vector;    /* an AUX vector of an expectation */
    const Ast *ast; /* or a closure */
    const Env *env;
    Memo *cache; /* of a closure: its values, so that f(f(f(y))) is not lowered eight times */
};

const Env *env_find(const Env *env, Sym name); /* lower.c; NULL: not bound */

/* The arguments of a call under the names that the head f(a, b) has for them. */
const Env *lower_arguments(Compilation *c, const Env *env, const Ast *call, const Ast *head);

/* lower_extent.c */
const Symbol *lower_lookup(const Compilation *c, Sym name);
/* The function a call names, or NULL for built-in ones. */
const Symbol *lower_function_of(const Compilation *c, const Ast *call);
uint32_t lower_rank_of(Compilation *c, const Env *env, const Ast *e);
/* The number of entries of a vector expression; false if nothing in it says. */
bool lower_extent_of(Compilation *c, const Env *env, const Ast *e, uint32_t axis, Ref *extent);
/* Where the index subscripts something: that something's extent. For ranges the checks leave open
 * because they depend on a function's argument (dot(a, b) = sum_i a_i * b_i). False: nothing says it. */
bool lower_infer_extent(Compilation *c, const Env *env, const Ast *e, Sym index, Ref *extent);

#endif
