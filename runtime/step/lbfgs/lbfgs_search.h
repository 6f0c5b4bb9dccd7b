/* lbfgs_search.h: the decisions of L-BFGS: which step along a direction is taken, and which pairs
 * are kept. C subset: lbfgs.c and cuda/kernels/lbfgs.cuh both decide by these functions, so that a
 * run may change its place.
 *
 * Bisection between steps that are too short and too long, until one satisfies the weak Wolfe
 * conditions. */
#ifndef PDE_RUNTIME_STEP_LBFGS_LBFGS_SEARCH_H
#define PDE_RUNTIME_STEP_LBFGS_LBFGS_SEARCH_H

#include <stdint.h>

enum { LBFGS_PAIRS = 20, LBFGS_TRIES = 25 };

/* What becomes of a step that was tried. */
enum { LBFGS_AGAIN, LBFGS_TAKEN, LBFGS_FAILED };

typedef struct LbfgsSearch {
    double loss, descent; /* where the search begins: the loss, and its slope in t */
    double low, high;     /* steps that are too short, too long; 0: none yet */
    double t;             /* to be tried */
    int64_t tries;
} LbfgsSearch;

/* length: of the gradient. False: the direction does not lead down. */
static inline int lbfgs_search_begin(LbfgsSearch *s, double loss, double descent, double length,
                                     int64_t pairs) {
    s->loss = loss;
    s->descent = descent;
    s->low = s->high = 0;
    s->tries = 0;
    s->t = pairs > 0 || length < 1 ? 1 : 1 / length;
    return descent < 0;
}

/* Of step t, where the loss is (infinity if it or its gradient is not finite), and its slope in t.
 * The last try is made with the longest of the steps that are too short: lower, though not as flat
 * as it should be. */
static inline int lbfgs_search_judge(LbfgsSearch *s, double loss, double slope) {
    if (s->tries++ == LBFGS_TRIES)
        return loss < s->loss ? LBFGS_TAKEN : LBFGS_FAILED;
    if (!(loss <= s->loss + 1e-4 * s->t * s->descent))
        s->high = s->t;
    else if (slope < 0.9 * s->descent)
        s->low = s->t;
    else
        return LBFGS_TAKEN;
    s->t = s->high > 0 ? (s->low + s->high) / 2 : 2 * s->t;
    if (s->tries < LBFGS_TRIES)
        return LBFGS_AGAIN;
    s->t = s->low;
    return s->low > 0 ? LBFGS_AGAIN : LBFGS_FAILED;
}

/* A pair without positive curvature would spoil the direction. */
static inline int lbfgs_pair_counts(double sy, double yy) {
    return sy > 1e-10 * yy;
}

#endif
