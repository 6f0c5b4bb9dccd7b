/* module.c: the module file: kernels compiled to LLVM bitcode by clang, beside plan, settings and text.
 *
 * clang reads the source from standard input and writes to standard output, so that no file name
 * gets into the bitcode: the same problem gives the same bytes. It runs without a shell. */
#define _GNU_SOURCE
#include "module.h"

#include "buffer.h"
#include "io.h"
#include "modfile.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* An anonymous file in memory with these bytes; -1 on failure. */
static int memory_file(const char *name, const char *bytes, size_t n) {
    int fd = memfd_create(name, 0);
    for (size_t done = 0; fd >= 0 && done < n;) {
        ssize_t wrote = write(fd, bytes + done, n - done);
        if (wrote < 0) {
            close(fd);
            return -1;
        }
        done += (size_t)wrote;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static Status read_all(int fd, Buffer *out, Error *error) {
    char chunk[65536];
    lseek(fd, 0, SEEK_SET);
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0)
            return error_set_errno(error, STATUS_CANNOT_READ, errno, "reading what clang wrote");
        if (n == 0)
            return STATUS_OK;
        buffer_bytes(out, chunk, (size_t)n);
    }
}

/* Runs clang with the source on its standard input; its standard output goes to `result`. */
static Status run_clang(const char *real_type, int source, int result, Error *error) {
    char define[32];
    snprintf(define, sizeof define, "-D%s", real_type);
    char *const argv[] = {(char[]){PDE_CLANG}, (char[]){"-x"}, (char[]){"c"}, (char[]){"-std=c11"}, (char[]){"-O1"},
                          (char[]){"-emit-llvm"}, (char[]){"-c"}, (char[]){"-ffp-contract=fast"},
                          (char[]){"-fno-math-errno"}, (char[]){"-fno-trapping-math"}, (char[]){"-w"}, define,
                          (char[]){"-o"}, (char[]){"-"}, (char[]){"-"}, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, source, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, result, STDOUT_FILENO);
    pid_t child;
    int failed = posix_spawnp(&child, PDE_CLANG, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return error_set_errno(error, STATUS_JIT_FAILED, failed, "starting %s, which compiles the kernels", PDE_CLANG);
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 0)
        return error_set(error, STATUS_JIT_FAILED, "%s could not compile the generated kernels; this is a mistake of pdec",
                         PDE_CLANG);
    return STATUS_OK;
}

static Status bitcode(const char *real_type, const char *source, size_t n, Buffer *out, Error *error) {
    int in = memory_file("kernels", source, n), result = memory_file("bitcode", "", 0);
    Status status = in >= 0 && result >= 0 ? run_clang(real_type, in, result, error)
                                           : error_set_errno(error, STATUS_CANNOT_WRITE, errno, "making a file in memory");
    if (status == STATUS_OK)
        status = read_all(result, out, error);
    if (in >= 0)
        close(in);
    if (result >= 0)
        close(result);
    return status;
}

static Bytes part(const PdecResult *r, PdecPart id) {
    return (Bytes){r->part[id] ? r->part[id] : "", r->part_n[id]};
}

Status module_make(const char *path, const PdecResult *r, const char *text, size_t n, const PtxArchs *archs,
                   Error *error) {
    enum { COMMON = 7 };
    Buffer single = {0}, twice = {0};
    PtxSections ptx;
    Bytes source = part(r, PDEC_PART_SOURCE);
    Status status = ptx_sections(source, archs, &ptx, error);
    if (status == STATUS_OK)
        status = bitcode("PDE_FLOAT", source.data, source.size, &single, error);
    if (status == STATUS_OK)
        status = bitcode("PDE_DOUBLE", source.data, source.size, &twice, error);
    ModuleBlob blob[COMMON + PTX_BLOBS] = {
        {".pde.plan", 0, part(r, PDEC_PART_PLAN)},
        {".pde.src", 0, source},
        {".pde.bc32", PDE_SECTION_OPTIONAL, {single.data, single.size}},
        {".pde.bc64", PDE_SECTION_OPTIONAL, {twice.data, twice.size}},
        {".pde.conf", 0, part(r, PDEC_PART_CONF)},
        {".pde.dbg", PDE_SECTION_OPTIONAL, {text, n}},
        {".pde.math", PDE_SECTION_OPTIONAL, part(r, PDEC_PART_MATH)},
    };
    for (size_t k = 0; k < ptx.n; k++)
        blob[COMMON + k] = ptx.blob[k];
    if (status == STATUS_OK)
        status = module_write(path, blob, COMMON + ptx.n, PDE_VERSION, error);
    ptx_free(&ptx);
    buffer_free(&single);
    buffer_free(&twice);
    return status;
}
