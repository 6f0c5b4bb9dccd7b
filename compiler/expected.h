/* expected.h: what the point programs must give at a few points in a few dimensions, by the interpreter, as part
 * of the plan: `pderun --selftest` computes it again with the module's kernels. */
#ifndef PDE_EXPECTED_H
#define PDE_EXPECTED_H

#include "kernels.h"

/* The value of the plan's key "expected"; null if the problem cannot be made that small. */
void expected_json(Compilation *c, const KernelInfo *info, Text *out);

#endif
