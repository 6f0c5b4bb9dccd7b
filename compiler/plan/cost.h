/* cost.h: what a training step costs, from the plan: rows, operations, bytes, memory. */
#ifndef PDE_COMPILER_PLAN_COST_H
#define PDE_COMPILER_PLAN_COST_H

#include "plan/plan.h"

/* Sizes a cost is stated for: the file's own settings, or the defaults. */
typedef struct CostSizes {
    int64_t d, inputs;             /* entries of x; with time */
    int64_t points, terms;         /* |B|, |I| */
    int64_t width, depth, outputs; /* depth counts weight layers */
} CostSizes;

typedef struct Cost {
    double directions;  /* per point */
    double first_layer; /* floating-point operations of a step: products with the first layer */
    double jets;        /* of the hidden layers, all directions */
    double update;      /* of the optimiser */
    double traffic;     /* bytes: parameters with their optimiser state, points and directions */
    double memory;      /* bytes held: the same and what a point needs while it is worked on */
} Cost;

/* NULL, or what is wrong with a dim or param. */
const char *cost_sizes(Compilation *c, CostSizes *out);
Cost cost_of_route(const CostSizes *s, const Route *route);
/* The number of an argument in solve { key choice(argument = number) }, or of solve { key number }. */
double solve_number(const Compilation *c, const char *key, const char *argument, double otherwise);

#endif
