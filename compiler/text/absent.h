/* absent.h: words that the language has not, or not there, and the way out for each. */
#ifndef PDE_ABSENT_H
#define PDE_ABSENT_H

#include "base/diag.h"

#include <stdbool.h>

/* What to do without the word; NULL if it is none of them. `follows`: an operand stands before it. */
const char *absent_way_out(Str word, bool follows);

/* The same for a name that is declared nowhere. */
const char *absent_name_way_out(Str word);

/* What to do without < and >. */
const char *absent_comparison(void);

#endif
