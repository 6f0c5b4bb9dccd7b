/* blas.c: products and triangular systems for the cuBLAS stand-in, in one fixed order of summation. */
#include "blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 719 };

/* The inner loops, for the instruction sets the machine may have. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

static size_t size_of(int type) {
    return type == TYPE_F64 ? 8 : type == TYPE_F32 ? 4 : 2;
}

static int get_scalar(const Scalar *s, const char *who, double *out) {
    *out = s->value;
    if (!s->device)
        return 1;
    size_t size = s->is_double ? 8 : 4;
    const void *at = pdeSoftCudaMatrix(s->device, size, 1, size, size, 1, 0, who);
    if (at)
        *out = s->is_double ? *(const double *)at : (double)*(const float *)at;
    return at != NULL;
}

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t to_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float to_bfloat(float x) {
    uint32_t b = to_bits(x);
    return x - x != 0 ? x : from_bits((b + 0x7FFF + (b >> 16 & 1)) & 0xFFFF0000u);
}

static float half_value(uint16_t h) {
    int e = h >> 10 & 31, m = h & 1023;
    float x = e == 31 ? (m ? NAN : INFINITY)
              : e     ? ldexpf((float)(m + 1024), e - 25)
                      : ldexpf((float)m, -24);
    return h & 0x8000 ? -x : x;
}

/* Rounded to the 11 digits of half precision; the range is not narrowed. */
static float to_half_digits(float x) {
    int e;
    float m = frexpf(x, &e);
    return x - x != 0 || x == 0 ? x : ldexpf(rintf(m * 2048.0f), e - 11);
}

static double element(const unsigned char *at, int type, int precision) {
    if (type == TYPE_F64)
        return *(const double *)(const void *)at;
    float x;
    if (type == TYPE_F32) {
        memcpy(&x, at, 4);
    } else {
        uint16_t h;
        memcpy(&h, at, 2);
        x = type == TYPE_BF16 ? from_bits((uint32_t)h << 16) : half_value(h);
    }
    if (precision == PRECISION_TF32 && x - x == 0)
        x = from_bits((to_bits(x) + 0x1000) & 0xFFFFE000u);
    else if (precision == PRECISION_BF16)
        x = to_bfloat(x);
    else if (precision == PRECISION_F16)
        x = to_half_digits(x);
    return (double)x;
}

static int store(unsigned char *at, int type, double value) {
    if (type == TYPE_F64) {
        memcpy(at, &value, 8);
    } else if (type == TYPE_F32) {
        float x = (float)value;
        memcpy(at, &x, 4);
    } else if (type == TYPE_BF16) {
        uint16_t h = (uint16_t)(to_bits(to_bfloat((float)value)) >> 16);
        memcpy(at, &h, 2);
    } else {
        return 0;
    }
    return 1;
}

/* rows x columns of a matrix with leading dimension ld; the bytes, or NULL after a finding */
static void *matrix(uint64_t at, int64_t rows, int64_t columns, int64_t ld, int type, int reading,
                    int writing, const char *who) {
    size_t size = size_of(type);
    return pdeSoftCudaMatrix(at, (size_t)rows * size, (size_t)columns, (size_t)ld * size, size,
                             reading, writing, who);
}

/* Factors are packed: A in panels of ROWS rows, B in panels of COLUMNS columns, padded with zeros, so
 * that a tile of C stays in registers while the inner index goes up. */
#define VECTOR_BYTES 64
enum { COLUMNS = 8, MC = 256, NC = 64, KC = 256 };

