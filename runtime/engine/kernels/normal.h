/* The normal equations of stacked residuals: J'J and J' r, for more rows than parameters.
 *
 * Here rows are whole, the part of W1 with them (natural_state.h never forms it), in canonical order, but only a group
 * of them at a time: every residual is carried back alone as in natural_rows.h, its row goes into panels of WIDE columns,
 * and the group's products are added to the tiles of J'J, all in double: unlike those of K, errors of J'J are divided by
 * the damping. Groups follow each other in order, so that bits do not depend on the threads.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_NORMAL_H
#define PDE_RUNTIME_ENGINE_KERNELS_NORMAL_H

#include "engine/kernels/natural_gram.h"
#include "engine/tiled.h"

typedef double wide __attribute__((vector_size(VBYTES), may_alias));
typedef double wide_anywhere __attribute__((vector_size(VBYTES), may_alias, aligned(8)));

enum {
    WLEN = VBYTES / sizeof(double),
    WIDE = 2 * WLEN, /* columns of a panel of rows */
    GROUP = 1024,    /* rows of a group, unless one point has more */
    RUN = 4,         /* points that are carried back in one task */
    DEPTH = 128      /* rows of two panels that fit in the first cache */
};

INLINE long wide_panels(long columns) {
    return (columns + WIDE - 1) / WIDE;
}

typedef struct NormalPart {
    Batch *q;
    long row0;
    int next;  /* part with the same rows, or -1 */
    int first; /* no earlier part has these rows */
    long shared;
    real *v; /* panel matrix (n_in x shared): directions of DENSE and GRAM blocks, NULL: none */
    PdeTaskSpec task; /* of this step */
} NormalPart;

/* Points whose rows are made in one task. */
typedef struct Run {
    int part;
    long b0, b1, at; /* at: the first row, in its group */
} Run;

typedef struct Normal {
    PdeNormal base;
    Engine *e;
    int parts;
    NormalPart part[PDE_MAX_BATCHES];
    long parameters, more, columns; /* more: columns that the caller has; columns: all */
    long depth;                     /* rows that there is room for */
    int32_t *place;                 /* [parameters]: where a column is in a line */
    Run *run;
    long runs, groups, *group; /* group g: runs group[g] .. group[g+1]-1 */
    double *row;               /* [wide_panels(columns)][depth][WIDE] */
    real *line, *acc, *seed;   /* of each worker */
    long line_size, acc_size, seed_size;
    int64_t *share; /* [ranks + 1]: rows of a group, or tiles, of each rank */
    void *memory;
    int64_t bytes;
} Normal;

/* ------------------------------------------------------------------------------ directions shared */

/* V = diag(a) W1 R^-1 of a GRAM block: to a row of products with W1 add R^-1 (natural_gram.h). */
static void gram_columns_of(const Normal *n, const NormalPart *p, int block, long column0) {
    const Engine *e = n->e;
    const real *a = p->q->base.block[block].weight;
    double *t = p->q->gram_work + e->h1 * e->h1; /* the second half is scratch */
    for (long i = 0; i < e->n_in; i++) {
        for (long h = 0; h < e->h1; h++)
            t[h] = (double)a[i] * (double)e->theta[(h / NR * e->n_in + i) * NR + h % NR];
        gram_coordinates(p->q, t);
        for (long k = 0, c = column0; k < e->h1; k++, c++)
            p->v[(c / NR * e->n_in + i) * NR + c % NR] = (real)t[k];
    }
}

static void shared_directions(const Normal *n, const NormalPart *p) {
    const Engine *e = n->e;
    long c = 0;
    for (int i = 0; i < p->q->blocks && p->v; i++) {
        const Block *k = &p->q->block[i];
        const real *v = p->q->base.block[i].v;
        if (k->kind == PDE_DIR_GRAM)
            gram_columns_of(n, p, i, c);
        for (long m = 0; k->kind == PDE_DIR_DENSE && m < k->count; m++)
            for (long x = 0; x < e->n_in; x++)
                p->v[((c + m) / NR * e->n_in + x) * NR + (c + m) % NR] =
                    v[(m / PDE_LANES * e->n_in + x) * PDE_LANES + m % PDE_LANES];
        if (k->kind == PDE_DIR_GRAM || k->kind == PDE_DIR_DENSE)
            c += k->count;
    }
}

/* --------------------------------------------------------------------------------------- one row */

