/* leaf.h: the rule of every sum over coordinates, for the engine, generated kernels and device.
 *
 * Leaf j has the numbers j w .. j w + w-1, counted from 0, where w = pde_leaf(n) depends on n alone. It is summed
 * by itself, in order. Leaves are joined in one binary tree: node (k, j) = node (k-1, 2j) + node (k-1, 2j+1), or
 * the left one alone where the right has no leaf. Who computes a node does not matter, so the bits depend on n
 * alone, not on threads or the width of vectors; and the rounding is that of w numbers and a few levels, not of n.
 *
 * Who comes by the leaves in order needs one number for each level: after leaf j, where it has sum s,
 *     PDE_TREE_RISE(j, k) s += node[k], then node[k] = s for the k at which it ended;
 * at the end, after m leaves, from s = 0, PDE_TREE_ROOT(m, k) s += node[k]. */
#ifndef PDE_RUNTIME_CONTRACT_LEAF_H
#define PDE_RUNTIME_CONTRACT_LEAF_H

#ifndef PDE_CUDA
#include <stdint.h>
#endif

#ifndef PDE_MATH_FN
#define PDE_MATH_FN static inline
#endif

#define PDE_LEAF_LEAST 256
#define PDE_TREE_LEVELS 40 /* of 2^40 leaves */

/* 256, doubled while below 4,096 and n is more than 16 leaves */
PDE_MATH_FN int64_t pde_leaf(int64_t n) {
    return n > 32768 ? 4096 : n > 16384 ? 2048 : n > 8192 ? 1024 : n > 4096 ? 512 : PDE_LEAF_LEAST;
}

/* The leaf of number i. */
PDE_MATH_FN int64_t pde_leaf_of(int64_t i, int64_t w) {
    return i > 0 ? i / w : 0;
}

#define PDE_TREE_RISE(j, k) for (; (j) >> k & 1; k++)
#define PDE_TREE_ROOT(m, k)                                                                        \
    for (int k = 0; (m) >> k; k++)                                                                 \
        if ((m) >> k & 1)

#endif
