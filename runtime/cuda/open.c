/* open.c: the buffers of a device session: what there is of a Session, on the device. */
#include "lbfgs.h"
#include "natural.h"

#include "../real.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const kernel_names[] = {
#define ENGINE_KERNEL(name, argument) "pde_engine_" #name,
#include "engine.def"
#undef ENGINE_KERNEL
};

enum { NAME_MAX_BYTES = 64, GRAM_TILE_BYTES = 64 << 20, PRODUCT_CHUNKS = 64, PRODUCT_LEAST = 512 };

void cuda_engine_kernels(Backend *backend, BackendKernel **kernel) {
    for (int k = 0; k < ENGINE_KERNELS; k++)
        kernel[k] = backend_kernel(backend, kernel_names[k]);
}

/* ----------------------------------------------------------------------------------- buffers */

void *cuda_buffer(CudaSession *s, CudaUse use, int64_t count, size_t size) {
    size_t bytes = (size_t)(count > 0 ? count : 0) * size;
    if (bytes == 0)
        return NULL;
    if (s->buffers == s->buffer_room) {
        int room = s->buffer_room ? 2 * s->buffer_room : 64;
        void **larger = realloc(s->buffer, (size_t)room * sizeof *larger);
        if (!larger) {
            s->backend->status = error_set(&s->backend->error, STATUS_OUT_OF_MEMORY,
                                           "no memory for the table of a device's buffers");
            return NULL;
        }
        s->buffer = larger;
        s->buffer_room = room;
    }
    void *p = backend_allocate(s->backend, bytes);
    if (p)
        s->buffer[s->buffers++] = p;
    s->used[use] += (double)bytes;
    return p;
}

static void *reals(CudaSession *s, CudaUse use, int64_t count) {
    return cuda_buffer(s, use, count, s->real);
}

static void *copy_of(CudaSession *s, CudaUse use, const void *from, int64_t count, size_t size) {
    void *p = cuda_buffer(s, use, count, size);
    if (p)
        backend_upload(s->backend, p, from, (size_t)count * size);
    return p;
}

double cuda_session_bytes(const CudaSession *s) {
    double sum = 0;
    for (int i = 0; i < CUDA_USE_COUNT; i++)
        sum += s->used[i];
    return sum;
}

/* ------------------------------------------------------------------------------------- routes */

BackendKernel *cuda_generated(CudaSession *s, const char *stem, int task, int block) {
    char name[NAME_MAX_BYTES];
    if (block >= 0)
        snprintf(name, sizeof name, "pde_%s_%d_%d_launch", stem, task, block);
    else if (task >= 0)
        snprintf(name, sizeof name, "pde_%s_%d_launch", stem, task);
    else
        snprintf(name, sizeof name, "pde_%s_launch", stem);
    return backend_kernel(s->backend, name);
}

static BackendKernel *block_kernel(CudaSession *s, const CudaRoute *r, int b) {
    const Kernels *k = &s->host->problem->kernels;
    int task = r->task->host->id;
    bool exact = r->host->exact;
    if (r->host->plan->block[b].kind == BLOCK_sparse)
        return cuda_generated(s, "sparse", task, b);
    if (!(exact ? k->exact_direction : k->direction)[task][b])
        return NULL;
    switch (r->host->plan->block[b].kind) {
    case BLOCK_gram:
        return cuda_generated(s, exact ? "exact_weight" : "weight", task, b);
    case BLOCK_gradient:
        return cuda_generated(s, exact ? "exact_gradient" : "gradient", task, b);
    default:
        return cuda_generated(s, exact ? "exact_direction" : "direction", task, b);
    }
}

static bool is_own(PdeDirectionKind kind) {
    return kind == PDE_DIR_POINT_UNIT || kind == PDE_DIR_POINT_SPARSE ||
           kind == PDE_DIR_POINT_DENSE || kind == PDE_DIR_POSITION;
}

