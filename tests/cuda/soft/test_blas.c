/* test_blas.c: the cuBLAS stand-in against plain loops in double, its checks, and graphs. */
#include "greatest.h"
#include "rig.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLAS(X)                                                                                    \
    X(cublasCreate_v2, (void **))                                                                  \
    X(cublasDestroy_v2, (void *))                                                                  \
    X(cublasSetStream_v2, (void *, void *))                                                        \
    X(cublasSetMathMode, (void *, int))                                                            \
    X(cublasSetPointerMode_v2, (void *, int))                                                      \
    X(cublasSgemm_v2, (void *, int, int, int, int, int, const float *, DevicePointer, int,         \
                       DevicePointer, int, const float *, DevicePointer, int))                     \
    X(cublasDgemm_v2, (void *, int, int, int, int, int, const double *, DevicePointer, int,        \
                       DevicePointer, int, const double *, DevicePointer, int))                    \
    X(cublasSgemmStridedBatched,                                                                   \
      (void *, int, int, int, int, int, const float *, DevicePointer, int, long long,              \
       DevicePointer, int, long long, const float *, DevicePointer, int, long long, int))          \
    X(cublasGemmEx, (void *, int, int, int, int, int, const void *, DevicePointer, int, int,       \
                     DevicePointer, int, int, const void *, DevicePointer, int, int, int, int))    \
    X(cublasDgemv_v2, (void *, int, int, int, const double *, DevicePointer, int, DevicePointer,   \
                       int, const double *, DevicePointer, int))                                   \
    X(cublasDsyrk_v2, (void *, int, int, int, int, const double *, DevicePointer, int,             \
                       const double *, DevicePointer, int))                                        \
    X(cublasDtrsm_v2, (void *, int, int, int, int, int, int, const double *, DevicePointer, int,   \
                       DevicePointer, int))
#define X(name, arguments) static int(*name) arguments;
BLAS(X)
#undef X

static void *handle;

static int open_blas(void) {
    void *library = dlopen(SOFT_CUBLAS, RTLD_NOW | RTLD_LOCAL);
    int ok = library != NULL;
#define X(name, arguments)                                                                         \
    if (ok) {                                                                                      \
        void *at = dlsym(library, #name);                                                          \
        memcpy(&name, &at, sizeof at);                                                             \
        ok &= at != NULL;                                                                          \
    }
    BLAS(X)
#undef X
    return ok;
}

static double number(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (double)(int64_t)(*state % 2001 - 1000) / 1000;
}

static DevicePointer put(const void *data, size_t size) {
    DevicePointer p = 0;
    if (cuMemAlloc_v2(&p, size) == 0)
        cuMemcpyHtoD_v2(p, data, size);
    return p;
}

enum { M = 70, N = 45, K = 300, LD = 310, SIZE = LD * LD };
static double a[SIZE], b[SIZE], c[SIZE], got[SIZE];
static float af[SIZE], bf[SIZE], cf[SIZE], gotf[SIZE];

static void fill(uint64_t seed) {
    for (int i = 0; i < SIZE; i++) {
        a[i] = af[i] = (float)number(&seed);
        b[i] = bf[i] = (float)number(&seed);
        c[i] = cf[i] = (float)number(&seed);
    }
}

static double product(int ta, int tb, int i, int j, int k) {
    double sum = 0;
    for (int p = 0; p < k; p++)
        sum += a[ta ? p + i * LD : i + p * LD] * b[tb ? j + p * LD : p + j * LD];
    return sum;
}

TEST products(void) {
    fill(1);
    DevicePointer da = put(a, sizeof a), db = put(b, sizeof b), fa = put(af, sizeof af),
                  fb = put(bf, sizeof bf);
    double alpha = 0.5, beta = -2;
    float alphaf = 0.5f, betaf = -2;
    for (int ta = 0; ta < 2; ta++)
        for (int tb = 0; tb < 2; tb++) {
            DevicePointer dc = put(c, sizeof c), fc = put(cf, sizeof cf);
            ASSERT_EQ(
                0, cublasDgemm_v2(handle, ta, tb, M, N, K, &alpha, da, LD, db, LD, &beta, dc, LD));
            ASSERT_EQ(0, cublasSgemm_v2(handle, ta, tb, M, N, K, &alphaf, fa, LD, fb, LD, &betaf,
                                        fc, LD));
            cuMemcpyDtoH_v2(got, dc, sizeof got);
            cuMemcpyDtoH_v2(gotf, fc, sizeof gotf);
            for (int j = 0; j < LD; j++)
                for (int i = 0; i < LD; i++) {
                    int inside = i < M && j < N, at = i + j * LD;
                    double want = inside ? alpha * product(ta, tb, i, j, K) + beta * c[at] : c[at];
                    ASSERT(fabs(want - got[at]) < 1e-11);
                    ASSERT(inside ? fabs(want - (double)gotf[at]) < 3e-4 : gotf[at] == cf[at]);
                }
            cuMemFree_v2(dc);
            cuMemFree_v2(fc);
        }
    DevicePointer all[] = {da, db, fa, fb};
    for (int k = 0; k < 4; k++)
        cuMemFree_v2(all[k]);
    ASSERT_EQ(0, rig_found_all());
    PASS();
}

/* TF32 keeps 11 binary digits of each factor: the error is neither zero nor larger. */
TEST batches_and_tensor_formats(void) {
    enum { COUNT = 3, S = 20 };
    fill(2);
    float alpha = 1, beta = 0;
    DevicePointer fa = put(af, sizeof af), fb = put(bf, sizeof bf), fc = put(cf, sizeof cf),
                  dalpha = put(&alpha, 4), dbeta = put(&beta, 4);
    ASSERT_EQ(0, cublasSetPointerMode_v2(handle, 1));
    float *in_device;
    memcpy(&in_device, &dalpha, sizeof in_device);
    float *in_device2;
    memcpy(&in_device2, &dbeta, sizeof in_device2);
    ASSERT_EQ(0, cublasSgemmStridedBatched(handle, 0, 0, S, S, S, in_device, fa, LD, S * LD, fb, LD,
                                           0, in_device2, fc, S, S * S, COUNT));
    ASSERT_EQ(0, cublasSetPointerMode_v2(handle, 0));
    cuMemcpyDtoH_v2(gotf, fc, COUNT * S * S * 4);
    for (int k = 0; k < COUNT; k++)
        for (int j = 0; j < S; j++)
            for (int i = 0; i < S; i++) {
                double sum = 0;
                for (int p = 0; p < S; p++)
                    sum += a[i + p * LD + k * S * LD] * b[p + j * LD];
                ASSERT(fabs(sum - (double)gotf[k * S * S + i + j * S]) < 2e-5);
            }
    for (int format = 0; format < 2; format++) { /* TF32, bfloat16 */
        double most = 0, bound = format ? 0.3 : 0.04;
        ASSERT_EQ(0, cublasGemmEx(handle, 0, 0, M, N, K, &alpha, fa, 0, LD, fb, 0, LD, &beta, fc, 0,
                                  LD, format ? 75 : 77, -1));
        cuMemcpyDtoH_v2(gotf, fc, sizeof gotf);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++)
                most = fmax(most, fabs(product(0, 0, i, j, K) - (double)gotf[i + j * LD]));
        ASSERT(most > 1e-3 && most < bound);
    }
    DevicePointer all[] = {fa, fb, fc, dalpha, dbeta};
    for (int k = 0; k < 5; k++)
        cuMemFree_v2(all[k]);
    ASSERT_EQ(0, rig_found_all());
    PASS();
}

