/* pilot.h: numbers for what is found: a few points by the law of training, in a
 * small dimension and in a smaller one, so that sizes are known as powers of d
 * and the time does not depend on d. */
#ifndef PDE_COMPILER_VARIANTS_PILOT_H
#define PDE_COMPILER_VARIANTS_PILOT_H

#include "variants/find.h"

enum { PILOT_POINTS = 64, PILOT_SIZES = 3 };

typedef struct Pilot {
    Compilation *c;
    const Spread *spread;
    int64_t cap[PILOT_SIZES], d[PILOT_SIZES]; /* largest first; equal where the file's is small */
    double *x[PILOT_SIZES], *t[PILOT_SIZES];
} Pilot;

/* False if the law has no numbers. */
bool pilot_open(Compilation *c, const Spread *spread, Pilot *pilot);
/* out[PILOT_POINTS] in dimension `which`; false if e has no finite numbers. */
bool pilot_eval(Pilot *pilot, Ref e, int which, double *out);

typedef struct Size {
    double mean, deviation;             /* in the larger dimension */
    double mean_power, deviation_power; /* of d: multiples of 1/2 */
    int64_t d;
    bool
        follows; /* the mean follows its power: its value for other d is right to a fraction of the deviation */
} Size;

bool pilot_size(Pilot *pilot, Ref e, Size *out);
/* "(E - m) / s" with powers of d, digits as few as do. */
const char *pilot_standardised(Pilot *pilot, const char *text, const Size *size);
/* Are a and b affine functions of each other? */
bool pilot_same(Pilot *pilot, Ref a, Ref b);

#endif