/* line += v from', over the rows of W1: v one lane of a group of vectors */
static void add_outer(const Engine *e, real *line, const real *v, const real *from, long stride) {
    for (long p = 0; p < panels(e->h1); p++, from += stride)
        for (long i = 0; i < e->n_in; i++) {
            real *to = line + (p * e->n_in + i) * NR;
            STORE(to, LOAD(to) + LOAD(from) * v[i * PDE_LANES]);
            STORE(to + VLEN, LOAD(to + VLEN) + LOAD(from + VLEN) * v[i * PDE_LANES]);
        }
}

/* line's row i of W1 += factor * from */
static void add_coordinate(const Engine *e, real *line, long i, const real *from, long stride,
                           real factor) {
    for (long p = 0; p < panels(e->h1); p++, from += stride)
        add_row(line + (p * e->n_in + i) * NR, from, NR, 1, factor);
}

static void add_shared(const Normal *n, const NormalPart *p, const Slab *s, real *line) {
    const Engine *e = n->e;
    const Batch *q = p->q;
    real *seed = n->seed + s->worker * n->seed_size;
    long c = 0;
    for (int i = 0; i < q->blocks && p->v; i++) {
        const Block *k = &q->block[i];
        if (k->kind != PDE_DIR_GRAM && k->kind != PDE_DIR_DENSE)
            continue;
        for (long h = 0; h < panels(e->h1); h++)
            memcpy(seed + (h * p->shared + c) * NR, acc_rbar(s) + (h * q->K + k->row0) * NR,
                   (size_t)(k->count * NR) * sizeof(real));
        c += k->count;
    }
    if (p->v)
        product_nn(line, e->n_in * NR, p->v, e->n_in * NR, seed, e->n_in, p->shared, e->h1, 1);
}

/* The seeds of one block of directions but shared ones. */
static void add_block(const Normal *n, const Slab *s, int i, real *line) {
    const Engine *e = n->e;
    const Batch *q = s->q;
    const Block *k = &q->block[i];
    const PdeDirections *d = &q->base.block[i];
    for (long m = 0; m < k->count; m++) {
        const real *from = acc_rbar(s) + (k->row0 + m) * NR;
        if (k->kind == PDE_DIR_UNIT) {
            add_coordinate(e, line, d->index[m], from, q->K * NR, 1);
        } else if (k->kind == PDE_DIR_PAIR) {
            add_coordinate(e, line, d->index[2 * m], from, q->K * NR, 1);
            add_coordinate(e, line, d->index[2 * m + 1], from, q->K * NR,
                           ((const real *)d->coefficient)[m]);
        } else if (is_point_index(k->kind)) {
            long at = (s->b0 * k->count + m) * k->entries;
            for (long x = at; x < at + k->entries; x++)
                add_coordinate(e, line, d->index[x], point_row_bar(s, i, m, s->b0, 0),
                               q->points * k->count * NR, point_coefficient(k, d, x));
        } else if (k->kind == PDE_DIR_POINT_DENSE) {
            long g = m * q->groups + s->b0 / PDE_LANES;
            add_outer(e, line, (const real *)d->v + g * e->n_in * PDE_LANES + s->b0 % PDE_LANES,
                      point_row_bar(s, i, m, s->b0, 0), q->source[k->source].rows * NR);
        }
    }
}

/* line += the row of residual `one` of point b, all parameters in the engine's order */
static void add_line(const Normal *n, const NormalPart *p, long b, int one, int worker,
                     real *line) {
    Batch *q = p->q;
    const Engine *e = n->e;
    Slab s = {.e = n->e,
              .q = q,
              .w = &q->work[worker],
              .b0 = b,
              .nb = 1,
              .task = &p->task,
              .worker = worker,
              .one = one + 1,
              .acc = n->acc + worker * n->acc_size};
    chunk_begin(&s, b, b + 1);
    if (q->order > 2)
        taylor_slab(&s);
    else
        jet_slab(&s);
    for (long i = 0; i < e->size - e->small0; i += VLEN)
        STORE(line + e->small0 + i, LOAD(line + e->small0 + i) + LOAD(s.acc + i));
    add_outer(e, line,
              (const real *)q->base.x + b / PDE_LANES * e->n_in * PDE_LANES + b % PDE_LANES,
              q->z1bar + b * NR, q->points * NR);
    for (int i = 0; i < q->blocks; i++)
        add_block(n, &s, i, line);
    add_shared(n, p, &s, line);
}

typedef struct NormalSum {
    const Normal *n;
    const double *r, *more; /* the caller's: residuals, further columns */
    const Run *run;
    long rows; /* of the group */
    int fresh; /* the first group */
    Tiled *to;
    double *g;
} NormalSum;

