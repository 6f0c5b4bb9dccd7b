/* dense.h: small dense algebra in double, for fits of a few hundred unknowns. */
#ifndef PDE_RUNTIME_ENGINE_DENSE_H
#define PDE_RUNTIME_ENGINE_DENSE_H

#include <stdbool.h>
#include <stdint.h>

/* One thread, one order: the bits do not depend on the number of threads. */
double dense_dot(const double *a, const double *b, int64_t n);

/* Least squares by normal equations: minimises |A t + r|^2 + ridge * trace / n * |t|^2 for
 * A[rows][n] row-major. work: double[n * n]. False if no finite solution exists. */
bool dense_least_squares(const double *a, const double *r, int64_t rows, int64_t n, double ridge,
                         double *work, double *t);

/* a[n][n] = L L' becomes L, its upper part 0; semidefinite is enough. False: it is not. */
bool dense_cholesky(double *a, int64_t n);

#endif
