/* pages.c: pde_pages KIND PROGRAM FILE: a man page, or completion for a shell, from the table of options that the program
 * itself reads. KIND is man, bash, zsh or fish. */
#include "compiler/driver/command_line.h"
#include "runtime/files/io.h"
#include "runtime/files/say.h"
#include "runtime/options/option.h"

#include <string.h>

enum { OPTIONS_MAX = 160 };

typedef struct Program {
    const char *name, *what, *usage, *files; /* files: endings that it takes, separated by | */
    OptionText option[OPTIONS_MAX];
    int options;
} Program;

/* ---------------------------------------------------------------------------------------- tables */

static void list_pdec(Program *p) {
    *p = (Program){.name = "pdec",
                   .what = "compile partial differential equations in many dimensions",
                   .usage = "[options] FILE.pde",
                   .files = "pde"};
    while (p->options < OPTIONS_MAX && command_line_option(p->options, &p->option[p->options]))
        p->options++;
}

static void list_pderun(Program *p) {
    static char name[OPTION_COUNT][40];
    *p = (Program){.name = "pderun",
                   .what = "train neural solutions of partial differential equations, and use them",
                   .usage = "[options] PROBLEM.pde, MODULE.so or RUN",
                   .files = "pde|so"};
    for (Option k = 0; k < OPTION_COUNT && p->options < OPTIONS_MAX; k++) {
        const OptionRow *row = &option_table[k];
        const bool words = row->kind == KIND_CHOICE || row->kind == KIND_CHOICE_OR_NUMBER ||
                           row->kind == KIND_CHOICE_OR_INTEGER;
        const size_t n = strlen(row->name);
        memcpy(name[k], "--", 2);
        memcpy(name[k] + 2, row->name, n < 37 ? n + 1 : 37);
        p->option[p->options++] = (OptionText){name[k],
                                               words                    ? "WORD"
                                               : row->kind == KIND_PAGE ? "[all]"
                                                                        : row->argument,
                                               row->help, words ? row->argument : NULL};
    }
}

static bool takes_value(const OptionText *o) {
    return *o->argument && *o->argument != '[';
}

/* The text with some characters put in front of, or in place of, some of it. */
static void escape(Buffer *out, const char *text, const char *special, const char *before) {
    for (; *text; text++) {
        if (*text == '\n') {
            buffer_text(out, " ");
            continue;
        }
        if (strchr(special, *text))
            buffer_text(out, before);
        buffer_bytes(out, text, 1);
    }
}

/* Between single quotes of a shell. */
static void quote(Buffer *out, const char *text) {
    for (; *text; text++)
        if (*text == '\'')
            buffer_text(out, "'\\''");
        else
            buffer_bytes(out, text, 1);
}

/* ------------------------------------------------------------------------------------------- man */

static void roff(Buffer *out, const char *text) {
    if (*text == '.' || *text == '\'')
        buffer_text(out, "\\&");
    escape(out, text, "-", "\\");
}

static void make_man(const Program *p, Buffer *out) {
    buffer_printf(out, ".TH %s 1 \"\" \"%s %s\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n%s\n",
                  p->name, p->name, PDE_VERSION, p->name, p->what, p->name, p->usage);
    buffer_text(out, ".SH OPTIONS\n");
    for (int k = 0; k < p->options; k++) {
        const OptionText *o = &p->option[k];
        buffer_text(out, ".TP\n.B ");
        roff(out, o->name);
        buffer_text(out, *o->argument ? " " : "");
        escape(out, o->words && strcmp(o->argument, "WORD") == 0 ? "" : o->argument, "-", "\\");
        for (const char *word = o->words; word && strcmp(o->argument, "WORD") == 0 && *word;) {
            word += *word == '|';
            const size_t n = strcspn(word, "|");
            buffer_printf(out, "%.*s%s", (int)n, word, word[n] ? "|" : "");
            word += n;
        }
        buffer_text(out, "\n");
        roff(out, o->help);
        buffer_text(out, "\n");
    }
    buffer_printf(out, ".SH SEE ALSO\n.BR %s (1)\n",
                  strcmp(p->name, "pdec") == 0 ? "pderun" : "pdec");
}

/* ------------------------------------------------------------------------------------ completion */

static void words_with_spaces(Buffer *out, const char *words) {
    words += *words == '|';
    for (; *words; words++)
        buffer_bytes(out, *words == '|' ? " " : words, 1);
}

