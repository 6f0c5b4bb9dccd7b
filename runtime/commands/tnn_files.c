/* tnn_files.c: checkpoints, the model and traces of tensor networks, as safetensors. */
#include "commands/tnn_files.h"

#include "commands/trained_model.h"

#include "files/json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static Array matrix(const char *name, const double *data, int64_t rows, int64_t columns) {
    return (Array){name, ARRAY_F64, 2, {(uint64_t)rows, (uint64_t)columns}, data};
}

static Array vector(const char *name, const double *data, int64_t n) {
    return (Array){name, ARRAY_F64, 1, {(uint64_t)n}, data};
}

/* Parameters and the optimiser's states: of each the networks, then the coefficients. */
enum { SLOTS_MAX = 1 + PDE_STATES_MAX, ARRAY_NAME_MAX = 40 };

typedef struct SlotArrays {
    Array array[2 * SLOTS_MAX];
    char name[2 * SLOTS_MAX][ARRAY_NAME_MAX];
    size_t count;
} SlotArrays;

static double *slot(const Tnn *t, int k) {
    return k == PDE_SLOT_PARAMETERS ? t->theta : t->state[k - PDE_SLOT_STATE];
}

static int slots_of(const Tnn *t) {
    return 1 + pde_optim_states(t->config.optimiser.kind);
}

static void arrays_of(const Tnn *t, int slots, SlotArrays *to) {
    char prefix[STATE_PREFIX_MAX];
    to->count = 0;
    for (int k = 0; k < slots; k++) {
        char *network = to->name[2 * k], *coefficient = to->name[2 * k + 1];
        state_prefix(k, prefix);
        snprintf(network, ARRAY_NAME_MAX, "%snetworks", prefix);
        snprintf(coefficient, ARRAY_NAME_MAX, "%scoefficients", prefix);
        to->array[to->count++] = matrix(network, slot(t, k), t->problem.d, t->size);
        to->array[to->count++] =
            vector(coefficient, slot(t, k) + t->problem.d * t->size, t->config.rank);
    }
}

/* The parameters alone, before other arrays of a file; their number. */
static size_t parameters_of(const Tnn *t, Array *array) {
    array[0] = matrix("networks", t->theta, t->problem.d, t->size);
    array[1] = vector("coefficients", t->theta + t->problem.d * t->size, t->config.rank);
    return 2;
}

/* -------------------------------------------------------------------------------- checkpoints */

static Status state_json(const Run *run, const TnnModule *m, const Config *config, Buffer *out,
                         Error *error) {
    char hex[DIGEST_HEX_SIZE + 1];
    JsonWriter json = {.out = out};
    json_begin_object(&json);
    json_key(&json, "module");
    json_put_text(&json, digest_hex(&m->problem.module.digest, hex));
    json_key(&json, "updates");
    json_put_integer(&json, m->tnn.updates);
    run_put_progress(&run->state, &json);
    json_key(&json, "config");
    json_begin_object(&json);
    config_write_json(config, &json);
    json_end_object(&json);
    json_end_object(&json);
    return buffer_status(out, error);
}

Status tnn_save(Run *run, const TnnModule *m, const Config *config, bool best, Error *error) {
    SlotArrays slots;
    Buffer json = {0};
    arrays_of(&m->tnn, slots_of(&m->tnn), &slots);
    Status status = state_json(run, m, config, &json, error);
    if (status == STATUS_OK)
        status = checkpoint_save(
            run->checkpoints, (uint64_t)run->state.iteration, json.data, slots.array, slots.count,
            (CheckpointOptions){.keep = m->settings.keep, .best = best}, error);
    buffer_free(&json);
    if (status == STATUS_OK)
        run->saved = run->state.iteration;
    return status;
}

static Status mismatch(Error *error, const char *what) {
    return error_set(error, STATUS_CHECKPOINT_MISMATCH, "the file was written with another %s",
                     what);
}

/* The first `slots` of them from a file. */
static Status load_arrays(Tnn *t, int count, const Safetensors *file, Error *error) {
    SlotArrays slots;
    arrays_of(t, count, &slots);
    for (size_t k = 0; k < slots.count; k++) {
        const Array *wanted = &slots.array[k];
        const Array *have = safetensors_find(file, wanted->name);
        size_t n = 0;
        bool fits =
            have && have->type == ARRAY_F64 && have->rank == wanted->rank &&
            memcmp(have->shape, wanted->shape, sizeof *have->shape * (size_t)have->rank) == 0;
        if (!fits || !array_count(have, &n))
            return mismatch(error, "network");
        double *to = slot(t, (int)k / 2) + (k % 2 ? t->problem.d * t->size : 0);
        memcpy(to, have->data, n * sizeof(double));
    }
    return STATUS_OK;
}

