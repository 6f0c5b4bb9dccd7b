/* log.h: DIR/log.jsonl, one JSON object per logged iteration.
 *
 * Every row goes to the kernel whole before log_row returns, so that `tail -f` and a crash both
 * see complete lines. A number that does not exist (no exact solution) is NaN here and null there.
 */
#ifndef PDE_RUNTIME_REPORT_LOG_H
#define PDE_RUNTIME_REPORT_LOG_H

#include "files/io.h"
#include "files/number.h"

typedef struct LogRow {
    uint64_t iteration;
    double loss;             /* of the sample that was used */
    double error;            /* relative L2 error on the test points, NaN if unknown */
    double seconds;          /* since the beginning of the run, resumed parts included */
    double cpu_seconds;      /* the same of the processor, all threads; 0 or NaN: unknown */
    double ms_per_iteration; /* since the previous row */
    double rate;             /* of the optimiser */
} LogRow;

/* A quantity besides those of LogRow, for example "gradient_norm" or an unknown's value. */
typedef NamedNumber LogValue;

/* owner of the file; initialise with LOG_NONE, release with log_close. */
typedef struct Log {
    IoAppend file, events; /* events: of no descriptor, or open */
} Log;
#define LOG_NONE ((Log){.file = {.descriptor = -1}, .events = {.descriptor = -1}})

/* Opens the log of a run that goes on after `iteration`: rows after it, and a last line that a
 * crash cut short, are removed atomically. A new run gives 0 and finds an empty log. */
Status log_open(const char *directory, uint64_t iteration, Log *log, Error *error);
/* From now on every row goes into DIR/events.out.tfevents too, where the rows so far stand already. */
Status log_open_events(const char *directory, Log *log, Error *error);
Status log_row(Log *log, const LogRow *row, const LogValue *extra, size_t extra_count,
               Error *error);
Status log_close(Log *log, Error *error);

/* All complete rows, for the report; *row (owner: caller, free()) is NULL if there are none. */
Status log_read(const char *directory, LogRow **row, size_t *count, Error *error);

#endif
