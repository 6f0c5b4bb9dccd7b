/* rows.c: the step in the space of the batch: K = J J', sol = (K + lambda)^-1 (r - mu J phi),
 * p = mu phi + J' sol. J is never formed as a whole (engine.h). */
#include "engine/dense.h"
#include "engine/lapack.h"
#include "step/natural/space.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* owner of everything but problem and lapack */
typedef struct Rows {
    const NaturalProblem *of;
    const Lapack *lapack;
    PdeJacobian *jacobian;
    double *k, *factor;      /* [rows][rows] */
    double *along, *sol;     /* [rows]: J phi, solution */
    double momentum, lambda; /* of the last solution */
} Rows;

static void begin(void *self) {
    Rows *n = self;
    pde_jacobian_begin(n->jacobian);
}

static void add(void *self, int part, const PdeTaskSpec *task) {
    Rows *n = self;
    pde_jacobian_add(n->jacobian, part, task);
}

static void set_to_mean(double *v, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i];
    for (int64_t i = 0; i < n; i++)
        v[i] = sum / (double)n;
}

/* Unknowns are further columns of J. */
static void add_unknown_columns(Rows *n) {
    const NaturalProblem *p = n->of;
    int unknowns = p->unknowns;
    for (int64_t i = 0; i < p->rows && unknowns; i++) {
        const double *a = p->by_unknown + i * unknowns;
        for (int64_t j = 0; j < p->rows; j++)
            for (int k = 0; k < unknowns; k++)
                n->k[i * p->rows + j] += a[k] * p->by_unknown[j * unknowns + k];
        for (int k = 0; k < unknowns; k++)
            n->along[i] += a[k] * p->session->unknown_state[0][k];
    }
}

/* The rows of a norm, or of a constraint at one time, all become their mean, as their residuals have: J is P J, and K is P K P. */
static void take_means(Rows *n, int64_t row0, int64_t points) {
    int64_t rows = n->of->rows;
    for (int64_t j = 0; j < rows; j++) {
        double sum = 0;
        for (int64_t i = 0; i < points; i++)
            sum += n->k[(row0 + i) * rows + j];
        for (int64_t i = 0; i < points; i++)
            n->k[(row0 + i) * rows + j] = sum / (double)points;
    }
    for (int64_t i = 0; i < rows; i++)
        set_to_mean(n->k + i * rows + row0, points);
    set_to_mean(n->along + row0, points);
}

static double gather(void *self) {
    Rows *n = self;
    double trace = 0;
    pde_jacobian_gram(n->jacobian, n->k);
    pde_jacobian_times(n->jacobian, PDE_SLOT_STATE, n->along);
    add_unknown_columns(n);
    for (int64_t k = 0; k < n->of->means; k++)
        take_means(n, n->of->mean[k][0], n->of->mean[k][1]);
    for (int64_t i = 0; i < n->of->rows; i++)
        trace += n->k[i * n->of->rows + i];
    return trace / (double)n->of->rows;
}

static bool solve(void *self, double momentum, double lambda) {
    assert(lambda >= 0 && ((const Rows *)self)->of->rows > 0);
    Rows *n = self;
    int64_t rows = n->of->rows;
    assert(rows > 0 && rows <= INT32_MAX);
    int size = (int)rows, one = 1, info = 0;
    n->momentum = momentum;
    n->lambda = lambda;
    memcpy(n->factor, n->k, (size_t)(rows * rows) * sizeof *n->factor);
    for (int64_t i = 0; i < rows; i++) {
        n->factor[i * rows + i] += lambda;
        n->sol[i] = n->of->r[i] - momentum * n->along[i];
    }
    n->lapack->dpotrf("L", &size, n->factor, &size, &info);
    if (info == 0)
        n->lapack->dpotrs("L", &size, &one, n->factor, &size, n->sol, &size, &info);
    return info == 0 && isfinite(dense_dot(n->sol, n->sol, rows));
}

static double length(const void *self) {
    const Rows *n = self;
    double phi = pde_engine_norm(n->of->session->engine, PDE_SLOT_STATE), square = 0;
    for (int64_t i = 0; i < n->of->rows; i++) /* J p = r - lambda sol */
        square += n->sol[i] * (n->of->r[i] - n->lambda * n->sol[i] + n->momentum * n->along[i]);
    return square + n->momentum * n->momentum * phi * phi;
}

static double promised(const void *self, double rate) {
    const Rows *n = self;
    double loss = 0;
    for (int64_t i = 0; i < n->of->rows; i++) {
        double r = n->of->r[i], after = r - rate * (r - n->lambda * n->sol[i]);
        loss += after * after;
    }
    return loss;
}

static void gradient(void *self) {
    Rows *n = self;
    pde_jacobian_transposed(n->jacobian, n->sol);
}

static double unknown_gradient(const void *self, int unknown) {
    assert(unknown >= 0 && unknown < ((const Rows *)self)->of->unknowns);
    const Rows *n = self;
    double g = 0;
    for (int64_t i = 0; i < n->of->rows; i++)
        g += n->sol[i] * n->of->by_unknown[i * n->of->unknowns + unknown];
    return g;
}

static int64_t bytes(const void *self) {
    const Rows *n = self;
    return pde_jacobian_bytes(n->jacobian) + 16 * n->of->rows * n->of->rows;
}

static Status open(const NaturalProblem *of, const PdeJacobianPart *part, int parts, void **self,
                   Error *error) {
    Rows *n = calloc(1, sizeof *n);
    size_t rows = (size_t)of->rows;
    *self = n;
    if (!n)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the optimiser");
    n->of = of;
    n->jacobian =
        pde_jacobian_create(of->session->engine, part, parts, of->session->settings.jacobian_bytes);
    n->k = calloc(rows * rows, sizeof *n->k);
    n->factor = calloc(rows * rows, sizeof *n->factor);
    n->along = calloc(rows, sizeof *n->along);
    n->sol = calloc(rows, sizeof *n->sol);
    if (!n->jacobian || !n->k || !n->factor || !n->along || !n->sol)
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "no memory for the Jacobian of %lld residuals; fewer --points or "
                         "--terms, or a smaller --width, need less",
                         (long long)of->rows);
    Status status = lapack_open(1, error);
    n->lapack = lapack();
    return status;
}

static void release(void *self) {
    Rows *n = self;
    if (!n)
        return;
    pde_jacobian_destroy(n->jacobian);
    free(n->k);
    free(n->factor);
    free(n->along);
    free(n->sol);
    free(n);
}

const NaturalSpace natural_rows = {.open = open,
                                   .close = release,
                                   .begin = begin,
                                   .add = add,
                                   .gather = gather,
                                   .solve = solve,
                                   .length = length,
                                   .promised = promised,
                                   .gradient = gradient,
                                   .unknown_gradient = unknown_gradient,
                                   .bytes = bytes};
