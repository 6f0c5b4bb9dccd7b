/* first_order.c: the optimisers that move each parameter by a rule for itself, which is in
 * engine/optim_rule_body.h: draw, gradient, look, update. */
#include "step/optimiser.h"

static bool step_along(Session *s, void *self, uint32_t step, double rate) {
    (void)self;
    return session_first_order_step(s, step, rate);
}

const OptimiserClass optimiser_first = {.name = "first", .step = step_along};
