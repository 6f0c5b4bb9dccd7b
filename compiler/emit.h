/* emit.h: what the printers of --emit share. */
#ifndef PDE_EMIT_H
#define PDE_EMIT_H

#include "base.h"

/* A JSON string literal, quotes included; control characters escaped. */
void emit_json_string(Text *out, const char *s);
/* The module's plan (runtime/plan.h reads it): sizes, laws, tasks, directions (plan_json.c). */
void plan_json(Compilation *c, Text *out);
/* The settings of solve { } as a JSON object of pderun's options (conf.c). */
void conf_json(Compilation *c, Text *out);
/* The problem as displayed mathematics (math_print.c). Both need the pass `check` only. */
void latex_emit(Compilation *c, Text *out);
void mathml_emit(Compilation *c, Text *out);
void cuda_emit(Compilation *c, Text *out);

#endif
