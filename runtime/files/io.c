/* io.c: system calls behind io.h. Each goes through FAULT, which tests use to make any one of them
 * fail; without PDE_FAULTS it is the constant 0. */
#define _POSIX_C_SOURCE 200809L
#include "files/io.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEMPORARY_PREFIX ".pde-tmp-"

enum {
    PATH_LIMIT = 4096,
    WRITE_CHUNK = 1 << 30, /* Linux writes at most 2 GiB - 4 KiB in one call */
    TEMPORARY_TRIES = 100,
    LOCK_TRIES = 100,
    LIST_LIMIT = 1 << 20,
};

#ifdef PDE_FAULTS
IoFaultHook io_fault_hook;

static int fault(const char *operation) {
    int result = io_fault_hook ? io_fault_hook(operation) : 0;
    if (result > 0)
        errno = result;
    return result;
}
#define FAULT(operation) fault(operation)
#else
#define FAULT(operation) 0
#endif

/* ---- single system calls, retried when a signal interrupts them ---- */

static int open_file(const char *path, int flags) {
    if (FAULT("open"))
        return -1;
    int descriptor;
    do
        descriptor = open(path, flags | O_CLOEXEC, 0666);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

static ssize_t read_some(int descriptor, void *data, size_t size) {
    if (FAULT("read"))
        return -1;
    ssize_t got;
    do
        got = read(descriptor, data, size);
    while (got < 0 && errno == EINTR);
    return got;
}

static int write_all(int descriptor, const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        int injected = FAULT("write");
        if (injected > 0)
            return -1;
        size_t chunk = size < WRITE_CHUNK ? size : WRITE_CHUNK;
        if (injected < 0)
            chunk = (chunk + 1) / 2;
        ssize_t put = write(descriptor, at, chunk);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        if (injected < 0) {
            errno = ENOSPC;
            return -1;
        }
        at += put;
        size -= (size_t)put;
    }
    return 0;
}

static int sync_file(int descriptor) {
    return FAULT("fsync") ? -1 : fsync(descriptor);
}

/* close can report a delayed write error (NFS, quotas), so its result counts after writing. */
static int close_file(int descriptor) {
    int failed = FAULT("close");
    int saved = errno;
    int result = close(descriptor);
    if (failed) {
        errno = saved;
        return -1;
    }
    return result;
}

static int truncate_file(int descriptor, off_t size) {
    return FAULT("ftruncate") ? -1 : ftruncate(descriptor, size);
}

static int rename_file(const char *from, const char *to) {
    return FAULT("rename") ? -1 : rename(from, to);
}

static int remove_file(const char *path) {
    return FAULT("unlink") ? -1 : unlink(path);
}

static int stat_file(int descriptor, struct stat *info) {
    return FAULT("fstat") ? -1 : fstat(descriptor, info);
}

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
    int descriptor = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0 || stat_file(descriptor, info) != 0) {
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
        ssize_t got = read_some(descriptor, bytes + used, capacity - used);
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
        if (write_all(descriptor, part[i].data, part[i].size) != 0)
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
        int descriptor = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
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
    int descriptor = open_file(directory, O_RDONLY | O_DIRECTORY);
    if (descriptor < 0)
        return -1;
    int result = sync_file(descriptor);
    if (result != 0 && errno == EINVAL)
        result = 0;
    int reason = errno;
    close(descriptor);
    errno = reason;
    return result;
}

static Status cannot_write(Error *error, const char *path, int reason) {
    return error_set_errno(error, STATUS_CANNOT_WRITE, reason, "cannot write '%s'", path);
}

/* Opening a pipe without a reader would wait for ever; one with a reader is written to as usual. */
static Status write_directly(const char *path, const Bytes *part, size_t count, Supply supply,
                             Error *error) {
    int descriptor = open_file(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0 && errno == ENXIO)
        return error_set(error, STATUS_CANNOT_WRITE,
                         "cannot write '%s': it is a pipe that nothing reads, or a device that is "
                         "not there",
                         path);
    if (descriptor < 0)
        return cannot_write(error, path, errno);
    int failed = fcntl(descriptor, F_SETFL, O_WRONLY);
    failed = failed ? failed : write_parts(descriptor, part, count, supply);
    int reason = errno;
    if (close_file(descriptor) != 0 && !failed) {
        failed = -1;
        reason = errno;
    }
    return failed ? cannot_write(error, path, reason) : STATUS_OK;
}

