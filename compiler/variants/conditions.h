/* conditions.h: conditions met by construction where their data are smooth, as
 * losses where they are not: a kink in the trial function has second
 * derivatives that no point sees. */
#ifndef PDE_COMPILER_VARIANTS_CONDITIONS_H
#define PDE_COMPILER_VARIANTS_CONDITIONS_H

#include "variants/edit.h"

/* EXACT: all that can be; EXACT_TIME, EXACT_BOUNDARY: only those at the ends of
 * time, on the boundary. */
typedef enum Stating {
    STATE_EXACT,
    STATE_EXACT_TIME,
    STATE_EXACT_BOUNDARY,
    STATE_LOSSES,
    STATE_AS_WRITTEN,
    STATINGS
} Stating;

/* Changes the conditions so. reasons: what is said of it, one each. Returns how
 * many are exact then. */
uint32_t conditions_state(Compilation *c, Stating how, Edits *edits, Text *reasons);

#endif