/* Into the group's panels: a line's numbers in canonical order, then the caller's. */
static void store_line(const NormalSum *t, const real *line, long at, long row) {
    const Normal *n = t->n;
    for (long c = 0; c < n->parameters; c++)
        n->row[(c / WIDE * n->depth + at) * WIDE + c % WIDE] = (double)line[n->place[c]];
    for (long k = 0, c = n->parameters; k < n->more; k++, c++)
        n->row[(c / WIDE * n->depth + at) * WIDE + c % WIDE] = t->more[row * n->more + k];
}

static void run_task(void *context, long task, int worker) {
    const NormalSum *t = context;
    const Normal *n = t->n;
    const Run *run = &t->run[task];
    const NormalPart *first = &n->part[run->part];
    real *line = n->line + worker * n->line_size;
    long at = run->at, row = first->row0 + run->b0 * first->q->residuals;
    for (long b = run->b0; b < run->b1; b++)
        for (int one = 0; one < first->q->residuals; one++, at++, row++) {
            memset(line, 0, (size_t)n->e->size * sizeof(real));
            for (int i = run->part; i >= 0; i = n->part[i].next)
                add_line(n, &n->part[i], b, one, worker, line);
            store_line(t, line, at, row);
        }
}

/* ------------------------------------------------------------------------------------------ sums */

/* `columns` of panel a with all of panel b, over depth rows: to[j * TILE + ..] +=, or -= */
INLINE void normal_tile(double *to, int columns, const double *a, const double *b, long depth,
                        int minus) {
    wide c[MR][2];
    UNROLL_ROWS for (int j = 0; j < columns; j++) c[j][0] = c[j][1] = (wide){0};
    for (long k = 0; k < depth; k++, a += WIDE, b += WIDE) {
        wide b0 = *(const wide *)b, b1 = *(const wide *)(b + WLEN);
        UNROLL_ROWS for (int j = 0; j < columns; j++) {
            c[j][0] += b0 * a[j];
            c[j][1] += b1 * a[j];
        }
    }
    UNROLL_ROWS for (int j = 0; j < columns; j++, to += TILE) {
        *(wide_anywhere *)to += minus ? -c[j][0] : c[j][0];
        *(wide_anywhere *)(to + WLEN) += minus ? -c[j][1] : c[j][1];
    }
}

/* A panel's columns times another's, into their place in a tile of J'J. */
static void normal_panels(double *to, const double *a, const double *b, long columns, long depth) {
    for (long r = 0; r < columns; r += MR) {
#define CALL(m) normal_tile(to + r * TILE, m, a + r, b, depth, 0)
        TILE_SWITCH(least(MR, columns - r), CALL)
#undef CALL
    }
}

/* A tile as panels of WIDE of its rows, over its columns: what the products below read. */
static void tile_pack(const double *tile, double *to) {
    for (long p = 0; p < TILE / WIDE; p++)
        for (long k = 0; k < TILE; k++)
            memcpy(to + (p * TILE + k) * WIDE, tile + k * TILE + p * WIDE, WIDE * sizeof *to);
}

/* c -= a b' for packed tiles a, b: the rows that c has, and its columns, or of them those up to the diagonal. */
static void tile_minus(double *c, const double *a, const double *b, int64_t rows, int64_t columns,
                       int diagonal) {
    enum { HALF = TILE / 2 }; /* of two panels at once in the first cache */
    for (long k = 0; k < TILE; k += HALF)
        for (long i = 0; i < wide_panels(rows); i++)
            for (long j = 0; j < (diagonal ? i + 1 : wide_panels(columns)); j++)
                for (long r = 0; r < WIDE; r += MR) {
                    double *to = c + (j * WIDE + r) * TILE + i * WIDE;
                    const double *left = b + (j * TILE + k) * WIDE + r;
#define CALL(m) normal_tile(to, m, left, a + (i * TILE + k) * WIDE, HALF, 1)
                    TILE_SWITCH(least(MR, WIDE - r), CALL)
#undef CALL
                }
}

