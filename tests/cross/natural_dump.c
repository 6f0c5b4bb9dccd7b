/* K, J phi and J' s of small cases in double, with everything another program needs to recompute
 * them: one JSON object per case and line. Read by natural_jax.py.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/contract/rng.h"
#include "runtime/engine/engine.h"

enum { POINTS = 6, PARTS_MAX = 3, SETS = 4 };

typedef struct Case Case;
typedef void Residual(const Case *c, const double *x, const PdeJet *jet, double *const seed[3]);

/* A loss: its directions and its residual. seed[0]: dR/dN, seed[1], seed[2]: by first and second
 * derivatives, [residuals][n_out][K].
 */
typedef struct Loss {
    const char *name;
    int residuals, blocks;
    PdeDirectionBlock block[2];
    double scale;
    Residual *residual;
} Loss;

struct Case {
    const char *name;
    int layers;
    int64_t width[6];
    int losses;
    Loss loss[PARTS_MAX];
    int64_t directions; /* of the loss at hand */
    PdeBatch *batch;
};

static uint32_t counter;

static double uniform(void) {
    return 2 * pde_uniform(pde_random_word(11, 1, 0, 0, counter++)) - 1;
}

static double at(const double *x, int64_t i) {
    return x[i * PDE_LANES];
}

static double norm_square(const double *x, int64_t n) {
    double s = 0;
    for (int64_t i = 0; i < n; i++)
        s += at(x, i) * at(x, i);
    return s;
}

/* Laplacian of (1 - |x|^2) N, and sin of it; Gram directions, then the point itself. */
static void ball(const Case *c, const double *x, const PdeJet *jet, double *const seed[3]) {
    const double *n = jet->n, *d1 = jet->d[0], *d2 = jet->d[1];
    int64_t d = c->width[0], h = c->width[1];
    double q = 1 - norm_square(x, d), sum = 0;
    for (int64_t k = 0; k < h; k++)
        sum += d2[k];
    *(double *)jet->residual = q * sum - 4 * d1[h] - 2 * (double)d * n[0] + sin(q * n[0]);
    if (!seed[0])
        return;
    for (int64_t k = 0; k < h; k++)
        seed[2][k] = q;
    seed[1][h] = -4;
    seed[0][0] = q * cos(q * n[0]) - 2 * (double)d;
}

/* The same with SETS sampled coordinates. */
static void sampled(const Case *c, const double *x, const PdeJet *jet, double *const seed[3]) {
    const double *n = jet->n, *d1 = jet->d[0], *d2 = jet->d[1];
    const uint32_t *set = pde_batch_directions(c->batch, 0)->index;
    double d = (double)c->width[0], q = 1 - norm_square(x, c->width[0]), f = d / SETS, sum = 0;
    for (int k = 0; k < SETS; k++)
        sum += f * (q * d2[k] - 4 * at(x, set[k]) * d1[k]);
    *(double *)jet->residual = sum - 2 * d * n[0] + sin(q * n[0]);
    if (!seed[0])
        return;
    for (int k = 0; k < SETS; k++) {
        seed[2][k] = f * q;
        seed[1][k] = -4 * f * at(x, set[k]);
    }
    seed[0][0] = q * cos(q * n[0]) - 2 * d;
}

/* u = (1 - t) N: u_t + Laplacian of u - |grad u|^2; Gram directions without time, then time. */
static void hjb(const Case *c, const double *x, const PdeJet *jet, double *const seed[3]) {
    const double *n = jet->n, *d1 = jet->d[0], *d2 = jet->d[1];
    int64_t h = c->width[1];
    double s = 1 - at(x, c->width[0] - 1), sum = 0;
    for (int64_t k = 0; k < h; k++)
        sum += s * d2[k] - s * s * d1[k] * d1[k];
    *(double *)jet->residual = s * d1[h] - n[0] + sum;
    if (!seed[0])
        return;
    for (int64_t k = 0; k < h; k++) {
        seed[2][k] = s;
        seed[1][k] = -2 * s * s * d1[k];
    }
    seed[1][h] = s;
    seed[0][0] = -1;
}

/* |grad N|^2 / 2 + N from the gradient itself: the direction is grad N, held constant. */
static void gradient_square(const Case *c, const double *x, const PdeJet *jet,
                            double *const seed[3]) {
    const double *v = pde_batch_directions(c->batch, 0)->v;
    const double *mine =
        v + jet->point / PDE_LANES * c->width[0] * PDE_LANES + jet->point % PDE_LANES;
    (void)x;
    *(double *)jet->residual = norm_square(mine, c->width[0]) / 2 + ((const double *)jet->n)[0];
    if (!seed[0])
        return;
    seed[1][0] = 1;
    seed[0][0] = 1;
}

