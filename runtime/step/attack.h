/* attack.h: points that climb the squared residual of the equation before each step (--attack-steps). */
#ifndef PDE_RUNTIME_STEP_ATTACK_H
#define PDE_RUNTIME_STEP_ATTACK_H

#include "step/session.h"

Status attack_open(Session *session, Attack **attack, Error *error);
void attack_close(Attack *attack);
/* Directions of one group, as route_group. */
void attack_group(Attack *attack, int64_t group, const PdePointArgs *args);
/* Moves the equation's points, which have been drawn for `step`. */
void attack_points(Attack *attack, uint32_t step);
/* The gradient of sum_e R_e^2 / 2 with the sets of (step, number) at the points that are there:
 * real[groups][n_in][PDE_LANES]. */
const void *attack_gradient(Attack *attack, uint32_t step, int number);
/* The route whose residuals these are. */
Route *attack_route(Attack *attack);

#endif
