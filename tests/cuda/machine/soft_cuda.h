/* soft_cuda.h: what the software CUDA device exports beside the driver API's names, for tests and
 * for the cuBLAS stand-in. */
#ifndef SOFT_CUDA_H
#define SOFT_CUDA_H

#include <stddef.h>
#include <stdint.h>

#define SOFT_API __attribute__((visibility("default")))

/* what the device may find; the names are printed */
#define SOFT_FINDINGS(X)                                                                           \
    X(OUT_OF_BOUNDS, "out of bounds")                                                              \
    X(MISALIGNED, "misaligned access")                                                             \
    X(USE_AFTER_FREE, "use after free")                                                            \
    X(UNINITIALISED, "uninitialised read")                                                         \
    X(RACE, "race in shared memory")                                                               \
    X(DIVERGED_BARRIER, "diverged barrier")                                                        \
    X(DIVERGED_WARP, "diverged warp operation")                                                    \
    X(UNSUPPORTED, "unsupported instruction")                                                      \
    X(READ_ONLY, "write to constant memory")                                                       \
    X(TRAP, "trap")                                                                                \
    X(TIMEOUT, "kernel does not end")                                                              \
    X(BAD_FREE, "free of what is not allocated")                                                   \
    X(LEAK, "leak")                                                                                \
    X(BAD_ARGUMENT, "bad argument")
typedef enum {
#define X(name, text) FOUND_##name,
    SOFT_FINDINGS(X)
#undef X
        FOUND_COUNT
} SoftFinding;

typedef struct SoftCounters {
    uint64_t calls; /* of the driver and of cuBLAS */
    uint64_t launches, blocks;
    uint64_t thread_instructions, flops;
    uint64_t read_bytes, written_bytes;     /* global memory, as the threads ask */
    uint64_t read_sectors, written_sectors; /* 32 bytes each, joined over a warp as hardware does */
    uint64_t copies, copied_bytes;          /* between host and device, or inside the device */
    uint64_t blas_calls, blas_flops, blas_read_bytes, blas_written_bytes;
    uint64_t allocations, allocated_bytes, peak_bytes;
    uint64_t graph_launches;
    uint64_t found[FOUND_COUNT];
} SoftCounters;

/* A copy of the counters since the library was loaded or since the last reset. */
SOFT_API void pdeSoftCudaCounters(SoftCounters *out, size_t size);
SOFT_API void pdeSoftCudaReset(void);
SOFT_API uint64_t pdeSoftCudaFindings(void);
/* The order of threads from now on, as PDE_SOFT_CUDA_ORDER says it; 0 if it is not one. */
SOFT_API int pdeSoftCudaOrder(const char *order);
/* The call that is to fail, as counters.calls counts (PDE_SOFT_CUDA_FAIL); 0: none. */
SOFT_API void pdeSoftCudaFail(int64_t call);
/* Whether streams keep their work until somebody waits (PDE_SOFT_CUDA_LAZY); returns what was. */
SOFT_API int pdeSoftCudaLazy(int lazy);

/* For the cuBLAS stand-in. */
typedef int SoftTask(void *data);
SOFT_API int pdeSoftCudaCall(const char *name); /* counts a call; not 0: it is to fail */
SOFT_API int pdeSoftCudaSubmit(void *stream, SoftTask *task, const void *data, size_t size);
/* Bytes of a live allocation, or NULL after a finding. reading: they must be valid;
 * rows of `width` bytes, `pitch` bytes apart. */
SOFT_API void *pdeSoftCudaMatrix(uint64_t address, size_t width, size_t rows, size_t pitch,
                                 size_t align, int reading, int writing, const char *who);
SOFT_API SoftCounters *pdeSoftCudaLiveCounters(void);
SOFT_API void pdeSoftCudaBad(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
