/* feature.h: what the network sees in place of x and t: network mlp(features = [x_i*x_{i+1}, norm(x)^2/d, t]). */
#ifndef PDE_COMPILER_LOWER_FEATURE_H
#define PDE_COMPILER_LOWER_FEATURE_H

#include "ir/problem.h"

/* Problem.features; NULL where solve { } has none. And whether the network is linear in them. */
void features_lower(Compilation *c, Problem *p);
/* Are they those of a periodic domain, and none are stated? */
bool features_are_implied(const Compilation *c);
/* A field may have fewer variables than the network sees, if it can see some of its own (E0583). */
void features_check_fields(Compilation *c, const Problem *p);
/* Its exact solution and its trial function then depend on no others (E0586). */
void features_check_trials(Compilation *c, const Problem *p);

#endif
