/* tnn.h: tensor networks: psi(y) = sum_j c_j prod_i phi_ij(y_i), one small network per dimension.
 *
 * For an operator -sum_i a_i d2/dy_i2 + sum_i v_i(y_i) + sum_m sum_(i,k) f_mi(y_i) g_mk(y_k) (pairs
 * of neighbours, or all i < k) every integral is a product over dimensions of one-dimensional ones.
 * Each dimension therefore gives a few p x p matrices (p: the rank): S (overlaps), T (kinetic and
 * potential energy), F_m and G_m (factors of the pairs), all by Gauss-Legendre quadrature; the
 * chain (tnn_chain.c) makes the Rayleigh quotient and its derivatives by these matrices of them.
 * Factors are normalised in every dimension, so that no product over d of them overflows; one that
 * underflows belongs to functions that are orthogonal for all purposes.
 *
 * phi_ij(y) = (1 - s^2) N_ij(s), s = (y - centre) / half: zero at the walls of the box.
 * Numbers are double throughout. Shapes: d dimensions, p rank, h width, Q nodes (padded to Q8). */
#ifndef PDE_RUNTIME_TENSOR_TNN_H
#define PDE_RUNTIME_TENSOR_TNN_H

#include "engine/engine.h"
#include "engine/threads.h"
#include "files/status.h"

#include <stdint.h>

enum {
    TNN_CHANNELS_MAX = 8, /* products of functions of two coordinates */
    TNN_PAD = 8           /* nodes are padded to whole groups of this many, with weight 0 */
};

/* ------------------------------------------------------------------------------- quadrature */

/* Nodes and weights of a composite Gauss-Legendre rule on [-1, 1]. owner of both arrays. */
typedef struct TnnRule {
    int nodes, padded, cells;
    double *at, *weight; /* [padded] */
} TnnRule;

/* n nodes in each of `cells` equal cells. */
Status tnn_rule_create(int cells, int n, TnnRule *rule, Error *error);
void tnn_rule_free(TnnRule *rule);

/* ----------------------------------------------------------------------------------- problem */

/* v, then f_m and g_m of every channel, of dimensions first .. first + count - 1, at nodes y of
 * each: out[1 + 2 channels][count][nodes]. Called by several threads at once. */
typedef void TnnFunctions(void *context, int64_t first, int64_t count, int64_t nodes,
                          const double *y, double *out);

typedef struct TnnProblem {
    int64_t d;
    int channels;
    bool all_pairs[TNN_CHANNELS_MAX]; /* f_mi g_mk for all i < k; else k = i + 1 */
    double constant;                  /* added to the operator */
    const double *centre, *half;      /* [d]: the box */
    const double *kinetic;            /* [d]: a_i > 0 */
    TnnFunctions *functions;
    void *context;
} TnnProblem;

typedef struct TnnConfig {
    int rank, width, depth; /* depth: weight layers, at least 2 */
    PdeActivation activation;
    int cells, nodes; /* of the rule that is trained on */
    int threads;
    uint64_t seed;
    PdeOptimConfig optimiser;
} TnnConfig;

/* Compiled once for each instruction set (tnn_kernels.c). Matrices are rows of nodes. */
typedef struct TnnOps {
    const char *name;
    /* s[0..2][n] = sigma, sigma', sigma'' of z[n] */
    void (*activate)(PdeActivation kind, const double *z, double *const *s, long n);
    /* out[a][q] = bias[a] + sum_b c[a * step_a + b * step_b] in[b][q]; bias may be NULL */
    void (*mix)(double *out, long rows, const double *in, long terms, const double *c, long step_a,
                long step_b, const double *bias, long q8);
    /* out[a * step + b] (+)= sum_q x[a][q] y[b][q] */
    void (*dots)(double *out, long step, const double *x, long rows, const double *y, long columns,
                 long q8, bool add);
    /* state[k] + at: of w */
    void (*update)(const PdeOptimConfig *config, double rate, int64_t t, double *w,
                   double *const *state, long at, const double *g, long n);
} TnnOps;

const TnnOps *tnn_ops(void); /* the best of this processor */

/* owner of everything but problem. */
typedef struct Tnn {
    TnnProblem problem;
    TnnConfig config;
    const TnnOps *ops;
    PdePool *pool;
    TnnRule rule;
    int64_t size;                  /* parameters of one dimension */
    int64_t parameters;            /* d * size + rank: the coefficients c_j come last */
    double *theta;                 /* [parameters] */
    double *state[PDE_STATES_MAX]; /* of the optimiser */
    double *gradient;              /* [parameters], padded */
    int64_t updates;
    int matrices;            /* 2 + 2 channels: S, T, F_m, G_m */
    double *table;           /* [d][1 + 2 channels][q8]: the functions at the nodes */
    double *raw, *unit;      /* [d][matrices][p * p]: as integrated, and of normalised factors */
    double *norm;            /* [d][p] */
    double *prefix, *suffix; /* [d + 1][2 + channels][p * p]: states of the chain */
    double *environment; /* [d][matrices][p * p]: d lambda / d unit, in the end d lambda / d raw;
                            and [p * p] more, for the norm of the last one (tnn_solve.c) */
    double *weight[2];   /* [d]: of the terms L_i, for the gradient and for the value */
    double *tape;        /* activations of the block of dimensions that is worked on */
    int64_t tape_dims;   /* dimensions it has room for */
    double **scratch;    /* per worker */
} Tnn;

/* Allocates and draws initial parameters. block: dimensions whose activations are held at once for
 * a gradient; 0: all. */
Status tnn_create(const TnnProblem *problem, const TnnConfig *config, int64_t block, Tnn *tnn,
                  Error *error);
