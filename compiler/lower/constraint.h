/* constraint.h: does an ansatz meet a condition? */
#ifndef PDE_COMPILER_LOWER_CONSTRAINT_H
#define PDE_COMPILER_LOWER_CONSTRAINT_H

#include "ir/problem.h"

/* Requires row->in_net. Sets row->state to CONDITION_PROVEN where the user's ansatz meets the
 * condition for every network; warns (W1202) where it was clearly meant to and does not. */
void constraint_judge(Compilation *c, const Problem *p, ConditionRow *row);

/* Does the field or one of its derivatives occur in e? */
bool constraint_mentions(Compilation *c, Ref e, uint32_t field);
/* e with the equation of the condition's place put in, as far as rewriting goes; the number 0 is a proof. on: parts of
 * the boundary, or NULL. */
Ref constraint_remainder(Compilation *c, const Problem *p, Ref e, AstOp where, const Faces *on);
/* Is e 0 at random points of the place, for the stated parameters and for others? */
bool constraint_vanishes(Compilation *c, Ref e, AstOp where, const Faces *on);

#endif
