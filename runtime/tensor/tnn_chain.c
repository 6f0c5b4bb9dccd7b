/* tnn_chain.c: from the matrices of all dimensions to the Rayleigh quotient and back.
 *
 * For each pair (j, k) of products the operator is a chain over the dimensions: a state is the
 * product of overlaps so far, the sum of finished terms, and for each channel the pairs that have
 * their first factor and wait for the second. Everything is elementwise in (j, k). Derivatives are
 * prefix times suffix, so nothing is ever divided by an overlap, which may be 0. */
#include "tensor/tnn.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { OVERLAP, FINISHED, WAITING }; /* parts of a state; WAITING + m for channel m */

static int64_t square(const Tnn *t) {
    return (int64_t)t->config.rank * t->config.rank;
}

static const double *matrix(const Tnn *t, const double *of, int m) {
    return of + m * square(t);
}

/* Positions in a dimension's matrices. */
enum { S, T };
static int F(int channel) {
    return 2 + 2 * channel;
}
static int G(int channel) {
    return 3 + 2 * channel;
}

/* -------------------------------------------------------------------------- normalisation */

void tnn_normalise_one(const Tnn *t, const double *raw, double *unit, double *norm) {
    int p = t->config.rank;
    for (int j = 0; j < p; j++)
        norm[j] = sqrt(raw[j * p + j]);
    for (int m = 0; m < t->matrices; m++)
        for (int j = 0; j < p; j++)
            for (int k = 0; k < p; k++) {
                int64_t at = m * square(t) + j * p + k;
                unit[at] = raw[at] / norm[j] / norm[k];
            }
    for (int j = 0; j < p; j++)
        unit[j * p + j] = 1;
}

void tnn_normalise(Tnn *t) {
    int64_t n = t->matrices * square(t);
    for (int64_t i = 0; i < t->problem.d; i++)
        tnn_normalise_one(t, t->raw + i * n, t->unit + i * n, t->norm + i * t->config.rank);
}

/* d lambda / d unit becomes d lambda / d raw. The diagonal of S is 1 whatever the parameters are:
 * its own derivative drops out, and only the norms see it. */
static void denormalise(const Tnn *t, const double *unit, const double *norm, double *bar) {
    int p = t->config.rank;
    for (int j = 0; j < p; j++)
        bar[j * p + j] = 0;
    for (int j = 0; j < p; j++) {
        double by_norm = 0; /* norm[j] * d lambda / d norm[j] */
        for (int m = 0; m < t->matrices; m++)
            for (int k = 0; k < p; k++) {
                int64_t row = m * square(t) + j * p + k, column = m * square(t) + k * p + j;
                by_norm -= bar[row] * unit[row] + bar[column] * unit[column];
            }
        bar[j * p + j] = by_norm / 2; /* times 1 / norm[j]^2, below */
    }
    for (int m = 0; m < t->matrices; m++)
        for (int j = 0; j < p; j++)
            for (int k = 0; k < p; k++)
                bar[m * square(t) + j * p + k] /= norm[j] * norm[k];
}

/* -------------------------------------------------------------------------- prefix, suffix */

void tnn_prefix_step(const Tnn *t, const double *unit, double weight, const double *from,
                     double *to) {
    assert(from != to);
    int64_t n = square(t);
    const double *P = from, *H = from + n;
    for (int64_t k = 0; k < n; k++) {
        to[k] = P[k] * unit[S * n + k];
        to[n + k] = H[k] * unit[S * n + k] + P[k] * weight * unit[T * n + k];
    }
    for (int m = 0; m < t->problem.channels; m++) {
        const double *O = from + (WAITING + m) * n, *f = matrix(t, unit, F(m)),
                     *g = matrix(t, unit, G(m));
        double *next = to + (WAITING + m) * n, carry = t->problem.all_pairs[m] ? 1 : 0;
        for (int64_t k = 0; k < n; k++) {
            to[n + k] += O[k] * g[k];
            next[k] = P[k] * weight * f[k] + carry * O[k] * unit[k];
        }
    }
}

void tnn_suffix_begin(const Tnn *t, double *suffix) {
    int64_t n = square(t);
    memset(suffix, 0, (size_t)((2 + t->problem.channels) * n) * sizeof *suffix);
    for (int64_t k = 0; k < n; k++)
        suffix[k] = 1;
}

