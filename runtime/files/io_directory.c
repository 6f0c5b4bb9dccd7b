/* io_directory.c: directories: made, listed, cleared of what a dead process left, locked for one run. */
#define _POSIX_C_SOURCE 200809L
#include "files/io_calls.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_TRIES = 100, LIST_LIMIT = 1 << 20 };

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
        return io_cannot_write(error, path, length ? ENAMETOOLONG : ENOENT);
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
    if (call_remove(path) != 0 && errno != ENOENT)
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
    ssize_t got = call_read(descriptor, holder, sizeof holder - 1);
    holder[got > 0 ? (size_t)got : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    return error_set(error, STATUS_RUN_LOCKED, "'%s' is in use by another run%s%s", directory,
                     *holder ? ", " : "", holder);
}

/* One attempt; sets *retry when the file was replaced while we waited for it. */
static Status try_lock(const char *directory, char *path, IoLock *lock, bool *retry, Error *error) {
    *retry = false;
    /* Not through a link: the file is emptied, and it may be anybody's. */
    int descriptor = call_open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return io_cannot_write(error, path, errno);
    if ((FAULT("flock") ? -1 : flock(descriptor, LOCK_EX | LOCK_NB)) != 0) {
        Status status = errno == EWOULDBLOCK ? report_holder(descriptor, directory, error)
                                             : io_cannot_write(error, path, errno);
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
    if (call_truncate(descriptor, 0) != 0 ||
        call_write_all(descriptor, holder, (size_t)length) != 0) {
        int reason = errno;
        unlink(path);
        close(descriptor);
        return io_cannot_write(error, path, reason);
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
