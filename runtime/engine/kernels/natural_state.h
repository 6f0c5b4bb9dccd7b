/* The Jacobian of stacked residuals, one row each: what it owns and how it is laid out.
 *
 * The part of a row after W1 ("small") is stored as it is. The part of W1 (n_in x h1) is never
 * stored. It is a sum of outer products of a vector with a seed of h1 numbers:
 *
 *     dR/dW1 = sum_s v_s bar_s' + sum_k y_k Rbar_k'
 *
 * v_s: the point itself and its own dense directions ("vectors", a seed per row); y_k: directions
 * shared by all points ("joint"). Coordinates e_i that any direction uses are joint directions once
 * each; the others are dense shared ones and the pseudo-directions of a Gram block, which are the
 * columns of diag(a) W1 R^-1 (gram.h). The joint directions are made orthonormal (Y = Q L') and
 * every vector is split into its part within their span, with coordinates eta = Q' v, and the rest:
 *
 *     U = L' Rbar + sum_s eta_s bar_s'            (joint x h1, stored in the row)
 *     K_W1[r,c] = <U_r, U_c> + sum_{s,t} (v_s . v_t - eta_s . eta_t) (bar_s . bar_t)
 *
 * so that one symmetric product of stored rows serves all layers, and n_in enters only by products
 * v . v of the points.
 *
 * Rows that are too long to be stored whole (many joint directions, wide layers) are stored in blocks
 * of columns, one at a time: a block is filled by carrying every residual back again (natural_block.h).
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_NATURAL_STATE_H
#define PDE_RUNTIME_ENGINE_KERNELS_NATURAL_STATE_H

#include "engine/kernels/step.h"

enum {
    DOT = VBYTES == 64 ? 4 : 3, /* rows and columns of a tile of dot products */
    DOT_ROWS = 12,              /* rows are padded to a multiple of every DOT */
    SUPER = 264,                /* rows of a block of a symmetric product */
    DOT_COLUMNS = 1024,         /* columns whose sums stay in the number type */
    MERGED_MOST = 8,            /* vectors of a point that are merged */
    GROUPS = 16,                /* of vectors, and coordinates, whose products are taken together */
    COORDINATES = 256,
    PACK = 2 * GROUPS * COORDINATES * PDE_LANES
};

/* A symmetric matrix that is summed in double over fixed shares of its columns. */
typedef struct Square {
    long n; /* padded */
    long shares;
    double *m;     /* [shares][n][n]; the result, its upper half, in the first */
    Leaves leaves; /* of products of vectors: a share is a node of the tree over coordinates */
    long block;    /* rows of what a task sums of them, */
    double *leaf;  /* [threads][1 + leaves.level][block][block]: a leaf, and left nodes that wait */
} Square;

/* Vectors of an affine network's points that became one each: what each is multiplied with is a number (natural_merged.h). */
typedef struct Merged {
    long vectors;
    const Source *source[MERGED_MOST]; /* of each, and the first of its rows there */
    long row0[MERGED_MOST];
    real *seed[MERGED_MOST]; /* [groups * LANES] */
} Merged;

/* 16 vectors in the layout of x, and where their product with W1 is. */
typedef struct VectorGroup {
    const real *v;
    const Source *source;
    long row;
    const Merged *merged; /* or NULL: v is the first of those that are added up */
} VectorGroup;

typedef struct Part {
    Batch *q;
    long row0;                   /* of the Jacobian: row0 + b * residuals + e */
    int first;                   /* no earlier part has these rows */
    long carriers;               /* vectors of a point: x, then its dense directions */
    long vectors;                /* of them K knows: carriers, or one where they are merged */
    Merged *merged;              /* or NULL */
    long group0, bar0;           /* of its vectors and their seeds */
    long carried0;               /* where they are merged: of the seeds of its carriers */
    long other0[PDE_MAX_BLOCKS]; /* joint directions of its DENSE and GRAM blocks */
    long dense0[PDE_MAX_BLOCKS]; /* groups of its DENSE blocks */
    uint32_t *except;            /* GRAM: coordinates whose weight is not 1 */
    long excepts;
    PdeTaskSpec task; /* of this step, to carry residuals back again */
} Part;

