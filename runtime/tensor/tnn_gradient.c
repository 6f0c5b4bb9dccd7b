/* tnn_gradient.c: the Rayleigh quotient of all dimensions and its gradient.
 *
 * lambda = N / D with N a sum of terms L_i. N_I uses a sample of them, and the gradient that is
 * used is (grad N_I - lambda_J grad D) / D. D is never sampled, so this is linear in what is
 * random: unbiased for every algorithm, with J = I too.
 *
 * Activations are held for a block of dimensions. If all dimensions fit, one forward pass serves;
 * else the matrices are made first and each block is computed again with its activations held.
 * Where nothing couples the dimensions, each block needs its own pass only. */
#include "tensor/tnn.h"

#include "contract/rng.h"
#include "engine/stream.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool tnn_separable(const Tnn *t) {
    return t->config.rank == 1 && t->problem.channels == 0;
}

typedef struct Pass {
    Tnn *t;
    int64_t first; /* of the block */
    bool backward;
    bool values; /* separable: weight[1] counts too when deciding what may be left out */
} Pass;

static TnnRows rows_of(const Tnn *t, int64_t i, double *held, int worker) {
    assert(worker >= 0 && worker < pde_pool_size(t->pool));
    double *scratch = t->scratch[worker],
           *shared = scratch + tnn_held_size(&t->config, t->rule.padded);
    TnnRows r = tnn_rows_at(&t->config, t->rule.padded, held ? held : scratch, shared);
    r.functions = t->table + i * (t->matrices - 1) * t->rule.padded;
    return r;
}

static double *matrices_of(const Tnn *t, double *all, int64_t i) {
    return all + i * t->matrices * t->config.rank * t->config.rank;
}

static void forward(const Tnn *t, int64_t i, TnnRows *r) {
    assert(i >= 0 && i < t->problem.d);
    tnn_hidden(t, &t->rule, i, r);
    tnn_output(t, &t->rule, i, r);
    tnn_integrate(t, &t->rule, i, r, matrices_of(t, t->raw, i));
}

/* Uncoupled dimensions whose term was not drawn have no part in value or gradient. */
static bool left_out(const Pass *pass, int64_t i) {
    const Tnn *t = pass->t;
    return pass->backward && tnn_separable(t) && !(t->weight[0][i] > 0) &&
           !(pass->values && t->weight[1][i] > 0);
}

/* Matrices alone, or with activations held for the way back. */
static void forward_task(void *context, long task, int worker) {
    const Pass *pass = context;
    const Tnn *t = pass->t;
    if (left_out(pass, pass->first + task))
        return;
    int64_t i = pass->first + task, held = tnn_held_size(&t->config, t->rule.padded);
    TnnRows r = rows_of(t, i, pass->backward ? t->tape + task * held : NULL, worker);
    forward(t, i, &r);
}

static void backward_task(void *context, long task, int worker) {
    const Pass *pass = context;
    const Tnn *t = pass->t;
    int64_t i = pass->first + task, held = tnn_held_size(&t->config, t->rule.padded);
    if (tnn_separable(t) && !(t->weight[0][i] > 0)) {
        memset(t->gradient + i * t->size, 0, (size_t)t->size * sizeof(double));
        return;
    }
    TnnRows r = rows_of(t, i, t->tape + task * held, worker);
    tnn_backward(t, &t->rule, i, &r, matrices_of(t, t->environment, i), t->gradient + i * t->size);
}

static void all_matrices(Tnn *t, bool hold) {
    pde_pool_run(t->pool, forward_task, &(Pass){t, 0, hold, true}, t->problem.d);
    tnn_normalise(t);
}

double tnn_value(Tnn *t) {
    all_matrices(t, false);
    tnn_prefix(t, NULL);
    return tnn_quotient(t);
}

/* ------------------------------------------------------------------------------------- score */

typedef struct Score {
    const Tnn *t;
    const TnnRule *rule;
    double **memory; /* per worker */
} Score;

static void score_task(void *context, long i, int worker) {
    const Score *s = context;
    const Tnn *t = s->t;
    TnnRows r = tnn_rows_at(&t->config, s->rule->padded, s->memory[worker],
                            s->memory[worker] + tnn_held_size(&t->config, s->rule->padded));
    tnn_functions_at(t, s->rule, i, &r);
    tnn_hidden(t, s->rule, i, &r);
    tnn_output(t, s->rule, i, &r);
    tnn_integrate(t, s->rule, i, &r, matrices_of(t, t->raw, i));
}

Status tnn_score(Tnn *t, const TnnRule *rule, double *lambda, Error *error) {
    assert(rule->padded >= rule->nodes && rule->nodes > 0);
    int workers = pde_pool_size(t->pool);
    int64_t size = tnn_held_size(&t->config, rule->padded) +
                   tnn_shared_size(&t->problem, &t->config, rule->padded);
    double **memory = calloc((size_t)workers, sizeof *memory);
    bool ok = memory != NULL;
    for (int w = 0; w < workers && ok; w++)
        ok = (memory[w] = aligned_alloc(64, (size_t)tnn_row(size) * sizeof(double))) != NULL;
    if (ok) {
        pde_pool_run(t->pool, score_task, &(Score){t, rule, memory}, t->problem.d);
        tnn_normalise(t);
        tnn_prefix(t, NULL);
        *lambda = tnn_quotient(t);
    }
    for (int w = 0; memory && w < workers; w++)
        free(memory[w]);
    free(memory);
    return ok ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the finer rule");
}

