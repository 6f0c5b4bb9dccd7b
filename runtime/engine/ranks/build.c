#define _POSIX_C_SOURCE 200809L
#include "engine/ranks/build.h"

#include "cache/cache.h"
#include "cc/cc.h"
#include "files/io.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PLUGIN[] = "pderun_mpi.so";

static bool in_cache(char *out, Error *error) {
    char directory[CACHE_PATH_MAX];
    if (cache_find(directory, error) != STATUS_OK || !directory[0])
        return false;
    int n = snprintf(out, RANKS_PATH_MAX, "%s/%s", directory, PLUGIN);
    assert(directory[0] == '/');
    return n > 0 && n < RANKS_PATH_MAX;
}

bool ranks_plugin(char *out) {
    Error ignored = {0};
    const char *stated = getenv("PDE_TRANSPORT");
    if (stated && stated[0]) {
        int n = snprintf(out, RANKS_PATH_MAX, "%s", stated);
        return n > 0 && n < RANKS_PATH_MAX;
    }
    return in_cache(out, &ignored) && io_exists(out);
}

Status ranks_build(char *out, Error *error) {
    const char *stated = getenv("MPICC"), *program = stated && stated[0] ? stated : "mpicc";
    Buffer source = {0}, made = {0};
    Error why = {0};
    if (!in_cache(out, &why))
        return error_set(error, STATUS_CANNOT_WRITE,
                         "there is no directory of your own for the plugin: %s",
                         why.message[0] ? why.message : "set HOME or XDG_CACHE_HOME");
    for (size_t k = 0; k < ranks_text_count; k++)
        buffer_bytes(&source, ranks_text[k].text, ranks_text[k].size);
    Status status = buffer_status(&source, error);
    if (status == STATUS_OK)
        status = cc_shared(program, (Bytes){source.data, source.size}, &made, &why);
    if (status == STATUS_NO_COMPILER)
        status = error_set(
            error, status,
            "there is no '%s' here: install the MPI that your launcher belongs to, with its "
            "headers (libopenmpi-dev or libmpich-dev), or set MPICC to its compiler",
            program);
    else if (status != STATUS_OK)
        status = error_set(error, status, "%s could not compile the connection to MPI: %s", program,
                           why.message);
    if (status == STATUS_OK)
        status = io_write_atomic(out, &(Bytes){made.data, made.size}, 1, error);
    buffer_free(&source);
    buffer_free(&made);
    return status;
}
