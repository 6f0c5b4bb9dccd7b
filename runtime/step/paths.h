/* paths.h: points along discretised trajectories (--slices N): point b is slice b % N of path b /
 * N. Times are a grid; the standard normals of a path, which the law of the coordinates turns into
 * points, are such that the law's normal numbers have independent increments. */
#ifndef PDE_RUNTIME_STEP_PATHS_H
#define PDE_RUNTIME_STEP_PATHS_H

#include "step/points.h"

/* After the buffers of the points exist. STATUS_OPTION_CONFLICT if their laws give no paths. */
Status paths_create(Points *points, Error *error);
void paths_free(Points *points);

/* From independent standard normals to those of paths: between the two regions of points.c. */
void paths_walk(Points *points);
/* The times of a group. */
void paths_times(const Points *points, int64_t group);
/* Rows that were drawn for consecutive paths, from the group's first on: to each point its path's.
 */
void paths_share(const Points *points, int64_t group, int64_t rows, void *to);
/* Number of a group's first path in the batch. */
int64_t paths_first(const Points *points, int64_t group);

#endif
