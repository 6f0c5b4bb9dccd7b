/* io_calls.c: see io_calls.h. */
#define _POSIX_C_SOURCE 200809L
#include "files/io_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITE_CHUNK = 1 << 30 }; /* Linux writes at most 2 GiB - 4 KiB in one call */

#ifdef PDE_FAULTS
IoFaultHook io_fault_hook;

int io_fault(const char *operation) {
    int result = io_fault_hook ? io_fault_hook(operation) : 0;
    if (result > 0)
        errno = result;
    return result;
}
#endif

int call_open(const char *path, int flags) {
    if (FAULT("open"))
        return -1;
    int descriptor;
    do
        descriptor = open(path, flags | O_CLOEXEC, 0666);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

ssize_t call_read(int descriptor, void *data, size_t size) {
    if (FAULT("read"))
        return -1;
    ssize_t got;
    do
        got = read(descriptor, data, size);
    while (got < 0 && errno == EINTR);
    return got;
}

int call_write_all(int descriptor, const void *data, size_t size) {
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

int call_sync(int descriptor) {
    return FAULT("fsync") ? -1 : fsync(descriptor);
}

/* close can report a delayed write error (NFS, quotas), so its result counts after writing. */
int call_close(int descriptor) {
    int failed = FAULT("close");
    int saved = errno;
    int result = close(descriptor);
    if (failed) {
        errno = saved;
        return -1;
    }
    return result;
}

int call_truncate(int descriptor, off_t size) {
    return FAULT("ftruncate") ? -1 : ftruncate(descriptor, size);
}

int call_rename(const char *from, const char *to) {
    return FAULT("rename") ? -1 : rename(from, to);
}

int call_remove(const char *path) {
    return FAULT("unlink") ? -1 : unlink(path);
}

int call_stat(int descriptor, struct stat *info) {
    return FAULT("fstat") ? -1 : fstat(descriptor, info);
}

Status io_cannot_write(Error *error, const char *path, int reason) {
    return error_set_errno(error, STATUS_CANNOT_WRITE, reason, "cannot write '%s'", path);
}
