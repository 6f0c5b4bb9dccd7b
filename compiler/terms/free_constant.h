/* free_constant.h: does a problem leave a constant of a field undetermined, as a pure Neumann problem does? */
#ifndef PDE_COMPILER_TERMS_FREE_CONSTANT_H
#define PDE_COMPILER_TERMS_FREE_CONSTANT_H

#include "ir/problem.h"

/* True if u + 1 leaves every equation and every condition as u does, and the trial function of u is the
 * network's output itself. */
bool constant_is_free(Compilation *c, uint32_t field);
/* Warns of each such field. */
void free_constants_say(Compilation *c);

#endif
