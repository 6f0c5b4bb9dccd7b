/* cache.h: compiled kernels kept on disk, found by a digest of everything they were made from.
 *
 * What lies there is executed, so it is read only where nobody else can have put it (private_files.h). A cache that
 * cannot be read or written is simply not used, and a damaged file is none. */
#ifndef PDE_RUNTIME_FILES_CACHE_H
#define PDE_RUNTIME_FILES_CACHE_H

#include "files/digest.h"

/* The bytes kept in `directory` under this key into an empty buffer; false if there are none
 * intact, or they are not ours alone. */
bool cache_get(const char *directory, const Digest *key, const char *suffix, Buffer *out);
void cache_put(const char *directory, const Digest *key, const char *suffix, Bytes content);

/* $XDG_CACHE_HOME/pderun or ~/.cache/pderun, made if it is not there, into out (CACHE_PATH_MAX bytes). Empty if
 * neither variable is set or it cannot be made; STATUS_CACHE_UNSAFE if somebody else could write there. */
enum { CACHE_PATH_MAX = 4096 };
Status cache_find(char *out, Error *error);

#endif
