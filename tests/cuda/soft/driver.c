/* driver.c: the driver API: device, contexts, modules, launches. Streams, events and graphs are in
 * stream.c, memory in driver_memory.c. Names with another meaning in their oldest version (cuMemAlloc with 32-bit
 * addresses, say) are exported in the version that cuda.h names, and only in that. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>

struct Context {
    int device, primary, users, live;
};

static struct {
    int initialised;
    struct Context primary[16];
    int sticky; /* a kernel failed: the context is lost */
    Module **modules;
    int nmodules, modules_cap;
    int contexts;
} driver;
static _Thread_local struct {
    CUcontext stack[64]; /* contexts are current in a thread */
    int depth;
} mine;

/* ---- failing on demand --------------------------------------------------------------------------------*/
static CUresult fitting(const char *name) {
    static const struct {
        const char *part;
        CUresult status;
    } table[] = {{"cuInit", CUDA_NO_DEVICE},
                 {"cuMemAlloc", CUDA_OUT_OF_MEMORY},
                 {"cuModuleLoad", CUDA_INVALID_PTX},
                 {"cuModuleGet", CUDA_NOT_FOUND},
                 {"cuLaunch", CUDA_LAUNCH_FAILED},
                 {"Synchronize", CUDA_LAUNCH_FAILED},
                 {"cuMemcpy", CUDA_LAUNCH_FAILED},
                 {"cuMemset", CUDA_LAUNCH_FAILED},
                 {"Create", CUDA_OUT_OF_MEMORY},
                 {"Retain", CUDA_OUT_OF_MEMORY},
                 {"Instantiate", CUDA_OUT_OF_MEMORY},
                 {"cuGraphLaunch", CUDA_LAUNCH_FAILED},
                 {"Capture", CUDA_STREAM_CAPTURE_INVALIDATED},
                 {"cublas", CUDA_LAUNCH_FAILED}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        if (strstr(name, table[k].part))
            return table[k].status;
    return CUDA_UNKNOWN;
}

CUresult soft_call(const char *name) {
    const Settings *s = settings();
    int64_t serial = (int64_t)++soft_counters.calls;
    if (s->trace)
        fprintf(soft_output(), "soft-cuda: call %lld %s\n", (long long)serial, name);
    if (s->fail_at == 0 || serial < s->fail_at || serial >= s->fail_at + s->fail_count)
        return CUDA_SUCCESS;
    fprintf(soft_output(), "soft-cuda: call %lld, %s, fails as asked\n", (long long)serial, name);
    return fitting(name);
}

int pdeSoftCudaCall(const char *name) {
    return (int)soft_call(name);
}

CUresult soft_state(void) {
    if (!driver.initialised)
        return CUDA_NOT_INITIALIZED;
    return (CUresult)driver.sticky;
}

CUresult soft_context(void) {
    CUcontext c = mine.depth ? mine.stack[mine.depth - 1] : NULL;
    return c && c->live ? CUDA_SUCCESS : CUDA_INVALID_CONTEXT;
}

/* ---- device ----------------------------------------------------------------------------------------------*/
SOFT_API CUresult cuInit(unsigned flags) {
    CUresult failed = soft_call("cuInit");
    if (failed)
        return failed;
    if (flags)
        return CUDA_INVALID_VALUE;
    if (settings()->devices < 1)
        return CUDA_NO_DEVICE;
    driver.initialised = 1;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuDriverGetVersion(int *version) {
    CUresult failed = soft_call("cuDriverGetVersion");
    *version = settings()->driver_version;
    return failed;
}

SOFT_API CUresult cuDeviceGetCount(int *count) {
    CALL("cuDeviceGetCount");
    *count = settings()->devices;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    CALL("cuDeviceGet");
    if (ordinal < 0 || ordinal >= settings()->devices)
        return CUDA_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuDeviceGetName(char *name, int room, CUdevice device) {
    CALL("cuDeviceGetName");
    if (!name || room < 1 || device < 0 || device >= settings()->devices)
        return CUDA_INVALID_VALUE;
    snprintf(name, (size_t)room, "software device %d (PTX interpreter, %s)", device, alu_variant());
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    CALL("cuDeviceTotalMem");
    if (device < 0 || device >= settings()->devices)
        return CUDA_INVALID_DEVICE;
    *bytes = settings()->memory;
    return CUDA_SUCCESS;
}

typedef struct CUuuid {
    char bytes[16];
} CUuuid;

SOFT_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    CALL("cuDeviceGetUuid");
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, "soft-cuda", 9);
    uuid->bytes[15] = (char)device;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
    return cuDeviceGetUuid_v2(uuid, device);
}

/* Numbers of an A100, whose instruction set it takes by default. */
SOFT_API CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    static const struct {
        int attribute, value;
    } table[] = {{1, 1024},        {2, 1024},      {3, 1024},     {4, 64},     {5, 2147483647},
                 {6, 65535},       {7, 65535},     {8, 49152},    {9, 65536},  {10, 32},
                 {11, 2147483647}, {12, 65536},    {13, 1410000}, {14, 512},   {16, 108},
                 {17, 0},          {18, 0},        {19, 1},       {20, 0},     {31, 1},
                 {32, 1},          {33, 1},        {34, 0},       {35, 0},     {36, 1215000},
                 {37, 5120},       {38, 41943040}, {39, 2048},    {40, 3},     {41, 1},
                 {50, 0},          {78, 1},        {81, 167936},  {82, 65536}, {83, 0},
                 {95, 1},          {97, 166912},   {106, 32},     {111, 1024}, {115, 0}};
    CALL("cuDeviceGetAttribute");
    int arch = settings()->compute_capability;
    if (!value || device < 0 || device >= settings()->devices)
        return CUDA_INVALID_VALUE;
    *value = 0;
    if (attribute == 75 || attribute == 76) {
        *value = attribute == 75 ? arch / 10 : arch % 10;
        return CUDA_SUCCESS;
    }
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        if (table[k].attribute == attribute)
            *value = table[k].value;
    return CUDA_SUCCESS;
}

