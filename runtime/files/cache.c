/* cache.c: a file is the digest of key and content, then the content; files are written atomically.
 */
#include "files/cache.h"

#include "files/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_PATH_MAX = 4096, CACHE_FILE_MAX = 64 << 20 };

static bool cache_path(const char *directory, const Digest *key, const char *suffix, char *out) {
    char hex[DIGEST_HEX_SIZE + 1];
    int n = snprintf(out, CACHE_PATH_MAX, "%s/%s.%s", directory, digest_hex(key, hex), suffix);
    return n > 0 && n < CACHE_PATH_MAX;
}

bool cache_get(const char *directory, const Digest *key, const char *suffix, Buffer *out) {
    char path[CACHE_PATH_MAX], *data;
    size_t size;
    bool intact = false;
    if (!cache_path(directory, key, suffix, path) ||
        io_read_file(path, CACHE_FILE_MAX, &data, &size, NULL) != STATUS_OK)
        return false;
    if (size > DIGEST_SIZE) {
        const Bytes part[] = {{key->byte, DIGEST_SIZE}, {data + DIGEST_SIZE, size - DIGEST_SIZE}};
        Digest digest = digest_of_parts(part, 2);
        intact = memcmp(digest.byte, data, DIGEST_SIZE) == 0;
        if (intact)
            buffer_bytes(out, part[1].data, part[1].size);
    }
    free(data);
    return intact && !out->failed;
}

void cache_put(const char *directory, const Digest *key, const char *suffix, Bytes content) {
    char path[CACHE_PATH_MAX];
    const Digest digest = digest_of_parts((Bytes[]){{key->byte, DIGEST_SIZE}, content}, 2);
    if (cache_path(directory, key, suffix, path) && io_make_directory(directory, NULL) == STATUS_OK)
        (void)io_write_atomic(path, (Bytes[]){{digest.byte, DIGEST_SIZE}, content}, 2, NULL);
}

bool cache_directory(char *out, size_t size) {
    const char *base = getenv("XDG_CACHE_HOME"), *middle = "";
    if (!base || base[0] != '/') {
        base = getenv("HOME");
        middle = "/.cache";
    }
    int n = base && base[0] == '/' ? snprintf(out, size, "%s%s/pderun", base, middle) : -1;
    return n > 0 && (size_t)n < size;
}