static void value(const Case *c, const double *x, const PdeJet *jet, double *const seed[3]) {
    double n = ((const double *)jet->n)[0];
    *(double *)jet->residual = n + n * n - at(x, 0);
    (void)c;
    if (seed[0])
        seed[0][0] = 1 + 2 * n;
}

static void normal(const Case *c, const double *x, const PdeJet *jet, double *const seed[3]) {
    *(double *)jet->residual = ((const double *)jet->d[0])[0];
    (void)c;
    (void)x;
    if (seed[0])
        seed[1][0] = 1;
}

/* Two residuals of two outputs: Laplacian of N_0 + N_1^2, and x . grad N_1 + N_0 N_1. */
static void two(const Case *c, const double *x, const PdeJet *jet, double *const seed[3]) {
    const double *n = jet->n, *d1 = jet->d[0], *d2 = jet->d[1];
    int64_t h = c->width[1], k1 = c->directions;
    double sum = 0, *r = jet->residual;
    (void)x;
    for (int64_t k = 0; k < h; k++)
        sum += d2[k];
    r[0] = sum + n[1] * n[1];
    r[1] = d1[k1 + h] + n[0] * n[1];
    if (!seed[0])
        return;
    for (int64_t k = 0; k < h; k++)
        seed[2][k] = 1;
    seed[0][1] = 2 * n[1];
    seed[1][(2 + 1) * k1 + h] = 1;
    seed[0][2] = n[1];
    seed[0][3] = n[0];
}

#define BALL(scale)                                                                                \
    { "ball", 1, 2, {{PDE_DIR_GRAM, 2, 0, 0}, {PDE_DIR_POSITION, 1, 1, 0}}, scale, ball }

static const Case cases[] = {
    {.name = "exact, depth 2", .layers = 2, .width = {12, 8, 1}, .losses = 1, .loss = {BALL(1)}},
    {.name = "exact, depth 3", .layers = 3, .width = {12, 8, 7, 1}, .losses = 1, .loss = {BALL(1)}},
    {.name = "exact, depth 4",
     .layers = 4,
     .width = {12, 8, 9, 8, 1},
     .losses = 1,
     .loss = {BALL(0.6)}},
    {.name = "sampled",
     .layers = 4,
     .width = {12, 8, 8, 8, 1},
     .losses = 1,
     .loss = {{"sampled", 1, 1, {{PDE_DIR_UNIT, 2, SETS, 0}}, 1, sampled}}},
    {.name = "hjb",
     .layers = 3,
     .width = {13, 8, 8, 1},
     .losses = 1,
     .loss = {{"hjb", 1, 2, {{PDE_DIR_GRAM, 2, 0, 0}, {PDE_DIR_UNIT, 1, 1, 0}}, 1, hjb}}},
    {.name = "gradient square",
     .layers = 3,
     .width = {11, 8, 8, 1},
     .losses = 1,
     .loss = {{"gradient square", 1, 1, {{PDE_DIR_POINT_DENSE, 1, 1, 0}}, 1, gradient_square}}},
    {.name = "stacked",
     .layers = 4,
     .width = {12, 8, 8, 8, 1},
     .losses = 3,
     .loss = {BALL(0.7),
              {"value", 1, 0, {{0}}, 1.3, value},
              {"normal", 1, 1, {{PDE_DIR_POINT_DENSE, 1, 1, 0}}, 0.4, normal}}},
    {.name = "two outputs",
     .layers = 3,
     .width = {12, 8, 8, 2},
     .losses = 1,
     .loss = {{"two", 2, 2, {{PDE_DIR_GRAM, 2, 0, 0}, {PDE_DIR_POSITION, 1, 1, 0}}, 1, two}}},
};

typedef struct Call {
    const Case *c;
    const Loss *loss;
} Call;

static void combine(void *context, const PdeJet *jet) {
    const Call *call = context;
    const double *x = pde_batch_x(call->c->batch);
    double *const seed[3] = {jet->seed_n, jet->seed_d[0], jet->seed_d[1]};
    call->loss->residual(call->c,
                         x + jet->point / PDE_LANES * call->c->width[0] * PDE_LANES +
                             jet->point % PDE_LANES,
                         jet, seed);
}

static void print_numbers(const char *key, const double *v, int64_t n) {
    printf(", \"%s\": [", key);
    for (int64_t i = 0; i < n; i++)
        printf("%s%.17g", i ? ", " : "", v[i]);
    printf("]");
}

static void print_points(const char *key, const double *v, int64_t n_in) {
    double row[POINTS * 16];
    for (int64_t b = 0; b < POINTS; b++)
        for (int64_t i = 0; i < n_in; i++)
            row[b * n_in + i] = v[i * PDE_LANES + b];
    print_numbers(key, row, POINTS * n_in);
}

