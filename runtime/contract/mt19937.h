/* mt19937.h: the entries of `random c_i ~ law seed s generator mt19937`: those that numpy.random.seed(s) is followed by,
 * with numpy.random.normal or uniform, so that coefficients published by their seed are the same here.
 *
 * The generator of Matsumoto and Nishimura (1998) with their initialisation by one number; uniform numbers have 53 bits,
 * normal ones come in pairs by Marsaglia's polar method, the second first. Entries follow one another: they need be
 * made from the first on. */
#ifndef PDE_RUNTIME_CONTRACT_MT19937_H
#define PDE_RUNTIME_CONTRACT_MT19937_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { MT_WORDS = 624, MT_MIDDLE = 397 };

typedef struct Mt19937 {
    uint32_t word[MT_WORDS];
    int at;
    bool has_second;
    double second; /* of a pair of normals */
} Mt19937;

static inline Mt19937 mt_seed(uint32_t seed) {
    Mt19937 g = {.at = MT_WORDS};
    for (uint32_t k = 0; k < MT_WORDS; k++) {
        g.word[k] = seed;
        seed = 1812433253u * (seed ^ seed >> 30) + k + 1;
    }
    return g;
}

static inline void mt_refill(Mt19937 *g) {
    for (int k = 0; k < MT_WORDS; k++) {
        const uint32_t y = (g->word[k] & 0x80000000u) | (g->word[(k + 1) % MT_WORDS] & 0x7FFFFFFFu);
        g->word[k] = g->word[(k + MT_MIDDLE) % MT_WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908B0DFu : 0);
    }
    g->at = 0;
}

static inline uint32_t mt_word(Mt19937 *g) {
    if (g->at == MT_WORDS)
        mt_refill(g);
    uint32_t y = g->word[g->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680u;
    y ^= y << 15 & 0xEFC60000u;
    return y ^ y >> 18;
}

static inline double mt_uniform(Mt19937 *g) {
    const double high = mt_word(g) >> 5, low = mt_word(g) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

static inline double mt_normal(Mt19937 *g) {
    if (g->has_second) {
        g->has_second = false;
        return g->second;
    }
    double x, y, square;
    do {
        x = 2 * mt_uniform(g) - 1;
        y = 2 * mt_uniform(g) - 1;
        square = x * x + y * y;
    } while (square >= 1 || !(square > 0));
    const double factor = sqrt(-2 * log(square) / square);
    g->second = factor * x;
    g->has_second = true;
    return factor * y;
}

/* n entries, row by row: normal with mean a and deviation b, or uniform on (a, b). */
static inline void mt_fill(uint64_t seed, bool normal, double a, double b, int64_t n, double *out) {
    Mt19937 g = mt_seed((uint32_t)seed);
    for (int64_t k = 0; k < n; k++)
        out[k] = normal ? a + b * mt_normal(&g) : a + (b - a) * mt_uniform(&g);
}

#endif