void tnn_free(Tnn *tnn);
/* Bytes that tnn_create will take. */
double tnn_bytes(const TnnProblem *problem, const TnnConfig *config, int64_t block);
double *tnn_coefficients(const Tnn *tnn); /* c[p], the end of theta */
int64_t tnn_row(int64_t n);               /* n rounded up to whole pads */

/* ------------------------------------------------------------------------- one dimension */

/* Rows of one dimension at the nodes of a rule. What a gradient needs again is held, the rest is
 * shared by all dimensions of a worker. */
typedef struct TnnRows {
    double *phi, *slope; /* held: [p][q8] */
    double *layer;       /* held, per hidden layer: sigma, sigma', sigma'', tangent before and after
                            the activation: [depth - 1][5][h][q8] */
    double *work[4];     /* shared: [max(h, p)][q8] each */
    double *functions;   /* shared: [1 + 2 channels][q8] */
    double *y;           /* shared: [q8] */
} TnnRows;

int64_t tnn_held_size(const TnnConfig *config, int64_t q8);
int64_t tnn_shared_size(const TnnProblem *problem, const TnnConfig *config, int64_t q8);
TnnRows tnn_rows_at(const TnnConfig *config, int64_t q8, double *held, double *shared);
/* Hidden layers of dimension i. */
void tnn_hidden(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *rows);
/* The last hidden layer and its derivative by s: [h][q8] each. */
const double *tnn_features(const Tnn *t, int64_t q8, const TnnRows *rows, bool derivative);
/* phi and its slope, after tnn_hidden. */
void tnn_output(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *rows);
/* The p x p matrices of dimension i, after tnn_output; rows->functions must be filled. */
void tnn_integrate(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *rows, double *raw);
/* From d lambda / d raw to the gradient of the parameters of dimension i. */
void tnn_backward(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *rows, const double *bar,
                  double *gradient);
/* The functions of dimension i at the rule's nodes, into rows->functions. */
void tnn_functions_at(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *rows);

/* --------------------------------------------------------------------------------- the chain */

/* unit and norm of all dimensions from raw. */
void tnn_normalise(Tnn *t);
void tnn_normalise_one(const Tnn *t, const double *raw, double *unit, double *norm);
/* Prefix states of all dimensions with the weights w of the terms (NULL: all 1). */
void tnn_prefix(Tnn *t, const double *w);
/* Rayleigh quotient from the last prefix. */
double tnn_quotient(const Tnn *t);
/* d lambda / d raw of all dimensions, and the gradient of c. value: the lambda that multiplies the
 * derivative of the norm. */
void tnn_environment(Tnn *t, const double *w, double value);

/* State to the right of a dimension; [p * p] each, (2 + channels) of them: product of overlaps,
 * finished terms, half-finished pairs. */
void tnn_suffix_begin(const Tnn *t, double *suffix);
/* Moves it one dimension to the left, past the one with these matrices and weight. */
void tnn_suffix_step(const Tnn *t, const double *unit, double weight, double *suffix);
void tnn_prefix_step(const Tnn *t, const double *unit, double weight, const double *from,
                     double *to);
/* Factors of S, T, F_m, G_m of a dimension in the quadratic form (numerator), and of S in the norm.
 */
void tnn_factors(const Tnn *t, const double *prefix, const double *suffix, double *numerator,
                 double *norm);

/* ---------------------------------------------------------------------- values and gradients */

/* All matrices on the training rule, then lambda. */
double tnn_value(Tnn *t);
/* lambda on another rule; matrices are left as they are for that rule. */
Status tnn_score(Tnn *t, const TnnRule *rule, double *lambda, Error *error);
/* ||H psi - lambda psi|| / ||psi|| on a rule: H is self-adjoint, so that one of its eigenvalues is within that of
 * lambda. NaN without memory. */
double tnn_residual(const Tnn *t, const TnnRule *rule, double lambda);
/* Weights of the terms for the next gradient: all of them, or n drawn for (step, stream). */
void tnn_sample(Tnn *t, int which, int64_t n, uint32_t step);
/* Gradient with weight[0] in the numerator; value_weights: weight[1] gives lambda, else weight[0]
 * does. Returns the value lambda that was used. */
double tnn_gradient(Tnn *t, bool value_weights);
bool tnn_finite(const Tnn *t);
void tnn_update(Tnn *t, double rate);

/* At points [count][d], after tnn_value: psi with the integral of psi^2 over the box made 1, log |psi| (in many
 * dimensions psi itself leaves the range of doubles), and the gradient [count][d]. NULL: not wanted. */
typedef struct TnnValues {
    double *value, *log, *gradient;
} TnnValues;
Status tnn_at_points(const Tnn *t, const double *x, int64_t count, const TnnValues *out,
                     Error *error);

/* ------------------------------------------------------------------------ last-layer solve */

/* Lowest eigenpair of A v = e B v, both n x n symmetric and destroyed; directions in which B is
 * below 1e-11 of its largest eigenvalue are left out. work: tnn_lowest_work(n) doubles. false: no
 * such pair (not finite, or LAPACK failed). */
bool tnn_lowest(int n, double *A, double *B, double *vector, double *value, double *work);
int64_t tnn_lowest_work(int n);
/* What is said where there is none. */
#define TNN_UNSOLVED "an eigenproblem of the last layer has no solution"
/* One pass over the output layers: all at once if nothing couples them, else one after the other,
 * each with the others held. */
Status tnn_solve(Tnn *t, double *lambda, Error *error);
/* True if the operator and rank 1 make the dimensions independent. */
bool tnn_separable(const Tnn *t);

/* Reference without any network: the particle-in-a-box basis of `basis` functions in each
 * dimension. Needs no pairs, or d <= 2. NaN where it is not possible. */
double tnn_dense(const Tnn *t, int basis, Error *error);

#endif
