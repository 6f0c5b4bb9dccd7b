/* test_math.c: NVRTC's inlined mathematical functions, run on the device, against the C library in the
 * next wider type. The bounds are those that the CUDA C++ Programming Guide states: the distance
 * from the correctly rounded result, hence half a unit more from the true one. What
 * is shown is that the device computes the instructions of these functions right. */
#include "greatest.h"
#include "rig.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* name, lowest and highest argument, error in units in the last place: float, double */
#define FUNCTIONS(X)                                                                               \
    X(sin, -10, 10, 2, 2)                                                                          \
    X(cos, -10, 10, 2, 2)                                                                          \
    X(tan, -10, 10, 4, 2)                                                                          \
    X(sinh, -80, 80, 3, 2)                                                                         \
    X(cosh, -80, 80, 2, 1)                                                                         \
    X(tanh, -12, 12, 2, 2)                                                                         \
    X(exp, -80, 80, 2, 1)                                                                          \
    X(exp2, -120, 120, 2, 1)                                                                       \
    X(expm1, -10, 80, 1, 1)                                                                        \
    X(log, 1e-30, 1e30, 1, 1)                                                                      \
    X(log2, 1e-30, 1e30, 1, 1)                                                                     \
    X(log10, 1e-30, 1e30, 2, 1)                                                                    \
    X(log1p, -0.9, 1e6, 1, 1)                                                                      \
    X(sqrt, 0, 1e30, 0, 0)                                                                         \
    X(cbrt, -1e20, 1e20, 1, 1)                                                                     \
    X(asin, -1, 1, 2, 2)                                                                           \
    X(acos, -1, 1, 2, 2)                                                                           \
    X(atan, -100, 100, 2, 2)                                                                       \
    X(asinh, -100, 100, 3, 3)                                                                      \
    X(acosh, 1, 100, 4, 3)                                                                         \
    X(atanh, -0.99, 0.99, 3, 2)                                                                    \
    X(erf, -4, 4, 2, 2)                                                                            \
    X(erfc, -4, 8, 4, 5)                                                                           \
    X(floor, -100, 100, 0, 0)                                                                      \
    X(ceil, -100, 100, 0, 0)                                                                       \
    X(trunc, -100, 100, 0, 0)                                                                      \
    X(round, -100, 100, 0, 0)                                                                      \
    X(rint, -100, 100, 0, 0)                                                                       \
    X(fabs, -100, 100, 0, 0)
#define FUNCTIONS2(X)                                                                              \
    X(pow, 4, 2)                                                                                   \
    X(atan2, 3, 2)                                                                                 \
    X(hypot, 3, 2)                                                                                 \
    X(fmax, 0, 0)                                                                                  \
    X(fmin, 0, 0)                                                                                  \
    X(fmod, 0, 0)                                                                                  \
    X(copysign, 0, 0)                                                                              \
    X(fdim, 0, 0)

static const char source[] =
#define X(name, low, high, f, d)                                                                   \
    "extern \"C\" __global__ void f_" #name "(float *y, const float *x, int n) {\n"                \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = " #name "f(x[i]); }\n"     \
    "extern \"C\" __global__ void d_" #name "(double *y, const double *x, int n) {\n"              \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = " #name "(x[i]); }\n"
    FUNCTIONS(X)
#undef X
#define X(name, f, d)                                                                              \
    "extern \"C\" __global__ void f_" #name "(float *y, const float *x, int n) {\n"                \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = " #name                    \
    "f(x[i], x[n - 1 - i]); }\n"                                                                   \
    "extern \"C\" __global__ void d_" #name "(double *y, const double *x, int n) {\n"              \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = " #name                    \
    "(x[i], x[n - 1 - i]); }\n"
        FUNCTIONS2(X)
#undef X
            "extern \"C\" __global__ void f_divide(float *y, const float *x, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] / x[n - 1 - "
            "i]; }\n"
            "extern \"C\" __global__ void d_divide(double *y, const double *x, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] / x[n - 1 - "
            "i]; }\n";

typedef long double One(long double);
typedef long double Two(long double, long double);
static long double divide(long double x, long double y) {
    return x / y;
}

typedef struct Case {
    const char *name;
    One *one;
    Two *two;
    double low, high, bound_f, bound_d;
} Case;
static const Case cases[] = {
#define X(name, low, high, f, d) {#name, name##l, NULL, low, high, f, d},
    FUNCTIONS(X)
#undef X
#define X(name, f, d) {#name, NULL, name##l, 0.01, 20, f, d},
        FUNCTIONS2(X)
#undef X
            {"divide", NULL, divide, 0.01, 20, 0, 0}};

