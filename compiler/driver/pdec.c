/* pdec.c: the command line of the compiler. */
#define _POSIX_C_SOURCE 200809L
#include "pdec.h"

#include "base/source.h"
#include "driver/module.h"
#include "runtime/files/npy.h"
#include "runtime/files/say.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SETS = 64 };

typedef struct CommandLine {
    PdecOptions options;
    PdecOracle oracle;
    const char *set[SETS];
    const char *file;
    const char *explain;
    const char *at, *out; /* --eval: points from, values to */
    const char *module;   /* -o: the module to write */
    PtxArchs archs;
    bool ptx; /* --emit=ptx */
    bool no_variants;
    bool help, version, fix, no_colour, always_colour;
} CommandLine;

static void print_help(void) {
    say("usage: pdec [options] FILE.pde\n\n"
        "Compiles a partial differential equation, written as in a paper, to a program that\n"
        "trains a network to solve it. FILE may be - for standard input.\n\n"
        "  -o FILE.so             write a module: pderun FILE.so trains it\n"
        "  --check                only look for errors, write nothing\n"
        "  --emit=STAGE           print what a stage made of FILE:\n");
    const char *what = NULL;
    for (size_t i = 0; pdec_stage(i, &what); i++)
        say("                           %-10s %s\n", pdec_stage(i, &what), what);
    say("                           %-10s %s\n", "ptx",
        "those kernels compiled for --arch, by NVRTC");
    say("  --arch=sm_80,sm_90     of --emit=ptx (the first), or kernels for these in the module, "
        "so that\n"
        "                         a machine without NVRTC can train on such devices\n"
        "  --no-variants          leave out of the module what pdec would propose where FILE names "
        "no\n"
        "                         network and no method (--emit=variants prints it)\n"
        "  --format=FORMAT        of --emit=terms and plan: text (default) or json\n"
        "  --set NAME=VALUE       in place of the file's value of a dim or param\n"
        "  --eval EXPR            print the value of an expression; a field stands for its exact\n"
        "                         solution, residual or residual(NAME) for that of an equation\n"
        "  --at POINTS.npy        where: one point a row, the time last (else a few are drawn)\n"
        "  --precision=KIND       double (default) or extended\n"
        "  --out FILE.npy         write the values there instead of printing them\n"
        "  --allow-data DIR       --eval may also read data files in this folder, not only the "
        "problem's\n"
        "  --explain CODE         what a message means, with a wrong and a right example\n"
        "  --diagnostics=FORMAT   text (default), short (one line each) or json\n"
        "  --colour=WHEN          auto (default), always or never; NO_COLOR is honoured\n"
        "  --fix                  apply the fix-its that are certain, rewriting FILE\n"
        "  --time-passes          say how long each stage took\n"
        "  --version, --help\n\n"
        "Exit code: 0 no errors, 1 errors in FILE, 2 wrong usage, 3 no memory, disk or tool,\n"
        "70 an error of pdec itself.\n\n"
        "A first problem:\n\n"
        "  dim      d = 100\n"
        "  domain   x in ball(d, 1)\n"
        "  field    u(x)\n"
        "  equation sum_i d2(u, x_i) + sin(u) = 1\n"
        "  boundary u = 0 exactly\n");
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

static const char *value_of(const char *argument, const char *option) {
    size_t n = strlen(option);
    return strncmp(argument, option, n) == 0 && argument[n] == '=' ? argument + n + 1 : NULL;
}

static int read_format(const char *value, CommandLine *line) {
    static const char *const formats[] = {"text", "short", "json"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, formats[i]) == 0) {
            line->options.format = (PdecFormat)i;
            return PDEC_OK;
        }
    return usage("--diagnostics is text, short or json", value);
}

static int read_colour(const char *value, CommandLine *line) {
    line->always_colour = strcmp(value, "always") == 0;
    line->no_colour = strcmp(value, "never") == 0;
    if (!line->always_colour && !line->no_colour && strcmp(value, "auto") != 0)
        return usage("--colour is auto, always or never", value);
    return PDEC_OK;
}

static int read_precision(const char *value, CommandLine *line) {
    line->oracle.extended = strcmp(value, "extended") == 0;
    if (!line->oracle.extended && strcmp(value, "double") != 0)
        return usage("--precision is double or extended", value);
    return PDEC_OK;
}

static int read_set(const char *value, CommandLine *line) {
    if (line->options.sets == SETS)
        return usage("too many --set", NULL);
    line->set[line->options.sets++] = value;
    return PDEC_OK;
}

/* Options with a value, which may also be the next argument. */
static const char *const valued[] = {"--explain", "--set", "--eval", "--at",        "--precision",
                                     "--out",     "-o",    "--arch", "--allow-data"};

static int read_valued(int option, const char *value, CommandLine *line) {
    switch (option) {
    case 0:
        line->explain = value;
        break;
    case 1:
        return read_set(value, line);
    case 2:
        line->oracle.expression = value;
        break;
    case 3:
        line->at = value;
        break;
    case 4:
        return read_precision(value, line);
    case 6:
        line->module = value;
        break;
    case 7:
        if (!ptx_read_archs(value, &line->archs))
            return usage("--arch is a list such as sm_80,sm_90", value);
        break;
    case 8:
        line->options.allow_data = value;
        break;
    default:
        line->out = value;
        break;
    }
    return PDEC_OK;
}

