/* driver.c: the driver API: device and contexts. Modules and launches are in driver_module.c, streams, events and
 * graphs in stream.c, memory in driver_memory.c. Names with another meaning in their oldest version (cuMemAlloc with 32-bit
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

void soft_lose_context(int status) {
    driver.sticky = status;
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
    modules_report();
    pinned_report();
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
