#include "measure/trace.h"

#include "engine/real.h"
#include "files/buffer.h"
#include "step/route.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_ARRAYS = 512, TRACE_TEXTS = 128, TRACE_NAME_MAX = 96, TRACE_TEXT_MAX = 512 };

/* owner of what `owned` points at */
typedef struct Trace {
    const Session *s;
    Array array[TRACE_ARRAYS];
    char name[TRACE_ARRAYS][TRACE_NAME_MAX];
    void *owned[TRACE_ARRAYS];
    size_t arrays;
    SafetensorsText text[TRACE_TEXTS];
    char key[TRACE_TEXTS][TRACE_NAME_MAX], value[TRACE_TEXTS][TRACE_TEXT_MAX];
    size_t texts;
    bool failed;
} Trace;

/* An array of `count` elements to be filled; scratch that is never read if there is no memory. */
static void *add(Trace *t, ArrayType type, const char *prefix, const char *name, int rank,
                 int64_t n0, int64_t n1) {
    size_t count = (size_t)(n0 * (rank > 1 ? n1 : 1));
    void *data = t->arrays < TRACE_ARRAYS ? calloc(count + 1, array_type_size(type)) : NULL;
    if (!data) {
        t->failed = true;
        return NULL;
    }
    snprintf(t->name[t->arrays], TRACE_NAME_MAX, "%.24s%.64s", prefix, name);
    t->owned[t->arrays] = data;
    t->array[t->arrays] =
        (Array){t->name[t->arrays], type, rank, {(uint64_t)n0, (uint64_t)n1}, data};
    t->arrays++;
    return data;
}

static void note(Trace *t, const char *key, const char *format, ...) PDE_FORMAT(3, 4);

static void note(Trace *t, const char *key, const char *format, ...) {
    va_list arguments;
    if (t->texts == TRACE_TEXTS)
        return;
    va_start(arguments, format);
    vsnprintf(t->value[t->texts], TRACE_TEXT_MAX, format, arguments);
    va_end(arguments);
    snprintf(t->key[t->texts], TRACE_NAME_MAX, "%s", key);
    t->text[t->texts] = (SafetensorsText){t->key[t->texts], t->value[t->texts]};
    t->texts++;
}

static void note_number(Trace *t, const char *prefix, const char *key, double value) {
    char name[TRACE_NAME_MAX];
    Buffer text = {0};
    snprintf(name, sizeof name, "%s%s", prefix, key);
    buffer_number(&text, value);
    note(t, name, "%s", text.failed ? "" : text.data);
    buffer_free(&text);
}

static void add_reals(Trace *t, const char *prefix, const char *name, const void *from, int64_t n,
                      int64_t columns) {
    PdePrecision precision = t->s->settings.precision;
    void *to = add(t, real_array_type(precision), prefix, name, columns > 1 ? 2 : 1, n, columns);
    if (to)
        memcpy(to, from, (size_t)(n * columns) * real_size(precision));
}

/* Rows of the lane layout as [points][rows]. */
static void add_lanes(Trace *t, const char *prefix, const char *name, const void *from,
                      int64_t group_rows, int64_t first, int64_t rows, bool vector) {
    PdePrecision precision = t->s->settings.precision;
    int64_t B = t->s->settings.points;
    void *to = add(t, real_array_type(precision), prefix, name, vector ? 2 : 1, B, rows);
    for (int64_t b = 0; to && b < B; b++)
        for (int64_t i = 0; i < rows; i++)
            real_set(
                precision, to, b * rows + i,
                real_get(precision, from,
                         (b / PDE_LANES * group_rows + first + i) * PDE_LANES + b % PDE_LANES));
}

