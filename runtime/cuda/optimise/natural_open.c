/* natural_open.c: buffers and tables of the natural-gradient step. */
#include "cuda/optimise/device_natural.h"

#include <assert.h>
#include <stdlib.h>

enum {
    BLOCKS = 256,       /* that keep a device busy */
    LEAST_COLUMNS = 256 /* of a block: fewer, and rows would be made too often */
};
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
    assert(k->count >= 0 && y);
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
    int64_t E = r->residuals, points = s->host->settings.points;
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
        int64_t bar0 = n->seeds, E = t->row->residuals;
        add_carrier(n, to, row, points * E, E);
        add_vectors(s, n, to, t->inputs, points);
        for (int m = 0; m < t->rows; m++) {
            CudaRoute *r = &t->row[m];
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
    assert(n->rows > 0);
    double one = (double)(n->rows * n->rows) * (double)s->real;
    double share = (double)s->backend->memory / 16;
    double room = share > 0 && share < PIECE_BYTES ? share : PIECE_BYTES;
    int64_t tiles = cuda_blocks(n->vectors, DEV_TILE), busy = BLOCKS / (tiles * tiles);
    int64_t most = cuda_product_chunks(s);
    n->pieces = room > one ? (int64_t)(room / one) : 1;
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
    int64_t panels = cuda_blocks(rows, DEV_PANEL);
    n->smalls = size - s->small;
    n->state = cuda_buffer(s, USE_jacobian, 1, sizeof *n->state);
    n->queue = cuda_buffer(s, USE_jacobian, DEV_QUEUE, sizeof *n->queue);
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
        n->norms[i] = doubles(s, cuda_blocks(size, DEV_THREADS));
        n->kept[i] = reals(s, size);
    }
    open_pieces(s, n);
    if (n->grams > 0)
        open_gram_buffers(s, n);
}

/* Rows of a tile of points, of the task that has most of them. */
static int64_t tile_rows(const CudaNatural *n, int64_t points) {
    assert(points > 0);
    int64_t most = 1;
    for (int i = 0; i < n->parts; i++) {
        int64_t own = n->part[i].route->residuals;
        most = own > most ? own : most;
    }
    return points * most;
}

static double row_bytes(const CudaSession *s, const CudaNatural *n, int64_t rows) {
    return (double)rows * (double)(n->smalls + 2 * n->directions * s->h1) * (double)s->real;
}

static Status no_room(const CudaSession *s, const CudaNatural *n, Error *error) {
    return error_set(error, STATUS_OUT_OF_MEMORY,
                     "the Jacobian of %lld residuals needs %.2f GB, and %s has %.2f GB, of which "
                     "%.2f GB are taken: not even blocks of it fit. Fewer --points or --terms, or "
                     "a smaller --width, need less",
                     (long long)n->rows, row_bytes(s, n, n->rows) / 1e9, s->backend->name,
                     (double)s->backend->memory / 1e9, cuda_session_bytes(s) / 1e9);
}

/* Whole rows of all points; or, where these leave no room for a tile of points on its way through
 * the network, of a tile whose rows take no more than half of what there is, and a block of columns
 * of all. */
static Status choose_blocks(const CudaSession *s, CudaNatural *n, Error *error) {
    int64_t points = s->host->settings.points, joints = n->directions * s->h1;
    int64_t least = points < PDE_LANES ? points : PDE_LANES;
    double room = (double)s->backend->memory - cuda_session_bytes(s);
    n->small_blocks = 1;
    n->blocks = joints > 0 ? 2 : 1;
    if (s->backend->memory == 0 ||
        row_bytes(s, n, n->rows) + (double)cuda_scratch_bytes(s, least) <= room)
        return STATUS_OK;
    double taken = 0, next = 0;
    for (int64_t tile = least; tile <= points; tile += least) {
        next = row_bytes(s, n, tile_rows(n, tile)) + (double)cuda_scratch_bytes(s, tile);
        if (tile > least && next > room / 2)
            break;
        n->tile = tile;
        taken = next;
    }
    double each = (room - taken) / ((double)n->rows * (double)s->real);
    int64_t all = n->smalls > 2 * joints ? n->smalls : 2 * joints;
    n->room = each < LEAST_COLUMNS ? 0 : each < (double)all ? (int64_t)each / 2 * 2 : all;
    if (n->room == 0)
        return no_room(s, n, error);
    n->small_blocks = (int)((n->smalls + n->room - 1) / n->room);
    n->blocks = n->small_blocks + (int)((2 * joints + n->room - 1) / n->room);
    return STATUS_OK;
}

static void open_rows(CudaSession *s, CudaNatural *n) {
    int64_t rows = n->tile > 0 ? tile_rows(n, n->tile) : n->rows;
    n->block = reals(s, n->tile > 0 ? n->rows * n->room : 0);
    n->small = reals(s, rows * n->smalls);
    n->joint = reals(s, rows * n->directions * s->h1);
    n->spread = reals(s, rows * n->directions * s->h1);
}

Status cuda_natural_open(CudaSession *s, Error *error) {
    CudaNatural *n = s->self = calloc(1, sizeof *n);
    if (!n || !open_tables(s, n))
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the tables of the Jacobian");
    Status status = cuda_first_open(s, true, &n->first, error);
    if (status != STATUS_OK)
        return status;
    open_buffers(s, n);
    status = backend_status(s->backend, error);
    if (status == STATUS_OUT_OF_MEMORY)
        return no_room(s, n, error);
    if (status == STATUS_OK)
        status = choose_blocks(s, n, error);
    if (status != STATUS_OK)
        return status;
    open_rows(s, n);
    s->most_tile = n->tile;
    s->jacobian_blocks = n->tile > 0 ? n->blocks : 0;
    return STATUS_OK;
}

void cuda_natural_close(CudaSession *s) {
    CudaNatural *n = s->self;
    free(n->part);
    free(n->source);
    free(n->gram);
    free(n->own);
    cuda_first_close(&n->first);
    free(n);
}
