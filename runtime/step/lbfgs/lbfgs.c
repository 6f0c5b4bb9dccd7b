#include "step/lbfgs/lbfgs.h"

#include "engine/dense.h"
#include "engine/real.h"
#include "step/lbfgs/lbfgs_search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = LBFGS_PAIRS, VECTORS = 5 };

/* owner of everything but session. Vectors are double[n], whatever the network's precision. */
struct Lbfgs {
    Session *session;
    int64_t n;
    LbfgsHistory history;
    double *x, *g;                 /* where it stands, and the gradient there */
    double *trial, *slope, *along; /* a trial point, the gradient there, the direction */
    void *real;                    /* [n] */
    double loss;                   /* at x */
    bool known;                    /* loss and g are those of x */
    bool done;                     /* no step makes the loss smaller any more */
    int64_t evaluations;
};

static void get_slot(const Lbfgs *l, int slot, double *to) {
    PdePrecision precision = l->session->settings.precision;
    pde_engine_get(l->session->engine, slot, l->real);
    for (int64_t i = 0; i < l->n; i++)
        to[i] = real_get(precision, l->real, i);
}

static void put_parameters(Lbfgs *l, const double *from) {
    PdePrecision precision = l->session->settings.precision;
    for (int64_t i = 0; i < l->n; i++)
        real_set(precision, l->real, i, from[i]);
    pde_engine_set(l->session->engine, PDE_SLOT_PARAMETERS, l->real);
}

/* Loss and gradient at the parameters the engine has; infinity where they are not finite. */
static double evaluate(Lbfgs *l, double *gradient) {
    Session *s = l->session;
    session_gradient(s, 0);
    if (!session_finite(s) || !pde_gradient_store(s->engine))
        return (double)INFINITY;
    get_slot(l, PDE_SLOT_GRADIENT, gradient);
    return s->loss;
}

/* The two-loop recursion: along = -H g. */
static void direction(Lbfgs *l) {
    assert(l->history.pairs >= 0 && l->history.pairs <= PAIRS);
    const LbfgsHistory *h = &l->history;
    double alpha[PAIRS], scale = 1;
    for (int64_t i = 0; i < l->n; i++)
        l->along[i] = -l->g[i];
    for (int k = h->pairs - 1; k >= 0; k--) {
        const double *s = h->s + k * l->n, *y = h->y + k * l->n;
        alpha[k] = dense_dot(s, l->along, l->n) / dense_dot(s, y, l->n);
        for (int64_t i = 0; i < l->n; i++)
            l->along[i] -= alpha[k] * y[i];
    }
    if (h->pairs > 0) {
        const double *s = h->s + (h->pairs - 1) * l->n, *y = h->y + (h->pairs - 1) * l->n;
        scale = dense_dot(s, y, l->n) / dense_dot(y, y, l->n);
    }
    for (int64_t i = 0; i < l->n; i++)
        l->along[i] *= scale;
    for (int k = 0; k < h->pairs; k++) {
        const double *s = h->s + k * l->n, *y = h->y + k * l->n;
        double beta = dense_dot(y, l->along, l->n) / dense_dot(s, y, l->n);
        for (int64_t i = 0; i < l->n; i++)
            l->along[i] += (alpha[k] - beta) * s[i];
    }
}

static double try_step(Lbfgs *l, double t) {
    for (int64_t i = 0; i < l->n; i++)
        l->trial[i] = l->x[i] + t * l->along[i];
    put_parameters(l, l->trial);
    get_slot(l, PDE_SLOT_PARAMETERS, l->trial); /* as rounded to the network's precision */
    l->evaluations++;
    return evaluate(l, l->slope);
}

/* True: trial, slope and *loss are those of a better point. */
static bool search(Lbfgs *l, double *loss) {
    LbfgsSearch s;
    int verdict = LBFGS_AGAIN;
    double descent = dense_dot(l->g, l->along, l->n), length = sqrt(dense_dot(l->g, l->g, l->n));
    if (!lbfgs_search_begin(&s, l->loss, descent, length, l->history.pairs))
        return false;
    while (verdict == LBFGS_AGAIN) {
        *loss = try_step(l, s.t);
        verdict = lbfgs_search_judge(&s, *loss, dense_dot(l->slope, l->along, l->n));
    }
    return verdict == LBFGS_TAKEN;
}

