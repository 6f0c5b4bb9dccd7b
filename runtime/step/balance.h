/* balance.h: weights of the losses from the norms of their gradients (--weights balance). */
#ifndef PDE_RUNTIME_STEP_BALANCE_H
#define PDE_RUNTIME_STEP_BALANCE_H

#include "step/session.h"

/* Memory and conflicts, once. */
Status balance_open(Session *session, Error *error);
/* Measures anew if `step` is one at which that is due; points of `step` are drawn. Doing it twice
 * for a step changes nothing more. */
void balance_update(Session *session, uint32_t step);
/* The parts of it, for norms that were measured elsewhere: norm[tasks], of the gradients of the losses
 * without any weight. */
bool balance_is_due(const Session *session, uint32_t step);
void balance_take(Session *session, uint32_t step, const double *norm);
/* weight.initial1 and the like: the name of a loss's weight in log and output. */
const char *balance_name(const Task *task, char *out, size_t size);

#endif
