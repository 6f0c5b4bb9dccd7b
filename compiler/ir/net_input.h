/* net_input.h: the inputs of the network: x, or the entries of the vector features one vector after the other, and
 * then scalars (time, or the scalar features). Variables of NET atoms are told apart here and nowhere else;
 * where there are several vectors, derivatives go along tangents (tangent.h). */
#ifndef PDE_COMPILER_IR_NET_INPUT_H
#define PDE_COMPILER_IR_NET_INPUT_H

#include "ir/problem.h"

enum { INPUT_SCALARS = 16, INPUT_VECTORS = 8 };

/* How many vectors are there? (Features may all be scalars.) */
uint32_t input_vectors(const Problem *p);
uint32_t input_scalars(const Problem *p);
/* Vector number k among the vectors: how many entries, and the row of the first among the inputs, from 0. */
Ref input_vector_size(const Problem *p, uint32_t k);
Ref input_vector_row(const Problem *p, Ir *ir, uint32_t k);
/* Rows of all vectors together: the scalars follow. */
Ref input_vector_rows(const Problem *p, Ir *ir);
/* The row of feature f, or of its first entry. */
Ref input_feature_row(const Problem *p, Ir *ir, uint32_t f);
/* Is the variable an entry of a vector? Gives its index expression. */
bool input_entry(const Ir *ir, Ref variable, Ref *index);
/* The place of a scalar variable among the scalar inputs. */
uint32_t input_slot(const Problem *p, const Ir *ir, Ref variable);
/* The variable that is entry `index` of the only vector; with several, the tangent of coordinate `index`. */
Ref input_variable(const Problem *p, Ir *ir, Ref index);
/* How many inputs there are to tell apart: the spaces and the time, or the features, vectors first. */
uint32_t input_parts(const Problem *p);
/* May the field see input k of these? Where some field may not see all, the hidden units
 * are divided among the sets of variables that fields have. */
bool input_reaches(const Compilation *c, uint32_t k, uint32_t field);
bool input_divides_fields(const Compilation *c);
/* The number of the field's set of variables, in the order in which fields bring them. */
uint32_t input_set_of(const Problem *p, uint32_t field);
/* How many entries a vector has: a multiple of one dimension, and a number. */
Extent feature_entries(const Compilation *c, const Feature *f);

#endif