TEST vectors_and_triangles(void) {
    fill(3);
    enum { S = 30, R = 7 };
    double alpha = 2, beta = 0.5, one = 1;
    DevicePointer da = put(a, sizeof a), dx = put(b, sizeof b), dy = put(c, sizeof c);
    ASSERT_EQ(0, cublasDgemv_v2(handle, 1, M, N, &alpha, da, LD, dx, 2, &beta, dy, 3));
    cuMemcpyDtoH_v2(got, dy, sizeof got);
    for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int i = 0; i < M; i++)
            sum += a[i + j * LD] * b[2 * i];
        ASSERT(fabs(alpha * sum + beta * c[3 * j] - got[3 * j]) < 1e-12);
    }
    DevicePointer dc = put(c, sizeof c);
    ASSERT_EQ(0, cublasDsyrk_v2(handle, 0, 0, S, K, &alpha, da, LD, &beta, dc, LD));
    cuMemcpyDtoH_v2(got, dc, sizeof got);
    for (int j = 0; j < S; j++)
        for (int i = 0; i < S; i++) {
            double sum = 0;
            for (int p = 0; p < K; p++)
                sum += a[i + p * LD] * a[j + p * LD];
            double want = i >= j ? alpha * sum + beta * c[i + j * LD] : c[i + j * LD];
            ASSERT(fabs(want - got[i + j * LD]) < 1e-11);
        }
    for (int i = 0; i < S; i++)
        a[i + i * LD] += 8; /* well conditioned */
    cuMemcpyHtoD_v2(da, a, sizeof a);
    for (int kind = 0; kind < 8; kind++) { /* side, uplo, trans */
        int right = kind & 1, upper = kind >> 1 & 1, trans = kind >> 2;
        int rows = right ? R : S, columns = right ? S : R;
        cuMemcpyHtoD_v2(dc, c, sizeof c);
        ASSERT_EQ(
            0, cublasDtrsm_v2(handle, right, upper, trans, 0, rows, columns, &one, da, LD, dc, LD));
        cuMemcpyDtoH_v2(got, dc, sizeof got);
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++) {
                double sum = 0;
                for (int p = 0; p < S; p++) {
                    int r = right ? p : i, s = right ? j : p; /* element (r, s) of op(A) */
                    int u = trans ? s : r, v = trans ? r : s;
                    double t = (upper ? u <= v : u >= v) ? a[u + v * LD] : 0;
                    sum += t * got[right ? i + p * LD : p + j * LD];
                }
                ASSERT(fabs(sum - c[i + j * LD]) < 1e-11);
            }
    }
    DevicePointer all[] = {da, dx, dy, dc};
    for (int k = 0; k < 4; k++)
        cuMemFree_v2(all[k]);
    ASSERT_EQ(0, rig_found_all());
    PASS();
}