static void open_block(CudaSession *s, CudaRoute *r, int b, bool gradient) {
    CudaBlock *k = &r->block[b];
    bool sparse = k->kind == PDE_DIR_POINT_SPARSE;
    int64_t own = sparse || k->kind == PDE_DIR_POINT_UNIT ? s->host->settings.points : 1;
    bool dense = k->kind == PDE_DIR_DENSE, point_dense = k->kind == PDE_DIR_POINT_DENSE;
    int64_t groups = dense ? problem_groups(k->count) : s->groups;
    if (k->kind == PDE_DIR_UNIT || k->kind == PDE_DIR_PAIR || k->kind == PDE_DIR_POINT_UNIT)
        k->index = cuda_buffer(s, USE_directions, own * k->count * 2, sizeof(uint32_t));
    if (k->kind == PDE_DIR_PAIR)
        k->coefficient = reals(s, USE_directions, k->count);
    if (sparse) { /* a part of K that has a term less leaves its last direction as it is here */
        int64_t n = own * k->count * k->entries;
        k->index = cuda_buffer(s, USE_directions, n, sizeof(uint32_t));
        k->coefficient = reals(s, USE_directions, n);
        backend_zero(s->backend, k->index, (size_t)n * sizeof(uint32_t));
        backend_zero(s->backend, k->coefficient, (size_t)n * s->real);
    }
    if (dense || point_dense) {
        k->v = reals(s, USE_directions, groups * s->inputs * PDE_LANES);
        k->value = reals(s, USE_directions, groups * PDE_LANES * s->h1);
    }
    if (r->host->plan->block[b].kind == BLOCK_gram && k->kind != PDE_DIR_UNIT)
        k->weight = reals(s, USE_directions, s->inputs);
    if (k->kind == PDE_DIR_GRAM) {
        r->gram = reals(s, USE_directions, s->h1 * s->h1);
        r->gram_factor = reals(s, USE_directions, s->h1 * s->h1);
        r->gram_bar = reals(s, USE_directions, s->h1 * s->h1);
        r->gram_product = reals(s, USE_directions, gradient ? s->gram_rows * s->h1 : 0);
        r->gram_work = cuda_buffer(s, USE_directions, 2 * s->h1 * s->h1, sizeof(double));
    }
    k->kernel = block_kernel(s, r, b);
}

static void open_sets(CudaSession *s, CudaRoute *r) {
    const PlanTask *plan = r->task->host->plan;
    int64_t sets = r->host->per_point ? s->host->settings.points : 1;
    if (r->host->exact)
        return;
    for (int f = 0; f < plan->families; f++)
        r->set[f] =
            cuda_buffer(s, USE_directions, sets * r->host->count[f] * plan->family[f].indices,
                        sizeof(uint32_t));
    if (r->host->terms == TERMS_SAMPLE && plan->families > 0) {
        r->number = cuda_buffer(s, USE_directions, sets * r->host->widest, sizeof(uint64_t));
        r->table = cuda_buffer(s, USE_directions, sets * r->host->slots, sizeof(uint64_t));
    }
}

/* Numbers that the combine kernel reads of a route, part by part of K. */
static void open_tables(CudaSession *s, CudaRoute *r) {
    const PlanTask *plan = r->task->host->plan;
    const Problem *q = s->host->problem;
    void *weight[PDE_MAX_BLOCKS] = {0};
    int parts = r->host->terms == TERMS_ALL ? r->host->parts : 1;
    int64_t *count = calloc((size_t)(parts * plan->families) + 1, sizeof *count);
    for (int m = 0; m < parts && count; m++)
        for (int f = 0; f < plan->families; f++) {
            int64_t size = q->family[r->task->host->id][f].size, n = r->host->parts;
            count[m * plan->families + f] =
                r->host->terms == TERMS_ALL ? size * (m + 1) / n - size * m / n : r->host->count[f];
        }
    if (count)
        r->counts = copy_of(s, USE_directions, count, parts * plan->families, sizeof *count);
    else
        s->backend->status = error_set(&s->backend->error, STATUS_OUT_OF_MEMORY,
                                       "no memory for a route on a device");
    free(count);
    r->factors = copy_of(s, USE_directions, r->host->factor, plan->families, sizeof(double));
    r->starts = copy_of(s, USE_directions, r->host->block, r->blocks + 1, sizeof(int64_t));
    for (int b = 0; b < r->blocks; b++)
        if (r->host->weight[b])
            weight[b] = copy_of(s, USE_directions, r->host->weight[b], q->d, sizeof(double));
    r->weights = copy_of(s, USE_directions, weight, r->blocks, sizeof *weight);
}

