/* The exact sum over all coordinates, by the Gram matrix G = W1' diag(a) W1.
 *
 * The network sees x only through W1, so h1 pseudo-directions R with R'R = G stand for all n_in
 * coordinates: R is the Cholesky factor. For a loss that depends on R only through R'R,
 * dW1 = diag(a) W1 (R^-1 Rbar).
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_GRAM_H
#define PDE_RUNTIME_ENGINE_KERNELS_GRAM_H

#include <math.h>

#include "engine/kernels/state.h"

static const Block *gram_block(const Batch *q, int *index) {
    for (int i = 0; i < q->blocks; i++)
        if (q->block[i].kind == PDE_DIR_GRAM) {
            *index = i;
            return &q->block[i];
        }
    return NULL;
}

typedef struct WeightedProduct {
    const Engine *e;
    const real *left, *right, *a; /* both in the layout of W1 */
    real *scaled;                 /* holds a block of diag(a) right */
} WeightedProduct;

/* Panel matrix g (h1 x h1) = left' diag(a) right over a leaf (LeafSum). */
static void weighted_product(void *context, real *g, long i0, long i1, long next) {
    const WeightedProduct *t = context;
    const Engine *e = t->e;
    const real *left = t->left, *right = t->right, *a = t->a;
    real *scaled = t->scaled;
    long np = panels(e->h1);
    (void)next;
    memset(g, 0, (size_t)(np * e->h1 * NR) * sizeof(real));
    for (long i = i0; i < i1; i += DIM_BLOCK) {
        long rows = least(DIM_BLOCK, i1 - i);
        for (long p = 0; p < np; p++)
            for (long r = 0; r < rows; r++)
                for (long h = 0; h < NR; h += VLEN)
                    STORE(scaled + (p * rows + r) * NR + h,
                          LOAD(right + (p * e->n_in + i + r) * NR + h) * a[i + r]);
        product_tn(g, left + i * NR, e->n_in * NR, scaled, rows * NR, rows, e->h1, e->h1, 0);
    }
}

static WeightedProduct gram_product(const Batch *q, real *scaled) {
    const Engine *e = q->engine;
    int at = 0;
    gram_block(q, &at);
    return (WeightedProduct){e, e->theta, e->theta, q->base.block[at].weight, scaled};
}

/* q->gram_factor (h1 x h1, upper triangular) from the sum of the partial products. A ridge of a
 * few units in the last place of the trace keeps the factor real when G is nearly singular.
 */
static void gram_cholesky(Batch *q) {
    long n = q->engine->h1, size = panels(n) * n * NR;
    double *u = q->gram_work, trace = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            u[i * n + j] =
                nodes_joined_double(&q->leaves, q->gram + (j / NR * n + i) * NR + j % NR, size);
    for (long i = 0; i < n; i++)
        trace += u[i * n + i];
    double ridge = trace / (double)n * (sizeof(real) == 4 ? 1e-6 : 1e-14);
    for (long k = 0; k < n; k++) {
        double *row = u + k * n, d = row[k] + ridge;
        d = sqrt(d > ridge ? d : ridge);
        if (!(d > 0))
            d = 1e-300;
        row[k] = d;
        for (long j = k + 1; j < n; j++)
            row[j] /= d;
        for (long i = k + 1; i < n; i++) {
            double f = row[i], *below = u + i * n;
            for (long j = i; j < n; j++)
                below[j] -= f * row[j];
        }
    }
    for (long i = 0; i < n; i++)
        for (long j = 0; j < panels(n) * NR; j++)
            q->gram_factor[(j / NR * n + i) * NR + j % NR] =
                j < i || j >= n ? 0 : (real)u[i * n + j];
}

/* q->gram_bar = R^-1 Rbar by back substitution; rbar: the block's rows of the K x h1 matrix. */
static void gram_solve(Batch *q, const real *rbar) {
    int at = 0;
    const Block *k = gram_block(q, &at);
    if (!k)
        return;
    long n = q->engine->h1;
    const double *u = q->gram_work;
    double *x = q->gram_work + n * n;
    for (long i = n - 1; i >= 0; i--) {
        double *row = x + i * n;
        for (long j = 0; j < n; j++)
            row[j] = (double)rbar[(j / NR * q->K + k->row0 + i) * NR + j % NR];
        for (long m = i + 1; m < n; m++) {
            double f = u[i * n + m];
            for (long j = 0; j < n; j++)
                row[j] -= f * x[m * n + j];
        }
        for (long j = 0; j < n; j++)
            row[j] /= u[i * n + i];
        for (long j = 0; j < n; j++)
            q->gram_bar[(j / NR * n + i) * NR + j % NR] = (real)row[j];
    }
}

/* g[row][NR] += a_i W1[i] gram_bar for panel p, coordinates i .. i+rows-1. */
static void gram_reverse(const Batch *q, real *g, long p, long i, long rows) {
    const Engine *e = q->engine;
    int at = 0;
    if (!gram_block(q, &at))
        return;
    const real *a = q->base.block[at].weight;
    for (long r = 0; r < rows; r += MR) {
#define CALL(m)                                                                                    \
    do {                                                                                           \
        vec t[m][2];                                                                               \
        tile_zero(t, m);                                                                           \
        tile_nn(t, m, e->theta + (i + r) * NR, e->n_in * NR, q->gram_bar + p * e->h1 * NR, e->h1); \
        UNROLL_ROWS for (int j = 0; j < m; j++) {                                                  \
            real *to = g + (r + j) * NR;                                                           \
            STORE(to, LOAD(to) + t[j][0] * a[i + r + j]);                                          \
            STORE(to + VLEN, LOAD(to + VLEN) + t[j][1] * a[i + r + j]);                            \
        }                                                                                          \
    } while (0)
        TILE_SWITCH(least(MR, rows - r), CALL)
#undef CALL
    }
}

#endif
