/* api.c: finding NVIDIA's libraries and the functions in them. */
#define _GNU_SOURCE /* RTLD_NODELETE */
#include "cuda/device/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct LibraryRow {
    const char *environment, *names;
    int minimum;
    const char *what;
} LibraryRow;

static const LibraryRow library_row[] = {
#define CUDA_LIBRARY(id, environment, names, minimum, what) {environment, names, minimum, what},
#include "cuda/device/api.def"
#undef CUDA_LIBRARY
};

typedef struct FunctionRow {
    CudaLibrary library;
    const char *symbol;
    size_t offset;
    bool required;
} FunctionRow;

enum { NEED_OPTIONAL = 0, NEED_REQUIRED = 1 };
static const FunctionRow function_row[] = {
#define CUDA_FUNCTION(library, field, symbol, need, parameters)                                    \
    {CUDA_##library, #symbol, offsetof(CudaApi, field), NEED_##need},
#include "cuda/device/api.def"
#undef CUDA_FUNCTION
};
enum { FUNCTION_ROWS = (int)(sizeof function_row / sizeof function_row[0]) };

/* Where toolkits live when the dynamic linker does not know them; "$NAME" is of the environment. */
static const char *const folder[] = {"$CUDA_HOME/lib64",      "$CUDA_PATH/lib64",
                                     "/usr/local/cuda/lib64", "/opt/cuda/lib64",
                                     "/usr/lib/wsl/lib",      "/usr/lib/cuda/lib64"};
enum { FOLDERS = (int)(sizeof folder / sizeof folder[0]), PATH_SIZE = 4096 };

static Status missing_status(CudaLibrary library) {
    return library == CUDA_DRIVER ? STATUS_NO_DEVICE : STATUS_CUDA_LIBRARY;
}

/* NODELETE: the driver keeps threads of its own, so that its code must stay. */
static void *open_file(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void *open_in_folder(const char *where, const char *name) {
    char path[PATH_SIZE], variable[32];
    const char *rest = strchr(where, '/'), *base = "";
    if (where[0] == '$') {
        snprintf(variable, sizeof variable, "%.*s", (int)(rest - where - 1), where + 1);
        base = getenv(variable);
        if (!base || base[0] != '/')
            return NULL;
    }
    int n = snprintf(path, sizeof path, "%s%s/%s", base, rest, name);
    return n > 0 && n < PATH_SIZE ? open_file(path) : NULL;
}

static void *open_name(const char *name) {
    void *handle = open_file(name);
    for (int k = 0; k < FOLDERS && !handle; k++)
        handle = open_in_folder(folder[k], name);
    return handle;
}

static Status open_library(CudaApi *api, CudaLibrary library, Error *error) {
    const LibraryRow *row = &library_row[library];
    const char *given = getenv(row->environment), *next = row->names;
    if (given && given[0]) {
        api->handle[library] = open_file(given);
        if (!api->handle[library])
            return error_set(error, missing_status(library), "%s (%s): %s", row->environment,
                             row->what, dlerror());
        return STATUS_OK;
    }
    while (*next && !api->handle[library]) {
        char name[64];
        size_t n = strcspn(next, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, next);
        api->handle[library] = open_name(name);
        next += n + (next[n] == ' ');
    }
    if (api->handle[library])
        return STATUS_OK;
    return error_set(error, missing_status(library), "%s is not on this machine (%s)", row->what,
                     row->names);
}

/* dlsym gives an object pointer; POSIX promises that its bytes are the function's. */
static Status find_functions(CudaApi *api, CudaLibrary library, Error *error) {
    for (int k = 0; k < FUNCTION_ROWS; k++) {
        const FunctionRow *row = &function_row[k];
        if (row->library != library)
            continue;
        void *function = dlsym(api->handle[library], row->symbol);
        if (!function && row->required)
            return error_set(error, missing_status(library), "%s is too old: it has no %s",
                             library_row[library].what, row->symbol);
        memcpy((char *)api + row->offset, &function, sizeof function);
    }
    return STATUS_OK;
}

/* cuBLAS tells its version only to a handle, and that needs a device: having the functions is
 * enough. */
static CudaResult library_version(const CudaApi *api, CudaLibrary library, int *version) {
    int major = 0, minor = 0;
    CudaResult result = 0;
    switch (library) {
    case CUDA_DRIVER:
        return api->cuDriverGetVersion(version);
    case CUDA_NVRTC:
        result = api->nvrtcVersion(&major, &minor);
        *version = major * 1000 + minor * 10;
        return result;
    case CUDA_NCCL:
        return api->ncclGetVersion(version);
    case CUDA_CUBLAS:
    case CUDA_LIBRARY_COUNT:
        break;
    }
    *version = library_row[CUDA_CUBLAS].minimum;
    return result;
}

static Status check_version(const CudaApi *api, CudaLibrary library, Error *error) {
    int version = 0, minimum = library_row[library].minimum;
    CudaResult result = library_version(api, library, &version);
    if (result != 0)
        return cuda_status(api, library, result, "asking for the version", error);
    if (version >= minimum)
        return STATUS_OK;
    return error_set(error, missing_status(library), "%s is too old: version %d, and %d is needed",
                     library_row[library].what, version, minimum);
}

static void close_one(CudaApi *api, CudaLibrary library) {
    if (api->handle[library])
        dlclose(api->handle[library]);
    api->handle[library] = NULL;
    for (int k = 0; k < FUNCTION_ROWS; k++)
        if (function_row[k].library == library)
            memset((char *)api + function_row[k].offset, 0, sizeof(void *));
}

Status cuda_open(CudaApi *api, CudaLibrary library, Error *error) {
    if (api->handle[library])
        return STATUS_OK;
    Status status = open_library(api, library, error);
    if (status == STATUS_OK)
        status = find_functions(api, library, error);
    if (status == STATUS_OK)
        status = check_version(api, library, error);
    if (status != STATUS_OK)
        close_one(api, library);
    return status;
}

void cuda_close(CudaApi *api) {
    for (int k = 0; k < CUDA_LIBRARY_COUNT; k++)
        close_one(api, (CudaLibrary)k);
}

Status cuda_status(const CudaApi *api, CudaLibrary library, CudaResult result, const char *function,
                   Error *error) {
    if (result == 0)
        return STATUS_OK;
    bool memory = (library == CUDA_DRIVER && result == CUDA_OUT_OF_MEMORY) ||
                  (library == CUDA_CUBLAS && result == CUBLAS_ALLOC_FAILED);
    Status status = memory ? STATUS_OUT_OF_MEMORY : STATUS_DEVICE_FAILED;
    const char *name = NULL, *text = NULL;
    if (library == CUDA_DRIVER && api->cuGetErrorName(result, &name) == 0 && name &&
        api->cuGetErrorString(result, &text) == 0 && text)
        return error_set(error, status, "%s: %s (%s)", function, text, name);
    return error_set(error, status, "%s: %s returned %u", function, library_row[library].what,
                     result);
}
