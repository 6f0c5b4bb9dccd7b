/* Symmetric products of many rows: sums of a block of columns in the number type, sums of blocks in
 * double. Shares of the columns are fixed, so bits do not depend on the threads; of products over
 * coordinates they are nodes of the tree (leaves.h).
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

/* v[0 .. n-1] += the n numbers behind them */
static void add_doubles(double *v, long n) {
    for (long i = 0; i < n; i++)
        v[i] += v[n + i];
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

/* Sets `to` to the products of two blocks of vectors, groups i[0] .. i[1]-1 and j[0] .. j[1]-1, over a leaf
 * k .. end-1. */
static void vectors_leaf(const SquareTask *t, double *to, const long *i, const long *j, real *pack,
                         long k, long end) {
    const real *a[GROUPS], *b[GROUPS];
    long size = t->s->block;
    int same = i[0] == j[0];
    memset(to, 0, (size_t)(size * size) * sizeof *to);
    for (; k < end; k += COORDINATES) {
        long n = least(COORDINATES, end - k);
        blocks_of(t, i[0], i[1], k, n, pack, a);
        blocks_of(t, j[0], same ? j[0] : j[1], k, n, pack ? pack + PACK / 2 : NULL, b);
        for (long g = 0; g < i[1] - i[0]; g++)
            for (long h = same ? g : 0; h < j[1] - j[0]; h++)
                lanes_tile(to + (g * size + h) * PDE_LANES, size, a[g], same ? a[h] : b[h], n);
    }
}

/* A node of the tree over coordinates, of two blocks of vectors. */
static void vectors_task(void *context, long task, int worker) {
    const SquareTask *t = context;
    const Square *s = t->s;
    const Leaves *l = &s->leaves;
    long size = s->block * s->block, share = task % s->shares, bi, bj, top = 0;
    real *pack = t->pack ? t->pack + worker * PACK : NULL;
    double *node = s->leaf + worker * (1 + l->level) * size;
    pair_of(task / s->shares, (t->groups + GROUPS - 1) / GROUPS, &bi, &bj);
    long i[2] = {bi * GROUPS, least(t->groups, (bi + 1) * GROUPS)};
    long j[2] = {bj * GROUPS, least(t->groups, (bj + 1) * GROUPS)};
    long first = share << l->level, leaves = least(1L << l->level, leaf_count(l) - first);
    for (long k = 0; k < leaves; k++) {
        long at = (first + k) * l->wide;
        int level = 0;
        vectors_leaf(t, node + top * size, i, j, pack, at, least(l->coordinates, at + l->wide));
        PDE_TREE_RISE(k, level) add_doubles(node + --top * size, size);
        top++;
    }
    while (--top > 0)
        add_doubles(node + (top - 1) * size, size);
    for (long r = 0; r < (i[1] - i[0]) * PDE_LANES; r++)
        memcpy(s->m + (share * s->n + i[0] * PDE_LANES + r) * s->n + j[0] * PDE_LANES,
               node + r * s->block, (size_t)((j[1] - j[0]) * PDE_LANES) * sizeof *node);
}

/* The tree over shares. */
static void shares_task(void *context, long i, int worker) {
    const Square *s = ((const SquareTask *)context)->s;
    (void)worker;
    for (long apart = 1; apart < s->shares; apart *= 2)
        for (long c = 0; c + apart < s->shares; c += 2 * apart)
            for (long j = i; j < s->n; j++)
                s->m[(c * s->n + i) * s->n + j] += s->m[((c + apart) * s->n + i) * s->n + j];
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
