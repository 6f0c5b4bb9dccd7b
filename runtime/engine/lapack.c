#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/lapack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Address space that OpenBLAS takes for each thread that is in a call: 128 MB where it takes most. */
static const size_t ROOM = (size_t)160 << 20;

typedef struct Opened {
    Lapack function;
    bool whole;
    char why[256];
} Opened;

static Opened opened;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void) {
    static const char *const name[] = {"dsyev_",  "dgemm_", "dpotrf_",
                                       "dpotrs_", "dsyrk_", "dtrsm_"};
    enum { NAMES = sizeof name / sizeof *name };
    void *found[NAMES], *one_thread;
    setenv("OPENBLAS_NUM_THREADS", "1", 1); /* read when the library is loaded */
    void *library = dlopen(PDE_LAPACK, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    opened.whole = library != NULL;
    for (int k = 0; k < NAMES && opened.whole; k++) {
        found[k] = dlsym(library, name[k]);
        opened.whole = found[k] != NULL;
    }
    if (!opened.whole) {
        const char *why = dlerror();
        strncpy(opened.why, why ? why : PDE_LAPACK, sizeof opened.why - 1);
        return;
    }
    memcpy(&opened.function.dsyev, &found[0], sizeof found[0]);
    memcpy(&opened.function.dgemm, &found[1], sizeof found[0]);
    memcpy(&opened.function.dpotrf, &found[2], sizeof found[0]);
    memcpy(&opened.function.dpotrs, &found[3], sizeof found[0]);
    memcpy(&opened.function.dsyrk, &found[4], sizeof found[0]);
    memcpy(&opened.function.dtrsm, &found[5], sizeof found[0]);
    one_thread =
        dlsym(library, "openblas_set_num_threads"); /* built with OpenMP it reads another name */
    if (one_thread) {
        void (*set)(int);
        memcpy(&set, &one_thread, sizeof one_thread);
        set(1);
    }
}

const Lapack *lapack(void) {
    pthread_once(&once, open_library);
    return opened.whole ? &opened.function : NULL;
}

Status lapack_open(int threads, Error *error) {
    size_t size = ROOM * (size_t)threads;
    if (!lapack())
        return error_set(error, STATUS_LAPACK, "cannot open the linear algebra library: %s",
                         opened.why);
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return error_set(
            error, STATUS_OUT_OF_MEMORY,
            "no room for the linear algebra library: it takes up to %zu MB of address space; "
            "fewer --threads need less, and so does an optimiser without it (--optimiser adam)",
            size >> 20);
    munmap(room, size);
    return STATUS_OK;
}
