/* What the engine's tests share: random numbers, a random problem, and its scalar
 *     S(theta) = sum_b multiplier_b sum_{m,o,k} seed_b[m][o][k] * N^(m)[b][o][k]
 * whose gradient the engine must give. All in the caller's precision through `Case`.
 */
#ifndef ENGINE_CHECK_H
#define ENGINE_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "runtime/contract/rng.h"
#include "runtime/engine/engine.h"

typedef struct Problem {
    const char *name;
    int layers;
    int64_t width[8];
    PdeActivation activation;
    int64_t points;
    int blocks;
    PdeDirectionBlock block[3];
} Problem;

typedef struct Case {
    const Problem *p;
    int f64, order, uniform; /* 1: one seed for all directions of a point; 2: which are rotated */
    PdeEngine *e;
    PdeBatch *q;
    long n, K, n_in, n_out;
    long each, row;            /* numbers of one order, of all orders, per point */
    double *theta;             /* canonical parameters */
    double *seed, *multiplier; /* [B][1 + order][n_out][K], [B] */
    double *out;               /* [B][1 + order][n_out][K]: N (k = 0) and derivatives, as seen */
} Case;

static uint32_t check_counter;
static const PdeRanks *check_ranks; /* of the engines that are opened next */

static inline double check_random(void) { /* uniform in (-1, 1) */
    return 2 * pde_uniform(pde_random_word(7, 1, 0, 0, check_counter++)) - 1;
}

static inline double get_real(const Case *c, const void *v, long i) {
    return c->f64 ? ((const double *)v)[i] : (double)((const float *)v)[i];
}

static inline void set_real(const Case *c, void *v, long i, double x) {
    if (c->f64)
        ((double *)v)[i] = x;
    else
        ((float *)v)[i] = (float)x;
}

static inline void check_combine(void *context, const PdeJet *jet) {
    Case *c = context;
    long each = c->each, b = jet->point;
    double sum = 0, *seed = c->seed + b * c->row, *out = c->out + b * c->row;
    for (long o = 0; o < c->n_out; o++) {
        out[o] = get_real(c, jet->n, o);
        sum += seed[o] * out[o];
        if (jet->seed_n)
            set_real(c, jet->seed_n, o, seed[o]);
    }
    for (int m = 1; m <= c->order; m++)
        for (long i = 0; i < each; i++) {
            out[m * each + i] = get_real(c, jet->d[m - 1], i);
            sum += seed[m * each + i] * out[m * each + i];
            if (jet->seed_n)
                set_real(c, jet->seed_d[m - 1], i, seed[m * each + i]);
        }
    set_real(c, jet->residual, 0, sum);
}

static inline void load_theta(Case *c, const double *theta) {
    void *v = malloc((size_t)c->n * sizeof(double));
    for (long i = 0; i < c->n; i++)
        set_real(c, v, i, theta[i]);
    pde_engine_set(c->e, PDE_SLOT_PARAMETERS, v);
    free(v);
}

static inline long check_groups(long rows) {
    return (rows + PDE_LANES - 1) / PDE_LANES;
}

static inline void fill_directions(Case *c) {
    for (int i = 0; i < c->p->blocks; i++) {
        const PdeDirectionBlock *k = &c->p->block[i];
        PdeDirections *d = pde_batch_directions(c->q, i);
        long count = k->count, groups = check_groups(c->p->points);
        long indices = k->kind == PDE_DIR_UNIT           ? count
                       : k->kind == PDE_DIR_PAIR         ? 2 * count
                       : k->kind == PDE_DIR_POINT_UNIT   ? count * c->p->points
                       : k->kind == PDE_DIR_POINT_SPARSE ? count * c->p->points * k->entries
                                                         : 0;
        for (long j = 0; j < indices; j++)
            d->index[j] = (uint32_t)pde_random_below(pde_random_word64(3, 9, 0, 0, check_counter++),
                                                     (uint64_t)c->n_in);
        if (k->kind == PDE_DIR_PAIR)
            for (long j = 0; j < count; j++)
                set_real(c, d->coefficient, j, j % 2 ? -1 : 1);
        for (long j = 0; k->kind == PDE_DIR_POINT_SPARSE && j < indices; j++)
            set_real(c, d->coefficient, j, 0.7 * check_random());
        long dense = k->kind == PDE_DIR_DENSE         ? check_groups(count)
                     : k->kind == PDE_DIR_POINT_DENSE ? count * groups
                                                      : 0;
        for (long j = 0; j < dense * c->n_in * PDE_LANES; j++)
            set_real(c, d->v, j, 0.5 * check_random());
        if (k->kind == PDE_DIR_GRAM)
            for (long j = 0; j < c->n_in; j++)
                set_real(c, d->weight, j, j == c->n_in - 1 ? 0 : 1 + 0.5 * check_random());
    }
}

