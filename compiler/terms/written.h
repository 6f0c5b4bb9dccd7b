/* written.h: second derivatives along coordinates that the equation names, x_1 and x_2, not x_i: a few entries of
 * (sigma sigma')_kl, and their square root. */
#ifndef PDE_COMPILER_TERMS_WRITTEN_H
#define PDE_COMPILER_TERMS_WRITTEN_H

#include "terms/process.h"

enum { WRITTEN_MOST = PROCESS_RANKS + 1 };

/* entry[a][b] at coordinates at[a] and at[b], where it was set. */
typedef struct Written {
    uint32_t n;
    double at[WRITTEN_MOST];
    Ref entry[WRITTEN_MOST][WRITTEN_MOST];
} Written;

/* Takes a product with factors [k = number] and [l = number]; false: it has none, or there are too many numbers. */
bool written_take(Ir *ir, Ref k, Ref l, Ref term, Written *written);
/* Adds them to the diagonal and the ranks of a process. False: they have no square root of this form. */
bool written_finish(Ir *ir, Ref k, Written *written, Process *out);

#endif
