/* mean.h: constraint integral(e) = R, constraint mean(e) = R: conditions on a mean over points. */
#ifndef PDE_COMPILER_LOWER_MEAN_H
#define PDE_COMPILER_LOWER_MEAN_H

#include "ir/problem.h"

/* Adds the statement's row: the mean of its residual over points of the domain, at one time, is to be 0. The laws of the
 * points must be known. */
void mean_lower(Compilation *c, Problem *p, const Ast *statement);
bool mean_any(const Problem *p);

#endif
