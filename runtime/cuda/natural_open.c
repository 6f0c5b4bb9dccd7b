/* natural_open.c: buffers and tables of the natural-gradient step. */
#include "natural.h"

#include "../route.h"

#include <stdlib.h>

enum { BLOCKS = 256 }; /* that keep a device busy */
static const double PIECE_BYTES = 256e6;

static void *reals(CudaSession *s, int64_t count) {
    return cuda_buffer(s, USE_jacobian, count, s->real);
}

static double *doubles(CudaSession *s, int64_t count) {
    return cuda_buffer(s, USE_jacobian, count, sizeof(double));
}

static void *table(CudaSession *s, const void *from, int64_t count, size_t size) {
    return cuda_table(s, USE_jacobian, from, count, size);
}

/* Everything that is counted in one pass and filled in the next. */
typedef struct Tables {
    DevCarrier *carrier;
    DevJoint *joint;
    const void **group;
} Tables;

static void add_vectors(CudaSession *s, CudaNatural *n, Tables *to, const void *v, int64_t rows) {
    int64_t groups = problem_groups(rows);
    if (to) {
        n->source[n->sources] = (NaturalSource){v, rows, n->vectors};
        for (int64_t g = 0; g < groups; g++)
            to->group[n->vectors / PDE_LANES + g] = cuda_at(s, v, g * s->inputs * PDE_LANES);
    }
    n->sources++;
    n->vectors += groups * PDE_LANES;
}

static void add_carrier(CudaNatural *n, Tables *to, int64_t row0, int64_t rows, int64_t residuals) {
    if (to)
        to->carrier[n->carriers] = (DevCarrier){n->vectors, n->seeds, row0, rows, residuals};
    n->carriers++;
    n->seeds += rows;
}

static void fill_directions(const CudaSession *s, const CudaNatural *n, const CudaBlock *k,
                            DevJoint *y) {
    for (int64_t m = 0; m < k->count; m++, y++) {
        if (k->kind == PDE_DIR_UNIT || k->kind == PDE_DIR_PAIR) {
            int64_t halves = k->kind == PDE_DIR_PAIR ? 2 : 1;
            *y = (DevJoint){.kind = DEV_JOINT_SPARSE,
                            .halves = halves,
                            .index = (const uint32_t *)k->index + halves * m,
                            .coefficient = halves > 1 ? cuda_at(s, k->coefficient, m) : NULL};
        } else if (k->kind == PDE_DIR_DENSE) {
            *y = (DevJoint){.kind = DEV_JOINT_DENSE, .vector = n->vectors + m};
        } else if (k->kind == PDE_DIR_GRAM) {
            *y = (DevJoint){.kind = DEV_JOINT_GRAM,
                            .column = cuda_at(s, n->gram[n->grams].sparse, m)};
        }
    }
}

static void add_block(CudaSession *s, CudaNatural *n, Tables *to, const NaturalPart *p, int b) {
    CudaRoute *r = p->route;
    const CudaBlock *k = &r->block[b];
    int64_t E = route_residuals(r->host), points = s->host->settings.points;
    int64_t joint = p->joint0 + k->row0;
    if (to && k->kind == PDE_DIR_GRAM) {
        NaturalGram *g = &n->gram[n->grams];
        *g = (NaturalGram){.route = r, .block = k, .joint0 = joint};
        g->inverse = reals(s, s->h1 * s->h1);
        g->sparse = reals(s, n->directions * s->h1);
    }
    if (to)
        fill_directions(s, n, k, to->joint + joint);
    if (k->kind == PDE_DIR_DENSE)
        add_vectors(s, n, to, k->v, k->count);
    if (k->kind == PDE_DIR_POINT_DENSE) {
        if (to)
            n->own[n->owns] = (NaturalOwn){points * E, p->row0, joint, n->seeds};
        n->owns++;
        add_carrier(n, to, p->row0, points * E, E);
        add_vectors(s, n, to, k->v, points);
    }
    n->grams += k->kind == PDE_DIR_GRAM;
}

