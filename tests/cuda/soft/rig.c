#include "rig.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name, arguments) int(*name) arguments;
RIG_DRIVER(X)
#undef X
void (*rig_counters)(SoftCounters *, size_t);
void (*rig_reset)(void);
int (*rig_order)(const char *);

static struct {
    int (*create)(void **, const char *, const char *, int, const char *const *,
                  const char *const *);
    int (*destroy)(void **);
    int (*compile)(void *, int, const char *const *);
    int (*ptx_size)(void *, size_t *);
    int (*ptx)(void *, char *);
    int (*log_size)(void *, size_t *);
    int (*log)(void *, char *);
} nvrtc;

/* A function pointer from dlsym, in the way POSIX has it. */
static int find(void *library, const char *name, void *to) {
    void *at = dlsym(library, name);
    memcpy(to, &at, sizeof at);
    if (!at)
        fprintf(stderr, "%s is missing\n", name);
    return at != NULL;
}

static void *open_nvrtc(void) {
    const char *given = getenv("PDE_NVRTC");
    const char *names[] = {given && *given ? given : "libnvrtc.so.13", "libnvrtc.so.12",
                           "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"};
    void *library = NULL;
    for (size_t k = 0; !library && k < sizeof names / sizeof names[0]; k++)
        library = dlopen(names[k], RTLD_NOW);
    return library;
}

int rig_open_driver(void) {
    const char *path = getenv("PDE_CUDA_DRIVER");
    void *driver = dlopen(path && *path ? path : SOFT_CUDA, RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    int ok = 1;
#define X(name, arguments) ok &= find(driver, #name, &name);
    RIG_DRIVER(X)
#undef X
    ok &= find(driver, "pdeSoftCudaCounters", &rig_counters);
    ok &= find(driver, "pdeSoftCudaReset", &rig_reset);
    ok &= find(driver, "pdeSoftCudaOrder", &rig_order);
    return ok;
}

int rig_open(void) {
    void *library = open_nvrtc();
    if (!library) {
        fprintf(stderr, "skipped: no NVRTC here\n");
        return 0;
    }
    int ok = rig_open_driver();
    ok &= find(library, "nvrtcCreateProgram", &nvrtc.create);
    ok &= find(library, "nvrtcDestroyProgram", &nvrtc.destroy);
    ok &= find(library, "nvrtcCompileProgram", &nvrtc.compile);
    ok &= find(library, "nvrtcGetPTXSize", &nvrtc.ptx_size);
    ok &= find(library, "nvrtcGetPTX", &nvrtc.ptx);
    ok &= find(library, "nvrtcGetProgramLogSize", &nvrtc.log_size);
    ok &= find(library, "nvrtcGetProgramLog", &nvrtc.log);
    if (!ok)
        exit(1);
    return 1;
}

int rig_start(void) {
    void *context;
    return cuInit(0) == 0 && cuDevicePrimaryCtxRetain(&context, 0) == 0 &&
           cuCtxSetCurrent(context) == 0;
}

void rig_stop(void) {
    cuCtxSetCurrent(NULL);
    cuDevicePrimaryCtxRelease_v2(0);
}

char *rig_ptx(const char *source, const char *const *options) {
    static const char *const usual[] = {"-arch=compute_80", NULL};
    void *program;
    size_t size = 0;
    int count = 0;
    if (!options)
        options = usual;
    while (options[count])
        count++;
    if (nvrtc.create(&program, source, "kernel.cu", 0, NULL, NULL))
        return NULL;
    int failed = nvrtc.compile(program, count, options);
    if (failed && nvrtc.log_size(program, &size) == 0) {
        char *log = calloc(size + 1, 1);
        if (log && nvrtc.log(program, log) == 0)
            fprintf(stderr, "%s\n", log);
        free(log);
    }
    char *ptx = NULL;
    if (!failed && nvrtc.ptx_size(program, &size) == 0) {
        ptx = calloc(size + 1, 1);
        if (ptx && nvrtc.ptx(program, ptx) != 0) {
            free(ptx);
            ptx = NULL;
        }
    }
    nvrtc.destroy(&program);
    return ptx;
}

void *rig_compile(const char *source, const char *const *options) {
    char *ptx = rig_ptx(source, options), log[512] = "";
    void *module = NULL;
    int names[2] = {5, 6};
    void *values[2] = {log, (void *)(uintptr_t)sizeof log};
    if (ptx && cuModuleLoadDataEx(&module, ptx, 2, names, values) != 0) {
        fprintf(stderr, "%s\n", log);
        module = NULL;
    }
    free(ptx);
    return module;
}

void *rig_function(void *module, const char *name) {
    void *function = NULL;
    return module && cuModuleGetFunction(&function, module, name) == 0 ? function : NULL;
}

int rig_launch(void *function, unsigned blocks, unsigned threads, unsigned shared, ...) {
    void *params[32];
    int count = 0;
    va_list list;
    va_start(list, shared);
    while (count < 32 && (params[count] = va_arg(list, void *)) != NULL)
        count++;
    va_end(list);
    return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, NULL, params, NULL);
}

uint64_t rig_found(SoftFinding kind) {
    SoftCounters c;
    rig_counters(&c, sizeof c);
    return c.found[kind];
}

uint64_t rig_found_all(void) {
    uint64_t sum = 0;
    for (int k = 0; k < FOUND_COUNT; k++)
        sum += rig_found((SoftFinding)k);
    return sum;
}
