/* feature.h: what the network sees in place of x and t: network mlp(features = [x_i*x_{i+1}, norm(x)^2/d, t]). */
#ifndef PDE_COMPILER_LOWER_FEATURE_H
#define PDE_COMPILER_LOWER_FEATURE_H

#include "ir/problem.h"

/* A feature with a free index is a vector given by its entries: it becomes ENTRIES in the list, with the
 * index bound. Says where a feature has two. Before names are resolved. */
void features_bind(Compilation *c, const Ast *list);
/* Problem.features; NULL where solve { } has none. And whether the network is linear in them. */
void features_lower(Compilation *c, Problem *p);
/* How many entries a vector has: a multiple of one dimension, and a number. */
Extent feature_entries(const Compilation *c, const Feature *f);

#endif
