/* digest.c: SHA-256 by libmd (Debian: libmd-dev), the library behind dpkg's own digests.
 *
 * Why not our own: a digest is only as good as its least tested line, and libmd is small, has no
 * dependencies and is part of every Debian system. Why not OpenSSL: 5 MB and an initialisation
 * order for one function. The digest finds damage; it is not a signature. */
#define _DEFAULT_SOURCE /* sha2.h uses u_int-era types of <sys/types.h> */
#include "files/digest.h"

#include <sys/types.h>

#include <sha2.h>
#include <string.h>

Digest digest_of_supplied(const Bytes *part, size_t count, Supply supply) {
    SHA2_CTX context;
    SHA256Init(&context);
    for (size_t i = 0; i < count; i++) {
        if (supply.ready)
            supply.ready(supply.context, part[i].data);
        if (part[i].size > 0)
            SHA256Update(&context, part[i].data, part[i].size);
    }
    Digest digest;
    SHA256Final(digest.byte, &context);
    return digest;
}

Digest digest_of_parts(const Bytes *part, size_t count) {
    return digest_of_supplied(part, count, (Supply){NULL, NULL});
}

Digest digest_of(const void *data, size_t size) {
    return digest_of_parts(&(Bytes){data, size}, 1);
}

bool digest_equal(const Digest *a, const Digest *b) {
    return memcmp(a->byte, b->byte, DIGEST_SIZE) == 0;
}

const char *digest_hex(const Digest *digest, char *out) {
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        out[2 * i] = hex[digest->byte[i] >> 4];
        out[2 * i + 1] = hex[digest->byte[i] & 15];
    }
    out[DIGEST_HEX_SIZE] = '\0';
    return out;
}