/* Sizes without tables; with them also what is in them, the number of directions being known. */
static void go_through(CudaSession *s, CudaNatural *n, Tables *to) {
    int64_t points = s->host->settings.points, joint = 0, row = 0;
    bool own_units = false;
    n->parts = n->sources = n->grams = n->owns = 0;
    n->vectors = n->seeds = n->carriers = 0;
    for (int i = 0; i < s->tasks; i++) {
        CudaTask *t = &s->task[i];
        int64_t bar0 = n->seeds;
        int64_t E = t->entries ? route_residuals(t->entries->host) : t->host->plan->residuals;
        add_carrier(n, to, row, points * E, E);
        add_vectors(s, n, to, t->inputs, points);
        for (int m = 0; m < (t->entries ? 1 : t->gradients); m++) {
            CudaRoute *r = t->entries ? t->entries : &t->gradient[m];
            NaturalPart part = {r, row, joint, bar0};
            if (to)
                n->part[n->parts] = part;
            n->parts++;
            for (int b = 0; b < r->blocks; b++) {
                add_block(s, n, to, &part, b);
                own_units = own_units || r->block[b].kind == PDE_DIR_POINT_UNIT ||
                            r->block[b].kind == PDE_DIR_POINT_SPARSE;
            }
            joint += r->K;
        }
        row += points * E;
    }
    n->rows = row;
    n->units = own_units ? joint : -1;
    n->directions = own_units ? joint + s->inputs : joint;
}

/* Coordinates 0, 1, .. as directions, after all others. */
static bool open_units(CudaSession *s, CudaNatural *n, DevJoint *joint) {
    if (n->units < 0)
        return true;
    uint32_t *every = malloc((size_t)s->inputs * sizeof *every);
    if (!every)
        return false;
    for (int64_t i = 0; i < s->inputs; i++)
        every[i] = (uint32_t)i;
    n->every = table(s, every, s->inputs, sizeof *every);
    for (int64_t i = 0; i < s->inputs; i++)
        joint[n->units + i] = (DevJoint){
            .kind = DEV_JOINT_SPARSE, .halves = 1, .index = (const uint32_t *)n->every + i};
    free(every);
    return true;
}

static bool open_tables(CudaSession *s, CudaNatural *n) {
    go_through(s, n, NULL);
    Tables to = {calloc((size_t)n->carriers + 1, sizeof *to.carrier),
                 calloc((size_t)n->directions + 1, sizeof *to.joint),
                 calloc((size_t)(n->vectors / PDE_LANES) + 1, sizeof *to.group)};
    n->part = calloc((size_t)n->parts + 1, sizeof *n->part);
    n->source = calloc((size_t)n->sources + 1, sizeof *n->source);
    n->gram = calloc((size_t)n->grams + 1, sizeof *n->gram);
    n->own = calloc((size_t)n->owns + 1, sizeof *n->own);
    bool ok = to.carrier && to.joint && to.group && n->part && n->source && n->gram && n->own;
    if (ok) {
        go_through(s, n, &to);
        ok = open_units(s, n, to.joint);
    }
    if (ok) {
        n->carrier = table(s, to.carrier, n->carriers, sizeof *to.carrier);
        n->joints = table(s, to.joint, n->directions, sizeof *to.joint);
        n->group = table(s, to.group, n->vectors / PDE_LANES, sizeof *to.group);
    }
    free(to.carrier);
    free(to.joint);
    free(to.group);
    return ok;
}

/* Partial products of K, of which there are as many as fit; and of v . v, for enough blocks. */
static void open_pieces(CudaSession *s, CudaNatural *n) {
    double one = (double)(n->rows * n->rows) * (double)s->real;
    int64_t tiles = (n->vectors + DEV_TILE - 1) / DEV_TILE, busy = BLOCKS / (tiles * tiles);
    int64_t most = cuda_product_chunks(s);
    n->pieces = PIECE_BYTES > one ? (int64_t)(PIECE_BYTES / one) : 1;
    n->pieces = n->pieces > 16 ? 16 : n->pieces;
    n->piece = reals(s, n->pieces * n->rows * n->rows);
    n->vector_chunks = busy < 1 ? 1 : busy > most ? most : busy;
    n->vectors_square = doubles(s, n->vectors * n->vectors);
    n->vectors_partial = n->vector_chunks > 1
                             ? doubles(s, n->vector_chunks * n->vectors * n->vectors)
                             : n->vectors_square;
}

