#include "cuda/device/driver.h"

#include "cuda/device/device.h"
#include "cuda/device/module_kernels.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = 32 << 20, RESERVE_PERCENT = 5 };

typedef struct Driver {
    Backend base;
    BackendOps ops;
    CudaApi api;
    CudaDevice device;
    bool has_context;
    CudaModule module[2]; /* the engine's kernels, the problem's */
    CudaStream stream;
    CublasHandle cublas;
    CudaPointer workspace; /* of cuBLAS: with its own it could not be recorded */
    CudaGraphExec graph;
} Driver;

static Driver *driver_of(Backend *b) {
    return (Driver *)b;
}

static CudaPointer address(const void *pointer) {
    return (CudaPointer)(uintptr_t)pointer;
}

#define DRIVER(d, error, function, ...) CUDA_CALL(&(d)->api, error, DRIVER, function, __VA_ARGS__)
#define CUBLAS(d, error, function, ...) CUDA_CALL(&(d)->api, error, CUBLAS, function, __VA_ARGS__)

/* -------------------------------------------------------------------------------------- memory */

static Status allocate(Backend *b, size_t bytes, void **pointer, Error *error) {
    Driver *d = driver_of(b);
    CudaPointer at = 0;
    Status status = DRIVER(d, error, cuMemAlloc, &at, bytes);
    *pointer = status == STATUS_OK ? (void *)(uintptr_t)at : NULL;
    return status;
}

static void release(Backend *b, void *pointer) {
    (void)driver_of(b)->api.cuMemFree(address(pointer));
}

static Status wait(Driver *d, Error *error) {
    return DRIVER(d, error, cuStreamSynchronize, d->stream);
}

/* The host's memory is the caller's again when they return. */
static Status upload(Backend *b, void *to, const void *from, size_t bytes, Error *error) {
    Driver *d = driver_of(b);
    Status status = DRIVER(d, error, cuMemcpyHtoDAsync, address(to), from, bytes, d->stream);
    return status == STATUS_OK ? wait(d, error) : status;
}

static Status download(Backend *b, void *to, const void *from, size_t bytes, Error *error) {
    Driver *d = driver_of(b);
    Status status = DRIVER(d, error, cuMemcpyDtoHAsync, to, address(from), bytes, d->stream);
    return status == STATUS_OK ? wait(d, error) : status;
}

static Status zero(Backend *b, void *to, size_t bytes, Error *error) {
    Driver *d = driver_of(b);
    return DRIVER(d, error, cuMemsetD8Async, address(to), 0, bytes, d->stream);
}

/* ---------------------------------------------------------------------------------------- work */

static Status find(Backend *b, const char *name, BackendKernel **kernel, Error *error) {
    Driver *d = driver_of(b);
    CudaFunction function = NULL;
    bool engine = strncmp(name, "pde_engine_", 11) == 0;
    Status status =
        DRIVER(d, error, cuModuleGetFunction, &function, d->module[engine ? 0 : 1], name);
    *kernel = function;
    return status;
}

static Status launch(Backend *b, const Launch *l, Error *error) {
    Driver *d = driver_of(b);
    void *parameter[] = {(void *)(uintptr_t)l->argument};
    return DRIVER(d, error, cuLaunchKernel, (CudaFunction)(uintptr_t)l->kernel, l->grid[0],
                  l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], 0, d->stream,
                  parameter, NULL);
}