/* Trial becomes x. */
static void accept(Lbfgs *l, double loss) {
    assert(l->known && l->history.pairs <= PAIRS);
    LbfgsHistory *h = &l->history;
    size_t row = (size_t)l->n * sizeof(double);
    if (h->pairs == PAIRS) {
        memmove(h->s, h->s + l->n, (PAIRS - 1) * row);
        memmove(h->y, h->y + l->n, (PAIRS - 1) * row);
        h->pairs--;
    }
    double *s = h->s + h->pairs * l->n, *y = h->y + h->pairs * l->n;
    for (int64_t i = 0; i < l->n; i++) {
        s[i] = l->trial[i] - l->x[i];
        y[i] = l->slope[i] - l->g[i];
    }
    h->pairs += lbfgs_pair_counts(dense_dot(s, y, l->n), dense_dot(y, y, l->n));
    memcpy(l->x, l->trial, row);
    memcpy(l->g, l->slope, row);
    l->loss = loss;
}

Lbfgs *lbfgs_of(const Session *s) {
    return optimiser_self(s, &optimiser_lbfgs);
}

bool lbfgs_step(Lbfgs *l) {
    assert(l && l->session->problem->plan.unknowns == 0);
    Session *s = l->session;
    if (!l->known) { /* the first step of this process: not counted, so that resuming changes nothing */
        get_slot(l, PDE_SLOT_PARAMETERS, l->x);
        l->loss = evaluate(l, l->g);
        if (isinf(l->loss))
            return false;
        l->known = true;
    }
    for (int tries = 0; tries < 2 && !l->done; tries++) {
        double loss;
        direction(l);
        if (search(l, &loss)) {
            accept(l, loss);
            s->loss = loss;
            return true;
        }
        l->done = l->history.pairs == 0;
        l->history.pairs = 0; /* once more, downhill */
    }
    put_parameters(l, l->x);
    s->loss = l->loss;
    return true;
}

/* ----------------------------------------------------------------------------------- checkpoints */

LbfgsHistory *lbfgs_history(Lbfgs *l) {
    return &l->history;
}

int64_t lbfgs_evaluations(const Lbfgs *l) {
    return l->evaluations;
}

void lbfgs_set_evaluations(Lbfgs *l, int64_t evaluations) {
    assert(l);
    l->evaluations = evaluations;
}

static void restart(void *self) {
    Lbfgs *l = self;
    l->history.pairs = 0;
    l->known = l->done = false;
}

static void save(const void *self, JsonWriter *json) {
    json_key(json, "evaluations");
    json_put_integer(json, lbfgs_evaluations(self));
}

static void load(void *self, const struct json_t *from) {
    lbfgs_set_evaluations(self, (int64_t)json_number_or(from, "evaluations", 0));
}

static int columns(const void *self, NamedNumber to[OPTIMISER_COLUMNS_MAX]) {
    to[0] = (NamedNumber){"evaluations", (double)lbfgs_evaluations(self)};
    return 1;
}

static int arrays(const void *self, Array array[OPTIMISER_ARRAYS_MAX]) {
    const Lbfgs *l = self;
    uint64_t pairs = (uint64_t)l->history.pairs, n = (uint64_t)l->n;
    array[0] = (Array){"lbfgs.s", ARRAY_F64, 2, {pairs, n}, l->history.s};
    array[1] = (Array){"lbfgs.y", ARRAY_F64, 2, {pairs, n}, l->history.y};
    return l->history.pairs > 0 ? 2 : 0;
}

