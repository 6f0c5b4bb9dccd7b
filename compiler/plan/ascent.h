/* ascent.h: the gradient of the squared residual by the point, for points that climb it (solve { attack ... }).
 *
 * A residual depends on the point in three ways: through the network at it, through directions that depend on it,
 * and through its own coefficients. The engine gives the first two as adjoints of the network's inputs and of the
 * directions; the rest is differentiated here, with the jets held fixed ("frozen"). */
#ifndef PDE_COMPILER_PLAN_ASCENT_H
#define PDE_COMPILER_PLAN_ASCENT_H

#include "plan/plan.h"

typedef struct Ascent {
    const char *unavailable; /* NULL: there is a kernel */
    uint32_t scalars; /* frozen numbers of a point: jets, sampled sums, residuals, in this order */
    uint32_t arrays;  /* and arrays of d: for a sampled sum its weights, then its jets, by index */
    uint32_t *array;  /* [sums]: the first array of each; UINT32_MAX: it needs none */
    Ref index;
    Ref by_space, by_time; /* of sum_e R_e^2 / 2: by x_index, and by the time (0: none) */
} Ascent;

/* NULL: solve { } does not ask for it. */
Ascent *ascent_build(Compilation *c, const Task *task);
#endif