/* cuBLAS counts by columns: a row-major c = a b is its c' = b' a'. */
static Status product(Backend *b, const Product *p, Error *error) {
    Driver *d = driver_of(b);
    CublasOperation left = p->transpose_b ? CUBLAS_TRANSPOSED : CUBLAS_PLAIN;
    CublasOperation right = p->transpose_a ? CUBLAS_TRANSPOSED : CUBLAS_PLAIN;
    int64_t widest = p->m > p->n ? p->m : p->n;
    if ((p->k > widest ? p->k : widest) > INT_MAX)
        return error_set(error, STATUS_OPTION_VALUE,
                         "a product of %lld rows is too large for cuBLAS", (long long)widest);
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    int lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc, count = (int)p->count;
    double one = 1, beta = p->beta;
    float onef = 1, betaf = (float)p->beta;
    if (b->precision == PDE_F64 && count == 1)
        return CUBLAS(d, error, cublasDgemm, d->cublas, left, right, n, m, k, &one, p->b, ldb, p->a,
                      lda, &beta, p->c, ldc);
    if (b->precision == PDE_F64)
        return CUBLAS(d, error, cublasDgemmStridedBatched, d->cublas, left, right, n, m, k, &one,
                      p->b, ldb, p->stride_b, p->a, lda, p->stride_a, &beta, p->c, ldc, p->stride_c,
                      count);
    if (b->factors == FACTORS_bf16)
        return CUBLAS(d, error, cublasGemmStridedBatchedEx, d->cublas, left, right, n, m, k, &onef,
                      p->b, CUBLAS_FLOAT, ldb, p->stride_b, p->a, CUBLAS_FLOAT, lda, p->stride_a,
                      &betaf, p->c, CUBLAS_FLOAT, ldc, p->stride_c, count, CUBLAS_COMPUTE_BF16,
                      CUBLAS_ALGORITHM);
    if (count == 1)
        return CUBLAS(d, error, cublasSgemm, d->cublas, left, right, n, m, k, &onef, p->b, ldb,
                      p->a, lda, &betaf, p->c, ldc);
    return CUBLAS(d, error, cublasSgemmStridedBatched, d->cublas, left, right, n, m, k, &onef, p->b,
                  ldb, p->stride_b, p->a, lda, p->stride_a, &betaf, p->c, ldc, p->stride_c, count);
}

/* -------------------------------------------------------------------------------------- graphs */

static void drop_graph(Driver *d) {
    if (d->graph)
        (void)d->api.cuGraphExecDestroy(d->graph);
    d->graph = NULL;
}

static Status record_begin(Backend *b, Error *error) {
    Driver *d = driver_of(b);
    drop_graph(d);
    return DRIVER(d, error, cuStreamBeginCapture, d->stream, CUDA_CAPTURE_RELAXED);
}

static Status record_end(Backend *b, Error *error) {
    Driver *d = driver_of(b);
    CudaGraph graph = NULL;
    Status status = DRIVER(d, error, cuStreamEndCapture, d->stream, &graph);
    if (status == STATUS_OK)
        status = DRIVER(d, error, cuGraphInstantiateWithFlags, &d->graph, graph, 0);
    if (graph)
        (void)d->api.cuGraphDestroy(graph);
    return status;
}

static Status replay(Backend *b, Error *error) {
    Driver *d = driver_of(b);
    return DRIVER(d, error, cuGraphLaunch, d->graph, d->stream);
}

/* --------------------------------------------------------------------------------- open, close */

static void driver_close(Backend *b) {
    Driver *d = driver_of(b);
    if (d->stream)
        (void)d->api.cuStreamSynchronize(d->stream);
    drop_graph(d);
    if (d->cublas)
        (void)d->api.cublasDestroy(d->cublas);
    if (d->workspace)
        (void)d->api.cuMemFree(d->workspace);
    for (int i = 0; i < 2; i++)
        if (d->module[i])
            (void)d->api.cuModuleUnload(d->module[i]);
    if (d->stream)
        (void)d->api.cuStreamDestroy(d->stream);
    if (d->has_context)
        (void)d->api.cuDevicePrimaryCtxRelease(d->device);
    cuda_close(&d->api);
    free(d);
}

static const BackendOps all_ops = {.allocate = allocate,
                                   .release = release,
                                   .upload = upload,
                                   .download = download,
                                   .zero = zero,
                                   .kernel = find,
                                   .launch = launch,
                                   .product = product,
                                   .record_begin = record_begin,
                                   .record_end = record_end,
                                   .replay = replay,
                                   .close = driver_close};

static bool has_graphs(const CudaApi *api) {
    return api->cuStreamBeginCapture && api->cuStreamEndCapture &&
           api->cuGraphInstantiateWithFlags && api->cuGraphLaunch && api->cuGraphExecDestroy &&
           api->cuGraphDestroy;
}

