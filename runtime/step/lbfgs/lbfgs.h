/* lbfgs.h: L-BFGS on one set of points, for small problems.
 *
 * All iterations use the points of step 0, so that there is one function to be minimised. One
 * iteration is one search along the two-loop direction for a step that satisfies the weak Wolfe
 * conditions; it takes one evaluation of the gradient as a rule. The history is part of a
 * checkpoint. With a device all of it is there (cuda/optimise/lbfgs.c), and the history comes back for
 * checkpoints. */
#ifndef PDE_RUNTIME_STEP_LBFGS_LBFGS_H
#define PDE_RUNTIME_STEP_LBFGS_LBFGS_H

#include "step/optimiser.h"

typedef struct Lbfgs Lbfgs;

/* The session's; NULL: it has another optimiser. */
Lbfgs *lbfgs_of(const Session *session);

/* False: the loss or the gradient where it stands is not finite; parameters are as before. */
bool lbfgs_step(Lbfgs *lbfgs);

/* Steps s and what they changed in the gradient, y, oldest first: [LBFGS_PAIRS][parameters]. */
typedef struct LbfgsHistory {
    int pairs;
    double *s, *y;
} LbfgsHistory;

/* As it is here; a device puts its own into it. */
LbfgsHistory *lbfgs_history(Lbfgs *lbfgs);

/* Evaluations of the gradient so far. */
int64_t lbfgs_evaluations(const Lbfgs *lbfgs);
void lbfgs_set_evaluations(Lbfgs *lbfgs, int64_t evaluations);

#endif
