/* attack.h: points that climb the squared residual of the equation before each step (--attack-steps). */
#ifndef PDE_RUNTIME_STEP_ATTACK_H
#define PDE_RUNTIME_STEP_ATTACK_H

#include "step/hook.h"

typedef struct Attack Attack;

/* The session's; NULL: points stay where they are drawn. */
Attack *attack_of(const Session *session);
/* The gradient of sum_e R_e^2 / 2 with the sets of (step, number) at the points that are there:
 * real[groups][n_in][PDE_LANES]. */
const void *attack_gradient(Attack *attack, uint32_t step, int number);
/* The route whose residuals these are. */
Route *attack_route(Attack *attack);

#endif
