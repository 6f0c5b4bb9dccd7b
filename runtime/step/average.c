#include "step/average.h"

#include "engine/real.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* owner of everything but session */
struct Average {
    Session *session;
    void *mean, *buffer; /* real[parameters] */
    double unknown[PLAN_UNKNOWNS_MAX];
    int64_t count;
};

static Status open(Session *session, void **self, Error *error) {
    Average *a = calloc(1, sizeof *a);
    size_t bytes = (size_t)session->network.size * real_size(session->settings.precision);
    *self = a;
    if (pde_optim_has(session->settings.optimiser.kind, PDE_ONE_LOSS))
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "--average takes the mean over steps on fresh points, and L-BFGS keeps its "
            "points: leave one out");
    if (a) {
        a->session = session;
        a->mean = malloc(bytes);
        a->buffer = malloc(bytes);
    }
    return a && a->mean && a->buffer
               ? STATUS_OK
               : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the mean of the parameters");
}

static void release(void *self) {
    Average *a = self;
    free(a->mean);
    free(a->buffer);
    free(a);
}

static void blend(const Average *a, double weight) {
    assert(weight > 0 && weight <= 1);
    int64_t n = a->session->network.size;
    if (a->session->settings.precision == PDE_F64) {
        double *mean = a->mean;
        const double *x = a->buffer;
        for (int64_t i = 0; i < n; i++)
            mean[i] += weight * (x[i] - mean[i]);
    } else {
        float *mean = a->mean, w = (float)weight;
        const float *x = a->buffer;
        for (int64_t i = 0; i < n; i++)
            mean[i] += w * (x[i] - mean[i]);
    }
}

/* After iteration `iteration`, counted from 1. */
static void add(void *self, int64_t iteration) {
    Average *a = self;
    Session *s = a->session;
    if (iteration % AVERAGE_STRIDE != 0)
        return;
    double weight = 1 / fmax(1, s->settings.average * (double)++a->count);
    pde_engine_get(s->engine, PDE_SLOT_PARAMETERS, weight < 1 ? a->buffer : a->mean);
    if (weight < 1)
        blend(a, weight);
    for (int k = 0; k < s->problem->plan.unknowns; k++)
        a->unknown[k] += weight * (s->unknown[k] - a->unknown[k]);
}

/* Nothing before the first iterate was taken. */
static void swap(void *self) {
    Average *a = self;
    Session *s = a->session;
    double unknown[PLAN_UNKNOWNS_MAX];
    if (a->count == 0)
        return;
    pde_engine_get(s->engine, PDE_SLOT_PARAMETERS, a->buffer);
    pde_engine_set(s->engine, PDE_SLOT_PARAMETERS, a->mean);
    void *mean = a->mean;
    a->mean = a->buffer;
    a->buffer = mean;
    memcpy(unknown, s->unknown, sizeof unknown);
    memcpy(s->unknown, a->unknown, sizeof unknown);
    memcpy(a->unknown, unknown, sizeof unknown);
    session_unknowns_changed(s);
}

void *average_data(Average *a) {
    return a->mean;
}

double *average_unknowns(Average *a) {
    return a->unknown;
}

int64_t average_count(const Average *a) {
    return a->count;
}

void average_set_count(Average *a, int64_t count) {
    assert(count >= 0);
    a->count = count;
}

/* ---------------------------------------------------------------------------------------- hook */

static const char *const prefix = "mean.";

Average *average_of(const Session *s) {
    return s->hook[HOOK_average].self;
}

static bool wanted(const Settings *settings) {
    return settings->average > 0;
}

static void restart(void *self) {
    average_set_count(self, 0);
}

static void save(void *self, JsonWriter *json) {
    const Average *a = self;
    json_key(json, "averaged");
    json_put_integer(json, a->count);
    json_put_numbers(json, "unknown_mean", a->unknown, a->session->problem->plan.unknowns);
}

static bool load(void *self, const struct json_t *from) {
    Average *a = self;
    a->count = (int64_t)json_number_or(from, "averaged", 0);
    return json_get_numbers(from, "unknown_mean", a->unknown, a->session->problem->plan.unknowns);
}

static int arrays(void *self, HookNames *names, Array *to) {
    const Average *a = self;
    return a->count > 0 ? network_arrays(&a->session->network, prefix, a->mean, names->array, to)
                        : 0;
}

static Status read(void *self, const Safetensors *file, Error *error) {
    Average *a = self;
    return a->count > 0 ? network_read(&a->session->network, prefix, file, a->mean, error)
                        : STATUS_OK;
}

static const double *result_unknowns(void *self) {
    const Average *a = self;
    return a->count > 0 ? a->unknown : NULL;
}

const StepHook hook_average = {.name = "average",
                               .wanted = wanted,
                               .open = open,
                               .close = release,
                               .after = add,
                               .restart = restart,
                               .save = save,
                               .load = load,
                               .arrays = arrays,
                               .read = read,
                               .result = swap,
                               .result_unknowns = result_unknowns};
