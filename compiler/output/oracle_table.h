/* oracle_table.h: what the point programs must give at a few points in a few dimensions, by the interpreter, as part
 * of the plan: `pderun --selftest` computes it again with the module's kernels. */
#ifndef PDE_COMPILER_OUTPUT_ORACLE_TABLE_H
#define PDE_COMPILER_OUTPUT_ORACLE_TABLE_H

#include "kernel/kernels.h"

/* The value of the plan's key "expected"; null if the problem cannot be made that small. */
void expected_json(Compilation *c, const KernelInfo *info, Text *out);

#endif
