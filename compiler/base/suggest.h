/* suggest.h: the nearest of several names, for "did you mean". */
#ifndef PDE_COMPILER_BASE_SUGGEST_H
#define PDE_COMPILER_BASE_SUGGEST_H

#include "base.h"

typedef struct Suggestion {
    Str wanted;
    Str best;
    uint32_t distance;
} Suggestion;

/* Start with suggest_start, offer every candidate; best.n is 0 if none is near enough. What other programs call a
 * candidate (synonym.def) is nearer than any spelling. */
Suggestion suggest_start(Str wanted);
void suggest_offer(Suggestion *s, Str candidate);
/* The same name but for British or American spelling (optimiser, color) and _ for -. */
bool suggest_same_name(Str a, Str b);
/* Damerau (optimal string alignment) distance, cut off above 3. */
uint32_t suggest_distance(Str a, Str b);

#endif
