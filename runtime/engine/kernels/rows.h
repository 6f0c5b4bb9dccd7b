/* Passes over the rows of one point's tangents: each is O(K h), a hundredth of a product. */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_ROWS_H
#define PDE_RUNTIME_ENGINE_KERNELS_ROWS_H

#include "engine/kernels/gemm.h"

/* out[k] (+)= sum_h v[h] * m[k][h]; the vector v is a row of a panel matrix */
static void rows_dot(real *out, const real *m, long m_stride, const real *v, long v_stride,
                     long rows, long np) {
    for (long k = 0; k < rows; k++) {
        vec s0 = {0}, s1 = {0};
        for (long p = 0; p < np; p++) {
            const real *x = m + p * m_stride + k * NR, *y = v + p * v_stride;
            s0 += LOAD(x) * LOAD(y);
            s1 += LOAD(x + VLEN) * LOAD(y + VLEN);
        }
        out[k] = vec_sum(s0 + s1);
    }
}

/* out[k] += sum_h v[h] * m[k][h]^2 */
static void rows_dot_square(real *out, const real *m, long m_stride, const real *v, long v_stride,
                            long rows, long np) {
    for (long k = 0; k < rows; k++) {
        vec s0 = {0}, s1 = {0};
        for (long p = 0; p < np; p++) {
            const real *x = m + p * m_stride + k * NR, *y = v + p * v_stride;
            vec x0 = LOAD(x), x1 = LOAD(x + VLEN);
            s0 += x0 * x0 * LOAD(y);
            s1 += x1 * x1 * LOAD(y + VLEN);
        }
        out[k] += vec_sum(s0 + s1);
    }
}

/* v[h] += sum_k weight[k] * m[k][h] */
static void rows_combine(real *v, long v_stride, const real *m, long m_stride, const real *weight,
                         long rows, long np) {
    for (long p = 0; p < np; p++) {
        const real *x = m + p * m_stride;
        real *y = v + p * v_stride;
        vec s0 = LOAD(y), s1 = LOAD(y + VLEN);
        for (long k = 0; k < rows; k++) {
            s0 += LOAD(x + k * NR) * weight[k];
            s1 += LOAD(x + k * NR + VLEN) * weight[k];
        }
        STORE(y, s0);
        STORE(y + VLEN, s1);
    }
}

/* m[k][h] += weight[k] * v[h] */
static void rows_spread(real *m, long m_stride, const real *v, long v_stride, const real *weight,
                        long rows, long np) {
    for (long p = 0; p < np; p++) {
        real *x = m + p * m_stride;
        vec v0 = LOAD(v + p * v_stride), v1 = LOAD(v + p * v_stride + VLEN);
        for (long k = 0; k < rows; k++) {
            STORE(x + k * NR, LOAD(x + k * NR) + v0 * weight[k]);
            STORE(x + k * NR + VLEN, LOAD(x + k * NR + VLEN) + v1 * weight[k]);
        }
    }
}

/* to[k][h] = m[k][h] * v[h] */
static void rows_times(real *to, long to_stride, const real *m, long m_stride, const real *v,
                       long v_stride, long rows, long np) {
    for (long p = 0; p < np; p++) {
        const real *x = m + p * m_stride;
        real *y = to + p * to_stride;
        vec v0 = LOAD(v + p * v_stride), v1 = LOAD(v + p * v_stride + VLEN);
        for (long k = 0; k < rows; k++) {
            STORE(y + k * NR, LOAD(x + k * NR) * v0);
            STORE(y + k * NR + VLEN, LOAD(x + k * NR + VLEN) * v1);
        }
    }
}

/* to[h] += sum over rows of m[k][h] */
static void rows_sum(real *to, const real *m, long stride, long rows, long np) {
    for (long p = 0; p < np; p++) {
        const real *x = m + p * stride;
        vec s0 = LOAD(to + p * NR), s1 = LOAD(to + p * NR + VLEN);
        for (long k = 0; k < rows; k++) {
            s0 += LOAD(x + k * NR);
            s1 += LOAD(x + k * NR + VLEN);
        }
        STORE(to + p * NR, s0);
        STORE(to + p * NR + VLEN, s1);
    }
}

static int all_zero(const real *v, long n) {
    for (long i = 0; i < n; i++)
        if (v[i] != 0)
            return 0;
    return 1;
}

#endif
