/* error_line.h: how wrong the solution is, said at the end of a training. */
#ifndef PDE_RUNTIME_COMMANDS_ERROR_LINE_H
#define PDE_RUNTIME_COMMANDS_ERROR_LINE_H

#include "commands/error_job.h"
#include "train/train.h"

typedef struct ErrorLine {
    ErrorJob job; /* empty where it was not done */
    bool done, opened;
    double megabytes; /* not done, since it would take so many; else 0 */
    bool slow;        /* not done, since it would take too long */
    Problem wide;     /* the module in double, where it was not */
} ErrorLine;

/* Estimates the error of the session's network where that takes less than a tenth of the seconds that training took:
 * with fewer points and paths where there is no time for all. */
void error_line_make(const Session *session, const Config *config, double seconds, ErrorLine *line);
/* Prints it, writes error.json into the run's directory and a row with its figures into the log. */
void error_line_print(const ErrorLine *line, Run *run, const TrainResult *result);
void error_line_close(ErrorLine *line);

#endif