enum { N = 3000 };

/* Even over the interval, and towards its ends by powers if it is wide. */
static double argument(const Case *c, int i) {
    double u = (i + 0.5) / N;
    if (c->low > 0 && c->high / c->low > 1e6)
        return c->low * pow(c->high / c->low, u);
    if (i % 50 == 7)
        return c->low <= 0 && c->high > 1e-30 ? 1e-30 * pow(c->high / 1e-30, u)
                                              : c->high * u + c->low * (1 - u);
    return c->low + (c->high - c->low) * u;
}

static double ulps(long double want, double got, int digits) {
    if (want == (long double)got || (isnan((double)want) && isnan(got)))
        return 0;
    int e;
    frexpl(want, &e);
    int least = digits == 24 ? -125 : -1021;
    return (double)(fabsl(want - (long double)got) /
                    ldexpl(1.0L, (e > least ? e : least) - digits));
}

static double worst(void *m, const Case *c, int is_double, double *where) {
    static double xd[N], yd[N];
    static float xf[N], yf[N];
    char name[64];
    size_t size = is_double ? 8 : 4;
    int n = N;
    for (int i = 0; i < N; i++) {
        xd[i] = argument(c, i);
        xf[i] = (float)xd[i];
    }
    DevicePointer x, y;
    snprintf(name, sizeof name, "%c_%s", is_double ? 'd' : 'f', c->name);
    if (cuMemAlloc_v2(&x, N * size) || cuMemAlloc_v2(&y, N * size) ||
        cuMemcpyHtoD_v2(x, is_double ? (void *)xd : (void *)xf, N * size) ||
        rig_launch(rig_function(m, name), (N + 127) / 128, 128, 0, &y, &x, &n, NULL) ||
        cuMemcpyDtoH_v2(is_double ? (void *)yd : (void *)yf, y, N * size) || cuMemFree_v2(x) ||
        cuMemFree_v2(y))
        return INFINITY;
    double most = 0;
    for (int i = 0; i < N; i++) {
        long double a = is_double ? (long double)xd[i] : (long double)xf[i];
        long double b = is_double ? (long double)xd[N - 1 - i] : (long double)xf[N - 1 - i];
        long double want = c->one ? c->one(a) : c->two(a, b);
        double error = ulps(want, is_double ? yd[i] : (double)yf[i], is_double ? 53 : 24);
        if (!(error <= most)) {
            most = error;
            *where = (double)a;
        }
    }
    return most;
}

static enum greatest_test_res all_functions(const char *arch) {
    const char *const options[] = {arch, NULL};
    void *m = rig_compile(source, options);
    ASSERT(m);
    int failures = 0;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int is_double = 0; is_double < 2; is_double++) {
            const Case *c = &cases[k];
            double where = 0, error = worst(m, c, is_double, &where);
            double bound = is_double ? c->bound_d : c->bound_f;
            int bad = !(error <= bound + 0.5);
            if (bad)
                fprintf(stderr, "%s%s: %.3f ulp at %.17g, at most %.1f is allowed\n", c->name,
                        is_double ? "" : "f", error, where, bound + 0.5);
            failures += bad;
        }
    ASSERT_EQ(0, failures);
    ASSERT_EQ(0, cuModuleUnload(m));
    ASSERT_EQ(0, rig_found_all());
    PASS();
}

TEST functions_compute_75(void) {
    return all_functions("-arch=compute_75");
}

TEST functions_compute_120(void) {
    return all_functions("-arch=compute_120");
}

/* Large arguments take the path with a table and local memory. */
TEST large_arguments_of_sin(void) {
    static const char text[] = "extern \"C\" __global__ void large(float *f, double *d) {\n"
                               "  int t = threadIdx.x; double x = ldexp(1.0 + t / 256.0, t % 100); "
                               "f[t] = sinf((float)x); d[t] = cos(x); }\n";
    void *m = rig_compile(text, NULL);
    ASSERT(m);
    float f[256];
    double d[256];
    DevicePointer df, dd;
    ASSERT(cuMemAlloc_v2(&df, sizeof f) == 0 && cuMemAlloc_v2(&dd, sizeof d) == 0);
    ASSERT_EQ(0, rig_launch(rig_function(m, "large"), 1, 256, 0, &df, &dd, NULL));
    cuMemcpyDtoH_v2(f, df, sizeof f);
    cuMemcpyDtoH_v2(d, dd, sizeof d);
    for (int t = 0; t < 256; t++) {
        double x = ldexp(1.0 + t / 256.0, t % 100);
        ASSERT(ulps(sinl((long double)(float)x), (double)f[t], 24) <= 2);
        ASSERT(ulps(cosl((long double)x), d[t], 53) <= 2);
    }
    cuMemFree_v2(df);
    cuMemFree_v2(dd);
    cuModuleUnload(m);
    PASS();
}