void tnn_suffix_step(const Tnn *t, const double *unit, double weight, double *suffix) {
    int64_t n = square(t);
    double *P = suffix, *H = suffix + n;
    for (int64_t k = 0; k < n; k++)
        H[k] = H[k] * unit[S * n + k] + P[k] * weight * unit[T * n + k];
    for (int m = 0; m < t->problem.channels; m++) {
        const double *f = matrix(t, unit, F(m)), *g = matrix(t, unit, G(m));
        double *O = suffix + (WAITING + m) * n, carry = t->problem.all_pairs[m] ? 1 : 0;
        for (int64_t k = 0; k < n; k++) {
            H[k] += weight * f[k] * O[k];
            O[k] = g[k] * P[k] + carry * unit[k] * O[k];
        }
    }
    for (int64_t k = 0; k < n; k++)
        P[k] *= unit[S * n + k];
}

void tnn_prefix(Tnn *t, const double *w) {
    assert(t->prefix && t->unit);
    int64_t n = (2 + t->problem.channels) * square(t), own = t->matrices * square(t);
    tnn_suffix_begin(t, t->prefix);
    for (int64_t i = 0; i < t->problem.d; i++)
        tnn_prefix_step(t, t->unit + i * own, w ? w[i] : 1, t->prefix + i * n,
                        t->prefix + (i + 1) * n);
}

/* ----------------------------------------------------------------- quotient, derivatives */

static void forms(const Tnn *t, double *numerator, double *norm) {
    int64_t n = square(t), p = t->config.rank;
    const double *last = t->prefix + t->problem.d * (2 + t->problem.channels) * n,
                 *c = tnn_coefficients(t);
    *numerator = *norm = 0;
    for (int64_t j = 0; j < p; j++)
        for (int64_t k = 0; k < p; k++) {
            *norm += c[j] * c[k] * last[j * p + k];
            *numerator += c[j] * c[k] * last[n + j * p + k];
        }
}

double tnn_quotient(const Tnn *t) {
    double numerator, norm;
    forms(t, &numerator, &norm);
    return numerator / norm + t->problem.constant;
}

void tnn_factors(const Tnn *t, const double *prefix, const double *suffix, double *numerator,
                 double *norm) {
    int64_t n = square(t);
    for (int64_t k = 0; k < n; k++) {
        double P = prefix[k], R = suffix[k];
        norm[k] = P * R;
        numerator[S * n + k] = prefix[n + k] * R + P * suffix[n + k];
        numerator[T * n + k] = P * R;
    }
    for (int m = 0; m < t->problem.channels; m++) {
        const double *O = prefix + (WAITING + m) * n, *Q = suffix + (WAITING + m) * n;
        for (int64_t k = 0; k < n; k++) {
            numerator[F(m) * n + k] = prefix[k] * Q[k];
            numerator[G(m) * n + k] = O[k] * suffix[k];
            if (t->problem.all_pairs[m])
                numerator[S * n + k] += O[k] * Q[k];
        }
    }
}

static void coefficient_gradient(Tnn *t, double value, double norm) {
    int64_t n = square(t), p = t->config.rank;
    const double *last = t->prefix + t->problem.d * (2 + t->problem.channels) * n,
                 *c = tnn_coefficients(t);
    double *g = t->gradient + t->problem.d * t->size;
    for (int64_t j = 0; j < p; j++) {
        g[j] = 0;
        for (int64_t k = 0; k < p; k++) {
            double H = last[n + j * p + k] + last[n + k * p + j],
                   M = last[j * p + k] + last[k * p + j];
            g[j] += c[k] * (H - value * M) / norm;
        }
    }
}

void tnn_environment(Tnn *t, const double *w, double value) {
    assert(t->environment && isfinite(value));
    enum { STATE_MAX = 2 + TNN_CHANNELS_MAX };
    int64_t n = square(t), own = t->matrices * n, state = (2 + t->problem.channels) * n;
    int p = t->config.rank;
    double *suffix = t->scratch[0], *norm_factor = suffix + STATE_MAX * n, numerator, norm;
    const double *c = tnn_coefficients(t);
    value -= t->problem.constant;
    forms(t, &numerator, &norm);
    coefficient_gradient(t, value, norm);
    tnn_suffix_begin(t, suffix);
    for (int64_t i = t->problem.d - 1; i >= 0; i--) {
        double *bar = t->environment + i * own, weight = w ? w[i] : 1;
        const double *unit = t->unit + i * own;
        tnn_factors(t, t->prefix + i * state, suffix, bar, norm_factor);
        for (int64_t k = 0; k < n; k++)
            bar[k] -= value * norm_factor[k];
        for (int m = T; m < t->matrices; m++) /* T and every F belong to the term L_i */
            for (int64_t k = 0; k < n && (m == T || m % 2 == 0); k++)
                bar[m * n + k] *= weight;
        for (int64_t k = 0; k < own; k++)
            bar[k] *= c[k % n / p] * c[k % n % p] / norm;
        denormalise(t, unit, t->norm + i * p, bar);
        tnn_suffix_step(t, unit, weight, suffix);
    }
}
