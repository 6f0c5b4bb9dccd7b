/* exit.h: where paths leave a domain: how far it is, how long a step may be, and the nearest boundary point. */
#ifndef PDE_RUNTIME_ERROR_EXIT_H
#define PDE_RUNTIME_ERROR_EXIT_H

#include "step/domain.h"

/* Has the domain of any space a boundary? */
bool exit_exists(const Problem *problem);
/* Does a part of it end paths; does a part reflect them; is it known how, where it does? */
bool exit_ends(const Problem *problem);
bool exit_reflects(const Problem *problem);
bool exit_can_reflect(const Problem *problem);
/* Back into periodic domains; others stay. */
void exit_wrap(const Problem *problem, const PathState *path);
/* A number that falls to 0 where paths end, of size 1 far from there. */
double exit_gap(const Problem *problem, const PathState *path);
/* The same for all of the boundary. */
double exit_room(const Problem *problem, const PathState *path);
/* The longest step that neither drift nor noise is likely to carry across where paths end, and that is short beside
 * the domain where they are reflected. round: the noise lies on a sphere (noise.c), so that a step within the distance
 * to the boundary cannot cross it. coarse: twice as long. */
double exit_step(const Problem *problem, const PathState *path, bool round, bool coarse);
/* The condition at the nearest point where paths end; exit_project moves the path there. */
int exit_edge(const Problem *problem, const PathState *path);
int exit_project(const Problem *problem, const PathState *path);
/* Reflects a path that is outside where the boundary does that, and says how far it was; 0: it is inside. touch and
 * normal, in the path's lane: the boundary point and the outward normal there; edge: the condition. */
double exit_reflect(const Problem *problem, const PathState *path, double *touch, double *normal,
                    int *edge);
/* A lower bound of the first eigenvalue of -sum_k (least/2) d_kk on the domain, with 0 where paths end. */
double exit_eigenvalue(const Problem *problem, double least);

#endif
