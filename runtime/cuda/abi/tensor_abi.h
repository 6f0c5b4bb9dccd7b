/* tensor_abi.h: arguments of the kernels of tensor networks (kernels/tensor.cuh); the rules are
 * those of engine_abi.h, the formulas those of runtime/tensor/tnn.h. Numbers are double: these kernels are
 * used in that precision alone.
 *
 * Arrays of a block of dimensions are [dimensions][rows][q], with `first` the block's first. */
#ifndef PDE_RUNTIME_CUDA_ABI_TENSOR_ABI_H
#define PDE_RUNTIME_CUDA_ABI_TENSOR_ABI_H

enum {
    DEV_CHANNELS = 8,     /* TNN_CHANNELS_MAX */
    DEV_EIGEN_VECTORS = 7 /* of memory of an eigenproblem: see lowest_pair */
};

/* A tensor network in the device's memory. */
typedef struct DevTensor {
    DevState *state;
    int64_t d, p, h, q;                /* dimensions, rank, width, padded nodes */
    int64_t size, channels, matrices;  /* parameters of a dimension; 2 + 2 channels */
    DevReal *theta, *gradient;         /* [d][size], then the p coefficients */
    const DevReal *table;              /* [d][1 + 2 channels][q] */
    DevReal *raw, *unit, *environment; /* [d][matrices][p * p] */
    DevReal *norm;                     /* [d][p] */
    DevReal *prefix;                   /* [d + 1][2 + channels][p * p] */
    DevReal *form;                     /* numerator, norm, value of the quotient */
    const DevReal *at, *node_weight;   /* [q] */
    const DevReal *stiffness;          /* [d]: a / half^2 */
    double constant;
    int32_t all_pairs[DEV_CHANNELS];
} DevTensor;

/* Weights of n terms that are drawn, by one block. */
typedef struct DevTensorSample {
    const DevState *state;
    DevReal *weight;
    int64_t d, n;
    uint64_t seed;
    uint32_t stream;
} DevTensorSample;

/* sigma, sigma', sigma'' and the tangent after the activation; z NULL: the first layer, which is
 * made here with its tangent. offset: of the layer's parameters in those of a dimension. */
typedef struct DevTensorLayer {
    DevTensor net;
    int64_t first, count, offset;
    const DevReal *z;
    DevReal *sigma, *slope, *curve, *tangent_in, *tangent_out;
} DevTensorLayer;

/* Bias and the factor that is zero at the walls. */
typedef struct DevTensorOutput {
    DevTensor net;
    int64_t first, count, offset;
    DevReal *phi, *slope;
} DevTensorOutput;

/* raw of a block of dimensions; a block of threads for each. */
typedef struct DevTensorIntegrate {
    DevTensor net;
    int64_t first;
    const DevReal *phi, *slope;
} DevTensorIntegrate;

/* Steps of the chain; weight NULL: all 1. */
typedef struct DevTensorChain {
    DevTensor net;
    const DevReal *weight;
    int64_t first, count; /* uncoupled dimensions alone */
    int32_t value;        /* the quotient is the step's value */
} DevTensorChain;

/* Seeds of the network's outputs: of its value and its derivative. */
typedef struct DevTensorSeed {
    DevTensor net;
    int64_t first, count;
    const DevReal *phi, *slope;
    DevReal *value_bar, *slope_bar;
} DevTensorSeed;

/* Through an activation: bar and tangent_bar in place. */
typedef struct DevTensorBack {
    DevReal *bar, *tangent_bar;
    const DevReal *slope, *curve, *tangent_in;
    int64_t n;
} DevTensorBack;

/* to[dimension * step + row] = sum over q of from * (at or 1) + more */
typedef struct DevTensorRows {
    DevReal *to;
    const DevReal *from, *more, *at; /* more, at: NULL for none */
    int64_t step, rows, count, q;
} DevTensorRows;

/* Features with the factor of the walls, and a constant: what an output layer combines. */
typedef struct DevTensorBasis {
    DevTensor net;
    int64_t count;
    const DevReal *sigma, *tangent;
    DevReal *value, *slope; /* [count][h + 1][q] */
} DevTensorBasis;

/* out = row * weight of the node * a function of the dimension (-1: 1; -2: its stiffness) */
typedef struct DevTensorWeigh {
    DevTensor net;
    int64_t first, count, rows, function;
    const DevReal *row;
    DevReal *out;
} DevTensorWeigh;

/* Suffix states of all dimensions, with weights 1: [d + 1][2 + channels][p * p]. */
typedef struct DevTensorSuffix {
    DevTensor net;
    DevReal *suffix;
} DevTensorSuffix;

/* S between the n features of each dimension of a block = Q diag(value) Q'. even: n rounded up, the
 * step of rows. */
typedef struct DevTensorSpectrum {
    DevState *state;
    int64_t n, even, step; /* step: from one S to the next */
    const DevReal *S;
    DevReal *work, *Q;     /* [count][even][even] */
    DevReal *value, *turn; /* [count][even] */
} DevTensorSpectrum;

/* Eigenproblems of output layers of `count` dimensions from `from` on; `first` is the one that what
 * is of a block begins with. In a sweep there is memory for one problem, else for each of the
 * block. */
typedef struct DevTensorSolve {
    DevTensor net;
    int64_t first, from, count, even;
    const DevReal *Y;                     /* [block][matrices][h + 1][h + 1]: S, then Q' X Q */
    const DevReal *Q, *value;             /* of DevTensorSpectrum */
    DevReal *square, *vector;             /* memory of a problem: [n][n], [DEV_EIGEN_VECTORS][n] */
    int32_t *kept;                        /* [n] */
    const DevReal *value_row, *slope_row; /* [block][h + 1][q] */
    DevReal *phi, *slope;                 /* [block][p][q] */
    const DevReal *suffix;                /* NULL: independent dimensions */
    DevReal *rank; /* [2][matrices][p][p], then two squares and two rows of p rounded up to even */
} DevTensorSolve;

#endif