/* The same numbers for the same problem in both precisions, up to rounding. */
static inline int case_open_on(Case *c, const Problem *p, int f64, int threads, PdeIsa isa,
                               int uniform) {
    *c = (Case){.p = p, .f64 = f64, .uniform = uniform};
    check_counter = 0;
    PdeEngineConfig config = {
        f64 ? PDE_F64 : PDE_F32,         isa,        threads, p->layers, p->width, p->activation,
        pde_optim_default(PDE_OPT_adam), check_ranks};
    c->e = pde_engine_create(&config);
    if (!c->e)
        return 0;
    PdeBatchConfig batch = {
        .points = p->points, .blocks = p->blocks, .residuals = 1, .rotate = uniform == 2};
    for (int i = 0; i < p->blocks; i++) {
        batch.block[i] = p->block[i];
        if (p->block[i].order > c->order)
            c->order = p->block[i].order;
    }
    c->q = pde_batch_create(c->e, &batch);
    if (!c->q)
        return 0;
    c->n = (long)pde_engine_size(c->e);
    c->K = (long)pde_batch_direction_count(c->q);
    c->n_in = (long)p->width[0];
    c->n_out = (long)p->width[p->layers];
    c->each = c->n_out * (c->K ? c->K : 1);
    c->row = (1 + c->order) * c->each;
    long each = c->each, row = c->row;
    c->theta = malloc((size_t)c->n * sizeof(double));
    c->seed = calloc((size_t)(p->points * row), sizeof(double));
    c->out = calloc((size_t)(p->points * row), sizeof(double));
    c->multiplier = malloc((size_t)p->points * sizeof(double));
    long at = 0;
    for (int l = 0; l < p->layers; l++) {
        double scale = 1.3 / sqrt((double)p->width[l]);
        for (long i = 0; i < p->width[l] * p->width[l + 1]; i++)
            c->theta[at++] = scale * check_random();
        for (long i = 0; i < p->width[l + 1]; i++)
            c->theta[at++] = 0.3 * check_random();
    }
    load_theta(c, c->theta);
    for (long i = 0; i < check_groups(p->points) * c->n_in * PDE_LANES; i++)
        set_real(c, pde_batch_x(c->q), i, check_random());
    fill_directions(c);
    for (long b = 0; b < p->points; b++) {
        c->multiplier[b] = check_random();
        for (int m = 0; m <= c->order; m++) {
            double all = check_random();
            for (int i = 0; i < p->blocks || m == 0; i++) {
                long k0 = 0, count = m ? p->block[i].count : 1;
                for (int j = 0; j < i; j++)
                    k0 += p->block[j].count;
                int wanted = m == 0 || m <= p->block[i].order || c->order > 2;
                if (m && p->block[i].kind == PDE_DIR_GRAM)
                    wanted = m == 2;
                for (long o = 0; o < c->n_out; o++)
                    for (long k = k0; k < k0 + count && wanted; k++)
                        c->seed[b * row + m * each + (m ? o * c->K + k : o)] =
                            uniform && m == 2 ? all : check_random();
                if (m == 0)
                    break;
            }
        }
    }
    return 1;
}

static inline int case_open(Case *c, const Problem *p, int f64) {
    return case_open_on(c, p, f64, 1, PDE_ISA_BEST, 0);
}

static inline void case_close(Case *c) {
    pde_batch_destroy(c->q);
    pde_engine_destroy(c->e);
    free(c->theta);
    free(c->seed);
    free(c->out);
    free(c->multiplier);
}

