/* oracle_check.h: the module's point programs against the values that the compiler's interpreter found. */
#ifndef PDE_RUNTIME_MEASURE_ORACLE_CHECK_H
#define PDE_RUNTIME_MEASURE_ORACLE_CHECK_H

#include "load/problem_open.h"

/* Told of each quantity, with the largest difference relative to its size. */
typedef void ExpectedVerdict(void *context, const char *name, double error);

/* Opens the module once more in the few dimensions that its plan gives values for. *why is set to a text where
 * nothing could be compared. */
Status expected_check(const ModuleFile *module, const Config *config, ExpectedVerdict *verdict,
                      void *context, const char **why, Error *error);

#endif
