/* oracle.h: --eval: any expression of a problem as numbers, straight from the IR. */
#ifndef PDE_COMPILER_DRIVER_ORACLE_H
#define PDE_COMPILER_DRIVER_ORACLE_H

#include "ir/problem.h"
#include "pdec.h"
#include "runtime/files/npy.h"

/* Adds the expression to the program, as a report, before names are resolved: it is then checked
 * and lowered like everything in the file, and messages point into it. */
void oracle_extend(Compilation *c, const PdecOracle *request);

/* How many values oracle_run will give. */
size_t oracle_count(const PdecOracle *request);

/* Requires: the pass `expanded`. values[oracle_count], and one line of text per value. Returns NULL
 * or what is wrong (in the arena). `open` is the caller's to free. */
const char *oracle_run(Compilation *c, const PdecOracle *request, NpyFile *open, double *values,
                       Text *out);

#endif
