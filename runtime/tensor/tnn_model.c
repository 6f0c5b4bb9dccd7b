/* tnn_model.c: a tensor network in memory, and its initial parameters. */
#include "tensor/tnn.h"

#include "contract/rng.h"
#include "engine/stream.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t parameters_of_dimension(const TnnConfig *c) {
    int64_t h = c->width, p = c->rank;
    return 2 * h + (c->depth - 2) * (h * h + h) + (h + 1) * p;
}

double *tnn_coefficients(const Tnn *t) {
    assert(t->theta);
    return t->theta + t->problem.d * t->size;
}

/* ------------------------------------------------------------------------------- initial values */

/* Number `k` of dimension i in the open interval (0, 1). */
static double uniform(const Tnn *t, int64_t i, int64_t k) {
    return pde_uniform(pde_random_word(t->config.seed, stream_of(STREAM_INIT, ROLE_TRAIN, 0, 0), 0,
                                       (uint32_t)i, (uint32_t)k));
}

/* The highest frequency of the first layer. Products of two features have twice that, which a rule
 * of Q nodes still integrates to rounding; the ground state on a box of 5 natural lengths needs
 * about 25. Further layers multiply frequencies, so the first starts low. */
static double highest_frequency(const Tnn *t) {
    double most = 0.55 * t->rule.nodes, wanted = t->config.depth == 2 ? 32 : 5;
    return most < wanted ? most : wanted;
}

/* One feature in each stratum of (0, highest): the width is used evenly. Sines get phases, other
 * activations are centred within the box. */
static void first_layer(const Tnn *t, int64_t i, double *theta) {
    int h = t->config.width;
    bool waves = t->config.activation == PDE_ACT_sin;
    double highest = waves ? highest_frequency(t) : 8;
    for (int a = 0; a < h; a++) {
        double u = uniform(t, i, 2 * a), v = uniform(t, i, 2 * a + 1);
        theta[a] = highest * ((double)a + u) / h;
        theta[h + a] =
            waves
                ? 3.14159265358979323846 * (2 * v - 1)
                : -theta[a] * (2 * (((double)a * 7 + 3) / h - floor(((double)a * 7 + 3) / h)) - 1);
    }
}

static void draw_parameters(Tnn *t) {
    int64_t h = t->config.width, p = t->config.rank;
    for (int64_t i = 0; i < t->problem.d; i++) {
        double *theta = t->theta + i * t->size, *first = theta;
        int64_t number = 2 * h;
        first_layer(t, i, theta);
        theta += 2 * h;
        for (int l = 1; l < t->config.depth - 1; l++, theta += h * h + h)
            for (int64_t k = 0; k < h * h; k++)
                theta[k] = sqrt(6.0 / (double)h) * (2 * uniform(t, i, number++) - 1);
        for (int64_t a = 0; a < h; a++) /* rough features start small: their energy is large */
            for (int64_t j = 0; j < p; j++) {
                double f = t->config.depth == 2 ? first[a] / 4 : 1;
                theta[a * p + j] = (2 * uniform(t, i, number++) - 1) / (1 + f * f);
            }
        for (int64_t j = 0; j < p; j++)
            theta[h * p + j] = 1;
    }
    for (int64_t j = 0; j < p; j++)
        tnn_coefficients(t)[j] = j ? 0.1 : 1;
}

/* ----------------------------------------------------------------------------------- memory */

typedef struct Sizes {
    int64_t size, parameters, q8, matrices, block, held, shared, scratch;
} Sizes;

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Per worker: rows of one dimension, or what the chain and the last-layer solve need. */
static Sizes sizes_of(const TnnProblem *p, const TnnConfig *c, int64_t block) {
    Sizes s = {.size = parameters_of_dimension(c), .q8 = tnn_row((int64_t)c->cells * c->nodes)};
    int64_t square = (int64_t)c->rank * c->rank, basis = (int64_t)(c->width + 1);
    s.parameters = p->d * s.size + c->rank;
    s.matrices = (2 + 2 * p->channels) * square;
    s.block = block > 0 && block < p->d ? block : p->d;
    s.held = tnn_held_size(c, s.q8);
    s.shared = tnn_shared_size(p, c, s.q8);
    int64_t unknowns = basis * c->rank;
    int64_t solve = s.held + s.shared + 3 * basis * s.q8 + (2 + 2 * p->channels) * basis * basis +
                    2 * unknowns * unknowns + unknowns + tnn_lowest_work((int)unknowns);
    s.scratch = larger(solve, (2 * (2 + TNN_CHANNELS_MAX) + 2 + 2 * p->channels) * square);
    return s;
}

