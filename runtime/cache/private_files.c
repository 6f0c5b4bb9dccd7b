/* private_files.c: whom a directory lets in, from the root down, and files opened by their directory. */
#define _XOPEN_SOURCE 700
#include "cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEMPORARY_MAX = 64 };

/* ---- directories ---- */

static Status unsafe(const char *path, const char *culprit, const char *why, Error *error) {
    return error_set(error, STATUS_CACHE_UNSAFE, "'%s' is not used: '%s' %s", path, culprit, why);
}

/* A directory above: root's or ours. In one that others may write to they could put another directory in place
 * of ours, unless it is sticky. The user's own group often has the user alone. */
static Status check_above(const char *path, const char *above, Error *error) {
    struct stat info;
    if (stat(above, &info) != 0)
        return error_set_errno(error, STATUS_CANNOT_WRITE, errno, "cannot look at '%s'", above);
    if (info.st_uid != 0 && info.st_uid != geteuid())
        return unsafe(path, above, "belongs to another user", error);
    if (info.st_mode & S_ISVTX)
        return STATUS_OK;
    if (info.st_mode & S_IWOTH)
        return unsafe(path, above, "can be written to by everybody", error);
    if ((info.st_mode & S_IWGRP) && info.st_gid != getegid() && info.st_gid != 0)
        return unsafe(path, above, "can be written to by another group", error);
    return STATUS_OK;
}

static bool only_ours(const struct stat *info) {
    return info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

/* Where nothing is yet a directory is made, whatever the umask says. */
static Status make(const char *path, Error *error) {
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return STATUS_OK;
    struct stat info;
    int reason = errno; /* of a directory that exists but cannot be written to, EROFS or EACCES */
    return stat(path, &info) == 0 ? STATUS_OK
                                  : error_set_errno(error, STATUS_CANNOT_WRITE, reason,
                                                    "cannot make directory '%s'", path);
}

/* act on each directory from the root to `path`; with `last` on path itself too. */
static Status each_parent(char *path, bool last,
                          Status (*act)(const char *whole, const char *part, Error *error),
                          const char *whole, Error *error) {
    Status status = act(whole, "/", error);
    for (size_t i = 1; path[i] && status == STATUS_OK; i++) {
        if (path[i] != '/')
            continue;
        path[i] = '\0';
        status = act(whole, path, error);
        path[i] = '/';
    }
    return status == STATUS_OK && last ? act(whole, path, error) : status;
}

static Status make_part(const char *whole, const char *part, Error *error) {
    (void)whole;
    return make(part, error);
}

static Status resolve(const char *path, char *resolved, Error *error) {
    char *real = realpath(path, NULL);
    int reason = real ? ENAMETOOLONG : errno;
    bool fits = real && strlen(real) < PRIVATE_PATH_MAX;
    if (fits)
        memcpy(resolved, real, strlen(real) + 1);
    free(real);
    return fits ? STATUS_OK
                : error_set_errno(error, STATUS_CANNOT_WRITE, reason, "cannot look at '%s'", path);
}

/* Makes what is missing, but nothing in a directory of another: as root it would be in the way of its owner. */
static Status make_missing(const char *path, char *copy, Error *error) {
    char resolved[PRIVATE_PATH_MAX];
    struct stat info;
    memcpy(copy, path, strlen(path) + 1);
    for (char *slash; lstat(copy, &info) != 0 && (slash = strrchr(copy, '/')) && slash > copy;)
        *slash = '\0';
    if (strcmp(copy, path) == 0)
        return STATUS_OK;
    Status status = resolve(copy, resolved, error);
    if (status == STATUS_OK)
        status = each_parent(resolved, true, check_above, path, error);
    memcpy(copy, path, strlen(path) + 1);
    return status == STATUS_OK ? each_parent(copy, true, make_part, path, error) : status;
}

Status private_directory(const char *path, char *resolved, Error *error) {
    char copy[PRIVATE_PATH_MAX];
    struct stat info;
    if (strlen(path) >= sizeof copy || path[0] != '/')
        return error_set(error, STATUS_CANNOT_WRITE, "'%s' is no usable path", path);
    Status status = make_missing(path, copy, error);
    if (status == STATUS_OK)
        status = resolve(path, resolved, error);
    if (status != STATUS_OK)
        return status;
    memcpy(copy, resolved, strlen(resolved) + 1);
    status = each_parent(copy, false, check_above, path, error);
    if (status != STATUS_OK)
        return status;
    if (lstat(resolved, &info) != 0 || !S_ISDIR(info.st_mode))
        return error_set(error, STATUS_CANNOT_WRITE, "'%s' is no directory", path);
    if (info.st_uid != geteuid())
        return unsafe(path, resolved, "belongs to another user", error);
    return only_ours(&info)
               ? STATUS_OK
               : unsafe(path, resolved,
                        "can be written to by others, who may have put code there: remove it",
                        error);
}

/* ---- files ---- */

/* -1 unless the directory is still ours alone. */
static int open_directory(const char *path) {
    struct stat info;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory >= 0 && (fstat(directory, &info) != 0 || !only_ours(&info))) {
        close(directory);
        directory = -1;
    }
    return directory;
}

static bool read_descriptor(int descriptor, size_t limit, Buffer *out) {
    char chunk[65536];
    for (;;) {
        ssize_t got = read(descriptor, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 && !out->failed;
        buffer_bytes(out, chunk, (size_t)got);
        if (out->size > limit)
            return false;
    }
}

bool private_read(const char *directory, const char *name, size_t limit, Buffer *out) {
    struct stat info;
    int folder = open_directory(directory);
    /* not through a link, and without waiting for the other end of a pipe */
    int file = folder >= 0
                   ? openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                   : -1;
    bool ok = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && only_ours(&info) &&
              read_descriptor(file, limit, out);
    if (file >= 0)
        close(file);
    if (folder >= 0)
        close(folder);
    return ok;
}

static bool write_parts(int file, const Bytes *part, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *at = part[i].data;
        for (size_t left = part[i].size; left > 0;) {
            ssize_t put = write(file, at, left);
            if (put < 0 && errno == EINTR)
                continue;
            if (put < 0)
                return false;
            at += put;
            left -= (size_t)put;
        }
    }
    return fsync(file) == 0;
}

bool private_write(const char *directory, const char *name, const Bytes *part, size_t count) {
    char temporary[TEMPORARY_MAX];
    int folder = open_directory(directory);
    if (folder < 0)
        return false;
    snprintf(temporary, sizeof temporary, ".pde-tmp-%ld", (long)getpid());
    unlinkat(folder, temporary, 0); /* of a dead process that had our number */
    int file =
        openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = file >= 0 && write_parts(file, part, count);
    if (file >= 0)
        ok = close(file) == 0 && ok;
    ok = ok && renameat(folder, temporary, folder, name) == 0;
    if (file >= 0 && !ok)
        unlinkat(folder, temporary, 0);
    close(folder);
    return ok;
}
