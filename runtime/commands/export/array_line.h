/* array_line.h: one line after the other of what --emit=arrays prints (compiler/output/arrays.c says what it means). */
#ifndef PDE_RUNTIME_COMMANDS_EXPORT_ARRAY_LINE_H
#define PDE_RUNTIME_COMMANDS_EXPORT_ARRAY_LINE_H

#include "commands/export/export.h"

enum { ARRAY_WORDS = 40, ARRAY_WORD_MAX = 64, ARRAY_LOOPS = 4 };

typedef struct ArrayLine {
    int words;
    char word[ARRAY_WORDS][ARRAY_WORD_MAX];
} ArrayLine;

/* position[..] = at + sum of step * j, one axis for each loop */
typedef struct ArrayPlace {
    int64_t at;
    int loops;
    struct {
        int axis; /* from the end, from 1 */
        int64_t step, count;
    } loop[ARRAY_LOOPS];
} ArrayPlace;

/* The next line, of which *text then is the rest; false at the end. */
bool array_line(const char **text, ArrayLine *line);
bool array_word_is(const ArrayLine *line, int k, const char *word);
/* `vK`: K. -1: a number. */
int64_t array_value_number(const char *word);
/* The place that begins at word k, up to a comma or the end; returns the word after it. */
int array_place(const ArrayLine *line, int k, ArrayPlace *place);
/* Does a value of this line depend on nothing but constants? Then it need be computed once. */
bool array_is_constant(const ArrayLine *line);
/* Which constant of the problem a `tensor` line names. */
int array_tensor(const Problem *problem, const char *name);
double array_unknown(const Session *session, const char *name);
/* Says why there is no such program, if there is none; `format` is what was asked for. */
Status array_program_check(const ExportModel *model, const char *format, Error *error);

#endif
