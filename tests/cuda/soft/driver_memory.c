/* driver_memory.c: the driver API: memory of the device and of the host, copies, fills. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

static struct {
    void **list; /* page-locked memory of the host */
    size_t *size;
    int count;
} pinned;

void pinned_report(void) {
    for (int k = 0; k < pinned.count; k++)
        finding(FOUND_LEAK, NULL, "%zu bytes of page-locked memory were not freed", pinned.size[k]);
}

SOFT_API CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size) {
    CALL_IN_CONTEXT("cuMemAlloc");
    if (!out || size == 0)
        return CUDA_INVALID_VALUE;
    if (soft_capturing())
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    if (size > settings()->memory - memory_used())
        return CUDA_OUT_OF_MEMORY;
    Allocation *a = memory_alloc(size, 0);
    if (!a)
        return CUDA_OUT_OF_MEMORY;
    *out = a->address;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuMemFree_v2(CUdeviceptr address) {
    CUresult failed = soft_call("cuMemFree");
    if (address == 0)
        return failed;
    soft_wait(1);
    char text[256];
    if (!memory_free(address)) {
        finding(FOUND_BAD_FREE, NULL, "%s", memory_describe(address, 0, text, sizeof text));
        return CUDA_INVALID_VALUE;
    }
    return failed ? failed : soft_state();
}

SOFT_API CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
    CALL_IN_CONTEXT("cuMemGetInfo");
    *total = settings()->memory;
    *available = settings()->memory - memory_used();
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuMemAllocHost_v2(void **out, size_t size) {
    CALL_IN_CONTEXT("cuMemAllocHost");
    void **list = realloc(pinned.list, (size_t)(pinned.count + 1) * sizeof *list);
    if (list)
        pinned.list = list;
    size_t *sizes = realloc(pinned.size, (size_t)(pinned.count + 1) * sizeof *sizes);
    if (sizes)
        pinned.size = sizes;
    *out = list && sizes ? malloc(size ? size : 1) : NULL;
    if (!*out)
        return CUDA_OUT_OF_MEMORY;
    memset(*out, 0xFF, size);
    pinned.list[pinned.count] = *out;
    pinned.size[pinned.count++] = size;
    return CUDA_SUCCESS;
}

static int is_pinned(const void *p) {
    for (int k = 0; k < pinned.count; k++)
        if ((const char *)p >= (char *)pinned.list[k] &&
            (const char *)p < (char *)pinned.list[k] + pinned.size[k])
            return 1;
    return 0;
}

SOFT_API CUresult cuMemHostAlloc(void **out, size_t size, unsigned flags) {
    (void)flags;
    return cuMemAllocHost_v2(out, size);
}

SOFT_API CUresult cuMemFreeHost(void *p) {
    CUresult failed = soft_call("cuMemFreeHost");
    soft_wait(1);
    for (int k = 0; k < pinned.count; k++) {
        if (pinned.list[k] != p)
            continue;
        pinned.list[k] = pinned.list[--pinned.count];
        pinned.size[k] = pinned.size[pinned.count];
        free(p);
        return failed;
    }
    finding(FOUND_BAD_FREE, NULL, "cuMemFreeHost of what cuMemAllocHost did not give");
    return CUDA_INVALID_VALUE;
}

typedef struct Copy {
    void *to, *from; /* of the host */
    uint64_t to_device, from_device;
    size_t size;
    int set; /* bytes of the value of a fill; 0: a copy */
    uint32_t value;
} Copy;

static Allocation *range(uint64_t address, size_t size, const char *what) {
    char text[256];
    Allocation *a = memory_live(address, size);
    if (!a) {
        Allocation *near = memory_find(address);
        int freed = near && near->freed && address - near->address < near->size;
        finding(freed ? FOUND_USE_AFTER_FREE : FOUND_OUT_OF_BOUNDS, NULL, "%s: %s", what,
                memory_describe(address, size, text, sizeof text));
    }
    return a;
}

static int do_fill(const Copy *c) {
    Allocation *a = range(c->to_device, c->size, "cuMemset");
    if (!a)
        return CUDA_INVALID_VALUE;
    unsigned char *at = a->bytes + (c->to_device - a->address);
    for (size_t k = 0; k < c->size; k += (size_t)c->set)
        memcpy(at + k, &c->value, (size_t)c->set);
    memory_mark(a, c->to_device - a->address, c->size);
    return 0;
}

static int do_copy(void *data) {
    Copy *c = data;
    Allocation *to = NULL, *from = NULL;
    if (c->set)
        return do_fill(c);
    if ((c->to_device && !(to = range(c->to_device, c->size, "copy to the device"))) ||
        (c->from_device && !(from = range(c->from_device, c->size, "copy from the device"))))
        return CUDA_INVALID_VALUE;
    size_t at = to ? c->to_device - to->address : 0,
           offset = from ? c->from_device - from->address : 0;
    if (from && !to && !memory_is_valid(from, offset, c->size)) {
        char text[256];
        finding(FOUND_UNINITIALISED, NULL, "copy to the host: %s",
                memory_describe(c->from_device, c->size, text, sizeof text));
    }
    memmove(to ? to->bytes + at : c->to, from ? from->bytes + offset : c->from, c->size);
    if (to && from)
        memory_copy_valid(to, at, from, offset, c->size);
    else if (to)
        memory_mark(to, at, c->size);
    soft_counters.copies++;
    soft_counters.copied_bytes += c->size;
    return 0;
}

static CUresult copy(const char *name, CUstream stream, int async, Copy c) {
    CALL_IN_CONTEXT(name);
    if (c.size == 0)
        return CUDA_SUCCESS;
    if ((!c.to && !c.to_device) || (!c.from && !c.from_device && !c.set))
        return CUDA_INVALID_VALUE;
    if (!async && soft_capturing())
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    CUresult status = soft_submit(stream, do_copy, &c, sizeof c);
    /* ordinary memory of the host is copied before the call returns */
    int pageable = !c.set && !((c.to && is_pinned(c.to)) || (c.from && is_pinned(c.from)) ||
                               (!c.to && !c.from));
    return status ? status : !async || pageable ? soft_wait_stream(stream) : CUDA_SUCCESS;
}

#define COPIES(suffix, async, ...)                                                                 \
    SOFT_API CUresult cuMemcpyHtoD##suffix(CUdeviceptr to, const void *from,                       \
                                           size_t n __VA_ARGS__) {                                 \
        return copy("cuMemcpyHtoD" #suffix, stream_##async, async,                                 \
                    (Copy){.to_device = to, .from = (void *)from, .size = n});                     \
    }                                                                                              \
    SOFT_API CUresult cuMemcpyDtoH##suffix(void *to, CUdeviceptr from, size_t n __VA_ARGS__) {     \
        return copy("cuMemcpyDtoH" #suffix, stream_##async, async,                                 \
                    (Copy){.to = to, .from_device = from, .size = n});                             \
    }                                                                                              \
    SOFT_API CUresult cuMemcpyDtoD##suffix(CUdeviceptr to, CUdeviceptr from,                       \
                                           size_t n __VA_ARGS__) {                                 \
        return copy("cuMemcpyDtoD" #suffix, stream_##async, async,                                 \
                    (Copy){.to_device = to, .from_device = from, .size = n});                      \
    }
#define stream_0 NULL
#define COMMA ,
COPIES(_v2, 0, )
COPIES(Async_v2, 1, COMMA CUstream stream_1)

#define FILLS(name, async, T, bytes, ...)                                                          \
    SOFT_API CUresult name(CUdeviceptr to, T value, size_t n __VA_ARGS__) {                        \
        return copy(#name, stream_##async, async,                                                  \
                    (Copy){.to_device = to, .size = n * bytes, .set = bytes, .value = value});     \
    }
FILLS(cuMemsetD8_v2, 0, unsigned char, 1, )
FILLS(cuMemsetD32_v2, 0, unsigned, 4, )
FILLS(cuMemsetD8Async, 1, unsigned char, 1, COMMA CUstream stream_1)
FILLS(cuMemsetD32Async, 1, unsigned, 4, COMMA CUstream stream_1)
