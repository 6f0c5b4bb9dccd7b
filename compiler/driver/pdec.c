/* pdec.c: does what the command line asks for; nothing else of the compiler prints. */
#define _POSIX_C_SOURCE 200809L
#include "pdec.h"

#include "base/source.h"
#include "driver/command_line.h"
#include "driver/module.h"
#include "runtime/cc/cc.h"
#include "runtime/contract/version.h"
#include "runtime/files/npy.h"
#include "runtime/files/say.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int print_help(bool all) {
    Buffer options = {0};
    command_line_help(all, &options);
    if (options.failed) {
        buffer_free(&options);
        return PDEC_ENVIRONMENT;
    }
    say("Usage: pdec FILE.pde              look for errors, and say what to do next\n"
        "       pdec FILE.pde -o FILE.so   write a module for pderun\n"
        "       pdec --emit=STAGE FILE.pde\n"
        "Compiles a partial differential equation, written as in a paper, to a program that\n"
        "trains a network to solve it. FILE may be - for standard input.\n\n");
    say_lines(options.data, options.size);
    say("\n"
        "Exit code: 0 no errors, 1 errors in FILE, 2 wrong usage, 3 no memory, disk or tool,\n"
        "70 an error of pdec itself.\n\n"
        "A first problem:\n\n"
        "  dim      d = 100\n"
        "  domain   x in ball(d, 1)\n"
        "  field    u(x)\n"
        "  equation sum_i d2(u, x_i) + sin(u) = 1\n"
        "  boundary u = 0 exactly\n");
    buffer_free(&options);
    return PDEC_OK;
}

/* `pdec: subject: what` */
static void complain(const char *subject, const char *what) {
    say_error("pdec: %s%s%s\n", subject, subject[0] ? ": " : "", what);
}

static int usage(const char *what, const char *argument) {
    complain(argument ? argument : "", what);
    say_error("Try pdec --help.\n");
    return PDEC_USAGE;
}

static bool write_all(int fd, const char *s, size_t n) {
    while (n > 0) {
        ssize_t wrote = write(fd, s, n);
        if (wrote < 0)
            return false;
        s += wrote;
        n -= (size_t)wrote;
    }
    return true;
}

/* Writes beside the file and renames: a reader sees the old text or the new one, never half. */
static bool replace_file(const char *name, const char *text, size_t n) {
    size_t length = strlen(name);
    char *temporary = malloc(length + 16);
    if (!temporary)
        return false;
    snprintf(temporary, length + 16, "%s.XXXXXX", name);
    struct stat old;
    int fd = mkstemp(temporary);
    bool ok = fd >= 0;
    if (ok) {
        if (stat(name, &old) == 0)
            ok = fchmod(fd, old.st_mode & 0777) == 0;
        ok = ok && write_all(fd, text, n) && fsync(fd) == 0;
        ok = close(fd) == 0 && ok;
        ok = ok && rename(temporary, name) == 0;
        if (!ok)
            unlink(temporary);
    }
    free(temporary);
    return ok;
}

static int explain(const char *code) {
    const char *text = pdec_explain(code);
    Status status;
    if (text) {
        say_lines(text, strlen(text));
    } else if (strcmp(code, "all") == 0) {
        for (size_t k = 0; (text = pdec_explain_nth(k)); k++) {
            say_lines(text, strlen(text));
            say("\n");
        }
        say("'pderun --explain all' has the errors of runs.\n");
    } else if (status_parse(code, &status)) {
        char own[STATUS_CODE_MAX];
        say("%s: %s\n\n%s\n", status_code(status, own), status_summary(status),
            status_explain(status));
    } else {
        return usage("no message has this code; --explain all shows every one", code);
    }
    return PDEC_OK;
}

static bool use_colour(const CommandLine *line) {
    const char *no_colour = getenv("NO_COLOR"), *asked = line->value[OPT_COLOUR];
    if (asked && strcmp(asked, "auto") != 0)
        return strcmp(asked, "always") == 0;
    return !(no_colour && no_colour[0]) && isatty(STDERR_FILENO);
}

static int read_failure(const char *name, ReadStatus status) {
    static const char *const why[] = {"",
                                      "cannot be opened",
                                      "cannot be read",
                                      "is larger than a problem may be",
                                      "no memory to read it",
                                      "is not a regular file; a pipe is read by: pdec - <PIPE"};
    complain(name, why[status]);
    return status == READ_TOO_LARGE ? PDEC_DIAGNOSTICS : PDEC_ENVIRONMENT;
}

