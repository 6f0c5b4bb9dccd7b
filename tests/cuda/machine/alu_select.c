/* alu_select.c: which compilation of alu.c is used, the look-up by key, and rounding modes. */
#include "ptx.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

extern const AluOp alu_table_base[];
#ifdef SOFT_X86
extern const AluOp alu_table_avx2[], alu_table_avx512[];
#endif

/* PDE_SOFT_CUDA_VARIANT may ask for less than the machine has. */
static const AluOp *table(const char **name) {
    const char *given = getenv("PDE_SOFT_CUDA_VARIANT");
    int at_most = !given || !*given            ? 2
                  : strcmp(given, "base") == 0 ? 0
                  : strcmp(given, "avx2") == 0 ? 1
                                               : 2;
    (void)at_most;
#ifdef SOFT_X86
    __builtin_cpu_init();
    if (at_most > 1 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
        *name = "avx512";
        return alu_table_avx512;
    }
    if (at_most > 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        *name = "avx2";
        return alu_table_avx2;
    }
#endif
    *name = "base";
    return alu_table_base;
}

const char *alu_variant(void) {
    const char *name;
    table(&name);
    return name;
}

static int by_key(const void *a, const void *b) {
    return strcmp((*(const AluOp *const *)a)->key, (*(const AluOp *const *)b)->key);
}

const AluOp *alu_find(const char *key) {
    static const AluOp *sorted[2048];
    static size_t count;
    if (!count) {
        const char *name;
        for (const AluOp *op = table(&name); op->key; op++)
            sorted[count++] = op;
        qsort(sorted, count, sizeof sorted[0], by_key);
    }
    const AluOp wanted = {key, NULL, 0, {0, 0, 0, 0}, 0}, *at = &wanted;
    const AluOp **found = bsearch(&at, sorted, count, sizeof sorted[0], by_key);
    return found ? *found : NULL;
}

/* The operation in another rounding mode or with subnormal numbers flushed to zero. */
void alu_in_mode(const Insn *in, const Lanes *lanes) {
#if defined(__SSE__)
    unsigned before = _mm_getcsr(), mode = before & ~0x6000u;
    static const unsigned rounding[4] = {0, 0x6000, 0x2000, 0x4000};
    mode |= rounding[in->float_mode & MODE_ROUNDING];
    if (in->float_mode & MODE_FTZ)
        mode |= 0x8040;
    _mm_setcsr(mode);
    in->inner(in, lanes);
    _mm_setcsr(before);
#else
    static const int rounding[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(rounding[in->float_mode & MODE_ROUNDING]);
    in->inner(in, lanes);
    fesetround(FE_TONEAREST);
#endif
}

#define SATURATE(name, F)                                                                          \
    void name(const Insn *in, const Lanes *lanes) {                                                \
        F *d = (F *)(void *)(lanes->rows + (size_t)in->dst.offset * lanes->stride);                \
        for (int i = lanes->lo; i < lanes->hi; i++)                                                \
            if (!lanes->mask || lanes->mask[i])                                                    \
                d[i] = d[i] > 0 ? d[i] < 1 ? d[i] : 1 : 0;                                         \
    }
SATURATE(alu_saturate_f32, float)
SATURATE(alu_saturate_f64, double)
