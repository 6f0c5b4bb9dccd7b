/* count.h: a back end that only counts memory and work, for plans without a device. */
#ifndef PDE_RUNTIME_CUDA_DEVICE_COUNT_H
#define PDE_RUNTIME_CUDA_DEVICE_COUNT_H

#include "cuda/device/backend.h"

typedef enum Gpu {
#define GPU(id, name, f32, tf32, bf16, f64, bandwidth, memory) GPU_##id,
#include "cuda/device/gpu.def"
#undef GPU
    GPUS
} Gpu;

typedef struct GpuInfo {
    const char *name;
    double f32, tf32, bf16, f64; /* TFLOP/s */
    double bandwidth, memory;    /* GB/s, GB */
} GpuInfo;

const GpuInfo *gpu_info(Gpu gpu);

/* With as much memory as the GPU has. NULL without memory. */
Backend *count_backend(PdePrecision precision, Gpu gpu, Factors factors);
/* Seconds that the calls so far take the GPU at least: for each the longer of arithmetic and
 * memory. */
double count_seconds(const Backend *backend);
void count_reset(Backend *backend);

/* Tables of a plan: bytes by use, and what the calls so far are of `what`. */
void count_print_memory(int uses, const char *const text[], const double used[], double all);
void count_print_work(const Backend *backend, const char *what);

#endif