Status io_write_supplied(const char *path, const Bytes *part, size_t count, Supply supply,
                         Error *error) {
    struct stat info;
    bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return cannot_write(error, path, EISDIR);
    if (there && !S_ISREG(info.st_mode)) /* renaming over /dev/null would destroy it */
        return write_directly(path, part, count, supply, error);

    char temporary[PATH_LIMIT];
    int descriptor = open_temporary(path, temporary);
    if (descriptor < 0)
        return cannot_write(error, path, errno);
    int failed = write_parts(descriptor, part, count, supply);
    if (!failed)
        failed = sync_file(descriptor);
    int reason = errno;
    if (close_file(descriptor) != 0 && !failed) {
        failed = -1;
        reason = errno;
    }
    if (!failed && rename_file(temporary, path) != 0) {
        failed = -1;
        reason = errno;
    }
    if (failed) {
        remove_file(temporary);
        return cannot_write(error, path, reason);
    }
    if (sync_directory_of(path) != 0)
        return cannot_write(error, path, errno);
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
            return cannot_write(error, to, ENAMETOOLONG);
        linked = FAULT("link") ? -1 : link(from, temporary);
        if (linked != 0 && errno != EEXIST)
            return copy_atomic(from, to, error);
    }
    if (linked != 0)
        return cannot_write(error, to, EEXIST);
    if (rename_file(temporary, to) != 0) {
        int reason = errno;
        remove_file(temporary);
        return cannot_write(error, to, reason);
    }
    /* rename does nothing when both names are the same file already, and leaves the temporary. */
    unlink(temporary);
    if (sync_directory_of(to) != 0)
        return cannot_write(error, to, errno);
    return STATUS_OK;
}

/* ---- directories ---- */

static int make_one_directory(const char *path) {
    if (FAULT("mkdir"))
        return -1;
    if (mkdir(path, 0777) == 0)
        return 0;
    struct stat info;
    int reason = errno;
    if (reason == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return 0;
    errno = reason == EEXIST ? ENOTDIR : reason;
    return -1;
}

Status io_make_directory(const char *path, Error *error) {
    char partial[PATH_LIMIT];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof partial)
        return cannot_write(error, path, length ? ENAMETOOLONG : ENOENT);
    memcpy(partial, path, length + 1);
    for (size_t i = 1; i < length; i++) {
        if (partial[i] != '/')
            continue;
        partial[i] = '\0';
        if (make_one_directory(partial) != 0)
            return error_set_errno(error, STATUS_CANNOT_WRITE, errno, "cannot make directory '%s'",
                                   partial);
        partial[i] = '/';
    }
    if (make_one_directory(path) != 0)
        return error_set_errno(error, STATUS_CANNOT_WRITE, errno, "cannot make directory '%s'",
                               path);
    return STATUS_OK;
}

Status io_remove(const char *path, Error *error) {
    if (remove_file(path) != 0 && errno != ENOENT)
        return error_set_errno(error, STATUS_CANNOT_WRITE, errno, "cannot remove '%s'", path);
    return STATUS_OK;
}

bool io_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list_push(IoList *list, const char *name) {
    if (list->count == LIST_LIMIT)
        return false;
    if ((list->count & (list->count - 1)) == 0) { /* full at every power of two: double */
        size_t capacity = list->count ? 2 * list->count : 1;
        char **larger = realloc(list->name, capacity * sizeof *larger);
        if (!larger)
            return false;
        list->name = larger;
    }
    list->name[list->count] = strdup(name);
    return list->name[list->count] && ++list->count;
}

Status io_list_directory(const char *path, IoList *list, Error *error) {
    *list = (IoList){0};
    DIR *directory = FAULT("opendir") ? NULL : opendir(path);
    if (!directory)
        return error_set_errno(error, STATUS_CANNOT_READ, errno, "cannot list '%s'", path);
    Status status = STATUS_OK;
    errno = 0;
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(directory)); errno = 0) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (!list_push(list, entry->d_name))
            status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory to list '%s'", path);
    }
    if (status == STATUS_OK && errno != 0)
        status = error_set_errno(error, STATUS_CANNOT_READ, errno, "cannot list '%s'", path);
    closedir(directory);
    if (status != STATUS_OK)
        io_list_free(list);
    else if (list->count > 0)
        qsort(list->name, list->count, sizeof *list->name, compare_names);
    return status;
}

void io_list_free(IoList *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->name[i]);
    free(list->name);
    *list = (IoList){0};
}

/* ---- appending ---- */

