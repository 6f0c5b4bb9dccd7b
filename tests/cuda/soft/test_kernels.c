/* test_kernels.c: kernels with known results on the software CUDA device, in every order of threads. */
#include "greatest.h"
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const orders[] = {"normal", "reversed", "shuffled:1", "shuffled:2"};
enum { ORDERS = 4 };

static DevicePointer put(const void *data, size_t size) {
    DevicePointer p = 0;
    if (cuMemAlloc_v2(&p, size) == 0 && data)
        cuMemcpyHtoD_v2(p, data, size);
    return p;
}

static const char reduction_source[] =
    "extern \"C\" __global__ void block_sum(const float *x, float *sums, int n) {\n"
    "    __shared__ float part[256];\n"
    "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
    "    part[t] = i < n ? x[i] : 0.0f;\n"
    "    __syncthreads();\n"
    "    for (int s = blockDim.x / 2; s > 0; s >>= 1) {\n"
    "        if (t < s) part[t] += part[t + s];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    if (t == 0) sums[blockIdx.x] = part[0];\n"
    "}\n"
    "extern \"C\" __global__ void dynamic_sum(const double *x, double *sums) {\n"
    "    extern __shared__ double part[];\n"
    "    int t = threadIdx.x;\n"
    "    part[t] = x[blockIdx.x * blockDim.x + t];\n"
    "    for (int s = blockDim.x / 2; s > 0; s >>= 1) {\n"
    "        __syncthreads();\n"
    "        if (t < s) part[t] += part[t + s];\n"
    "    }\n"
    "    if (t == 0) sums[blockIdx.x] = part[0];\n"
    "}\n"
    "extern \"C\" __global__ void warp_sum(const float *x, float *sums) {\n"
    "    float v = x[blockIdx.x * blockDim.x + threadIdx.x];\n"
    "    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);\n"
    "    unsigned even = __ballot_sync(0xffffffffu, threadIdx.x % 2 == 0);\n"
    "    if (threadIdx.x % 32 == 0) sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = even == "
    "0x55555555u ? v : -1.0f;\n"
    "}\n";

TEST reductions_in_shared_memory(void) {
    void *m = rig_compile(reduction_source, NULL);
    ASSERT(m);
    enum { N = 1000, BLOCKS = 4 };
    float x[BLOCKS * 256];
    double y[BLOCKS * 64];
    for (int i = 0; i < BLOCKS * 256; i++)
        x[i] = (float)(i % 37) * 0.25f; /* sums are exact */
    for (int i = 0; i < BLOCKS * 64; i++)
        y[i] = i * 0.5;
    DevicePointer dx = put(x, sizeof x), dy = put(y, sizeof y), ds = put(NULL, 32 * 4),
                  dt = put(NULL, BLOCKS * 8);
    for (int k = 0; k < ORDERS; k++) {
        float sums[BLOCKS], warps[32];
        double doubles[BLOCKS];
        int n = N;
        ASSERT(rig_order(orders[k]));
        ASSERT_EQ(0, rig_launch(rig_function(m, "block_sum"), BLOCKS, 256, 0, &dx, &ds, &n, NULL));
        ASSERT_EQ(0, cuMemcpyDtoH_v2(sums, ds, sizeof sums));
        ASSERT_EQ(0,
                  rig_launch(rig_function(m, "dynamic_sum"), BLOCKS, 64, 64 * 8, &dy, &dt, NULL));
        ASSERT_EQ(0, cuMemcpyDtoH_v2(doubles, dt, sizeof doubles));
        ASSERT_EQ(0, rig_launch(rig_function(m, "warp_sum"), BLOCKS, 256, 0, &dx, &ds, NULL));
        ASSERT_EQ(0, cuMemcpyDtoH_v2(warps, ds, sizeof warps));
        for (int b = 0; b < BLOCKS; b++) {
            float want = 0;
            double wanted = 0;
            for (int i = 256 * b; i < 256 * (b + 1) && i < N; i++)
                want += x[i];
            for (int i = 64 * b; i < 64 * (b + 1); i++)
                wanted += y[i];
            ASSERT_EQ(want, sums[b]);
            ASSERT_EQ(wanted, doubles[b]);
        }
        for (int w = 0; w < 32; w++) {
            float want = 0;
            for (int i = 32 * w; i < 32 * w + 32; i++)
                want += x[i];
            ASSERT_EQ(want, warps[w]);
        }
    }
    ASSERT_EQ(0, rig_found_all());
    DevicePointer all[] = {dx, dy, ds, dt};
    for (int k = 0; k < 4; k++)
        cuMemFree_v2(all[k]);
    cuModuleUnload(m);
    PASS();
}

