/* solution_check.h: does the stated exact solution solve the problem with the numbers that a run has? */
#ifndef PDE_RUNTIME_MEASURE_SOLUTION_CHECK_H
#define PDE_RUNTIME_MEASURE_SOLUTION_CHECK_H

#include "measure/evaluate.h"

enum { SOLUTION_POINTS = PDE_LANES };

/* What a small session in double for this check, and for the self-test, is made with. */
void solution_settings(const Problem *problem, Settings *settings);

/* Component i of direction k of a block at one point; false for kinds that are no directions. */
bool solution_direction(const Route *route, int block, int64_t k, int64_t point, int64_t i,
                        double *v);

/* The largest residual of the exact solution of a task of such a session, relative to its terms, into
 * *relative. Otherwise why it cannot be computed. Points must have been drawn. */
const char *solution_residual(Evaluation *evaluation, Task *task, double *relative);

/* pdec has looked at the problem with the file's dims and params. Where --set gives others, and `exact` does not
 * solve the problem by construction, it is looked at once more: STATUS_NOT_A_SOLUTION if it is none. */
Status solution_check(const Problem *problem, const Config *config, const Settings *settings,
                      Error *error);

#endif