static void open_gram_buffers(CudaSession *s, CudaNatural *n) {
    int64_t h = s->h1, size = h * h;
    char *one = calloc((size_t)size, s->real);
    n->by_gram = reals(s, n->vectors * h);
    n->sparse_rows = reals(s, n->directions * h);
    n->small_square[0] = reals(s, size);
    n->small_square[1] = reals(s, size);
    n->weight = reals(s, s->inputs);
    for (int64_t i = 0; i < h && one; i++) {
        if (s->real == sizeof(double))
            ((double *)(void *)one)[i * h + i] = 1;
        else
            ((float *)(void *)one)[i * h + i] = 1;
    }
    if (one)
        n->identity = table(s, one, size, s->real);
    else
        s->backend->status = error_set(&s->backend->error, STATUS_OUT_OF_MEMORY,
                                       "no memory for the tables of the Jacobian");
    free(one);
}

static void open_buffers(CudaSession *s, CudaNatural *n) {
    int64_t size = s->host->network.size, rows = n->rows, h = s->h1;
    int64_t unknowns = s->host->problem->plan.unknowns;
    int64_t panels = (rows + DEV_PANEL - 1) / DEV_PANEL;
    n->smalls = size - s->small;
    n->state = cuda_buffer(s, USE_jacobian, 1, sizeof *n->state);
    n->queue = cuda_buffer(s, USE_jacobian, DEV_QUEUE, sizeof *n->queue);
    n->small = reals(s, rows * n->smalls);
    n->joint = reals(s, rows * n->directions * h);
    n->spread = reals(s, rows * n->directions * h);
    n->bar = reals(s, n->seeds * h);
    n->bars = reals(s, n->seeds * n->seeds);
    n->products = reals(s, n->vectors * n->directions);
    n->square = reals(s, n->directions * n->directions);
    n->vector_along = reals(s, n->vectors * h);
    n->joint_along = reals(s, n->directions * h);
    n->k = doubles(s, rows * rows);
    n->factor = doubles(s, rows * rows);
    n->inverse = doubles(s, panels * DEV_PANEL * DEV_PANEL);
    n->r = doubles(s, rows);
    n->residual = doubles(s, 2 * rows);
    n->sol = doubles(s, rows);
    n->along = doubles(s, rows);
    n->columns = doubles(s, rows * unknowns);
    n->kept_unknown = doubles(s, 2 * unknowns);
    for (int i = 0; i < 2; i++) {
        n->norms[i] = doubles(s, (size + DEV_THREADS - 1) / DEV_THREADS);
        n->kept[i] = reals(s, size);
    }
    open_pieces(s, n);
    if (n->grams > 0)
        open_gram_buffers(s, n);
}

/* The largest buffers, so that what is too much of them has a name. */
static Status check_room(const CudaSession *s, const CudaNatural *n, Error *error) {
    double rows = (double)n->rows, memory = (double)s->backend->memory;
    double each = (double)(s->host->network.size - s->small) + 2 * (double)(n->directions * s->h1);
    double need = rows * each * (double)s->real + 16 * rows * rows;
    if (memory == 0 || cuda_session_bytes(s) + need < memory)
        return STATUS_OK;
    return error_set(error, STATUS_OUT_OF_MEMORY,
                     "the Jacobian of %lld residuals needs %.2f GB, and %s has %.2f GB: fewer "
                     "--points or --terms, or a smaller --width, need less",
                     (long long)n->rows, need / 1e9, s->backend->name, memory / 1e9);
}

Status cuda_natural_open(CudaSession *s, Error *error) {
    CudaNatural *n = s->natural = calloc(1, sizeof *n);
    if (!n || !open_tables(s, n))
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the tables of the Jacobian");
    Status status = cuda_first_open(s, true, &n->first, error);
    if (status == STATUS_OK)
        status = check_room(s, n, error);
    if (status != STATUS_OK)
        return status;
    open_buffers(s, n);
    return backend_status(s->backend, error);
}

void cuda_natural_close(CudaNatural *n) {
    if (!n)
        return;
    free(n->part);
    free(n->source);
    free(n->gram);
    free(n->own);
    cuda_first_close(&n->first);
    free(n);
}