/* ---- divergence, calls, local arrays, tables --------------------------------------------------------*/
static const char control_source[] =
    "struct Pair { float a[3]; double d; };\n"
    "__device__ __noinline__ Pair make(const float *p, int k) {\n"
    "    Pair r; r.a[0] = p[k]; r.a[1] = (float)k; r.a[2] = p[0]; r.d = k * 0.5; return r; }\n"
    "__device__ __noinline__ long long fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }\n"
    "__device__ float add1(float x) { return x + 1; }\n"
    "__device__ float twice(float x) { return x * 2; }\n"
    "__device__ float square(float x) { return x * x; }\n"
    "typedef float (*Step)(float);\n"
    "__device__ Step steps[3] = {add1, twice, square};\n"
    "__constant__ float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
    "__device__ int counter;\n"
    "__device__ int *counter_at = &counter;\n"
    "extern \"C\" __global__ void control(double *out, int n) {\n"
    "    int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (t >= n) return;\n"
    "    float local[16];\n"
    "    for (int j = 0; j < 16; j++) local[j] = (float)(t * j);\n"
    "    double sum = local[t % 16] + table[t % 8];\n"
    "    int loops = 0;\n"
    "    for (unsigned c = t + 1; c != 1; c = c % 2 ? 3 * c + 1 : c / 2) loops++;\n"
    "    sum += 1000.0 * loops;\n"
    "    Pair r = make(local, t % 16);\n"
    "    sum += r.a[t % 3] + r.d;\n"
    "    if (t % 5 == 2) sum += (double)fact(t % 13);\n"
    "    sum += steps[t % 3]((float)t);\n"
    "    switch (t % 9) {\n"
    "    case 0: sum += 1; break; case 1: sum *= 2; break; case 2: sum -= 3; break; case 3: sum += "
    "t; break;\n"
    "    case 4: sum /= 4; break; case 5: sum = -sum; break; case 6: sum += 0.5; break; default: "
    "break; }\n"
    "    atomicAdd(counter_at, 1);\n"
    "    out[t] = sum;\n"
    "}\n";

static double control_value(int t) {
    static const float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float local[16];
    for (int j = 0; j < 16; j++)
        local[j] = (float)(t * j);
    double sum = (double)(local[t % 16] + table[t % 8]);
    int loops = 0;
    for (unsigned c = (unsigned)t + 1; c != 1; c = c % 2 ? 3 * c + 1 : c / 2)
        loops++;
    sum += 1000.0 * loops;
    int k = t % 16;
    float a[3] = {local[k], (float)k, local[0]};
    sum += (double)a[t % 3] + k * 0.5;
    if (t % 5 == 2) {
        double f = 1;
        for (int i = 2; i <= t % 13; i++)
            f *= i;
        sum += f;
    }
    float x = (float)t;
    sum += (double)(t % 3 == 0 ? x + 1 : t % 3 == 1 ? x * 2 : x * x);
    switch (t % 9) {
    case 0:
        return sum + 1;
    case 1:
        return sum * 2;
    case 2:
        return sum - 3;
    case 3:
        return sum + t;
    case 4:
        return sum / 4;
    case 5:
        return -sum;
    case 6:
        return sum + 0.5;
    default:
        return sum;
    }
}

