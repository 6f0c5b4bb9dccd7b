/* vanish.h: a delta times a factor that is 0 where the delta sits is nothing: x * delta(x) = 0. */
#ifndef PDE_COMPILER_TERMS_VANISH_H
#define PDE_COMPILER_TERMS_VANISH_H

#include "eval/bounds.h"

enum { VANISH_VALUES = 6 }; /* as stated, and with other params */

typedef struct Vanish {
    Compilation *c;
    Bounds bounds[VANISH_VALUES];
    uint32_t n;
} Vanish;

/* False if the domain has no numbers. */
bool vanish_open(Compilation *c, Vanish *v);
/* lost: a DIRAC or POLE. Is factor * lost nothing in this domain? False: it is something, or no rule says. */
bool vanish_is_nothing(const Vanish *v, Ref lost, Ref factor);

#endif
