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

/* high and low words of factor * a, for all lanes */
INLINE void wide_multiply(uint32_t factor, const uint32_t *a, uint32_t *high, uint32_t *low) {
#if defined(__AVX512F__)
    __m512i x = _mm512_load_si512(a), f = _mm512_set1_epi64(factor);
    __m512i even = _mm512_mul_epu32(x, f), odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), f);
    _mm512_store_si512(high, _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 32), odd));
    _mm512_store_si512(low, _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64(odd, 32)));
#elif defined(__AVX2__)
    __m256i f = _mm256_set1_epi64x(factor);
    for (int i = 0; i < PDE_LANES; i += 8) {
        __m256i x = _mm256_load_si256((const __m256i *)(a + i));
        __m256i even = _mm256_mul_epu32(x, f);
        __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), f);
        _mm256_store_si256((__m256i *)(high + i),
                           _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA));
        _mm256_store_si256((__m256i *)(low + i),
                           _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA));
    }
#else
    for (int i = 0; i < PDE_LANES; i++) {
        uint64_t p = (uint64_t)factor * a[i];
        high[i] = (uint32_t)(p >> 32);
        low[i] = (uint32_t)p;
    }
#endif
}

typedef struct LaneWords {
    _Alignas(64) uint32_t word[4][PDE_LANES];
} LaneWords;

/* pde_random_block for PDE_LANES consecutive points */
INLINE void lane_block(LaneWords *c, uint64_t seed, uint32_t stream, uint32_t step, uint32_t point0,
                       uint32_t q) {
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int i = 0; i < PDE_LANES; i++) {
        c->word[0][i] = q;
        c->word[1][i] = point0 + (uint32_t)i;
        c->word[2][i] = step;
        c->word[3][i] = stream;
    }
#pragma GCC unroll 10
    for (int round = 0; round < 10; round++) {
        _Alignas(64) uint32_t h0[PDE_LANES], l0[PDE_LANES], h1[PDE_LANES], l1[PDE_LANES];
        wide_multiply(0xD2511F53u, c->word[0], h0, l0);
        wide_multiply(0xCD9E8D57u, c->word[2], h1, l1);
        for (int i = 0; i < PDE_LANES; i++) {
            c->word[0][i] = h1[i] ^ c->word[1][i] ^ k0;
            c->word[1][i] = l1[i];
            c->word[2][i] = h0[i] ^ c->word[3][i] ^ k1;
            c->word[3][i] = l0[i];
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

static void random_fill(PdeLaw law, uint64_t seed, uint32_t stream, uint32_t step, uint32_t point0,
                        int64_t i0, int64_t i1, void *to) {
    real *x = to;
    for (int64_t i = i0; i < i1; i += 4) {
        LaneWords w;
        _Alignas(64) real y[4][PDE_LANES];
        lane_block(&w, seed, stream, step, point0, (uint32_t)(i >> 2));
        if (law == PDE_LAW_NORMAL) {
            for (int j = 0; j < PDE_LANES; j++) {
#ifdef PDE_REAL_F64
                pde_normal_pair(w.word[0][j], w.word[1][j], &y[0][j], &y[1][j]);
                pde_normal_pair(w.word[2][j], w.word[3][j], &y[2][j], &y[3][j]);
#else
                pde_normal_pairf(w.word[0][j], w.word[1][j], &y[0][j], &y[1][j]);
                pde_normal_pairf(w.word[2][j], w.word[3][j], &y[2][j], &y[3][j]);
#endif
            }
        } else {
            for (int m = 0; m < 4; m++)
                for (int j = 0; j < PDE_LANES; j++)
#ifdef PDE_REAL_F64
                    y[m][j] = pde_uniform(w.word[m][j]);
#else
                    y[m][j] = pde_uniformf(w.word[m][j]);
#endif
        }
        memcpy(x + i * PDE_LANES, y, (size_t)least(4, i1 - i) * sizeof y[0]);
    }
}

#endif
