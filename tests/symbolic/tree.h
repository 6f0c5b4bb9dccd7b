/* tree.h: random expressions with two meanings: a naive evaluation of the tree, sum by sum and
 * factor by factor, and the IR. What the IR's rules do to them must not show. */
#ifndef PDE_TREE_H
#define PDE_TREE_H

#include "lab.h"

typedef struct Tree Tree;

typedef struct TreePoint {
    int64_t d;
    const long double *x; /* [d] */
    const double *c;      /* [d]: the tensor */
    long double t;
} TreePoint;

/* Deterministic in the seed. depth bounds the height. */
Tree *tree_random(Arena *arena, uint64_t seed, int depth);
long double tree_value(const Tree *tree, const TreePoint *at);
/* In a problem with dim d, space x, time and a tensor. */
Ref tree_build(Compilation *c, const Tree *tree, Sym tensor);
/* Does it hold an operation whose derivative jumps? */
bool tree_jumps(const Tree *tree);

#endif