static int read_argument(const char *a, CommandLine *line) {
    const char *value;
    if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0)
        line->help = true;
    else if (strcmp(a, "--version") == 0)
        line->version = true;
    else if (strcmp(a, "--check") == 0)
        line->options.emit = NULL;
    else if (strcmp(a, "--fix") == 0)
        line->fix = line->options.fix = true;
    else if (strcmp(a, "--no-variants") == 0)
        line->no_variants = true;
    else if (strcmp(a, "--time-passes") == 0)
        line->options.time_passes = true;
    else if ((value = value_of(a, "--emit")))
        line->options.emit = value;
    else if ((value = value_of(a, "--format"))) {
        line->options.json = strcmp(value, "json") == 0;
        if (!line->options.json && strcmp(value, "text") != 0)
            return usage("--format is text or json", value);
    } else if ((value = value_of(a, "--diagnostics")))
        return read_format(value, line);
    else if ((value = value_of(a, "--colour")) || (value = value_of(a, "--color")))
        return read_colour(value, line);
    else if (a[0] == '-' && a[1] != '\0')
        return usage("unknown option", a);
    else if (line->file)
        return usage("one file at a time, and this is a second one", a);
    else
        line->file = a;
    return PDEC_OK;
}

static int read_command_line(int argc, char **argv, CommandLine *line) {
    for (int i = 1; i < argc; i++) {
        int option = 0, options = (int)(sizeof valued / sizeof *valued);
        const char *value = NULL;
        while (option < options && strcmp(argv[i], valued[option]) != 0 &&
               !(value = value_of(argv[i], valued[option])))
            option++;
        if (option < options && !value && i + 1 == argc)
            return usage("a value is missing after", argv[i]);
        int status = option == options ? read_argument(argv[i], line)
                                       : read_valued(option, value ? value : argv[++i], line);
        if (status != PDEC_OK)
            return status;
    }
    line->options.set = line->set;
    line->options.beside = line->file;
    line->ptx = line->options.emit && strcmp(line->options.emit, "ptx") == 0;
    if (line->ptx)
        line->options.emit = "cuda";
    if (line->archs.n && !line->ptx && !line->module)
        return usage("--arch goes with --emit=ptx or -o", NULL);
    if (line->module && line->oracle.expression)
        return usage("-o writes a module, --eval only values: leave one out (--out FILE.npy keeps "
                     "the values)",
                     NULL);
    if (line->module && line->options.emit)
        return usage(
            "-o writes a module, --emit only prints a stage: leave one out (> FILE keeps the text)",
            NULL);
    line->options.module = line->module != NULL;
    line->options.variants = line->options.module && !line->no_variants;
    if (line->oracle.expression)
        line->options.oracle = &line->oracle;
    else if (line->at || line->out || line->oracle.extended)
        return usage("--at, --out and --precision go with --eval", NULL);
    if (!line->file && !line->help && !line->version && !line->explain)
        return usage("no file given", NULL);
    return PDEC_OK;
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
    if (!text)
        return usage("no message has this code", code);
    say_lines(text, strlen(text));
    return PDEC_OK;
}

static bool use_colour(const CommandLine *line) {
    const char *no_colour = getenv("NO_COLOR");
    if (line->always_colour)
        return true;
    return !line->no_colour && !(no_colour && no_colour[0]) && isatty(STDERR_FILENO);
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
    if (npy_read(line->at, SIZE_MAX / 2, file, &error) != STATUS_OK) {
        say_error("pdec: --at: %s\n", error.message);
        return status_exit_code(error.status);
    }
    const Array *a = &file->array;
    if (a->rank < 1 || a->rank > 2 || !array_count(a, &n))
        return usage("--at: the file must hold a table, one point a row", line->at);
    line->oracle.rows = (size_t)a->shape[0];
    line->oracle.columns = a->rank == 2 ? (size_t)a->shape[1] : 1;
    line->oracle.points = a->data;
    if (a->type == ARRAY_F64)
        return PDEC_OK;
    if (!(*copy = malloc((n + 1) * sizeof **copy)))
        return PDEC_ENVIRONMENT;
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

static int print_output(const CommandLine *line, const PdecResult *result) {
    if (line->out && result->status == PDEC_OK)
        return write_values(line->out, result);
    if (line->ptx && result->output)
        return print_ptx(line, result);
    if (result->output)
        say_lines(result->output, result->output_n);
    return say_end() ? PDEC_OK : PDEC_ENVIRONMENT;
}

static int write_module(const CommandLine *line, const PdecResult *result, const char *text,
                        size_t n) {
    Error error = {0};
    if (module_make(line->module, result, &line->options, text, n, &line->archs, &error) ==
        STATUS_OK)
        return PDEC_OK;
    say_error("pdec: %s\n", error.message);
    return PDEC_ENVIRONMENT;
}

static int compile_file(CommandLine *line) {
    char *text = NULL;
    size_t n = 0;
    ReadStatus read = source_read(line->file, &text, &n);
    if (read != READ_OK)
        return read_failure(line->file, read);
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
    if (line->module && status == PDEC_OK)
        status = write_module(line, &result, text, n);
    if (result.fixed)
        complain(line->file, "certain fix-its applied; compile again");
    pdec_result_free(&result);
    free(text);
    return status;
}

static int compile_with_points(CommandLine *line) {
    NpyFile file = {0};
    double *copy = NULL;
    int status = line->at ? take_points(line, &file, &copy) : PDEC_OK;
    if (status == PDEC_OK)
        status = compile_file(line);
    free(copy);
    npy_free(&file);
    return status;
}

static int act(int argc, char **argv) {
    CommandLine line = {0};
    int status = read_command_line(argc, argv, &line);
    if (status != PDEC_OK)
        return status;
    if (line.help)
        print_help();
    else if (line.version)
        say("pdec %s\n", PDE_VERSION);
    else if (line.explain)
        return explain(line.explain);
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
