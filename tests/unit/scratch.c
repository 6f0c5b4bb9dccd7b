/* scratch.c: see scratch.h. Uses stdio and POSIX directly, not io.c, which it is used to test. */
#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool scratch_make(char directory[SCRATCH_PATH_MAX]) {
    const char *base = getenv("TMPDIR");
    snprintf(directory, SCRATCH_PATH_MAX, "%s/pde-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(directory) != NULL;
}

/* Visits all entries; removes them if asked to; returns their number. */
static size_t sweep(const char *path, bool removing) {
    DIR *directory = opendir(path);
    size_t count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (removing)
            remove(scratch_path(path, entry->d_name));
    }
    if (directory)
        closedir(directory);
    return count;
}

void scratch_remove(const char *directory) {
    chmod(directory, 0700);
    sweep(directory, true);
    rmdir(directory);
}

size_t scratch_count(const char *directory) {
    return sweep(directory, false);
}

const char *scratch_path(const char *directory, const char *name) {
    static char path[8][2 * SCRATCH_PATH_MAX];
    static unsigned next;
    char *out = path[next++ % 8];
    snprintf(out, sizeof path[0], "%s/%s", directory, name);
    return out;
}

bool scratch_put(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

bool scratch_holds(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(size + 1);
    bool same = file && bytes && fread(bytes, 1, size + 1, file) == size &&
                (size == 0 || memcmp(bytes, data, size) == 0);
    free(bytes);
    if (file)
        fclose(file);
    return same;
}

const char *scratch_note(const char *text) {
    static char note[1024];
    snprintf(note, sizeof note, "%s", text);
    return note;
}

int scratch_run(const char *command, char *out, size_t size) {
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return -1;
    size_t used = fread(out, 1, size - 1, pipe);
    out[used] = '\0';
    char rest[256];
    while (fread(rest, 1, sizeof rest, pipe) > 0)
        continue;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
