/* cublas.c: a stand-in for cuBLAS on the software CUDA device. Products are summed in one fixed order
 * (ascending inner index) and all matrices are checked against the device's allocations. Calls on a
 * capturing stream become part of the graph. */
#include "blas.h"

#include <stdlib.h>
#include <string.h>

enum {
    OK = 0,
    NOT_INITIALIZED = 1,
    ALLOC_FAILED = 3,
    INVALID_VALUE = 7,
    EXECUTION_FAILED = 13,
    NOT_SUPPORTED = 15
};

typedef struct Handle {
    void *stream;
    int math_mode, device_scalars, atomics;
    uint64_t workspace;
    size_t workspace_size;
    int live;
} Handle;

static int handles;

#define CALL(name)                                                                                 \
    if (pdeSoftCudaCall(name))                                                                     \
        return EXECUTION_FAILED;                                                                   \
    if (!h || !h->live)                                                                            \
        return NOT_INITIALIZED;

/* ---- handles -----------------------------------------------------------------------------------------*/
SOFT_API int cublasCreate_v2(Handle **out) {
    if (pdeSoftCudaCall("cublasCreate"))
        return ALLOC_FAILED;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ALLOC_FAILED;
    (*out)->live = 1;
    handles++;
    return OK;
}

SOFT_API int cublasDestroy_v2(Handle *h) {
    int failed = pdeSoftCudaCall("cublasDestroy");
    if (!h || !h->live)
        return NOT_INITIALIZED;
    handles--;
    free(h);
    return failed ? EXECUTION_FAILED : OK;
}

__attribute__((destructor)) static void at_end(void) {
    if (handles)
        pdeSoftCudaBad("%d handles of cuBLAS were not destroyed", handles);
}

SOFT_API int cublasGetVersion_v2(Handle *h, int *version) {
    CALL("cublasGetVersion")
    *version = 130000;
    return OK;
}

SOFT_API int cublasSetStream_v2(Handle *h, void *stream) {
    CALL("cublasSetStream")
    h->stream = stream;
    return OK;
}

SOFT_API int cublasGetStream_v2(Handle *h, void **stream) {
    CALL("cublasGetStream")
    *stream = h->stream;
    return OK;
}

SOFT_API int cublasSetMathMode(Handle *h, int mode) {
    CALL("cublasSetMathMode")
    h->math_mode = mode;
    return OK;
}

SOFT_API int cublasGetMathMode(Handle *h, int *mode) {
    CALL("cublasGetMathMode")
    *mode = h->math_mode;
    return OK;
}

SOFT_API int cublasSetPointerMode_v2(Handle *h, int mode) {
    CALL("cublasSetPointerMode")
    h->device_scalars = mode == 1;
    return OK;
}

SOFT_API int cublasSetAtomicsMode(Handle *h, int mode) {
    CALL("cublasSetAtomicsMode")
    h->atomics = mode;
    return OK;
}

SOFT_API int cublasSetWorkspace_v2(Handle *h, void *workspace, size_t size) {
    CALL("cublasSetWorkspace")
    h->workspace = (uint64_t)(uintptr_t)workspace;
    h->workspace_size = size;
    return OK;
}

