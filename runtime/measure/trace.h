/* trace.h: everything of one step as a safetensors file, so that another program can recompute it.
 * The names are documented in README.md. */
#ifndef PDE_RUNTIME_MEASURE_TRACE_H
#define PDE_RUNTIME_MEASURE_TRACE_H

#include "step/session.h"

/* Computes the gradient of `step` without updating anything, and writes it with all it came from. */
Status trace_write(Session *session, uint32_t step, const char *path, Error *error);

#endif