TEST divergence_calls_and_tables(void) {
    static const char *const archs[] = {"-arch=compute_75", "-arch=compute_90",
                                        "-arch=compute_120"};
    enum { N = 700, ALL = 768 };
    for (int a = 0; a < 3; a++) {
        const char *const options[] = {archs[a], NULL};
        void *m = rig_compile(control_source, options);
        ASSERT(m);
        DevicePointer out = put(NULL, ALL * 8), counter;
        ASSERT_EQ(0, cuModuleGetGlobal_v2(&counter, NULL, m, "counter"));
        for (int k = 0; k < ORDERS; k++) {
            double values[N];
            int n = N, zero = 0, count;
            ASSERT(rig_order(orders[k]));
            ASSERT_EQ(0, cuMemcpyHtoD_v2(counter, &zero, 4));
            ASSERT_EQ(0, rig_launch(rig_function(m, "control"), 6, 128, 0, &out, &n, NULL));
            ASSERT_EQ(0, cuMemcpyDtoH_v2(values, out, sizeof values));
            ASSERT_EQ(0, cuMemcpyDtoH_v2(&count, counter, 4));
            ASSERT_EQ(N, count);
            for (int t = 0; t < N; t++)
                ASSERT_EQ(control_value(t), values[t]);
        }
        cuMemFree_v2(out);
        cuModuleUnload(m);
    }
    ASSERT_EQ(0, rig_found_all());
    PASS();
}

/* ---- integers, atomics, Philox -----------------------------------------------------------------------*/
static const char integer_source[] =
    "typedef unsigned long long u64; typedef long long s64;\n"
    "extern \"C\" __global__ void integers(u64 *o, const u64 *in, int n) {\n"
    "    int t = threadIdx.x; if (t >= n) return;\n"
    "    u64 a = in[2 * t], b = in[2 * t + 1]; s64 c = (s64)a, d = (s64)b; unsigned x = "
    "(unsigned)a, y = (unsigned)b;\n"
    "    int p = (int)x, q = (int)y; u64 *r = o + 32 * t; int i = 0;\n"
    "    r[i++] = a + b; r[i++] = a * b; r[i++] = a / b; r[i++] = a % b; r[i++] = (u64)(c / d); "
    "r[i++] = (u64)(c % d);\n"
    "    r[i++] = __umul64hi(a, b); r[i++] = (u64)__mul64hi(c, d); r[i++] = a << (b & 63); r[i++] "
    "= (u64)(c >> (b & 63));\n"
    "    r[i++] = a >> (b & 63); r[i++] = x / y; r[i++] = x % y; r[i++] = (unsigned)(p / q); "
    "r[i++] = (unsigned)(p % q);\n"
    "    r[i++] = __umulhi(x, y); r[i++] = (unsigned)__mulhi(p, q); r[i++] = (u64)x * y; r[i++] = "
    "(u64)((s64)p * q);\n"
    "    r[i++] = __popcll(a); r[i++] = __clzll(c); r[i++] = __brevll(a); r[i++] = __ffsll(c); "
    "r[i++] = __byte_perm(x, y, 0x6240);\n"
    "    r[i++] = __funnelshift_l(x, y, p); r[i++] = __funnelshift_r(x, y, q); r[i++] = (a < b) + "
    "2 * (c < d) + 4 * (x <= y) + 8 * (p > q);\n"
    "    r[i++] = (u64)min(c, d); r[i++] = max(a, b); r[i++] = (u64)(double)a; r[i++] = "
    "(u64)(s64)(float)p; r[i++] = (short)x + (signed char)y;\n"
    "}\n"
    "extern \"C\" __global__ void philox(unsigned *out, u64 seed) {\n"
    "    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, c[4] = {t, 7, 0, 9}, k[2] = "
    "{(unsigned)seed, (unsigned)(seed >> 32)};\n"
    "    for (int i = 0; i < 10; i++) {\n"
    "        u64 p = (u64)0xD2511F53u * c[0], q = (u64)0xCD9E8D57u * c[2];\n"
    "        unsigned n[4] = {(unsigned)(q >> 32) ^ c[1] ^ k[0], (unsigned)q, (unsigned)(p >> 32) "
    "^ c[3] ^ k[1], (unsigned)p};\n"
    "        for (int j = 0; j < 4; j++) c[j] = n[j];\n"
    "        k[0] += 0x9E3779B9u; k[1] += 0xBB67AE85u;\n"
    "    }\n"
    "    for (int j = 0; j < 4; j++) out[4 * t + j] = c[j];\n"
    "}\n"
    "extern \"C\" __global__ void atomics(int *i, unsigned *u, u64 *l, float *f, double *d) {\n"
    "    __shared__ int local[8];\n"
    "    if (threadIdx.x < 8) local[threadIdx.x] = 0;\n"
    "    __syncthreads();\n"
    "    atomicAdd(&local[threadIdx.x % 8], 1);\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x < 8) atomicAdd(&i[threadIdx.x], local[threadIdx.x]);\n"
    "    int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    atomicMax(&i[8], t); atomicMin(&i[9], -t); atomicOr(&u[0], 1u << (t % 32)); "
    "atomicXor(&u[1], t);\n"
    "    atomicInc(&u[2], 6); atomicAdd(l, (u64)t << 20); atomicAdd(f, 0.5f); atomicAdd(d, 0.25);\n"
    "    int old, seen = i[10]; do { old = seen; seen = atomicCAS(&i[10], old, old + 3); } while "
    "(seen != old);\n"
    "    atomicExch(&i[11], 5);\n"
    "}\n";

