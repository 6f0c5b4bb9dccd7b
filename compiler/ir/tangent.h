/* tangent.h: derivatives of a network that sees several vectors, or a vector of another length than x.
 *
 * The network is N(y(x, t)), y the inputs: all entries of the vector features, then the scalars. Derivatives
 * of N are taken along TANGENTs: T(v1, .., vm) is the vector d^m y / dv1 .. dvm, and
 *     d/dv N[T1, .., Tn] = N[T1, .., Tn, T(v)] + sum_j N[T1, .., d Tj/dv, .., Tn],
 * so d2(u, x_i) is one second derivative along T(x_i) and one first along T(x_i, x_i), however many of the
 * inputs x_i has a part in; N[T] with only scalar features in T goes along the axes of these (INPUT). Of T(x_i) only a few entries differ from zero: a sparse direction of each point. */
#ifndef PDE_COMPILER_IR_TANGENT_H
#define PDE_COMPILER_IR_TANGENT_H

#include "plan/plan.h"

/* Does the network have such inputs? */
bool tangent_inputs(const Problem *p);
/* d NET / dv by the rule above. */
Ref tangent_diff(Ir *ir, Ref net, Ref v);
/* T(x_index) as a variable of NET. */
Ref tangent_of_coordinate(Ir *ir, Ref index);

/* Component of a tangent along entry `entry` of feature f (0: a scalar feature). */
Ref tangent_component(Ir *ir, Ref tangent, uint32_t f, Ref entry);

/* e, linear in first derivatives N[T] of one output, as one derivative along a direction: fills entries and
 * scalars of the block. False: it is not. */
bool tangent_push(Ir *ir, Ref e, Block *block, uint32_t *output);
/* The direction sum over the coordinates of alpha * T(x_index). */
void tangent_push_coordinates(Ir *ir, Ref index, Ref alpha, Block *block);
/* A direction that moves with no index: a * T1 + b * T2 (T2 may be 0). */
void tangent_push_fixed(Ir *ir, const Ref tangent[2], const double factor[2], Block *block);

/* The entries of a * T1 + b * T2 that are not zero, into block->sparse. False: as many as the dimension. */
bool tangent_sparse(Ir *ir, const Ref tangent[2], const double factor[2], Block *block);

/* N[T1, .., Tn] as sums of derivatives by the inputs, everywhere in e: what the interpreter understands. */
Ref tangent_by_inputs(Ir *ir, Ref e);

#endif
