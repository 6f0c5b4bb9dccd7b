/* test_failures.c: calls that fail on demand, streams that keep their work, and instructions of every
 * architecture. */
#include "greatest.h"
#include "rig.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*fail)(int64_t);
static int (*lazy)(int);
static int (*blas_create)(void **), (*blas_destroy)(void *);

static void *symbol(void *library, const char *name) {
    void *at = library ? dlsym(library, name) : NULL;
    if (!at)
        fprintf(stderr, "%s is missing\n", name);
    return at;
}

#define LOAD(library, name, to)                                                                    \
    do {                                                                                           \
        void *at_ = symbol(library, name);                                                         \
        if (!at_)                                                                                  \
            return 0;                                                                              \
        memcpy(&to, &at_, sizeof at_);                                                             \
    } while (0)

static int load(void) {
    void *device = dlopen(SOFT_CUDA, RTLD_NOW), *blas = dlopen(SOFT_CUBLAS, RTLD_NOW);
    LOAD(device, "pdeSoftCudaFail", fail);
    LOAD(device, "pdeSoftCudaLazy", lazy);
    LOAD(blas, "cublasCreate_v2", blas_create);
    LOAD(blas, "cublasDestroy_v2", blas_destroy);
    return 1;
}

static char *ptx;
static const char copy_source[] = "extern \"C\" __global__ void copy(float *y, const float *x) { "
                                  "y[threadIdx.x] = x[threadIdx.x] + 1; }\n";

/* Every kind of call once, all given back whatever fails. Returns the first status that is not 0. */
static int session(void) {
    int context_held = 0, failed = 0;
    void *context, *module = NULL, *function, *stream = NULL, *graph = NULL, *exec = NULL,
                   *handle = NULL;
    DevicePointer x = 0, y = 0;
    float values[32] = {1}, back[32];
    void *params[] = {&y, &x};
#define DO(call)                                                                                   \
    do {                                                                                           \
        int status_ = (call);                                                                      \
        if (status_ && !failed)                                                                    \
            failed = status_;                                                                      \
        if (failed)                                                                                \
            goto end;                                                                              \
    } while (0)
#define UNDO(call)                                                                                 \
    do {                                                                                           \
        int status_ = (call);                                                                      \
        if (status_ && !failed)                                                                    \
            failed = status_;                                                                      \
    } while (0)
    DO(cuInit(0));
    DO(cuDevicePrimaryCtxRetain(&context, 0));
    context_held = 1;
    DO(cuCtxSetCurrent(context));
    DO(cuMemAlloc_v2(&x, sizeof values));
    DO(cuMemAlloc_v2(&y, sizeof values));
    DO(cuMemcpyHtoD_v2(x, values, sizeof values));
    DO(cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
    DO(cuModuleGetFunction(&function, module, "copy"));
    DO(cuStreamCreate(&stream, 1));
    DO(blas_create(&handle));
    DO(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL));
    DO(cuStreamBeginCapture_v2(stream, 0));
    DO(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL));
    DO(cuStreamEndCapture(stream, &graph));
    DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
    DO(cuGraphLaunch(exec, stream));
    DO(cuCtxSynchronize());
    DO(cuMemcpyDtoH_v2(back, y, sizeof back));
end:
    if (exec)
        UNDO(cuGraphExecDestroy(exec));
    if (graph)
        UNDO(cuGraphDestroy(graph));
    if (handle)
        UNDO(blas_destroy(handle));
    if (stream)
        UNDO(cuStreamDestroy_v2(stream));
    if (module)
        UNDO(cuModuleUnload(module));
    if (x)
        UNDO(cuMemFree_v2(x));
    if (y)
        UNDO(cuMemFree_v2(y));
    if (context_held) {
        UNDO(cuCtxSetCurrent(NULL));
        UNDO(cuDevicePrimaryCtxRelease_v2(0));
    }
    return failed;
}

static uint64_t calls(void) {
    SoftCounters c;
    rig_counters(&c, sizeof c);
    return c.calls;
}

TEST every_call_fails_once(void) {
    uint64_t before = calls();
    ptx = rig_ptx(copy_source, NULL);
    ASSERT(ptx);
    rig_stop();
    before = calls();
    ASSERT_EQ(0, session());
    uint64_t all = calls() - before;
    ASSERT_EQ(27, all);
    for (uint64_t n = 1; n <= all; n++) {
        fail((int64_t)(calls() + n));
        rig_reset();
        ASSERT(session() != 0);
        ASSERT_EQ(0, rig_found_all()); /* nothing is left behind */
    }
    fail(0);
    ASSERT_EQ(0, session());
    free(ptx);
    ASSERT(rig_start());
    PASS();
}

/* NVRTC through its stand-in. */
static int (*create)(void **, const char *, const char *, int, const char *const *,
                     const char *const *);
static int (*compile)(void *, int, const char *const *), (*size)(void *, size_t *),
    (*text)(void *, char *);
static int (*destroy)(void **), (*count)(void);