static uint64_t reversed(uint64_t x) {
    uint64_t out = 0;
    for (int k = 0; k < 64; k++)
        out |= (x >> k & 1) << (63 - k);
    return out;
}

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

static void integer_values(uint64_t a, uint64_t b, uint64_t *r) {
    int64_t c = (int64_t)a, d = (int64_t)b;
    uint32_t x = (uint32_t)a, y = (uint32_t)b;
    int32_t p = (int32_t)x, q = (int32_t)y;
    unsigned l = x & 31, s = y & 31;
    uint64_t both = (uint64_t)y << 32 | x;
    const uint64_t values[32] = {a + b,
                                 a * b,
                                 a / b,
                                 a % b,
                                 (uint64_t)(c / d),
                                 (uint64_t)(c % d),
                                 (uint64_t)((Wide)a * b >> 64),
                                 (uint64_t)((SignedWide)c * d >> 64),
                                 a << (b & 63),
                                 (uint64_t)(c >> (b & 63)),
                                 a >> (b & 63),
                                 x / y,
                                 x % y,
                                 (uint32_t)(p / q),
                                 (uint32_t)(p % q),
                                 (uint32_t)((uint64_t)x * y >> 32),
                                 (uint32_t)((int64_t)p * q >> 32),
                                 (uint64_t)x * y,
                                 (uint64_t)((int64_t)p * q),
                                 (uint64_t)__builtin_popcountll(a),
                                 a ? (uint64_t)__builtin_clzll(a) : 64,
                                 reversed(a),
                                 (uint64_t)__builtin_ffsll((long long)a),
                                 (x & 255) | (y & 255) << 8 | (x >> 16 & 255) << 16 |
                                     (y >> 16 & 255) << 24,
                                 (uint32_t)(both << l >> 32),
                                 (uint32_t)(both >> s),
                                 (uint64_t)((a < b) + 2 * (c < d) + 4 * (x <= y) + 8 * (p > q)),
                                 (uint64_t)(c < d ? c : d),
                                 a > b ? a : b,
                                 (uint64_t)(double)(a >> 1 << 1),
                                 (uint64_t)(int64_t)(float)p,
                                 (uint64_t)((int16_t)x + (int8_t)y)};
    memcpy(r, values, sizeof values);
}

TEST integers_of_64_bits(void) {
    void *m = rig_compile(integer_source, NULL);
    ASSERT(m);
    enum { N = 64 };
    uint64_t in[2 * N], *out = malloc(N * 32 * 8), state = 88172645463325252u;
    for (int i = 0; i < 2 * N; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        in[i] = (i % 7 == 0 ? state >> 40 : state >> (i % 3)) | 1;
        if (i % 2 == 0)
            in[i] &=
                ~(uint64_t)1 & 0x7FFFFFFFFFFFFFFFu; /* exact as double up to 2^63 is not asked */
    }
    DevicePointer din = put(in, sizeof in), dout = put(NULL, N * 32 * 8);
    int n = N;
    ASSERT_EQ(0, rig_launch(rig_function(m, "integers"), 1, N, 0, &dout, &din, &n, NULL));
    ASSERT_EQ(0, cuMemcpyDtoH_v2(out, dout, N * 32 * 8));
    for (int t = 0; t < N; t++) {
        uint64_t want[32];
        integer_values(in[2 * t], in[2 * t + 1], want);
        for (int k = 0; k < 32; k++) {
            if (want[k] != out[32 * t + k])
                fprintf(stderr, "thread %d, value %d: %llx, not %llx\n", t, k,
                        (unsigned long long)out[32 * t + k], (unsigned long long)want[k]);
            ASSERT_EQ(want[k], out[32 * t + k]);
        }
    }
    free(out);
    cuMemFree_v2(din);
    cuMemFree_v2(dout);
    cuModuleUnload(m);
    PASS();
}

