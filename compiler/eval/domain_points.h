/* domain_points.h: the domain of a problem as numbers, and points in it. */
#ifndef PDE_COMPILER_EVAL_DOMAIN_POINTS_H
#define PDE_COMPILER_EVAL_DOMAIN_POINTS_H

#include "eval/bindings.h"
#include "eval/domain.h"

/* The domain at the given values; returns NULL or what could not be evaluated. */
const char *region_of(Compilation *c, const Values *values, Region *out);
/* Is it one of those with a boundary? */
bool region_bounded(const Compilation *c);
/* Without a boundary, or not empty. */
bool region_is_valid(const Region *r);

/* Point `number` of a fixed sequence. On balls and annuli the radius is uniform, on R(d) the law is
 * standard normal. */
void region_draw(const Region *r, uint32_t number, double *x, double *t);
/* Moves x to the boundary: along its ray, or one coordinate onto a face that `number` chooses. */
void region_to_boundary(const Region *r, uint32_t number, double *x);
/* The outward normal at the boundary point nearest to x. */
void region_outward(const Region *r, const double *x, double *normal);

#endif
