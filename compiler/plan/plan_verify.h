/* plan_verify.h: what a plan promises to the generator of kernels. */
#ifndef PDE_COMPILER_PLAN_PLAN_VERIFY_H
#define PDE_COMPILER_PLAN_PLAN_VERIFY_H

#include "plan/plan.h"

/* NULL, or which promise a task breaks. Requires: its routes are finished. */
const char *plan_verify(Compilation *c, const Task *task);

#endif