static void philox(uint32_t t, uint64_t seed, uint32_t *c) {
    uint32_t k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    c[0] = t, c[1] = 7, c[2] = 0, c[3] = 9;
    for (int i = 0; i < 10; i++) {
        uint64_t p = (uint64_t)0xD2511F53u * c[0], q = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t n[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q,
                         (uint32_t)(p >> 32) ^ c[3] ^ k[1], (uint32_t)p};
        memcpy(c, n, sizeof n);
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
}

TEST philox_by_counter(void) {
    void *m = rig_compile(integer_source, NULL);
    ASSERT(m);
    enum { N = 512 };
    uint32_t out[4 * N];
    uint64_t seed = 0x123456789ABCDEFu;
    DevicePointer p = put(NULL, sizeof out);
    for (int k = 0; k < ORDERS; k++) {
        ASSERT(rig_order(orders[k]));
        ASSERT_EQ(0, rig_launch(rig_function(m, "philox"), N / 128, 128, 0, &p, &seed, NULL));
        ASSERT_EQ(0, cuMemcpyDtoH_v2(out, p, sizeof out));
        for (uint32_t t = 0; t < N; t++) {
            uint32_t want[4];
            philox(t, seed, want);
            ASSERT_EQ(0, memcmp(want, out + 4 * t, sizeof want));
        }
    }
    cuMemFree_v2(p);
    cuModuleUnload(m);
    PASS();
}

TEST atomic_operations(void) {
    void *m = rig_compile(integer_source, NULL);
    ASSERT(m);
    enum { N = 1024 };
    for (int k = 0; k < ORDERS; k++) {
        int32_t i[12] = {0};
        uint32_t u[3] = {0};
        uint64_t l = 5;
        float f = 1;
        double d = 2;
        DevicePointer di = put(i, sizeof i), du = put(u, sizeof u), dl = put(&l, 8),
                      df = put(&f, 4), dd = put(&d, 8);
        ASSERT(rig_order(orders[k]));
        ASSERT_EQ(0, rig_launch(rig_function(m, "atomics"), N / 256, 256, 0, &di, &du, &dl, &df,
                                &dd, NULL));
        cuMemcpyDtoH_v2(i, di, sizeof i);
        cuMemcpyDtoH_v2(u, du, sizeof u);
        cuMemcpyDtoH_v2(&l, dl, 8);
        cuMemcpyDtoH_v2(&f, df, 4);
        cuMemcpyDtoH_v2(&d, dd, 8);
        for (int j = 0; j < 8; j++)
            ASSERT_EQ(N / 8, i[j]);
        ASSERT_EQ(N - 1, i[8]);
        ASSERT_EQ(1 - N, i[9]);
        ASSERT_EQ(3 * N, i[10]);
        ASSERT_EQ(5, i[11]);
        ASSERT_EQ(0xFFFFFFFFu, u[0]);
        ASSERT_EQ(0, u[1]);
        ASSERT_EQ(N % 7, u[2]);
        ASSERT_EQ(5 + ((uint64_t)N * (N - 1) / 2 << 20), l);
        ASSERT_EQ(1 + 0.5f * N, f);
        ASSERT_EQ(2 + 0.25 * N, d);
        DevicePointer all[] = {di, du, dl, df, dd};
        for (int j = 0; j < 5; j++)
            cuMemFree_v2(all[j]);
    }
    ASSERT_EQ(0, rig_found_all());
    cuModuleUnload(m);
    PASS();
}

SUITE(kernels) {
    RUN_TEST(reductions_in_shared_memory);
    RUN_TEST(divergence_calls_and_tables);
    RUN_TEST(integers_of_64_bits);
    RUN_TEST(philox_by_counter);
    RUN_TEST(atomic_operations);
}

RIG_MAIN(kernels)
