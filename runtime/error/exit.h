/* exit.h: where paths leave a domain: how far it is, how long a step may be, and the nearest boundary point. */
#ifndef PDE_RUNTIME_ERROR_EXIT_H
#define PDE_RUNTIME_ERROR_EXIT_H

#include "step/domain.h"

/* Has the domain a boundary? */
bool exit_exists(const Problem *problem);
/* Is it known how paths are reflected there? */
bool exit_reflects(const Problem *problem);
/* Back into a periodic domain; others stay. */
void exit_wrap(const Problem *problem, const PathState *path);
/* A number that falls to 0 at the boundary, of size 1 far from it. */
double exit_gap(const Problem *problem, const PathState *path);
/* The longest step that neither drift nor noise is likely to carry across the boundary. round: the noise lies on a
 * sphere (noise.c), so that a step within the distance to the boundary cannot cross it. coarse: twice as long. */
double exit_step(const Problem *problem, const PathState *path, bool round, bool coarse);
/* The longest step where the boundary reflects. */
double exit_free_step(const Problem *problem, const PathState *path, bool coarse);
/* Moves the path to the nearest point of the boundary. */
void exit_project(const Problem *problem, const PathState *path);
/* Reflects a path that is outside, and says how far it was; 0: it is inside. touch and normal, in the path's lane:
 * the boundary point and the outward normal there. */
double exit_reflect(const Problem *problem, const PathState *path, double *touch, double *normal);
/* A lower bound of the first Dirichlet eigenvalue of -sum_k (least/2) d_kk on the domain. */
double exit_eigenvalue(const Problem *problem, double least);

#endif
