/* count.h: a back end that only counts memory and work, for plans without a device. */
#ifndef PDE_CUDA_COUNT_H
#define PDE_CUDA_COUNT_H

#include "backend.h"

/* memory: bytes of the device that is thought of. NULL without memory. */
Backend *count_backend(PdePrecision precision, size_t memory);

#endif
