/* utf8.h: is this a UTF-8 sequence, and how long is it. */
#ifndef PDE_RUNTIME_FILES_UTF8_H
#define PDE_RUNTIME_FILES_UTF8_H

#include <stddef.h>

/* Bytes of the well-formed character at text (1..4), or 0 if there is none: a stray or missing
 * continuation byte, an overlong form, a surrogate, past U+10FFFF, or size is 0. */
size_t utf8_length(const char *text, size_t size);

#endif