static double total(const TnnProblem *p, const TnnConfig *c, const Sizes *s, int workers) {
    double d = (double)p->d;
    int states = pde_optim_states(c->optimiser.kind);
    return (2.0 + states) * (double)tnn_row(s->parameters) +
           d * (double)((1 + 2 * p->channels) * s->q8) + 3 * d * (double)s->matrices + d * c->rank +
           2 * (d + 1) * (double)((2 + p->channels) * c->rank * c->rank) + 2 * d +
           (double)(s->block * s->held) + (double)(workers * s->scratch);
}

double tnn_bytes(const TnnProblem *p, const TnnConfig *c, int64_t block) {
    Sizes s = sizes_of(p, c, block);
    return 8 * total(p, c, &s, c->threads > 0 ? c->threads : 1);
}

static double *numbers(int64_t n) {
    size_t bytes = (size_t)tnn_row(n + 1) * sizeof(double);
    double *at = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (at)
        memset(at, 0, (bytes + 63) / 64 * 64);
    return at;
}

static void fill_table(void *context, long i, int worker) {
    Tnn *t = context;
    TnnRows r = tnn_rows_at(&t->config, t->rule.padded, t->scratch[worker],
                            t->scratch[worker] + tnn_held_size(&t->config, t->rule.padded));
    r.functions = t->table + i * (t->matrices - 1) * t->rule.padded;
    tnn_functions_at(t, &t->rule, i, &r);
}

static bool allocate(Tnn *t, const Sizes *s) {
    int64_t d = t->problem.d, square = (int64_t)t->config.rank * t->config.rank;
    double **const slot[] = {&t->theta,  &t->gradient,    &t->table,     &t->raw,
                             &t->unit,   &t->environment, &t->norm,      &t->prefix,
                             &t->suffix, &t->weight[0],   &t->weight[1], &t->tape};
    const int64_t count[] = {s->parameters,
                             s->parameters,
                             d * (t->matrices - 1) * s->q8,
                             d * s->matrices,
                             d * s->matrices,
                             d * s->matrices + square,
                             d * t->config.rank,
                             (d + 1) * (2 + t->problem.channels) * square,
                             tnn_separable(t) ? 0 : (d + 1) * (2 + t->problem.channels) * square,
                             d,
                             d,
                             s->block * s->held};
    for (size_t k = 0; k < sizeof slot / sizeof *slot; k++)
        if (!(*slot[k] = numbers(count[k])))
            return false;
    for (int k = 0; k < pde_optim_states(t->config.optimiser.kind); k++)
        if (!(t->state[k] = numbers(s->parameters)))
            return false;
    t->scratch = calloc((size_t)pde_pool_size(t->pool), sizeof *t->scratch);
    for (int w = 0; t->scratch && w < pde_pool_size(t->pool); w++)
        if (!(t->scratch[w] = numbers(s->scratch)))
            return false;
    return t->scratch != NULL;
}

Status tnn_create(const TnnProblem *problem, const TnnConfig *config, int64_t block, Tnn *t,
                  Error *error) {
    *t = (Tnn){.problem = *problem, .config = *config, .ops = tnn_ops()};
    Sizes s = sizes_of(problem, config, block);
    t->size = s.size;
    t->parameters = s.parameters;
    t->matrices = 2 + 2 * problem->channels;
    t->tape_dims = s.block;
    t->pool = pde_pool_create(config->threads);
    Status status = t->pool ? tnn_rule_create(config->cells, config->nodes, &t->rule, error)
                            : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK && !allocate(t, &s))
        status = STATUS_OUT_OF_MEMORY;
    if (status != STATUS_OK) {
        tnn_free(t);
        return error_set(error, status, "a tensor network of %lld dimensions needs %.1f GB",
                         (long long)problem->d, 8e-9 * total(problem, config, &s, 1));
    }
    for (int64_t i = 0; i < problem->d; i++)
        t->weight[0][i] = t->weight[1][i] = 1;
    pde_pool_run(t->pool, fill_table, t, problem->d);
    draw_parameters(t);
    return STATUS_OK;
}

void tnn_free(Tnn *t) {
    double *const slot[] = {t->theta,  t->gradient,    t->table,     t->raw,
                            t->unit,   t->environment, t->norm,      t->prefix,
                            t->suffix, t->weight[0],   t->weight[1], t->tape};
    for (size_t k = 0; k < sizeof slot / sizeof *slot; k++)
        free(slot[k]);
    for (int k = 0; k < PDE_STATES_MAX; k++)
        free(t->state[k]);
    for (int w = 0; t->scratch && w < pde_pool_size(t->pool); w++)
        free(t->scratch[w]);
    free(t->scratch);
    if (t->pool)
        pde_pool_destroy(t->pool);
    tnn_rule_free(&t->rule);
    *t = (Tnn){0};
}
