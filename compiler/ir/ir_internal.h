/* ir_internal.h: what the files of the IR share with each other only. */
#ifndef PDE_COMPILER_IR_IR_INTERNAL_H
#define PDE_COMPILER_IR_IR_INTERNAL_H

#include "ir/ir.h"

/* Bounds of the IR's own structures. Past one of them the compilation stops in order (E0710). */
enum {
    LIMIT_IR_NODES = 4000000,
    LIMIT_KIDS = 32,         /* derivatives of a field, left-out values of a product */
    LIMIT_BINDER_LEVEL = 64, /* sums within sums */
    LIMIT_EXPANSION = 512    /* terms that a product may be written out to */
};

/* The node as it is, without simplification. */
Ref ir_intern(Ir *ir, Op op, uint64_t id, uint32_t n, const Ref *kids);
/* The bit of an INDEX in Node.mask. */
uint64_t ir_index_bit(uint64_t id);
/* ir_reduce for a product that leaves out the given index values. */
Ref ir_reduce_except(Ir *ir, Op op, Ref index, Ref lo, Ref hi, Ref body, uint32_t n_except,
                     const Ref *except);
/* Opens a binder with an index that does not occur in `avoid`. */
Ref ir_open_avoiding(Ir *ir, Ref binder, Ref avoid, Ref *index);

#endif
