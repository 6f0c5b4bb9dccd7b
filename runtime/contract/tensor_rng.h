/* tensor_rng.h: the entries of `random c_i ~ law seed s`: one rule for compiler and runtime.
 *
 * An entry is a pure function of (seed, name, row, column): any slice can be made alone, and a
 * dimension that is raised later keeps the entries it had. A vector is row 0. The stream's top bit is
 * set, which the streams of the training loop leave clear, so no seed makes the two meet.
 * C subset, as rng.h: host, generated code and CUDA. */
#ifndef PDE_RUNTIME_CONTRACT_TENSOR_RNG_H
#define PDE_RUNTIME_CONTRACT_TENSOR_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "contract/rng.h"

typedef struct TensorKey {
    uint64_t seed;
    uint32_t stream, step; /* 63 bits of the name's hash */
} TensorKey;

/* The laws of one number, numbered as in law.def. */
enum { TENSOR_NORMAL, TENSOR_UNIFORM, TENSOR_EXPONENTIAL, TENSOR_RADEMACHER, TENSOR_LOGNORMAL };

PDE_RNG_FN int pde_tensor_is_normal(int law) {
    return law == TENSOR_NORMAL || law == TENSOR_LOGNORMAL;
}

/* FNV-1a over the bytes of the name, then the finaliser of SplitMix64. */
PDE_RNG_FN TensorKey pde_tensor_key(uint64_t seed, const char *name, size_t n) {
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)name[i]) * 0x100000001B3u;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    h ^= h >> 31;
    TensorKey key = {seed, (uint32_t)h | 0x80000000u, (uint32_t)(h >> 32)};
    return key;
}

/* Standard draws of columns 4q .. 4q+3 of a row: normal with mean 0 and deviation 1 (by
 * Box-Muller on the pairs (0,1) and (2,3)) for the normal laws, uniform on (0,1) for the others. */
PDE_RNG_FN void pde_tensor_block(TensorKey key, int law, uint32_t row, uint32_t q, double out[4]) {
    uint32_t word[4];
    pde_random_block(key.seed, key.stream, key.step, row, q, word);
    if (pde_tensor_is_normal(law)) {
        pde_normal_pair(word[0], word[1], &out[0], &out[1]);
        pde_normal_pair(word[2], word[3], &out[2], &out[3]);
    } else {
        for (int i = 0; i < 4; i++)
            out[i] = pde_uniform(word[i]);
    }
}

/* A standard draw as an entry; a and b are the law's arguments in the order of law.def. */
PDE_RNG_FN double pde_tensor_scale(int law, double a, double b, double standard) {
    switch (law) {
    case TENSOR_NORMAL:
        return a + b * standard;
    case TENSOR_LOGNORMAL:
        return pde_exp(a + b * standard);
    case TENSOR_EXPONENTIAL:
        return -pde_log(standard) / a;
    case TENSOR_RADEMACHER:
        return standard < 0.5 ? -1.0 : 1.0;
    default:
        return a + (b - a) * standard;
    }
}

/* Entries [row][first .. first + n), counted from 0. */
PDE_RNG_FN void pde_tensor_fill(TensorKey key, int law, double a, double b, uint32_t row,
                                uint32_t first, uint32_t n, double *out) {
    double block[4];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t column = first + i;
        if (i == 0 || (column & 3) == 0)
            pde_tensor_block(key, law, row, column >> 2, block);
        out[i] = pde_tensor_scale(law, a, b, block[column & 3]);
    }
}

#endif
