/* observe.h: `observe u = U_k at x_i = X_ki for k = 1..m`. */
#ifndef PDE_COMPILER_LOWER_OBSERVE_H
#define PDE_COMPILER_LOWER_OBSERVE_H

#include "ir/problem.h"

/* Fills the row's residual and what is observed. In the residual each entry of an array that the index picks is an AUX
 * number of its own: a point brings it along. */
void observe_lower(Compilation *c, const Problem *p, ConditionRow *row);
/* These numbers stand among the auxiliaries, after all that have a law. */
void observe_numbers(Compilation *c, Problem *p);
bool observe_any(const Problem *p);

#endif
