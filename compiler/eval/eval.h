/* eval.h: the reference interpreter of the IR: the oracle of every back end.
 *
 * Evaluates any expression at a batch of points, in double or long double, straight from the
 * DAG: a node is computed again only when an index it depends on has moved. Slow per operation,
 * yet O(d) per point wherever the expression is. Shares no code with the generated kernels. */
#ifndef PDE_COMPILER_EVAL_EVAL_H
#define PDE_COMPILER_EVAL_EVAL_H

#include "ir/ir.h"

/* A constant array: random or data. Entries in row-major order. */
typedef struct EvalTensor {
    Sym name;
    uint32_t rank;
    int64_t extent[2];
    const double *at;
} EvalTensor;

typedef struct EvalValue {
    Sym name;
    double value;
} EvalValue;

/* What the caller knows of the derivatives of FIELD or NET: fills out[points]. The variables are
 * coordinates (or entries of the vector features, one after the other), counted from 1; 0 is time; -1 - f is scalar feature f. */
typedef void EvalNet(void *context, Op op, uint32_t number, uint32_t order,
                     const int64_t *variables, uint32_t points, long double *out);

typedef struct EvalInput {
    uint32_t points;
    int64_t d;            /* entries of x */
    int64_t stride;       /* numbers from one point to the next in x; 0: d */
    const double *x;      /* [points][stride] */
    const double *t;      /* [points], NULL without time */
    const double *normal; /* [points][d]: outward normal, NULL unless boundary points */
    uint32_t n_values;    /* dims, params, unknowns, scalar auxiliaries */
    const EvalValue *value;
    uint32_t n_tensors;
    const EvalTensor *tensor;
    uint64_t fuel; /* 0, or: give up after so many steps of all loops together */
    EvalNet *net;
    void *net_context;
} EvalInput;

/* out[points]. Returns NULL, or what could not be evaluated (in the arena). */
const char *eval_double(Ir *ir, Ref e, const EvalInput *in, double *out);
const char *eval_long_double(Ir *ir, Ref e, const EvalInput *in, long double *out);

#endif
