/* problem_places.h: where conditions hold that are not everywhere: parts of the boundary, observations. */
#ifndef PDE_RUNTIME_LOAD_PROBLEM_PLACES_H
#define PDE_RUNTIME_LOAD_PROBLEM_PLACES_H

#include "load/problem_open.h"

/* Which coordinates the parts of a task's boundary are ends of. */
Status problem_evaluate_faces(Problem *p, int task, Error *error);
/* Which condition paths of the error's process meet at each part of the boundary. */
Status problem_evaluate_ends(Problem *p, Error *error);
/* The places and data of a task's observations: after the random and data constants. */
Status problem_evaluate_observations(Problem *p, int task, Error *error);

#endif