/* The points as doubles: the file's own memory, or a copy of it (then *copy is the caller's to free). */
static int take_points(CommandLine *line, NpyFile *file, double **copy) {
    Error error = {0};
    size_t n = 0;
    if (npy_read(line->value[OPT_AT], SIZE_MAX / 2, file, &error) != STATUS_OK) {
        say_error("pdec: --at: %s\n", error.message);
        return status_exit_code(error.status);
    }
    const Array *a = &file->array;
    if (a->rank < 1 || a->rank > 2 || !array_count(a, &n))
        return usage("--at: the file must hold a table, one point a row", line->value[OPT_AT]);
    line->oracle.rows = (size_t)a->shape[0];
    line->oracle.columns = a->rank == 2 ? (size_t)a->shape[1] : 1;
    line->oracle.points = a->data;
    if (a->type == ARRAY_F64)
        return PDEC_OK;
    if (!(*copy = malloc((n + 1) * sizeof **copy))) {
        complain("--at", "no memory for the points");
        return PDEC_ENVIRONMENT;
    }
    for (size_t i = 0; i < n; i++)
        (*copy)[i] = array_value(a, i);
    line->oracle.points = *copy;
    return PDEC_OK;
}

static int write_values(const char *path, const PdecResult *result) {
    Error error = {0};
    Array array = {
        .type = ARRAY_F64, .rank = 1, .shape = {result->values_n}, .data = result->values};
    if (npy_write(path, &array, &error) == STATUS_OK)
        return PDEC_OK;
    say_error("pdec: --out: %s\n", error.message);
    return PDEC_ENVIRONMENT;
}

static int print_ptx(const CommandLine *line, const PdecResult *result) {
    Error error = {0};
    Buffer ptx = {0};
    int arch = line->archs.n ? line->archs.at[0] : 80;
    Status status = ptx_print((Bytes){result->output, result->output_n}, arch, &ptx, &error);
    if (status != STATUS_OK)
        say_error("pdec: --emit=ptx: %s\n", error.message);
    else
        say_lines(ptx.data, ptx.size);
    buffer_free(&ptx);
    return status == STATUS_OK && say_end() ? PDEC_OK : PDEC_ENVIRONMENT;
}

/* The bitcode of a module, as text: before the loader's passes, which know the processor. */
static int print_llvm(const PdecResult *result) {
    Error error = {0};
    Buffer text = {0};
    const CcSpec spec = {
        .source = {result->output, result->output_n}, .define = "PDE_DOUBLE", .text = true};
    Status status = cc_bitcode(&spec, &text, &error);
    if (status != STATUS_OK)
        say_error("pdec: --emit=llvm: %s\n", error.message);
    else
        say_lines(text.data, text.size);
    buffer_free(&text);
    return status == STATUS_OK && say_end() ? PDEC_OK : PDEC_ENVIRONMENT;
}

static int print_output(const CommandLine *line, const PdecResult *result) {
    if (line->value[OPT_OUT] && result->status == PDEC_OK)
        return write_values(line->value[OPT_OUT], result);
    if (line->doing == DO_PTX && result->output)
        return print_ptx(line, result);
    if (line->doing == DO_LLVM && result->output)
        return print_llvm(result);
    if (result->output)
        say_lines(result->output, result->output_n);
    return say_end() ? PDEC_OK : PDEC_ENVIRONMENT;
}

static int write_module(const CommandLine *line, const PdecResult *result, const char *text,
                        size_t n) {
    Error error = {0};
    bool text_only = false;
    const ModuleHow how = {&line->archs, NULL, &text_only};
    if (module_make(line->value[OPT_MODULE], result, &line->options, text, n, &how, &error) ==
        STATUS_OK) {
        if (text_only)
            complain(line->value[OPT_MODULE], "no clang is at hand: the kernels are in it as C, "
                                              "and pderun compiles them where it is run");
        return PDEC_OK;
    }
    say_error("pdec: %s\n", error.message);
    return PDEC_ENVIRONMENT;
}

