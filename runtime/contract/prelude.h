/* prelude.h: the dialect that generated kernels are written in: C11 plus these few names.
 * Placed at the top of every generated source, after pde_math.h and before the kernels. */
#ifndef PDE_RUNTIME_CONTRACT_PRELUDE_H
#define PDE_RUNTIME_CONTRACT_PRELUDE_H

#ifndef PDE_CUDA
#include <math.h>
#endif

#ifdef PDE_DOUBLE
typedef double real;
#define PDE_FN(name) pde_##name
#else
typedef float real;
#define PDE_FN(name) pde_##name##f
#endif

#ifndef PDE_LANES
#define PDE_LANES 16
#endif

/* A number of the source, rounded to real once. */
#define R(v) ((real)(v))

/* What pde_math.h does not have comes from the C library. */
#define PDE_LIBM(name)                                                                             \
    PDE_MATH_FN float pde_##name##f(float x) {                                                     \
        return name##f(x);                                                                         \
    }                                                                                              \
    PDE_MATH_FN double pde_##name(double x) {                                                      \
        return name(x);                                                                            \
    }
#define PDE_LIBM2(name)                                                                            \
    PDE_MATH_FN float pde_##name##f(float x, float y) {                                            \
        return name##f(x, y);                                                                      \
    }                                                                                              \
    PDE_MATH_FN double pde_##name(double x, double y) {                                            \
        return name(x, y);                                                                         \
    }
PDE_LIBM(tan)
PDE_LIBM(asin)
PDE_LIBM(acos)
PDE_LIBM(atan)
PDE_LIBM(sinh)
PDE_LIBM(cosh)
PDE_LIBM(expm1)
PDE_LIBM(log1p)
PDE_LIBM(erf)
PDE_LIBM(erfc)
PDE_LIBM(sqrt)
PDE_LIBM(fabs)
PDE_LIBM2(pow)
PDE_LIBM2(fmax)
PDE_LIBM2(fmin)

PDE_MATH_FN float pde_signf(float x) {
    return (float)((x > 0) - (x < 0));
}
PDE_MATH_FN double pde_sign(double x) {
    return (double)((x > 0) - (x < 0));
}
PDE_MATH_FN float pde_stepf(float x) {
    return x >= 0 ? 1.0f : 0.0f;
}
PDE_MATH_FN double pde_step(double x) {
    return x >= 0 ? 1.0 : 0.0;
}

#define PDE_POWERS(type, suffix)                                                                   \
    PDE_MATH_FN type pde_square##suffix(type x) {                                                  \
        return x * x;                                                                              \
    }                                                                                              \
    PDE_MATH_FN type pde_cube##suffix(type x) {                                                    \
        return x * x * x;                                                                          \
    }                                                                                              \
    PDE_MATH_FN type pde_power##suffix(type x, int n) {                                            \
        type r = 1;                                                                                \
        for (int k = 0; k < n; k++)                                                                \
            r *= x;                                                                                \
        return r;                                                                                  \
    }
PDE_POWERS(float, f)
PDE_POWERS(double, )

PDE_MATH_FN int64_t pde_imax(int64_t a, int64_t b) {
    return a > b ? a : b;
}
PDE_MATH_FN int64_t pde_imin(int64_t a, int64_t b) {
    return a < b ? a : b;
}
/* A subscript kept inside 0 .. n-1: what is read there is discarded by the guard beside it. */
PDE_MATH_FN int64_t pde_inside(int64_t k, int64_t n) {
    return pde_imax(pde_imin(k, n - 1), 0);
}

/* Node k of the double-exponential rule on lo..hi, with its weight; 0 where it underflows. An infinite
 * hi is reached by exp-sinh. Rounding error for integrands that are smooth inside. */
#define PDE_NODES 661
PDE_MATH_FN int pde_node(int k, double lo, double hi, double *at, double *weight) {
    const double h = 1.0 / 64, half_pi = 1.57079632679489661923, x = (k - PDE_NODES / 2) * h;
    const double s = half_pi * sinh(x), ds = half_pi * cosh(x);
    if (hi - lo < 1e300) {
        *at = (lo + hi) / 2 + (hi - lo) / 2 * tanh(s);
        *weight = h * (hi - lo) / 2 * ds / (cosh(s) * cosh(s));
    } else {
        *at = lo + exp(s);
        *weight = h * ds * exp(s);
    }
    return *weight > 0 && *weight < 1e300 && *at > lo && *at < hi;
}

#endif
