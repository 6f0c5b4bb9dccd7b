/* principle.h: constants between which the solution must lie, by comparison: positivity and the maximum principle. */
#ifndef PDE_COMPILER_TERMS_PRINCIPLE_H
#define PDE_COMPILER_TERMS_PRINCIPLE_H

#include "terms/process.h"

typedef struct ProvenBounds {
    double low, high; /* infinite: none is proven */
} ProvenBounds;

/* For the numbers of dims and params that the problem states. */
ProvenBounds principle_bounds(Compilation *c, const Process *process);

#endif
