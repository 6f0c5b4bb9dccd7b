/* periodic.h: is what is stated on a periodic domain periodic? */
#ifndef PDE_COMPILER_TERMS_PERIODIC_H
#define PDE_COMPILER_TERMS_PERIODIC_H

#include "ir/problem.h"

/* Says where a feature, an ansatz or an exact solution (E0585), or the data of an equation or condition (W1210), differ
 * between the two ends of a periodic coordinate. */
void periodic_check(Compilation *c);

/* Has the domain no boundary at all? */
bool periodic_everywhere(const Compilation *c);

#endif