static void tile_task(void *context, long task, int worker) {
    const NormalSum *t = context;
    const Normal *n = t->n;
    enum { EACH = TILE / WIDE };
    int64_t ti, tj;
    tiled_place(task, &ti, &tj);
    double *to = tiled_at(t->to, ti, tj);
    long np = wide_panels(n->columns), i1 = least(np, (ti + 1) * EACH),
         j1 = least(np, (tj + 1) * EACH);
    (void)worker;
    if (t->fresh)
        memset(to, 0, (size_t)TILE * TILE * sizeof *to);
    for (long k = 0; k < t->rows; k += DEPTH)
        for (long i = ti * EACH; i < i1; i++)
            for (long j = tj * EACH; j < least(j1, i + 1); j++)
                normal_panels(to + j % EACH * WIDE * TILE + i % EACH * WIDE,
                              n->row + (j * n->depth + k) * WIDE,
                              n->row + (i * n->depth + k) * WIDE,
                              least(WIDE, n->columns - j * WIDE), least(DEPTH, t->rows - k));
}

/* g += J' r for one panel of columns, in double */
static void right_task(void *context, long p, int worker) {
    const NormalSum *t = context;
    const Normal *n = t->n;
    double g[WIDE] = {0};
    (void)worker;
    for (const Run *run = t->run; run < t->run + n->runs && run->at < t->rows; run++) {
        const NormalPart *part = &n->part[run->part];
        long rows = (run->b1 - run->b0) * part->q->residuals;
        const double *r = t->r + part->row0 + run->b0 * part->q->residuals;
        const double *row = n->row + (p * n->depth + run->at) * WIDE;
        for (long k = 0; k < rows; k++)
            for (long i = 0; i < WIDE; i++)
                g[i] += r[k] * row[k * WIDE + i];
        if (run->at + rows == t->rows)
            break;
    }
    for (long i = 0; i < least(WIDE, n->columns - p * WIDE); i++)
        t->g[p * WIDE + i] = (t->fresh ? 0 : t->g[p * WIDE + i]) + g[i];
}

static long run_rows(const Normal *n, const Run *run) {
    return (run->b1 - run->b0) * n->part[run->part].q->residuals;
}

/* The rows of a group of runs. */
static void make_group(NormalSum *t, long runs) {
    const Normal *n = t->n;
    const PdeRanks *ranks = n->e->ranks;
    if (!is_shared(n->e, &n->part[0].task)) {
        pde_pool_run(n->e->pool, run_task, t, runs);
        return;
    }
    Sharing s = {.e = n->e};
    int64_t first, last;
    pde_own_share(ranks, runs, &first, &last);
    pde_pool_run_from(n->e->pool, run_task, t, (long)first, (long)(last - first));
    for (int r = 0; r <= ranks->ranks; r++) {
        long run = (long)pde_share(ranks, r, runs);
        n->share[r] = run < runs ? t->run[run].at : t->rows;
    }
    share(&s, n->row, wide_panels(n->columns), (size_t)(n->depth * WIDE) * sizeof *n->row,
          WIDE * sizeof *n->row, n->share);
    share_end_of(&s);
}

static void share_tiles(const Normal *n, Tiled *to, long tiles) {
    Sharing s = {.e = n->e};
    for (int r = 0; r <= n->e->ranks->ranks; r++)
        n->share[r] = pde_share(n->e->ranks, r, tiles);
    share(&s, to->m, 1, 0, (size_t)TILE * TILE * sizeof *to->m, n->share);
    share_end_of(&s);
}

static void normal_sum(PdeNormal *normal, const double *r, const double *more, Tiled *to,
                       double *g) {
    Normal *n = (Normal *)normal;
    long tiles = (long)(tiled_rows(n->columns) * (tiled_rows(n->columns) + 1) / 2);
    int64_t first, last;
    pde_own_share(is_shared(n->e, &n->part[0].task) ? n->e->ranks : NULL, tiles, &first, &last);
    for (long i = 0; i < n->groups; i++) {
        const Run *end = &n->run[n->group[i + 1] - 1];
        NormalSum t = {.n = n,
                       .r = r,
                       .more = more,
                       .run = n->run + n->group[i],
                       .rows = end->at + run_rows(n, end),
                       .fresh = i == 0,
                       .to = to,
                       .g = g};
        make_group(&t, n->group[i + 1] - n->group[i]);
        pde_pool_run_from(n->e->pool, tile_task, &t, (long)first, (long)(last - first));
        pde_pool_run(n->e->pool, right_task, &t, wide_panels(n->columns));
    }
    if (is_shared(n->e, &n->part[0].task))
        share_tiles(n, to, tiles);
}

static void normal_add(PdeNormal *normal, int part, const PdeTaskSpec *task) {
    Normal *n = (Normal *)normal;
    NormalPart *p = &n->part[part];
    p->task = *task;
    make_whole(n->e);
    if (n->more) /* what the caller's columns are made of comes with seeds */
        step_reverse(&n->e->base, &p->q->base, task);
    else
        step_value(&n->e->base, &p->q->base, task);
    shared_directions(n, p);
}