typedef struct Jacobian {
    PdeJacobian base;
    Engine *e;
    long rows, padded; /* residuals; with rows that stay zero */
    int parts;
    Part part[PDE_MAX_BATCHES];
    long h;                       /* padded width of the first layer */
    long small;                   /* numbers of a row before U */
    long others, units, capacity; /* joint directions: others, then units of this step */
    long full, columns;           /* numbers of a row; of them stored at a time */
    long blocks, filled;          /* of columns; the one that is stored, -1: none */
    long stride, eta_stride;
    real *row;            /* [padded][stride] */
    real *line;           /* [threads][full]: a whole row, where there are blocks */
    int32_t *slot;        /* [n_in]: the coordinate's unit, or -1 */
    uint32_t *coordinate; /* [units] */
    long groups, bars, carried;
    VectorGroup *group; /* [groups] */
    real *bar;          /* [bars, padded][h] */
    real *carried_bar;  /* [carried][h] */
    real *pack;         /* [threads][PACK]: blocks of merged vectors; NULL: there are none */
    real *eta;          /* [groups * LANES, padded][eta_stride] */
    real *along;        /* [groups * LANES][h]: v' phi; else n_in weights */
    Leaves leaves;      /* of products over coordinates, */
    real *partial;      /* [nodes] first-layer products of one source, or of W1, */
    real *waiting;      /* [threads][leaves.level] as large, */
    long largest;       /* which have at most so many numbers */
    double *joint;      /* [capacity][h]: what belongs to joint directions, summed over rows */
    double *total;      /* [stride] */
    real *unit_seed;    /* [units][h] */
    real *joint_along;  /* [capacity][h]: Q' phi */
    double *scratch;    /* [threads][scratch_size] */
    long scratch_size;
    double *factor; /* [capacity][capacity]: L; NULL where it is always the identity */
    int identity;
    Square square_rows, square_bars, square_vectors, square_eta;
    void *memory;
    int64_t bytes;
} Jacobian;

INLINE long rounded(long n, long to) {
    return (n + to - 1) / to * to;
}

INLINE long joint_count(const Jacobian *j) {
    return j->others + j->units;
}

INLINE real *row_of(const Jacobian *j, long r) {
    return j->row + r * j->stride;
}

/* The number, among all vectors, of point b's vector s; and of its seed for residual e. */
INLINE long vector_of(const Part *p, long s, long b) {
    return (p->group0 + s * p->q->groups) * PDE_LANES + b;
}

INLINE real *bar_of(const Jacobian *j, const Part *p, long s, long b, long e) {
    return j->bar + (p->bar0 + (s * p->q->points + b) * p->q->residuals + e) * j->h;
}

/* The same of a vector that may have been merged. */
INLINE real *carried_of(const Jacobian *j, const Part *p, long s, long b, long e) {
    return p->merged ? j->carried_bar + (p->carried0 + s * p->q->points + b) * j->h
                     : bar_of(j, p, s, b, e);
}

INLINE long part_rows(const Part *p) {
    return p->q->points * p->q->residuals;
}

INLINE double square_at(const Square *s, long i, long j) {
    return i < j ? s->m[i * s->n + j] : s->m[j * s->n + i];
}

/* ---------------------------------------------------------------------------------- creating */

static void carve_square(Carve *c, Square *s, long n) {
    s->n = rounded(n, DOT_ROWS);
    long blocks = (s->n + SUPER - 1) / SUPER;
    s->shares = blocks == 1 ? 8 : blocks == 2 ? 4 : blocks == 3 ? 2 : 1;
    s->m = carve(c, (size_t)(s->shares * s->n * s->n) * sizeof *s->m);
}

/* Whether the vectors of a point can be one: affine networks, one residual, directions that K knows by products. */
static int can_merge(const Engine *e, const Part *p) {
    int at;
    return e->affine && p->q->residuals == 1 && p->carriers > 1 && p->carriers <= MERGED_MOST &&
           !gram_block(p->q, &at);
}

static void carve_vectors(Carve *c, Square *s, const Engine *e, long groups) {
    carve_square(c, s, groups * PDE_LANES);
    s->leaves = leaves_in(e->n_in, s->shares);
    s->shares = s->leaves.nodes;
    s->block = least(groups, GROUPS) * PDE_LANES;
    long size = pde_pool_size(e->pool) * (1 + s->leaves.level) * s->block * s->block;
    s->leaf = carve(c, (size_t)size * sizeof *s->leaf);
}

