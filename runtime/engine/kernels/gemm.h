/* Matrix products on panel matrices.
 *
 * A panel matrix of r rows and c columns is stored [panels(c)][r][NR]: panels of NR columns, the
 * last one padded with zeros. Weights, tangents, pre-activations and adjoints all have this one
 * layout, so each can be the broadcast operand and the vector operand of a product and nothing is
 * packed in the step. `stride` is the distance of two panels (rows * NR, or more).
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_GEMM_H
#define PDE_RUNTIME_ENGINE_KERNELS_GEMM_H

#include "engine/kernels/vec.h"

#define UNROLL_ROWS _Pragma("GCC unroll 8")

/* c[r] += sum_k a[r*row + k*step] * b[k*NR ..]; rows, row and step are constants once inlined. */
INLINE void tile_product(vec (*c)[2], int rows, const real *a, long row, long step, const real *b,
                         long k) {
    for (long p = 0; p < k; p++) {
        vec b0 = LOAD(b), b1 = LOAD(b + VLEN);
        UNROLL_ROWS for (int r = 0; r < rows; r++) {
            real s = a[r * row];
            c[r][0] += b0 * s;
            c[r][1] += b1 * s;
        }
        a += step;
        b += NR;
    }
}

INLINE void tile_zero(vec (*c)[2], int rows) {
    UNROLL_ROWS for (int r = 0; r < rows; r++) c[r][0] = c[r][1] = (vec){0};
}

INLINE void tile_load(vec (*c)[2], int rows, const real *from) {
    UNROLL_ROWS for (int r = 0; r < rows; r++) {
        c[r][0] = LOAD(from + r * NR);
        c[r][1] = LOAD(from + r * NR + VLEN);
    }
}

INLINE void tile_store(vec (*c)[2], int rows, real *to) {
    UNROLL_ROWS for (int r = 0; r < rows; r++) {
        STORE(to + r * NR, c[r][0]);
        STORE(to + r * NR + VLEN, c[r][1]);
    }
}

/* The same for panels whose second half is padding: NARROW rows of one register, as many as keep its sums busy. */
enum { NARROW = VBYTES == 64 ? 16 : 8 };

INLINE void narrow_product(vec *c, int rows, const real *a, long row, long step, const real *b,
                           long k) {
    for (long p = 0; p < k; p++, a += step, b += NR) {
        vec b0 = LOAD(b);
        _Pragma("GCC unroll 16") for (int r = 0; r < rows; r++) c[r] += b0 * a[r * row];
    }
}

/* Row tiles: CALL(n) is expanded with each constant n so that the tile stays in registers. */
#define TILE_CASES_TO_3(CALL)                                                                      \
    case 3:                                                                                        \
        CALL(3);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        CALL(2);                                                                                   \
        break;                                                                                     \
    case 1:                                                                                        \
        CALL(1);                                                                                   \
        break;
#define TILE_CASES_TO_5(CALL)                                                                      \
    case 5:                                                                                        \
        CALL(5);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        CALL(4);                                                                                   \
        break;                                                                                     \
        TILE_CASES_TO_3(CALL)
#if MR == 8
#define TILE_CASES(CALL)                                                                           \
    case 7:                                                                                        \
        CALL(7);                                                                                   \
        break;                                                                                     \
    case 6:                                                                                        \
        CALL(6);                                                                                   \
        break;                                                                                     \
        TILE_CASES_TO_5(CALL)
#elif MR == 6
#define TILE_CASES(CALL) TILE_CASES_TO_5(CALL)
#else
#define TILE_CASES(CALL) TILE_CASES_TO_3(CALL)
#endif

#define TILE_SWITCH(rows, CALL)                                                                    \
    switch (rows) {                                                                                \
    case MR:                                                                                       \
        CALL(MR);                                                                                  \
        break;                                                                                     \
        TILE_CASES(CALL)                                                                           \
    }

/* One tile of A B for the broadcast operand A in panel layout, all of k. */
INLINE void tile_nn(vec (*c)[2], int rows, const real *a, long a_stride, const real *b, long k) {
    long p = 0;
    for (; p + NR <= k; p += NR, a += a_stride, b += NR * NR)
        tile_product(c, rows, a, NR, 1, b, NR);
    if (p < k)
        tile_product(c, rows, a, NR, 1, b, k - p);
}

/* C (rows x n) = A (rows x k) B (k x n); B's panel stride is k * NR; add: C += */
static void product_nn(real *c, long c_stride, const real *a, long a_stride, const real *b,
                       long rows, long k, long n, int add) {
    for (long j = 0; j < panels(n); j++) {
        for (long r = 0; r < rows; r += MR) {
            real *to = c + j * c_stride + r * NR;
#define CALL(m)                                                                                    \
    do {                                                                                           \
        vec t[m][2];                                                                               \
        if (add)                                                                                   \
            tile_load(t, m, to);                                                                   \
        else                                                                                       \
            tile_zero(t, m);                                                                       \
        tile_nn(t, m, a + r * NR, a_stride, b + j * k * NR, k);                                    \
        tile_store(t, m, to);                                                                      \
    } while (0)
            TILE_SWITCH(least(MR, rows - r), CALL)
#undef CALL
        }
    }
}

/* C (m x n) += A' B for A (rows x m), B (rows x n); C's panel stride is m * NR. upper: A is upper
 * triangular, so column i of A has no more than i+1 rows.
 */
static void product_tn(real *c, const real *a, long a_stride, const real *b, long b_stride,
                       long rows, long m, long n, int upper) {
    for (long j = 0; j < panels(n); j++) {
        for (long i = 0; i < m; i += NR) {
            const real *ai = a + i / NR * a_stride;
            for (long r = 0, end = least(NR, m - i); r < end; r += MR) {
                real *to = c + (j * m + i + r) * NR;
                long k = upper ? least(rows, i + r + MR) : rows;
#define CALL(q)                                                                                    \
    do {                                                                                           \
        vec t[q][2];                                                                               \
        tile_load(t, q, to);                                                                       \
        tile_product(t, q, ai + r, 1, NR, b + j * b_stride, k);                                    \
        tile_store(t, q, to);                                                                      \
    } while (0)
                TILE_SWITCH(least(MR, end - r), CALL)
#undef CALL
            }
        }
    }
}

/* T (panel matrix of B') = transpose of B (rows x columns); padding columns become zero. */
static void transpose(real *t, const real *b, long rows, long columns) {
    for (long i = 0; i < panels(rows) * NR; i++)
        for (long j = 0; j < columns; j++)
            t[(i / NR * columns + j) * NR + i % NR] =
                i < rows ? b[(j / NR * rows + i) * NR + j % NR] : 0;
}

#endif