static Status load_kernels(Driver *d, const DriverConfig *c, int arch, Error *error) {
    JitConstant constant[PROBLEM_CONSTANTS_MAX];
    const CudaKernelSpec spec = {.module = &c->problem->module,
                                 .constant = constant,
                                 .constants = problem_constants(&c->problem->plan, constant),
                                 .is_double = d->base.precision == PDE_F64,
                                 .arch = arch,
                                 .cache = c->cache,
                                 .activation = pde_activation_name(c->activation),
                                 .activation_number = (int)c->activation};
    Status status = cuda_engine_load(&d->api, &spec, &d->module[0], error);
    return status == STATUS_OK ? cuda_kernels_load(&d->api, &spec, &d->module[1], error) : status;
}

static Status open_cublas(Driver *d, Error *error) {
    CublasMathMode mode = d->base.factors == FACTORS_tf32 ? CUBLAS_MATH_TF32 : CUBLAS_MATH_DEFAULT;
    if (d->base.factors == FACTORS_bf16 && !d->api.cublasGemmStridedBatchedEx)
        return error_set(error, STATUS_CUDA_LIBRARY,
                         "this cuBLAS has no cublasGemmStridedBatchedEx: leave --bf16 out");
    Status status = CUBLAS(d, error, cublasCreate, &d->cublas);
    if (status == STATUS_OK)
        status = CUBLAS(d, error, cublasSetStream, d->cublas, d->stream);
    if (status == STATUS_OK)
        status = CUBLAS(d, error, cublasSetMathMode, d->cublas, mode);
    if (status != STATUS_OK || !d->api.cublasSetWorkspace)
        return status;
    status = DRIVER(d, error, cuMemAlloc, &d->workspace, WORKSPACE);
    if (status == STATUS_OK)
        status = CUBLAS(d, error, cublasSetWorkspace, d->cublas, (void *)(uintptr_t)d->workspace,
                        WORKSPACE);
    return status;
}

static Status open_context(Driver *d, const DriverConfig *c, int *arch, Error *error) {
    CudaDeviceInfo info = {0};
    CudaContext context = NULL;
    size_t total = 0;
    /* whether NVRTC is needed turns out when the kernels are loaded */
    Status status = cuda_device_usable(&d->api, c->ordinal, true, &info, error);
    if (status == STATUS_OK)
        status = DRIVER(d, error, cuDeviceGet, &d->device, c->ordinal);
    if (status == STATUS_OK)
        status = DRIVER(d, error, cuDevicePrimaryCtxRetain, &context, d->device);
    if (status != STATUS_OK)
        return status;
    d->has_context = true;
    status = DRIVER(d, error, cuCtxSetCurrent, context);
    if (status == STATUS_OK)
        status = DRIVER(d, error, cuStreamCreate, &d->stream, CUDA_STREAM_NON_BLOCKING);
    if (status == STATUS_OK)
        status = open_cublas(d, error);
    if (status == STATUS_OK)
        status = DRIVER(d, error, cuMemGetInfo, &d->base.memory, &total);
    d->base.memory -= d->base.memory / 100 * RESERVE_PERCENT;
    snprintf(d->base.name, sizeof d->base.name, "%.80s (cuda:%d)", info.name, c->ordinal);
    *arch = info.arch;
    return status;
}

Status driver_open(const DriverConfig *config, Backend **backend, Error *error) {
    Driver *d = calloc(1, sizeof *d);
    int arch = 0;
    *backend = NULL;
    if (!d)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a device");
    d->ops = all_ops;
    d->base = (Backend){
        .ops = &d->ops, .precision = config->problem->precision, .factors = config->factors};
    Status status = open_context(d, config, &arch, error);
    if (status == STATUS_OK)
        status = load_kernels(d, config, arch, error);
    if (status != STATUS_OK) {
        driver_close(&d->base);
        return status;
    }
    if (config->plain || !has_graphs(&d->api))
        d->ops.record_begin = d->ops.record_end = d->ops.replay = NULL;
    *backend = &d->base;
    return STATUS_OK;
}
