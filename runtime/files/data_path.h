/* data_path.h: where the file of a `data` statement is, and whether it may be opened. A problem or module
 * may be another's, and must not read what its user did not mean to give it. */
#ifndef PDE_RUNTIME_FILES_DATA_PATH_H
#define PDE_RUNTIME_FILES_DATA_PATH_H

#include "files/status.h"

#include <stddef.h>

enum { DATA_PATH_MAX = 4096 };

/* The absolute path of `file`, named in the problem file `problem`: relative ones are beside it, or in the
 * working directory where the name has no folder. "." and ".." are taken out; links stay. False: it does not
 * fit, or there is no working directory. */
bool data_path_resolve(const char *problem, const char *file, char out[DATA_PATH_MAX]);

/* STATUS_OK if `path`, with all links followed, lies in the folder of one of the files in `beside` or in one of
 * the folders in `allowed`, a list separated by colons. NULL is none. */
Status data_path_check(const char *path, const char *const *beside, size_t count,
                       const char *allowed, Error *error);

#endif
