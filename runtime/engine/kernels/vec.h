/* The number type and the vector type of one compiled variant.
 *
 * Every file of this folder is compiled once per (precision, instruction set) by variant.c.
 * GCC vector extensions keep the source free of intrinsics: the generic variant is the same text.
 *
 *   VLEN  numbers in a vector register
 *   NR    columns of a panel: two registers wide
 *   MR    rows of a register tile: MR x NR accumulators fill the register file
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_VEC_H
#define PDE_RUNTIME_ENGINE_KERNELS_VEC_H

#ifdef PDE_REAL_F64
typedef double real;
#define R(x) x
#define real_sqrt __builtin_sqrt
#else
typedef float real;
#define R(x) x##f
#define real_sqrt __builtin_sqrtf
#endif

#if defined(__AVX512F__)
#define VBYTES 64
#define MR 8
#elif defined(__AVX__)
#define VBYTES 32
#define MR 6
#elif defined(__aarch64__)
#define VBYTES 16
#define MR 8
#else
#define VBYTES 16
#define MR 4
#endif

typedef real vec __attribute__((vector_size(VBYTES), may_alias));

enum { VLEN = VBYTES / sizeof(real), NR = 2 * VLEN, ALIGN = 64 };

#define INLINE static inline __attribute__((always_inline))
#define LOAD(p) (*(const vec *)(p))
#define STORE(p, v) (*(vec *)(p) = (v))

INLINE long panels(long columns) {
    return (columns + NR - 1) / NR;
}

INLINE long least(long a, long b) {
    return a < b ? a : b;
}

/* Asks for n numbers ahead of their use; hardware prefetchers stop at the end of a page. */
INLINE void prefetch(const real *p, long n) {
    for (long i = 0; i < n; i += ALIGN / (long)sizeof(real))
        __builtin_prefetch(p + i, 0, 2);
}

/* Sum of the numbers of a vector, by halves. */
typedef real vec2 __attribute__((vector_size(2 * sizeof(real))));
typedef real vec4 __attribute__((vector_size(4 * sizeof(real))));
typedef real vec8 __attribute__((vector_size(8 * sizeof(real))));

INLINE real sum2(vec2 v) {
    return v[0] + v[1];
}

INLINE real sum4(vec4 v) {
    return sum2(__builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3));
}

INLINE real sum8(vec8 v) {
    return sum4(__builtin_shufflevector(v, v, 0, 1, 2, 3) +
                __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

INLINE real vec_sum(vec v) {
    union {
        vec whole;
        vec2 two[VLEN / 2];
#if VBYTES >= 32 || !defined(PDE_REAL_F64)
        vec4 four[VLEN / 4];
#endif
#if VBYTES == 64 || (VBYTES == 32 && !defined(PDE_REAL_F64))
        vec8 eight[VLEN / 8];
#endif
    } u = {v};
#if VBYTES == 64 && !defined(PDE_REAL_F64)
    return sum8(u.eight[0] + u.eight[1]);
#elif VBYTES == 64 || (VBYTES == 32 && !defined(PDE_REAL_F64))
    return sum8(u.eight[0]);
#elif VBYTES == 32 || !defined(PDE_REAL_F64)
    return sum4(u.four[0]);
#else
    return sum2(u.two[0]);
#endif
}

#endif
