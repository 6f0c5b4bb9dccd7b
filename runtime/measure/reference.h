/* reference.h: known values of the solution at single points, and what the network has there: how
 * a problem without an exact solution is scored. */
#ifndef PDE_RUNTIME_MEASURE_REFERENCE_H
#define PDE_RUNTIME_MEASURE_REFERENCE_H

#include "files/number.h"
#include "measure/evaluate.h"

typedef struct PointValue {
    const char *field;
    double value, reference;
    double standard_error; /* of the reference, if it is an expectation; else 0 */
    double error;          /* relative; absolute where the reference is 0 */
} PointValue;

enum { REFERENCE_TEXT_MAX = 2 * NUMBER_TEXT_MAX + 4 };

/* The reference, with its standard error where it has one: "1.2345 +- 0.0012". */
const char *reference_print(const PointValue *value, char text[REFERENCE_TEXT_MAX]);
/* Every reference of the plan, as many as returned. Uses the memory of the training points. */
int reference_values(Evaluation *evaluation, PointValue value[PLAN_REFERENCES_MAX]);
/* The largest error of them; NaN without references. */
double reference_error(Evaluation *evaluation);

#endif
