/* tnn_points.c: a tensor network at points.
 *
 * Products over all dimensions leave the range of doubles: their logarithms are summed, and their signs are counted.
 * The factors of one dimension at all points of a block come from the code that serves quadrature, by a rule whose
 * nodes are the points. */
#include "tensor/tnn.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 }; /* points at a time */

/* owner of all pointers */
typedef struct Product {
    double *log; /* [p][BLOCK]: of |prod_i phi_ij / |phi_ij|| without the factors that are 0 */
    int *zeros;  /* [p][BLOCK] */
    signed char *sign; /* [p][BLOCK] */
    double *memory;    /* of rows, aligned as the kernels want it */
    double at[BLOCK], weight[BLOCK];
} Product;

static Status product_open(const Tnn *t, Product *w, Error *error) {
    const size_t n = (size_t)t->config.rank * BLOCK;
    const int64_t rows =
        tnn_row(tnn_held_size(&t->config, BLOCK) + tnn_shared_size(&t->problem, &t->config, BLOCK));
    *w = (Product){.log = calloc(n, sizeof *w->log),
                   .zeros = calloc(n, sizeof *w->zeros),
                   .sign = calloc(n, sizeof *w->sign),
                   .memory = aligned_alloc(64, (size_t)rows * sizeof(double))};
    return w->log && w->zeros && w->sign && w->memory
               ? STATUS_OK
               : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for points");
}

static void product_close(Product *w) {
    free(w->log);
    free(w->zeros);
    free(w->sign);
    free(w->memory);
}

/* Outside the box the function is 0, as at its walls. */
static double place_of(const Tnn *t, int64_t i, double y) {
    const double s = (y - t->problem.centre[i]) / t->problem.half[i];
    return s < -1 ? -1 : s > 1 ? 1 : s;
}

static TnnRows factors(const Tnn *t, Product *w, int64_t i, const double *x, int64_t count) {
    TnnRule rule = {.nodes = BLOCK, .padded = BLOCK, .at = w->at, .weight = w->weight};
    for (int64_t q = 0; q < BLOCK; q++)
        w->at[q] = place_of(t, i, x[(q < count ? q : count - 1) * t->problem.d + i]);
    TnnRows rows =
        tnn_rows_at(&t->config, BLOCK, w->memory, w->memory + tnn_held_size(&t->config, BLOCK));
    tnn_hidden(t, &rule, i, &rows);
    tnn_output(t, &rule, i, &rows);
    return rows;
}

static void multiply(const Tnn *t, Product *w, int64_t i, const TnnRows *rows) {
    for (int64_t j = 0; j < t->config.rank; j++)
        for (int64_t q = 0; q < BLOCK; q++) {
            const int64_t at = j * BLOCK + q;
            const double v = rows->phi[at] / t->norm[i * t->config.rank + j];
            if (fabs(v) > 0)
                w->log[at] += log(fabs(v));
            else
                w->zeros[at]++;
            w->sign[at] = (signed char)(v < 0 ? -w->sign[at] : w->sign[at]);
        }
}

/* sum_j c_j prod_i of one point, over exp(*scale). */
static double sum_of(const Tnn *t, const Product *w, int64_t q, double *scale) {
    const double *c = tnn_coefficients(t);
    double sum = 0;
    *scale = -(double)INFINITY;
    for (int64_t j = 0; j < t->config.rank; j++)
        if (w->zeros[j * BLOCK + q] == 0 && w->log[j * BLOCK + q] > *scale)
            *scale = w->log[j * BLOCK + q];
    for (int64_t j = 0; j < t->config.rank; j++)
        if (w->zeros[j * BLOCK + q] == 0)
            sum += c[j] * w->sign[j * BLOCK + q] * exp(w->log[j * BLOCK + q] - *scale);
    return sum;
}

/* d/dy_i of one point over exp(scale), from the products without the factor of dimension i. */
static double slope_of(const Tnn *t, const Product *w, int64_t i, const TnnRows *rows, int64_t q,
                       double scale) {
    const double *c = tnn_coefficients(t);
    double sum = 0;
    for (int64_t j = 0; j < t->config.rank; j++) {
        const int64_t at = j * BLOCK + q;
        const double norm = t->norm[i * t->config.rank + j], v = rows->phi[at] / norm;
        const bool zero = !(fabs(v) > 0);
        if (w->zeros[at] > (zero ? 1 : 0))
            continue;
        const double rest = w->log[at] - (zero ? 0 : log(fabs(v)));
        const int sign = v < 0 ? -w->sign[at] : w->sign[at];
        sum += c[j] * sign * exp(rest - scale) * rows->slope[at] / norm / t->problem.half[i];
    }
    return sum;
}

/* log of the square root of the integral of psi^2 over the box. */
static double log_norm(const Tnn *t) {
    const int p = t->config.rank;
    const double *c = tnn_coefficients(t);
    double sum = 0, half = 0;
    for (int j = 0; j < p; j++)
        for (int k = 0; k < p; k++) {
            double overlap = c[j] * c[k];
            for (int64_t i = 0; i < t->problem.d; i++)
                overlap *= t->unit[i * t->matrices * p * p + j * p + k];
            sum += overlap;
        }
    for (int64_t i = 0; i < t->problem.d; i++)
        half += log(t->problem.half[i]);
    return (log(sum) + half) / 2;
}

static void block(const Tnn *t, Product *w, const double *x, int64_t count, double norm,
                  const TnnValues *out) {
    const int64_t p = t->config.rank, d = t->problem.d;
    memset(w->log, 0, (size_t)(p * BLOCK) * sizeof *w->log);
    memset(w->zeros, 0, (size_t)(p * BLOCK) * sizeof *w->zeros);
    memset(w->sign, 1, (size_t)(p * BLOCK));
    for (int64_t i = 0; i < d; i++) {
        const TnnRows rows = factors(t, w, i, x, count);
        multiply(t, w, i, &rows);
    }
    for (int64_t q = 0; q < count; q++) {
        double scale;
        const double sum = sum_of(t, w, q, &scale);
        if (out->value)
            out->value[q] = fabs(sum) > 0 ? sum * exp(scale - norm) : 0;
        if (out->log)
            out->log[q] = log(fabs(sum)) + scale - norm;
    }
    for (int64_t i = 0; i < d && out->gradient; i++) {
        const TnnRows rows = factors(t, w, i, x, count);
        for (int64_t q = 0; q < count; q++)
            out->gradient[q * d + i] = slope_of(t, w, i, &rows, q, norm);
    }
}

Status tnn_at_points(const Tnn *t, const double *x, int64_t count, const TnnValues *out,
                     Error *error) {
    assert(count >= 0 && t->norm);
    Product w;
    Status status = product_open(t, &w, error);
    const double norm = log_norm(t);
    for (int64_t first = 0; first < count && status == STATUS_OK; first += BLOCK) {
        const int64_t n = count - first < BLOCK ? count - first : BLOCK;
        const TnnValues part = {out->value ? out->value + first : NULL,
                                out->log ? out->log + first : NULL,
                                out->gradient ? out->gradient + first * t->problem.d : NULL};
        block(t, &w, x + first * t->problem.d, n, norm, &part);
    }
    product_close(&w);
    return status;
}
