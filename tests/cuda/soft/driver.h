/* driver.h: types and status codes of the driver API as far as the device has them, and what driver*.c
 * and stream.c share. Declared here so that no CUDA header is needed to build. */
#ifndef SOFT_DRIVER_H
#define SOFT_DRIVER_H

#include "tests/cuda/machine/soft.h"

/* CUresult: the names of cuda.h */
#define CU_STATUSES(X)                                                                             \
    X(SUCCESS, 0, "no error")                                                                      \
    X(INVALID_VALUE, 1, "invalid argument")                                                        \
    X(OUT_OF_MEMORY, 2, "out of memory")                                                           \
    X(NOT_INITIALIZED, 3, "initialization error")                                                  \
    X(DEINITIALIZED, 4, "driver shutting down")                                                    \
    X(NO_DEVICE, 100, "no CUDA-capable device is detected")                                        \
    X(INVALID_DEVICE, 101, "invalid device ordinal")                                               \
    X(INVALID_IMAGE, 200, "device kernel image is invalid")                                        \
    X(INVALID_CONTEXT, 201, "invalid device context")                                              \
    X(NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device")          \
    X(INVALID_PTX, 218, "a PTX JIT compilation failed")                                            \
    X(UNSUPPORTED_PTX_VERSION, 222,                                                                \
      "the provided PTX was compiled with an unsupported toolchain.")                              \
    X(INVALID_HANDLE, 400, "invalid resource handle")                                              \
    X(NOT_FOUND, 500, "named symbol not found")                                                    \
    X(NOT_READY, 600, "device not ready")                                                          \
    X(ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                            \
    X(LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")                     \
    X(LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                              \
    X(MISALIGNED_ADDRESS, 716, "misaligned address")                                               \
    X(LAUNCH_FAILED, 719, "unspecified launch failure")                                            \
    X(NOT_SUPPORTED, 801, "operation not supported")                                               \
    X(STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing")         \
    X(STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to a previous error during capture")  \
    X(ILLEGAL_STATE, 401, "the operation cannot be performed in the present state")                \
    X(UNKNOWN, 999, "unknown error")
typedef enum CUresult {
#define X(name, code, text) CUDA_##name = code,
    CU_STATUSES(X)
#undef X
} CUresult;

typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct Context *CUcontext;
typedef Module *CUmodule;
typedef Function *CUfunction;
typedef struct Stream *CUstream;
typedef struct Event *CUevent;
typedef struct Graph *CUgraph, *CUgraphExec;

/* What a stream was asked to do, kept for a graph. */
typedef struct Task {
    SoftTask *run;
    void *data;
} Task;

struct Graph {
    Task *tasks;
    int count, cap;
    int live;
};

struct Stream {
    int capturing, mode, non_blocking;
    struct Graph *graph;
    struct Graph pending; /* not done yet: only with PDE_SOFT_CUDA_LAZY */
    struct Stream *next;
};

/* Counts a call. Not 0: the call is the one that is to fail, and this is its status. */
CUresult soft_call(const char *name);
CUresult soft_state(void);          /* the context's state: sticky errors */
void soft_lose_context(int status); /* a kernel failed: nothing more is possible in it */
CUresult soft_context(void);        /* is a context current */
void modules_report(void);          /* modules that were not unloaded */
void pinned_report(void);           /* page-locked memory that was not freed */
CUresult soft_submit(CUstream stream, SoftTask *task, const void *data, size_t size);
CUresult soft_wait(int for_all); /* for the blocking streams, or for all */
CUresult soft_wait_stream(CUstream stream);
int soft_capturing(void); /* a stream is capturing in a mode that forbids unsafe calls */
int stream_known(CUstream s);
int stream_objects_report(void); /* streams, events and graphs that were not destroyed */

#define CALL(name)                                                                                 \
    do {                                                                                           \
        CUresult status_ = soft_call(name);                                                        \
        if (status_)                                                                               \
            return status_;                                                                        \
        status_ = soft_state();                                                                    \
        if (status_)                                                                               \
            return status_;                                                                        \
    } while (0)
#define CALL_IN_CONTEXT(name)                                                                      \
    CALL(name);                                                                                    \
    do {                                                                                           \
        if (soft_context())                                                                        \
            return CUDA_INVALID_CONTEXT;                                                           \
    } while (0)

#endif
