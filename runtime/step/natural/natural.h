/* natural.h: the damped Gauss-Newton step with momentum, in the space of the batch.
 *
 * Rows r = sqrt(w / B) R / rho of all tasks, with Jacobian J and K = J J'. One step is
 *     sol = (K + lambda)^-1 (r - mu J phi),  phi <- mu phi + J' sol,  theta <- theta - eta phi,
 * mu a number or 1 - eta, lambda relative to the mean eigenvalue of K. A step is taken, its
 * loss measured on the same points and index sets, and compared with the model |r - eta J phi|^2: a
 * step that makes the loss larger is undone and made again with more damping. */
#ifndef PDE_RUNTIME_STEP_NATURAL_NATURAL_H
#define PDE_RUNTIME_STEP_NATURAL_NATURAL_H

#include "step/optimiser.h"

typedef struct Natural Natural;

static const double NATURAL_FIRST_RATE = 1e-3; /* of Adam, where it comes first */

/* The session's; NULL: it has another optimiser. */
Natural *natural_of(const Session *session);

/* One iteration on the points that are there. False: some number was not finite, and parameters are
 * as before. */
bool natural_step(Natural *natural, uint32_t step, double rate);

/* With --momentum auto. */
double natural_auto_momentum(double rate);

/* What damping is multiplied with at present: 1 unless steps went wrong; part of a checkpoint. */
double natural_caution(const Natural *natural);
void natural_set_caution(Natural *natural, double caution);

#endif