/* Index sets count from 1, as in the language: [n], [n][2], per point [B][n] or [B][2 n]. */
static void add_sets(Trace *t, const char *prefix, const char *letter, const Route *r) {
    const PlanTask *plan = r->task->plan;
    char name[16];
    for (int f = 0; f < plan->families && !r->exact; f++) {
        int indices = plan->family[f].indices;
        int64_t sets = r->per_point ? t->s->settings.points : 1;
        int64_t rows = r->per_point ? sets : r->count[f];
        int64_t columns = r->per_point ? r->count[f] * indices : indices;
        uint32_t base[2];
        route_first(r, f, base);
        snprintf(name, sizeof name, f ? "%s.%d" : "%s", letter, f);
        int64_t *to =
            add(t, ARRAY_I64, prefix, name, columns > 1 || r->per_point ? 2 : 1, rows, columns);
        for (int64_t k = 0; to && k < r->count[f] * indices * sets; k++)
            to[k] = (int64_t)r->set[f][k] + base[k % indices] + 1;
    }
    for (int b = 0; b < r->plan->blocks && r->probes; b++) {
        if (r->plan->block[b].kind != BLOCK_gram)
            continue;
        PdePrecision precision = t->s->settings.precision;
        int64_t n = r->block[b + 1] - r->block[b], n_in = t->s->problem->inputs;
        const void *v = pde_batch_directions(r->batch, b)->v;
        void *to = add(t, real_array_type(precision), prefix,
                       letter[0] == 'I' ? "probes" : "probes_J", 2, n, n_in);
        for (int64_t k = 0; to && k < n; k++)
            for (int64_t i = 0; i < n_in; i++)
                real_set(
                    precision, to, k * n_in + i,
                    real_get(precision, v, (k / PDE_LANES * n_in + i) * PDE_LANES + k % PDE_LANES));
    }
}

static void add_task(Trace *t, const Task *task) {
    const Session *s = t->s;
    const Problem *q = s->problem;
    char prefix[TRACE_NAME_MAX] = "";
    int64_t B = s->settings.points;
    if (task->id > 0)
        snprintf(prefix, sizeof prefix, "%s%d.", plan_task_kind_name(task->plan->kind), task->id);
    add_lanes(t, prefix, "x", points_x(&task->points, 0), q->n_in, 0, q->d, true);
    if (q->plan.time)
        add_lanes(t, prefix, "t", points_x(&task->points, 0), q->n_in, q->d, 1, false);
    if (q->aux_rows)
        add_lanes(t, prefix, "aux", points_aux(&task->points, 0), q->aux_rows, 0, q->aux_rows,
                  true);
    if (task->points.normal)
        add_lanes(t, prefix, "normal", points_normal(&task->points, 0), q->d, 0, q->d, true);
    for (int i = 0; i < q->plan.sources; i++)
        if (q->plan.source[i].task == task->id) {
            char name[TRACE_NAME_MAX];
            snprintf(name, sizeof name, i ? "source.%.60s" : "source", q->plan.source[i].name);
            add_lanes(t, prefix, name, points_scalars(&task->points, 0), task->plan->scalars,
                      q->plan.source[i].scalar, 1, false);
        }
    const Route *r = &task->gradient[0];
    add_sets(t, prefix, "I", r);
    add_reals(t, prefix, "residual_I", r->residual, B, task->plan->residuals);
    if (task->values) {
        if (task->value != task->gradient)
            add_sets(t, prefix, "J", task->value);
        add_reals(t, prefix, "residual_J", task->value_residual, B, task->plan->residuals);
    }
    note_number(t, prefix, "weight", session_task_weight(task));
    note_number(t, prefix, "residual_scale", task->residual_scale);
    if (task->plan->squares)
        note_number(t, prefix, "squares", 1);
    for (int f = 0; f < task->plan->families; f++) {
        char name[16];
        snprintf(name, sizeof name, f ? "K.%d" : "K", f);
        note_number(t, prefix, name, (double)q->family[task->id][f].size);
    }
}

