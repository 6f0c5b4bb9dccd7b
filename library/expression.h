/* expression.h: expressions of a trained solution that its module was not compiled with, such as d2(u, x_1). */
#ifndef PDE_LIBRARY_EXPRESSION_H
#define PDE_LIBRARY_EXPRESSION_H

#include "library/problem_file.h"

#include "runtime/load/plan_read.h"

/* Compiles the module's own text again with a `report` for each expression in the list (predictor.h), in their order,
 * and puts that in place of the module; *count is how many. Where the list has none, or is NULL, nothing is done. name: of
 * the problem or module, beside which data lie. STATUS_OPTION_VALUE: an expression is wrong, and the message says how. */
Status expressions_compile(ModuleFile *module, const char *name, const char *what,
                           const ProblemHow *how, int *count, Error *error);

#endif
