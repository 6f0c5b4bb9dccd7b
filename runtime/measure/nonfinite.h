/* nonfinite.h: where a non-finite number came from. */
#ifndef PDE_RUNTIME_MEASURE_NONFINITE_H
#define PDE_RUNTIME_MEASURE_NONFINITE_H

#include "step/session.h"

/* Looks at the step that was just refused, from the data towards the gradient: points, point
 * programs, the network, terms, residual. The first that is not finite is named in error->message
 * (its status is set to STATUS_NON_FINITE). */
void nan_describe(Session *session, int64_t iteration, Error *error);

#endif
