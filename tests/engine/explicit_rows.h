/* Rows of a Jacobian one by one, from the engine's own gradients, and what the normal equations make of them. */
#ifndef PDE_TESTS_ENGINE_EXPLICIT_ROWS_H
#define PDE_TESTS_ENGINE_EXPLICIT_ROWS_H

#include "engine_check.h"
#include "runtime/engine/tiled.h"

/* Rows of a case: explicit[B][n], each from a gradient of its own. */
static inline void explicit_rows(Case *c, double *to) {
    for (long b = 0; b < c->p->points; b++) {
        for (long i = 0; i < c->p->points; i++)
            c->multiplier[i] = i == b;
        case_gradient(c, to + b * c->n);
    }
}

static inline double product(const double *a, const double *b, long n) {
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* Entry (a, b) of J'J, or of J' r for b = n: explicit rows, then further columns. */
static inline double normal_entry(const double *rows, long n, const double *more, const double *r,
                                  long m, long a, long b) {
    double sum = 0;
    for (long i = 0; i < m; i++) {
        double x = a < n ? rows[i * n + a] : more[i * 2 + a - n];
        double y = b < n ? rows[i * n + b] : b < n + 2 ? more[i * 2 + b - n] : r[i];
        sum += x * y;
    }
    return sum;
}

/* Largest difference of J'J and J' r from explicit rows, relative to the largest entry; some columns with all. */
static inline double normal_difference(const Case *c, const PdeJacobianPart *part,
                                       const PdeTaskSpec *task, int parts, const double *rows,
                                       long m) {
    const long n = c->n;
    if (n > 5000) /* J'J would be large, and the test slow */
        return 0;
    Tiled a = {n + 2, malloc((size_t)tiled_size(n + 2) * sizeof(double)), NULL};
    double *more = malloc((size_t)(2 * m) * sizeof *more), *r = malloc((size_t)m * sizeof *r);
    double *g = malloc((size_t)(n + 2) * sizeof *g), top[2] = {0}, worst[2] = {0};
    for (long i = 0; i < 2 * m; i++)
        more[i] = (double)(float)check_random();
    for (long i = 0; i < m; i++)
        r[i] = check_random();
    PdeNormal *normal = pde_normal_create(c->e, part, parts, 2);
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < parts; i++)
            pde_normal_add(normal, i, &task[i]);
        pde_normal_sum(normal, r, more, &a, g);
    }
    for (long i = 0; i < n + 2; i += i < n - 100 ? 1 + n / 100 : 1) {
        double want = normal_entry(rows, n, more, r, m, i, n + 2);
        top[1] = fmax(top[1], fabs(want));
        worst[1] = fmax(worst[1], fabs(want - g[i]));
        for (long j = 0; j <= i; j++) {
            double got = tiled_at(&a, i / TILE, j / TILE)[j % TILE * TILE + i % TILE];
            want = normal_entry(rows, n, more, r, m, i, j);
            top[0] = fmax(top[0], fabs(want));
            worst[0] = fmax(worst[0], fabs(want - got));
        }
    }
    pde_normal_destroy(normal);
    free(a.m);
    free(more);
    free(r);
    free(g);
    return fmax(worst[0] / top[0], worst[1] / top[1]);
}

#endif
