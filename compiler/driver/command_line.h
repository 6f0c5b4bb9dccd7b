/* command_line.h: what pdec is asked to do; the table is option.def. */
#ifndef PDE_COMPILER_DRIVER_COMMAND_LINE_H
#define PDE_COMPILER_DRIVER_COMMAND_LINE_H

#include "driver/ptx.h"
#include "pdec.h"

enum { COMMAND_LINE_SETS = 64 };

/* What pdec does, one of them: bits, for the column WITH of option.def. */
typedef enum Doing {
    DO_CHECK = 1,
    DO_EMIT = 2,  /* a stage that has one form only */
    DO_TERMS = 4, /* --emit=terms or plan */
    DO_PTX = 8,   /* --emit=ptx */
    DO_EVAL = 16,
    DO_MODULE = 32, /* -o */
    DO_SAY = 64,    /* --help, --version, --explain: no FILE is read */
    DO_LLVM = 128,  /* --emit=llvm */
    DO_COMPILE = DO_CHECK | DO_EMIT | DO_TERMS | DO_PTX | DO_LLVM | DO_EVAL | DO_MODULE
} Doing;

typedef enum OptionId {
#define OPTION(ID, name, kind, argument, with, help) OPT_##ID,
#include "driver/option.def"
#undef OPTION
    OPT_COUNT
} OptionId;

typedef struct CommandLine {
    Doing doing;
    PdecOptions options;          /* points into this struct: it may not be moved */
    PdecOracle oracle;            /* its points are the caller's to fill in */
    const char *value[OPT_COUNT]; /* the argument, "" of a flag; NULL: not given */
    const char *set[COMMAND_LINE_SETS];
    const char *file;
    bool help_all; /* --help all */
    PtxArchs archs;
} CommandLine;

/* Fills `line`, whose texts are those of argv. On failure the error says what is wrong. */
Status command_line_read(int argc, char **argv, CommandLine *line, Error *error);

/* An option for those who describe it; false past the last. */
typedef struct OptionText {
    const char *name, *argument,
        *help;         /* with its dashes; what follows it, "" for nothing; lines */
    const char *words; /* that it takes, separated by |, or NULL */
} OptionText;
bool command_line_option(int id, OptionText *out);

/* The lines of --help that come from option.def; all: of --help all. */
void command_line_help(bool all, Buffer *out);

#endif
