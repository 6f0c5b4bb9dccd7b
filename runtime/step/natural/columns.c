/* columns.c: the step in the space of the parameters, for more rows than columns:
 * p = (J'J + lambda)^-1 (J' r + lambda mu phi). J'J is summed over groups of rows (engine.h), and becomes its own
 * factor: what is asked of J p afterwards follows from J'J p = J' r + lambda (mu phi - p). */
#include "engine/dense.h"
#include "engine/lapack.h"
#include "engine/real.h"
#include "engine/tiled.h"
#include "step/natural/space.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* owner of everything but problem and lapack */
typedef struct Columns {
    const NaturalProblem *of;
    const Lapack *lapack;
    PdeNormal *normal;
    int64_t parameters;    /* live ones: columns, and after them the unknowns */
    int64_t all, *live;    /* all parameters; which of them are live */
    Tiled a;               /* J'J, then its factor */
    double *g, *phi, *p;   /* [a.n]: J' r, momentum, solution */
    double *image;         /* [a.n]: J'J p */
    double loss, momentum; /* |r|^2; momentum of the last solution */
    void *real;            /* [all], of those that are not live 0 */
} Columns;

static void begin(void *self) {
    (void)self;
}

static void add(void *self, int part, const PdeTaskSpec *task) {
    Columns *n = self;
    pde_normal_add(n->normal, part, task);
}

static void read_momentum(Columns *n) {
    const Session *s = n->of->session;
    pde_engine_get(s->engine, PDE_SLOT_STATE, n->real);
    for (int64_t i = 0; i < n->parameters; i++)
        n->phi[i] = real_get(s->settings.precision, n->real, n->live[i]);
    for (int k = 0; k < n->of->unknowns; k++)
        n->phi[n->parameters + k] = s->unknown_state[0][k];
}

static double gather(void *self) {
    Columns *n = self;
    pde_normal_sum(n->normal, n->of->r, n->of->by_unknown, &n->a, n->g);
    read_momentum(n);
    n->loss = dense_dot(n->of->r, n->of->r, n->of->rows);
    return tiled_trace(&n->a) / (double)n->of->rows;
}

static bool solve(void *self, double momentum, double lambda) {
    Columns *n = self;
    assert(lambda >= 0 && n->a.n == n->parameters + n->of->unknowns);
    n->momentum = momentum;
    for (int64_t i = 0; i < n->a.n; i++)
        n->p[i] = n->g[i] + lambda * momentum * n->phi[i];
    tiled_shift(&n->a, lambda);
    if (!tiled_factor(n->of->session->engine, n->lapack, &n->a))
        return false;
    tiled_solve(n->lapack, &n->a, n->p);
    for (int64_t i = 0; i < n->a.n; i++)
        n->image[i] = n->g[i] + lambda * (momentum * n->phi[i] - n->p[i]);
    return isfinite(dense_dot(n->p, n->p, n->a.n));
}

static double length(const void *self) {
    const Columns *n = self;
    const double *phi = n->phi + n->parameters; /* of unknowns: it does not count in rows.c */
    return dense_dot(n->p, n->p, n->a.n) -
           n->momentum * n->momentum * dense_dot(phi, phi, n->of->unknowns);
}

static double promised(const void *self, double rate) {
    const Columns *n = self;
    return n->loss - 2 * rate * dense_dot(n->p, n->g, n->a.n) +
           rate * rate * dense_dot(n->p, n->image, n->a.n);
}

static void gradient(void *self) {
    Columns *n = self;
    const Session *s = n->of->session;
    for (int64_t i = 0; i < n->parameters; i++)
        real_set(s->settings.precision, n->real, n->live[i], n->p[i] - n->momentum * n->phi[i]);
    pde_gradient_set(s->engine, n->real);
}

static double unknown_gradient(const void *self, int unknown) {
    const Columns *n = self;
    assert(unknown >= 0 && unknown < n->of->unknowns);
    int64_t i = n->parameters + unknown;
    return n->p[i] - n->momentum * n->phi[i];
}

static int64_t bytes(const void *self) {
    const Columns *n = self;
    return pde_normal_bytes(n->normal) + 8 * (tiled_size(n->a.n) + tiled_packed(n->a.n));
}

static Status open(const NaturalProblem *of, const PdeJacobianPart *part, int parts, void **self,
                   Error *error) {
    Columns *n = calloc(1, sizeof *n);
    const Session *s = of->session;
    *self = n;
    if (!n)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the optimiser");
    n->of = of;
    n->all = pde_engine_size(s->engine);
    n->parameters = pde_engine_live(s->engine, NULL);
    n->live = calloc((size_t)n->all, sizeof *n->live);
    n->a.n = n->parameters + of->unknowns;
    size_t columns = (size_t)n->a.n;
    n->normal = pde_normal_create(s->engine, part, parts, of->unknowns);
    n->a.m = calloc((size_t)tiled_size(n->a.n), sizeof *n->a.m);
    n->a.packed = aligned_alloc(64, (size_t)tiled_packed(n->a.n) * sizeof *n->a.packed);
    n->g = calloc(columns, sizeof *n->g);
    n->phi = calloc(columns, sizeof *n->phi);
    n->p = calloc(columns, sizeof *n->p);
    n->image = calloc(columns, sizeof *n->image);
    n->real = calloc((size_t)n->all, real_size(s->settings.precision));
    bool ok = n->live && n->normal && n->a.m && n->a.packed && n->g && n->phi && n->p && n->image &&
              n->real;
    if (!ok || !pde_gradient_set(s->engine, n->real))
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "no memory for the normal equations of %lld parameters; a smaller "
                         "--width needs less",
                         (long long)n->a.n);
    pde_engine_live(s->engine, n->live);
    Status status = lapack_open(pde_engine_threads(s->engine), error);
    n->lapack = lapack();
    return status;
}

static void release(void *self) {
    Columns *n = self;
    if (!n)
        return;
    pde_normal_destroy(n->normal);
    free(n->live);
    free(n->a.m);
    free(n->a.packed);
    free(n->g);
    free(n->phi);
    free(n->p);
    free(n->image);
    free(n->real);
    free(n);
}

const NaturalSpace natural_columns = {.open = open,
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
