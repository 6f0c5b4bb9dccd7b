/* tensor.h: an eigenvalue equation as a tensor network sees it: sums of terms in one coordinate and
 * of products of functions of two, in coordinates of its own. Filled by tensor.c, only if solve { }
 * asks for `network tnn(...)`. */
#ifndef PDE_COMPILER_TERMS_TENSOR_H
#define PDE_COMPILER_TERMS_TENSOR_H

#include "ir/problem.h"

/* f(k, y_k) g(l, y_l), summed over neighbours l = k + 1 or over all k < l. */
typedef struct TensorPair {
    Ref first, second; /* in TensorNet.index and TensorNet.y */
    bool all;
    Span where;
    Ref coupling; /* y = Q * x only: sum over all k, l of coupling(k, l) x_k x_l, in index and other
                   */
} TensorPair;

typedef enum TensorMap {
    TENSOR_SAME,  /* the coordinates of the problem */
    TENSOR_SINE,  /* y = sine(x): orthogonal discrete sine transform */
    TENSOR_MATRIX /* y = Q * x */
} TensorMap;

typedef struct TensorNet {
    Ref index, other; /* INDEX: the number of a dimension, and of a second one */
    Ref y;            /* placeholder: the coordinate */
    uint32_t unknown; /* the eigenvalue */
    Ref constant;
    Ref kinetic;   /* -kinetic * d2/dy_k2 */
    Ref potential; /* one-body terms, 0 without any */
    VEC(TensorPair) pair;
    struct TensorNet *own; /* potential and pairs that the source states in the new coordinates */
    TensorMap map;
    Sym coordinates; /* their name */
    Ref scale;       /* mu_k where the potential is mu_k y_k^2 and nothing else; 0: not so */
    Ref table;       /* placeholder: entry k of `eigenvalue` */
    uint32_t n;      /* entries of it; 0: none, any d will do */
    double *eigenvalue;
    const char *found; /* a sentence about the coordinates */
} TensorNet;

/* e with every node `from` replaced by `to`. */
Ref tensor_put(Ir *ir, Ref e, Ref from, Ref to);

/* Adds the terms of V to the network's operator, in SPACE or the new coordinates (tensor_split.c).
 * false after a diagnostic. */
bool tensor_split(Compilation *c, TensorNet *t, Ref V);
/* Rewrites what was split in x for y = sine(x) or y = Q * x (tensor_map.c). */
bool tensor_map(Compilation *c, TensorNet *t);
/* The kernels of the network's functions (tensor_kernels.c). */
void tensor_write(Compilation *c, Text *out);
/* Its object in the plan; nothing without a network. */
void tensor_json(Compilation *c, Text *out);
/* The operator as text, for --emit=terms and --emit=plan. */
void tensor_print(Compilation *c, Text *out);

#endif
