/* open.c: the buffers of a device session: what there is of a Session, on the device. */
#include "cuda/optimise/device_optimiser.h"

#include "step/vector_rows.h"
#include "engine/real.h"
#include "step/route.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kernel_names[] = {
#define ENGINE_KERNEL(name, argument) "pde_engine_" #name,
#include "cuda/abi/engine.def"
#undef ENGINE_KERNEL
};

enum { NAME_MAX_BYTES = 64, GRAM_TILE_BYTES = 64 << 20 };

void cuda_engine_kernels(Backend *backend, BackendKernel **kernel) {
    for (int k = 0; k < ENGINE_KERNELS; k++)
        kernel[k] = backend_kernel(backend, kernel_names[k]);
}

/* ----------------------------------------------------------------------------------- buffers */

void *cuda_buffer(CudaSession *s, CudaUse use, int64_t count, size_t size) {
    assert(size > 0);
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

void *cuda_table(CudaSession *s, CudaUse use, const void *from, int64_t count, size_t size) {
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

int cuda_session_blocks(const CudaSession *s) {
    return s->jacobian_blocks;
}

/* ------------------------------------------------------------------------------------- routes */

BackendKernel *cuda_generated(CudaSession *s, const char *stem, int task, int block) {
    assert(stem[0] && task >= -1);
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
    assert(b >= 0 && b < r->blocks);
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

static void no_memory(CudaSession *s) {
    s->backend->status =
        error_set(&s->backend->error, STATUS_OUT_OF_MEMORY, "no memory for a route on a device");
}

/* Terms of each family, part by part of K; or of the whole set, then of a single entry. */
static void open_counts(CudaSession *s, CudaRoute *r) {
    const PlanTask *plan = r->task->host->plan;
    const Route *host = r->host;
    int rows = host->terms == TERMS_ALL ? host->parts : host->entries ? 2 : 1;
    int64_t *count = calloc((size_t)(rows * plan->families) + 1, sizeof *count);
    double factor[2 * PLAN_FAMILIES_MAX] = {0};
    for (int m = 0; m < rows && count; m++)
        for (int f = 0; f < plan->families; f++) {
            int64_t size = s->host->problem->family[r->task->host->id][f].size, n = host->parts;
            count[m * plan->families + f] =
                host->terms == TERMS_ALL ? size * (m + 1) / n - size * m / n : host->count[f];
        }
    for (int f = 0; f < plan->families; f++)
        factor[f] = factor[plan->families + f] = host->factor[f];
    if (host->entries && count) {
        factor[plan->families] *= (double)host->count[0];
        count[plan->families] = 1;
    }
    if (count)
        r->counts = cuda_table(s, USE_directions, count, rows * plan->families, sizeof *count);
    else
        no_memory(s);
    free(count);
    r->factors = cuda_table(s, USE_directions, factor, 2 * plan->families, sizeof *factor);
}

/* First direction of each block: of all, and of each entry by itself. */
static void open_starts(CudaSession *s, CudaRoute *r) {
    int64_t each = r->blocks + 1, rows = r->host->entries ? r->host->count[0] : 1;
    int64_t *start = calloc((size_t)(rows * each), sizeof *start);
    for (int64_t i = 0; i < rows * each && start; i++) {
        int b = (int)(i % each);
        bool follows = b < r->blocks && plan_block_follows_family(r->host->plan->block[b].kind);
        start[i] = r->host->block[b] + (follows ? i / each : 0);
    }
    if (start)
        r->starts = cuda_table(s, USE_directions, start, rows * each, sizeof *start);
    else
        no_memory(s);
    free(start);
}

/* What the combine kernel reads of a route. */
static void open_tables(CudaSession *s, CudaRoute *r) {
    const Problem *q = s->host->problem;
    void *weight[PDE_MAX_BLOCKS] = {0};
    open_counts(s, r);
    open_starts(s, r);
    for (int b = 0; b < r->blocks; b++)
        if (r->host->weight[b])
            weight[b] = cuda_table(s, USE_directions, r->host->weight[b], q->d, sizeof(double));
    r->weights = cuda_table(s, USE_directions, weight, r->blocks, sizeof *weight);
}

int64_t cuda_route_tiles(const CudaRoute *r) {
    const CudaSession *s = r->task->s;
    int64_t points = s->host->settings.points;
    return r->host->per_point ? (points + s->tile - 1) / s->tile : 1;
}

/* Where the sets of each tile begin, of all its entries and from each on; after the tiles were
 * chosen. */
static void open_set_table(CudaSession *s, CudaRoute *r) {
    const PlanTask *plan = r->task->host->plan;
    int64_t tiles = cuda_route_tiles(r), rows = r->host->entries ? r->host->count[0] : 1;
    int64_t n = rows * tiles * plan->families;
    uint32_t **table = calloc((size_t)n + 1, sizeof *table);
    for (int64_t i = 0; i < n && table; i++) {
        int64_t f = i % plan->families, tile = i / plan->families % tiles;
        int64_t indices = plan->family[f].indices, size = r->host->count[f] * indices;
        int64_t entry = f == 0 ? i / plan->families / tiles * indices : 0;
        table[i] = r->set[f] ? (uint32_t *)r->set[f] + tile * s->tile * size + entry : NULL;
    }
    if (table)
        r->sets = cuda_table(s, USE_directions, table, n, sizeof *table);
    else
        no_memory(s);
    free(table);
}

void cuda_route_open(CudaTask *t, const Route *host, CudaRoute *r, bool gradient) {
    assert(host->task == t->host);
    CudaSession *s = t->s;
    int64_t points = s->host->settings.points;
    bool sweeps = false;
    *r = (CudaRoute){.task = t,
                     .host = host,
                     .blocks = host->plan->blocks,
                     .residuals = route_residuals(host),
                     .draw = host->part,
                     .roots = t->host->entries && host == &t->host->entries->route};
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
    r->residual = reals(s, USE_directions, points * r->residuals);
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
    *t = (CudaTask){.s = s,
                    .host = host,
                    .points = &host->points,
                    .state = s->state,
                    .unknown = s->unknown_seen,
                    .values = host->values,
                    .gradients = host->gradients};
    int64_t n = s->host->settings.points * host->plan->residuals;
    open_points(s, t);
    t->value_residual = reals(s, USE_points, n);
    t->multiplier = reals(s, USE_points, n);
    if (host->entries)
        n = s->host->settings.points * entries_count(host->entries);
    t->seed_unknown = reals(s, USE_points, n * s->host->problem->plan.unknowns);
    t->gradient = calloc((size_t)t->gradients, sizeof *t->gradient);
    bool apart = host->values > 0 && host->value != host->gradient;
    t->value = apart ? calloc((size_t)t->values, sizeof *t->value) : t->gradient;
    t->entries = host->entries ? calloc(1, sizeof *t->entries) : NULL;
    if (!t->gradient || !t->value || (host->entries && !t->entries))
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a task on a device");
    for (int m = 0; m < t->values && apart; m++)
        cuda_route_open(t, &host->value[m], &t->value[m], false);
    for (int m = 0; m < t->gradients; m++)
        cuda_route_open(t, &host->gradient[m], &t->gradient[m], true);
    if (t->entries)
        cuda_route_open(t, &host->entries->route, t->entries, true);
    t->row = t->entries ? t->entries : t->gradient;
    t->rows = t->entries ? 1 : t->gradients;
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
    s->moment = reals(s, USE_parameters, pde_engine_slots(s->host->engine) * n->size);
    bool clips = s->host->settings.clip > 0,
         whole = clips || pde_optim_has(s->host->settings.optimiser.kind, PDE_ONE_LOSS);
    s->whole = reals(s, USE_parameters, whole ? n->size : 0);
    s->gradient =
        whole ? cuda_at(s, s->whole, s->small) : reals(s, USE_parameters, n->size - s->small);
    s->square = cuda_buffer(s, USE_parameters, clips ? cuda_blocks(n->size, DEV_THREADS) : 0,
                            sizeof(double));
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
        tensor[i] = cuda_table(s, USE_points, q->tensor[i], q->tensor_size[i], s->real);
    if (q->semiaxis)
        s->semiaxis = cuda_table(s, USE_points, q->semiaxis, q->d, sizeof *q->semiaxis);
    s->tensor = cuda_table(s, USE_points, tensor, q->plan.tensors, sizeof *tensor);
}

/* Partial sums of the longest product over coordinates. */
static void open_partial(CudaSession *s) {
    int64_t rows = s->groups * PDE_LANES;
    for (int i = 0; i < s->routes; i++) {
        const CudaRoute *r = s->route[i];
        for (int b = 0; b < r->blocks; b++)
            if (r->block[b].count > rows && (r->block[b].v || r->block[b].weight))
                rows = r->block[b].count;
    }
    int64_t chunks = cuda_product_chunks(s);
    s->partial = reals(s, USE_points, chunks > 1 ? chunks * rows * s->h1 : 0);
}

/* All routes there are. */
static Status collect_routes(CudaSession *s, Error *error) {
    size_t most = STEP_HOOK_COUNT; /* of hooks, one each */
    for (int i = 0; i < s->tasks; i++)
        most += (size_t)(s->task[i].values + s->task[i].gradients + 1);
    s->route = calloc(most, sizeof *s->route);
    if (!s->route)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the table of routes");
    for (int i = 0; i < s->tasks; i++) {
        CudaTask *t = &s->task[i];
        for (int m = 0; m < t->values && t->value != t->gradient; m++)
            s->route[s->routes++] = &t->value[m];
        for (int m = 0; m < t->gradients; m++)
            s->route[s->routes++] = &t->gradient[m];
        if (t->entries)
            s->route[s->routes++] = t->entries;
    }
    cuda_hooks_routes(s);
    return STATUS_OK;
}

/* --------------------------------------------------------------------------------------- open */

static Status open_all(CudaSession *s, Error *error) {
    Status status = STATUS_OK;
    cuda_engine_kernels(s->backend, s->kernel);
    open_parameters(s);
    open_constants(s);
    for (int i = 0; i < s->host->tasks && status == STATUS_OK; i++) {
        s->tasks = i + 1;
        status = open_task(s, i, error);
    }
    if (status == STATUS_OK)
        status = cuda_hooks_open(s, error);
    if (status == STATUS_OK)
        status = collect_routes(s, error);
    if (status == STATUS_OK)
        status = cuda_first_open(s, false, &s->first, error);
    if (status == STATUS_OK)
        status = backend_status(s->backend, error);
    if (status != STATUS_OK)
        return status;
    open_partial(s);
    status = cuda_score_open(s, error);
    if (status == STATUS_OK && s->optimiser->open)
        status = s->optimiser->open(s, error);
    int64_t points = s->host->settings.points;
    if (status == STATUS_OK)
        status = cuda_scratch_open(s, s->most_tile > 0 ? s->most_tile : points, error);
    for (int i = 0; i < s->routes && status == STATUS_OK; i++)
        open_set_table(s, s->route[i]);
    Status last = backend_status(s->backend, error);
    return status != STATUS_OK ? status : last;
}

Status cuda_session_open(Session *host, Backend *backend, CudaSession **session, Error *error) {
    CudaSession *s = calloc(1, sizeof *s);
    assert(host->optimiser.class && host->tasks > 0);
    *session = NULL;
    if (!s) {
        backend_close(backend);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a session on a device");
    }
    *s = (CudaSession){.host = host,
                       .backend = backend,
                       .optimiser = device_optimiser(host->settings.optimiser.kind),
                       .rule = host->settings.optimiser,
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
    cuda_score_close(s->score);
    if (s->optimiser->close && s->self)
        s->optimiser->close(s);
    cuda_hooks_close(s);
    for (int i = 0; i < s->tasks; i++) {
        if (s->task[i].value != s->task[i].gradient)
            free(s->task[i].value);
        free(s->task[i].gradient);
        free(s->task[i].entries);
    }
    cuda_first_close(&s->first);
    free(s->route);
    backend_close(s->backend);
    free(s);
}
