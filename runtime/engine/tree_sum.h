/* tree_sum.h: a sum over coordinates in double by leaf and tree (contract/leaf.h), for who comes by them in order. */
#ifndef PDE_RUNTIME_ENGINE_TREE_SUM_H
#define PDE_RUNTIME_ENGINE_TREE_SUM_H

#include "contract/leaf.h"

/* Nodes that wait for their right ones; begins as {.wide = pde_leaf(n)}. */
typedef struct TreeSum {
    int64_t wide, leaves,
        within; /* numbers of a leaf; leaves so far; numbers in the next one so far */
    double leaf, node[PDE_TREE_LEVELS];
} TreeSum;

/* The next leaf, summed already. */
static inline void tree_sum_leaf(TreeSum *t, double sum) {
    int k = 0;
    PDE_TREE_RISE(t->leaves, k) sum += t->node[k];
    t->node[k] = sum;
    t->leaves++;
}

/* The next number. */
static inline void tree_sum_add(TreeSum *t, double number) {
    t->leaf += number;
    if (++t->within == t->wide) {
        tree_sum_leaf(t, t->leaf);
        t->leaf = 0;
        t->within = 0;
    }
}

/* After the last. */
static inline double tree_sum(TreeSum *t) {
    double sum = 0;
    if (t->within)
        tree_sum_leaf(t, t->leaf);
    t->within = 0;
    PDE_TREE_ROOT(t->leaves, k) sum += t->node[k];
    return sum;
}

#endif
