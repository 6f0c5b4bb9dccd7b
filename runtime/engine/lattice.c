/* lattice.c: component by component (Sloan and Reztsov; Dick, Kuo and Sloan, Acta Numerica 2013, section 5).
 *
 * The n-th point has the coordinates frac(n z_j / N + shift_j): every number n / N stands once in each coordinate, and
 * the z_j are chosen so that products of coordinates are spread as well. What is made small is the worst-case error in
 * a space of functions with two derivatives, whose weights fall as 1 / j^2; few points are tried with all z_j, many with
 * a sample of them. */
#include "engine/lattice.h"

#include "contract/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { WORK = 1 << 21, CANDIDATES_MIN = 8 }; /* of one component: candidates times points */

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The kernel of the space on one coordinate, but for its weight: 2 pi^2 (u^2 - u + 1/6). */
static double kernel(int64_t numerator, int64_t points) {
    const double u = (double)numerator / (double)points;
    return 19.739208802178716 * (u * u - u + 1.0 / 6);
}

static double error_of(const double *product, double weight, int64_t z, int64_t points) {
    double sum = 0;
    for (int64_t n = 0, at = 0; n < points; n++) {
        sum += product[n] * (1 + weight * kernel(at, points));
        at += z;
        at -= at >= points ? points : 0;
    }
    return sum;
}

static int64_t best_generator(const double *product, int dimension, int64_t points) {
    const double weight = 1.0 / ((double)(dimension + 1) * (dimension + 1));
    const int64_t most = WORK / points > CANDIDATES_MIN ? WORK / points : CANDIDATES_MIN;
    const int64_t half = points / 2 > 0 ? points / 2 : 1; /* z and N - z are the same */
    double least = INFINITY;
    int64_t best = 1;
    for (int64_t k = 1; k <= (half < most ? half : most); k++) {
        const uint64_t word = pde_random_word64(1, 0, 0, (uint32_t)dimension, (uint32_t)k);
        const int64_t z = half <= most ? k : 1 + (int64_t)(word % (uint64_t)half);
        if (common_divisor(z, points) != 1)
            continue;
        const double error = error_of(product, weight, z, points);
        if (error < least) {
            least = error;
            best = z;
        }
    }
    return best;
}

void lattice_make(int64_t points, int dimensions, Lattice *l) {
    assert(points > 0 && points < INT32_MAX);
    double *product = calloc((size_t)points, sizeof *product);
    *l = (Lattice){0};
    if (!product) /* numbers stay random */
        return;
    l->points = points;
    for (int64_t n = 0; n < points; n++)
        product[n] = 1;
    for (int j = 0; j < dimensions && j < LATTICE_DIMENSIONS; j++) {
        const int64_t z = j == 0 ? 1 : best_generator(product, j, points);
        const double weight = 1.0 / ((double)(j + 1) * (j + 1));
        l->generator[j] = (uint32_t)z;
        for (int64_t n = 0; n < points; n++)
            product[n] *=
                1 +
                weight * kernel((int64_t)((uint64_t)n * (uint64_t)z % (uint64_t)points), points);
    }
    free(product);
}

double lattice_uniform(const Lattice *l, uint32_t point, int dimension, double shift) {
    assert(l->points > 0 && dimension >= 0 && dimension < LATTICE_DIMENSIONS);
    const uint64_t n = (uint64_t)point % (uint64_t)l->points;
    const uint64_t at = n * l->generator[dimension] % (uint64_t)l->points;
    double u = (double)at / (double)l->points + shift;
    u -= u >= 1 ? 1 : 0;
    return u < 0x1p-33 ? 0x1p-33 : u > 1 - 0x1p-33 ? 1 - 0x1p-33 : u;
}

/* Acklam's rational approximations, good to 1e-9. */
static double tail(double q) {
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q -
              2.549732539343734) *
                 q +
             4.374664141464968) *
                q +
            2.938163982698783) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q +
             3.754408661907416) *
                q +
            1);
}

double lattice_normal(double u) {
    assert(u > 0 && u < 1);
    if (u < 0.02425)
        return tail(sqrt(-2 * log(u)));
    if (u > 1 - 0.02425)
        return -tail(sqrt(-2 * log(1 - u)));
    const double q = u - 0.5, r = q * q;
    return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) *
                  r +
              1.383577518672690e+02) *
                 r -
             3.066479806614716e+01) *
                r +
            2.506628277459239) *
           q /
           (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) *
                  r +
              6.680131188771972e+01) *
                 r -
             1.328068155288572e+01) *
                r +
            1);
}
