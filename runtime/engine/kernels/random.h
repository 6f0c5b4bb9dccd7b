/* Random points straight into the x layout: rng.h, for PDE_LANES points at a time.
 * Lane loops of fixed length are left to the vectoriser; only the wide multiplication of Philox is
 * spelled out, because compilers do not find the instruction for it.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_RANDOM_H
#define PDE_RUNTIME_ENGINE_KERNELS_RANDOM_H

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "contract/rng.h"
#include "engine/ops.h"
#include "engine/kernels/vec.h"

/* As many points as a register holds words, in two registers of 64-bit numbers: those at even places
 * and those at odd ones. Only the low half of a number counts, so that a product's low word is where
 * the next round wants it, and its high word one shift away.
 */
typedef uint64_t longs __attribute__((vector_size(VBYTES), may_alias));

enum { WORDS = VBYTES / sizeof(uint32_t) };

/* factor times the low words */
INLINE longs wide_product(uint32_t factor, longs a) {
#if defined(__AVX512F__)
    return (longs)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64(factor));
#elif defined(__AVX2__)
    return (longs)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(factor));
#elif defined(__SSE2__)
    return (longs)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(factor));
#else
    return (a & 0xFFFFFFFFu) * factor;
#endif
}

/* pde_random_block for PDE_LANES consecutive points: word[m][lane] */
INLINE void lane_block(uint32_t (*word)[PDE_LANES], uint64_t seed, uint32_t stream, uint32_t step,
                       uint32_t point0, uint32_t q) {
    static const _Alignas(VBYTES) uint64_t place[] = {0, 2, 4, 6, 8, 10, 12, 14};
    for (int lane = 0; lane < PDE_LANES; lane += WORDS) {
        uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
        longs zero = {0}, c[2][4];
        for (int odd = 0; odd < 2; odd++) {
            c[odd][0] = zero + q;
            c[odd][1] = *(const longs *)place + (point0 + (uint32_t)(lane + odd));
            c[odd][2] = zero + step;
            c[odd][3] = zero + stream;
        }
#pragma GCC unroll 10
        for (int round = 0; round < 10; round++) {
#pragma GCC unroll 2
            for (int odd = 0; odd < 2; odd++) {
                longs p0 = wide_product(0xD2511F53u, c[odd][0]);
                longs p1 = wide_product(0xCD9E8D57u, c[odd][2]);
                c[odd][0] = (p1 >> 32) ^ c[odd][1] ^ k0;
                c[odd][1] = p1;
                c[odd][2] = (p0 >> 32) ^ c[odd][3] ^ k1;
                c[odd][3] = p0;
            }
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
#pragma GCC unroll 4
        for (int m = 0; m < 4; m++)
            *(longs *)(word[m] + lane) = (c[0][m] & 0xFFFFFFFFu) | c[1][m] << 32;
    }
}

/* Sums of squares are kept in short runs, so that float's rounding stays small. */
static void random_fill(PdeLaw law, uint64_t seed, uint32_t stream, uint32_t step, uint32_t point0,
                        int64_t i0, int64_t i1, void *to, double *squares) {
    enum { RUN = 64, AHEAD = 64 };
    real *x = to;
    _Alignas(64) real part[PDE_LANES] = {0};
    for (int64_t i = i0; i < i1; i += 4) {
        _Alignas(64) uint32_t w[4][PDE_LANES];
        _Alignas(64) real y[4][PDE_LANES];
        for (int m = 0; m < 4; m++) /* the lines are written long after they were last used */
            __builtin_prefetch(x + (i + AHEAD + m) * PDE_LANES, 1);
        lane_block(w, seed, stream, step, point0, (uint32_t)(i >> 2));
        if (law == PDE_LAW_NORMAL) {
            for (int j = 0; j < PDE_LANES; j++) {
#ifdef PDE_REAL_F64
                pde_normal_pair(w[0][j], w[1][j], &y[0][j], &y[1][j]);
                pde_normal_pair(w[2][j], w[3][j], &y[2][j], &y[3][j]);
#else
                pde_normal_pairf(w[0][j], w[1][j], &y[0][j], &y[1][j]);
                pde_normal_pairf(w[2][j], w[3][j], &y[2][j], &y[3][j]);
#endif
            }
        } else {
            for (int m = 0; m < 4; m++)
                for (int j = 0; j < PDE_LANES; j++)
#ifdef PDE_REAL_F64
                    y[m][j] = pde_uniform(w[m][j]);
#else
                    y[m][j] = pde_uniformf(w[m][j]);
#endif
        }
        long rows = least(4, i1 - i);
        memcpy(x + i * PDE_LANES, y, (size_t)rows * sizeof y[0]);
        if (!squares)
            continue;
        for (long m = 0; m < rows; m++)
            for (int j = 0; j < PDE_LANES; j++)
                part[j] += y[m][j] * y[m][j];
        if ((i - i0) % RUN != RUN - 4 && i + 4 < i1)
            continue;
        for (int j = 0; j < PDE_LANES; j++) {
            squares[j] += (double)part[j];
            part[j] = 0;
        }
    }
}

#endif
