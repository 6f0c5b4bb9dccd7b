/* average.h: a running mean of the parameters (--average).
 *
 * Steps on fresh points leave the parameters scattered about where they would settle; their mean
 * over the last part X of the iterations is what is scored and written. Every AVERAGE_STRIDE-th
 * iterate is taken: neighbours differ too little to tell more. With n taken, the mean moves by 1 /
 * (X n) of its distance to the new one, so that the window grows with the run and needs no planned
 * end. */
#ifndef PDE_RUNTIME_STEP_AVERAGE_H
#define PDE_RUNTIME_STEP_AVERAGE_H

#include "step/hook.h"

enum { AVERAGE_STRIDE = 4 };

typedef struct Average Average;

/* The session's; NULL: the last parameters are the result. */
Average *average_of(const Session *session);

/* For checkpoints: the mean in canonical order, its unknowns, and how many iterates it has. */
void *average_data(Average *average);
double *average_unknowns(Average *average);
int64_t average_count(const Average *average);
void average_set_count(Average *average, int64_t count);

#endif