/* S at the parameters now loaded; outputs are left in c->out. */
static inline double case_value(Case *c) {
    double *r = malloc((size_t)c->p->points * sizeof(double)), sum = 0;
    PdeTaskSpec task = {.combine = check_combine, .context = c, .residual = r};
    pde_value(c->e, c->q, &task);
    for (long b = 0; b < c->p->points; b++)
        sum += c->multiplier[b] * get_real(c, r, b);
    free(r);
    return sum;
}

/* dS/dtheta in canonical order, to: double[n] */
static inline void case_gradient(Case *c, double *to) {
    double *m = malloc((size_t)c->p->points * sizeof(double));
    for (long b = 0; b < c->p->points; b++)
        set_real(c, m, b, c->multiplier[b]);
    PdeTaskSpec task = {.combine = check_combine, .context = c, .multiplier = m};
    pde_gradient_begin(c->e);
    pde_gradient_add(c->e, c->q, &task);
    pde_gradient_store(c->e);
    void *g = malloc((size_t)c->n * sizeof(double));
    pde_engine_get(c->e, PDE_SLOT_GRADIENT, g);
    for (long i = 0; i < c->n; i++)
        to[i] = get_real(c, g, i);
    free(g);
    free(m);
}

static inline double norm_of(const double *v, long n) {
    double s = 0;
    for (long i = 0; i < n; i++)
        s += v[i] * v[i];
    return sqrt(s);
}

