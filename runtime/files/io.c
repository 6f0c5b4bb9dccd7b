/* io.c: files read, mapped, replaced and appended to. */
#define _POSIX_C_SOURCE 200809L
#include "files/io_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEMPORARY_TRIES = 100 };

/* ---- reading ---- */

static const char *kind_of(mode_t mode) {
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Opens a regular file, and only that: a pipe without a writer would wait for ever, a device may have
 * no end. O_NONBLOCK, because the kind of a file is certain only once it is open. */
static int open_regular(const char *path, struct stat *info, Error *error) {
    int descriptor = call_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0 || call_stat(descriptor, info) != 0) {
        error_set_errno(error, STATUS_CANNOT_READ, errno, "cannot read '%s'", path);
    } else if (!S_ISREG(info->st_mode)) {
        error_set(error, STATUS_CANNOT_READ,
                  "cannot read '%s': it is %s, and only regular files are read%s", path,
                  kind_of(info->st_mode),
                  S_ISFIFO(info->st_mode) ? "; save what comes from the pipe to a file first" : "");
    } else {
        return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

static Status read_descriptor(int descriptor, const struct stat *info, const char *path,
                              size_t limit, char **data, size_t *size, Error *error) {
    size_t capacity = 4096, used = 0; /* files of /proc have no size */
    if (info->st_size > 0) {
        if ((uintmax_t)info->st_size > limit)
            return error_set(error, STATUS_FILE_TOO_LARGE,
                             "'%s' has %jd bytes; at most %zu are accepted", path,
                             (intmax_t)info->st_size, limit);
        capacity = (size_t)info->st_size + 1;
    }
    char *bytes = malloc(capacity + 1);
    while (bytes) {
        if (used == capacity) {
            capacity *= 2;
            char *larger = realloc(bytes, capacity + 1);
            if (!larger)
                break;
            bytes = larger;
        }
        ssize_t got = call_read(descriptor, bytes + used, capacity - used);
        if (got < 0) {
            int reason = errno;
            free(bytes);
            return error_set_errno(error, STATUS_CANNOT_READ, reason, "cannot read '%s'", path);
        }
        used += (size_t)got;
        if (used > limit) {
            free(bytes);
            return error_set(error, STATUS_FILE_TOO_LARGE,
                             "'%s' is longer than the %zu bytes that are accepted", path, limit);
        }
        if (got == 0) {
            bytes[used] = '\0';
            *data = bytes;
            *size = used;
            return STATUS_OK;
        }
    }
    free(bytes);
    return error_set(error, STATUS_OUT_OF_MEMORY, "no memory to read '%s'", path);
}

Status io_read_file(const char *path, size_t limit, char **data, size_t *size, Error *error) {
    *data = NULL;
    *size = 0;
    struct stat info;
    int descriptor = open_regular(path, &info, error);
    if (descriptor < 0)
        return STATUS_CANNOT_READ;
    Status status = read_descriptor(descriptor, &info, path, limit, data, size, error);
    close(descriptor);
    return status;
}

static void *map_pages(int descriptor, size_t size) {
    return FAULT("mmap") ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
}

Status io_map_file(const char *path, char **data, size_t *size, Error *error) {
    *data = NULL;
    *size = 0;
    struct stat info;
    int descriptor = open_regular(path, &info, error);
    if (descriptor < 0)
        return STATUS_CANNOT_READ;
    void *pages = info.st_size > 0 ? map_pages(descriptor, (size_t)info.st_size) : NULL;
    int reason = errno;
    close(descriptor);
    if (pages == MAP_FAILED)
        return error_set_errno(error, STATUS_CANNOT_READ, reason, "cannot read '%s'", path);
    *data = pages;
    *size = pages ? (size_t)info.st_size : 0;
    return STATUS_OK;
}

void io_unmap_file(char *data, size_t size) {
    if (data)
        munmap(data, size);
}

/* ---- writing ---- */

static int write_parts(int descriptor, const Bytes *part, size_t count, Supply supply) {
    for (size_t i = 0; i < count; i++) {
        if (supply.ready)
            supply.ready(supply.context, part[i].data);
        if (call_write_all(descriptor, part[i].data, part[i].size) != 0)
            return -1;
    }
    return 0;
}

/* The directory of `path` with the final slash; empty for a bare name. */
static size_t directory_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* A name in the directory of `path` that io_lock recognises as a leftover. */
static bool temporary_name(const char *path, int attempt, char *out) {
    int written = snprintf(out, PATH_LIMIT, "%.*s" TEMPORARY_PREFIX "%ld-%d",
                           (int)directory_length(path), path, (long)getpid(), attempt);
    return written > 0 && written < PATH_LIMIT && strlen(path) < PATH_LIMIT;
}

/* Opens a temporary file nobody else has. A file of that name can only be left over from a dead
 * process that had our process id, or belong to another thread: take the next number. */
static int open_temporary(const char *path, char *temporary) {
    for (int attempt = 0; attempt < TEMPORARY_TRIES; attempt++) {
        if (!temporary_name(path, attempt, temporary)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor = call_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Makes the rename itself durable. Some file systems cannot sync a directory (EINVAL): there the
 * rename is as durable as that file system offers. */
static int sync_directory_of(const char *path) {
    char directory[PATH_LIMIT];
    size_t length = directory_length(path);
    if (length == 0)
        snprintf(directory, sizeof directory, ".");
    else
        snprintf(directory, sizeof directory, "%.*s", (int)length, path);
    int descriptor = call_open(directory, O_RDONLY | O_DIRECTORY);
    if (descriptor < 0)
        return -1;
    int result = call_sync(descriptor);
    if (result != 0 && errno == EINVAL)
        result = 0;
    int reason = errno;
    close(descriptor);
    errno = reason;
    return result;
}

/* Opening a pipe without a reader would wait for ever; one with a reader is written to as usual. */
static Status write_directly(const char *path, const Bytes *part, size_t count, Supply supply,
                             Error *error) {
    int descriptor = call_open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0 && errno == ENXIO)
        return error_set(error, STATUS_CANNOT_WRITE,
                         "cannot write '%s': it is a pipe that nothing reads, or a device that is "
                         "not there",
                         path);
    if (descriptor < 0)
        return io_cannot_write(error, path, errno);
    int failed = fcntl(descriptor, F_SETFL, O_WRONLY);
    failed = failed ? failed : write_parts(descriptor, part, count, supply);
    int reason = errno;
    if (call_close(descriptor) != 0 && !failed) {
        failed = -1;
        reason = errno;
    }
    return failed ? io_cannot_write(error, path, reason) : STATUS_OK;
}

Status io_write_supplied(const char *path, const Bytes *part, size_t count, Supply supply,
                         Error *error) {
    struct stat info;
    bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return io_cannot_write(error, path, EISDIR);
    if (there && !S_ISREG(info.st_mode)) /* renaming over /dev/null would destroy it */
        return write_directly(path, part, count, supply, error);

    char temporary[PATH_LIMIT];
    int descriptor = open_temporary(path, temporary);
    if (descriptor < 0)
        return io_cannot_write(error, path, errno);
    int failed = write_parts(descriptor, part, count, supply);
    if (!failed)
        failed = call_sync(descriptor);
    int reason = errno;
    if (call_close(descriptor) != 0 && !failed) {
        failed = -1;
        reason = errno;
    }
    if (!failed && call_rename(temporary, path) != 0) {
        failed = -1;
        reason = errno;
    }
    if (failed) {
        call_remove(temporary);
        return io_cannot_write(error, path, reason);
    }
    if (sync_directory_of(path) != 0)
        return io_cannot_write(error, path, errno);
    return STATUS_OK;
}

Status io_write_atomic(const char *path, const Bytes *part, size_t count, Error *error) {
    return io_write_supplied(path, part, count, (Supply){NULL, NULL}, error);
}

static Status copy_atomic(const char *from, const char *to, Error *error) {
    char *data;
    size_t size;
    Status status = io_read_file(from, SIZE_MAX / 4, &data, &size, error);
    if (status == STATUS_OK)
        status = io_write_atomic(to, &(Bytes){data, size}, 1, error);
    free(data);
    return status;
}

Status io_link_atomic(const char *from, const char *to, Error *error) {
    char temporary[PATH_LIMIT];
    int linked = -1;
    for (int attempt = 0; attempt < TEMPORARY_TRIES && linked != 0; attempt++) {
        if (!temporary_name(to, attempt, temporary))
            return io_cannot_write(error, to, ENAMETOOLONG);
        linked = FAULT("link") ? -1 : link(from, temporary);
        if (linked != 0 && errno != EEXIST)
            return copy_atomic(from, to, error);
    }
    if (linked != 0)
        return io_cannot_write(error, to, EEXIST);
    if (call_rename(temporary, to) != 0) {
        int reason = errno;
        call_remove(temporary);
        return io_cannot_write(error, to, reason);
    }
    /* rename does nothing when both names are the same file already, and leaves the temporary. */
    unlink(temporary);
    if (sync_directory_of(to) != 0)
        return io_cannot_write(error, to, errno);
    return STATUS_OK;
}

/* ---- appending ---- */

Status io_append_open(const char *path, IoAppend *file, Error *error) {
    *file = IO_APPEND_NONE;
    struct stat info;
    int descriptor = call_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return io_cannot_write(error, path, errno);
    int failed = call_stat(descriptor, &info), reason = errno;
    if (failed || !S_ISREG(info.st_mode)) {
        close(descriptor);
        return failed ? io_cannot_write(error, path, reason)
                      : error_set(error, STATUS_CANNOT_WRITE,
                                  "cannot write '%s': it is %s, not a regular file", path,
                                  kind_of(info.st_mode));
    }
    char *copy = strdup(path);
    if (!copy) {
        close(descriptor);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory to open '%s'", path);
    }
    *file = (IoAppend){descriptor, copy, info.st_size};
    return STATUS_OK;
}

Status io_append(IoAppend *file, const void *record, size_t size, Error *error) {
    if (call_write_all(file->descriptor, record, size) == 0) {
        file->size += (int64_t)size;
        return STATUS_OK;
    }
    int reason = errno;
    /* Not injectable: it is the repair of an injected failure. */
    if (ftruncate(file->descriptor, (off_t)file->size) != 0)
        return error_set_errno(error, STATUS_CANNOT_WRITE, reason,
                               "cannot write '%s', and its last line could not be removed",
                               file->path);
    return io_cannot_write(error, file->path, reason);
}

Status io_append_close(IoAppend *file, Error *error) {
    Status status = STATUS_OK;
    if (file->descriptor >= 0 && call_close(file->descriptor) != 0)
        status = io_cannot_write(error, file->path, errno);
    free(file->path);
    *file = IO_APPEND_NONE;
    return status;
}
