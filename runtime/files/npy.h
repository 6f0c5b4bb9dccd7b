/* npy.h: NumPy's .npy format, versions 1 to 3: points in, predictions out. */
#ifndef PDE_RUNTIME_FILES_NPY_H
#define PDE_RUNTIME_FILES_NPY_H

#include "files/array.h"
#include "files/buffer.h"

/* owner of the file's bytes, which array.data points into; release with npy_free. */
typedef struct NpyFile {
    Array array;
    void *storage;
} NpyFile;

/* Little-endian float32, float64, int32, int64 in C order; anything else is
 * STATUS_BAD_ARRAY_FILE with a message that says what it is. At most `limit` bytes. */
Status npy_read(const char *path, size_t limit, NpyFile *file, Error *error);
/* The same of bytes that have been read, which the file takes over whatever happens (free()). */
Status npy_parse(const char *path, char *data, size_t size, NpyFile *file, Error *error);
void npy_free(NpyFile *file);

/* What stands before the elements; false: an impossible shape. */
bool npy_head(const Array *array, Buffer *head);
/* Writes atomically; array->name is not used. */
Status npy_write(const char *path, const Array *array, Error *error);

#endif
