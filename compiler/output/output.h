/* output.h: the parts of a module that are text. */
#ifndef PDE_COMPILER_OUTPUT_OUTPUT_H
#define PDE_COMPILER_OUTPUT_OUTPUT_H

#include "base/base.h"

/* The module's plan (runtime/load/plan_read.h reads it): sizes, laws, tasks, directions (plan_json.c). */
void plan_json(Compilation *c, Text *out);
/* Does the file leave network, method and optimiser open (solve_options.c)? */
bool solve_is_automatic(const Compilation *c);
/* The settings of solve { } as a JSON object of pderun's options (solve_options.c). */
void conf_json(Compilation *c, Text *out);

#endif