/* -------------------------------------------------------------------------------------- creating */

static void normal_destroy(PdeNormal *normal) {
    Normal *n = (Normal *)normal;
    free(n->memory);
    free(n);
}

static int64_t normal_bytes(const PdeNormal *normal) {
    return ((const Normal *)normal)->bytes;
}

/* Groups of runs of whole points; with n->run NULL they are counted. */
static void divide_rows(Normal *n) {
    long used = 0;
    n->runs = n->groups = 0;
    for (int i = 0; i < n->parts; i++) {
        const Batch *q = n->part[i].q;
        for (long b = 0, end; n->part[i].first && b < q->points; b = end) {
            end = least(b + RUN, q->points);
            long rows = (end - b) * q->residuals;
            if (n->runs == 0 || used + rows > n->depth) {
                if (n->run)
                    n->group[n->groups] = n->runs;
                n->groups++;
                used = 0;
            }
            if (n->run)
                n->run[n->runs] = (Run){i, b, end, used};
            n->runs++;
            used += rows;
        }
    }
    if (n->run)
        n->group[n->groups] = n->runs;
}

static void carve_normal(Carve *c, Normal *n) {
    const Engine *e = n->e;
    long workers = pde_pool_size(e->pool);
    divide_rows(n);
    n->place = carve(c, (size_t)n->parameters * sizeof *n->place);
    n->row = carve(c, (size_t)(wide_panels(n->columns) * n->depth * WIDE) * sizeof *n->row);
    n->line = carve_reals(c, workers * n->line_size);
    n->acc = carve_reals(c, workers * n->acc_size);
    n->seed = carve_reals(c, workers * n->seed_size);
    for (int i = 0; i < n->parts; i++)
        if (n->part[i].shared)
            n->part[i].v = carve_reals(c, panels(n->part[i].shared) * e->n_in * NR);
    n->group = carve(c, (size_t)(n->groups + 1) * sizeof *n->group);
    n->run = carve(c, (size_t)n->runs * sizeof *n->run);
    if (e->ranks)
        n->share = carve(c, (size_t)(e->ranks->ranks + 1) * sizeof *n->share);
}

static void normal_part(Normal *n, int i, const PdeJacobianPart *from) {
    NormalPart *p = &n->part[i];
    const long odd = ALIGN / (long)sizeof(real);
    *p = (NormalPart){.q = (Batch *)from->batch, .row0 = from->row0, .next = -1, .first = 1};
    for (int k = 0; k < i; k++)
        if (n->part[k].row0 == p->row0) {
            p->first = 0;
            n->part[k].next = n->part[k].next < 0 ? i : n->part[k].next;
        }
    for (int b = 0; b < p->q->blocks; b++)
        if (p->q->block[b].kind == PDE_DIR_DENSE || p->q->block[b].kind == PDE_DIR_GRAM)
            p->shared += p->q->block[b].count;
    if (p->q->acc_size > n->acc_size)
        n->acc_size = p->q->acc_size;
    if (p->shared * panels(n->e->h1) * NR + odd > n->seed_size)
        n->seed_size = p->shared * panels(n->e->h1) * NR + odd;
    if (p->q->residuals * RUN > n->depth)
        n->depth = p->q->residuals * RUN;
}

static PdeNormal *normal_create(PdeEngine *engine, const PdeJacobianPart *part, int parts,
                                int64_t more) {
    Normal *n = calloc(1, sizeof *n);
    if (!n || parts < 1 || parts > PDE_MAX_BATCHES) {
        free(n);
        return NULL;
    }
    n->e = (Engine *)engine;
    n->base.ops = n->e->base.ops;
    n->parts = parts;
    n->parameters = live_places(n->e, NULL, NULL);
    n->more = (long)more;
    n->columns = n->parameters + n->more;
    n->depth = GROUP;
    n->line_size = n->e->size + ALIGN / (long)sizeof(real);
    for (int i = 0; i < parts; i++)
        normal_part(n, i, &part[i]);
    Carve count = {0};
    carve_normal(&count, n);
    n->bytes = (int64_t)count.used;
    n->memory = pde_memory_zeroed(count.used);
    if (!n->memory || n->e->size > INT32_MAX) {
        normal_destroy(&n->base);
        return NULL;
    }
    Carve hand_out = {n->memory, 0};
    carve_normal(&hand_out, n);
    divide_rows(n);
    live_places(n->e, n->place, NULL); /* columns in the order of pde_engine_get */
    return &n->base;
}

#endif
