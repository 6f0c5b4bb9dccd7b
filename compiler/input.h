/* input.h: the inputs of the network: one vector (x, or a vector feature) and then scalars (time, or the
 * scalar features). Variables of NET atoms are told apart here and nowhere else. */
#ifndef PDE_INPUT_H
#define PDE_INPUT_H

#include "problem.h"

enum { INPUT_SCALARS = 16 };

/* Does the network have a vector input? (Features may all be scalars.) */
bool input_has_vector(const Problem *p);
uint32_t input_scalars(const Problem *p);
/* Is the variable an entry of the vector? Gives its index expression. */
bool input_entry(const Ir *ir, Ref variable, Ref *index);
/* The place of a scalar variable among the scalar inputs. */
uint32_t input_slot(const Problem *p, const Ir *ir, Ref variable);
/* The variable that is entry `index` of the vector. */
Ref input_variable(const Problem *p, Ir *ir, Ref index);

#endif
