/* mean.h: losses of which not each point's residual is to be 0 but their mean: norms, and constraints on integrals. */
#ifndef PDE_RUNTIME_STEP_MEAN_H
#define PDE_RUNTIME_STEP_MEAN_H

#include "step/session.h"

/* Sets of points whose mean residual is a loss, not each point's: of a norm one, of a constraint one for each time; else 0.
 * at: where a set begins, where its second half does, and where it ends. */
int64_t mean_sets(const Task *task);
void mean_set(const Task *task, int64_t set, int64_t at[3]);
/* Puts these means in the place of the values of a task that has such sets. */
void mean_take(Task *task);
/* At how many times a step looks at a constraint. */
int64_t mean_times(const Session *session);

#endif
