/* Rotation of directions. Where second derivatives along unit directions count only by their sum, the
 * rows R of W1 may be replaced by Q'R for any orthogonal Q: the sum depends on R'R alone. Householder
 * reflections make them upper triangular, so that the first product with them and its reverse skip
 * zeros, and no more than h1 rows are left, however many directions there were. With the seeds Sbar of
 * the rotated rows those of R are Q Sbar, exactly, since Q may be held fixed.
 *
 * First derivatives need the directions themselves: they keep R.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_ROTATE_H
#define PDE_RUNTIME_ENGINE_KERNELS_ROTATE_H

#include "engine/kernels/state.h"

/* One panel m (rows of NR numbers) becomes (1 - tau v v') m, rows from .. rows-1. */
INLINE void reflect_panel(real *m, const real *v, real tau, long from, long rows) {
    vec s0 = {0}, s1 = {0}, t0 = {0}, t1 = {0};
    long i = from;
    for (; i + 1 < rows; i += 2) {
        s0 += LOAD(m + i * NR) * v[i];
        s1 += LOAD(m + i * NR + VLEN) * v[i];
        t0 += LOAD(m + (i + 1) * NR) * v[i + 1];
        t1 += LOAD(m + (i + 1) * NR + VLEN) * v[i + 1];
    }
    if (i < rows) {
        s0 += LOAD(m + i * NR) * v[i];
        s1 += LOAD(m + i * NR + VLEN) * v[i];
    }
    s0 = (s0 + t0) * tau;
    s1 = (s1 + t1) * tau;
    for (i = from; i < rows; i++) {
        STORE(m + i * NR, LOAD(m + i * NR) - s0 * v[i]);
        STORE(m + i * NR + VLEN, LOAD(m + i * NR + VLEN) - s1 * v[i]);
    }
}

/* The reflection that leaves of column j only its entry in row j; 0 if there is nothing to do. */
static real find_reflection(const real *m, long rows, long j, real *v) {
    const real *column = m + j / NR * rows * NR + j % NR;
    double below = 0, first = (double)column[j * NR];
    for (long i = j; i < rows; i++) {
        v[i] = column[i * NR];
        if (i > j)
            below += (double)v[i] * (double)v[i];
    }
    if (!(below > 0))
        return 0;
    double norm = sqrt(first * first + below), head = first + (first < 0 ? -norm : norm);
    v[j] = (real)head;
    return (real)(2 / (head * head + below));
}

/* q->rotated (K2 x h1, upper triangular) from the first rows of q->r. */
static void rotate_rows(Batch *q) {
    long rows = q->block[0].count, np = panels(q->engine->h1);
    real *m = q->rotate_work;
    for (long p = 0; p < np; p++)
        memcpy(m + p * rows * NR, q->r + p * q->K * NR, (size_t)(rows * NR) * sizeof(real));
    for (long j = 0; j < q->K2; j++) {
        real *v = q->reflection + j * rows;
        q->reflection_size[j] = find_reflection(m, rows, j, v);
        for (long p = j / NR; p < np && q->reflection_size[j] > 0; p++)
            reflect_panel(m + p * rows * NR, v, q->reflection_size[j], j, rows);
        for (long i = j + 1; i < rows; i++)
            m[(j / NR * rows + i) * NR + j % NR] = 0;
    }
    for (long p = 0; p < np; p++)
        memcpy(q->rotated + p * q->K2 * NR, m + p * rows * NR, (size_t)(q->K2 * NR) * sizeof(real));
}

/* Panel p of the seeds of the rotated rows, turned back and added to those of the directions. */
static void rotate_back(const Batch *q, real *rbar, const real *rotated_bar, long p) {
    long rows = q->block[0].count;
    real *m = q->rotate_work + p * rows * NR;
    memset(m, 0, (size_t)(rows * NR) * sizeof(real));
    memcpy(m, rotated_bar + p * q->K2 * NR, (size_t)(q->K2 * NR) * sizeof(real));
    for (long j = q->K2 - 1; j >= 0; j--)
        if (q->reflection_size[j] > 0)
            reflect_panel(m, q->reflection + j * rows, q->reflection_size[j], j, rows);
    for (long i = 0; i < rows * NR; i += VLEN)
        STORE(rbar + p * q->K * NR + i, LOAD(rbar + p * q->K * NR + i) + LOAD(m + i));
}

#endif