static void add_constants(Trace *t) {
    const Problem *q = t->s->problem;
    for (int i = 0; i < q->plan.tensors; i++) {
        const PlanTensor *c = &q->plan.tensor[i];
        int64_t columns = c->rank == 2 ? plan_extent(&q->plan, c->extent[1]) : 1;
        double *to = add(t, ARRAY_F64, "const.", c->name, c->rank,
                         q->tensor_size[i] / (columns > 0 ? columns : 1), columns);
        if (to)
            memcpy(to, q->tensor64[i], (size_t)q->tensor_size[i] * sizeof *to);
    }
    if (q->plan.unknowns) {
        double *value = add(t, ARRAY_F64, "", "unknown", 1, q->plan.unknowns, 1);
        double *gradient = add(t, ARRAY_F64, "grad.", "unknown", 1, q->plan.unknowns, 1);
        if (value && gradient)
            for (int k = 0; k < q->plan.unknowns; k++) {
                value[k] = t->s->unknown[k];
                gradient[k] = t->s->unknown_gradient[k];
            }
    }
}

static void add_slot(Trace *t, int slot, const char *prefix) {
    const Session *s = t->s;
    char names[2 * PDE_MAX_LAYERS][NETWORK_NAME_MAX];
    Array array[2 * PDE_MAX_LAYERS];
    void *data = calloc((size_t)s->network.size, real_size(s->settings.precision));
    t->failed = t->failed || !data;
    if (!data)
        return;
    pde_engine_get(s->engine, slot, data);
    int count = network_arrays(&s->network, prefix, data, names, array);
    for (int i = 0; i < count; i++) {
        void *to = add(t, array[i].type, "", names[i], array[i].rank, (int64_t)array[i].shape[0],
                       array[i].rank > 1 ? (int64_t)array[i].shape[1] : 1);
        size_t n;
        if (to && array_count(&array[i], &n))
            memcpy(to, array[i].data, n * array_type_size(array[i].type));
    }
    free(data);
}

static void add_notes(Trace *t, uint32_t step) {
    const Session *s = t->s;
    static const char *const estimator[] = {"coordinate", "rademacher", "normal"};
    note(t, "algorithm", "%s", algorithm_name(s->settings.algorithm));
    note(t, "activation", "%s", pde_activation_name(s->settings.activation));
    note(t, "estimator", "%s", estimator[s->settings.estimator]);
    note(t, "seed", "%llu", (unsigned long long)s->settings.seed);
    note(t, "step", "%lu", (unsigned long)step);
    note(t, "parts", "%d", s->task[0].gradients);
    note(t, "title", "%s", s->problem->plan.title);
    for (int o = 0; o < s->problem->outputs; o++) {
        char name[32];
        snprintf(name, sizeof name, o ? "output_scale.%d" : "output_scale", o);
        note_number(t, "", name, s->output_scale[o]);
    }
    note(t, "network",
         "the fields use output_scale * net(x); net: x W1 + b1, activation, ..., last "
         "layer linear; inputs are x, then t");
    note(t, "loss_is",
         "sum over tasks of weight / residual_scale^2 * mean over points of "
         "residual_V^2, V = J where residual_J is there, else I; a task with squares "
         "has residual_I itself in its place");
    note(t, "grad_is",
         "sum over tasks of 2 weight / (B residual_scale^2) * sum over points of "
         "residual_V * d residual_I / d parameter, residual_V held constant");
}

static Status write(Trace *t, uint32_t step, const char *path, Error *error) {
    Session *s = (Session *)(uintptr_t)t->s;
    add_slot(t, PDE_SLOT_PARAMETERS, "");
    session_gradient(s, step);
    if (!pde_gradient_store(s->engine))
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the gradient");
    add_slot(t, PDE_SLOT_GRADIENT, "grad.");
    for (int i = 0; i < s->tasks; i++)
        add_task(t, &s->task[i]);
    add_constants(t);
    double *loss = add(t, ARRAY_F64, "", "loss", 1, 1, 1);
    if (loss)
        *loss = s->loss;
    add_notes(t, step);
    if (t->failed)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the trace");
    return safetensors_write(path, t->array, t->arrays, t->text, t->texts, error);
}

Status trace_write(Session *s, uint32_t step, const char *path, Error *error) {
    Trace *t = calloc(1, sizeof *t);
    if (!t)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the trace");
    t->s = s;
    Status status = write(t, step, path, error);
    for (size_t i = 0; i < t->arrays; i++)
        free(t->owned[i]);
    free(t);
    return status;
}
