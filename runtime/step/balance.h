/* balance.h: weights of the losses from the norms of their gradients (--weights balance). */
#ifndef PDE_RUNTIME_STEP_BALANCE_H
#define PDE_RUNTIME_STEP_BALANCE_H

#include "step/hook.h"

/* Parts of the hook, for norms that were measured elsewhere: norm[tasks], of the gradients of the losses
 * without any weight. Taking them twice for a step changes nothing more. */
bool balance_is_due(const Session *session, uint32_t step);
void balance_take(Session *session, uint32_t step, const double *norm);

#endif
