/* report_values.h: the values that `report` statements ask for, at the end of a run. */
#ifndef PDE_RUNTIME_MEASURE_REPORT_VALUES_H
#define PDE_RUNTIME_MEASURE_REPORT_VALUES_H

#include "step/session.h"

typedef struct AskedValue {
    const char *text; /* as it was written */
    double value;     /* NaN with a reason */
    const char *why;  /* why there is none; NULL: there is one */
} AskedValue;

/* A session of its own for task `id`, a report, on so many points with all terms of its sums and the parameters of the
 * trained network; session_close. */
Status report_session(const Session *trained, int id, int64_t points, Session *session,
                      Error *error);
/* Values of the trained network; how many. */
int asked_values(const Session *trained, AskedValue value[PLAN_TASKS_MAX]);

#endif
