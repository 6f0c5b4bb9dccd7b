/* emulate.h: a back end of runtime/cuda/device/backend.h that runs the engine's kernels on the host, as C,
 * and the generated ones as the host's own. It needs neither CUDA nor NVRTC, and finds what is
 * wrong in the text of the kernels and in the order of the calls. */
#ifndef EMULATE_H
#define EMULATE_H

#include "runtime/cuda/device/backend.h"

typedef struct EmulatedKernel {
    const char *name;
    void (*run)(const void *argument);
} EmulatedKernel;

typedef struct EmulatedIndex {
    uint32_t x, y, z;
} EmulatedIndex;

extern EmulatedIndex emulate_block, emulate_thread, emulate_size;
extern int emulate_activation;
void emulate_barrier(void);

extern const EmulatedKernel emulated_f32[], emulated_f64[];

struct Problem;

/* order: 0 as they come, 1 threads in reverse, 2 in a shuffled order. memory: 0 for any amount. */

Backend *emulate_backend(const struct Problem *problem, int activation, size_t memory, int order);

#endif
