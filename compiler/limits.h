/* limits.h: the limits of limits.def as constants LIMIT_name. */
#ifndef PDE_LIMITS_H
#define PDE_LIMITS_H

enum {
#define L(name, value, diagnostic, reason) LIMIT_##name = value,
#include "limits.def"
};

#endif
