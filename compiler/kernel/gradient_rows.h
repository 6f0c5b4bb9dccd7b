/* gradient_rows.h: the network's value and slopes in kernels that are given its whole gradient: expressions in
 * NET atoms of first order at most, read from `value` and `gradient`. */
#ifndef PDE_COMPILER_KERNEL_GRADIENT_ROWS_H
#define PDE_COMPILER_KERNEL_GRADIENT_ROWS_H

#include "kernel/cgen.h"

/* e with NET atoms by rows of the gradient; tangents are written out. Such rows move with the index in them. */
Ref gradient_rows(Ir *ir, Ref e);
/* The GenAtom of such expressions: C variables `gradient`, `value` and `scale` must be there, and `shift` where
 * another auxiliary number than these is. */
const char *gradient_atom(void *context, Gen *g, Ref e);

#endif
