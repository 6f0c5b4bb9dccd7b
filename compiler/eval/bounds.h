/* bounds.h: what an expression stays between in the whole domain, by interval arithmetic. The unknown function and
 * data are anything; dims and params have their stated values, or others of the same sign. */
#ifndef PDE_COMPILER_EVAL_BOUNDS_H
#define PDE_COMPILER_EVAL_BOUNDS_H

#include "eval/domain_points.h"

typedef struct Interval {
    double lo, hi;
} Interval;

typedef struct Bounds {
    Compilation *c;
    Values values;
    Regions region;
    Ref square[LIMIT_SPACES]; /* of each domain; 0: it has none */
} Bounds;

/* vary: as in Values. False if the domain has no numbers. */
bool bounds_open(Compilation *c, uint32_t vary, Bounds *b);
Interval bounds_of(const Bounds *b, Ref e);
/* Closer, where an index is free in e: 1/k_i + (1 - 1/k_i) exp(-2 k_i t) is positive for every i, but not where i is
 * another one at each place. */
Interval bounds_by_index(const Bounds *b, Ref e);

#endif