static PdeBatch *batch_of(PdeEngine *e, const Case *c, const Loss *loss) {
    PdeBatchConfig config = {
        .points = POINTS, .blocks = loss->blocks, .residuals = loss->residuals};
    memcpy(config.block, loss->block, sizeof loss->block);
    PdeBatch *q = pde_batch_create(e, &config);
    double *x = pde_batch_x(q);
    int64_t n = c->width[0];
    for (int64_t i = 0; i < n * PDE_LANES; i++)
        x[i] = 0.4 * uniform();
    for (int b = 0; b < loss->blocks; b++) {
        PdeDirections *d = pde_batch_directions(q, b);
        for (int64_t k = 0; loss->block[b].kind == PDE_DIR_UNIT && k < loss->block[b].count; k++)
            d->index[k] = (uint32_t)(loss->block[b].order == 1 ? n - 1 : 2 * k + 1);
        for (int64_t i = 0; loss->block[b].kind == PDE_DIR_POINT_DENSE && i < n * PDE_LANES; i++)
            ((double *)d->v)[i] = uniform();
        if (loss->residual == hjb && loss->block[b].kind == PDE_DIR_GRAM)
            ((double *)d->weight)[n - 1] = 0;
        if (loss->residual == gradient_square)
            pde_input_gradient(e, q, 0, d->v);
    }
    return q;
}

static void run(const Case *given) {
    Case c[PARTS_MAX];
    PdeEngineConfig config = {PDE_F64,
                              PDE_ISA_BEST,
                              2,
                              given->layers,
                              given->width,
                              PDE_ACT_tanh,
                              pde_optim_default(PDE_OPT_natural),
                              NULL};
    PdeEngine *e = pde_engine_create(&config);
    int64_t size = pde_engine_size(e);
    double *theta = malloc((size_t)size * sizeof *theta), *phi = malloc((size_t)size * sizeof *phi);
    for (int64_t i = 0; i < size; i++) {
        theta[i] = 0.6 * uniform();
        phi[i] = uniform();
    }
    pde_engine_set(e, PDE_SLOT_PARAMETERS, theta);
    pde_engine_set(e, PDE_SLOT_STATE, phi);
    PdeJacobianPart part[PARTS_MAX];
    int64_t rows = 0;
    printf("{\"name\": \"%s\"", given->name);
    for (int i = 0; i < given->losses; i++) {
        c[i] = *given;
        c[i].batch = batch_of(e, given, &given->loss[i]);
        c[i].directions = pde_batch_direction_count(c[i].batch);
        part[i] = (PdeJacobianPart){c[i].batch, rows};
        rows += POINTS * given->loss[i].residuals;
    }
    PdeJacobian *j = pde_jacobian_create(e, part, given->losses, 0);
    pde_jacobian_begin(j);
    printf(", \"losses\": [");
    for (int i = 0; i < given->losses; i++) {
        const Loss *loss = &given->loss[i];
        double residual[2 * POINTS];
        Call call = {&c[i], loss};
        PdeTaskSpec task = {
            .combine = combine, .context = &call, .scale = loss->scale, .residual = residual};
        pde_jacobian_add(j, i, &task);
        printf("%s{\"name\": \"%s\", \"scale\": %.17g", i ? ", " : "", loss->name, loss->scale);
        print_points("x", pde_batch_x(c[i].batch), given->width[0]);
        if (loss->residual == normal)
            print_points("v", pde_batch_directions(c[i].batch, 0)->v, given->width[0]);
        print_numbers("residual", residual, POINTS * loss->residuals);
        printf("}");
    }
    printf("]");
    double *k = malloc((size_t)(rows * rows) * sizeof *k);
    double *out = malloc((size_t)rows * sizeof *out), *s = malloc((size_t)rows * sizeof *s);
    for (int64_t i = 0; i < rows; i++)
        s[i] = uniform();
    pde_jacobian_gram(j, k);
    pde_jacobian_times(j, PDE_SLOT_STATE, out);
    pde_jacobian_transposed(j, s);
    pde_gradient_store(e);
    double width[6];
    for (int i = 0; i <= given->layers; i++)
        width[i] = (double)given->width[i];
    print_numbers("width", width, given->layers + 1);
    print_numbers("theta", theta, size);
    print_numbers("phi", phi, size);
    print_numbers("s", s, rows);
    print_numbers("K", k, rows * rows);
    print_numbers("times", out, rows);
    pde_engine_get(e, PDE_SLOT_GRADIENT, theta);
    print_numbers("transposed", theta, size);
    printf("}\n");
    free(k);
    free(out);
    free(s);
    free(theta);
    free(phi);
    pde_jacobian_destroy(j);
    for (int i = 0; i < given->losses; i++)
        pde_batch_destroy(c[i].batch);
    pde_engine_destroy(e);
}

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run(&cases[i]);
    return 0;
}
