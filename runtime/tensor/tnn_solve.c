/* tnn_solve.c: output layers by eigenproblems.
 *
 * In the output layer of dimension i (all ranks together, with the coefficients c taken in) the
 * Rayleigh quotient is a ratio of quadratic forms, so its minimum is the lowest eigenpair of
 *     sum_m E_m[j,k] X_m[a,b] v = e D[j,k] S[a,b] v,   X_m = S, T, F, G of the features a, b,
 * with E_m and D from the chain without dimension i. With rank 1 and no pairs these are independent
 * and solved at once; else one after the other, which never raises lambda. */
#include "tensor/tnn.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Memory of one solve, in a worker's scratch. */
typedef struct Solve {
    TnnRows rows;
    double *value, *slope, *weighted; /* features with the boundary factor: [basis][q8] */
    double *X;                        /* [matrices][basis][basis] */
    double *A, *B, *vector, *work;
} Solve;

static int basis_of(const Tnn *t) {
    return t->config.width + 1; /* the last is the constant: the output's bias */
}

static Solve solve_at(const Tnn *t, int64_t i, double *memory) {
    assert(i >= 0 && i < t->problem.d && memory);
    int64_t q8 = t->rule.padded, n = basis_of(t), unknowns = n * t->config.rank;
    Solve s;
    double *shared = memory + tnn_held_size(&t->config, q8);
    s.rows = tnn_rows_at(&t->config, q8, memory, shared);
    s.rows.functions = t->table + i * (t->matrices - 1) * q8;
    s.value = shared + tnn_shared_size(&t->problem, &t->config, q8);
    s.slope = s.value + n * q8;
    s.weighted = s.slope + n * q8;
    s.X = s.weighted + n * q8;
    s.A = s.X + t->matrices * n * n;
    s.B = s.A + unknowns * unknowns;
    s.vector = s.B + unknowns * unknowns;
    s.work = s.vector + unknowns;
    return s;
}

static void basis_functions(const Tnn *t, Solve *s) {
    int64_t q8 = t->rule.padded;
    int h = t->config.width;
    const double *f = tnn_features(t, q8, &s->rows, false),
                 *df = tnn_features(t, q8, &s->rows, true);
    for (int a = 0; a <= h; a++)
        for (int64_t q = 0; q < q8; q++) {
            double x = t->rule.at[q], v = a < h ? f[a * q8 + q] : 1, d = a < h ? df[a * q8 + q] : 0;
            s->value[a * q8 + q] = (1 - x * x) * v;
            s->slope[a * q8 + q] = (1 - x * x) * d - 2 * x * v;
        }
}

static void weigh(const Tnn *t, Solve *s, const double *row, const double *function, double scale) {
    int64_t q8 = t->rule.padded;
    for (int64_t k = 0; k < basis_of(t) * q8; k++)
        s->weighted[k] =
            scale * row[k] * t->rule.weight[k % q8] * (function ? function[k % q8] : 1);
}

/* S, T, F_m, G_m between the features of dimension i. */
static void feature_matrices(const Tnn *t, int64_t i, Solve *s) {
    int64_t q8 = t->rule.padded, n = basis_of(t);
    double half = t->problem.half[i];
    tnn_hidden(t, &t->rule, i, &s->rows);
    basis_functions(t, s);
    weigh(t, s, s->value, NULL, 1);
    t->ops->dots(s->X, n, s->weighted, n, s->value, n, q8, false);
    weigh(t, s, s->slope, NULL, t->problem.kinetic[i] / (half * half));
    t->ops->dots(s->X + n * n, n, s->weighted, n, s->slope, n, q8, false);
    for (int f = 0; f < t->matrices - 1; f++) {
        weigh(t, s, s->value, s->rows.functions + f * q8, 1);
        t->ops->dots(s->X + (f + 1) * n * n, n, s->weighted, n, s->value, n, q8, f == 0);
    }
}

static double *output_of(const Tnn *t, int64_t i) {
    return t->theta + (i + 1) * t->size - (int64_t)basis_of(t) * t->config.rank;
}

static void assemble(const Tnn *t, const double *E, const double *D, Solve *s) {
    int64_t n = basis_of(t), p = t->config.rank, unknowns = n * p;
    for (int64_t j = 0; j < p; j++)
        for (int64_t k = 0; k < p; k++)
            for (int64_t a = 0; a < n; a++)
                for (int64_t b = 0; b < n; b++) {
                    int64_t at = (j * n + a) * unknowns + k * n + b;
                    double sum = 0;
                    for (int m = 0; m < t->matrices; m++)
                        sum += E[m * p * p + j * p + k] * s->X[(m * n + a) * n + b];
                    s->A[at] = sum;
                    s->B[at] = D[j * p + k] * s->X[a * n + b];
                }
}

