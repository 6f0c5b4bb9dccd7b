/* lost.h: deltas that derivatives leave out: nodes DIRAC and POLE, made where Ir.keep_deltas is set. */
#ifndef PDE_COMPILER_IR_LOST_H
#define PDE_COMPILER_IR_LOST_H

#include "ir/ir.h"

#define LOST_TIE                                                                                   \
    ((uint64_t)1 << 40) /* in the id of an INDEX: one of two entries that are largest alike */

/* What the rules of diff.c leave out of the derivative of the node e itself; its kids are asked elsewhere. */
Ref lost_derivative(Ir *ir, Ref e, Ref v);
bool lost_is(const Ir *ir, Ref e);
/* How often what is lost has been derived since. */
double lost_order(const Ir *ir, Ref e);
/* Does e speak of two entries of which either may be the largest? */
bool lost_at_tie(const Ir *ir, Ref e);
/* Functions that tell whether their argument goes to plus or to minus infinity, and what may do so. */
bool lost_tells_ends(Func f);
bool lost_has_pole(const Ir *ir, Ref e);
bool lost_even_power(const Ir *ir, Ref e, double *exponent);
/* A power whose exponent is a number, but no integer? */
bool lost_is_root(const Ir *ir, Ref e);
/* A sum of squares with factors before them? */
bool lost_square_sum(const Ir *ir, Ref e);

#endif
