/* draw.h: the random numbers of an expectation by counter: a function of the random variable, the
 * sample and the entry only, so that the interpreter and the kernels see the same samples. Placed
 * in generated source after rng.h, where there is an expectation. */
#ifndef PDE_RUNTIME_CONTRACT_DRAW_H
#define PDE_RUNTIME_CONTRACT_DRAW_H

#ifndef PDE_RUNTIME_CONTRACT_RNG_H
#include "contract/rng.h"
#endif

/* A seed of its own and stream 0, which no use in stream.h has: no run's points are the same. */
#define PDE_DRAW_SEED UINT64_C(0x6578706563746174)

/* The two words that entries 2q-1 and 2q (counted from 1) of a sample share. */
PDE_RNG_FN void pde_draw_words(uint32_t variable, int64_t sample, int64_t entry, uint32_t pair[2]) {
    uint32_t word[4], at = (uint32_t)(entry - 1);
    pde_random_block(PDE_DRAW_SEED, 0, variable, (uint32_t)sample, at >> 2, word);
    pair[0] = word[at & 2];
    pair[1] = word[(at & 2) + 1];
}

PDE_RNG_FN double pde_draw_uniform(uint32_t variable, int64_t sample, int64_t entry) {
    uint32_t pair[2];
    pde_draw_words(variable, sample, entry, pair);
    return pde_uniform(pair[(entry - 1) & 1]);
}

PDE_RNG_FN double pde_draw_normal(uint32_t variable, int64_t sample, int64_t entry) {
    uint32_t pair[2];
    double normal[2];
    pde_draw_words(variable, sample, entry, pair);
    pde_normal_pair(pair[0], pair[1], &normal[0], &normal[1]);
    return normal[(entry - 1) & 1];
}

#endif
