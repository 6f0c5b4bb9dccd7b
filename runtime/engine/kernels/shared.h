/* Chunks of points divided among ranks (engine/shared.h), and what their tasks have written.
 *
 * A rank makes contiguous chunks, so that of every array by points it has contiguous rows. Of the small gradient, which
 * is joined in a tree over chunks, it joins what lies within its chunks; the ranks exchange the few nodes that are left,
 * and each makes the rest of the tree.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_SHARED_H
#define PDE_RUNTIME_ENGINE_KERNELS_SHARED_H

#include "engine/kernels/state.h"

enum { SHARED_PIECES = 3 * PDE_MAX_BLOCKS };

typedef struct Sharing {
    const Engine *e;
    const Batch *q;
    PdePiece piece[SHARED_PIECES];
    int pieces;
} Sharing;

/* Only where the caller has said what its combine writes. */
INLINE int is_shared(const Engine *e, const PdeTaskSpec *task) {
    return e->ranks && task->shared;
}

INLINE long share_of_chunks(const Batch *q, int rank) {
    return (long)pde_share(q->engine->ranks, rank, q->chunks);
}

/* The end of the share that a chunk is in. */
static long share_end(const Batch *q, long chunk) {
    int rank = 0;
    while (share_of_chunks(q, rank + 1) <= chunk)
        rank++;
    return share_of_chunks(q, rank + 1);
}

/* The first point of each rank. */
static void share_points(const Batch *q) {
    for (int r = 0; r <= q->engine->ranks->ranks; r++)
        q->share[r] = share_of_chunks(q, r) * q->points / q->chunks;
}

/* A region over the chunks of a batch; of a shared one, this rank's part. */
static void run_chunks(const Engine *e, const Batch *q, const PdeTaskSpec *task, PdeTask *chunk,
                       void *context) {
    int64_t first, last;
    pde_own_share(is_shared(e, task) ? e->ranks : NULL, q->chunks, &first, &last);
    pde_pool_run_from(e->pool, chunk, context, (long)first, (long)(last - first));
}

static void share(Sharing *s, void *at, long rows, size_t stride, size_t unit,
                  const int64_t *first) {
    if (s->pieces < SHARED_PIECES)
        s->piece[s->pieces++] = (PdePiece){at, rows, stride, unit, first};
}

static void share_reals(Sharing *s, real *at, long rows, long stride, long unit) {
    share(s, at, rows, (size_t)stride * sizeof(real), (size_t)unit * sizeof(real), s->q->share);
}

/* `numbers` that one rank has made. owned is 0 up to [ranks], then 1. */
static void share_owned(Sharing *s, real *at, long numbers, int rank) {
    const Engine *e = s->e;
    share(s, at, 1, 0, (size_t)numbers * sizeof(real), e->owned + e->ranks->ranks - rank);
}

/* What combine writes of each point. */
static void share_values(Sharing *s, const PdeTaskSpec *task) {
    if (task->residual)
        share_reals(s, task->residual, 1, 0, s->q->residuals);
    if (task->beside)
        share(s, task->beside, 1, 0, task->beside_unit, s->q->share);
}

/* Seeds of the points and of their own directions. */
static void share_seeds(Sharing *s) {
    const Batch *q = s->q;
    long np = panels(s->e->h1);
    share_reals(s, q->z1bar, np, q->points * NR, NR);
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        if (is_point_index(k->kind))
            share_reals(s, k->rbar, np, q->points * k->count * NR, k->count * NR);
        if (k->kind == PDE_DIR_POINT_DENSE)
            share_reals(s, k->rbar, np * k->count, q->groups * PDE_LANES * NR, NR);
    }
}

/* The largest whole nodes of the tree over chunks that each rank has joined. */
static void share_nodes(Sharing *s) {
    const Batch *q = s->q;
    for (int r = 0; r < s->e->ranks->ranks; r++)
        for (long c = share_of_chunks(q, r), end = share_of_chunks(q, r + 1), next; c < end;
             c = next) {
            long wide = 1;
            while (c % (2 * wide) == 0 && c + wide < end && least(c + 2 * wide, q->chunks) <= end)
                wide *= 2;
            next = c + wide;
            share_owned(s, q->acc + c * q->acc_size, q->acc_size, r);
        }
}

/* ------------------------------------------------------------- the first layer by coordinates */

/* A rank has whole nodes of the tree over coordinates, and their rows of W1: it alone makes their products and updates
 * them. The others have its rows as they were, until these are named by a direction or all are asked for. */
static void share_coordinates(const Engine *e) {
    Leaves l = leaves_of(e->n_in);
    for (int r = 0; r <= e->ranks->ranks; r++) {
        e->nodes[r] = pde_share(e->ranks, r, l.nodes);
        e->rows[r] = least(e->n_in, (e->nodes[r] << l.level) * l.wide);
    }
}

INLINE int divides_coordinates(const Engine *e, const PdeTaskSpec *task) {
    return is_shared(e, task) && e->ranks->coordinates;
}

static int owner_of_row(const Engine *e, long coordinate) {
    int rank = 0;
    while (e->rows[rank + 1] <= coordinate)
        rank++;
    return rank;
}

/* Rows of W1 that directions name, from their owners. */
static void fetch_rows(const Batch *q) {
    const Engine *e = q->engine;
    int pieces = 0;
    for (int i = 0; i < q->blocks && e->scattered; i++) {
        const Block *k = &q->block[i];
        long n = k->kind == PDE_DIR_UNIT   ? k->count
                 : k->kind == PDE_DIR_PAIR ? 2 * k->count
                 : is_point_index(k->kind) ? k->count * q->points * k->entries
                                           : 0;
        for (long m = 0; m < n; m++) {
            long row = q->base.block[i].index[m];
            q->named[pieces++] = (PdePiece){
                e->theta + row * NR, panels(e->h1), (size_t)(e->n_in * NR) * sizeof(real),
                NR * sizeof(real), e->owned + e->ranks->ranks - owner_of_row(e, row)};
        }
    }
    if (pieces)
        e->ranks->gather(e->ranks->self, q->named, pieces);
}

static void share_end_of(const Sharing *s) {
    s->e->ranks->gather(s->e->ranks->self, s->piece, s->pieces);
}

#endif