/* ---- contexts ----------------------------------------------------------------------------------------------*/
static void end_of_contexts(void) {
    memory_report_leaks();
    stream_objects_report();
    for (int k = 0; k < driver.nmodules; k++)
        finding(FOUND_LEAK, NULL, "a module was not unloaded");
    pinned_report();
    driver.nmodules = 0;
}

static void end_context(CUcontext c) {
    soft_wait(1);
    c->live = 0;
    for (int k = mine.depth - 1; k >= 0; k--)
        if (mine.stack[k] == c)
            memmove(mine.stack + k, mine.stack + k + 1,
                    (size_t)(--mine.depth - k) * sizeof mine.stack[0]);
    if (--driver.contexts == 0) {
        end_of_contexts();
        driver.sticky = 0; /* a new context begins anew */
    }
}

SOFT_API CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
    CALL("cuDevicePrimaryCtxRetain");
    if (device < 0 || device >= settings()->devices || device >= 16)
        return CUDA_INVALID_DEVICE;
    struct Context *c = &driver.primary[device];
    if (c->users++ == 0) {
        *c = (struct Context){device, 1, 1, 1};
        driver.contexts++;
    }
    *out = c;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    CUresult failed = soft_call("cuDevicePrimaryCtxRelease");
    if (device < 0 || device >= 16 || driver.primary[device].users < 1)
        return CUDA_INVALID_CONTEXT;
    if (--driver.primary[device].users == 0)
        end_context(&driver.primary[device]);
    return failed;
}

SOFT_API CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    return cuDevicePrimaryCtxRelease_v2(device);
}

