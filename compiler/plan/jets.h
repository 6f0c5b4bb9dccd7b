/* jets.h: derivatives of the network as combinations of directional derivatives. */
#ifndef PDE_COMPILER_PLAN_JETS_H
#define PDE_COMPILER_PLAN_JETS_H

#include "plan/plan.h"

/* The number of a block equal to this one, added if there is none; the order grows as needed. */
uint32_t jets_block(Ir *ir, Route *route, Block block);
/* The jets an expression of the point needs; refuses the route where one cannot be had. */
void jets_of_point(Compilation *c, Route *route, Ref e);
void jets_of_sum(Compilation *c, const Task *task, Route *route, SampledSum *sum);
/* The engine wants blocks by falling order. */
void jets_sort_blocks(Route *route);

#endif
