/* command_line.c: reads pdec's arguments by the table of option.def. */
#include "driver/command_line.h"

#include "base/suggest.h"

#include <string.h>

enum { HELP_COLUMN = 25 };

typedef enum Kind { KIND_FLAG, KIND_TEXT, KIND_CHOICE } Kind;

typedef struct Row {
    const char *name;
    Kind kind;
    const char *argument;
    unsigned with;
    const char *help;
} Row;

static const Row rows[OPT_COUNT] = {
#define OPTION(ID, name, kind, argument, with, help) {name, KIND_##kind, argument, with, help},
#include "driver/option.def"
#undef OPTION
};

static Str str_of(const char *text) {
    return (Str){text, strlen(text)};
}

/* The option that an argument begins with, and what comes after its "="; OPT_COUNT: none. */
static OptionId option_of(const char *argument, const char **value) {
    const char *equals = strchr(argument, '=');
    const Str name = {argument, equals ? (size_t)(equals - argument) : strlen(argument)};
    *value = equals ? equals + 1 : NULL;
    if (strcmp(argument, "-h") == 0)
        return OPT_HELP;
    int id = 0;
    while (id < OPT_COUNT && !suggest_same_name(name, str_of(rows[id].name)))
        id++;
    return (OptionId)id;
}

static bool is_common(int id) {
    static const OptionId common[] = {
#define COMMON(ID) OPT_##ID,
#include "driver/option.def"
#undef COMMON
    };
    for (size_t k = 0; k < sizeof common / sizeof *common; k++)
        if ((int)common[k] == id)
            return true;
    return false;
}

/* Which of "text|json" the value is, from 0; -1: none. */
static int choice(const char *words, const char *value) {
    size_t n = strlen(value);
    for (int k = 0; words; k++) {
        const char *end = strchr(words, '|');
        size_t length = end ? (size_t)(end - words) : strlen(words);
        if (length == n && memcmp(words, value, n) == 0)
            return k;
        words = end ? end + 1 : NULL;
    }
    return -1;
}

static int chosen(const CommandLine *line, OptionId id) {
    return line->value[id] ? choice(rows[id].argument, line->value[id]) : 0;
}

static Status unknown(const char *argument, Error *error) {
    Suggestion near = suggest_start((Str){argument, strcspn(argument, "=")});
    for (int id = 0; id < OPT_COUNT; id++)
        suggest_offer(&near, str_of(rows[id].name));
    if (near.best.n > 0)
        return error_set(error, STATUS_UNKNOWN_OPTION, "%s: unknown option; did you mean %s?",
                         argument, near.best.s);
    return error_set(error, STATUS_UNKNOWN_OPTION, "%s: unknown option", argument);
}

static Status take(CommandLine *line, OptionId id, const char *value, Error *error) {
    const Row *row = &rows[id];
    if (row->kind == KIND_CHOICE && choice(row->argument, value) < 0)
        return error_set(error, STATUS_OPTION_VALUE, "%s: %s is one of %s", value, row->name,
                         row->argument);
    if (row->kind == KIND_TEXT && value[0] == '\0')
        return error_set(error, STATUS_OPTION_VALUE, "%s: the value is empty", row->name);
    if (id == OPT_ARCH && !ptx_read_archs(value, &line->archs))
        return error_set(error, STATUS_OPTION_VALUE, "%s: --arch is a list such as sm_80,sm_90",
                         value);
    if (id == OPT_SET && line->options.sets == COMMAND_LINE_SETS)
        return error_set(error, STATUS_OPTION_VALUE, "too many --set");
    if (id == OPT_SET)
        line->set[line->options.sets++] = value;
    line->value[id] = value;
    return STATUS_OK;
}

/* One argument, or two: `next` is the one behind it, or NULL; *used says whether it was taken. */
static Status read_argument(CommandLine *line, const char *argument, const char *next, bool *used,
                            Error *error) {
    const char *value = NULL;
    if (argument[0] != '-' || argument[1] == '\0') {
        if (line->file)
            return error_set(error, STATUS_OPTION_VALUE,
                             "%s: one file at a time, and this is a second one", argument);
        line->file = argument;
        return STATUS_OK;
    }
    OptionId id = option_of(argument, &value);
    if (id == OPT_COUNT)
        return unknown(argument, error);
    if (rows[id].kind == KIND_FLAG && value)
        return error_set(error, STATUS_OPTION_VALUE, "%s takes no value", rows[id].name);
    if (id == OPT_HELP && next && strcmp(next, "all") == 0)
        *used = line->help_all = true;
    if (rows[id].kind == KIND_FLAG)
        return take(line, id, "", error);
    *used = !value;
    if (*used && !next)
        return error_set(error, STATUS_OPTION_MISSING_VALUE, "%s: a value is missing after it",
                         argument);
    return take(line, id, *used ? next : value, error);
}

