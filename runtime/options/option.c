/* option.c: the table made from option.def, its words in messages, and --help. */
#include "compiler/base/suggest.h"
#include "options/option.h"

#include <string.h>

static const char *const group_heading[GROUP_COUNT] = {
#define GROUP(id, heading) heading,
#include "options/option.def"
#undef GROUP
};

/* The words of a choice, each after a bar; so the tables of others can be pasted in. */
#define ACTIVATION(name, ...) "|" #name
#define OPTIMISER(name, ...) "|" #name
#define SCHEDULE(name, what) "|" #name
static const char ACTIVATION_NAMES[] =
#include "contract/activation.def"
    ;
static const char OPTIMISER_NAMES[] =
#include "contract/optim.def"
    ;
const char option_schedules[] =
#include "contract/schedule.def"
    ;
#undef ACTIVATION
#undef OPTIMISER
#undef SCHEDULE

const OptionRow option_table[OPTION_COUNT] = {
#define OPTION(id, name, kind, standard, minimum, maximum, argument, group, span, help)            \
    {name, KIND_##kind, standard, minimum, maximum, argument, GROUP_##group, SPAN_##span, help},
#include "options/option.def"
#undef OPTION
};

const char *option_group_heading(OptionGroup group) {
    return group_heading[group];
}

const char *option_name(Option option) {
    return option_table[option].name;
}

static Str str_of(const char *text) {
    return (Str){text, strlen(text)};
}

bool option_find(Bytes name, Option *option) {
    for (Option i = 0; i < OPTION_COUNT; i++)
        if (suggest_same_name((Str){name.data, name.size}, str_of(option_table[i].name))) {
            *option = i;
            return true;
        }
    return false;
}

bool option_is_common(Option option) {
    static const Option common[] = {
#define COMMON(id) OPTION_##id,
#include "options/option.def"
#undef COMMON
    };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (common[i] == option)
            return true;
    return false;
}

const char *option_nearest(Bytes name) {
    Suggestion suggestion = suggest_start((Str){name.data, name.size});
    for (Option i = 0; i < OPTION_COUNT; i++)
        suggest_offer(&suggestion, str_of(option_table[i].name));
    return suggestion.best.n > 0 ? suggestion.best.s : NULL;
}

/* ---- words ---- */

/* The next word of "a|b|c" or "|a|b|c", with *words moved past it; false at the end. */
static bool next_word(const char **words, Bytes *word) {
    while (**words == '|')
        (*words)++;
    *word = (Bytes){*words, strcspn(*words, "|")};
    *words += word->size;
    return word->size > 0;
}

int option_word(const char *words, const char *text) {
    Bytes word;
    for (int i = 0; next_word(&words, &word); i++)
        if (suggest_same_name(str_of(text), (Str){word.data, word.size}))
            return i;
    return -1;
}

bool option_nearest_word(const char *words, const char *text, Bytes *nearest) {
    Suggestion suggestion = suggest_start(str_of(text));
    for (Bytes word; next_word(&words, &word);)
        suggest_offer(&suggestion, (Str){word.data, word.size});
    *nearest = (Bytes){suggestion.best.s, suggestion.best.n};
    return suggestion.best.n > 0;
}

/* "a, b or c" */
static void list_words(Buffer *out, const char *words) {
    Bytes word, after;
    for (bool first = true; next_word(&words, &word); first = false) {
        const char *rest = words;
        if (!first)
            buffer_text(out, next_word(&rest, &after) ? ", " : " or ");
        buffer_bytes(out, word.data, word.size);
    }
}

static void describe_range(Buffer *out, const OptionRow *row) {
    bool whole = row->kind == KIND_INTEGER || row->kind == KIND_CHOICE_OR_INTEGER;
    buffer_text(out, whole ? "a whole number from " : "a number from ");
    buffer_number(out, row->minimum);
    buffer_text(out, " to ");
    buffer_number(out, row->maximum);
}

void option_describe(Buffer *out, const OptionRow *row) {
    switch (row->kind) {
    case KIND_FLAG:
        buffer_text(out, "true or false");
        break;
    case KIND_INTEGER:
    case KIND_NUMBER:
        describe_range(out, row);
        break;
    case KIND_CHOICE:
        list_words(out, row->argument);
        break;
    case KIND_CHOICE_OR_NUMBER:
    case KIND_CHOICE_OR_INTEGER:
        list_words(out, row->argument);
        buffer_text(out, ", or ");
        describe_range(out, row);
        break;
    case KIND_DURATION:
        buffer_text(out, "a time such as 90, 90s, 30m, 2h or 1d");
        break;
    case KIND_RATE:
        buffer_text(out, "a number or a schedule such as linear(1e-3,0), with ");
        list_words(out, option_schedules);
        break;
    case KIND_DEVICE:
        buffer_text(out, "auto, cpu or cuda:N");
        break;
    case KIND_PAIR:
        buffer_text(out, "name=value");
        break;
    case KIND_TEXT:
        buffer_text(out, "a text that is not empty");
        break;
    case KIND_PAGE:
        buffer_text(out, "no word, or ");
        list_words(out, row->argument);
        break;
    }
}

/* ---- help ---- */

enum { HELP_INDENT = 30, HELP_NARROWEST = 24 };

/* Words of text from column HELP_INDENT on, never past `width` unless a word alone is wider. */
static void wrap(Buffer *out, const char *text, int width) {
    int column = HELP_INDENT;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > HELP_INDENT && column + 1 + length > width) {
            buffer_printf(out, "\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        } else if (column > HELP_INDENT) {
            buffer_text(out, " ");
            column++;
        }
        buffer_printf(out, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    buffer_text(out, "\n");
}

static void describe_option(Buffer *out, const OptionRow *row, int width) {
    Buffer help = {0};
    const bool words = row->kind == KIND_CHOICE || row->kind == KIND_CHOICE_OR_NUMBER ||
                       row->kind == KIND_CHOICE_OR_INTEGER;
    const char *argument = row->kind == KIND_PAGE     ? "[all]"
                           : !words                   ? row->argument
                           : row->kind == KIND_CHOICE ? "WORD"
                                                      : "VALUE";
    buffer_text(&help, row->help);
    if (words) {
        buffer_text(&help, ": ");
        list_words(&help, row->argument);
        buffer_text(&help, row->kind == KIND_CHOICE ? "" : ", or a number");
    }
    if (*row->standard && row->kind != KIND_FLAG)
        buffer_printf(&help, " (default: %s)", row->standard);
    size_t start = out->size;
    buffer_printf(out, "  --%s%s%s", row->name, *argument ? " " : "", argument);
    size_t used = out->size - start;
    if (used + 2 <= HELP_INDENT)
        buffer_printf(out, "%*s", HELP_INDENT - (int)used, "");
    else
        buffer_printf(out, "\n%*s", HELP_INDENT, "");
    if (help.failed)
        out->failed = true;
    else
        wrap(out, help.data, width);
    buffer_free(&help);
}

static void help_common(Buffer *out, int width) {
    buffer_text(
        out, "Usage: pderun PROBLEM.pde    compile it and train its solution\n"
             "       pderun MODULE.so      train what 'pdec PROBLEM.pde -o MODULE.so' wrote\n"
             "       pderun RUN            what is in the directory of a run, and how to use it\n"
             "       pderun RUN --predict POINTS.npy\n\nOptions that most use\n");
    for (Option i = 0; i < OPTION_COUNT; i++)
        if (option_is_common(i))
            describe_option(out, &option_table[i], width);
    buffer_printf(out, "\n'pderun --help all' shows all %d options.\n", (int)OPTION_COUNT);
}

static void help_all(Buffer *out, int width) {
    buffer_text(out,
                "Usage: pderun [options] PROBLEM.pde, MODULE.so or RUN\n"
                "Trains the solution of a partial differential equation, or uses a trained one.\n");
    for (OptionGroup group = 0; group < GROUP_COUNT; group++) {
        buffer_printf(out, "\n%s\n", option_group_heading(group));
        for (Option i = 0; i < OPTION_COUNT; i++)
            if (option_table[i].group == group)
                describe_option(out, &option_table[i], width);
    }
    buffer_text(out,
                "\nValues are taken from the module, then from the file of --config, then from "
                "the\ncommand line; later ones have precedence.\n");
}

void option_help(Buffer *out, int width, bool all) {
    if (width < HELP_INDENT + HELP_NARROWEST)
        width = HELP_INDENT + HELP_NARROWEST;
    else if (width > 100)
        width = 100; /* longer lines are hard to read */
    if (all)
        help_all(out, width);
    else
        help_common(out, width);
}
