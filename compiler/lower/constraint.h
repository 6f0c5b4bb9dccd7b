/* constraint.h: does an ansatz meet a condition? */
#ifndef PDE_COMPILER_LOWER_CONSTRAINT_H
#define PDE_COMPILER_LOWER_CONSTRAINT_H

#include "ir/problem.h"

/* Requires row->in_net. Sets row->state to CONDITION_PROVEN where the user's ansatz meets the
 * condition for every network; warns (W1202) where it was clearly meant to and does not. */
void constraint_judge(Compilation *c, const Problem *p, ConditionRow *row);

/* Does the field or one of its derivatives occur in e? */
bool constraint_mentions(Compilation *c, Ref e, uint32_t field);
/* sum_i x_i^2 */
Ref constraint_norm_squared(Compilation *c, const Problem *p);

#endif
