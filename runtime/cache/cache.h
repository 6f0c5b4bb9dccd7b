/* cache.h: compiled kernels kept on disk, found by a digest of everything they were made from.
 *
 * What lies there is executed, so it is read only where nobody else can have put it. A cache that
 * cannot be read or written is simply not used, and a damaged file is none. */
#ifndef PDE_RUNTIME_CACHE_CACHE_H
#define PDE_RUNTIME_CACHE_CACHE_H

#include "files/digest.h"

/* The bytes kept in `directory` under this key into an empty buffer; false if there are none
 * intact, or they are not ours alone. */
bool cache_get(const char *directory, const Digest *key, const char *suffix, Buffer *out);
void cache_put(const char *directory, const Digest *key, const char *suffix, Bytes content);

/* $XDG_CACHE_HOME/pderun or ~/.cache/pderun, made if it is not there, into out (CACHE_PATH_MAX bytes). Empty if
 * neither variable is set or it cannot be made; STATUS_CACHE_UNSAFE if somebody else could write there. */
enum { CACHE_PATH_MAX = 4096 };
Status cache_find(char *out, Error *error);

/* ---- private_files.c: files that nobody but this user (and root) can have written. They are made with mode 0700 and
 * 0600; owner and mode are looked at again whenever one is opened. ---- */

/* Makes `path` (absolute) and what is missing of its parents, and writes it without links to `resolved`, PRIVATE_PATH_MAX
 * bytes. STATUS_CACHE_UNSAFE: it, or a directory above it, is another user's or can be changed by one.
 * STATUS_CANNOT_WRITE: it cannot be made. */
enum { PRIVATE_PATH_MAX = 4096 };
Status private_directory(const char *path, char *resolved, Error *error);

/* All of the file `name` of a private directory, at most `limit` bytes; false if it is not there, too long, no
 * regular file, or not ours alone. */
bool private_read(const char *directory, const char *name, size_t limit, Buffer *out);
/* Replaced whole or not at all; false if it could not be. */
bool private_write(const char *directory, const char *name, const Bytes *part, size_t count);

#endif
