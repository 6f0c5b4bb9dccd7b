/* json_text.h: what the printers of --emit share. */
#ifndef PDE_COMPILER_BASE_JSON_TEXT_H
#define PDE_COMPILER_BASE_JSON_TEXT_H

#include "base/base.h"

/* A JSON string literal, quotes included; control characters escaped. */
void emit_json_string(Text *out, const char *s);
/* The module's plan (runtime/load/plan_read.h reads it): sizes, laws, tasks, directions (plan_json.c). */
void plan_json(Compilation *c, Text *out);
/* The settings of solve { } as a JSON object of pderun's options (solve_options.c). */
void conf_json(Compilation *c, Text *out);
/* The problem as displayed mathematics (math_print.c). Both need the pass `check` only. */
void latex_emit(Compilation *c, Text *out);
void mathml_emit(Compilation *c, Text *out);
void cuda_emit(Compilation *c, Text *out);

#endif
