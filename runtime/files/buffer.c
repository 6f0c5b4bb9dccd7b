/* buffer.c: growth by doubling, with a sticky failure flag. */
#include "files/buffer.h"
#include "files/number.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the terminating NUL. */
static bool reserve(Buffer *buffer, size_t more) {
    if (buffer->failed)
        return false;
    if (more > SIZE_MAX / 4 - buffer->size) {
        buffer->failed = true;
        return false;
    }
    size_t needed = buffer->size + more + 1;
    if (needed <= buffer->capacity)
        return true;
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity < needed)
        capacity *= 2;
    char *data = realloc(buffer->data, capacity);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void buffer_bytes(Buffer *buffer, const void *data, size_t size) {
    if (!reserve(buffer, size))
        return;
    if (size > 0)
        memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void buffer_zeros(Buffer *buffer, size_t count) {
    if (!reserve(buffer, count))
        return;
    memset(buffer->data + buffer->size, 0, count + 1);
    buffer->size += count;
}

void buffer_text(Buffer *buffer, const char *text) {
    buffer_bytes(buffer, text, strlen(text));
}

void buffer_printf(Buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        buffer->failed = true;
        return;
    }
    if (!reserve(buffer, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buffer->size += (size_t)length;
}

void buffer_number(Buffer *buffer, double value) {
    char text[NUMBER_TEXT_MAX];
    number_print(value, text);
    buffer_text(buffer, text);
}

Status buffer_status(const Buffer *buffer, Error *error) {
    if (!buffer->failed)
        return STATUS_OK;
    return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of text", buffer->size);
}

void buffer_free(Buffer *buffer) {
    free(buffer->data);
    *buffer = (Buffer){0};
}
