/* array.c: sizes and element access of array.h. */
#include "files/array.h"

size_t array_type_size(ArrayType type) {
    return type == ARRAY_F64 || type == ARRAY_I64 ? 8 : 4;
}

bool array_count(const Array *array, size_t *count) {
    if (array->rank < 0 || array->rank > ARRAY_RANK_MAX)
        return false;
    const size_t limit = (size_t)PTRDIFF_MAX / array_type_size(array->type);
    size_t product = 1;
    bool fits = true;
    for (int i = 0; i < array->rank; i++) {
        uint64_t n = array->shape[i];
        if (n != 0 && product > limit / n)
            fits = false; /* unless a later extent is zero */
        else
            product *= (size_t)n;
        if (n == 0) {
            *count = 0;
            return true;
        }
    }
    *count = product;
    return fits;
}

double array_value(const Array *array, size_t i) {
    switch (array->type) {
    case ARRAY_F32:
        return (double)((const float *)array->data)[i];
    case ARRAY_F64:
        return ((const double *)array->data)[i];
    case ARRAY_I32:
        return (double)((const int32_t *)array->data)[i];
    case ARRAY_I64:
        return (double)((const int64_t *)array->data)[i];
    case ARRAY_TYPES:
        break;
    }
    return 0.0;
}