static Status read(void *self, const Safetensors *file, Error *error) {
    Lbfgs *l = self;
    const Array *s = safetensors_find(file, "lbfgs.s"), *y = safetensors_find(file, "lbfgs.y");
    restart(l);
    if (!s && !y)
        return STATUS_OK;
    if (!s || !y || s->type != ARRAY_F64 || y->type != ARRAY_F64 || s->rank != 2 || y->rank != 2 ||
        s->shape[0] > PAIRS || s->shape[0] != y->shape[0] || s->shape[1] != (uint64_t)l->n ||
        y->shape[1] != (uint64_t)l->n)
        return error_set(error, STATUS_CHECKPOINT_MISMATCH,
                         "the history of L-BFGS has another shape than this network");
    l->history.pairs = (int)s->shape[0];
    for (size_t i = 0; i < (size_t)l->history.pairs * (size_t)l->n; i++) {
        l->history.s[i] = array_value(s, i);
        l->history.y[i] = array_value(y, i);
    }
    return STATUS_OK;
}

/* -------------------------------------------------------------------------------------- creating */

/* The search compares losses: gradient and loss must be of one function, and that of the equation. */
static Status check_method(const Session *s, Error *error) {
    Terms value = algorithm_value(s->settings.algorithm);
    if (s->problem->plan.unknowns > 0)
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "--optimiser lbfgs does not move unknown numbers of the problem: use adam");
    for (int i = 0; i < s->tasks; i++) {
        const Task *t = &s->task[i];
        for (int f = 0; f < t->plan->families && !t->gradient[0].exact; f++)
            if (value == TERMS_SAMPLE || t->gradient[0].terms == TERMS_SAMPLE)
                return error_set(
                    error, STATUS_OPTION_CONFLICT,
                    "--optimiser lbfgs minimises one loss and cannot use sampled terms: "
                    "choose --algorithm full or exact");
    }
    return STATUS_OK;
}

/* Refuses methods whose gradient is not that of their loss. */
static Status open(Session *session, void **self, Error *error) {
    Lbfgs *l = calloc(1, sizeof *l);
    *self = l;
    if (!l)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the optimiser");
    size_t n = (size_t)session->network.size;
    l->session = session;
    l->n = session->network.size;
    double **vector[VECTORS] = {&l->x, &l->g, &l->trial, &l->slope, &l->along};
    bool ok = (l->history.s = calloc(n * PAIRS, sizeof *l->history.s)) &&
              (l->history.y = calloc(n * PAIRS, sizeof *l->history.y)) &&
              (l->real = calloc(n, sizeof(double)));
    for (size_t i = 0; i < VECTORS && ok; i++)
        ok = (*vector[i] = calloc(n, sizeof(double))) != NULL;
    if (!ok)
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "no memory for %d copies of %lld parameters: L-BFGS is for small problems",
                         2 * PAIRS, (long long)l->n);
    return check_method(session, error);
}

static void release(void *self) {
    Lbfgs *l = self;
    double *vector[] = {l->history.s, l->history.y, l->x, l->g, l->trial, l->slope, l->along};
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; i++)
        free(vector[i]);
    free(l->real);
    free(l);
}

/* Full sums, unless an algorithm was chosen beside this optimiser. */
static Status imply(Config *config, const Problem *problem, Error *error) {
    (void)problem;
    return config_imply(config, OPTION_OPTIMISER, OPTION_ALGORITHM, "full", error);
}

static bool take_step(Session *s, void *self, uint32_t step, double rate) {
    (void)s, (void)step, (void)rate; /* its points are those of step 0 */
    return lbfgs_step(self);
}

/* The history, which checkpoints hold too, and the search's vectors, in double. */
static void plan_cost(const Settings *set, const Network *n, const StepSizes *sizes, StepCost *c) {
    double vector = (double)sizeof(double) * (double)n->size;
    (void)set, (void)sizes;
    c->parameters += (2 * PAIRS + VECTORS + 1) * vector;
    c->parameters += (double)real_size(set->precision) * (double)n->size; /* the gradient, whole */
    c->flops += 8.0 * PAIRS * (double)n->size;
    c->traffic += 4.0 * PAIRS * vector;
}

const OptimiserClass optimiser_lbfgs = {.name = "lbfgs",
                                        .imply = imply,
                                        .open = open,
                                        .close = release,
                                        .step = take_step,
                                        .restart = restart,
                                        .save = save,
                                        .load = load,
                                        .arrays = arrays,
                                        .read = read,
                                        .columns = columns,
                                        .plan = plan_cost};
