/* run_mean.h: means of many numbers, with their standard errors. */
#ifndef PDE_TESTS_RUN_MEAN_H
#define PDE_TESTS_RUN_MEAN_H

#include <math.h>

typedef struct Mean {
    double n, sum, square;
} Mean;

static inline void take(Mean *m, double v) {
    m->n++;
    m->sum += v;
    m->square += v * v;
}

static inline double mean_of(const Mean *m) {
    return m->sum / m->n;
}

static inline double standard_error(const Mean *m) {
    return sqrt(fmax(0, m->square / m->n - mean_of(m) * mean_of(m)) / m->n);
}

/* Six standard errors, and rounding in float32. */
static inline double mean_room(const Mean *m) {
    return 6 * standard_error(m) + 1e-6 * sqrt(m->square / m->n);
}

#endif
