/* nonfinite_watch.h: the module's watching kernels, and what they saw as a place in the user's text. */
#ifndef PDE_RUNTIME_MEASURE_NONFINITE_WATCH_H
#define PDE_RUNTIME_MEASURE_NONFINITE_WATCH_H

#include "load/problem_open.h"

enum { WATCH_TEXT_MAX = 700 };

/* owner of kernels.jit; release with watch_close. */
typedef struct Watch {
    const Problem *problem;
    Kernels kernels;
    PdeWatch *log;
} Watch;

/* False: the module has no watching kernels. */
bool watch_open(const Problem *problem, Watch *watch);
void watch_close(Watch *watch);

/* Forgets what was seen; from now on the given point of a group counts. */
void watch_begin(Watch *watch, int lane);
/* The innermost value that was not finite and made a result so, as lines of text with file, line, column and
 * the line itself. False: no result was touched. */
bool watch_place(const Watch *watch, char *text);

#endif
