/* heldout.h: the loss on points and index sets that training never sees (--held-out). */
#ifndef PDE_RUNTIME_MEASURE_HELDOUT_H
#define PDE_RUNTIME_MEASURE_HELDOUT_H

#include "step/session.h"

/* The sum over tasks of w / rho^2 times the mean of R_I R_J over `points` points of the training law:
 * I and J are independent sets, so it is an unbiased estimate of the loss of the whole sums, where
 * terms are sampled; else it is that loss. Weights are the stated ones, whatever --weights makes of
 * them, and points and sets are the same at every call with the same `draw`, so that values of
 * different iterations can be compared. The points and sets in the session's memory are replaced. */
double held_out_loss(Session *session, int64_t points, uint32_t draw);
/* R_J of one task on the points that are there, into its value_residual; returned is what to multiply it with:
 * R_I, R_J itself where it has all terms, NULL where the mean of squares is linear in what is sampled. Sets are drawn for `step` and the step before. */
const void *held_out_residuals(Task *task, uint32_t step);

/* Batches that so many points make. */
int64_t held_out_batches(const Session *session, int64_t points);

/* The same, also by task and by batch: both arrays add up to it, and each may be NULL. */
double held_out_parts(Session *session, int64_t points, uint32_t draw, double *of_task,
                      double *of_batch);

#endif
