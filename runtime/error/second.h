/* second.h: what the linearisation leaves out of an estimated error, to second order: -E of the integral of
 * D R''[e, e] / 2. Part of it has a known sign and corrects the estimate; the rest bounds what is left out. */
#ifndef PDE_RUNTIME_ERROR_SECOND_H
#define PDE_RUNTIME_ERROR_SECOND_H

#include "error/estimate.h"

/* By how c changes with the solution: paths' numbers corrected, by the share of it that is returned. coarse: NULL, or
 * the numbers of the same paths with longer steps. */
double second_share(const ErrorPoint *point, const WalkSecond *path, double *fine, double *coarse,
                    int64_t count);
/* By how b changes with the slope, where it does so alike along all coordinates: to add to the error. The variance of
 * the paths' numbers is the mean of the integral of |sigma' grad e|^2. */
double second_slope(const WalkFacts *facts, const ErrorPoint *point);
/* What may be left out after both, either way, the next order in c included. path: NULL where c and b do not change; shifted:
 * NULL, or those of the walk that looked at a shift. */
double second_rest(const WalkFacts *facts, const ErrorPoint *point, const WalkSecond *path,
                   const WalkSecond *shifted, int64_t count, double share);

#endif
