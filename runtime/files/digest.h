/* digest.h: SHA-256 of bytes that lie in one or several pieces. */
#ifndef PDE_RUNTIME_FILES_DIGEST_H
#define PDE_RUNTIME_FILES_DIGEST_H

#include "files/buffer.h"

#include <stdint.h>

enum { DIGEST_SIZE = 32, DIGEST_HEX_SIZE = 64 };

typedef struct Digest {
    uint8_t byte[DIGEST_SIZE];
} Digest;

Digest digest_of(const void *data, size_t size);
/* Of the concatenation of all parts. */
Digest digest_of_parts(const Bytes *part, size_t count);
Digest digest_of_supplied(const Bytes *part, size_t count, Supply supply);
bool digest_equal(const Digest *a, const Digest *b);
/* Lower-case hexadecimal; out holds DIGEST_HEX_SIZE + 1 bytes and is returned. */
const char *digest_hex(const Digest *digest, char *out);

#endif
