/* The update rules of optim.def, vector by vector: w, its state and its gradient, n numbers (a multiple
 * of VLEN). One function serves the small layers (from a stored gradient) and the first layer (block by
 * block, from a gradient that is still in cache).
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_UPDATE_H
#define PDE_RUNTIME_ENGINE_KERNELS_UPDATE_H

#include <math.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "engine/kernels/state.h"
#include "engine/optim_rule.h"

/* 1 / (root * sqrt(v) + epsilon). In float a reciprocal estimate with one Newton step (relative
 * error near 1e-7) replaces the slow square root and division.
 */
INLINE vec inverse_root(vec v, real root, real epsilon) {
#if defined(__AVX512F__) && !defined(PDE_REAL_F64)
    vec least = (vec)_mm512_set1_ps(1e-30f);
    vec x = (vec)_mm512_max_ps((__m512)v, (__m512)least);
    vec y = (vec)_mm512_rsqrt14_ps((__m512)x);
    y = y * (1.5f - 0.5f * x * y * y);
    vec s = v * y * root + epsilon;
    vec z = (vec)_mm512_rcp14_ps((__m512)s);
    return z * (2.0f - s * z);
#elif defined(__AVX__) && !defined(PDE_REAL_F64)
    vec least = (vec)_mm256_set1_ps(1e-30f);
    vec x = (vec)_mm256_max_ps((__m256)v, (__m256)least);
    vec y = (vec)_mm256_rsqrt_ps((__m256)x);
    y = y * (1.5f - 0.5f * x * y * y);
    vec s = v * y * root + epsilon;
    vec z = (vec)_mm256_rcp_ps((__m256)s);
    return z * (2.0f - s * z);
#else
    vec s;
    for (int i = 0; i < VLEN; i++)
        s[i] = real_sqrt(v[i]);
    return 1 / (s * root + epsilon);
#endif
}

#define RULE_NUMBER vec
#define RULE_FACTOR real
#define RULE(name) vec_##name
#define RULE_INLINE INLINE
#define RULE_ROOT inverse_root
#include "engine/optim_rule_body.h"
#undef RULE_NUMBER
#undef RULE_FACTOR
#undef RULE
#undef RULE_INLINE
#undef RULE_ROOT

typedef vec_Rule Rule;

/* state[k] + at: the states of w */
typedef void UpdateRule(const Rule *rule, real *w, real *const *state, long at, const real *g,
                        long n);

/* The rule's own copy, since w may lie anywhere: what is loop-invariant stays in registers. */
#define OPTIMISER(name, class, states, ...)                                                        \
    static void update_##name(const Rule *rule, real *w, real *const *state, long at,              \
                              const real *g, long n) {                                             \
        const Rule k = *rule;                                                                      \
        real *to[states + 1] = {NULL};                                                             \
        for (int m = 0; m < states; m++)                                                           \
            to[m] = state[m] + at;                                                                 \
        for (long i = 0; i < n; i += VLEN) {                                                       \
            vec s[states + 1];                                                                     \
            for (int m = 0; m < states; m++)                                                       \
                s[m] = LOAD(to[m] + i);                                                            \
            vec p = vec_##name(&k, LOAD(w + i), s, LOAD(g + i));                                   \
            for (int m = 0; m < states; m++)                                                       \
                STORE(to[m] + i, s[m]);                                                            \
            STORE(w + i, p);                                                                       \
        }                                                                                          \
    }
#include "contract/optim.def"
#undef OPTIMISER

static UpdateRule *const update_table[] = {
#define OPTIMISER(name, ...) update_##name,
#include "contract/optim.def"
#undef OPTIMISER
};

static Rule rule_of(const PdeOptimConfig *o, double rate, int64_t t) {
    PdeRule rule = pde_optim_rule(o, rate, t);
    return vec_rule(&rule);
}

#endif
