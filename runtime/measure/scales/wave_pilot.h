/* wave_pilot.h: how large the solution of a problem with few inputs is, by a fit that can oscillate.
 *
 * A constant plus a linear function, which scales.c fits, is all that a batch can see in high
 * dimension; in low dimension it misses a solution that oscillates, and says that it is small. Here
 * N(x) = a + sum_c beta_c sin(w_c . x + phase_c), with frequencies of several sizes, is fitted by
 * Gauss-Newton with a line search, and believed only if it also explains points it was not fitted
 * on. Nothing of `exact` is looked at but what the residuals have of it as a source. */
#ifndef PDE_RUNTIME_MEASURE_SCALES_WAVE_PILOT_H
#define PDE_RUNTIME_MEASURE_SCALES_WAVE_PILOT_H

#include "step/session.h"

/* Whether the session's problem is one for it: few inputs, and no directions that stand for sums. */
bool wave_pilot_fits(const Session *session);

/* RMS of the fit over points of the equation, for each output. *believed: it explains points that it has not
 * seen. Draws points and sets; parameters stay as they are. output_scale must be 1. */
Status wave_pilot_sizes(Session *session, double *size, bool *believed, Error *error);

#endif
