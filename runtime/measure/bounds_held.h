/* bounds_held.h: whether the trained solution stays between the bounds that the equation proves. */
#ifndef PDE_RUNTIME_MEASURE_BOUNDS_HELD_H
#define PDE_RUNTIME_MEASURE_BOUNDS_HELD_H

#include "measure/evaluate.h"

typedef struct BoundsHeld {
    double low, high; /* proven; infinite: none. Both infinite: the others mean nothing */
    int64_t points, outside;
    double most; /* how far outside, at the worst */
} BoundsHeld;

/* At points of the test law. The bounds are proven for the numbers that the file states: none with others. */
void bounds_held(Evaluation *evaluation, bool stated, BoundsHeld *held);
bool bounds_known(const BoundsHeld *held);

#endif
