/* engine_text.h: the source of the engine's kernels in the order of compilation, embedded by CMake. */
#ifndef PDE_RUNTIME_CUDA_DEVICE_ENGINE_TEXT_H
#define PDE_RUNTIME_CUDA_DEVICE_ENGINE_TEXT_H

#include <stddef.h>

typedef struct EngineText {
    const char *name, *text;
    size_t n;
} EngineText;

extern const EngineText engine_text[];
extern const size_t engine_text_count;

#endif
