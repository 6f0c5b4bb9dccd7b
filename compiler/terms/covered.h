/* covered.h: does every part of the boundary have its conditions? */
#ifndef PDE_COMPILER_TERMS_COVERED_H
#define PDE_COMPILER_TERMS_COVERED_H

#include "ir/problem.h"

/* Warns (W1209) where fewer than `needed` of the conditions on `field` hold somewhere on the boundary, though enough
 * are stated. row[k]: does condition k of the problem speak of the field? */
void covered_check(Compilation *c, const Equation *eq, const Field *field, uint32_t needed,
                   const bool *row);

#endif
