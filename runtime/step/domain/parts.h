/* parts.h: what the files of this room share: rows of points in the number type of the problem, and small things.
 * requires: x holds the standard numbers that DomainOps.round says; on a boundary the normals have room.
 * promises: the same bits for any number of threads: sums run in a fixed order. */
#ifndef PDE_RUNTIME_STEP_DOMAIN_PARTS_H
#define PDE_RUNTIME_STEP_DOMAIN_PARTS_H

#include "step/domain.h"

/* So far inside are points that are put on the boundary, in parts of the domain: trial functions may divide by 0 there. */
#define PARTS_INSET 1e-9

/* Point number, space, and where its normals are. */
uint32_t parts_point(const Points *p, int64_t group, int lane);
const Space *parts_space(const Points *p, int space);
void *parts_normals(const Points *p, int space, int64_t group);
void parts_clear(const Problem *q, int64_t rows, void *x);
/* |x|^2 of the standard normals, as points.c has summed it. */
double parts_square(const Points *p, int space, int64_t group, int lane);

/* Rows: times a factor for each lane; from 0 .. 1 to a .. b; from uniform to exponential numbers, and their sums; each
 * times its own factor. */
void parts_scale(const Problem *q, void *x, int64_t d, const double *factor);
void parts_affine(const Problem *q, void *x, int64_t d, double a, double b);
void parts_exponential(const Problem *q, void *x, int64_t d, double sum[PDE_LANES]);
void parts_stretch(const Problem *q, void *x, int64_t d, const double *by);
void parts_scale_point(Points *p, const Space *x, int64_t point, double factor);

double parts_at_zero(const Space *x);
/* From -reach to reach along x_1, or so far on the diagonal. */
void parts_symmetric(const Space *x, bool diagonal, double reach, double range[2]);

/* Do paths end at this part of the boundary? */
bool parts_ends(const Space *x, int64_t coordinate, int side);
/* The nearer of two; ties: the first. */
void parts_nearer(DomainPart *best, double gap, int64_t coordinate, int side);
double parts_least(double a, double b);
/* Time for a number that is `gap` away and moves towards 0 by drift (if it is positive) and variance. */
double parts_time_to(double gap, double towards, double variance, double longer);

#endif
