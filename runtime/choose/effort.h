/* effort.h: whether a run chooses its own settings, and how long it may take. */
#ifndef PDE_RUNTIME_CHOOSE_EFFORT_H
#define PDE_RUNTIME_CHOOSE_EFFORT_H

#include "load/plan_read.h"
#include "options/config.h"

typedef struct Budget {
    double seconds; /* of the whole run, race included */
    int64_t
        iterations; /* of the training after the race, where someone stated them; 0: from the seconds */
} Budget;

/* True where the file names neither network nor method, or where effort or time are asked for on the command
 * line; never with --effort none. */
bool effort_applies(const Config *config, const Plan *plan);
/* Where iterations are stated the seconds are those of the effort: they decide what may be tried at all. */
Budget effort_budget(const Config *config);

/* What a piece of work took: on a machine that others use as well the clock runs on while the work waits, and a budget
 * would be spent on waiting. So it is the processor time where that is less. */
typedef struct Stopwatch {
    double wall, cpu;
} Stopwatch;

Stopwatch stopwatch_start(void);
double stopwatch_seconds(Stopwatch start);

/* The nearest power of the root of 2, rounded to a whole number; at least `least`. */
int64_t effort_round(double iterations, int64_t least);

#endif
