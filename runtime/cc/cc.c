#define _GNU_SOURCE
#include "cc/cc.h"

#include "cache/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { WORDS_MAX = 24, DEFINE_MAX = 32, FOLDER_MAX = 1024 };

/* A command line; the first word is the program. */
typedef struct Words {
    const char *at[WORDS_MAX];
    size_t n;
    char define[DEFINE_MAX];
} Words;

static void add(Words *words, const char *word) {
    if (words->n + 1 < WORDS_MAX)
        words->at[words->n++] = word;
}

/* An anonymous file in memory with these bytes; -1 on failure. */
static int memory_file(const char *name, const char *bytes, size_t n) {
    int fd = memfd_create(name, MFD_CLOEXEC);
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
            return error_set_errno(error, STATUS_CANNOT_READ, errno,
                                   "reading what the compiler wrote");
        if (n == 0)
            return buffer_status(out, error);
        buffer_bytes(out, chunk, (size_t)n);
    }
}

/* Runs the words with `source` as standard input and `result` as standard output. */
static Status run(const Words *words, int source, int result, Error *error) {
    char *argv[WORDS_MAX];
    for (size_t k = 0; k < words->n; k++)
        argv[k] = (char *)(uintptr_t)words->at[k]; /* spawn changes none of them */
    argv[words->n] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, source, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, result, STDOUT_FILENO);
    pid_t child;
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return error_set_errno(
            error, failed == ENOENT || failed == EACCES ? STATUS_NO_COMPILER : STATUS_JIT_FAILED,
            failed, "starting %s, which compiles the kernels", argv[0]);
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 0)
        return error_set(
            error, STATUS_JIT_FAILED,
            "%s could not compile the generated kernels: it is no C compiler with headers "
            "(libc6-dev), or this is a mistake of pdec",
            argv[0]);
    return STATUS_OK;
}

