/* io.h: every access of the runtime to the file system.
 *
 * A file that is replaced is replaced atomically: after a crash, a full disk or a read-only
 * directory either the old or the new content is there, whole. */
#ifndef PDE_RUNTIME_FILES_IO_H
#define PDE_RUNTIME_FILES_IO_H

#include "files/buffer.h"

#include <stdint.h>

/* Reads all of the regular file `path` (no pipe, no device), at most `limit` bytes, into *data (owner: caller, free()), followed by a
 * NUL that is not counted. On failure *data is NULL. */
Status io_read_file(const char *path, size_t limit, char **data, size_t *size, Error *error);

/* All of `path` as memory that is read from the file when it is touched, so that a file larger than
 * what may be held costs nothing; read only. An empty file is NULL and no error. The file must stay
 * as it is (ours are replaced, never changed). Release with io_unmap_file. */
Status io_map_file(const char *path, char **data, size_t *size, Error *error);
void io_unmap_file(char *data, size_t size);

/* Replaces `path` by the concatenation of the parts: temporary file in the same directory, fsync,
 * rename, fsync of the directory. A device, or a pipe that somebody reads, is written to directly. */
Status io_write_atomic(const char *path, const Bytes *part, size_t count, Error *error);
Status io_write_supplied(const char *path, const Bytes *part, size_t count, Supply supply,
                         Error *error);

/* Makes `to` a second name of the existing file `from`, atomically; copies where the file system
 * has no hard links. Both must be in the same directory. */
Status io_link_atomic(const char *from, const char *to, Error *error);

/* Creates `path` and its missing parents; an existing directory is success. */
Status io_make_directory(const char *path, Error *error);
/* A file that is not there counts as removed. */
Status io_remove(const char *path, Error *error);
bool io_exists(const char *path);

/* owner of names and of the array; release with io_list_free. */
typedef struct IoList {
    char **name; /* sorted, without the directory, "." and ".." left out */
    size_t count;
} IoList;
Status io_list_directory(const char *path, IoList *list, Error *error);
void io_list_free(IoList *list);

/* A file that only grows by whole records. owner of the descriptor; initialise with IO_APPEND_NONE,
 * release with io_append_close. */
typedef struct IoAppend {
    int descriptor;
    char *path;
    int64_t size; /* bytes of complete records */
} IoAppend;
#define IO_APPEND_NONE ((IoAppend){.descriptor = -1})
Status io_append_open(const char *path, IoAppend *file, Error *error);
/* Writes the whole record or, on failure, leaves the file as it was. */
Status io_append(IoAppend *file, const void *record, size_t size, Error *error);
Status io_append_close(IoAppend *file, Error *error);

/* The right to write into a run directory. Held through the descriptor, so the kernel releases it
 * when the process dies, however it dies. Initialise with IO_LOCK_NONE. */
typedef struct IoLock {
    int descriptor;
    char *path;
} IoLock;
#define IO_LOCK_NONE ((IoLock){.descriptor = -1})
/* STATUS_RUN_LOCKED, naming the process, if another holder is alive. Also removes temporary files
 * that a dead holder left in the directory. */
Status io_lock(const char *directory, IoLock *lock, Error *error);
void io_unlock(IoLock *lock);

/* Removes what io_write_atomic of a process that is no more left in the directory, if it was last
 * written at least `age` seconds ago. Where several machines write, a process that is alive on another
 * looks dead: an age keeps its files. Failing to remove one costs disk space, nothing else. */
void io_remove_temporaries(const char *directory, int64_t age);

#ifdef PDE_FAULTS
/* For tests: called before every system call with its name. 0 lets it happen, a positive errno
 * value makes it fail with that, IO_FAULT_SHORT makes a write stop half way with ENOSPC. */
enum { IO_FAULT_SHORT = -1 };
typedef int (*IoFaultHook)(const char *operation);
extern IoFaultHook io_fault_hook;
#endif

#endif
