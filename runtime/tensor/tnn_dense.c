/* tnn_dense.c: the ground state on the same box without a network: a Galerkin method in the
 * eigenfunctions sin(k pi (s + 1) / 2) of the empty box, which shares nothing with the network but
 * the potential. One eigenproblem per dimension, or one of basis^2 for two coupled ones. */
#include "tensor/tnn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Functions, nodes and matrices of one dimension. owner of memory. */
typedef struct Dense {
    const Tnn *t;
    int n;
    TnnRule rule;
    double *memory, *wave, *weighted, *function, *y; /* wave, weighted: [n][q8] */
    double *X; /* [dimension][matrices - 1][n][n]: energy, then F_m and G_m; overlaps are 1 */
} Dense;

static const double pi = 3.14159265358979323846;

static Status dense_open(const Tnn *t, int n, int dims, Dense *s, Error *error) {
    *s = (Dense){.t = t, .n = n};
    Status status = tnn_rule_create(4, n / 2 + 24, &s->rule, error);
    if (status != STATUS_OK)
        return status;
    int64_t q8 = s->rule.padded, functions = t->matrices - 1;
    int64_t size = 2 * n * q8 + (functions + 1) * q8 + dims * functions * n * n;
    s->memory = aligned_alloc(64, (size_t)tnn_row(size) * sizeof(double));
    if (!s->memory) {
        tnn_rule_free(&s->rule);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the reference solution");
    }
    s->wave = s->memory;
    s->weighted = s->wave + n * q8;
    s->function = s->weighted + n * q8;
    s->y = s->function + functions * q8;
    s->X = s->y + q8;
    for (int k = 0; k < n; k++)
        for (int64_t q = 0; q < q8; q++)
            s->wave[k * q8 + q] = sin(pi * (k + 1) * (s->rule.at[q] + 1) / 2);
    return STATUS_OK;
}

static void dense_close(Dense *s) {
    free(s->memory);
    tnn_rule_free(&s->rule);
}

static void dense_matrices(Dense *s, int64_t i, double *X) {
    const TnnProblem *p = &s->t->problem;
    int64_t q8 = s->rule.padded, n = s->n;
    for (int64_t q = 0; q < q8; q++)
        s->y[q] = p->centre[i] + p->half[i] * s->rule.at[q];
    p->functions(p->context, i, 1, q8, s->y, s->function);
    for (int f = 0; f < s->t->matrices - 1; f++) {
        for (int64_t k = 0; k < n * q8; k++)
            s->weighted[k] = s->wave[k] * s->rule.weight[k % q8] * s->function[f * q8 + k % q8];
        s->t->ops->dots(X + f * n * n, n, s->weighted, n, s->wave, n, q8, false);
    }
    for (int64_t k = 0; k < n; k++) {
        double frequency = pi * (double)(k + 1) / (2 * p->half[i]);
        X[k * n + k] += p->kinetic[i] * frequency * frequency;
    }
}

/* The lowest eigenvalue of A (n x n, destroyed). */
static double lowest(int n, double *A) {
    double *B = calloc((size_t)n * (size_t)n, sizeof(double)),
           *vector = calloc((size_t)n, sizeof(double));
    double *work = malloc((size_t)tnn_lowest_work(n) * sizeof(double)), value = (double)NAN;
    if (B && vector && work) {
        for (int k = 0; k < n; k++)
            B[(int64_t)k * n + k] = 1;
        if (!tnn_lowest(n, A, B, vector, &value, work))
            value = (double)NAN;
    }
    free(B);
    free(vector);
    free(work);
    return value;
}

static double independent(Dense *s) {
    double sum = s->t->problem.constant;
    for (int64_t i = 0; i < s->t->problem.d; i++) {
        dense_matrices(s, i, s->X);
        sum += lowest(s->n, s->X);
    }
    return sum;
}

/* T1 x 1 + 1 x T2 + sum_m F_m x G_m. */
static double two_coupled(Dense *s) {
    int64_t n = s->n, one = n * n * (s->t->matrices - 1);
    double *first = s->X, *second = s->X + one,
           *A = calloc((size_t)(n * n * n * n), sizeof(double));
    if (!A)
        return (double)NAN;
    dense_matrices(s, 0, first);
    dense_matrices(s, 1, second);
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++)
            for (int64_t e = 0; e < n; e++)
                for (int64_t f = 0; f < n; f++) {
                    double sum = (b == f ? first[a * n + e] : 0) + (a == e ? second[b * n + f] : 0);
                    for (int m = 0; m < s->t->problem.channels; m++)
                        sum += first[(1 + 2 * m) * n * n + a * n + e] *
                               second[(2 + 2 * m) * n * n + b * n + f];
                    A[(a * n + b) * n * n + e * n + f] = sum;
                }
    double value = lowest((int)(n * n), A) + s->t->problem.constant;
    free(A);
    return value;
}

double tnn_dense(const Tnn *t, int basis, Error *error) {
    Dense s;
    bool coupled = t->problem.channels > 0;
    if (coupled && t->problem.d != 2)
        return (double)NAN;
    if (dense_open(t, basis, coupled ? 2 : 1, &s, error) != STATUS_OK)
        return (double)NAN;
    double value = coupled ? two_coupled(&s) : independent(&s);
    dense_close(&s);
    return value;
}
