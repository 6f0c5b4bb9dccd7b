/* test_allocations.c: every allocation of a whole compilation fails in turn, over all examples: the
 * compiler must end in order with exit code 3 and leak nothing (run under LeakSanitizer by
 * ./go test --all). Without an argument a sample of the allocations, with "all" each of them. */
#include "compiler/base/source.h"
#include "compiler/pdec.h"

#include "greatest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t stride;

static int compile(const char *text, size_t n, uint64_t fail_at, uint64_t *calls) {
    PdecOptions options = {.module = true, .fail_at = fail_at};
    PdecResult result;
    int status = pdec_compile("example.pde", text, n, &options, &result);
    if (calls)
        *calls = result.allocations;
    pdec_result_free(&result);
    return status;
}

TEST fails_in_order(const char *path) {
    char *text = NULL;
    size_t n = 0;
    uint64_t calls = 0;
    ASSERT_EQ(READ_OK, source_read(path, &text, &n));
    ASSERT_EQ_FMT(PDEC_OK, compile(text, n, 0, &calls), "%d");
    uint64_t step = stride ? calls / stride + 1 : 1;
    for (uint64_t at = 1; at <= calls; at += step) {
        int status = compile(text, n, at, NULL);
        if (status != PDEC_ENVIRONMENT)
            fprintf(stderr, "%s: allocation %llu of %llu: status %d\n", path,
                    (unsigned long long)at, (unsigned long long)calls, status);
        ASSERT_EQ_FMT(PDEC_ENVIRONMENT, status, "%d");
    }
    free(text);
    PASS();
}

SUITE(examples) {
    const char *folder = PDE_SOURCE_DIR "/examples";
    DIR *d = opendir(folder);
    struct dirent *entry;
    while (d && (entry = readdir(d))) {
        char path[4096];
        size_t n = strlen(entry->d_name);
        if (n < 4 || strcmp(entry->d_name + n - 4, ".pde") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        RUN_TESTp(fails_in_order, path);
    }
    if (d)
        closedir(d);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    stride = argc > 1 && strcmp(argv[1], "all") == 0 ? 0 : 60;
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(examples);
    GREATEST_MAIN_END();
}