TEST checks(void) {
    fill(4);
    float alpha = 1, beta = 0, with = 1;
    rig_reset();
    DevicePointer fa = put(af, M * K * 4), fb = put(bf, K * N * 4), fc, freed = put(bf, K * N * 4);
    ASSERT_EQ(0, cuMemAlloc_v2(&fc, M * N * 4));
    cuMemFree_v2(freed);
    ASSERT_EQ(7, cublasSgemm_v2(handle, 0, 0, M, N, K, &alpha, fa, M - 1, fb, K, &beta, fc, M));
    ASSERT_EQ(1, rig_found(FOUND_BAD_ARGUMENT));
    ASSERT_EQ(13, cublasSgemm_v2(handle, 0, 0, M, N, K, &alpha, fa, M + 1, fb, K, &beta, fc, M));
    ASSERT_EQ(1, rig_found(FOUND_OUT_OF_BOUNDS));
    ASSERT_EQ(13, cublasSgemm_v2(handle, 0, 0, M, N, K, &alpha, fa, M, freed, K, &beta, fc, M));
    ASSERT_EQ(1, rig_found(FOUND_USE_AFTER_FREE));
    ASSERT_EQ(13, cublasSgemm_v2(handle, 0, 0, M, N, K, &alpha, fa, M, fb, K, &with, fc, M));
    ASSERT_EQ(1, rig_found(FOUND_UNINITIALISED));
    rig_reset();
    ASSERT_EQ(0, cublasSgemm_v2(handle, 0, 0, M, N, K, &alpha, fa, M, fb, K, &beta, fc, M));
    ASSERT_EQ(0, cublasSgemm_v2(handle, 0, 0, M, N, K, &alpha, fa, M, fb, K, &with, fc, M));
    SoftCounters s;
    rig_counters(&s, sizeof s);
    ASSERT_EQ(2, s.blas_calls);
    ASSERT_EQ(2 * 2 * M * N * K, s.blas_flops);
    ASSERT_EQ(4 * (2 * (M * K + K * N) + M * N), s.blas_read_bytes);
    ASSERT_EQ(4 * 2 * M * N, s.blas_written_bytes);
    ASSERT_EQ(0, rig_found_all());
    DevicePointer all[] = {fa, fb, fc};
    for (int k = 0; k < 3; k++)
        cuMemFree_v2(all[k]);
    PASS();
}

TEST graphs(void) {
    fill(5);
    float alpha = 1, beta = 1;
    void *stream, *graph, *exec;
    DevicePointer fa = put(af, 4 * 16), fb = put(bf, 4 * 16), fc = put(cf, 4 * 16);
    ASSERT(cuStreamCreate(&stream, 1) == 0 && cublasSetStream_v2(handle, stream) == 0);
    ASSERT_EQ(0, cuStreamBeginCapture_v2(stream, 0));
    ASSERT_EQ(0, cublasSgemm_v2(handle, 0, 0, 4, 4, 4, &alpha, fa, 4, fb, 4, &beta, fc, 4));
    ASSERT_EQ(0, cuStreamEndCapture(stream, &graph));
    ASSERT_EQ(0, cuGraphInstantiateWithFlags(&exec, graph, 0));
    cuMemcpyDtoH_v2(gotf, fc, 4 * 16);
    ASSERT_EQ(0, memcmp(gotf, cf, 4 * 16)); /* kept, not done */
    ASSERT_EQ(0, cuGraphLaunch(exec, stream));
    ASSERT_EQ(0, cuGraphLaunch(exec, stream));
    cuMemcpyDtoH_v2(gotf, fc, 4 * 16);
    double sum = c[0];
    for (int p = 0; p < 4; p++)
        sum += 2 * a[4 * p] * b[p];
    ASSERT(fabs(sum - (double)gotf[0]) < 1e-6);
    ASSERT(cublasSetStream_v2(handle, NULL) == 0 && cuGraphDestroy(graph) == 0 &&
           cuGraphExecDestroy(exec) == 0 && cuStreamDestroy_v2(stream) == 0);
    cuMemFree_v2(fa);
    cuMemFree_v2(fb);
    cuMemFree_v2(fc);
    PASS();
}

SUITE(blas) {
    RUN_TEST(products);
    RUN_TEST(batches_and_tensor_formats);
    RUN_TEST(vectors_and_triangles);
    RUN_TEST(checks);
    RUN_TEST(graphs);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    setenv("PDE_SOFT_CUDA_LOG", "soft_blas.log", 0);
    if (!rig_open_driver() || !rig_start() || !open_blas() || cublasCreate_v2(&handle))
        return 1;
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(blas);
    cublasDestroy_v2(handle);
    rig_stop();
    GREATEST_MAIN_END();
}
