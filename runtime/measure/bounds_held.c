/* bounds_held.c: see bounds_held.h. */
#include "measure/bounds_held.h"

#include "engine/real.h"

#include <assert.h>
#include <math.h>

static const int64_t POINTS = 1000;
static const double ROUNDING = 1e-6; /* of the solution's size: no violation */

bool bounds_known(const BoundsHeld *held) {
    return isfinite(held->low) || isfinite(held->high);
}

void bounds_held(Evaluation *e, bool stated, BoundsHeld *held) {
    Session *s = e->session;
    const PlanProcess *process = &s->problem->plan.process;
    int64_t B = e->draw.c.points;
    assert(e->fields >= 1 && B > 0);
    *held = (BoundsHeld){-HUGE_VAL, HUGE_VAL, .points = POINTS};
    if (!stated || process->class == PROCESS_none)
        return;
    held->low = process->low;
    held->high = process->high;
    for (int64_t first = 0; bounds_known(held) && first < POINTS; first += B) {
        points_draw(&e->draw, s->settings.seed, 0, (uint32_t)first);
        evaluation_fields(e);
        for (int64_t k = 0; k < B && first + k < POINTS; k++) {
            double u = real_get(s->problem->precision, e->value, k * e->fields);
            double beyond = fmax(held->low - u, u - held->high);
            held->outside += beyond > ROUNDING * (1 + fabs(u));
            held->most = fmax(held->most, beyond);
        }
    }
}
