/* module.c: the module file: kernels compiled to LLVM bitcode by clang, beside plan, settings and text.
 *
 * clang reads the source from standard input and writes to standard output, so that no file name
 * gets into the bitcode: the same problem gives the same bytes. It runs without a shell. */
#define _GNU_SOURCE
#include "driver/module.h"

#include "runtime/files/buffer.h"
#include "runtime/files/io.h"
#include "runtime/files/modfile.h"

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

/* One bitcode section. */
typedef struct Unit {
    const char *section, *real_type;
    bool watch;
} Unit;

static const Unit units[] = {
    {".pde.bc32", "PDE_FLOAT", false},
    {".pde.bc64", "PDE_DOUBLE", false},
    {".pde.wt32", "PDE_FLOAT", true},
    {".pde.wt64", "PDE_DOUBLE", true},
};
enum { UNITS = sizeof units / sizeof *units };

/* Runs clang with the source on its standard input; its standard output goes to `result`. */
static Status run_clang(const Unit *unit, int source, int result, Error *error) {
    char define[32], level[8];
    snprintf(define, sizeof define, "-D%s", unit->real_type);
    snprintf(level, sizeof level, "%s", unit->watch ? "-O0" : "-O2"); /* watching needs no speed */
    /* No passes here: what clang does for a processor it does not know hinders the loader's, which vectorise
     * for the one at hand (measured: 1.6 times the time for a source with sines). */
    char *const argv[] = {(char[]){PDE_CLANG},
                          (char[]){"-x"},
                          (char[]){"c"},
                          (char[]){"-std=c11"},
                          level,
                          (char[]){"-Xclang"},
                          (char[]){"-disable-llvm-passes"},
                          (char[]){"-emit-llvm"},
                          (char[]){"-c"},
                          (char[]){"-ffp-contract=fast"},
                          (char[]){"-fno-math-errno"},
                          (char[]){"-fno-trapping-math"},
                          (char[]){"-w"},
                          define,
                          (char[]){"-o"},
                          (char[]){"-"},
                          (char[]){"-"},
                          NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, source, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, result, STDOUT_FILENO);
    pid_t child;
    int failed = posix_spawnp(&child, PDE_CLANG, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return error_set_errno(error, STATUS_JIT_FAILED, failed,
                               "starting %s, which compiles the kernels", PDE_CLANG);
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 0)
        return error_set(error, STATUS_JIT_FAILED,
                         "%s could not compile the generated kernels; this is a mistake of pdec",
                         PDE_CLANG);
    return STATUS_OK;
}

static Status bitcode(const Unit *unit, Bytes source, Buffer *out, Error *error) {
    int in = memory_file("kernels", source.data, source.size),
        result = memory_file("bitcode", "", 0);
    Status status = in >= 0 && result >= 0 ? run_clang(unit, in, result, error)
                                           : error_set_errno(error, STATUS_CANNOT_WRITE, errno,
                                                             "making a file in memory");
    if (status == STATUS_OK)
        status = read_all(result, out, error);
    if (in >= 0)
        close(in);
    if (result >= 0)
        close(result);
    return status;
}

/* Variants as they will stand in the module. */
typedef struct Alternatives {
    size_t n;
    char name[PDEC_VARIANTS][PDE_SECTION_NAME_SIZE];
    Buffer image[PDEC_VARIANTS];
} Alternatives;

static Bytes part(const PdecResult *r, PdecPart id) {
    return (Bytes){r->part[id] ? r->part[id] : "", r->part_n[id]};
}

enum { TEXTS = 5, COMMON = TEXTS + UNITS };

/* alternatives: whole modules that go into this one, which then is one a user's file made; only such a one
 * has kernels that watch their values. */
static Status build(const char *soname, const PdecResult *r, const char *text, size_t n,
                    const PtxArchs *archs, const Alternatives *alternatives, Buffer *out,
                    Error *error) {
    Buffer code[UNITS] = {{0}};
    PtxSections ptx;
    Status status = ptx_sections(part(r, PDEC_PART_SOURCE), archs, &ptx, error);
    size_t count = TEXTS;
    ModuleBlob blob[COMMON + PTX_BLOBS + PDEC_VARIANTS] = {
        {".pde.plan", 0, part(r, PDEC_PART_PLAN)},
        {".pde.src", 0, part(r, PDEC_PART_SOURCE)},
        {".pde.conf", 0, part(r, PDEC_PART_CONF)},
        {".pde.dbg", PDE_SECTION_OPTIONAL, {text, n}},
        {".pde.math", PDE_SECTION_OPTIONAL, part(r, PDEC_PART_MATH)},
    };
    for (int k = 0; k < UNITS && status == STATUS_OK; k++) {
        if (units[k].watch && !alternatives)
            continue;
        status = bitcode(&units[k], part(r, units[k].watch ? PDEC_PART_WATCH : PDEC_PART_SOURCE),
                         &code[k], error);
        blob[count++] =
            (ModuleBlob){units[k].section, PDE_SECTION_OPTIONAL, {code[k].data, code[k].size}};
    }
    for (size_t k = 0; k < ptx.n; k++)
        blob[count++] = ptx.blob[k];
    for (size_t k = 0; alternatives && k < alternatives->n; k++)
        blob[count++] = (ModuleBlob){alternatives->name[k],
                                     PDE_SECTION_OPTIONAL,
                                     {alternatives->image[k].data, alternatives->image[k].size}};
    if (status == STATUS_OK)
        status = module_build(blob, count, soname, PDE_VERSION, out, error);
    ptx_free(&ptx);
    for (int k = 0; k < UNITS; k++)
        buffer_free(&code[k]);
    return status;
}

/* A proposal that does not compile is none: nothing is said. */
static void add_alternative(const PdecVariant *variant, const PdecOptions *options,
                            const PtxArchs *archs, Alternatives *to) {
    PdecOptions own = *options;
    PdecResult result;
    size_t n = strlen(variant->text);
    own.variants = own.fix = own.time_passes = false;
    own.variant = variant;
    if (pdec_compile(variant->name, variant->text, n, &own, &result) == PDEC_OK) {
        Buffer *image = &to->image[to->n];
        Error ignored = {0};
        if (build(variant->name, &result, variant->text, n, archs, NULL, image, &ignored) ==
            STATUS_OK) {
            snprintf(to->name[to->n], sizeof to->name[to->n], ".pde.alt%zu", to->n);
            to->n++;
        } else {
            buffer_free(image);
        }
    }
    pdec_result_free(&result);
}

Status module_make(const char *path, const PdecResult *r, const PdecOptions *options,
                   const char *text, size_t n, const PtxArchs *archs, Error *error) {
    const char *slash = strrchr(path, '/');
    Alternatives alternatives = {0};
    Buffer image = {0};
    for (size_t k = 0; k < r->variants; k++)
        add_alternative(&r->variant[k], options, archs, &alternatives);
    Status status =
        build(slash ? slash + 1 : path, r, text, n, archs, &alternatives, &image, error);
    if (status == STATUS_OK)
        status = io_write_atomic(path, &(Bytes){image.data, image.size}, 1, error);
    buffer_free(&image);
    for (size_t k = 0; k < alternatives.n; k++)
        buffer_free(&alternatives.image[k]);
    return status;
}
