/* problem_domain.h: the parts of problem_open.c that make numbers of the coordinate vectors and their domains. */
#ifndef PDE_RUNTIME_LOAD_PROBLEM_DOMAIN_H
#define PDE_RUNTIME_LOAD_PROBLEM_DOMAIN_H

#include "load/problem_open.h"

typedef int32_t ConstantsKernel(double *out);

/* With the plan's present dims: each vector's entries, and where it stands in a point. */
Status problem_set_spaces(Problem *p, Error *error);
/* Arguments of the domains, ends of time; false: the module has another number of them. */
bool problem_take_constants(Problem *p, ConstantsKernel *constants);
/* Where an argument of a domain is indexed. After the random and data constants. */
Status problem_evaluate_semiaxes(Problem *p, Error *error);
/* None is empty. */
Status problem_check_domain(const Problem *p, Error *error);

#endif