/* Nothing was asked for but the file itself. */
static bool says_what_next(const CommandLine *line) {
    return line->doing == DO_CHECK && !line->value[OPT_CHECK] && !line->value[OPT_FIX] &&
           !line->value[OPT_TIME_PASSES] && !line->value[OPT_DIAGNOSTICS] &&
           strcmp(line->file, "-") != 0;
}

static void say_what_next(const char *file) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    const int stem = (int)(dot && dot > base ? dot - base : (long)strlen(base));
    const int n = (int)strlen(file), terms = 20 + n, module = 14 + n + stem;
    const int column = terms > module ? terms : module;
    say("%s has no errors. Next:\n"
        "  pderun %-*s  compile it and train its solution\n"
        "  pdec --emit=terms %-*s  what was understood, and what may be sampled\n"
        "  pdec %s -o %.*s%-*s  write the module, for another time or machine\n",
        file, column - 9, file, column - 20, file, file, stem, base, column - module + 3, ".so");
}

/* A module where its problem was meant. */
static bool is_module(const char *text, size_t n) {
    return n >= 4 && memcmp(text, "\177ELF", 4) == 0;
}

static int compile_file(CommandLine *line) {
    char *text = NULL;
    size_t n = 0;
    ReadStatus read = source_read(line->file, &text, &n);
    if (read != READ_OK)
        return read_failure(line->file, read);
    if (is_module(text, n)) {
        complain(line->file, "is a module, compiled already: pderun trains it");
        free(text);
        return PDEC_DIAGNOSTICS;
    }
    line->options.colour = use_colour(line);
    PdecResult result;
    int status = pdec_compile(line->file, text, n, &line->options, &result);
    if (status == PDEC_USAGE && !result.messages)
        usage("--emit has no such stage", line->options.emit);
    if (result.fixed && strcmp(line->file, "-") != 0 &&
        !replace_file(line->file, result.fixed, result.fixed_n)) {
        complain(line->file, "cannot be rewritten");
        status = PDEC_ENVIRONMENT;
    }
    if (print_output(line, &result) != PDEC_OK)
        status = PDEC_ENVIRONMENT;
    if (result.messages)
        say_error_as_is(result.messages); /* rendered: colours are ours, the rest is visible */
    if (line->value[OPT_MODULE] && status == PDEC_OK)
        status = write_module(line, &result, text, n);
    if (result.fixed)
        complain(line->file, "certain fix-its applied; compile again");
    if (status == PDEC_OK && says_what_next(line))
        say_what_next(line->file);
    pdec_result_free(&result);
    free(text);
    return status;
}

/* Would what is written replace the problem that is read? */
static bool replaces_problem(const CommandLine *line, OptionId option) {
    struct stat from, to;
    return line->value[option] && stat(line->file, &from) == 0 &&
           stat(line->value[option], &to) == 0 && from.st_dev == to.st_dev &&
           from.st_ino == to.st_ino;
}

static int compile_with_points(CommandLine *line) {
    NpyFile file = {0};
    double *copy = NULL;
    if (replaces_problem(line, OPT_MODULE) || replaces_problem(line, OPT_OUT))
        return usage("what is to be written is the problem itself: name another file", line->file);
    int status = line->value[OPT_AT] ? take_points(line, &file, &copy) : PDEC_OK;
    if (status == PDEC_OK)
        status = compile_file(line);
    free(copy);
    npy_free(&file);
    return status;
}

static int act(int argc, char **argv) {
    CommandLine line;
    Error error = {0};
    if (command_line_read(argc, argv, &line, &error) != STATUS_OK) {
        say_error("pdec: %s\nTry pdec --help.\n", error.message);
        return PDEC_USAGE;
    }
    if (line.value[OPT_HELP])
        return print_help(line.help_all);
    if (line.value[OPT_VERSION])
        say("pdec %s\n  commit      %s\n  clang       %s\n", PDE_VERSION, pde_commit, PDE_CLANG);
    else if (line.value[OPT_EXPLAIN])
        return explain(line.value[OPT_EXPLAIN]);
    else
        return compile_with_points(&line);
    return PDEC_OK;
}

int main(int argc, char **argv) {
    say_begin();
    int status = act(argc, argv);
    if (say_end() || status != PDEC_OK)
        return status;
    complain("standard output", "cannot be written");
    return PDEC_ENVIRONMENT;
}