Status tnn_load(Run *run, TnnModule *m, const Checkpoint *checkpoint, Error *error) {
    char hex[DIGEST_HEX_SIZE + 1];
    json_t *root = json_loads(checkpoint->run, 0, NULL);
    const char *module = json_string_value(json_object_get(root, "module"));
    Status status = module && strcmp(module, digest_hex(&m->problem.module.digest, hex)) == 0
                        ? load_arrays(&m->tnn, slots_of(&m->tnn), &checkpoint->file, error)
                        : mismatch(error, "module");
    const json_t *best = json_object_get(root, "best");
    m->tnn.updates = (int64_t)json_integer_value(json_object_get(root, "updates"));
    run->state.iteration = (int64_t)checkpoint->iteration;
    run->state.seconds = json_number_value(json_object_get(root, "seconds"));
    run->state.cpu_seconds = json_number_or(root, "cpu_seconds", 0);
    run->state.best = json_is_number(best) ? json_number_value(best) : (double)INFINITY;
    run->state.best_iteration =
        (int64_t)json_integer_value(json_object_get(root, "best_iteration"));
    run->saved = run->state.iteration;
    json_decref(root);
    return status;
}

/* ------------------------------------------------------------------------------ model, trace */

static const char shape_text[] =
    "psi = sum_j c_j prod_i phi_ij / |phi_ij|, phi_i(y) = (1 - s^2) N_i(s), s = (y - centre) / "
    "half; "
    "N_i by row i of networks: w[h], b[h], then W[h][h] (in, out) and b[h] of each further hidden "
    "layer, W[h][p] and b[p]";

Status tnn_write_model(const Run *run, const TnnModule *m, double lambda, Error *error) {
    char path[RUN_PATH_MAX], hex[DIGEST_HEX_SIZE + 1];
    Array array[8];
    int64_t d = m->problem.d;
    size_t count = parameters_of(&m->tnn, array);
    array[count++] = vector("centre", m->operator.centre, d);
    array[count++] = vector("half", m->operator.half, d);
    array[count++] = vector("unknowns", &lambda, 1);
    const SafetensorsText text[] = {{"activation", pde_activation_name(m->config.activation)},
                                    {"module", digest_hex(&m->problem.module.digest, hex)},
                                    {"network", shape_text},
                                    {"title", m->problem.plan.title}};
    return safetensors_write(run_path(run, "model.safetensors", path), array, count, text,
                             sizeof text / sizeof *text, error);
}

Status tnn_read_model(const char *directory, TnnModule *m, Error *error) {
    Safetensors file;
    Status status = model_file_read(directory, &file, error);
    if (status != STATUS_OK)
        return status;
    status = load_arrays(&m->tnn, 1, &file, error);
    safetensors_free(&file);
    return status;
}

Status tnn_write_trace(const TnnModule *m, double lambda, const char *path, Error *error) {
    const Tnn *t = &m->tnn;
    int64_t d = m->problem.d, q8 = t->rule.padded;
    double pairs[TNN_CHANNELS_MAX + 1] = {0};
    for (int k = 0; k < t->problem.channels; k++)
        pairs[k] = t->problem.all_pairs[k] ? 1 : 0;
    Array array[20];
    size_t count = parameters_of(t, array);
    array[count++] = matrix("gradient.networks", t->gradient, d, t->size);
    array[count++] = vector("gradient.coefficients", t->gradient + d * t->size, t->config.rank);
    array[count++] = vector("nodes", t->rule.at, q8);
    array[count++] = vector("weights", t->rule.weight, q8);
    array[count++] = (Array){"functions",
                             ARRAY_F64,
                             3,
                             {(uint64_t)d, (uint64_t)(t->matrices - 1), (uint64_t)q8},
                             t->table};
    array[count++] = vector("centre", m->operator.centre, d);
    array[count++] = vector("half", m->operator.half, d);
    array[count++] = vector("kinetic", m->operator.kinetic, d);
    array[count++] = vector("constant", &m->operator.constant, 1);
    array[count++] = vector("all_pairs", pairs, t->problem.channels);
    array[count++] = vector("terms", t->weight[0], d);
    array[count++] = vector("value_terms", t->weight[1], d);
    array[count++] = vector("lambda", &lambda, 1);
    char width[16], depth[16], rank[16];
    snprintf(width, sizeof width, "%d", t->config.width);
    snprintf(depth, sizeof depth, "%d", t->config.depth);
    snprintf(rank, sizeof rank, "%d", t->config.rank);
    const SafetensorsText text[] = {{"activation", pde_activation_name(t->config.activation)},
                                    {"depth", depth},
                                    {"network", shape_text},
                                    {"rank", rank},
                                    {"title", m->problem.plan.title},
                                    {"width", width}};
    return safetensors_write(path, array, count, text, sizeof text / sizeof *text, error);
}
