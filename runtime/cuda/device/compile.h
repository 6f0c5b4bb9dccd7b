/* compile.h: kernel source to PTX, by NVRTC, with a cache on disk.
 *
 * All text is given: lines that would include a file are blanked before NVRTC sees them, so that no
 * text of a module can make it open one. Options are fixed but for the architecture. What NVRTC
 * complains of becomes one sentence of printable characters. */
#ifndef PDE_RUNTIME_CUDA_DEVICE_COMPILE_H
#define PDE_RUNTIME_CUDA_DEVICE_COMPILE_H

#include "cuda/device/api.h"
#include "files/buffer.h"

typedef struct CudaCompileSpec {
    const Bytes *part; /* the source, in pieces: first cuda_define, then contract/cuda_head.h */
    size_t parts;
    int arch;          /* 80: compute_80 */
    bool fast_math;    /* only where it was asked for */
    const char *cache; /* directory, or NULL */
} CudaCompileSpec;

/* PTX as text into an empty buffer (NUL-terminated, as the driver wants it). Opens NVRTC unless the
 * cache has the answer. */
Status cuda_compile(CudaApi *api, const CudaCompileSpec *spec, Buffer *ptx, Error *error);

/* The newest architecture that NVRTC knows and a device of this one runs; 0 if there is none. */
Status cuda_compile_arch(CudaApi *api, int device_arch, int *arch, Error *error);

/* Definitions before a generated source: that it is for CUDA, the type of its numbers, and
 * constants by name. Without constants the kernels read them from variables of the module that the
 * host sets. */
void cuda_define(Buffer *out, bool is_double, bool late);
void cuda_define_integer(Buffer *out, const char *name, int64_t value);
void cuda_define_number(Buffer *out, const char *name, double value);

/* The section of a module that holds PTX for an architecture, of the problem's kernels ("ptx") or
 * of the engine's ("eng"); out has PDE_SECTION_NAME_SIZE bytes. */
void cuda_ptx_section(const char *what, int arch, bool is_double, char *out);

/* The engine's kernels as PTX. Without an activation they take the one whose number the host gives
 * to pde_activation. */
typedef struct CudaEngineSpec {
    bool is_double;
    const char *activation; /* its name, or NULL */
    int arch;               /* one that NVRTC knows */
    const char *cache;
} CudaEngineSpec;
Status cuda_engine_compile(CudaApi *api, const CudaEngineSpec *spec, Buffer *ptx, Error *error);
/* A line that stands before the engine's kernels in a module: they fit only the host code that was
 * built with the same text. */
void cuda_engine_mark(Buffer *out);

#endif
