/* buffer.h: bytes that grow, and views of bytes.
 *
 * A Buffer remembers that memory ran out (`failed`) and ignores what follows, so that code that
 * writes hundreds of pieces checks once at the end. */
#ifndef PDE_RUNTIME_FILES_BUFFER_H
#define PDE_RUNTIME_FILES_BUFFER_H

#include "files/status.h"

#include <stddef.h>

/* A view: does not own what it points at. */
typedef struct Bytes {
    const void *data;
    size_t size;
} Bytes;

/* Makes bytes that are read one part after another present just before each is: what is large need not be in
 * memory all at once. {NULL, NULL}: they are there. */
typedef struct Supply {
    void (*ready)(void *context, const void *data); /* data: of the part that comes next */
    void *context;
} Supply;

/* owner of data; initialise with {0}, release with buffer_free. data is NUL-terminated after the
 * first write, so text can be passed on as a C string. */
typedef struct Buffer {
    char *data;
    size_t size, capacity;
    bool failed;
} Buffer;

void buffer_bytes(Buffer *buffer, const void *data, size_t size);
void buffer_zeros(Buffer *buffer, size_t count);
void buffer_text(Buffer *buffer, const char *text);
void buffer_printf(Buffer *buffer, const char *format, ...) PDE_FORMAT(2, 3);
/* The shortest decimal that reads back as the same double, see number.h. */
void buffer_number(Buffer *buffer, double value);
/* STATUS_OUT_OF_MEMORY if any write failed. */
Status buffer_status(const Buffer *buffer, Error *error);
void buffer_free(Buffer *buffer);

#endif
