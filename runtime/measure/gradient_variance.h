/* gradient_variance.h: how much the gradient of a step varies with its points and with its terms.
 *
 * For |B| points and index sets I of |I| of |K| terms, shared by the points,
 *     Var G = C1 / |B| + (C2 + C3 / |B|) (1 / |I| - 1 / |K|),
 * the sum of the variances of all entries of G. The pilot has P points and M sets; it forms all
 * products of the vectors y(m, b) = 2 w / rho^2 R_m(x_b) grad R_m(x_b) by the Jacobian's K = J J',
 * with R_m in the first place as the algorithm has it, and takes their two-way analysis of
 * variance. So it is the gradient itself that is measured, at the price of no vector of its size.
 * What is quadratic in a set (algorithms 2 and 3) falls faster than 1 / |I|: the law is exact at
 * the pilot's |I|, and an upper bound for larger sets. */
#ifndef PDE_RUNTIME_MEASURE_GRADIENT_VARIANCE_H
#define PDE_RUNTIME_MEASURE_GRADIENT_VARIANCE_H

#include "step/session.h"

typedef struct Spread {
    double points, terms, both; /* C1, C2, C3 */
    double bias;                /* of algorithm 3: its square is this times (1/|I| - 1/|K|)^2 */
    double signal;              /* |mean G|^2, summed over the tasks */
    int64_t most;               /* |K| of the largest family; 0: no terms are drawn */
    bool endless;               /* random directions: as if |K| were infinite */
    int draws;                  /* sets whose gradients a step averages */
} Spread;

/* Components of variance of sets x points vectors with products gram[n][n], n = sets * points,
 * vector (m, b) at m * points + b. All are unbiased, so they may come out slightly below zero. */
typedef struct Components {
    double mean, point, set, rest; /* squared norm of the mean; variances */
} Components;

Components spread_components(const double *gram, int64_t sets, int64_t points);

/* Sizes of the pilot for the settings of a run; then what it finds, after some steps of Adam, since
 * the first network is nearly constant and its terms nearly equal. */
Settings spread_pilot(const Problem *problem, const Settings *settings);
Status spread_measure(Session *pilot, Spread *spread, Error *error);
/* The same at the parameters, points and sets that are there, without steps. */
Status spread_here(Session *pilot, Spread *spread, Error *error);

/* Mean squared error of the gradient: variance, and squared bias of algorithm 3. */
double spread_error(const Spread *spread, int64_t points, int64_t terms);

#endif