static const struct {
    int code;
    const char *name, *text;
} statuses[] = {{0, "CUBLAS_STATUS_SUCCESS", "success"},
                {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
                {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
                {7, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as an argument"},
                {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
                {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"}};

SOFT_API const char *cublasGetStatusString(int status) {
    for (size_t k = 0; k < sizeof statuses / sizeof statuses[0]; k++)
        if (statuses[k].code == status)
            return statuses[k].text;
    return "unknown error";
}

SOFT_API const char *cublasGetStatusName(int status) {
    for (size_t k = 0; k < sizeof statuses / sizeof statuses[0]; k++)
        if (statuses[k].code == status)
            return statuses[k].name;
    return "unknown error";
}

/* ---- work ------------------------------------------------------------------------------------------------*/
static int submit(Handle *h, SoftTask *task, const void *data, size_t size) {
    return pdeSoftCudaSubmit(h->stream, task, data, size) ? EXECUTION_FAILED : OK;
}

static int known(int type) {
    return type == TYPE_F32 || type == TYPE_F64 || type == TYPE_F16 || type == TYPE_BF16;
}

/* A scalar of the host now, of the device when the work is done. */
static Scalar scalar(const Handle *h, const void *at, int is_double) {
    Scalar s = {.is_double = is_double, .device = h->device_scalars ? (uint64_t)(uintptr_t)at : 0};
    if (!h->device_scalars && at)
        s.value = is_double ? *(const double *)at : (double)*(const float *)at;
    return s;
}

static int gemm(Handle *h, const char *name, Gemm g, const void *alpha, const void *beta) {
    CALL(name)
    int64_t rows_a = g.transa ? g.k : g.m, rows_b = g.transb ? g.n : g.k;
    if (g.m < 0 || g.n < 0 || g.k < 0 || g.transa < 0 || g.transa > 2 || g.transb < 0 ||
        g.transb > 2 || g.lda < (rows_a > 1 ? rows_a : 1) || g.ldb < (rows_b > 1 ? rows_b : 1) ||
        g.ldc < (g.m > 1 ? g.m : 1) || !alpha || !beta || g.count < 0) {
        pdeSoftCudaBad("%s: m %lld, n %lld, k %lld, leading dimensions %lld %lld %lld", name,
                       (long long)g.m, (long long)g.n, (long long)g.k, (long long)g.lda,
                       (long long)g.ldb, (long long)g.ldc);
        return INVALID_VALUE;
    }
    if (!known(g.type_a) || !known(g.type_b) || !known(g.type_c))
        return NOT_SUPPORTED;
    if (g.count > 1 && g.stride_c < g.ldc * (g.n - 1) + g.m && g.m > 0 && g.n > 0) {
        pdeSoftCudaBad("%s: the results of a batch overlap", name);
        return INVALID_VALUE;
    }
    g.name = name;
    g.alpha = scalar(h, alpha, g.in_double);
    g.beta = scalar(h, beta, g.in_double);
    if (h->math_mode == 3 && !g.in_double && g.type_a == TYPE_F32)
        g.precision = PRECISION_TF32;
    return g.m == 0 || g.n == 0 || g.count == 0 ? OK : submit(h, blas_gemm, &g, sizeof g);
}

#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))
/* The arguments of every gemm, by the names they have in all of them. */
#define GEMM_OF(TYPE, DOUBLE, ...)                                                                 \
    (Gemm) {                                                                                       \
        .transa = ta, .transb = tb, .m = m, .n = n, .k = k, .a = ADDRESS(a), .b = ADDRESS(b),      \
        .c = ADDRESS(c), .lda = lda, .ldb = ldb, .ldc = ldc, .type_a = TYPE, .type_b = TYPE,       \
        .type_c = TYPE, .in_double = DOUBLE, __VA_ARGS__                                           \
    }
#define GEMMS(L, T, TYPE, DOUBLE)                                                                  \
    SOFT_API int cublas##L##gemm_v2(Handle *h, int ta, int tb, int m, int n, int k,                \
                                    const T *alpha, const T *a, int lda, const T *b, int ldb,      \
                                    const T *beta, T *c, int ldc) {                                \
        return gemm(h, "cublas" #L "gemm", GEMM_OF(TYPE, DOUBLE, .count = 1), alpha, beta);        \
    }                                                                                              \
    SOFT_API int cublas##L##gemm_v2_64(Handle *h, int ta, int tb, int64_t m, int64_t n, int64_t k, \
                                       const T *alpha, const T *a, int64_t lda, const T *b,        \
                                       int64_t ldb, const T *beta, T *c, int64_t ldc) {            \
        return gemm(h, "cublas" #L "gemm", GEMM_OF(TYPE, DOUBLE, .count = 1), alpha, beta);        \
    }                                                                                              \
    SOFT_API int cublas##L##gemmStridedBatched(Handle *h, int ta, int tb, int m, int n, int k,     \
                                               const T *alpha, const T *a, int lda, long long sa,  \
                                               const T *b, int ldb, long long sb, const T *beta,   \
                                               T *c, int ldc, long long sc, int count) {           \
        return gemm(                                                                               \
            h, "cublas" #L "gemmStridedBatched",                                                   \
            GEMM_OF(TYPE, DOUBLE, .stride_a = sa, .stride_b = sb, .stride_c = sc, .count = count), \
            alpha, beta);                                                                          \
    }                                                                                              \
    SOFT_API int cublas##L##gemv_v2(Handle *h, int trans, int m, int n, const T *alpha,            \
                                    const T *a, int lda, const T *x, int incx, const T *beta,      \
                                    T *y, int incy) {                                              \
        CALL("cublas" #L "gemv")                                                                   \
        if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || incx < 1 || incy < 1 || !alpha || !beta) {  \
            pdeSoftCudaBad("cublas" #L "gemv: m %d, n %d, lda %d, steps %d %d", m, n, lda, incx,   \
                           incy);                                                                  \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        Gemv v = {.trans = trans,                                                                  \
                  .m = m,                                                                          \
                  .n = n,                                                                          \
                  .a = ADDRESS(a),                                                                 \
                  .lda = lda,                                                                      \
                  .x = ADDRESS(x),                                                                 \
                  .incx = incx,                                                                    \
                  .y = ADDRESS(y),                                                                 \
                  .incy = incy,                                                                    \
                  .in_double = DOUBLE,                                                             \
                  .alpha = scalar(h, alpha, DOUBLE),                                               \
                  .beta = scalar(h, beta, DOUBLE)};                                                \
        return m == 0 || n == 0 ? OK : submit(h, blas_gemv, &v, sizeof v);                         \
    }                                                                                              \
    SOFT_API int cublas##L##syrk_v2(Handle *h, int uplo, int trans, int n, int k, const T *alpha,  \
                                    const T *a, int lda, const T *beta, T *c, int ldc) {           \
        CALL("cublas" #L "syrk")                                                                   \
        int rows = trans ? k : n;                                                                  \
        if (n < 0 || k < 0 || lda < (rows > 1 ? rows : 1) || ldc < (n > 1 ? n : 1) || !alpha ||    \
            !beta) {                                                                               \
            pdeSoftCudaBad("cublas" #L "syrk: n %d, k %d, leading dimensions %d %d", n, k, lda,    \
                           ldc);                                                                   \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        Triangle t = {.upper = uplo == 1,                                                          \
                      .trans = trans,                                                              \
                      .n = n,                                                                      \
                      .k = k,                                                                      \
                      .a = ADDRESS(a),                                                             \
                      .lda = lda,                                                                  \
                      .b = ADDRESS(c),                                                             \
                      .ldb = ldc,                                                                  \
                      .in_double = DOUBLE,                                                         \
                      .alpha = scalar(h, alpha, DOUBLE),                                           \
                      .beta = scalar(h, beta, DOUBLE)};                                            \
        return n == 0 ? OK : submit(h, blas_syrk, &t, sizeof t);                                   \
    }                                                                                              \
    SOFT_API int cublas##L##trsm_v2(Handle *h, int side, int uplo, int trans, int diag, int m,     \
                                    int n, const T *alpha, const T *a, int lda, T *b, int ldb) {   \
        CALL("cublas" #L "trsm")                                                                   \
        int size = side ? n : m;                                                                   \
        if (m < 0 || n < 0 || lda < (size > 1 ? size : 1) || ldb < (m > 1 ? m : 1) || !alpha) {    \
            pdeSoftCudaBad("cublas" #L "trsm: m %d, n %d, leading dimensions %d %d", m, n, lda,    \
                           ldb);                                                                   \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        Triangle t = {.upper = uplo == 1,                                                          \
                      .trans = trans,                                                              \
                      .right = side == 1,                                                          \
                      .unit = diag == 1,                                                           \
                      .n = m,                                                                      \
                      .k = n,                                                                      \
                      .a = ADDRESS(a),                                                             \
                      .lda = lda,                                                                  \
                      .b = ADDRESS(b),                                                             \
                      .ldb = ldb,                                                                  \
                      .in_double = DOUBLE,                                                         \
                      .alpha = scalar(h, alpha, DOUBLE)};                                          \
        return m == 0 || n == 0 ? OK : submit(h, blas_trsm, &t, sizeof t);                         \
    }
GEMMS(S, float, TYPE_F32, 0)
GEMMS(D, double, TYPE_F64, 1)

/* cublasComputeType_t: 32F 68, pedantic 69, FAST_16F 74, FAST_16BF 75, FAST_TF32 77; 64F 70, pedantic 71 */
static int compute_type(int type, int *in_double, int *precision) {
    *in_double = type == 70 || type == 71;
    *precision = type == 77   ? PRECISION_TF32
                 : type == 75 ? PRECISION_BF16
                 : type == 74 ? PRECISION_F16
                              : PRECISION_FULL;
    return *in_double || type == 68 || type == 69 || *precision != PRECISION_FULL;
}

SOFT_API int cublasGemmStridedBatchedEx(Handle *h, int ta, int tb, int m, int n, int k,
                                        const void *alpha, const void *a, int type_a, int lda,
                                        long long sa, const void *b, int type_b, int ldb,
                                        long long sb, const void *beta, void *c, int type_c,
                                        int ldc, long long sc, int count, int compute,
                                        int algorithm) {
    (void)algorithm;
    Gemm g = {.transa = ta,
              .transb = tb,
              .m = m,
              .n = n,
              .k = k,
              .a = ADDRESS(a),
              .b = ADDRESS(b),
              .c = ADDRESS(c),
              .lda = lda,
              .ldb = ldb,
              .ldc = ldc,
              .stride_a = sa,
              .stride_b = sb,
              .stride_c = sc,
              .count = count,
              .type_a = type_a,
              .type_b = type_b,
              .type_c = type_c};
    if (!compute_type(compute, &g.in_double, &g.precision))
        return NOT_SUPPORTED;
    return gemm(h, "cublasGemmEx", g, alpha, beta);
}

SOFT_API int cublasGemmEx(Handle *h, int ta, int tb, int m, int n, int k, const void *alpha,
                          const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                          const void *beta, void *c, int type_c, int ldc, int compute,
                          int algorithm) {
    return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb,
                                      0, beta, c, type_c, ldc, 0, 1, compute, algorithm);
}
