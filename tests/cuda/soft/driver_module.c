/* driver_module.c: the driver API: modules, the kernels in them, their launches. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

static Module **modules;
static int nmodules, modules_cap;

void modules_report(void) {
    for (int k = 0; k < nmodules; k++)
        finding(FOUND_LEAK, NULL, "a module was not unloaded");
    nmodules = 0;
}

/* ---- modules --------------------------------------------------------------------------------------------*/
/* CU_JIT_ERROR_LOG_BUFFER and its size */
static void error_log(unsigned count, const int *options, void **values, const char *text) {
    char *buffer = NULL;
    size_t room = 0;
    for (unsigned k = 0; k < count; k++) {
        if (options[k] == 5)
            buffer = values[k];
        if (options[k] == 6)
            room = (size_t)(uintptr_t)values[k];
    }
    if (buffer && room)
        snprintf(buffer, room, "%s", text);
}

SOFT_API CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, int *options,
                                     void **values) {
    CALL_IN_CONTEXT("cuModuleLoadData");
    const char *text = image;
    if (!text || !out)
        return CUDA_INVALID_VALUE;
    if (memcmp(text, "\177ELF", 4) == 0 || memcmp(text, "\x50\xed\x55\xba", 4) == 0) {
        error_log(count, options, values, "the software device takes PTX, not binaries");
        return CUDA_NO_BINARY_FOR_GPU;
    }
    char *message;
    Module *m = ptx_parse(text, strlen(text), &message);
    if (!m) {
        finding(FOUND_UNSUPPORTED, NULL, "%s", message ? message : "out of memory");
        error_log(count, options, values, message ? message : "out of memory");
        free(message);
        return CUDA_INVALID_PTX;
    }
    if (nmodules == modules_cap) {
        modules_cap = modules_cap ? 2 * modules_cap : 16;
        modules = realloc(modules, (size_t)modules_cap * sizeof(Module *));
    }
    modules[nmodules++] = m;
    *out = m;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuModuleLoadData(CUmodule *out, const void *image) {
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

static int module_index(CUmodule m) {
    for (int k = 0; k < nmodules; k++)
        if (modules[k] == m)
            return k;
    return -1;
}

SOFT_API CUresult cuModuleUnload(CUmodule m) {
    CUresult failed = soft_call("cuModuleUnload");
    int k = module_index(m);
    if (k < 0)
        return CUDA_INVALID_HANDLE;
    soft_wait(1);
    modules[k] = modules[--nmodules];
    run_forget(m);
    ptx_free(m);
    return failed;
}

SOFT_API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name) {
    CALL_IN_CONTEXT("cuModuleGetFunction");
    if (module_index(m) < 0)
        return CUDA_INVALID_HANDLE;
    Function *f = ptx_function(m, name);
    if (!f || !f->is_entry)
        return CUDA_NOT_FOUND;
    *out = f;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule m,
                                       const char *name) {
    CALL_IN_CONTEXT("cuModuleGetGlobal");
    if (module_index(m) < 0)
        return CUDA_INVALID_HANDLE;
    Variable *v = ptx_variable(m, name, NULL);
    if (!v || v->space != SPACE_GLOBAL)
        return CUDA_NOT_FOUND;
    if (address)
        *address = v->address;
    if (size)
        *size = v->size;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction f) {
    CALL("cuFuncGetAttribute");
    switch (attribute) {
    case 0:
        *value = f->max_threads;
        break;
    case 1:
        *value = (int)f->shared_bytes;
        break;
    case 3:
        *value = (int)f->lane_bytes;
        break;
    case 4:
        *value = f->registers < 255 ? f->registers : 255;
        break;
    case 5:
    case 6:
        *value = settings()->compute_capability;
        break;
    case 8:
        *value = f->dynamic_limit;
        break;
    default:
        *value = 0;
    }
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuFuncSetAttribute(CUfunction f, int attribute, int value) {
    CALL("cuFuncSetAttribute");
    if (attribute != 8)
        return attribute == 9 ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (value < 0 || (unsigned)value + f->shared_bytes > 166912)
        return CUDA_INVALID_VALUE;
    f->dynamic_limit = value;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuFuncSetCacheConfig(CUfunction f, int config) {
    CALL("cuFuncSetCacheConfig");
    (void)f, (void)config;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f,
                                                              int threads, size_t dynamic) {
    CALL("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    if (threads < 1 || threads > f->max_threads)
        return CUDA_INVALID_VALUE;
    int by_threads = 2048 / ((threads + 31) / 32 * 32);
    size_t shared = f->shared_bytes + dynamic + 1024;
    int by_shared = (int)(167936 / shared);
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    if (*blocks > 32)
        *blocks = 32;
    return CUDA_SUCCESS;
}

/* ---- launches -------------------------------------------------------------------------------------------*/
typedef struct Queued {
    Launch launch;
    unsigned char params[];
} Queued;

static int do_launch(void *data) {
    Queued *q = data;
    q->launch.params = q->params;
    if (module_index(q->launch.kernel->module) < 0) {
        finding(FOUND_BAD_ARGUMENT, NULL, "a launch of a kernel whose module was unloaded");
        return CUDA_INVALID_HANDLE;
    }
    int status = run_grid(&q->launch);
    if (status)
        soft_lose_context(status);
    return status;
}

/* The parameters one behind another, from either form of the call. */
static CUresult pack(const Function *f, unsigned char *to, void **params, void **extra) {
    if (f->nparams == 0)
        return CUDA_SUCCESS;
    if (params) {
        for (int k = 0; k < f->nparams; k++) {
            if (!params[k])
                return CUDA_INVALID_VALUE;
            memcpy(to + f->params[k].offset, params[k], f->params[k].size);
        }
        return CUDA_SUCCESS;
    }
    const void *buffer = NULL;
    size_t size = 0;
    for (int k = 0; extra && extra[k]; k += 2) {
        if (extra[k] == (void *)1)
            buffer = extra[k + 1];
        if (extra[k] == (void *)2)
            size = *(size_t *)extra[k + 1];
    }
    if (!buffer || size < f->param_bytes)
        return CUDA_INVALID_VALUE;
    memcpy(to, buffer, f->param_bytes);
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                 unsigned by, unsigned bz, unsigned dynamic, CUstream stream,
                                 void **params, void **extra) {
    CALL_IN_CONTEXT("cuLaunchKernel");
    if (!f || !gx || !gy || !gz || !bx || !by || !bz || gy > 65535 || gz > 65535 ||
        gx > 2147483647u || bx > 1024 || by > 1024 || bz > 64 ||
        (uint64_t)bx * by * bz > (uint64_t)f->max_threads || dynamic > (unsigned)f->dynamic_limit ||
        dynamic + f->shared_bytes > 166912) {
        finding(FOUND_BAD_ARGUMENT, NULL,
                "launch of %s: grid (%u,%u,%u), block (%u,%u,%u), %u bytes shared",
                f ? f->name : "nothing", gx, gy, gz, bx, by, bz, dynamic);
        return CUDA_INVALID_VALUE;
    }
    Queued *q = calloc(1, sizeof *q + f->param_bytes);
    if (!q)
        return CUDA_OUT_OF_MEMORY;
    q->launch = (Launch){f, {gx, gy, gz}, {bx, by, bz}, dynamic, NULL};
    CUresult status = pack(f, q->params, params, extra);
    if (!status)
        status = soft_submit(stream, do_launch, q, sizeof *q + f->param_bytes);
    free(q);
    return status;
}