static inline double distance_of(const double *a, const double *b, long n) {
    double s = 0;
    for (long i = 0; i < n; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(s);
}

/* Problems that between them have every direction kind, activation, depth and awkward size. */
static const Problem problems[] = {
    {"unit, depth 2", 2, {9, 7, 1}, PDE_ACT_tanh, 5, 1, {{PDE_DIR_UNIT, 2, 4, 0}}},
    {"unit, tanh, depth 4",
     4,
     {20, 33, 33, 33, 1},
     PDE_ACT_tanh,
     19,
     1,
     {{PDE_DIR_UNIT, 2, 11, 0}}},
    {"first order only", 3, {11, 16, 8, 1}, PDE_ACT_sin, 4, 1, {{PDE_DIR_UNIT, 1, 3, 0}}},
    {"no directions", 3, {6, 5, 40, 2}, PDE_ACT_gelu, 3, 0, {{0}}},
    {"pairs and a time direction",
     3,
     {12, 33, 7, 1},
     PDE_ACT_sin,
     17,
     2,
     {{PDE_DIR_PAIR, 2, 5, 0}, {PDE_DIR_UNIT, 1, 1, 0}}},
    {"dense, two outputs",
     4,
     {40, 20, 33, 8, 2},
     PDE_ACT_silu,
     6,
     2,
     {{PDE_DIR_DENSE, 2, 18, 0}, {PDE_DIR_UNIT, 1, 2, 0}}},
    {"point dense",
     3,
     {13, 9, 33, 1},
     PDE_ACT_softplus,
     18,
     2,
     {{PDE_DIR_POINT_DENSE, 2, 2, 0}, {PDE_DIR_UNIT, 2, 3, 0}}},
    {"point unit, two outputs",
     3,
     {70, 33, 12, 2},
     PDE_ACT_gauss,
     21,
     2,
     {{PDE_DIR_POINT_UNIT, 2, 5, 0}, {PDE_DIR_POINT_DENSE, 1, 1, 0}}},
    {"point sparse, two outputs",
     3,
     {70, 33, 12, 2},
     PDE_ACT_tanh,
     21,
     3,
     {{PDE_DIR_POINT_SPARSE, 2, 5, 4}, {PDE_DIR_UNIT, 2, 3, 0}, {PDE_DIR_POINT_SPARSE, 1, 4, 2}}},
    {"order 4, point sparse",
     3,
     {9, 8, 12, 1},
     PDE_ACT_sin,
     18,
     2,
     {{PDE_DIR_POINT_SPARSE, 4, 3, 3}, {PDE_DIR_POINT_DENSE, 2, 1, 0}}},
    {"position",
     3,
     {12, 33, 9, 1},
     PDE_ACT_tanh,
     18,
     2,
     {{PDE_DIR_POSITION, 2, 1, 0}, {PDE_DIR_UNIT, 1, 2, 0}}},
    {"depth 5", 5, {8, 7, 33, 12, 9, 1}, PDE_ACT_gelu, 33, 1, {{PDE_DIR_UNIT, 2, 7, 0}}},
    {"width 128", 4, {300, 128, 128, 128, 1}, PDE_ACT_tanh, 9, 1, {{PDE_DIR_UNIT, 2, 13, 0}}},
    {"two outputs, depth 2", 2, {10, 35, 2}, PDE_ACT_tanh, 7, 1, {{PDE_DIR_PAIR, 2, 4, 0}}},
    {"identity", 3, {10, 6, 6, 1}, PDE_ACT_identity, 3, 1, {{PDE_DIR_UNIT, 2, 2, 0}}},
    {"affine, many coordinates",
     2,
     {400, 16, 1},
     PDE_ACT_identity,
     37,
     3,
     {{PDE_DIR_POINT_DENSE, 1, 2, 0}, {PDE_DIR_DENSE, 1, 1, 0}, {PDE_DIR_UNIT, 1, 2, 0}}},
    {"affine, depth 4",
     4,
     {45, 33, 12, 9, 1},
     PDE_ACT_identity,
     19,
     2,
     {{PDE_DIR_POINT_DENSE, 1, 1, 0}, {PDE_DIR_POINT_SPARSE, 1, 3, 2}}},
    {"relu3", 3, {10, 33, 6, 1}, PDE_ACT_relu3, 5, 1, {{PDE_DIR_UNIT, 2, 4, 0}}},
    {"square", 3, {10, 17, 6, 1}, PDE_ACT_square, 5, 1, {{PDE_DIR_UNIT, 2, 4, 0}}},
    {"cube", 2, {10, 33, 1}, PDE_ACT_cube, 5, 1, {{PDE_DIR_UNIT, 2, 4, 0}}},
    {"many coordinates",
     3,
     {1200, 17, 9, 1},
     PDE_ACT_tanh,
     20,
     2,
     {{PDE_DIR_UNIT, 2, 6, 0}, {PDE_DIR_DENSE, 1, 2, 0}}},
    {"order 4", 3, {9, 7, 33, 1}, PDE_ACT_tanh, 5, 1, {{PDE_DIR_PAIR, 4, 4, 0}}},
    {"order 4, two outputs",
     4,
     {9, 8, 12, 5, 2},
     PDE_ACT_sin,
     18,
     2,
     {{PDE_DIR_UNIT, 4, 3, 0}, {PDE_DIR_POINT_UNIT, 4, 2, 0}}},
    {"order 4, gelu", 3, {9, 12, 5, 1}, PDE_ACT_gelu, 4, 1, {{PDE_DIR_DENSE, 4, 3, 0}}},
    {"order 4, softplus", 3, {9, 12, 5, 1}, PDE_ACT_softplus, 4, 1, {{PDE_DIR_UNIT, 4, 3, 0}}},
    {"order 4, silu", 2, {9, 12, 1}, PDE_ACT_silu, 4, 1, {{PDE_DIR_POINT_DENSE, 4, 2, 0}}},
    {"two coordinates, three outputs, several slabs in a chunk",
     4,
     {2, 33, 40, 17, 3},
     PDE_ACT_tanh,
     530,
     1,
     {{PDE_DIR_UNIT, 2, 2, 0}}},
    {"two coordinates and time, two outputs",
     3,
     {3, 40, 33, 2},
     PDE_ACT_sin,
     37,
     2,
     {{PDE_DIR_UNIT, 2, 2, 0}, {PDE_DIR_UNIT, 1, 1, 0}}},
    {"order 3", 3, {9, 33, 7, 1}, PDE_ACT_gauss, 6, 1, {{PDE_DIR_UNIT, 3, 5, 0}}},
};

enum { PROBLEMS = sizeof problems / sizeof problems[0] };

#endif
