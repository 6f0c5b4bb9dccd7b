/* sigma and its derivatives (sigma.h) over rows of numbers: after inlining with a constant order the
 * compiler drops what is not stored and vectorises the loop.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_ACTIVATION_H
#define PDE_RUNTIME_ENGINE_KERNELS_ACTIVATION_H

#include <math.h>

#include "contract/pde_math.h"
#include "engine/kernels/vec.h"

#ifdef PDE_REAL_F64
#define M_(name) pde_##name
#define real_erf erf
#else
#define M_(name) pde_##name##f
#define real_erf erff
#endif

#include "engine/kernels/sigma.h"

enum { ACT_ORDERS = 6 };

/* to[m][i] = sigma^(m)(z[i]), m <= order; to[m] arrays of n numbers. to[0] may be z itself. */
#define ACTIVATION(name, ...)                                                                      \
    INLINE void name##_order(const real *z, real *const *to, long n, int order) {                  \
        for (long i = 0; i < n; i++) {                                                             \
            real s[ACT_ORDERS];                                                                    \
            act_##name(z[i], s);                                                                   \
            for (int m = 0; m <= order; m++)                                                       \
                to[m][i] = s[m];                                                                   \
        }                                                                                          \
    }                                                                                              \
    static void name##_rows(const real *z, real *const *to, long n, int order) {                   \
        real *restrict a = to[0], *restrict b = to[1], *restrict c = to[2], *restrict d = to[3];   \
        if (order > 3) {                                                                           \
            name##_order(z, to, n, 5);                                                             \
            return;                                                                                \
        }                                                                                          \
        for (long i = 0; i < n; i++) {                                                             \
            real s[ACT_ORDERS];                                                                    \
            act_##name(z[i], s);                                                                   \
            a[i] = s[0];                                                                           \
            b[i] = s[1];                                                                           \
            c[i] = s[2];                                                                           \
            d[i] = s[3];                                                                           \
        }                                                                                          \
    }
#include "contract/activation.def"
#undef ACTIVATION

typedef void ActivationRows(const real *z, real *const *to, long n, int order);

static ActivationRows *const activation_table[] = {
#define ACTIVATION(name, ...) name##_rows,
#include "contract/activation.def"
#undef ACTIVATION
};

#endif
