/* domain_points.h: the domain of a problem as numbers, and points in it. */
#ifndef PDE_COMPILER_EVAL_DOMAIN_POINTS_H
#define PDE_COMPILER_EVAL_DOMAIN_POINTS_H

#include "eval/bindings.h"

typedef enum RegionKind { REGION_SPACE, REGION_BALL, REGION_ANNULUS, REGION_BOX } RegionKind;

typedef struct Region {
    RegionKind kind;
    int64_t d;
    double lo, hi;     /* box: the sides; ball, annulus: inner and outer radius */
    double t_lo, t_hi; /* 0, 0 without time */
} Region;

/* The domain at the given values; returns NULL or what could not be evaluated. */
const char *region_of(Compilation *c, const Values *values, Region *out);
/* Is it one of those with a boundary? */
bool region_bounded(const Compilation *c);

/* Point `number` of a fixed sequence. On balls and annuli the radius is uniform, on R(d) the law is
 * standard normal. */
void region_draw(const Region *r, uint32_t number, double *x, double *t);
/* Moves x to the boundary: along its ray, or one coordinate onto a face that `number` chooses. */
void region_to_boundary(const Region *r, uint32_t number, double *x);
/* The outward normal at the boundary point nearest to x. */
void region_outward(const Region *r, const double *x, double *normal);

#endif
