/* array.h: a typed, shaped view of numbers, as the array file formats exchange them. */
#ifndef PDE_RUNTIME_FILES_ARRAY_H
#define PDE_RUNTIME_FILES_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ArrayType { ARRAY_F32, ARRAY_F64, ARRAY_I32, ARRAY_I64, ARRAY_TYPES } ArrayType;

enum { ARRAY_RANK_MAX = 8 };

/* C order (last index fastest). Does not own name and data. */
typedef struct Array {
    const char *name; /* NULL where the format has none */
    ArrayType type;
    int rank; /* 0 is a single number */
    uint64_t shape[ARRAY_RANK_MAX];
    const void *data;
} Array;

size_t array_type_size(ArrayType type);
/* The product of the shape; false if it or its size in bytes overflows, or the rank is wrong. */
bool array_count(const Array *array, size_t *count);
/* Element i (in C order) as a double, whatever the type. */
double array_value(const Array *array, size_t i);

#endif
