/* Counter-based random numbers: Philox 4x32-10 (Salmon et al., SC 2011).
 *
 * A number is a pure function of (seed, stream, step, point, coordinate): any slice can be made
 * alone, on any thread, rank or device. C subset: host, vectorised lane loops and CUDA. Streams
 * separate uses (points, index sets, initialisation, ...) and are numbered by the caller.
 */
#ifndef PDE_RUNTIME_CONTRACT_RNG_H
#define PDE_RUNTIME_CONTRACT_RNG_H

#include <stdint.h>

#ifndef PDE_RUNTIME_CONTRACT_PDE_MATH_H
#include "contract/pde_math.h"
#endif

#ifndef PDE_RNG_FN
#define PDE_RNG_FN static inline
#endif

/* One block: counter c[4] and key become four random words. */
PDE_RNG_FN void pde_philox(uint32_t c[4], uint32_t k0, uint32_t k1) {
    uint32_t c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    c[0] = c0;
    c[1] = c1;
    c[2] = c2;
    c[3] = c3;
}

/* The block that serves coordinates 4q .. 4q+3 of a point. */
PDE_RNG_FN void pde_random_block(uint64_t seed, uint32_t stream, uint32_t step, uint32_t point,
                                 uint32_t q, uint32_t word[4]) {
    word[0] = q;
    word[1] = point;
    word[2] = step;
    word[3] = stream;
    pde_philox(word, (uint32_t)seed, (uint32_t)(seed >> 32));
}

PDE_RNG_FN uint32_t pde_random_word(uint64_t seed, uint32_t stream, uint32_t step, uint32_t point,
                                    uint32_t coordinate) {
    uint32_t word[4];
    pde_random_block(seed, stream, step, point, coordinate >> 2, word);
    return word[coordinate & 3];
}

/* Uniform in the open interval (0,1): the 2^23 midpoints (float) or 2^32 midpoints (double). */
PDE_RNG_FN float pde_uniformf(uint32_t word) {
    return ((float)(int32_t)(word >> 9) + 0.5f) * 1.1920928955078125e-07f;
}

PDE_RNG_FN double pde_uniform(uint32_t word) {
    return ((double)word + 0.5) * 2.3283064365386962890625e-10;
}

/* log(u) for u in (0,1], without a division (Cephes) */
PDE_RNG_FN float pde_log_unitf(float u) {
    int32_t e = (pde_bits_of(u * 1.41421356237309504880f) >> 23) - 127;
    float x = pde_float_of(pde_bits_of(u) - e * 8388608) - 1.0f, z = x * x, k = (float)e;
    float y = 7.0376836292e-2f;
    y = y * x - 1.1514610310e-1f;
    y = y * x + 1.1676998740e-1f;
    y = y * x - 1.2420140846e-1f;
    y = y * x + 1.4249322787e-1f;
    y = y * x - 1.6668057665e-1f;
    y = y * x + 2.0000714765e-1f;
    y = y * x - 2.4999993993e-1f;
    y = y * x + 3.3333331174e-1f;
    y = y * x * z - 2.12194440e-4f * k - 0.5f * z;
    return x + y + 0.693359375f * k;
}

PDE_RNG_FN double pde_log_unit(double u) {
    return pde_log(u);
}

/* Two independent standard normals from two words (Box-Muller by the half angle). */
PDE_RNG_FN void pde_normal_pairf(uint32_t a, uint32_t b, float *first, float *second) {
    float radius = __builtin_sqrtf(-2.0f * pde_log_unitf(pde_uniformf(a)));
    float t = (float)(int32_t)b * 7.3145889e-10f, y = t * t; /* pi 2^-32 */
    float s = -2.3889859e-8f * y + 2.7525562e-6f;
    s = s * y - 1.9840874e-4f;
    s = s * y + 8.3333310e-3f;
    s = s * y - 1.6666667e-1f;
    s = s * y * t + t;
    float c = -2.6051615e-7f * y + 2.4760495e-5f;
    c = c * y - 1.3888378e-3f;
    c = c * y + 4.1666638e-2f;
    c = c * y - 0.5f;
    c = c * y + 1.0f;
    *first = radius * (2.0f * s * c);
    *second = radius * (1.0f - 2.0f * s * s);
}

