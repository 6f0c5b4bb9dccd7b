/* findings.c: what the device found wrong, said once with the place and counted. */
#include "soft.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

SoftCounters soft_counters;

static const char *const names[FOUND_COUNT] = {
#define X(name, text) text,
    SOFT_FINDINGS(X)
#undef X
};

/* PDE_SOFT_CUDA_LOG names a file; else standard error. */
FILE *soft_output(void) {
    static FILE *file;
    if (!file) {
        const char *path = getenv("PDE_SOFT_CUDA_LOG");
        file = path && *path ? fopen(path, "a") : NULL;
        if (!file)
            file = stderr;
        else
            setvbuf(file, NULL, _IOLBF, 0);
    }
    return file;
}

void finding(SoftFinding kind, const Place *where, const char *format, ...) {
    soft_counters.found[kind]++;
    if (soft_counters.found[kind] > 20)
        return; /* enough of a kind; the count goes on */
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    FILE *out = soft_output();
    fprintf(out, "soft-cuda: %s: %s\n", names[kind], text);
    if (!where)
        return;
    fprintf(out, "    kernel %s, block (%d,%d,%d), thread (%d,%d,%d)\n", where->kernel->name,
            where->block[0], where->block[1], where->block[2], where->thread[0], where->thread[1],
            where->thread[2]);
    if (!where->insn)
        return;
    const char *at = where->function->module->text;
    for (int k = 1; k < where->insn->line && at; k++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    while (at && (*at == ' ' || *at == '\t'))
        at++;
    fprintf(out, "    PTX line %d%s%s: %.*s\n", where->insn->line,
            where->function == where->kernel ? "" : ", function ",
            where->function == where->kernel ? "" : where->function->name,
            at ? (int)strcspn(at, "\n") : 0, at ? at : "");
}

void pdeSoftCudaCounters(SoftCounters *out, size_t size) {
    memcpy(out, &soft_counters, size < sizeof soft_counters ? size : sizeof soft_counters);
}

SoftCounters *pdeSoftCudaLiveCounters(void) {
    return &soft_counters;
}

void pdeSoftCudaReset(void) {
    uint64_t calls = soft_counters.calls;
    memset(&soft_counters, 0, sizeof soft_counters);
    soft_counters.calls = calls; /* PDE_SOFT_CUDA_FAIL counts on */
}

uint64_t pdeSoftCudaFindings(void) {
    uint64_t sum = 0;
    for (int k = 0; k < FOUND_COUNT; k++)
        sum += soft_counters.found[k];
    return sum;
}

void pdeSoftCudaBad(const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    finding(FOUND_BAD_ARGUMENT, NULL, "%s", text);
}
