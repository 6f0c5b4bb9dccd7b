/* real.h: buffers whose element type is known only at run time, for code that is not hot. */
#ifndef PDE_RUNTIME_ENGINE_REAL_H
#define PDE_RUNTIME_ENGINE_REAL_H

#include "engine/engine.h"
#include "files/array.h"

static inline size_t real_size(PdePrecision precision) {
    return precision == PDE_F64 ? sizeof(double) : sizeof(float);
}

static inline double real_get(PdePrecision precision, const void *data, int64_t i) {
    return precision == PDE_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static inline void real_set(PdePrecision precision, void *data, int64_t i, double value) {
    if (precision == PDE_F64)
        ((double *)data)[i] = value;
    else
        ((float *)data)[i] = (float)value;
}

static inline void *real_at(PdePrecision precision, void *data, int64_t i) {
    return (char *)data + (size_t)i * real_size(precision);
}

static inline const void *real_const_at(PdePrecision precision, const void *data, int64_t i) {
    return (const char *)data + (size_t)i * real_size(precision);
}

static inline ArrayType real_array_type(PdePrecision precision) {
    return precision == PDE_F64 ? ARRAY_F64 : ARRAY_F32;
}

#endif