/* Where the sets of each tile begin; after the tiles were chosen. */
void cuda_route_sets(CudaSession *s, CudaRoute *r) {
    const PlanTask *plan = r->task->host->plan;
    int64_t points = s->host->settings.points;
    int64_t tiles = r->host->per_point ? (points + r->tile - 1) / r->tile : 1;
    int64_t n = tiles * plan->families;
    char **table = calloc((size_t)n + 1, sizeof *table);
    for (int64_t i = 0; i < n && table; i++) {
        int64_t f = i % plan->families, tile = i / plan->families;
        int64_t size = r->host->count[f] * plan->family[f].indices;
        table[i] = r->set[f] ? (char *)r->set[f] + tile * r->tile * size * 4 : NULL;
    }
    if (table)
        r->sets = copy_of(s, USE_directions, table, n, sizeof *table);
    else
        s->backend->status = error_set(&s->backend->error, STATUS_OUT_OF_MEMORY,
                                       "no memory for a route on a device");
    free(table);
}

void cuda_route_open(CudaTask *t, const Route *host, CudaRoute *r, bool gradient) {
    CudaSession *s = t->s;
    int64_t points = s->host->settings.points;
    bool sweeps = false;
    *r = (CudaRoute){.task = t, .host = host, .blocks = host->plan->blocks, .draw = host->part};
    for (int b = 0; b < r->blocks; b++) {
        CudaBlock *k = &r->block[b];
        int order = host->plan->block[b].order;
        k->kind = host->kind[b];
        k->row0 = host->block[b];
        k->count = host->block[b + 1] - host->block[b];
        k->entries = k->kind == PDE_DIR_POINT_SPARSE ? host->plan->block[b].entries : 1;
        r->order = order > r->order ? order : r->order;
        r->K = host->block[b + 1];
        r->K2 = order > 1 ? r->K : r->K2;
        r->point_rows = r->point_rows || is_own(k->kind);
        sweeps = sweeps || host->plan->block[b].kind == BLOCK_gradient;
        open_block(s, r, b, gradient);
    }
    open_sets(s, r);
    open_tables(s, r);
    r->combine = cuda_generated(s, host->exact ? "exact" : "combine", t->host->id, -1);
    r->residual = reals(s, USE_directions, points * t->host->plan->residuals);
    if (sweeps) {
        r->slope = reals(s, USE_directions, s->groups * PDE_LANES * s->inputs);
        r->sweep = reals(s, USE_directions, s->groups * PDE_LANES * r->blocks);
    }
    if (!gradient)
        return;
    r->rbar = reals(s, USE_directions, r->K * s->h1);
    r->each = reals(s, USE_directions, r->point_rows ? s->groups * PDE_LANES * r->K * s->h1 : 0);
}

/* --------------------------------------------------------------------------------------- tasks */

