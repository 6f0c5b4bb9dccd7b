/* eigen.h: eigenproblems by networks that are not tensor networks: a trial function that cannot vanish. */
#ifndef PDE_COMPILER_LOWER_EIGEN_H
#define PDE_COMPILER_LOWER_EIGEN_H

#include "ir/problem.h"

/* Is an unknown the smallest eigenvalue, and no tensor network there to compute the quotient? */
bool eigen_by_network(const Compilation *c, const Problem *p);
/* The trial function `factor * net` as a positive function, factor * exp(net); left alone on R(d). */
void eigen_make_positive(Compilation *c, Problem *p, uint32_t field);
/* The loss of `normalise`, where the equation is not linear: p->norm.residual. Left 0 where the density of the points is
 * not known; eigen_check has the message. */
void eigen_norm(Compilation *c, Problem *p);
/* What residuals are divided by beside it, exp(net): so that none is small because psi is small at its point. */
Ref eigen_divisor(Ir *ir, const Problem *p);
/* Refuses what the zero function, or a small one, would solve. Needs in_net and the conditions' states. */
void eigen_check(Compilation *c, const Problem *p);

/* Refuses a problem for unknown numbers that u = 0 solves whatever they are. */
void eigen_refuse_zero(Compilation *c, const Problem *p);

#endif