static Status compile(const Words *words, Bytes source, Buffer *out, Error *error) {
    int in = memory_file("kernels", source.data, source.size),
        result = memory_file("compiled", "", 0);
    Status status = in >= 0 && result >= 0 ? run(words, in, result, error)
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

/* False: no memory for what the key is made of, so nothing is kept. */
static bool key_of(const Words *words, Bytes source, Digest *key) {
    Buffer text = {0};
    buffer_text(&text, PDE_VERSION);
    for (size_t k = 0; k < words->n; k++)
        buffer_printf(&text, " %s", words->at[k]);
    const Bytes part[] = {{text.data, text.size}, source};
    bool made = !text.failed;
    if (made)
        *key = digest_of_parts(part, 2);
    buffer_free(&text);
    return made;
}

/* The same, or what an earlier call with the same words and source has left in the cache. */
static Status compile_cached(const Words *words, const CcSpec *spec, const char *suffix,
                             Buffer *out, Error *error) {
    Digest key;
    bool keyed = spec->cache && key_of(words, spec->source, &key);
    if (keyed && cache_get(spec->cache, &key, suffix, out))
        return STATUS_OK;
    Status status = compile(words, spec->source, out, error);
    if (status == STATUS_OK && keyed)
        cache_put(spec->cache, &key, suffix, (Bytes){out->data, out->size});
    return status;
}

static void common_words(Words *words, const CcSpec *spec) {
    snprintf(words->define, sizeof words->define, "-D%s", spec->define);
    add(words, "-ffp-contract=fast");
    add(words, "-fno-math-errno");
    add(words, "-fno-trapping-math");
    add(words, "-w");
    add(words, words->define);
    add(words, "-o");
}

static Status bitcode_by(const char *clang, const CcSpec *spec, Buffer *out, Error *error) {
    Words words = {{clang, "-x", "c", "-std=c11", spec->slow ? "-O0" : "-O2"}, 5, ""};
    /* No passes here: what clang does for a processor it does not know hinders the loader's, which vectorise
     * for the one at hand (measured: 1.6 times the time for a source with sines). */
    add(&words, "-Xclang");
    add(&words, "-disable-llvm-passes");
    add(&words, "-emit-llvm");
    add(&words, spec->text ? "-S" : "-c");
    common_words(&words, spec);
    add(&words, "-");
    add(&words, "-");
    return compile_cached(&words, spec, "bc", out, error);
}

/* The first of several programs that is there. */
typedef Status Compile(const char *program, const CcSpec *spec, Buffer *out, Error *error);

static Status by_first(const char *const *program, Compile *compile_by, const CcSpec *spec,
                       Buffer *out, Error *error) {
    for (; *program; program++) {
        Error own = {0};
        const Status status = compile_by(*program, spec, out, &own);
        if (status != STATUS_NO_COMPILER)
            return status == STATUS_OK ? status : error_set(error, status, "%s", own.message);
    }
    return error_set(error, STATUS_NO_COMPILER, "no C compiler is at hand for the kernels");
}

Status cc_bitcode(const CcSpec *spec, Buffer *out, Error *error) {
    const char *stated = getenv("PDE_CLANG");
    const char *const own[] = {stated && stated[0] ? stated : PDE_CLANG,
                               stated && stated[0] ? NULL : "clang", NULL};
    return by_first(own, bitcode_by, spec, out, error);
}

/* What a program writes to `path`, the last of its words but the source; the file is gone afterwards. */
static Status compile_to(const char *path, Words *words, Bytes source, Buffer *out, Error *error) {
    const char *program = words->at[0];
    Buffer ignored = {0};
    add(words, path);
    add(words, "-");
    Status status = compile(words, source, &ignored, error);
    const int object = status == STATUS_OK ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (status == STATUS_OK)
        status = object >= 0 ? read_all(object, out, error)
                             : error_set_errno(error, STATUS_CANNOT_READ, errno,
                                               "reading what %s wrote", program);
    if (object >= 0)
        close(object);
    unlink(path);
    buffer_free(&ignored);
    return status;
}

static Status object_in(const char *path, const char *program, const CcSpec *spec, Buffer *out,
                        Error *error) {
    Words words = {{program, "-x", "c", "-std=c11", spec->slow ? "-O0" : "-O3"}, 5, ""};
    add(&words, "-march=native");
    add(&words, "-fPIC");
    add(&words, "-fno-asynchronous-unwind-tables");
    add(&words, "-fno-stack-protector");
    add(&words, "-c");
    common_words(&words, spec);
    return compile_to(path, &words, spec->source, out, error);
}

static Status shared_in(const char *path, const char *program, const CcSpec *spec, Buffer *out,
                        Error *error) {
    Words words = {{program, "-x", "c", "-std=c11", "-O2"}, 5, ""};
    add(&words, "-shared");
    add(&words, "-fPIC");
    add(&words, "-o");
    return compile_to(path, &words, spec->source, out, error);
}

typedef Status CompileTo(const char *path, const char *program, const CcSpec *spec, Buffer *out,
                         Error *error);

static const char PREFIX[] = "pde-cc-", OBJECT[] = "k.o";

/* Folders like the one below that a kill left behind: ours, and older than any compilation takes. */
static void clear_stale(const char *temporary) {
    enum { STALE_SECONDS = 3600 };
    DIR *all = opendir(temporary);
    for (const struct dirent *d; all && (d = readdir(all));) {
        struct stat s;
        char object[sizeof d->d_name + sizeof OBJECT + 1];
        if (strncmp(d->d_name, PREFIX, strlen(PREFIX)) != 0 ||
            fstatat(dirfd(all), d->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(s.st_mode) ||
            s.st_uid != geteuid() || time(NULL) - s.st_mtime < STALE_SECONDS)
            continue;
        snprintf(object, sizeof object, "%s/%s", d->d_name, OBJECT);
        unlinkat(dirfd(all), object, 0);
        unlinkat(dirfd(all), d->d_name, AT_REMOVEDIR);
    }
    if (all)
        closedir(all);
}

/* gcc cannot write an object to a pipe: it goes to a folder that is ours alone. */
static Status in_folder(CompileTo *compile_in, const char *program, const CcSpec *spec, Buffer *out,
                        Error *error) {
    char directory[FOLDER_MAX], path[FOLDER_MAX + 8];
    const char *temporary = getenv("TMPDIR");
    temporary = temporary && temporary[0] == '/' ? temporary : "/tmp";
    const int n = snprintf(directory, sizeof directory, "%s/%sXXXXXX", temporary, PREFIX);
    clear_stale(temporary);
    if (n < 0 || n >= (int)sizeof directory || !mkdtemp(directory))
        return error_set_errno(error, STATUS_CANNOT_WRITE, errno, "making a folder in '%s'",
                               temporary);
    snprintf(path, sizeof path, "%s/%s", directory, OBJECT);
    Status status = compile_in(path, program, spec, out, error);
    rmdir(directory);
    return status;
}

static Status object_by(const char *program, const CcSpec *spec, Buffer *out, Error *error) {
    return in_folder(object_in, program, spec, out, error);
}

Status cc_shared(const char *program, Bytes source, Buffer *out, Error *error) {
    const CcSpec spec = {.source = source};
    return in_folder(shared_in, program, &spec, out, error);
}

Status cc_object(const CcSpec *spec, Buffer *out, Error *error) {
    static const char *const program[] = {"cc", "gcc", "clang", PDE_CLANG, NULL};
    return by_first(program, object_by, spec, out, error);
}
