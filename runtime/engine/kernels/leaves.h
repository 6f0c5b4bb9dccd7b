/* Sums over coordinates by leaf and tree (contract/leaf.h), of whole matrices at once.
 *
 * A task makes one node of the tree, from leaves that are summed alone; the nodes of all tasks are joined by the
 * same tree. Tasks are as many as keep the threads busy; which of them a thread makes does not matter.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_LEAVES_H
#define PDE_RUNTIME_ENGINE_KERNELS_LEAVES_H

#include "engine/tree_sum.h"
#include "engine/kernels/vec.h"

enum { NODES_MOST = 32, NODE_LEVELS = 6 };

typedef struct Leaves {
    long coordinates, wide; /* of a leaf */
    long level, nodes;      /* of the tasks: 2^level leaves each */
} Leaves;

INLINE long leaf_count(const Leaves *l) {
    return (l->coordinates + l->wide - 1) / l->wide;
}

static Leaves leaves_in(long coordinates, long nodes_most) {
    Leaves l = {.coordinates = coordinates, .wide = (long)pde_leaf(coordinates)};
    do
        l.nodes = (leaf_count(&l) + (1L << l.level) - 1) >> l.level;
    while (l.nodes > nodes_most && ++l.level);
    return l;
}

static Leaves leaves_of(long coordinates) {
    return leaves_in(coordinates, NODES_MOST);
}

/* Sets `to` (`size` numbers) to a sum over coordinates i0 .. i1-1; those up to `end` come next. */
typedef void LeafSum(void *context, real *to, long i0, long i1, long end);

static void add_numbers(real *to, const real *from, long size) {
    for (long i = 0; i < size; i += VLEN)
        STORE(to + i, LOAD(to + i) + LOAD(from + i));
}

/* One task's node; waiting: room for `level` matrices of left nodes that wait for their right ones. */
static void node_sum(const Leaves *l, long node, LeafSum *leaf_sum, void *context, real *to,
                     long size, real *waiting) {
    long first = node << l->level, leaves = least(1L << l->level, leaf_count(l) - first), top = 0;
    long end = least(l->coordinates, (first + leaves) * l->wide);
#define NODE(n) ((n) ? waiting + ((n)-1) * size : to)
    for (long j = 0; j < leaves; j++) {
        long i0 = (first + j) * l->wide;
        int level = 0;
        leaf_sum(context, NODE(top), i0, least(end, i0 + l->wide), end);
        PDE_TREE_RISE(j, level) {
            top--;
            add_numbers(NODE(top), NODE(top + 1), size);
        }
        top++;
    }
    while (--top > 0)
        add_numbers(NODE(top - 1), NODE(top), size);
#undef NODE
}

/* The sum of the nodes of all tasks, `stride` numbers apart. */
INLINE vec nodes_joined(const Leaves *l, const real *from, long stride) {
    vec node[NODE_LEVELS] = {{0}}, sum = {0};
    for (long j = 0; j < l->nodes; j++, from += stride) {
        vec v = LOAD(from);
        int level = 0;
        PDE_TREE_RISE(j, level) v = node[level] + v;
        node[level] = v;
    }
    PDE_TREE_ROOT(l->nodes, level) sum = node[level] + sum;
    return sum;
}

/* The same of one number, in double. */
INLINE double nodes_joined_double(const Leaves *l, const real *from, long stride) {
    double node[NODE_LEVELS] = {0}, sum = 0;
    for (long j = 0; j < l->nodes; j++, from += stride) {
        double v = (double)*from;
        int level = 0;
        PDE_TREE_RISE(j, level) v = node[level] + v;
        node[level] = v;
    }
    PDE_TREE_ROOT(l->nodes, level) sum = node[level] + sum;
    return sum;
}

#endif