/* Counts what a batch adds: joint directions, vectors, seeds. */
static void part_shape(Jacobian *j, Part *p) {
    const Batch *q = p->q;
    p->group0 = j->groups;
    p->bar0 = j->bars;
    p->carriers = 1;
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        if (k->kind == PDE_DIR_UNIT)
            j->capacity += k->count;
        if (k->kind == PDE_DIR_PAIR)
            j->capacity += 2 * k->count;
        if (is_point_index(k->kind))
            j->capacity += k->count * q->points * k->entries;
        if (k->kind == PDE_DIR_POINT_DENSE)
            p->carriers += k->count;
    }
    p->vectors = p->carriers;
    if (can_merge(j->e, p)) {
        p->vectors = 1;
        p->carried0 = j->carried;
        j->carried += p->carriers * q->points;
    }
    j->groups += p->vectors * q->groups;
    j->bars += p->vectors * part_rows(p);
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        if (k->kind != PDE_DIR_DENSE && k->kind != PDE_DIR_GRAM)
            continue;
        p->other0[i] = j->others;
        p->dense0[i] = j->groups;
        j->others += k->count;
        if (k->kind == PDE_DIR_DENSE)
            j->groups += groups_of(k->count);
    }
}

static void carve_merged(Carve *c, Part *p) {
    Merged *m = p->merged = carve(c, sizeof *m);
    for (long s = 0; s < p->carriers; s++) {
        real *seed = carve_reals(c, p->q->groups * PDE_LANES);
        if (m)
            m->seed[s] = seed;
    }
}

static void carve_jacobian(Carve *c, Jacobian *j) {
    const Engine *e = j->e;
    long most = e->h1;
    for (int i = 0; i < j->parts; i++) {
        const Batch *q = j->part[i].q;
        for (int s = 0; s < q->sources; s++)
            if (q->source[s].rows > most)
                most = q->source[s].rows;
        int at;
        if (gram_block(q, &at))
            j->part[i].except = carve(c, (size_t)e->n_in * sizeof(uint32_t));
        if (j->part[i].vectors < j->part[i].carriers)
            carve_merged(c, &j->part[i]);
    }
    j->row = carve_reals(c, j->padded * j->stride);
    if (j->blocks > 1)
        j->line = carve_reals(c, pde_pool_size(e->pool) * rounded(j->full, VLEN));
    j->slot = carve(c, (size_t)e->n_in * sizeof(int32_t));
    j->coordinate = carve(c, (size_t)(j->capacity + 1) * sizeof(uint32_t));
    j->group = carve(c, (size_t)j->groups * sizeof *j->group);
    j->bar = carve_reals(c, rounded(j->bars, DOT_ROWS) * j->h);
    j->carried_bar = carve_reals(c, j->carried * j->h);
    if (j->carried)
        j->pack = carve_reals(c, pde_pool_size(e->pool) * PACK);
    j->eta = carve_reals(c, rounded(j->groups * PDE_LANES, DOT_ROWS) * j->eta_stride);
    j->along = carve_reals(c, rounded(j->groups * PDE_LANES * j->h + e->n_in, VLEN));
    j->leaves = leaves_of(e->n_in);
    j->largest = most * j->h;
    j->partial = carve_reals(c, j->leaves.nodes * j->largest);
    j->waiting = carve_reals(c, pde_pool_size(e->pool) * j->leaves.level * j->largest);
    j->joint = carve(c, (size_t)(j->capacity * j->h + 1) * sizeof(double));
    j->total = carve(c, (size_t)j->full * sizeof(double));
    j->unit_seed = carve_reals(c, (j->capacity - j->others) * j->h);
    j->joint_along = carve_reals(c, j->capacity * j->h);
    j->scratch_size = j->capacity + j->h;
    j->scratch = carve(c, (size_t)(pde_pool_size(e->pool) * j->scratch_size) * sizeof(double));
    if (j->others)
        j->factor = carve(c, (size_t)(j->capacity * j->capacity) * sizeof(double));
    carve_square(c, &j->square_rows, j->padded);
    carve_square(c, &j->square_bars, j->bars);
    carve_vectors(c, &j->square_vectors, e, j->groups);
    if (j->capacity)
        carve_square(c, &j->square_eta, j->groups * PDE_LANES);
}

static void point_at_merged(const Part *p) {
    const Batch *q = p->q;
    Merged *m = p->merged;
    m->source[m->vectors++] = &q->source[0];
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        for (long n = 0; k->kind == PDE_DIR_POINT_DENSE && n < k->count; n++) {
            m->row0[m->vectors] = n * q->groups * PDE_LANES;
            m->source[m->vectors++] = &q->source[k->source];
        }
    }
}

