/* safetensors.h: named arrays and text metadata in the safetensors format, which Python, Rust and
 * others load without running code. */
#ifndef PDE_RUNTIME_FILES_SAFETENSORS_H
#define PDE_RUNTIME_FILES_SAFETENSORS_H

#include "files/array.h"
#include "files/buffer.h"

typedef struct SafetensorsText {
    const char *key, *value; /* UTF-8 */
} SafetensorsText;

/* owner of storage, which the arrays and texts point into; release with safetensors_free. */
typedef struct Safetensors {
    Array *array; /* by position in the file */
    size_t array_count;
    SafetensorsText *text;
    size_t text_count;
    void *storage;  /* the file */
    size_t mapped;  /* its size where it came from io_map_file; 0: from malloc */
    void *document; /* the parsed header */
} Safetensors;

/* A file ready to be written: header and elements as parts, without a copy of the elements.
 * owner of header and part; release with safetensors_parts_free. */
typedef struct SafetensorsParts {
    Buffer header;
    Bytes *part; /* part[0] is the header */
    size_t count;
} SafetensorsParts;

/* Orders the arrays so that all are aligned. Names must be different. */
Status safetensors_assemble(const Array *array, size_t array_count, const SafetensorsText *text,
                            size_t text_count, SafetensorsParts *parts, Error *error);
void safetensors_parts_free(SafetensorsParts *parts);

/* Assembles and writes atomically. */
Status safetensors_write(const char *path, const Array *array, size_t array_count,
                         const SafetensorsText *text, size_t text_count, Error *error);

/* F32, F64, I32 and I64; at most `limit` bytes. */
Status safetensors_read(const char *path, size_t limit, Safetensors *file, Error *error);
/* The same from bytes in memory; takes ownership of `data` (from malloc), also on failure. */
Status safetensors_parse(const char *path, char *data, size_t size, Safetensors *file,
                         Error *error);
/* The same of a mapped file, which is taken over too. */
Status safetensors_parse_mapped(const char *path, char *data, size_t size, Safetensors *file,
                                Error *error);
/* NULL if there is none of that name. */
const Array *safetensors_find(const Safetensors *file, const char *name);
const char *safetensors_find_text(const Safetensors *file, const char *key);
void safetensors_free(Safetensors *file);

#endif