SOFT_API CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device) {
    CALL("cuCtxCreate");
    (void)flags;
    if (device < 0 || device >= settings()->devices)
        return CUDA_INVALID_DEVICE;
    CUcontext c = calloc(1, sizeof *c);
    if (!c || mine.depth == 64)
        return CUDA_OUT_OF_MEMORY;
    *c = (struct Context){device, 0, 1, 1};
    driver.contexts++;
    mine.stack[mine.depth++] = c;
    *out = c;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuCtxDestroy_v2(CUcontext c) {
    CUresult failed = soft_call("cuCtxDestroy");
    if (!c || !c->live || c->primary)
        return CUDA_INVALID_CONTEXT;
    end_context(c);
    free(c);
    return failed;
}

SOFT_API CUresult cuCtxSetCurrent(CUcontext c) {
    CUresult failed = soft_call("cuCtxSetCurrent"); /* possible in a lost context */
    if (failed || !driver.initialised)
        return failed ? failed : CUDA_NOT_INITIALIZED;
    if (mine.depth)
        mine.depth--;
    if (c)
        mine.stack[mine.depth++] = c;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuCtxGetCurrent(CUcontext *c) {
    CALL("cuCtxGetCurrent");
    *c = mine.depth ? mine.stack[mine.depth - 1] : NULL;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuCtxPushCurrent_v2(CUcontext c) {
    CALL("cuCtxPushCurrent");
    if (!c || mine.depth == 64)
        return CUDA_INVALID_CONTEXT;
    mine.stack[mine.depth++] = c;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuCtxPopCurrent_v2(CUcontext *c) {
    CUresult failed = soft_call("cuCtxPopCurrent");
    if (mine.depth == 0)
        return CUDA_INVALID_CONTEXT;
    mine.depth--;
    if (c)
        *c = mine.stack[mine.depth];
    return failed;
}

SOFT_API CUresult cuCtxGetDevice(CUdevice *device) {
    CALL_IN_CONTEXT("cuCtxGetDevice");
    *device = mine.stack[mine.depth - 1]->device;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuCtxSynchronize(void) {
    CALL_IN_CONTEXT("cuCtxSynchronize");
    return soft_capturing() ? CUDA_STREAM_CAPTURE_UNSUPPORTED : soft_wait(1);
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
    if (driver.nmodules == driver.modules_cap) {
        driver.modules_cap = driver.modules_cap ? 2 * driver.modules_cap : 16;
        driver.modules = realloc(driver.modules, (size_t)driver.modules_cap * sizeof(Module *));
    }
    driver.modules[driver.nmodules++] = m;
    *out = m;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuModuleLoadData(CUmodule *out, const void *image) {
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

static int module_index(CUmodule m) {
    for (int k = 0; k < driver.nmodules; k++)
        if (driver.modules[k] == m)
            return k;
    return -1;
}

SOFT_API CUresult cuModuleUnload(CUmodule m) {
    CUresult failed = soft_call("cuModuleUnload");
    int k = module_index(m);
    if (k < 0)
        return CUDA_INVALID_HANDLE;
    soft_wait(1);
    driver.modules[k] = driver.modules[--driver.nmodules];
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
        driver.sticky = status;
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

/* ---- the rest -------------------------------------------------------------------------------------------*/
static const struct {
    int code;
    const char *name, *text;
} statuses[] = {
#define X(name, code, text) {code, "CUDA_ERROR_" #name, text},
    CU_STATUSES(X)
#undef X
};

SOFT_API CUresult cuGetErrorName(CUresult status, const char **text) {
    for (size_t k = 0; k < sizeof statuses / sizeof statuses[0]; k++)
        if (statuses[k].code == (int)status) {
            *text = status ? statuses[k].name : "CUDA_SUCCESS";
            return CUDA_SUCCESS;
        }
    *text = NULL;
    return CUDA_INVALID_VALUE;
}

SOFT_API CUresult cuGetErrorString(CUresult status, const char **text) {
    for (size_t k = 0; k < sizeof statuses / sizeof statuses[0]; k++)
        if (statuses[k].code == (int)status) {
            *text = statuses[k].text;
            return CUDA_SUCCESS;
        }
    *text = NULL;
    return CUDA_INVALID_VALUE;
}

/* NVRTC asks for private tables and takes no for an answer, but the name must be there. */
SOFT_API CUresult cuGetExportTable(const void **table, const CUuuid *id) {
    (void)id;
    if (table)
        *table = NULL;
    return CUDA_NOT_FOUND;
}

/* By the name without a version, as the driver does: the newest that is here. */
SOFT_API CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                                      int *status) {
    CUresult failed = soft_call("cuGetProcAddress");
    (void)version, (void)flags;
    if (failed)
        return failed;
    static const char *const suffixes[] = {"_v4", "_v3", "_v2", ""};
    Dl_info self;
    void *handle = dladdr((void *)(uintptr_t)&cuInit, &self)
                       ? dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                       : NULL;
    *out = NULL;
    for (size_t k = 0; handle && !*out && k < sizeof suffixes / sizeof suffixes[0]; k++) {
        char name[256];
        snprintf(name, sizeof name, "%s%s", symbol, suffixes[k]);
        *out = dlsym(handle, name);
    }
    if (handle)
        dlclose(handle);
    if (status)
        *status = *out ? 0 : 1;
    return *out ? CUDA_SUCCESS : CUDA_NOT_FOUND;
}

/* Counters go to the file that PDE_SOFT_CUDA_STATS names, one "name value" in a line. */
static void write_stats(const char *path) {
    FILE *out = fopen(path, "w");
    if (!out)
        return;
    const SoftCounters *c = &soft_counters;
#define LINE(field) fprintf(out, #field " %llu\n", (unsigned long long)c->field)
    LINE(calls);
    LINE(launches);
    LINE(blocks);
    LINE(thread_instructions);
    LINE(flops);
    LINE(read_bytes);
    LINE(written_bytes);
    LINE(read_sectors);
    LINE(written_sectors);
    LINE(copies);
    LINE(copied_bytes);
    LINE(blas_calls);
    LINE(blas_flops);
    LINE(blas_read_bytes);
    LINE(blas_written_bytes);
    LINE(allocations);
    LINE(allocated_bytes);
    LINE(peak_bytes);
    LINE(graph_launches);
#undef LINE
    fprintf(out, "findings %llu\n", (unsigned long long)pdeSoftCudaFindings());
    fclose(out);
}

__attribute__((destructor)) static void at_end(void) {
    if (driver.contexts > 0) {
        soft_wait(1);
        end_of_contexts();
    }
    const char *path = getenv("PDE_SOFT_CUDA_STATS");
    if (path && *path)
        write_stats(path);
}
