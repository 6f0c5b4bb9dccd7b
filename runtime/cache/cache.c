/* cache.c: a file is the digest of key and content, then the content. */
#include "cache/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_FILE_MAX = 64 << 20, NAME_MAX_BYTES = DIGEST_HEX_SIZE + 16 };

static void entry_name(const Digest *key, const char *suffix, char *out) {
    char hex[DIGEST_HEX_SIZE + 1];
    snprintf(out, NAME_MAX_BYTES, "%s.%.8s", digest_hex(key, hex), suffix);
}

bool cache_get(const char *directory, const Digest *key, const char *suffix, Buffer *out) {
    char name[NAME_MAX_BYTES];
    Buffer file = {0};
    bool intact = false;
    entry_name(key, suffix, name);
    if (private_read(directory, name, CACHE_FILE_MAX, &file) && file.size > DIGEST_SIZE) {
        const Bytes part[] = {{key->byte, DIGEST_SIZE},
                              {file.data + DIGEST_SIZE, file.size - DIGEST_SIZE}};
        Digest digest = digest_of_parts(part, 2);
        intact = memcmp(digest.byte, file.data, DIGEST_SIZE) == 0;
        if (intact)
            buffer_bytes(out, part[1].data, part[1].size);
    }
    buffer_free(&file);
    return intact && !out->failed;
}

void cache_put(const char *directory, const Digest *key, const char *suffix, Bytes content) {
    char name[NAME_MAX_BYTES];
    const Digest digest = digest_of_parts((Bytes[]){{key->byte, DIGEST_SIZE}, content}, 2);
    entry_name(key, suffix, name);
    (void)private_write(directory, name, (Bytes[]){{digest.byte, DIGEST_SIZE}, content}, 2);
}

Status cache_find(char *out, Error *error) {
    char path[CACHE_PATH_MAX];
    const char *base = getenv("XDG_CACHE_HOME"), *middle = "";
    Error ignored = {0};
    out[0] = '\0';
    if (!base || base[0] != '/') {
        base = getenv("HOME");
        middle = "/.cache";
    }
    int n = base && base[0] == '/' ? snprintf(path, sizeof path, "%s%s/pderun", base, middle) : -1;
    if (n <= 0 || n >= CACHE_PATH_MAX)
        return STATUS_OK;
    Status status = private_directory(path, out, &ignored);
    if (status == STATUS_OK)
        return STATUS_OK;
    out[0] = '\0';
    return status == STATUS_CACHE_UNSAFE ? error_set(error, status, "%s", ignored.message)
                                         : STATUS_OK;
}