static int load_compiler(void) {
    void *library = dlopen(SOFT_NVRTC, RTLD_NOW | RTLD_LOCAL);
    LOAD(library, "nvrtcCreateProgram", create);
    LOAD(library, "nvrtcCompileProgram", compile);
    LOAD(library, "nvrtcGetPTXSize", size);
    LOAD(library, "nvrtcGetPTX", text);
    LOAD(library, "nvrtcDestroyProgram", destroy);
    LOAD(library, "pdeSoftNvrtcCalls", count);
    return 1;
}

TEST every_call_of_the_compiler_fails_once(void) {
    ASSERT(load_compiler());
    static const int expected[6] = {1, 6, 11, 11, 11, 0};
    for (int n = 0; n < 6; n++) { /* the sixth does not come */
        char number[16], *room = NULL;
        int base = count(), status[5] = {0};
        void *program = NULL;
        size_t bytes = 0;
        snprintf(number, sizeof number, "%d", base + n + 1);
        setenv("PDE_SOFT_NVRTC_FAIL", number, 1);
        status[0] = create(&program, copy_source, "copy.cu", 0, NULL, NULL);
        if (!status[0]) {
            status[1] = compile(program, 0, NULL);
            status[2] = status[1] ? 0 : size(program, &bytes);
            room = calloc(bytes + 1, 1);
            status[3] = status[1] || status[2] ? 0 : text(program, room);
            status[4] = destroy(&program);
            ASSERT(n != 5 || strstr(room, ".entry copy"));
            free(room);
        }
        for (int k = 0; k < 5; k++)
            ASSERT_EQ(k == n ? expected[n] : 0, status[k]);
    }
    unsetenv("PDE_SOFT_NVRTC_FAIL");
    PASS();
}

/* Work of a stream that nobody waited for is not there yet, and errors come late. */
TEST streams_that_keep_their_work(void) {
    void *module = rig_compile(copy_source, NULL), *function = rig_function(module, "copy"),
         *stream;
    DevicePointer x, y;
    float back[32] = {0};
    void *params[] = {&y, &x};
    ASSERT(module && cuStreamCreate(&stream, 1) == 0);
    ASSERT(cuMemAlloc_v2(&x, 128) == 0 && cuMemAlloc_v2(&y, 128) == 0);
    ASSERT(cuMemsetD8_v2(x, 0, 128) == 0 && cuMemsetD8_v2(y, 0, 128) == 0);
    lazy(1);
    ASSERT_EQ(0, cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL));
    ASSERT_EQ(0, cuMemcpyDtoH_v2(back, y, 128)); /* does not wait for a non-blocking stream */
    ASSERT_EQ(0.0f, back[5]);
    ASSERT_EQ(0, cuCtxSynchronize());
    ASSERT_EQ(0, cuMemcpyDtoH_v2(back, y, 128));
    ASSERT_EQ(1.0f, back[5]);
    ASSERT_EQ(0, cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, params, NULL));
    ASSERT_EQ(0, rig_found_all());
    ASSERT_EQ(700, cuCtxSynchronize());
    ASSERT_EQ(1, rig_found(FOUND_OUT_OF_BOUNDS));
    lazy(0);
    cuStreamDestroy_v2(stream);
    cuMemFree_v2(x);
    cuMemFree_v2(y);
    cuModuleUnload(module);
    rig_stop();
    ASSERT(rig_start());
    rig_reset();
    PASS();
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *content = calloc(1 << 16, 1);
    if (!file || !content || fread(content, 1, (1 << 16) - 1, file) == 0) {
        free(content);
        content = NULL;
    }
    if (file)
        fclose(file);
    return content;
}

TEST instructions_of_every_architecture(void) {
    static const char *const archs[] = {"-arch=compute_75", "-arch=compute_80", "-arch=compute_90",
                                        "-arch=compute_100", "-arch=compute_120"};
    char *wide = read_text(WIDE_SOURCE);
    ASSERT(wide);
    for (int k = 0; k < 10; k++) {
        const char *const options[] = {archs[k % 5], k < 5 ? "-ftz=false" : "-use_fast_math", NULL};
        if (k >= 5 && k % 5 % 2 == 0)
            continue; /* fast functions on every other one */
        void *module = rig_compile(wide, options);
        ASSERT(module);
        ASSERT_EQ(0, cuModuleUnload(module));
    }
    free(wide);
    ASSERT_EQ(0, rig_found_all());
    PASS();
}

SUITE(failures) {
    RUN_TEST(every_call_fails_once);
    RUN_TEST(every_call_of_the_compiler_fails_once);
    RUN_TEST(streams_that_keep_their_work);
    RUN_TEST(instructions_of_every_architecture);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    setenv("PDE_SOFT_CUDA_LOG", "soft_failures.log", 0);
    if (!rig_open())
        return SKIPPED;
    if (!load() || !rig_start())
        return 1;
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(failures);
    rig_stop();
    GREATEST_MAIN_END();
}