static void open_points(CudaSession *s, CudaTask *t) {
    const Problem *q = s->host->problem;
    const Points *p = &t->host->points;
    int64_t lanes = s->groups * PDE_LANES, chunks = (q->d + DEV_CHUNK - 1) / DEV_CHUNK;
    t->x = reals(s, USE_points, lanes * q->n_in);
    t->inputs = q->plan.has_features ? reals(s, USE_points, lanes * s->inputs) : t->x;
    t->aux = reals(s, USE_points, lanes * q->aux_rows);
    t->normal = reals(s, USE_points, p->normal ? lanes * q->d : 0);
    t->scalar = reals(s, USE_points, lanes * p->c.scalars);
    t->partial = cuda_buffer(s, USE_points, lanes * chunks, sizeof(double));
    t->factor = cuda_buffer(s, USE_points, lanes, sizeof(double));
    t->outward = cuda_buffer(s, USE_points, lanes, sizeof(double));
    cuda_paths_open(t);
    t->z1 = reals(s, USE_points, lanes * s->h1);
    t->z1bar = reals(s, USE_points, lanes * s->h1);
    t->program = p->c.program ? cuda_generated(s, "points", t->host->id, -1) : NULL;
    t->features = q->plan.has_features ? cuda_generated(s, "features", -1, -1) : NULL;
    for (int i = 0; i < q->plan.samples; i++)
        if (q->plan.sample[i].base != BASE_DOMAIN && !q->plan.sample[i].test)
            t->sample[i] = cuda_generated(s, "sample", i, -1);
}

static Status open_task(CudaSession *s, int id, Error *error) {
    CudaTask *t = &s->task[id];
    const Task *host = &s->host->task[id];
    *t = (CudaTask){.s = s, .host = host, .values = host->values, .gradients = host->gradients};
    int64_t n = s->host->settings.points * host->plan->residuals;
    open_points(s, t);
    t->value_residual = reals(s, USE_points, n);
    t->multiplier = reals(s, USE_points, n);
    t->seed_unknown = reals(s, USE_points, n * s->host->problem->plan.unknowns);
    t->gradient = calloc((size_t)t->gradients, sizeof *t->gradient);
    bool apart = host->values > 0 && host->value != host->gradient;
    t->value = apart ? calloc((size_t)t->values, sizeof *t->value) : t->gradient;
    if (!t->gradient || !t->value)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a task on a device");
    for (int m = 0; m < t->values && apart; m++)
        cuda_route_open(t, &host->value[m], &t->value[m], false);
    for (int m = 0; m < t->gradients; m++)
        cuda_route_open(t, &host->gradient[m], &t->gradient[m], true);
    return STATUS_OK;
}

/* -------------------------------------------------------------------------- parameters, dW1 */

static void open_parameters(CudaSession *s) {
    const Network *n = &s->host->network;
    int64_t at = 0, unknowns = s->host->problem->plan.unknowns;
    for (int l = 0; l < n->layers; l++) {
        s->w[l] = at;
        s->b[l] = at + n->width[l] * n->width[l + 1];
        at = s->b[l] + n->width[l + 1];
    }
    s->small = s->b[0];
    int64_t rows = GRAM_TILE_BYTES / (s->h1 * (int64_t)s->real);
    s->gram_rows = rows < 1 ? 1 : rows < s->inputs ? rows : s->inputs;
    s->theta = reals(s, USE_parameters, n->size);
    for (int m = 0; m < pde_engine_slots(s->host->engine); m++)
        s->moment[m] = reals(s, USE_parameters, n->size);
    bool clips = s->host->settings.clip > 0, whole = clips || s->host->lbfgs;
    s->whole = reals(s, USE_parameters, whole ? n->size : 0);
    s->gradient =
        whole ? cuda_at(s, s->whole, s->small) : reals(s, USE_parameters, n->size - s->small);
    s->square = cuda_buffer(s, USE_parameters,
                            clips ? (n->size + DEV_THREADS - 1) / DEV_THREADS : 0, sizeof(double));
    s->state = cuda_buffer(s, USE_parameters, 1, sizeof *s->state);
    s->output_scale = cuda_buffer(s, USE_parameters, PLAN_FIELDS_MAX, sizeof(double));
    s->unknown = cuda_buffer(s, USE_parameters, unknowns, sizeof(double));
    s->unknown_limit = cuda_buffer(s, USE_parameters, 3 * unknowns, sizeof(double));
    s->unknown_gradient = cuda_buffer(s, USE_parameters, unknowns, sizeof(double));
    for (int m = 0; m < 2; m++)
        s->unknown_moment[m] = cuda_buffer(s, USE_parameters, unknowns, sizeof(double));
    s->unknown_seen = reals(s, USE_parameters, unknowns + 1);
}

