/* Networks of one output that are affine in their inputs (activation identity): N(v) = v W1 m + constant, m the product
 * of the layers after W1.
 *
 * What is asked of them needs one number of W1 for each coordinate, a = W1 m, where others need h1: with (v a) m / |m|^2
 * in the place of v W1 every output is the same. Only where outputs are all that is wanted: the gradient of W2 wants
 * v W1 itself. All seeds of one residual are multiples of m for the same reason.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_AFFINE_H
#define PDE_RUNTIME_ENGINE_KERNELS_AFFINE_H

#include "engine/kernels/first.h"

/* m and m / |m|^2 (0 where m is 0), from the parameters as they are. */
static void affine_slope(const Engine *e) {
    double *now = e->affine->chain[0], *next = e->affine->chain[1], square = 0;
    const Layer *last = &e->layer[e->hidden];
    for (long i = 0; i < last->in; i++)
        now[i] = (double)e->theta[last->w + i * NR];
    for (int l = e->hidden - 1; l > 0; l--) {
        const Layer *y = &e->layer[l];
        for (long i = 0; i < y->in; i++) {
            next[i] = 0;
            for (long j = 0; j < y->out; j++)
                next[i] += (double)e->theta[y->w + (j / NR * y->in + i) * NR + j % NR] * now[j];
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    for (long h = 0; h < e->h1; h++)
        square += now[h] * now[h];
    for (long h = 0; h < e->h1; h++) {
        e->affine->slope[h] = (real)now[h];
        e->affine->unit[h] = square > 0 ? (real)(now[h] / square) : 0;
    }
}

typedef struct AlongTask {
    const Engine *e;
    const real *weights; /* W1, or what has its layout */
} AlongTask;

static void affine_along_task(void *context, long block, int worker) {
    const AlongTask *t = context;
    const Engine *e = t->e;
    long i0 = block * DIM_BLOCK, i1 = least(e->n_in, i0 + DIM_BLOCK);
    (void)worker;
    for (long i = i0; i < i1; i++) {
        vec sum = {0};
        for (long p = 0; p < panels(e->h1); p++)
            for (long h = 0; h < NR && p * NR + h < e->h1; h += VLEN)
                sum += LOAD(t->weights + (p * e->n_in + i) * NR + h) *
                       LOAD(e->affine->slope + p * NR + h);
        e->affine->along[i] = vec_sum(sum);
    }
}

/* a = weights m. Call it before products with AffineProduct. */
static void affine_begin(const Engine *e, const real *weights) {
    AlongTask t = {e, weights};
    affine_slope(e);
    pde_pool_run(e->pool, affine_along_task, &t, (e->n_in + DIM_BLOCK - 1) / DIM_BLOCK);
}

/* Panel matrix c (rows x h1) = (v a) m / |m|^2 over a leaf (LeafSum), in four sums that take turns. */
static void affine_product(void *context, real *c, long i0, long i1, long next) {
    const FirstProduct *t = context;
    const Engine *e = t->e;
    const real *a = e->affine->along, *unit = e->affine->unit;
    (void)next;
    for (long g = 0; g < groups_of(t->s->rows); g++) {
        const real *v = t->s->v + (g * e->n_in + i0) * PDE_LANES;
        vec sum[4][LANE_VECS] = {{{0}}};
        long i = i0;
        for (; i + 4 <= i1; i += 4)
            for (int n = 0; n < 4; n++, v += PDE_LANES)
                for (int j = 0; j < LANE_VECS; j++)
                    sum[n][j] += LOAD(v + j * VLEN) * a[i + n];
        for (; i < i1; i++, v += PDE_LANES)
            for (int j = 0; j < LANE_VECS; j++)
                sum[0][j] += LOAD(v + j * VLEN) * a[i];
        for (long l = 0; l < least(PDE_LANES, t->s->rows - g * PDE_LANES); l++) {
            int j = (int)(l / VLEN), at = (int)(l % VLEN);
            real dot = (sum[0][j][at] + sum[1][j][at]) + (sum[2][j][at] + sum[3][j][at]);
            for (long p = 0; p < panels(e->h1); p++)
                for (long h = 0; h < NR; h += VLEN)
                    STORE(c + (p * t->s->rows + g * PDE_LANES + l) * NR + h,
                          LOAD(unit + p * NR + h) * dot);
        }
    }
}

/* The seeds of a batch's sources, from their bars. */
static void affine_seeds(const Engine *e, const Batch *q) {
    affine_slope(e);
    for (int i = 0; i < q->sources; i++) {
        const Source *s = &q->source[i];
        for (long row = 0; s->bar && row < s->rows; row++) {
            double sum = 0;
            for (long h = 0; h < e->h1; h++)
                sum += (double)s->bar[h / NR * s->bar_stride + row * NR + h % NR] *
                       (double)e->affine->unit[h];
            s->seed[row] = (real)sum;
        }
    }
}

#endif
