#include "step/network.h"

#include "contract/rng.h"
#include "engine/real.h"
#include "engine/stream.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------ fields of fewer variables */

/* The sets, as bits, that number i of a layer's inputs (layer 0: the network's) or of its outputs belongs to. */
static int64_t sets_of_input(const Plan *plan, int64_t i) {
    for (int k = 0; k < plan->reaches; k++) {
        int64_t rows = k < plan->vectors ? plan_extent(plan, plan->vector[k]) : 1;
        if (i < rows)
            return plan->reach[k];
        i -= rows;
    }
    return 0;
}

static int64_t sets_of_output(const Plan *plan, int64_t o) {
    for (int f = 0; f < plan->fields; f++)
        if (plan->field[f].output == o)
            return (int64_t)1 << plan->field[f].set;
    return 0;
}

static int64_t sets_of_unit(const Network *n, const Plan *plan, int layer, int64_t j) {
    return layer == 0           ? sets_of_input(plan, j)
           : layer == n->layers ? sets_of_output(plan, j)
                                : (int64_t)1 << (j * plan->sets / n->width[layer]);
}

void network_confine(const Network *n, const Plan *plan, uint8_t *live) {
    assert(plan->sets > 0);
    for (int l = 0; l < n->layers; l++) {
        for (int64_t i = 0; i < n->width[l]; i++) {
            int64_t from = sets_of_unit(n, plan, l, i);
            for (int64_t j = 0; j < n->width[l + 1]; j++)
                *live++ = (from & sets_of_unit(n, plan, l + 1, j)) != 0;
        }
        memset(live, 1, (size_t)n->width[l + 1]);
        live += n->width[l + 1];
    }
}

static int64_t live_parameters(const Network *n, const Plan *plan) {
    int64_t count = 0;
    for (int l = 0; l < n->layers; l++) {
        for (int64_t i = 0; i < n->width[l]; i++)
            for (int64_t j = 0; j < n->width[l + 1]; j++)
                count += (sets_of_unit(n, plan, l, i) & sets_of_unit(n, plan, l + 1, j)) != 0;
        count += n->width[l + 1];
    }
    return count;
}

void network_scale_parts(const Network *n, const Settings *s, const uint8_t *live, void *to) {
    int64_t at = 0;
    for (int l = 0; l < n->layers; l++) {
        int64_t in = n->width[l], out = n->width[l + 1];
        for (int64_t j = 0; j < out; j++) {
            int64_t seen = 0;
            for (int64_t i = 0; i < in; i++)
                seen += live[at + i * out + j];
            double factor = seen ? sqrt((double)in / (double)seen) : 0;
            for (int64_t i = 0; i < in; i++)
                real_set(s->precision, to, at + i * out + j,
                         factor * real_get(s->precision, to, at + i * out + j));
        }
        at += (in + 1) * out;
    }
}

/* -------------------------------------------------------------------------------- shape, first values */

Network network_of(const Settings *s, const Problem *problem) {
    assert(s->depth >= 2 && s->depth <= PDE_MAX_LAYERS);
    assert(problem->inputs > 0 && problem->outputs > 0);
    Network n = {.layers = s->depth, .precision = s->precision};
    n.width[0] = problem->inputs;
    for (int l = 1; l < n.layers; l++)
        n.width[l] = s->width;
    n.width[n.layers] = problem->outputs;
    for (int l = 0; l < n.layers; l++)
        n.size += (n.width[l] + 1) * n.width[l + 1];
    n.live = problem->plan.sets ? live_parameters(&n, &problem->plan) : n.size;
    return n;
}

/* Uniform in +-limit from the numbers of one layer's stream. */
static void fill(const Network *n, uint64_t seed, int layer, int64_t count, double limit,
                 void *to) {
    uint32_t stream = stream_of(STREAM_INIT, ROLE_TRAIN, 0, layer), word[4];
    for (int64_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            pde_random_block(seed, stream, (uint32_t)(i >> 34), 0, (uint32_t)(i >> 2), word);
        real_set(n->precision, to, i, limit * (2 * pde_uniform(word[i % 4]) - 1));
    }
}

/* pytorch: weights and biases uniform in +-1/sqrt(fan in); xavier: weights uniform in
 * +-sqrt(6 / (fan in + fan out)), biases zero. */
void network_initialise(const Network *n, const Settings *s, void *to) {
    assert(n->size > 0);
    Initialisation kind = s->init;
    int64_t at = 0;
    for (int l = 0; l < n->layers; l++) {
        int64_t in = n->width[l], out = n->width[l + 1], weights = in * out;
        double limit = kind == INIT_XAVIER ? sqrt(6 / (double)(in + out)) : 1 / sqrt((double)in);
        int64_t drawn = kind == INIT_XAVIER ? weights : weights + out;
        void *layer = real_at(n->precision, to, at);
        fill(n, s->seed, l, drawn, limit, layer);
        for (int64_t i = drawn; i < weights + out; i++)
            real_set(n->precision, layer, i, 0);
        at += weights + out;
    }
    for (int64_t i = 0; i < n->width[0] * n->width[1] && s->init_first != 1; i++)
        real_set(n->precision, to, i, s->init_first * real_get(n->precision, to, i));
}

int network_arrays(const Network *n, const char *prefix, const void *data,
                   char (*names)[NETWORK_NAME_MAX], Array *array) {
    int64_t at = 0;
    for (int l = 0; l < n->layers; l++) {
        int64_t in = n->width[l], out = n->width[l + 1];
        ArrayType type = real_array_type(n->precision);
        snprintf(names[2 * l], NETWORK_NAME_MAX, "%sW%d", prefix, l + 1);
        snprintf(names[2 * l + 1], NETWORK_NAME_MAX, "%sb%d", prefix, l + 1);
        array[2 * l] = (Array){names[2 * l],
                               type,
                               2,
                               {(uint64_t)in, (uint64_t)out},
                               real_const_at(n->precision, data, at)};
        at += in * out;
        array[2 * l + 1] = (Array){
            names[2 * l + 1], type, 1, {(uint64_t)out}, real_const_at(n->precision, data, at)};
        at += out;
    }
    return 2 * n->layers;
}

Status network_read(const Network *n, const char *prefix, const Safetensors *file, void *data,
                    Error *error) {
    char names[2 * PDE_MAX_LAYERS][NETWORK_NAME_MAX];
    Array want[2 * PDE_MAX_LAYERS];
    int count = network_arrays(n, prefix, data, names, want);
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        const Array *have = safetensors_find(file, names[i]);
        size_t size;
        if (!have || have->rank != want[i].rank || !array_count(have, &size) ||
            memcmp(have->shape, want[i].shape, (size_t)have->rank * sizeof have->shape[0]) != 0)
            return error_set(error, STATUS_CHECKPOINT_MISMATCH,
                             "'%s' is missing or has another shape than this network", names[i]);
        for (size_t k = 0; k < size; k++)
            real_set(n->precision, data, at + (int64_t)k, array_value(have, k));
        at += (int64_t)size;
    }
    return STATUS_OK;
}