static void open_constants(CudaSession *s) {
    const Problem *q = s->host->problem;
    void *tensor[PLAN_TENSORS_MAX] = {0};
    for (int i = 0; i < q->plan.tensors; i++)
        tensor[i] = copy_of(s, USE_points, q->tensor[i], q->tensor_size[i], s->real);
    s->tensor = copy_of(s, USE_points, tensor, q->plan.tensors, sizeof *tensor);
}

int64_t cuda_product_chunks(const CudaSession *s) {
    int64_t chunks = s->inputs / PRODUCT_LEAST;
    return chunks < 1 ? 1 : chunks > PRODUCT_CHUNKS ? PRODUCT_CHUNKS : chunks;
}

/* What dW1 of a route is made of: sources of whole rows, and entries of single coordinates. */
static void route_terms(CudaSession *s, const CudaRoute *r, DevSource *source, DevEntries *entries,
                        DevGramTerm *gram) {
    for (int b = 0; b < r->blocks; b++) {
        const CudaBlock *k = &r->block[b];
        const void *shared = cuda_at(s, r->rbar, k->row0 * s->h1);
        const void *each = cuda_at(s, r->each, k->row0 * s->h1);
        DevEntries e = {.index = k->index,
                        .coefficient = k->coefficient,
                        .bar = shared,
                        .count = k->count,
                        .halves = k->kind == PDE_DIR_PAIR ? 2 : k->entries,
                        .each = k->kind == PDE_DIR_POINT_SPARSE,
                        .per = k->count,
                        .inner = s->h1};
        int64_t stride = s->inputs * PDE_LANES, points = s->host->settings.points;
        if (k->kind == PDE_DIR_DENSE)
            source[s->sources++] = (DevSource){k->v, shared, k->count, stride, s->h1};
        if (k->kind == PDE_DIR_POINT_DENSE)
            source[s->sources++] = (DevSource){k->v, each, points, stride, r->K * s->h1};
        if (k->kind == PDE_DIR_GRAM)
            gram[s->grams++] = (DevGramTerm){k->weight, r->gram_product};
        if (k->kind == PDE_DIR_POINT_UNIT || k->kind == PDE_DIR_POINT_SPARSE) {
            e.bar = each;
            e.count = points * k->count;
            e.outer = r->K * s->h1;
        }
        if (k->index)
            entries[s->lists++] = e;
    }
}

static Status open_first(CudaSession *s, Error *error) {
    int most = 1;
    for (int i = 0; i < s->tasks; i++)
        most += 1 + s->task[i].gradients * PDE_MAX_BLOCKS;
    DevSource *source = calloc((size_t)most, sizeof *source);
    DevEntries *entries = calloc((size_t)most, sizeof *entries);
    DevGramTerm *gram = calloc((size_t)most, sizeof *gram);
    if (source && entries && gram) {
        for (int i = 0; i < s->tasks; i++) {
            const CudaTask *t = &s->task[i];
            source[s->sources++] = (DevSource){t->inputs, t->z1bar, s->host->settings.points,
                                               s->inputs * PDE_LANES, s->h1};
            for (int m = 0; m < t->gradients; m++)
                route_terms(s, &t->gradient[m], source, entries, gram);
        }
        s->source = copy_of(s, USE_directions, source, s->sources, sizeof *source);
        s->entries = copy_of(s, USE_directions, entries, s->lists, sizeof *entries);
        s->gram_terms = copy_of(s, USE_directions, gram, s->grams, sizeof *gram);
    }
    bool ok = source && entries && gram;
    free(source);
    free(entries);
    free(gram);
    return ok ? STATUS_OK
              : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a table of the first layer");
}

