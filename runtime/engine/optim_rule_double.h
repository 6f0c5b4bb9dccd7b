/* optim_rule_double.h: the rules of optim.def for one number in double, on the processor. */
#ifndef PDE_RUNTIME_ENGINE_OPTIM_RULE_DOUBLE_H
#define PDE_RUNTIME_ENGINE_OPTIM_RULE_DOUBLE_H

#include "engine/optim_rule.h"

#include <math.h>

#define RULE_NUMBER double
#define RULE_FACTOR double
#define RULE(name) double_##name
#define RULE_INLINE static inline
#define RULE_ROOT(v, root, epsilon) (1 / (sqrt(v) * (root) + (epsilon)))
#include "engine/optim_rule_body.h"

#endif