static void make_bash(const Program *p, Buffer *out) {
    buffer_printf(out,
                  "# completion of %s for bash; made from its table of options\n_%s() {\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    case $prev in\n",
                  p->name, p->name);
    for (int k = 0; k < p->options; k++)
        if (p->option[k].words) {
            buffer_printf(out, "    %s) COMPREPLY=($(compgen -W '", p->option[k].name);
            words_with_spaces(out, p->option[k].words);
            buffer_text(out, "' -- \"$cur\")); return ;;\n");
        }
    buffer_text(out, "    --help) COMPREPLY=($(compgen -W 'all' -- \"$cur\")); return ;;\n    ");
    bool first = true;
    for (int k = 0; k < p->options; k++)
        if (takes_value(&p->option[k]) && !p->option[k].words) {
            buffer_printf(out, "%s%s", first ? "" : "|", p->option[k].name);
            first = false;
        }
    buffer_text(out, ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n    esac\n"
                     "    if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W '");
    for (int k = 0; k < p->options; k++)
        buffer_printf(out, "%s%s", k ? " " : "", p->option[k].name);
    buffer_text(out, "' -- \"$cur\"))\n    else\n        COMPREPLY=($(compgen -d -- \"$cur\")");
    for (const char *ending = p->files; *ending; ending += *ending == '|') {
        const size_t n = strcspn(ending, "|");
        buffer_printf(out, " $(compgen -G \"$cur*.%.*s\")", (int)n, ending);
        ending += n;
    }
    buffer_printf(out, ")\n    fi\n}\ncomplete -o filenames -F _%s %s\n", p->name, p->name);
}

static void make_zsh(const Program *p, Buffer *out) {
    buffer_printf(out,
                  "#compdef %s\n# made from the program's table of options\n_arguments -s \\\n",
                  p->name);
    for (int k = 0; k < p->options; k++) {
        const OptionText *o = &p->option[k];
        Buffer help = {0};
        escape(&help, o->help, "[]:\\", "\\");
        buffer_printf(out, "  '%s%s[", o->name, takes_value(o) && o->name[1] == '-' ? "=" : "");
        quote(out, help.data ? help.data : "");
        buffer_free(&help);
        buffer_text(out, "]");
        if (o->words) {
            buffer_text(out, ":word:(");
            words_with_spaces(out, o->words);
            buffer_text(out, ")");
        } else if (takes_value(o)) {
            buffer_text(out, ":value:_files");
        }
        buffer_text(out, "' \\\n");
    }
    buffer_printf(out, "  '*:file:_files -g \"*.(%s)(-.)|*(-/)\"'\n", p->files);
}

static void make_fish(const Program *p, Buffer *out) {
    buffer_printf(out, "# completion of %s for fish; made from its table of options\n", p->name);
    for (int k = 0; k < p->options; k++) {
        const OptionText *o = &p->option[k];
        const bool one = o->name[1] != '-';
        buffer_printf(out, "complete -c %s -%s %s", p->name, one ? "s" : "l",
                      o->name + (one ? 1 : 2));
        if (takes_value(o))
            buffer_text(out, " -r");
        if (o->words) {
            buffer_text(out, " -f -a '");
            words_with_spaces(out, o->words);
            buffer_text(out, "'");
        }
        buffer_text(out, " -d '");
        Buffer help = {0};
        escape(&help, o->help, "'\\", "\\");
        buffer_text(out, help.data ? help.data : "");
        buffer_free(&help);
        buffer_text(out, "'\n");
    }
}

/* -------------------------------------------------------------------------------------------- main */

static int complain(const char *what) {
    say_error("pde_pages: %s\n", what);
    return 2;
}

int main(int argc, char **argv) {
    static const struct {
        const char *kind;
        void (*make)(const Program *p, Buffer *out);
    } makers[] = {{"man", make_man}, {"bash", make_bash}, {"zsh", make_zsh}, {"fish", make_fish}};
    static Program program;
    Buffer text = {0};
    Error error = {0};
    if (argc != 4)
        return complain("usage: pde_pages man|bash|zsh|fish pdec|pderun FILE");
    if (strcmp(argv[2], "pdec") == 0)
        list_pdec(&program);
    else
        list_pderun(&program);
    for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
        if (strcmp(makers[k].kind, argv[1]) == 0)
            makers[k].make(&program, &text);
    Status status = buffer_status(&text, &error);
    if (status == STATUS_OK)
        status = io_write_atomic(argv[3], &(Bytes){text.data, text.size}, 1, &error);
    buffer_free(&text);
    return status == STATUS_OK ? 0 : complain(error.message);
}