/* Partial sums of the longest product over coordinates. */
static void open_partial(CudaSession *s) {
    int64_t rows = s->groups * PDE_LANES;
    for (int i = 0; i < s->tasks; i++) {
        const CudaTask *t = &s->task[i];
        for (int m = 0; m < t->values + t->gradients; m++) {
            const CudaRoute *r = m < t->values ? &t->value[m] : &t->gradient[m - t->values];
            for (int b = 0; b < r->blocks; b++)
                if (r->block[b].count > rows && (r->block[b].v || r->block[b].weight))
                    rows = r->block[b].count;
        }
    }
    int64_t chunks = cuda_product_chunks(s);
    s->partial = reals(s, USE_points, chunks > 1 ? chunks * rows * s->h1 : 0);
}

static void open_set_tables(CudaSession *s) {
    for (int i = 0; i < s->tasks; i++) {
        const CudaTask *t = &s->task[i];
        for (int m = 0; m < t->values && t->value != t->gradient; m++)
            cuda_route_sets(s, &t->value[m]);
        for (int m = 0; m < t->gradients; m++)
            cuda_route_sets(s, &t->gradient[m]);
    }
    if (s->attack)
        cuda_route_sets(s, cuda_attack_route(s->attack));
}

/* --------------------------------------------------------------------------------------- open */

Status cuda_session_check(const Session *host, Error *error) {
    const char *what = NULL;
    for (int i = 0; i < host->tasks; i++)
        if (host->task[i].entries)
            what = "a condition on vectors with --optimiser natural";
    if (!what)
        return STATUS_OK;
    return error_set(error, STATUS_OPTION_CONFLICT,
                     "%s runs on the processor only: use --device cpu or leave --device out", what);
}

static Status open_all(CudaSession *s, Error *error) {
    Status status = cuda_session_check(s->host, error);
    if (status != STATUS_OK)
        return status;
    cuda_engine_kernels(s->backend, s->kernel);
    open_parameters(s);
    open_constants(s);
    for (int i = 0; i < s->host->tasks && status == STATUS_OK; i++) {
        s->tasks = i + 1;
        status = open_task(s, i, error);
    }
    if (status == STATUS_OK)
        status = open_first(s, error);
    if (status == STATUS_OK && s->host->attack)
        status = cuda_attack_open(s, error);
    if (status == STATUS_OK)
        status = backend_status(s->backend, error);
    if (status != STATUS_OK)
        return status;
    open_partial(s);
    if (s->host->settings.balance)
        cuda_balance_open(s);
    if (s->host->average)
        status = cuda_average_open(s, error);
    if (status == STATUS_OK)
        status = s->host->natural ? cuda_natural_open(s, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = s->host->lbfgs ? cuda_lbfgs_open(s, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = cuda_scratch_open(s, error);
    if (status == STATUS_OK)
        open_set_tables(s);
    Status last = backend_status(s->backend, error);
    return status != STATUS_OK ? status : last;
}

Status cuda_session_open(Session *host, Backend *backend, CudaSession **session, Error *error) {
    CudaSession *s = calloc(1, sizeof *s);
    *session = NULL;
    if (!s) {
        backend_close(backend);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a session on a device");
    }
    *s = (CudaSession){.host = host,
                       .backend = backend,
                       .real = real_size(host->settings.precision),
                       .hidden = host->network.layers - 1,
                       .groups = problem_groups(host->settings.points),
                       .inputs = host->problem->inputs,
                       .h1 = host->network.width[1],
                       .outputs = host->problem->outputs};
    Status status = open_all(s, error);
    if (status == STATUS_OK)
        *session = s;
    else
        cuda_session_close(s);
    return status;
}

void cuda_session_close(CudaSession *s) {
    if (!s)
        return;
    for (int i = 0; i < s->buffers; i++)
        backend_release(s->backend, s->buffer[i]);
    free(s->buffer);
    cuda_attack_close(s->attack);
    cuda_natural_close(s->natural);
    cuda_lbfgs_close(s->lbfgs);
    cuda_average_close(s->average);
    for (int i = 0; i < s->tasks; i++) {
        if (s->task[i].value != s->task[i].gradient)
            free(s->task[i].value);
        free(s->task[i].gradient);
    }
    backend_close(s->backend);
    free(s);
}