Status io_append_open(const char *path, IoAppend *file, Error *error) {
    *file = IO_APPEND_NONE;
    struct stat info;
    int descriptor = open_file(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return cannot_write(error, path, errno);
    int failed = stat_file(descriptor, &info), reason = errno;
    if (failed || !S_ISREG(info.st_mode)) {
        close(descriptor);
        return failed ? cannot_write(error, path, reason)
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
    if (write_all(file->descriptor, record, size) == 0) {
        file->size += (int64_t)size;
        return STATUS_OK;
    }
    int reason = errno;
    /* Not injectable: it is the repair of an injected failure. */
    if (ftruncate(file->descriptor, (off_t)file->size) != 0)
        return error_set_errno(error, STATUS_CANNOT_WRITE, reason,
                               "cannot write '%s', and its last line could not be removed",
                               file->path);
    return cannot_write(error, file->path, reason);
}

Status io_append_close(IoAppend *file, Error *error) {
    Status status = STATUS_OK;
    if (file->descriptor >= 0 && close_file(file->descriptor) != 0)
        status = cannot_write(error, file->path, errno);
    free(file->path);
    *file = IO_APPEND_NONE;
    return status;
}

/* ---- the lock of a run directory ---- */

/* The holder removes the file before it releases the lock, so a lock won on a file that no longer
 * has its name protects nothing. */
static bool still_named(int descriptor, const char *path) {
    struct stat held, named;
    return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

static Status report_holder(int descriptor, const char *directory, Error *error) {
    char holder[64] = "";
    ssize_t got = read_some(descriptor, holder, sizeof holder - 1);
    holder[got > 0 ? (size_t)got : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    return error_set(error, STATUS_RUN_LOCKED, "'%s' is in use by another run%s%s", directory,
                     *holder ? ", " : "", holder);
}

/* One attempt; sets *retry when the file was replaced while we waited for it. */
static Status try_lock(const char *directory, char *path, IoLock *lock, bool *retry, Error *error) {
    *retry = false;
    /* Not through a link: the file is emptied, and it may be anybody's. */
    int descriptor = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return cannot_write(error, path, errno);
    if ((FAULT("flock") ? -1 : flock(descriptor, LOCK_EX | LOCK_NB)) != 0) {
        Status status = errno == EWOULDBLOCK ? report_holder(descriptor, directory, error)
                                             : cannot_write(error, path, errno);
        close(descriptor);
        return status;
    }
    if (!still_named(descriptor, path)) {
        *retry = true;
        close(descriptor);
        return STATUS_OK;
    }
    char holder[64];
    int length = snprintf(holder, sizeof holder, "process %ld\n", (long)getpid());
    if (truncate_file(descriptor, 0) != 0 || write_all(descriptor, holder, (size_t)length) != 0) {
        int reason = errno;
        unlink(path);
        close(descriptor);
        return cannot_write(error, path, reason);
    }
    *lock = (IoLock){descriptor, path};
    return STATUS_OK;
}

/* A name that temporary_name makes, with the number of its process. */
static bool is_temporary(const char *name, long *process) {
    size_t prefix = strlen(TEMPORARY_PREFIX);
    char *end;
    if (strncmp(name, TEMPORARY_PREFIX, prefix) != 0 || !isdigit((unsigned char)name[prefix]))
        return false;
    errno = 0;
    *process = strtol(name + prefix, &end, 10);
    return errno == 0 && *end == '-' && end[1] && strspn(end + 1, "0123456789") == strlen(end + 1);
}

/* A file that has our own number is of a process that had it before us. */
static bool is_alive(long process) {
    return process != (long)getpid() && (kill((pid_t)process, 0) == 0 || errno == EPERM);
}

void io_remove_temporaries(const char *directory, int64_t age) {
    IoList list;
    if (io_list_directory(directory, &list, NULL) != STATUS_OK)
        return;
    for (size_t i = 0; i < list.count; i++) {
        char path[PATH_LIMIT];
        struct stat info;
        long process;
        if (is_temporary(list.name[i], &process) && !is_alive(process) &&
            snprintf(path, sizeof path, "%s/%s", directory, list.name[i]) < PATH_LIMIT &&
            stat(path, &info) == 0 && (int64_t)(time(NULL) - info.st_mtime) >= age)
            unlink(path);
    }
    io_list_free(&list);
}

Status io_lock(const char *directory, IoLock *lock, Error *error) {
    *lock = IO_LOCK_NONE;
    size_t size = strlen(directory) + sizeof "/lock";
    char *path = malloc(size);
    if (!path)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory to lock '%s'", directory);
    snprintf(path, size, "%s/lock", directory);
    Status status = STATUS_OK;
    bool retry = true;
    for (int attempt = 0; retry && attempt < LOCK_TRIES; attempt++)
        status = try_lock(directory, path, lock, &retry, error);
    if (retry)
        status = error_set(error, STATUS_RUN_LOCKED, "'%s' is being locked and unlocked by others",
                           directory);
    if (status != STATUS_OK)
        free(path);
    else
        io_remove_temporaries(directory, 0);
    return status;
}

void io_unlock(IoLock *lock) {
    if (lock->descriptor >= 0) {
        unlink(lock->path);
        close(lock->descriptor);
    }
    free(lock->path);
    *lock = IO_LOCK_NONE;
}
