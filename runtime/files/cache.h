/* cache.h: compiled kernels kept on disk, found by a digest of everything they were made from.
 *
 * A cache that cannot be read or written is simply not used, and a damaged file is none. */
#ifndef PDE_RUNTIME_FILES_CACHE_H
#define PDE_RUNTIME_FILES_CACHE_H

#include "files/digest.h"

/* The bytes kept in `directory` under this key into an empty buffer; false if there are none
 * intact. */
bool cache_get(const char *directory, const Digest *key, const char *suffix, Buffer *out);
void cache_put(const char *directory, const Digest *key, const char *suffix, Bytes content);

/* $XDG_CACHE_HOME/pderun or ~/.cache/pderun into out; false if neither variable is set or the
 * path is too long. */
bool cache_directory(char *out, size_t size);

#endif
