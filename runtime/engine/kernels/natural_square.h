/* Symmetric products of many rows: sums of a block of columns in the number type, sums of blocks in
 * double. Shares of the columns are fixed, so bits do not depend on the threads.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_NATURAL_SQUARE_H
#define PDE_RUNTIME_ENGINE_KERNELS_NATURAL_SQUARE_H

#include "engine/kernels/natural_merged.h"

typedef struct SquareTask {
    Engine *e;
    Square *s;
    const real *row; /* dot products of rows, or */
    long stride, columns;
    const VectorGroup *group; /* products of vectors */
    long groups;
    real *pack; /* or NULL: vectors are as they are */
} SquareTask;

/* to[i][j] += a_i . b_j for DOT rows of each */
INLINE void dot_tile(double *to, long n, const real *a, const real *b, long stride, long columns) {
    vec c[DOT][DOT];
    for (int i = 0; i < DOT; i++)
        for (int j = 0; j < DOT; j++)
            c[i][j] = (vec){0};
    for (long p = 0; p < columns; p += VLEN) {
        vec x[DOT];
        UNROLL_ROWS for (int i = 0; i < DOT; i++) x[i] = LOAD(a + i * stride + p);
        UNROLL_ROWS for (int j = 0; j < DOT; j++) {
            vec y = LOAD(b + j * stride + p);
            UNROLL_ROWS for (int i = 0; i < DOT; i++) c[i][j] += x[i] * y;
        }
    }
    for (int i = 0; i < DOT; i++)
        for (int j = 0; j < DOT; j++)
            to[i * n + j] += (double)vec_sum(c[i][j]);
}

/* Block pair number `pair` of the upper half of blocks x blocks. */
INLINE void pair_of(long pair, long blocks, long *i, long *j) {
    for (*i = 0; pair >= blocks - *i; ++*i)
        pair -= blocks - *i;
    *j = *i + pair;
}

static void dots_task(void *context, long task, int worker) {
    const SquareTask *t = context;
    const Square *s = t->s;
    long blocks = (s->n + SUPER - 1) / SUPER, share = task % s->shares, bi, bj;
    long steps = t->columns / VLEN, end = (share + 1) * steps / s->shares * VLEN;
    double *m = s->m + share * s->n * s->n;
    (void)worker;
    pair_of(task / s->shares, blocks, &bi, &bj);
    long i0 = bi * SUPER, i1 = least(s->n, i0 + SUPER), j0 = bj * SUPER;
    long j1 = least(s->n, j0 + SUPER);
    for (long i = i0; i < i1; i++)
        memset(m + i * s->n + j0, 0, (size_t)(j1 - j0) * sizeof *m);
    for (long k = share * steps / s->shares * VLEN; k < end; k += DOT_COLUMNS)
        for (long i = i0; i < i1; i += DOT)
            for (long j = bi == bj ? i : j0; j < j1; j += DOT)
                dot_tile(m + i * s->n + j, s->n, t->row + i * t->stride + k,
                         t->row + j * t->stride + k, t->stride, least(DOT_COLUMNS, end - k));
}

/* Products of the 16 vectors of two groups over some coordinates: VLEN rows at a time. */
static void lanes_tile(double *to, long n, const real *a, const real *b, long coordinates) {
    enum { WIDE = PDE_LANES / VLEN };
    for (long r = 0; r < PDE_LANES; r += VLEN) {
        vec c[VLEN][WIDE];
        for (int i = 0; i < VLEN; i++)
            for (int j = 0; j < WIDE; j++)
                c[i][j] = (vec){0};
        for (long k = 0; k < coordinates; k++) {
            vec y[WIDE];
            UNROLL_ROWS for (int j = 0; j < WIDE; j++) y[j] = LOAD(b + k * PDE_LANES + j * VLEN);
            _Pragma("GCC unroll 16") for (int i = 0; i < VLEN; i++) {
                real x = a[k * PDE_LANES + r + i];
                UNROLL_ROWS for (int j = 0; j < WIDE; j++) c[i][j] += y[j] * x;
            }
        }
        for (int i = 0; i < VLEN; i++)
            for (int j = 0; j < PDE_LANES; j++)
                to[(r + i) * n + j] += (double)c[i][j / VLEN][j % VLEN];
    }
}

/* Where n coordinates of groups g0 .. g1-1 are, from coordinate k on. */
static void blocks_of(const SquareTask *t, long g0, long g1, long k, long n, real *pack,
                      const real **at) {
    const long size = COORDINATES * PDE_LANES;
    for (long g = g0; g < g1; g++)
        at[g - g0] =
            group_block(&t->group[g], k, n, t->columns, pack ? pack + (g - g0) * size : NULL);
}

static void vectors_task(void *context, long task, int worker) {
    const SquareTask *t = context;
    const Square *s = t->s;
    long blocks = (t->groups + GROUPS - 1) / GROUPS, share = task % s->shares, bi, bj;
    long steps = (t->columns + COORDINATES - 1) / COORDINATES;
    long end = least(t->columns, (share + 1) * steps / s->shares * COORDINATES);
    double *m = s->m + share * s->n * s->n;
    const real *a[GROUPS], *b[GROUPS];
    real *pack = t->pack ? t->pack + worker * PACK : NULL;
    pair_of(task / s->shares, blocks, &bi, &bj);
    long i0 = bi * GROUPS, i1 = least(t->groups, i0 + GROUPS), j0 = bj * GROUPS;
    long j1 = least(t->groups, j0 + GROUPS);
    for (long i = i0 * PDE_LANES; i < i1 * PDE_LANES; i++)
        memset(m + i * s->n + j0 * PDE_LANES, 0, (size_t)((j1 - j0) * PDE_LANES) * sizeof *m);
    for (long k = share * steps / s->shares * COORDINATES; k < end; k += COORDINATES) {
        long n = least(COORDINATES, end - k);
        blocks_of(t, i0, i1, k, n, pack, a);
        blocks_of(t, j0, bi == bj ? j0 : j1, k, n, pack ? pack + PACK / 2 : NULL, b);
        for (long i = i0; i < i1; i++)
            for (long j = bi == bj ? i : j0; j < j1; j++)
                lanes_tile(m + (i * s->n + j) * PDE_LANES, s->n, a[i - i0],
                           bi == bj ? a[j - i0] : b[j - j0], n);
    }
}

static void shares_task(void *context, long i, int worker) {
    const Square *s = ((const SquareTask *)context)->s;
    (void)worker;
    for (long c = 1; c < s->shares; c++)
        for (long j = i; j < s->n; j++)
            s->m[i * s->n + j] += s->m[(c * s->n + i) * s->n + j];
}

static void square_run(SquareTask *t, PdeTask *task, long blocks) {
    pde_pool_run(t->e->pool, task, t, blocks * (blocks + 1) / 2 * t->s->shares);
    if (t->s->shares > 1)
        pde_pool_run(t->e->pool, shares_task, t, t->s->n);
}

/* s = row row', columns a multiple of VLEN */
static void square_of_rows(Engine *e, Square *s, const real *row, long stride, long columns) {
    SquareTask t = {.e = e, .s = s, .row = row, .stride = stride, .columns = columns};
    square_run(&t, dots_task, (s->n + SUPER - 1) / SUPER);
}

static void square_of_vectors(Jacobian *j) {
    Engine *e = j->e;
    SquareTask t = {.e = e,
                    .s = &j->square_vectors,
                    .group = j->group,
                    .groups = j->groups,
                    .columns = e->n_in,
                    .pack = j->pack};
    square_run(&t, vectors_task, (j->groups + GROUPS - 1) / GROUPS);
}

#endif