#define PRODUCT(NAME, T, NATIVE)                                                                   \
    enum { NAME##_rows = 2 * VECTOR_BYTES / sizeof(T) };                                           \
    typedef T NAME##_vector __attribute__((vector_size(VECTOR_BYTES)));                            \
    CLONES static void NAME##_tile(T *restrict c, const T *restrict a, const T *restrict b,        \
                                   int64_t k) {                                                    \
        NAME##_vector sum[COLUMNS][2], *tile = (NAME##_vector *)(void *)c;                         \
        for (int j = 0; j < COLUMNS; j++)                                                          \
            sum[j][0] = tile[2 * j], sum[j][1] = tile[2 * j + 1];                                  \
        for (int64_t p = 0; p < k; p++) {                                                          \
            const NAME##_vector *row = (const NAME##_vector *)(const void *)(a + p * NAME##_rows); \
            const NAME##_vector low = row[0], high = row[1];                                       \
            for (int j = 0; j < COLUMNS; j++) {                                                    \
                sum[j][0] += low * b[p * COLUMNS + j];                                             \
                sum[j][1] += high * b[p * COLUMNS + j];                                            \
            }                                                                                      \
        }                                                                                          \
        for (int j = 0; j < COLUMNS; j++)                                                          \
            tile[2 * j] = sum[j][0], tile[2 * j + 1] = sum[j][1];                                  \
    }                                                                                              \
    /* count x k elements, (i, p) at i * step + p * inner, as panels of `wide` */                  \
    static void NAME##_pack(T *to, const unsigned char *from, int type, int precision,             \
                            int64_t count, int64_t k, int64_t step, int64_t inner, int64_t wide) { \
        size_t size = size_of(type);                                                               \
        for (int64_t i = 0; i < (count + wide - 1) / wide * wide; i++)                             \
            for (int64_t p = 0; p < k; p++) {                                                      \
                T *at = to + i / wide * wide * KC + p * wide + i % wide;                           \
                const unsigned char *x = from + (size_t)(i * step + p * inner) * size;             \
                if (i >= count)                                                                    \
                    *at = 0;                                                                       \
                else if (type == NATIVE && precision == PRECISION_FULL)                            \
                    memcpy(at, x, sizeof(T));                                                      \
                else                                                                               \
                    *at = (T)element(x, type, precision);                                          \
            }                                                                                      \
    }                                                                                              \
    static int NAME##_store(const Gemm *g, unsigned char *c, const T *acc, int64_t m, int64_t n,   \
                            double alpha, double beta) {                                           \
        int ok = 1;                                                                                \
        size_t size = size_of(g->type_c);                                                          \
        for (int64_t j = 0; j < n; j++)                                                            \
            for (int64_t i = 0; i < m; i++) {                                                      \
                unsigned char *to = c + size * (size_t)(i + j * g->ldc);                           \
                const T *tile = acc + (j / COLUMNS * (MC / NAME##_rows) + i / NAME##_rows) *       \
                                          (NAME##_rows * COLUMNS);                                 \
                T value = (T)alpha * tile[j % COLUMNS * NAME##_rows + i % NAME##_rows];            \
                if (beta != 0)                                                                     \
                    value += (T)beta * (T)element(to, g->type_c, PRECISION_FULL);                  \
                ok &= store(to, g->type_c, (double)value);                                         \
            }                                                                                      \
        return ok;                                                                                 \
    }                                                                                              \
    static int NAME(const Gemm *g, const unsigned char *a, const unsigned char *b,                 \
                    unsigned char *c, double alpha, double beta) {                                 \
        size_t sa = size_of(g->type_a), sb = size_of(g->type_b), sc = size_of(g->type_c);          \
        T *pa = aligned_alloc(64, sizeof(T) * MC * KC),                                            \
          *pb = aligned_alloc(64, sizeof(T) * NC * KC);                                            \
        T *acc = aligned_alloc(64, sizeof(T) * MC * NC);                                           \
        int64_t down_a = g->transa ? g->lda : 1, over_a = g->transa ? 1 : g->lda;                  \
        int64_t down_b = g->transb ? g->ldb : 1, over_b = g->transb ? 1 : g->ldb;                  \
        int ok = pa && pb && acc;                                                                  \
        for (int64_t j0 = 0; ok && j0 < g->n; j0 += NC)                                            \
            for (int64_t i0 = 0; ok && i0 < g->m; i0 += MC) {                                      \
                int64_t m = g->m - i0 < MC ? g->m - i0 : MC, n = g->n - j0 < NC ? g->n - j0 : NC;  \
                memset(acc, 0, sizeof(T) * MC * NC);                                               \
                for (int64_t p0 = 0; p0 < g->k; p0 += KC) {                                        \
                    int64_t k = g->k - p0 < KC ? g->k - p0 : KC;                                   \
                    NAME##_pack(pa, a + sa * (size_t)(i0 * down_a + p0 * over_a), g->type_a,       \
                                g->precision, m, k, down_a, over_a, NAME##_rows);                  \
                    NAME##_pack(pb, b + sb * (size_t)(p0 * down_b + j0 * over_b), g->type_b,       \
                                g->precision, n, k, over_b, down_b, COLUMNS);                      \
                    for (int64_t j = 0; j < n; j += COLUMNS)                                       \
                        for (int64_t i = 0; i < m; i += NAME##_rows)                               \
                            NAME##_tile(acc +                                                      \
                                            (j / COLUMNS * (MC / NAME##_rows) + i / NAME##_rows) * \
                                                (NAME##_rows * COLUMNS),                           \
                                        pa + i * KC, pb + j * KC, k);                              \
                }                                                                                  \
                ok &=                                                                              \
                    NAME##_store(g, c + sc * (size_t)(i0 + j0 * g->ldc), acc, m, n, alpha, beta);  \
            }                                                                                      \
        free(pa);                                                                                  \
        free(pb);                                                                                  \
        free(acc);                                                                                 \
        return ok;                                                                                 \
    }
PRODUCT(multiply_f32, float, TYPE_F32)
PRODUCT(multiply_f64, double, TYPE_F64)

static void count(uint64_t flops, uint64_t read, uint64_t written) {
    SoftCounters *c = pdeSoftCudaLiveCounters();
    c->blas_calls++;
    c->blas_flops += flops;
    c->blas_read_bytes += read;
    c->blas_written_bytes += written;
}

int blas_gemm(void *data) {
    const Gemm *g = data;
    double alpha, beta;
    if (!get_scalar(&g->alpha, g->name, &alpha) || !get_scalar(&g->beta, g->name, &beta))
        return FAILED;
    int64_t sa = g->stride_a * (int64_t)size_of(g->type_a),
            sb = g->stride_b * (int64_t)size_of(g->type_b);
    int64_t sc = g->stride_c * (int64_t)size_of(g->type_c);
    for (int i = 0; i < g->count; i++) {
        uint64_t at_a = g->a + (uint64_t)(i * sa), at_b = g->b + (uint64_t)(i * sb),
                 at_c = g->c + (uint64_t)(i * sc);
        int used = g->k > 0 && alpha != 0;
        const void *a = !used ? data
                              : matrix(at_a, g->transa ? g->k : g->m, g->transa ? g->m : g->k,
                                       g->lda, g->type_a, 1, 0, g->name);
        const void *b = !used ? data
                              : matrix(at_b, g->transb ? g->n : g->k, g->transb ? g->k : g->n,
                                       g->ldb, g->type_b, 1, 0, g->name);
        void *c =
            !a || !b ? NULL : matrix(at_c, g->m, g->n, g->ldc, g->type_c, beta != 0, 1, g->name);
        if (!c)
            return FAILED;
        Gemm one = *g;
        one.k = used ? g->k : 0;
        if (!(g->in_double ? multiply_f64 : multiply_f32)(&one, a, b, c, alpha, beta))
            return FAILED;
        count(2 * (uint64_t)(g->m * g->n * one.k),
              (uint64_t)(g->m * one.k) * size_of(g->type_a) +
                  (uint64_t)(g->n * one.k) * size_of(g->type_b) +
                  (beta != 0) * (uint64_t)(g->m * g->n) * size_of(g->type_c),
              (uint64_t)(g->m * g->n) * size_of(g->type_c));
    }
    return 0;
}

/* ---- vectors and triangles: simple loops ------------------------------------------------------------------*/
static double at(const void *p, int in_double, int64_t i) {
    return in_double ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static void set(void *p, int in_double, int64_t i, double value) {
    if (in_double)
        ((double *)p)[i] = value;
    else
        ((float *)p)[i] = (float)value;
}

int blas_gemv(void *data) {
    const Gemv *v = data;
    const char *who = v->in_double ? "cublasDgemv" : "cublasSgemv";
    int type = v->in_double ? TYPE_F64 : TYPE_F32, d = v->in_double;
    int64_t out = v->trans ? v->n : v->m, in = v->trans ? v->m : v->n;
    double alpha, beta;
    if (!get_scalar(&v->alpha, who, &alpha) || !get_scalar(&v->beta, who, &beta))
        return FAILED;
    const void *a = matrix(v->a, v->m, v->n, v->lda, type, 1, 0, who);
    const void *x = matrix(v->x, 1, in, v->incx, type, 1, 0, who);
    void *y = !a || !x ? NULL : matrix(v->y, 1, out, v->incy, type, beta != 0, 1, who);
    if (!y)
        return FAILED;
    for (int64_t i = 0; i < out; i++) {
        double sum = 0;
        for (int64_t j = 0; j < in; j++) {
            double product =
                at(a, d, v->trans ? j + i * v->lda : i + j * v->lda) * at(x, d, j * v->incx);
            sum = d ? sum + product : (double)(float)(sum + product);
        }
        set(y, d, i * v->incy, alpha * sum + (beta != 0 ? beta * at(y, d, i * v->incy) : 0));
    }
    size_t size = size_of(type);
    count(2 * (uint64_t)(v->m * v->n), (uint64_t)(v->m * v->n + in) * size, (uint64_t)out * size);
    return 0;
}

int blas_syrk(void *data) {
    const Triangle *t = data;
    const char *who = t->in_double ? "cublasDsyrk" : "cublasSsyrk";
    int type = t->in_double ? TYPE_F64 : TYPE_F32, d = t->in_double;
    size_t size = size_of(type);
    double alpha, beta;
    if (!get_scalar(&t->alpha, who, &alpha) || !get_scalar(&t->beta, who, &beta))
        return FAILED;
    const void *a = t->k == 0 ? data
                              : matrix(t->a, t->trans ? t->k : t->n, t->trans ? t->n : t->k, t->lda,
                                       type, 1, 0, who);
    for (int64_t j = 0; a && j < t->n; j++) { /* the triangle of column j */
        int64_t low = t->upper ? 0 : j, high = t->upper ? j + 1 : t->n;
        uint64_t column = t->b + (uint64_t)(low + j * t->ldb) * size;
        void *c = matrix(column, high - low, 1, t->ldb, type, beta != 0, 1, who);
        if (!c)
            return FAILED;
        for (int64_t i = low; i < high; i++) {
            double sum = 0;
            for (int64_t p = 0; p < t->k; p++) {
                double product = at(a, d, t->trans ? p + i * t->lda : i + p * t->lda) *
                                 at(a, d, t->trans ? p + j * t->lda : j + p * t->lda);
                sum = d ? sum + product : (double)(float)(sum + product);
            }
            set(c, d, i - low, alpha * sum + (beta != 0 ? beta * at(c, d, i - low) : 0));
        }
    }
    count((uint64_t)(t->n * (t->n + 1) * t->k), (uint64_t)(t->n * t->k) * size,
          (uint64_t)(t->n * (t->n + 1) / 2) * size);
    return a ? 0 : FAILED;
}

/* Element (i, j) of op(A), which is lower triangular if `lower`. */
static double triangle_at(const Triangle *t, const void *a, int64_t i, int64_t j) {
    if (i == j && t->unit)
        return 1;
    return at(a, t->in_double, t->trans ? j + i * t->lda : i + j * t->lda);
}

int blas_trsm(void *data) {
    const Triangle *t = data;
    const char *who = t->in_double ? "cublasDtrsm" : "cublasStrsm";
    int type = t->in_double ? TYPE_F64 : TYPE_F32, d = t->in_double;
    int64_t size = t->right ? t->k : t->n, systems = t->right ? t->n : t->k;
    double alpha;
    if (!get_scalar(&t->alpha, who, &alpha))
        return FAILED;
    /* only the triangle must have been written */
    const unsigned char *a = matrix(t->a, size, size, t->lda, type, 0, 0, who);
    for (int64_t j = 0; a && j < size; j++) {
        int64_t low = t->upper ? 0 : j, high = t->upper ? j + 1 : size;
        if (!matrix(t->a + (uint64_t)(low + j * t->lda) * size_of(type), high - low, 1, t->lda,
                    type, 1, 0, who))
            a = NULL;
    }
    void *b = !a ? NULL : matrix(t->b, t->n, t->k, t->ldb, type, 1, 1, who);
    if (!b)
        return FAILED;
    /* X op(A) = B is op(A)' X' = B' : the other triangle, indices of A exchanged */
    int lower = (t->upper == 0) ^ (t->trans != 0) ^ t->right;
    for (int64_t s = 0; s < systems; s++) {
        for (int64_t step = 0; step < size; step++) {
            int64_t i = lower ? step : size - 1 - step;
            int64_t place = t->right ? s + i * t->ldb : i + s * t->ldb;
            double sum = alpha * at(b, d, place);
            for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : size); j++) {
                double x = at(b, d, t->right ? s + j * t->ldb : j + s * t->ldb);
                sum -= (t->right ? triangle_at(t, a, j, i) : triangle_at(t, a, i, j)) * x;
            }
            set(b, d, place, sum / triangle_at(t, a, i, i));
        }
    }
    count((uint64_t)(size * size * systems),
          (uint64_t)(size * (size + 1) / 2 + size * systems) * size_of(type),
          (uint64_t)(size * systems) * size_of(type));
    return 0;
}
