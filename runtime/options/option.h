/* option.h: the table of option.def, and what is said about its rows. Values are config.h's. */
#ifndef PDE_RUNTIME_OPTIONS_OPTION_H
#define PDE_RUNTIME_OPTIONS_OPTION_H

#include "files/buffer.h"

typedef enum Option {
#define OPTION(id, name, kind, standard, minimum, maximum, argument, group, span, help) OPTION_##id,
#include "options/option.def"
#undef OPTION
    OPTION_COUNT
} Option;

typedef enum OptionKind {
    KIND_FLAG,
    KIND_INTEGER,
    KIND_NUMBER,
    KIND_CHOICE,
    KIND_CHOICE_OR_NUMBER,
    KIND_CHOICE_OR_INTEGER,
    KIND_DURATION,
    KIND_RATE,
    KIND_DEVICE,
    KIND_PAIR,
    KIND_TEXT,
    KIND_PAGE
} OptionKind;

typedef enum OptionSpan { SPAN_CALL, SPAN_OPEN, SPAN_FIXED } OptionSpan;

typedef enum OptionGroup {
#define GROUP(id, heading) GROUP_##id,
#include "options/option.def"
#undef GROUP
    GROUP_COUNT
} OptionGroup;

typedef struct OptionRow {
    const char *name;
    OptionKind kind;
    const char *standard;
    double minimum, maximum;
    const char *argument;
    OptionGroup group;
    OptionSpan span;
    const char *help;
} OptionRow;

extern const OptionRow option_table[OPTION_COUNT];

const char *option_name(Option option);
const char *option_group_heading(OptionGroup group);
/* In British or American spelling. */
bool option_find(Bytes name, Option *option);
/* The option whose name is nearest to one that does not exist, or NULL if none is near. */
const char *option_nearest(Bytes name);
/* The position of a word in "a|b|c", or -1; in British or American spelling. */
int option_word(const char *words, const char *text);
/* The words of schedule.def, as in a CHOICE. */
extern const char option_schedules[];
/* The word of "a|b|c" that is nearest to one that is none of them; false if none is near. */
bool option_nearest_word(const char *words, const char *text, Bytes *nearest);
/* What the option takes: "a whole number from 1 to 10", "full, 1, 2, 3 or exact". */
void option_describe(Buffer *out, const OptionRow *row);
/* Is it one of the few that --help shows? */
bool option_is_common(Option option);
/* The text of --help for a terminal of `width` columns; all: of --help all. */
void option_help(Buffer *out, int width, bool all);

#endif
