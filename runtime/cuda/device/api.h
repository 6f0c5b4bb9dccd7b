/* api.h: NVIDIA's libraries, opened by name when they are wanted and never needed to build.
 *
 * A CudaApi holds the entry points of api.def. A library that is absent, too old or incomplete is
 * an ordinary status with the reason. The software device of the tests, or any other replacement,
 * takes the place of a library through its environment variable. */
#ifndef PDE_RUNTIME_CUDA_DEVICE_API_H
#define PDE_RUNTIME_CUDA_DEVICE_API_H

#include "files/status.h"

#include <stddef.h>
#include <stdint.h>

/* Numbers of these types are those of NVIDIA's headers. */
typedef unsigned CudaResult;
typedef int CudaDevice;
typedef unsigned long long CudaPointer; /* in the device's memory */
typedef struct CUctx_st *CudaContext;
typedef struct CUmod_st *CudaModule;
typedef struct CUfunc_st *CudaFunction;
typedef struct CUstream_st *CudaStream;
typedef struct CUevent_st *CudaEvent;
typedef struct CUgraph_st *CudaGraph;
typedef struct CUgraphExec_st *CudaGraphExec;
typedef unsigned CudaDeviceAttribute, CudaFunctionAttribute, CudaJitOption, CudaCaptureMode;
typedef struct _nvrtcProgram *NvrtcProgram;
typedef struct cublasContext *CublasHandle;
typedef unsigned CublasOperation, CublasMathMode, CublasType, CublasCompute;
typedef int CublasAlgorithm;
typedef struct ncclComm *NcclComm;
typedef struct NcclUniqueId {
    char internal[128];
} NcclUniqueId;
typedef unsigned NcclType, NcclOperation;

enum {
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_JIT_INFO_LOG = 3,
    CUDA_JIT_INFO_LOG_BYTES = 4,
    CUDA_JIT_ERROR_LOG = 5,
    CUDA_JIT_ERROR_LOG_BYTES = 6,
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_DISABLE_TIMING = 2,
    CUDA_CAPTURE_RELAXED = 2,
    CUBLAS_ALLOC_FAILED = 3,
    CUBLAS_MATH_DEFAULT = 0,
    CUBLAS_MATH_TF32 = 3,
    CUBLAS_PLAIN = 0,
    CUBLAS_TRANSPOSED = 1,
    CUBLAS_FLOAT = 0,         /* cudaDataType */
    CUBLAS_COMPUTE_BF16 = 75, /* factors of float32 rounded to bfloat16, sums in float32 */
    CUBLAS_ALGORITHM = -1     /* its own choice */
};

/* Attributes of devices and functions that are asked for. */
enum {
    CUDA_SHARED_PER_BLOCK = 8,
    CUDA_REGISTERS_PER_BLOCK = 12,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_THREADS_PER_MULTIPROCESSOR = 39,
    CUDA_MAJOR = 75,
    CUDA_MINOR = 76,
    CUDA_SHARED_PER_BLOCK_OPTIN = 97,
    CUDA_FUNCTION_SHARED = 1,
    CUDA_FUNCTION_LOCAL = 3,
    CUDA_FUNCTION_REGISTERS = 4,
    CUDA_FUNCTION_DYNAMIC_SHARED = 8
};

typedef enum CudaLibrary {
#define CUDA_LIBRARY(id, environment, names, minimum, what) CUDA_##id,
#include "cuda/device/api.def"
#undef CUDA_LIBRARY
    CUDA_LIBRARY_COUNT
} CudaLibrary;

/* Initialise with {0}. */
typedef struct CudaApi {
    void *handle[CUDA_LIBRARY_COUNT]; /* owner */
#define CUDA_FUNCTION(library, field, symbol, need, parameters) CudaResult(*field) parameters;
#include "cuda/device/api.def"
#undef CUDA_FUNCTION
} CudaApi;

/* Opens one library and finds its functions. The status is NO_DEVICE for the driver and
 * CUDA_LIBRARY for the others. Opening twice is nothing. */
Status cuda_open(CudaApi *api, CudaLibrary library, Error *error);
void cuda_close(CudaApi *api);

/* Turns the result of a call into a status: "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
 */
Status cuda_status(const CudaApi *api, CudaLibrary library, CudaResult result, const char *function,
                   Error *error);

/* One call: `CUDA_CALL(api, error, DRIVER, cuMemFree, pointer)`. */
#define CUDA_CALL(api, error, library, function, ...)                                              \
    cuda_status(api, CUDA_##library, (api)->function(__VA_ARGS__), #function, error)

#endif
