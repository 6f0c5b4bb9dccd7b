/* tnn_ops.c: which variant of tnn_kernels.c this processor runs. */
#include "tensor/tnn.h"

extern const TnnOps tnn_ops_f64_base;
#ifdef PDE_HAVE_X86_VARIANTS
extern const TnnOps tnn_ops_f64_avx2, tnn_ops_f64_avx512;
#endif

const TnnOps *tnn_ops(void) {
#ifdef PDE_HAVE_X86_VARIANTS
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi2");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &tnn_ops_f64_avx512;
    if (avx2)
        return &tnn_ops_f64_avx2;
#endif
    return &tnn_ops_f64_base;
}
