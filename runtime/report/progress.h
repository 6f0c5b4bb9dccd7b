/* progress.h: what a person sees while a run goes on.
 *
 * On a terminal one line that is rewritten; elsewhere a plain line every few seconds. Nothing is
 * printed here: progress_line fills a buffer and pderun writes it to standard error. */
#ifndef PDE_RUNTIME_REPORT_PROGRESS_H
#define PDE_RUNTIME_REPORT_PROGRESS_H

#include "files/buffer.h"

#include <stdint.h>

typedef struct Progress {
    bool terminal;
    int descriptor;    /* asked for its width at every line: windows are resized */
    double interval;   /* seconds between lines */
    double next;       /* time of the next line */
    double first_time; /* time and iteration of the first call: the rate counts from there, */
    uint64_t first_iteration; /* so that a resumed run does not count what it did not do */
    bool started;
} Progress;

typedef struct ProgressState {
    uint64_t iteration, iterations; /* done, wanted in all (0: no limit) */
    double loss, error;             /* NaN: not shown */
    double now;                     /* seconds on any steady clock */
    double time_left;               /* seconds until --time-limit, NaN if none */
} ProgressState;

Progress progress_for(int descriptor);
/* Appends the text to write, if a line is due (or `last`: then always, ended by a newline);
 * false if nothing is due. */
bool progress_line(Progress *progress, const ProgressState *state, bool last, Buffer *out);
/* What erases a terminal's line before something else is written; empty if not on a terminal. */
const char *progress_clear(const Progress *progress);
/* "4.2 s", "3 min 05 s", "2 h 07 min", "3 d 4 h"; out holds PROGRESS_DURATION_MAX bytes. */
enum { PROGRESS_DURATION_MAX = 32 };
const char *progress_duration(double seconds, char *out);

#endif