PDE_RNG_FN void pde_normal_pair(uint32_t a, uint32_t b, double *first, double *second) {
    double radius = __builtin_sqrt(-2.0 * pde_log(pde_uniform(a)));
    double t = (double)(int32_t)b * 1.4629180792671596e-09; /* 2 pi 2^-32 */
    *first = radius * pde_sin(t);
    *second = radius * pde_cos(t);
}

PDE_RNG_FN uint64_t pde_random_word64(uint64_t seed, uint32_t stream, uint32_t step, uint32_t point,
                                      uint32_t number) {
    uint32_t word[4];
    pde_random_block(seed, stream, step, point, number, word);
    return (uint64_t)word[0] << 32 | word[1];
}

/* High half of a 64 x 64 bit product, without a 128-bit type. */
PDE_RNG_FN uint64_t pde_mul_high(uint64_t a, uint64_t b) {
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t middle = ah * bl + (al * bl >> 32), low = (uint32_t)middle + al * bh;
    return ah * bh + (middle >> 32) + (low >> 32);
}

/* Uniform in 0 .. bound-1 (bias below bound / 2^64). */
PDE_RNG_FN uint64_t pde_random_below(uint64_t word, uint64_t bound) {
    return pde_mul_high(word, bound);
}

#define PDE_SUBSET_EMPTY (~(uint64_t)0) /* a free slot of the table below */

/* Enters `pick`, or `top` if it was drawn already (which the new top number cannot have been), into
 * the table of `slots` entries (a power of two); returns what was entered.
 */
PDE_RNG_FN uint64_t pde_subset_take(uint64_t *table, uint32_t slots, uint64_t pick, uint64_t top) {
    for (;;) {
        uint32_t at = (uint32_t)(pick * 0x9E3779B97F4A7C15u >> 32) & (slots - 1);
        while (table[at] != PDE_SUBSET_EMPTY && table[at] != pick)
            at = (at + 1) & (slots - 1);
        if (table[at] == PDE_SUBSET_EMPTY) {
            table[at] = pick;
            return pick;
        }
        pick = top;
    }
}

/* n distinct numbers of 0 .. K-1 by Floyd's method, in the order drawn (a uniform subset; the
 * order is not uniform). K up to 2^64-1, no memory of size K: `table` is scratch of `slots`
 * entries, a power of two and at least 2n. Returns 0 if n > K or the table is too small.
 */
PDE_RNG_FN int pde_random_subset(uint64_t seed, uint32_t stream, uint32_t step, uint32_t point,
                                 uint64_t K, uint32_t n, uint64_t *out, uint64_t *table,
                                 uint32_t slots) {
    if (n > K || (slots & (slots - 1)) || slots / 2 < n)
        return 0;
    for (uint32_t i = 0; i < slots; i++)
        table[i] = PDE_SUBSET_EMPTY;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t top = K - n + i;
        uint64_t pick = pde_random_below(pde_random_word64(seed, stream, step, point, i), top + 1);
        out[i] = pde_subset_take(table, slots, pick, top);
    }
    return 1;
}

/* Number k of 0 .. d*d-1 as an ordered pair (i, j). */
PDE_RNG_FN void pde_pair_of(uint64_t k, uint64_t d, uint32_t pair[2]) {
    pair[0] = (uint32_t)(k / d);
    pair[1] = (uint32_t)(k % d);
}

/* Number k of 0 .. d(d-1)/2-1 as i < j; k = j(j-1)/2 + i, exact for d up to 2^32. */
PDE_RNG_FN void pde_pair_below(uint64_t k, uint32_t pair[2]) {
    uint64_t low = 1, high = (uint64_t)1 << 32; /* j(j-1)/2 <= k < high(high-1)/2 */
    while (high - low > 1) {
        uint64_t j = low + (high - low) / 2;
        uint64_t below = j % 2 ? (j - 1) / 2 * j : j / 2 * (j - 1);
        if (below <= k)
            low = j;
        else
            high = j;
    }
    uint64_t below = low % 2 ? (low - 1) / 2 * low : low / 2 * (low - 1);
    pair[0] = (uint32_t)(k - below);
    pair[1] = (uint32_t)low;
}

#endif
