/* Random points straight into the x layout: rng.h, for PDE_LANES points at a time.
 * Lane loops of fixed length are left to the vectoriser; only the wide multiplication of Philox is
 * spelled out, because compilers do not find the instruction for it.
 */
#ifndef PDE_KERNELS_RANDOM_H
#define PDE_KERNELS_RANDOM_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "../rng.h"
#include "ops.h"
#include "vec.h"

/* As many points as a register holds words. */
typedef uint32_t words __attribute__((vector_size(VBYTES), may_alias));

enum { WORDS = VBYTES / sizeof(uint32_t) };

/* high and low words of factor * a */
INLINE void wide_multiply(uint32_t factor, words a, words *high, words *low) {
#if defined(__AVX512F__)
    __m512i x = (__m512i)a, f = _mm512_set1_epi64(factor);
    __m512i even = _mm512_mul_epu32(x, f), odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), f);
    *high = (words)_mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 32), odd);
    *low = (words)_mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64(odd, 32));
#elif defined(__AVX2__)
    __m256i x = (__m256i)a, f = _mm256_set1_epi64x(factor);
    __m256i even = _mm256_mul_epu32(x, f), odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), f);
    *high = (words)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
    *low = (words)_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
#else
    for (int i = 0; i < WORDS; i++) {
        uint64_t p = (uint64_t)factor * a[i];
        (*high)[i] = (uint32_t)(p >> 32);
        (*low)[i] = (uint32_t)p;
    }
#endif
}

/* pde_random_block for PDE_LANES consecutive points: word[m][lane] */
INLINE void lane_block(uint32_t (*word)[PDE_LANES], uint64_t seed, uint32_t stream, uint32_t step,
                       uint32_t point0, uint32_t q) {
    for (int lane = 0; lane < PDE_LANES; lane += WORDS) {
        uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
        words zero = {0}, c0 = zero + q, c1, c2 = zero + step, c3 = zero + stream;
        for (int i = 0; i < WORDS; i++) c1[i] = point0 + (uint32_t)(lane + i);
#pragma GCC unroll 10
        for (int round = 0; round < 10; round++) {
            words h0, l0, h1, l1;
            wide_multiply(0xD2511F53u, c0, &h0, &l0);
            wide_multiply(0xCD9E8D57u, c2, &h1, &l1);
            c0 = h1 ^ c1 ^ k0;
            c1 = l1;
            c2 = h0 ^ c3 ^ k1;
            c3 = l0;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        *(words *)(word[0] + lane) = c0;
        *(words *)(word[1] + lane) = c1;
        *(words *)(word[2] + lane) = c2;
        *(words *)(word[3] + lane) = c3;
    }
}

static void random_fill(PdeLaw law, uint64_t seed, uint32_t stream, uint32_t step, uint32_t point0,
                        int64_t i0, int64_t i1, void *to) {
    real *x = to;
    for (int64_t i = i0; i < i1; i += 4) {
        _Alignas(64) uint32_t w[4][PDE_LANES];
        _Alignas(64) real y[4][PDE_LANES];
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
        memcpy(x + i * PDE_LANES, y, (size_t)least(4, i1 - i) * sizeof y[0]);
    }
}

#endif