/* Rounding modes, flushing to zero, saturation, conversions: the values of single instructions. */
TEST rounding_and_flushing(void) {
    static const char text[] =
        "extern \"C\" __global__ void modes(float *o, double *p, int *q, float x, float y, float "
        "z, double w) {\n"
        "  o[0] = __fadd_rz(x, y); o[1] = __fadd_ru(x, y); o[2] = __fadd_rd(x, y); o[3] = "
        "__fadd_rn(x, y);\n"
        "  o[4] = __fmul_ru(x, x); o[5] = __fmul_rd(x, x); o[6] = __fmaf_rz(x, x, y); o[7] = "
        "__fdiv_ru(x, 3.0f);\n"
        "  o[8] = __saturatef(x); o[9] = __saturatef(-x); o[10] = __double2float_ru(w); o[11] = "
        "__double2float_rd(w);\n"
        "  p[0] = __dadd_ru(w, 1e-20); p[1] = __dadd_rd(w, 1e-20); p[2] = __fma_rn(w, w, -1.0);\n"
        "  q[0] = __float2int_rn(2.5f * x); q[1] = __float2int_rz(-2.5f * x); q[2] = "
        "__float2int_ru(z); q[3] = (int)(x * 1e20f);\n"
        "  q[4] = __float2int_rn(z / 0.0f * 0.0f); q[5] = z * 0.5f == 0.0f; }\n";
    const char *const plain[] = {"-arch=compute_80", NULL}, *const fast[] = {"-arch=compute_80",
                                                                             "-ftz=true", NULL};
    for (int flush = 0; flush < 2; flush++) {
        void *m = rig_compile(text, flush ? fast : plain);
        ASSERT(m);
        float o[12], x = 1.0f, y = 1e-10f, z = FLT_MIN;
        double p[3], w = 1.0 + 0x1p-52;
        int32_t q[6];
        DevicePointer dov, dp, dq;
        ASSERT(!cuMemAlloc_v2(&dov, sizeof o) && !cuMemAlloc_v2(&dp, sizeof p) &&
               !cuMemAlloc_v2(&dq, sizeof q));
        ASSERT_EQ(
            0, rig_launch(rig_function(m, "modes"), 1, 1, 0, &dov, &dp, &dq, &x, &y, &z, &w, NULL));
        cuMemcpyDtoH_v2(o, dov, sizeof o);
        cuMemcpyDtoH_v2(p, dp, sizeof p);
        cuMemcpyDtoH_v2(q, dq, sizeof q);
        float up = nextafterf(1, 2);
        const float want[12] = {
            1, up, 1, 1, 1, 1, 1, nextafterf(1 / 3.0f, 0) == 1 / 3.0f ? 0 : 1 / 3.0f, 1, 0, up, 1};
        for (int k = 0; k < 12; k++)
            if (k != 7)
                ASSERT_EQ(want[k], o[k]);
        ASSERT((double)o[7] >= 1.0 / 3.0 && (double)nextafterf(o[7], 0) < 1.0 / 3.0);
        ASSERT_EQ(nextafter(w, 2), p[0]);
        ASSERT_EQ(w, p[1]);
        ASSERT_EQ(fma(w, w, -1.0), p[2]);
        ASSERT_EQ(2, q[0]);
        ASSERT_EQ(-2, q[1]);
        ASSERT_EQ(1, q[2]);
        ASSERT_EQ(INT32_MAX, q[3]);
        ASSERT_EQ(0, q[4]);
        ASSERT_EQ(flush, q[5]); /* half of the least normal number */
        cuMemFree_v2(dov);
        cuMemFree_v2(dp);
        cuMemFree_v2(dq);
        cuModuleUnload(m);
    }
    PASS();
}

SUITE(math) {
    RUN_TEST(functions_compute_75);
    RUN_TEST(functions_compute_120);
    RUN_TEST(large_arguments_of_sin);
    RUN_TEST(rounding_and_flushing);
}

RIG_MAIN(math)
