/* expectation.h: expectations as means over numbered samples, which every back end can compute. */
#ifndef PDE_COMPILER_LOWER_EXPECTATION_H
#define PDE_COMPILER_LOWER_EXPECTATION_H

#include "ir/problem.h"

enum { EXPECTATION_SAMPLES = 100000 }; /* where `samples` is not given */

/* e with every EXPECT a mean over at least that many samples (whole blocks of them). */
Ref expectation_mean(Compilation *c, Ref e, int64_t samples);
/* The standard error of that number, from the spread of the same expression over blocks of the
 * samples: it holds for functions of expectations too. 0 without expectations. */
Ref expectation_error(Compilation *c, Ref e, int64_t samples);
/* The number that the statement gives, or EXPECTATION_SAMPLES. */
int64_t expectation_samples(Compilation *c, const ReferenceRow *r);
/* Expectations stand in references only: anything else would have to draw them for every point. And
 * every reference with a place has a value there. */
void expectation_check(Compilation *c);

#endif
