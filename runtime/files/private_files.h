/* private_files.h: files that nobody but this user (and root) can have written: what is kept there may be
 * executed. Made with mode 0700 and 0600; owner and mode are looked at again whenever one is opened. */
#ifndef PDE_RUNTIME_FILES_PRIVATE_FILES_H
#define PDE_RUNTIME_FILES_PRIVATE_FILES_H

#include "files/buffer.h"

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
