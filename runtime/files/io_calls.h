/* io_calls.h: single system calls, made again when a signal interrupts them. For io.c and io_directory.c only:
 * everything else uses io.h. Each goes through FAULT, which tests use to make any one of them fail; without
 * PDE_FAULTS it is the constant 0. */
#ifndef PDE_RUNTIME_FILES_IO_CALLS_H
#define PDE_RUNTIME_FILES_IO_CALLS_H

#include "files/io.h"

#include <sys/types.h>

struct stat;

#define TEMPORARY_PREFIX ".pde-tmp-"

enum { PATH_LIMIT = 4096 };

#ifdef PDE_FAULTS
int io_fault(const char *operation);
#define FAULT(operation) io_fault(operation)
#else
#define FAULT(operation) 0
#endif

/* As the calls of these names: a negative result, and why in errno. */
int call_open(const char *path, int flags);
ssize_t call_read(int descriptor, void *data, size_t size);
int call_write_all(int descriptor, const void *data, size_t size);
int call_sync(int descriptor);
int call_close(int descriptor);
int call_truncate(int descriptor, off_t size);
int call_rename(const char *from, const char *to);
int call_remove(const char *path);
int call_stat(int descriptor, struct stat *info);

Status io_cannot_write(Error *error, const char *path, int reason);

#endif
