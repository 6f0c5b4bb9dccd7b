/* pdec.c: the command line of the compiler. */
#define _POSIX_C_SOURCE 200809L
#include "pdec.h"

#include "source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct CommandLine {
    PdecOptions options;
    const char *file;
    const char *explain;
    bool help, version, fix, no_colour, always_colour;
} CommandLine;

static void print_help(void) {
    printf("usage: pdec [options] FILE.pde\n\n"
           "Compiles a partial differential equation, written as in a paper, to a program that\n"
           "trains a network to solve it. FILE may be - for standard input.\n\n"
           "  --check                only look for errors, write nothing\n"
           "  --emit=STAGE           print what a stage made of FILE:\n");
    const char *what = NULL;
    for (size_t i = 0; pdec_stage(i, &what); i++)
        printf("                           %-10s %s\n", pdec_stage(i, &what), what);
    printf("  --explain CODE         what a message means, with a wrong and a right example\n"
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

static int usage(const char *what, const char *argument) {
    fprintf(stderr, "pdec: %s%s%s\nTry pdec --help.\n", what, argument ? ": " : "",
            argument ? argument : "");
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
    else if (strcmp(a, "--time-passes") == 0)
        line->options.time_passes = true;
    else if ((value = value_of(a, "--emit")))
        line->options.emit = value;
    else if ((value = value_of(a, "--explain")))
        line->explain = value;
    else if ((value = value_of(a, "--diagnostics")))
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
        if (strcmp(argv[i], "--explain") == 0) {
            if (i + 1 == argc)
                return usage("--explain needs a code, such as E0402", NULL);
            line->explain = argv[++i];
            continue;
        }
        int status = read_argument(argv[i], line);
        if (status != PDEC_OK)
            return status;
    }
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
    printf("%s", text);
    return PDEC_OK;
}

static bool use_colour(const CommandLine *line) {
    const char *no_colour = getenv("NO_COLOR");
    if (line->always_colour)
        return true;
    return !line->no_colour && !(no_colour && no_colour[0]) && isatty(STDERR_FILENO);
}

static int read_failure(const char *name, ReadStatus status) {
    static const char *const why[] = {"", "cannot be opened", "cannot be read",
                                      "is larger than a problem may be", "no memory to read it"};
    fprintf(stderr, "pdec: %s: %s\n", name, why[status]);
    return status == READ_TOO_LARGE ? PDEC_DIAGNOSTICS : PDEC_ENVIRONMENT;
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
    if (status == PDEC_USAGE)
        usage("--emit has no such stage", line->options.emit);
    if (result.fixed && strcmp(line->file, "-") != 0 &&
        !replace_file(line->file, result.fixed, result.fixed_n)) {
        fprintf(stderr, "pdec: %s: cannot be rewritten\n", line->file);
        status = PDEC_ENVIRONMENT;
    }
    if (result.output && fwrite(result.output, 1, result.output_n, stdout) != result.output_n)
        status = PDEC_ENVIRONMENT;
    if (fflush(stdout) != 0)
        status = PDEC_ENVIRONMENT;
    if (result.messages)
        fputs(result.messages, stderr);
    if (result.fixed)
        fprintf(stderr, "pdec: %s: certain fix-its applied; compile again\n", line->file);
    pdec_result_free(&result);
    free(text);
    return status;
}

int main(int argc, char **argv) {
    CommandLine line = {0};
    int status = read_command_line(argc, argv, &line);
    if (status != PDEC_OK)
        return status;
    if (line.help)
        print_help();
    else if (line.version)
        printf("pdec %s\n", PDE_VERSION);
    else if (line.explain)
        return explain(line.explain);
    else
        return compile_file(&line);
    return PDEC_OK;
}
