/* limits.h: the limits of limits.def as constants LIMIT_name. */
#ifndef PDE_COMPILER_BASE_LIMITS_H
#define PDE_COMPILER_BASE_LIMITS_H

enum {
#define L(name, value, diagnostic, reason) LIMIT_##name = value,
#include "base/limits.def"
};

#endif
