/* say.h: the one way of both programs to a terminal. Nothing else in compiler/ and runtime/ prints.
 *
 * Text of others never reaches it as it is: see visible_print.h. */
#ifndef PDE_RUNTIME_FILES_SAY_H
#define PDE_RUNTIME_FILES_SAY_H

#include "files/status.h"

#include <stddef.h>

/* First of all: where standard input, output or error is closed, its number would go to the next file that is
 * opened, and what is said into that file. */
void say_begin(void);

/* From now on what this thread says, also what it says to standard error, is appended here and not printed; NULL: it is
 * printed again. For those who run a command without a terminal. */
typedef struct Buffer Buffer;
void say_into(Buffer *to);

/* From now on nothing is printed: one process of several speaks for all; until say_again. */
void say_nothing(void);
void say_again(void);

/* To standard output and to standard error. */
void say(const char *format, ...) PDE_FORMAT(1, 2);
void say_error(const char *format, ...) PDE_FORMAT(1, 2);

/* A text of many lines: line ends and tabs stay, everything else is made visible. */
void say_lines(const char *text, size_t size);
void say_error_lines(const char *text, size_t size);

/* Our own sequences that steer a terminal, and text that has been made visible already, as they are, to
 * standard error. */
void say_error_as_is(const char *text);

/* Writes out what was kept back. False: standard output could not be written, now or before. */
bool say_end(void);

#endif
