/* tangent_block.h: directions along tangents (ir/tangent.h), as blocks of a route. */
#ifndef PDE_COMPILER_PLAN_TANGENT_BLOCK_H
#define PDE_COMPILER_PLAN_TANGENT_BLOCK_H

#include "plan/plan.h"

/* The direction along which e, a sum of FORM_TANGENTS, is one first derivative. */
Block tangent_push(Ir *ir, Ref e);
/* The direction sum over the coordinates of alpha * T(x_index). */
void tangent_push_coordinates(Ir *ir, Ref index, Ref alpha, Block *block);
/* A direction that moves with no index: a * T1 + b * T2 (T2 may be 0). */
void tangent_push_fixed(Ir *ir, const Ref tangent[2], const double factor[2], Block *block);

/* The entries of a * T1 + b * T2 that are not zero, into block->sparse. False: as many as the dimension. */
bool tangent_sparse(Ir *ir, const Ref tangent[2], const double factor[2], Block *block);

#endif
