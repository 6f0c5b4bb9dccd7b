/* merge.h: expressions in the form that is cheapest to compute. */
#ifndef PDE_COMPILER_KERNEL_MERGE_H
#define PDE_COMPILER_KERNEL_MERGE_H

#include "ir/ir.h"

/* The same value with sums over one range merged and their common factors taken out; for code generation
 * only. The memo may serve several expressions. */
Ref merge_sums(Ir *ir, Ref e, Memo *memo);

typedef struct Refs {
    VEC(Ref) at;
} Refs;

/* The nodes that are computed for e itself, its sums left closed; functions (or NULL) collects the FUNC nodes. */
void merge_reachable(const Ir *ir, Ref e, Memo *seen, Refs *functions);

/* Functions of neighbouring coordinates: `next` of one iteration over the index is `now` of the following
 * one. In an order in which `now = next` can be assigned one by one. */
void merge_carried(Ir *ir, Ref index, uint32_t n, const Ref *body, Refs *now, Refs *next);

#endif
