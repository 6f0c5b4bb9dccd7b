/* reference.h: known values of the solution at single points, and what the network has there: how
 * a problem without an exact solution is scored. */
#ifndef PDE_REFERENCE_H
#define PDE_REFERENCE_H

#include "evaluate.h"

typedef struct PointValue {
    const char *field;
    double value, reference;
    double error; /* relative; absolute where the reference is 0 */
} PointValue;

/* Every reference of the plan, as many as returned. Uses the memory of the training points. */
int reference_values(Evaluation *evaluation, PointValue value[PLAN_REFERENCES_MAX]);
/* The largest error of them; NaN without references. */
double reference_error(Evaluation *evaluation);

#endif
