/* lbfgs.h: L-BFGS on one set of points, for small problems.
 *
 * All iterations use the points of step 0, so that there is one function to be minimised. One
 * iteration is one search along the two-loop direction for a step that satisfies the weak Wolfe
 * conditions; it takes one evaluation of the gradient as a rule. The history is part of a
 * checkpoint. With a device all of it is there (cuda/optimise/device_lbfgs.h), and the history comes back for
 * checkpoints. */
#ifndef PDE_RUNTIME_STEP_LBFGS_H
#define PDE_RUNTIME_STEP_LBFGS_H

#include "files/safetensors.h"
#include "step/session.h"

enum { LBFGS_ARRAYS = 2 };

/* After all tasks were created. Refuses methods whose gradient is not that of their loss. */
Status lbfgs_open(Session *session, Lbfgs **lbfgs, Error *error);
void lbfgs_close(Lbfgs *lbfgs);

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

/* The history as arrays of a checkpoint: their number; they live as long as *lbfgs stays. */
int lbfgs_arrays(const Lbfgs *lbfgs, Array array[LBFGS_ARRAYS]);
Status lbfgs_read(Lbfgs *lbfgs, const Safetensors *file, Error *error);
/* The function or its parameters were changed from outside: begins anew. */
void lbfgs_forget(Lbfgs *lbfgs);
/* Full sums, unless an algorithm was chosen beside this optimiser. */
Status lbfgs_imply(Config *config, Error *error);

#endif
