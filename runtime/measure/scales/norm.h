/* norm.h: the integral that `normalise` asks for, in parts of what it is to be. */
#ifndef PDE_RUNTIME_MEASURE_SCALES_NORM_H
#define PDE_RUNTIME_MEASURE_SCALES_NORM_H

#include "step/session.h"

/* The task whose mean over points is the norm less 1; NULL: the problem asks for none. */
Task *norm_task(Session *session);
/* The norm by so many batches of points that belong to `step`, and its standard error. */
double norm_measure(Task *task, int64_t batches, uint32_t step, double *error);
/* Moves the bias of the network's output so that the norm is 1 where training begins, and gives it; 0 where there is no
 * norm. The output is a logarithm, so the norm goes with the exponential of its bias. A network that had to learn that
 * would saturate on its way. */
double norm_begin(Session *session);

#endif
