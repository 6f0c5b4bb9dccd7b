/* events.h: the rows of the log as TensorBoard reads them: a file of events, each with a step and named numbers. */
#ifndef PDE_RUNTIME_REPORT_EVENTS_H
#define PDE_RUNTIME_REPORT_EVENTS_H

#include "files/buffer.h"

#include <stdbool.h>

/* What a file begins with. */
void events_head(Buffer *out);
/* A line of log.jsonl: every number in it becomes a curve. False: it is no row. */
bool events_row(const char *line, size_t size, Buffer *out);

#endif
