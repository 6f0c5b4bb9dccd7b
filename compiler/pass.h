/* pass.h: running the stages of pass.def over a Compilation. */
#ifndef PDE_COMPILER_PASS_H
#define PDE_COMPILER_PASS_H

#include "base/compilation.h"

typedef enum PassId {
#define P(name, run, emit, what) PASS_##name,
#include "pass.def"
    PASS_COUNT
} PassId;

typedef struct Pass {
    const char *name;
    void (*run)(Compilation *c);
    void (*emit)(Compilation *c, Text *out);
    const char *what;
} Pass;

const Pass *pass_row(PassId id);

#define P(name, run, emit, what) void run(Compilation *c);
#include "pass.def"

void parse_emit(Compilation *c, Text *out);
void lower_emit(Compilation *c, Text *out);
void terms_emit(Compilation *c, Text *out);
void terms_json_list(Compilation *c, Text *out); /* the residuals with their terms, as an array */
void plan_emit(Compilation *c, Text *out);
void kernels_emit(Compilation *c, Text *out);
void process_emit(Compilation *c, Text *out);
void resolve_emit(Compilation *c, Text *out);
void check_emit(Compilation *c, Text *out);
/* The problem as displayed mathematics (math_print.c). Both need the pass `check` only. */
void latex_emit(Compilation *c, Text *out);
void mathml_emit(Compilation *c, Text *out);
void cuda_emit(Compilation *c, Text *out);
/* How a solution is computed from its network (arrays.c). */
void arrays_emit(Compilation *c, Text *out);

/* Runs the passes from `first` to `last`, both included, stopping after the first that reports an error.
 * seconds (PASS_COUNT entries, or NULL) receives the time of each. True: no error. */
bool pass_run(Compilation *c, PassId first, PassId last, double *seconds);

#endif
