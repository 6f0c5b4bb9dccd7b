/* error_line.h: how wrong the solution is, said at the end of a training. */
#ifndef PDE_RUNTIME_COMMANDS_ERROR_LINE_H
#define PDE_RUNTIME_COMMANDS_ERROR_LINE_H

#include "train/run_directory.h"

/* Estimates the error of the session's network where that takes less than a tenth of the seconds that training took,
 * prints it, and writes error.json into the run's directory. Nothing where it cannot be had. */
void error_line(const Session *session, const Config *config, const Run *run, double seconds);

#endif
