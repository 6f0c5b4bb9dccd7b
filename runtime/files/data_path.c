#define _XOPEN_SOURCE 700
#include "files/data_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Takes "." , ".." and double slashes out of an absolute path, in place. */
static void tidy(char *path) {
    char *to = path;
    const char *from = path;
    while (*from) {
        from += strspn(from, "/");
        size_t n = strcspn(from, "/");
        if (n == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/') {
            }
        } else if (n > 0 && !(n == 1 && from[0] == '.')) {
            *to++ = '/';
            memmove(to, from, n);
            to += n;
        }
        from += n;
    }
    if (to == path)
        *to++ = '/';
    *to = '\0';
}

/* The folder part of a file's name; 0: it has none. */
static size_t folder_of(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? (size_t)(slash - file) + 1 : 0;
}

bool data_path_resolve(const char *problem, const char *file, char out[DATA_PATH_MAX]) {
    char here[DATA_PATH_MAX];
    size_t folder = folder_of(problem);
    bool absolute = file[0] == '/' || (folder > 0 && problem[0] == '/');
    if (file[0] == '/')
        folder = 0;
    if (absolute)
        here[0] = '\0';
    else if (!getcwd(here, sizeof here))
        return false;
    int n = snprintf(out, DATA_PATH_MAX, "%s%s%.*s%s", here, absolute ? "" : "/", (int)folder,
                     problem, file);
    if (n < 0 || n >= DATA_PATH_MAX)
        return false;
    tidy(out);
    return true;
}

/* Is the real path `path` in the folder of that name? */
static bool is_below(const char *path, const char *folder) {
    char *real = realpath(folder, NULL);
    size_t n = real ? strlen(real) : 0;
    bool below = real && strncmp(path, real, n) == 0 && (path[n] == '/' || n == 1);
    free(real);
    return below;
}

static bool is_in_a_folder_of(const char *path, const char *list) {
    char folder[DATA_PATH_MAX];
    bool found = false;
    while (list && *list && !found) {
        size_t n = strcspn(list, ":");
        if (n > 0 && n < sizeof folder) {
            memcpy(folder, list, n);
            folder[n] = '\0';
            found = is_below(path, folder);
        }
        list += n + (list[n] == ':');
    }
    return found;
}

Status data_path_check(const char *path, const char *const *beside, size_t count,
                       const char *allowed, Error *error) {
    char folder[DATA_PATH_MAX];
    char *real = realpath(path, NULL);
    if (!real)
        return error_set_errno(error, STATUS_CANNOT_READ, errno, "cannot read '%s'", path);
    bool ok = is_in_a_folder_of(real, allowed);
    for (size_t k = 0; k < count && !ok; k++) {
        size_t n = beside[k] ? folder_of(beside[k]) : 0;
        if (n < sizeof folder) {
            memcpy(folder, beside[k], n);
            memcpy(folder + n, n ? "" : ".", n ? 1 : 2);
            ok = is_below(real, folder);
        }
    }
    Status status = STATUS_OK;
    if (!ok)
        status = error_set(error, STATUS_DATA_OUTSIDE,
                           "data '%s': --allow-data %.*s permits to read it there", real,
                           (int)(folder_of(real) > 1 ? folder_of(real) - 1 : 1), real);
    free(real);
    return status;
}
