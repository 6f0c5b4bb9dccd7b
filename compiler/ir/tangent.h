/* tangent.h: derivatives of a network that sees several vectors, or a vector of another length than x.
 *
 * The network is N(y(x, t)), y the inputs: all entries of the vector features, then the scalars. Derivatives
 * of N are taken along TANGENTs: T(v1, .., vm) is the vector d^m y / dv1 .. dvm, and
 *     d/dv N[T1, .., Tn] = N[T1, .., Tn, T(v)] + sum_j N[T1, .., d Tj/dv, .., Tn],
 * so d2(u, x_i) is one second derivative along T(x_i) and one first along T(x_i, x_i), however many of the
 * inputs x_i has a part in; N[T] with only scalar features in T goes along the axes of these (INPUT). Of T(x_i) only a few entries differ from zero: a sparse direction of each point. */
#ifndef PDE_COMPILER_IR_TANGENT_H
#define PDE_COMPILER_IR_TANGENT_H

#include "ir/problem.h"

/* Does the network have such inputs? */
bool tangent_inputs(const Problem *p);
/* d NET / dv by the rule above. */
Ref tangent_diff(Ir *ir, Ref net, Ref v);
/* T(x_index) as a variable of NET. */
Ref tangent_of_coordinate(Ir *ir, Ref index);

/* Component of a tangent along entry `entry` of feature f (0: a scalar feature). */
Ref tangent_component(Ir *ir, Ref tangent, uint32_t f, Ref entry);

/* The part of N[tangent] that feature f has, as a sum of derivatives by its inputs. */
Ref tangent_by_feature(Ir *ir, Ref tangent, uint32_t f);

/* N[T1, .., Tn] as sums of derivatives by the inputs, everywhere in e: what the interpreter understands. */
Ref tangent_by_inputs(Ir *ir, Ref e);

#endif