/* The one thing to do; two are a mistake, and which of them was meant is not ours to guess. */
static Status find_doing(CommandLine *line, Error *error) {
    static const struct {
        OptionId id;
        Doing doing;
        const char *instead;
    } asked[] = {
        {OPT_CHECK, DO_CHECK, "only looks for errors"},
        {OPT_EMIT, DO_EMIT, "only prints a stage (> FILE keeps the text)"},
        {OPT_EVAL, DO_EVAL, "only values (--out FILE.npy keeps them)"},
        {OPT_MODULE, DO_MODULE, "writes a module"},
    };
    const char *stage = line->value[OPT_EMIT];
    size_t first = sizeof asked / sizeof *asked;
    line->doing = DO_CHECK;
    if (line->value[OPT_HELP] || line->value[OPT_VERSION] || line->value[OPT_EXPLAIN]) {
        line->doing = DO_SAY;
        return STATUS_OK;
    }
    for (size_t k = sizeof asked / sizeof *asked; k-- > 0;) {
        if (!line->value[asked[k].id])
            continue;
        if (first < sizeof asked / sizeof *asked)
            return error_set(error, STATUS_OPTION_CONFLICT, "%s %s, %s %s: leave one out",
                             rows[asked[first].id].name, asked[first].instead,
                             rows[asked[k].id].name, asked[k].instead);
        first = k;
        line->doing = asked[k].doing;
    }
    if (line->doing == DO_EMIT && (strcmp(stage, "terms") == 0 || strcmp(stage, "plan") == 0))
        line->doing = DO_TERMS;
    if (line->doing == DO_EMIT && strcmp(stage, "ptx") == 0)
        line->doing = DO_PTX;
    if (line->doing == DO_EMIT && strcmp(stage, "llvm") == 0)
        line->doing = DO_LLVM;
    return STATUS_OK;
}

/* What an option goes with, for a message. */
static const char *with_what(unsigned with) {
    switch (with) {
    case DO_EVAL:
        return "--eval";
    case DO_MODULE:
        return "-o";
    case DO_PTX | DO_MODULE:
        return "--emit=ptx or -o";
    case DO_TERMS:
        return "--emit=terms or --emit=plan";
    default:
        return "--check";
    }
}

static Status check_options(const CommandLine *line, Error *error) {
    if (line->doing == DO_SAY)
        return STATUS_OK;
    for (int id = 0; id < OPT_COUNT; id++) {
        bool asks = id == OPT_EMIT; /* it is what is done, in each of its forms */
        if (line->value[id] && !asks && !(rows[id].with & line->doing))
            return error_set(error, STATUS_OPTION_CONFLICT, "%s goes with %s", rows[id].name,
                             with_what(rows[id].with));
    }
    if (!line->file)
        return error_set(error, STATUS_OPTION_VALUE, "no file given");
    if (line->value[OPT_FIX] && strcmp(line->file, "-") == 0)
        return error_set(error, STATUS_OPTION_VALUE,
                         "--fix rewrites the file: it cannot be standard input");
    return STATUS_OK;
}

static void fill_options(CommandLine *line) {
    PdecOptions *options = &line->options;
    line->oracle.expression = line->value[OPT_EVAL];
    line->oracle.extended = chosen(line, OPT_PRECISION) == 1;
    options->emit = line->doing == DO_PTX    ? "cuda"
                    : line->doing == DO_LLVM ? "c"
                                             : line->value[OPT_EMIT];
    options->format = (PdecFormat)chosen(line, OPT_DIAGNOSTICS);
    options->json = chosen(line, OPT_FORMAT) == 1;
    options->fix = line->value[OPT_FIX] != NULL;
    options->time_passes = line->value[OPT_TIME_PASSES] != NULL;
    options->allow_data = line->value[OPT_ALLOW_DATA];
    options->set = line->set;
    options->beside = line->file;
    options->module = line->doing == DO_MODULE;
    options->variants = options->module && !line->value[OPT_NO_VARIANTS];
    options->oracle = line->doing == DO_EVAL ? &line->oracle : NULL;
}

Status command_line_read(int argc, char **argv, CommandLine *line, Error *error) {
    *line = (CommandLine){0};
    Status status = STATUS_OK;
    for (int i = 1; i < argc && status == STATUS_OK; i++) {
        bool used = false;
        status = read_argument(line, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used, error);
        i += used;
    }
    if (status == STATUS_OK)
        status = find_doing(line, error);
    if (status == STATUS_OK)
        status = check_options(line, error);
    if (status == STATUS_OK)
        fill_options(line);
    return status;
}

bool command_line_option(int id, OptionText *out) {
    if (id < 0 || id >= OPT_COUNT)
        return false;
    const Row *row = &rows[id];
    *out = (OptionText){row->name, row->argument, row->help,
                        row->kind == KIND_CHOICE ? row->argument : NULL};
    return true;
}

/* To the column where help stands, on a line of its own if what stands before it is too long. */
static void pad(Buffer *out, size_t used) {
    if (used >= HELP_COLUMN)
        buffer_text(out, "\n");
    buffer_printf(out, "%*s", (int)(used < HELP_COLUMN ? HELP_COLUMN - used : HELP_COLUMN), "");
}

static void help_stages(Buffer *out) {
    const char *what = NULL;
    for (size_t i = 0; pdec_stage(i, &what); i++)
        buffer_printf(out, "%*s  %-10s %s\n", HELP_COLUMN, "", pdec_stage(i, &what), what);
    buffer_printf(out, "%*s  %-10s %s\n", HELP_COLUMN, "", "ptx",
                  "those kernels compiled for --arch, by NVRTC");
    buffer_printf(out, "%*s  %-10s %s\n", HELP_COLUMN, "", "llvm",
                  "the kernels as a module has them, in double, as LLVM's text");
}

void command_line_help(bool all, Buffer *out) {
    for (int id = 0; id < OPT_COUNT; id++) {
        const Row *row = &rows[id];
        if (!all && !is_common(id))
            continue;
        size_t before = out->size;
        buffer_printf(out, "  %s%s%s", row->name, row->argument[0] ? " " : "", row->argument);
        for (const char *line = row->help; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            pad(out, line == row->help ? out->size - before : 0);
            buffer_printf(out, "%.*s\n", (int)strcspn(line, "\n"), line);
        }
        if (id == OPT_EMIT)
            help_stages(out);
    }
    if (!all)
        buffer_printf(out, "\n'pdec --help all' shows all %d options.\n", (int)OPT_COUNT);
}
