/* replay.c: runs a fuzz target over files and folders, for the ordinary tests. */
#define _POSIX_C_SOURCE 200809L
#include "compiler/base/source.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path) {
    char *text = NULL;
    size_t n = 0;
    if (source_read(path, &text, &n) != READ_OK)
        return 0;
    LLVMFuzzerTestOneInput((const uint8_t *)text, n);
    free(text);
    return 1;
}

int main(int argc, char **argv) {
    int files = 0;
    for (int i = 1; i < argc; i++) {
        DIR *d = opendir(argv[i]);
        if (!d) {
            files += replay_file(argv[i]);
            continue;
        }
        struct dirent *entry;
        while ((entry = readdir(d))) {
            char path[4096];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            files += replay_file(path);
        }
        closedir(d);
    }
    printf("%d files\n", files);
    return files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