/* An eigenvector has either sign; the one is taken in which the layer is nearer to what it was, so
 * that the optimiser's momentum still belongs to it. */
static void choose_sign(const Tnn *t, int64_t i, const Solve *s) {
    int64_t n = basis_of(t), p = t->config.rank;
    const double *W = output_of(t, i);
    double along = 0;
    for (int64_t k = 0; k < n * p; k++)
        for (int64_t b = 0; b < n; b++)
            along += W[k % n * p + k / n] * s->X[k % n * n + b] * s->vector[k / n * n + b];
    for (int64_t k = 0; k < n * p && along < 0; k++)
        s->vector[k] = -s->vector[k];
}

/* The lowest eigenpair of dimension i with the factors E and D of its matrices. */
static bool lowest(const Tnn *t, int64_t i, const double *E, const double *D, Solve *s,
                   double *value) {
    feature_matrices(t, i, s);
    assemble(t, E, D, s);
    if (!tnn_lowest(basis_of(t) * t->config.rank, s->A, s->B, s->vector, value, s->work))
        return false;
    choose_sign(t, i, s);
    return true;
}

/* ---------------------------------------------------------------------- independent dimensions */

/* norm[i] becomes 1 where no eigenpair was found. */
static void solve_task(void *context, long i, int worker) {
    static const double E[] = {0, 1}, D[] = {1};
    const Tnn *t = context;
    double value;
    Solve s = solve_at(t, i, t->scratch[worker]);
    bool ok = lowest(t, i, E, D, &s, &value);
    t->norm[i] = ok ? 0 : 1;
    if (ok)
        memcpy(output_of(t, i), s.vector, (size_t)basis_of(t) * sizeof(double));
}

static bool solve_all(Tnn *t) {
    bool ok = true;
    pde_pool_run(t->pool, solve_task, t, (long)t->problem.d);
    for (int64_t i = 0; i < t->problem.d; i++)
        ok = ok && t->norm[i] < 1;
    return ok;
}

/* ------------------------------------------------------------------------ one after the other */

/* The solution's part of rank j, normalised; its size becomes c_j. A part that vanished keeps its
 * old function with c_j = 0, ready to be taken up again. */
static void store(Tnn *t, int64_t i, const Solve *s) {
    int64_t n = basis_of(t), p = t->config.rank;
    double *W = output_of(t, i), *c = tnn_coefficients(t);
    for (int64_t j = 0; j < p; j++) {
        const double *v = s->vector + j * n;
        double norm = 0;
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = 0; b < n; b++)
                norm += v[a] * v[b] * s->X[a * n + b];
        c[j] = norm > 1e-30 ? sqrt(norm) : 0;
        for (int64_t a = 0; a < n && c[j] > 0; a++)
            W[a * p + j] = v[a] / c[j];
    }
}

/* From left to right; the suffix states of all dimensions are made first. false: no eigenpair. */
static bool sweep(Tnn *t, double *suffix, double *lambda) {
    assert(suffix && lambda);
    int64_t p = t->config.rank, n = p * p, state = (2 + t->problem.channels) * n,
            own = t->matrices * n;
    int64_t d = t->problem.d;
    tnn_suffix_begin(t, suffix + d * state);
    for (int64_t i = d - 1; i > 0; i--) {
        memcpy(suffix + i * state, suffix + (i + 1) * state, (size_t)state * sizeof(double));
        tnn_suffix_step(t, t->unit + i * own, 1, suffix + i * state);
    }
    tnn_suffix_begin(t, t->prefix);
    for (int64_t i = 0; i < d; i++) {
        double *E = t->environment, *D = E + own, *unit = t->unit + i * own;
        Solve s = solve_at(t, i, t->scratch[0]);
        tnn_factors(t, t->prefix + i * state, suffix + (i + 1) * state, E, D);
        if (!lowest(t, i, E, D, &s, lambda))
            return false;
        store(t, i, &s);
        tnn_output(t, &t->rule, i, &s.rows);
        tnn_integrate(t, &t->rule, i, &s.rows, t->raw + i * own);
        tnn_normalise_one(t, t->raw + i * own, unit, t->norm + i * p);
        tnn_prefix_step(t, unit, 1, t->prefix + i * state, t->prefix + (i + 1) * state);
    }
    *lambda += t->problem.constant;
    return true;
}

Status tnn_solve(Tnn *t, double *lambda, Error *error) {
    bool ok;
    if (tnn_separable(t)) {
        ok = solve_all(t);
        *lambda = tnn_value(t);
    } else {
        (void)tnn_value(t); /* unit becomes that of the parameters */
        ok = sweep(t, t->suffix, lambda);
    }
    return ok ? STATUS_OK : error_set(error, STATUS_NON_FINITE, TNN_UNSOLVED);
}
