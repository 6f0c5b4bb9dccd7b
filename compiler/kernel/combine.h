/* combine.h: the combine kernel of a route. */
#ifndef PDE_COMPILER_KERNEL_COMBINE_H
#define PDE_COMPILER_KERNEL_COMBINE_H

#include "kernel/cgen.h"
#include "kernel/kernels.h"

/* `void pde_NAME(const PdeCombineArgs *a)`: jets to residuals and seeds. Data of the point that it
 * reads are added to the scalars. */
void combine_write(Compilation *c, Text *out, const char *name, const Task *task,
                   const Route *route, Scalars *scalars);
/* `void pde_NAME(const PdeCombineArgs *a)`: rows and values of a sparse block's directions at one point. */
void combine_write_sparse(Compilation *c, Text *out, const char *name, const Task *task,
                          const Block *block, Scalars *scalars);
/* `void pde_fields(const PdeCombineArgs *a)`: residual[f] = the trial function of field f. */
void combine_write_fields(Compilation *c, Text *out, Scalars *scalars);

/* Shared with kernels.c: the head of a kernel, the pointers its expressions use, its end. */
typedef enum KernelKind { KERNEL_POINTS, KERNEL_WEIGHTS, KERNEL_COMBINE } KernelKind;
void kernel_open(Gen *g, KernelKind kind, const char *name);
void kernel_pointers(Gen *g);
void kernel_close(Gen *g, KernelKind kind, const char *name, uint32_t families);

#endif
