/* density.h: the density of the points of a problem, where it is known in closed form. */
#ifndef PDE_COMPILER_LOWER_DENSITY_H
#define PDE_COMPILER_LOWER_DENSITY_H

#include "ir/problem.h"

/* 1 / p at a point, p the density that training draws points from: 1 / volume of a domain with its own law, or that of
 * normal numbers on R(d). 0: not known. Of one space; the integral of f is the mean of f / p. */
Ref density_inverse(Compilation *c, const Problem *p);
/* A positive function on R(d) whose square has the shape of p: what a file that draws normal numbers says of how its
 * solution decays. 0: not known. */
Ref density_root(Compilation *c, const Problem *p);

#endif
