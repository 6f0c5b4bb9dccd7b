/* scratch.h: a directory of its own for each test, and files in it. */
#ifndef PDE_TEST_SCRATCH_H
#define PDE_TEST_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

enum { SCRATCH_PATH_MAX = 512 };

/* A fresh empty directory under $TMPDIR (or /tmp). */
bool scratch_make(char directory[SCRATCH_PATH_MAX]);
/* Removes it with the files in it (one level). */
void scratch_remove(const char *directory);
/* Number of entries in the directory. */
size_t scratch_count(const char *directory);
/* Joins; the result lies in one of a few static buffers that are used in turn. */
const char *scratch_path(const char *directory, const char *name);
bool scratch_put(const char *path, const void *data, size_t size);
/* True if the file holds exactly these bytes. */
bool scratch_holds(const char *path, const void *data, size_t size);
/* A copy of the text that outlives the test: a failure is reported after the test has returned. */
const char *scratch_note(const char *text);
/* Runs a shell command; its exit code, or -1. Output up to size - 1 bytes goes to out. */
int scratch_run(const char *command, char *out, size_t size);

#endif
