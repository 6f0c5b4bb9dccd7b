/* round.h: what round domains share: points between two spheres, and paths that leave through one of them. Lengths are
 * those of x_i / a_i, where a domain has semiaxes a_i. For paths the gap is that of the square, since its drift and
 * variance are sums: in many dimensions a path moves outward by drift, hardly by chance. */
#ifndef PDE_RUNTIME_STEP_DOMAIN_ROUND_H
#define PDE_RUNTIME_STEP_DOMAIN_ROUND_H

#include "step/domain/parts.h"

/* Between r and R (r = 0: in a ball), so that points are uniform in the domain; by a radial law the radius is. */
double round_radius(const Points *p, int space, uint32_t point, double r, double R);

typedef struct Round {
    double square, drift, variance; /* |x|^2 and how it moves */
} Round;

/* What a coordinate is measured in. */
double round_unit(const Space *x, int64_t i);
Round round_of(const Space *x, const PathState *p);
/* DomainExit's, between two radii; low = 0: there is one sphere. */
double round_distance(const Space *x, const PathState *p, double low, double high, double *length);
double round_step(const Space *x, const PathState *p, double low, double high, double longer);
DomainPart round_nearest(const Space *x, const PathState *p, double low, double high);
void round_to_boundary(const Space *x, const PathState *p, double low, double high,
                       const DomainPart *part);

#endif
