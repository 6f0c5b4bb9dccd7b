/* The update rules of optim.def: w, its state and its gradient, n numbers (a multiple of VLEN).
 * One function serves the small layers (from a stored gradient) and the first layer (block by
 * block, from a gradient that is still in cache).
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_UPDATE_H
#define PDE_RUNTIME_ENGINE_KERNELS_UPDATE_H

#include <math.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "engine/kernels/state.h"

typedef struct Rule {
    real rate, beta1, beta2, epsilon, decay;
    real step;              /* rate / (1 - beta1^t) */
    real root;              /* 1 / sqrt(1 - beta2^t) */
} Rule;

typedef void UpdateRule(const Rule *rule, real *w, real *m, real *v, const real *g, long n);

/* 1 / (root * sqrt(v) + epsilon). In float a reciprocal estimate with one Newton step (relative
 * error near 1e-7) replaces the slow square root and division.
 */
INLINE vec inverse_root(vec v, vec root, vec epsilon) {
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
    for (int i = 0; i < VLEN; i++) s[i] = real_sqrt(v[i]);
    return 1 / (s * root + epsilon);
#endif
}

INLINE void adam_rule(const Rule *k, real *w, real *m, real *v, const real *g, long n,
                      int decoupled) {
    vec b1 = (vec){0} + k->beta1, b2 = (vec){0} + k->beta2, root = (vec){0} + k->root;
    vec epsilon = (vec){0} + k->epsilon, step = (vec){0} + k->step;
    vec keep = (vec){0} + (1 - k->rate * k->decay);
    for (long i = 0; i < n; i += VLEN) {
        vec x = LOAD(g + i), p = LOAD(w + i);
        if (!decoupled) x += p * k->decay;
        vec a = LOAD(m + i), b = LOAD(v + i);
        a = x + b1 * (a - x);
        b = x * x + b2 * (b - x * x);
        STORE(m + i, a);
        STORE(v + i, b);
        if (decoupled) p *= keep;
        STORE(w + i, p - step * a * inverse_root(b, root, epsilon));
    }
}

static void update_adam(const Rule *k, real *w, real *m, real *v, const real *g, long n) {
    adam_rule(k, w, m, v, g, n, 0);
}

static void update_adamw(const Rule *k, real *w, real *m, real *v, const real *g, long n) {
    adam_rule(k, w, m, v, g, n, 1);
}

static void update_sgd(const Rule *k, real *w, real *m, real *v, const real *g, long n) {
    (void)v;
    for (long i = 0; i < n; i += VLEN) {
        vec p = LOAD(w + i), a = LOAD(m + i) * k->beta1 + LOAD(g + i) + p * k->decay;
        STORE(m + i, a);
        STORE(w + i, p - a * k->rate);
    }
}

/* The gradient is J' (K + lambda)^-1 (r - beta1 J m), so that this is the step of natural.c. */
static void update_natural(const Rule *k, real *w, real *m, real *v, const real *g, long n) {
    update_sgd(k, w, m, v, g, n);
}

/* A step along the gradient: lbfgs.c sets the parameters itself. */
static void update_lbfgs(const Rule *k, real *w, real *m, real *v, const real *g, long n) {
    (void)m;
    (void)v;
    for (long i = 0; i < n; i += VLEN)
        STORE(w + i, LOAD(w + i) - LOAD(g + i) * k->rate);
}

static UpdateRule *const update_table[] = {
#define OPTIMISER(name, slots, decay, text) update_##name,
#include "contract/optim.def"
#undef OPTIMISER
};

static Rule rule_of(const PdeOptimConfig *o, double rate, int64_t t) {
    return (Rule){(real)rate, (real)o->beta1, (real)o->beta2, (real)o->epsilon, (real)o->decay,
                  (real)(rate / (1 - pow(o->beta1, (double)t))),
                  (real)(1 / sqrt(1 - pow(o->beta2, (double)t)))};
}

#endif
