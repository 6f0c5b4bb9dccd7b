#include "engine/dense.h"

#include "engine/tree_sum.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double dense_dot(const double *a, const double *b, int64_t n) {
    assert(n >= 0);
    TreeSum sum = {.wide = pde_leaf(n)};
    for (int64_t i = 0; i < n; i += sum.wide) {
        int64_t end = n - i < sum.wide ? n : i + sum.wide;
        double leaf = 0;
        for (int64_t k = i; k < end; k++)
            leaf += a[k] * b[k];
        tree_sum_leaf(&sum, leaf);
    }
    return tree_sum(&sum);
}

/* L of the lower triangle in place; false if not positive definite. */
static bool cholesky(double *m, int64_t n) {
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            double sum = m[i * n + j];
            for (int64_t k = 0; k < j; k++)
                sum -= m[i * n + k] * m[j * n + k];
            if (i == j && !(sum > 0))
                return false;
            m[i * n + j] = i == j ? sqrt(sum) : sum / m[j * n + j];
        }
    return true;
}

static void solve(const double *l, int64_t n, double *t) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++)
            t[i] -= l[i * n + k] * t[k];
        t[i] /= l[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < n; k++)
            t[i] -= l[k * n + i] * t[k];
        t[i] /= l[i * n + i];
    }
}

bool dense_least_squares(const double *a, const double *r, int64_t rows, int64_t n, double ridge,
                         double *work, double *t) {
    assert(rows > 0 && n > 0);
    memset(work, 0, (size_t)(n * n) * sizeof *work);
    memset(t, 0, (size_t)n * sizeof *t);
    for (int64_t b = 0; b < rows; b++)
        for (int64_t i = 0; i < n; i++) {
            t[i] -= a[b * n + i] * r[b];
            for (int64_t j = 0; j <= i; j++)
                work[i * n + j] += a[b * n + i] * a[b * n + j];
        }
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        trace += work[i * n + i];
    if (!(trace > 0) || !isfinite(trace))
        return false;
    for (int64_t i = 0; i < n; i++)
        work[i * n + i] += ridge * trace / (double)n;
    if (!cholesky(work, n))
        return false;
    solve(work, n, t);
    bool ok = true;
    for (int64_t i = 0; i < n; i++)
        ok = ok && isfinite(t[i]);
    return ok;
}

bool dense_cholesky(double *a, int64_t n) {
    assert(n > 0);
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i * n + i]));
    for (int64_t j = 0; j < n; j++) {
        double *row = a + j * n, pivot = row[j];
        for (int64_t k = 0; k < j; k++)
            pivot -= row[k] * row[k];
        if (pivot < -1e-9 * largest || isnan(pivot))
            return false;
        row[j] = pivot > 1e-13 * largest ? sqrt(pivot) : 0;
        for (int64_t i = j + 1; i < n; i++) {
            double *other = a + i * n, sum = other[j];
            for (int64_t k = 0; k < j; k++)
                sum -= other[k] * row[k];
            other[j] = row[j] > 0 ? sum / row[j] : 0;
        }
        for (int64_t k = j + 1; k < n; k++)
            row[k] = 0;
    }
    return true;
}
