/* ascent_kernel.h: the kernel of a residual's gradient by the point (plan/ascent.h). */
#ifndef PDE_COMPILER_KERNEL_ASCENT_KERNEL_H
#define PDE_COMPILER_KERNEL_ASCENT_KERNEL_H

#include "plan/ascent.h"

/* `void pde_NAME(const PdePointArgs *a)`: out[d (+ 1)][PDE_LANES]. For the processor only. */
void ascent_write(Compilation *c, Text *out, const char *name, const Task *task,
                  const Ascent *ascent);

#endif
