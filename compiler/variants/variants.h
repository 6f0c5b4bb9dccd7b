/* variants.h: other ways to state a problem whose file leaves the network and the method open.
 *
 * A variant is the file itself with statements added or changed: features, a law of points, conditions met by
 * construction or as losses, a trial function. It is written as text and compiled like any other problem, so
 * that nothing is proposed which a person could not have written. Everything comes from known data; the exact
 * solution is never looked at. */
#ifndef PDE_COMPILER_VARIANTS_VARIANTS_H
#define PDE_COMPILER_VARIANTS_VARIANTS_H

#include "pdec.h"
#include "variants/find.h"

/* A whole problem and why it might be solved better. */
typedef struct Variant {
    const char *name, *statements, *text;
    VEC(const char *) because;
} Variant;

typedef struct Variants {
    Finds finds;
    VEC(Variant) list;
} Variants;

/* Needs all passes. At most PDEC_VARIANTS; none where the file names a network or a method. */
const Variants *variants_of(Compilation *c);
/* --emit=features and --emit=variants */
void features_emit(Compilation *c, Text *out);
void variants_emit(Compilation *c, Text *out);

#endif