/* ---------------------------------------------------------------------------------- sampling */

void tnn_sample(Tnn *t, int which, int64_t n, uint32_t step) {
    assert(which == 0 || which == 1);
    int64_t d = t->problem.d;
    double *w = t->weight[which];
    bool all = n <= 0 || n >= d;
    for (int64_t i = 0; i < d; i++)
        w[i] = all ? 1 : 0;
    if (all)
        return;
    /* Selection sampling (Knuth 3.4.2 S): each subset of n is as likely as any other. */
    uint32_t stream = stream_of(which ? STREAM_VALUE_SET : STREAM_SET, ROLE_TRAIN, 0, 0);
    for (int64_t i = 0, left = n; i < d && left > 0; i++) {
        double u = pde_uniform(pde_random_word(t->config.seed, stream, step, 0, (uint32_t)i));
        if (u * (double)(d - i) < (double)left) {
            w[i] = (double)d / (double)n;
            left--;
        }
    }
}

/* --------------------------------------------------------------------------------- gradient */

/* With rank 1 and no pairs the gradient of a dimension is weight_i grad (T_i / S_i). */
static void separate_environment(Tnn *t, int64_t first, int64_t count) {
    assert(first >= 0 && first + count <= t->problem.d);
    for (int64_t i = first; i < first + count; i++) {
        if (!(t->weight[0][i] > 0))
            continue;
        const double *raw = t->raw + 2 * i;
        double *bar = t->environment + 2 * i;
        bar[1] = t->weight[0][i] / raw[0];
        bar[0] = -bar[1] * raw[1] / raw[0];
    }
}

static double separate_value(const Tnn *t, const double *w) {
    double sum = 0;
    for (int64_t i = 0; i < t->problem.d; i++)
        sum += w[i] > 0 ? w[i] * t->raw[2 * i + 1] / t->raw[2 * i] : 0;
    return sum + t->problem.constant;
}

static double gradient_separate(Tnn *t, bool value_weights) {
    int64_t d = t->problem.d;
    for (int64_t first = 0; first < d; first += t->tape_dims) {
        int64_t count = d - first < t->tape_dims ? d - first : t->tape_dims;
        Pass pass = {t, first, true, value_weights};
        pde_pool_run(t->pool, forward_task, &pass, count);
        separate_environment(t, first, count);
        pde_pool_run(t->pool, backward_task, &pass, count);
    }
    t->gradient[d * t->size] = 0; /* the quotient does not see the size of psi */
    return separate_value(t, t->weight[value_weights ? 1 : 0]);
}

double tnn_gradient(Tnn *t, bool value_weights) {
    assert(t->gradient && t->tape_dims > 0);
    int64_t d = t->problem.d;
    if (tnn_separable(t))
        return gradient_separate(t, value_weights);
    bool whole = t->tape_dims >= d;
    all_matrices(t, whole);
    double value = 0;
    if (value_weights) {
        tnn_prefix(t, t->weight[1]);
        value = tnn_quotient(t);
    }
    tnn_prefix(t, t->weight[0]);
    if (!value_weights)
        value = tnn_quotient(t);
    tnn_environment(t, t->weight[0], value);
    for (int64_t first = 0; first < d; first += t->tape_dims) {
        int64_t count = d - first < t->tape_dims ? d - first : t->tape_dims;
        Pass pass = {t, first, true, true};
        if (!whole)
            pde_pool_run(t->pool, forward_task, &pass, count);
        pde_pool_run(t->pool, backward_task, &pass, count);
    }
    return value;
}

bool tnn_finite(const Tnn *t) {
    double sum = 0;
    for (int64_t k = 0; k < t->parameters; k++)
        sum += t->gradient[k] * 0;
    return !isnan(sum);
}

typedef struct Update {
    Tnn *t;
    double rate;
} Update;

enum { UPDATE_CHUNK = 1 << 14 };

static void update_task(void *context, long task, int worker) {
    const Update *u = context;
    Tnn *t = u->t;
    int64_t first = (int64_t)task * UPDATE_CHUNK, end = tnn_row(t->parameters);
    int64_t n = end - first < UPDATE_CHUNK ? end - first : UPDATE_CHUNK;
    (void)worker;
    t->ops->update(&t->config.optimiser, u->rate, t->updates, t->theta + first, t->state,
                   (long)first, t->gradient + first, (long)n);
}

void tnn_update(Tnn *t, double rate) {
    assert(t->updates >= 0);
    t->updates++;
    pde_pool_run(t->pool, update_task, &(Update){t, rate},
                 (long)((tnn_row(t->parameters) + UPDATE_CHUNK - 1) / UPDATE_CHUNK));
}