/* Vectors stay where their batch keeps them. */
static void point_at_vectors(Jacobian *j, const Part *p) {
    const Batch *q = p->q;
    VectorGroup *to = j->group + p->group0;
    long n = j->e->n_in * PDE_LANES;
    for (long g = 0; g < q->groups; g++)
        *to++ =
            (VectorGroup){(const real *)q->base.x + g * n, &q->source[0], g * PDE_LANES, p->merged};
    if (p->merged)
        point_at_merged(p);
    for (int i = 0; i < q->blocks && !p->merged; i++) {
        const Block *k = &q->block[i];
        const real *v = q->base.block[i].v;
        for (long g = 0; k->kind == PDE_DIR_POINT_DENSE && g < k->count * q->groups; g++)
            *to++ = (VectorGroup){v + g * n, &q->source[k->source], g * PDE_LANES, NULL};
    }
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        const real *v = q->base.block[i].v;
        for (long g = 0; k->kind == PDE_DIR_DENSE && g < groups_of(k->count); g++)
            *to++ = (VectorGroup){v + g * n, &q->source[k->source], g * PDE_LANES, NULL};
    }
}

static void jacobian_destroy(PdeJacobian *jacobian) {
    Jacobian *j = (Jacobian *)jacobian;
    free(j->memory);
    free(j);
}

/* As few blocks as fit in `most` bytes, all of about the same width; 0: one. */
static void divide_columns(Jacobian *j, int64_t most) {
    const long unit = 2 * ALIGN / (long)sizeof(real), least_columns = 8 * unit;
    long fit = most > 0 ? (long)(most / (j->padded * (long)sizeof(real))) : j->full;
    if (fit < least_columns)
        fit = least_columns;
    j->blocks = (j->full + fit - 1) / fit;
    j->columns = j->blocks > 1 ? rounded((j->full + j->blocks - 1) / j->blocks, unit) : j->full;
    j->blocks = (j->full + j->columns - 1) / j->columns;
    /* an odd multiple of a cache line, so that rows do not share cache sets */
    j->stride = rounded(j->columns, unit) + ALIGN / (long)sizeof(real);
}

static PdeJacobian *jacobian_create(PdeEngine *engine, const PdeJacobianPart *part, int parts,
                                    int64_t most) {
    Jacobian *j = calloc(1, sizeof *j);
    if (!j || parts < 1 || parts > PDE_MAX_BATCHES) {
        free(j);
        return NULL;
    }
    Engine *e = j->e = (Engine *)engine;
    j->base.ops = e->base.ops;
    j->parts = parts;
    j->h = panels(e->h1) * NR;
    j->small = e->size - e->small0;
    for (int i = 0; i < parts; i++) {
        Part *p = &j->part[i];
        *p = (Part){.q = (Batch *)part[i].batch, .row0 = part[i].row0, .first = 1};
        for (int k = 0; k < i; k++)
            p->first &= j->part[k].row0 != p->row0;
        part_shape(j, p);
        if (p->row0 + part_rows(p) > j->rows)
            j->rows = p->row0 + part_rows(p);
    }
    j->capacity = j->others + least(j->capacity, e->n_in);
    j->padded = rounded(j->rows, DOT_ROWS);
    j->full = j->small + j->capacity * j->h;
    divide_columns(j, most);
    j->eta_stride = rounded(j->capacity + 1, ALIGN / (long)sizeof(real));
    Carve count = {0};
    carve_jacobian(&count, j);
    j->bytes = (int64_t)count.used;
    j->memory = pde_memory_zeroed(count.used);
    if (!j->memory) {
        jacobian_destroy(&j->base);
        return NULL;
    }
    Carve hand_out = {j->memory, 0};
    carve_jacobian(&hand_out, j);
    memset(j->slot, -1, (size_t)e->n_in * sizeof *j->slot);
    for (int i = 0; i < parts; i++)
        point_at_vectors(j, &j->part[i]);
    return &j->base;
}

static int64_t jacobian_bytes(const PdeJacobian *jacobian) {
    return ((const Jacobian *)jacobian)->bytes;
}

static int jacobian_blocks(const PdeJacobian *jacobian) {
    return (int)((const Jacobian *)jacobian)->blocks;
}

static int64_t jacobian_rows(const PdeJacobian *jacobian) {
    return ((const Jacobian *)jacobian)->rows;
}

#endif
