/* Blocks of columns of J: filling them, and K = J J' as their sum.
 *
 * A row is finished in a line of its worker's: seeds of the joint directions rotated, vectors added,
 * as natural_gram.h does in place where rows are stored whole. Every step is linear, so that parts of
 * one row add up.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_NATURAL_BLOCK_H
#define PDE_RUNTIME_ENGINE_KERNELS_NATURAL_BLOCK_H

#include "engine/kernels/natural_gram.h"

INLINE long columns_used(const Jacobian *j) {
    return j->small + joint_count(j) * j->h;
}

static void collect_block(const Jacobian *j, const Part *p, const Slab *s, long e) {
    long at = s->b0 * p->q->residuals + e, first = j->filled * j->columns;
    long n = least(j->columns, columns_used(j) - first);
    real *line = j->line + s->worker * rounded(j->full, VLEN), *row = row_of(j, p->row0 + at);
    memcpy(line, s->acc, (size_t)j->small * sizeof(real));
    memset(line + j->small, 0, (size_t)(joint_count(j) * j->h) * sizeof(real));
    collect_joint(j, p, s, line + j->small);
    if (!j->identity)
        rotate_joint(j, line + j->small);
    add_vectors(j, p, at, line + j->small);
    if (p->first)
        memcpy(row, line + first, (size_t)n * sizeof(real));
    for (long i = 0; i < n && !p->first; i += VLEN)
        STORE(row + i, LOAD(row + i) + LOAD(line + first + i));
}

static void fill_block(Jacobian *j, long block) {
    j->filled = block;
    for (int i = 0; i < j->parts; i++) {
        const Part *p = &j->part[i];
        Rows rows = {j, p, &p->task, collect_block};
        make_rows(&rows);
    }
}

/* Columns first .. last - 1 of all rows are stored, from j->row on. */
typedef void VisitColumns(Jacobian *j, long first, long last, void *context);

/* All columns in use, block by block; the block that is there comes first. */
static void for_columns(Jacobian *j, VisitColumns *visit, void *context) {
    long used = columns_used(j), start = j->filled < 0 ? 0 : j->filled;
    if (j->blocks == 1) {
        visit(j, 0, used, context);
        return;
    }
    for (long n = 0; n < j->blocks; n++) {
        long block = (start + n) % j->blocks, first = block * j->columns;
        if (first >= used)
            continue;
        if (block != j->filled)
            fill_block(j, block);
        visit(j, first, least(first + j->columns, used), context);
    }
}

/* ------------------------------------------------------------------------------------------ K */

typedef struct GramTask {
    const Jacobian *j;
    double *k;
    int more; /* blocks of columns were added before */
} GramTask;

/* Vectors outside the span of the joint directions: what rows r and c >= r have in common there. */
static void gram_rest(const Jacobian *j, double *k, const Part *p, const Part *o, long r) {
    long at = r - p->row0, b = at / p->q->residuals;
    for (long s = 0; s < p->vectors; s++)
        for (long t = 0; t < o->vectors; t++)
            for (long c = r > o->row0 ? r : o->row0; c < o->row0 + part_rows(o); c++) {
                long v = vector_of(p, s, b), w = vector_of(o, t, (c - o->row0) / o->q->residuals);
                double dot = square_at(&j->square_vectors, v, w);
                if (joint_count(j))
                    dot -= square_at(&j->square_eta, v, w);
                k[c] += dot * square_at(&j->square_bars, p->bar0 + s * part_rows(p) + at,
                                        o->bar0 + t * part_rows(o) + c - o->row0);
            }
}

static void gram_columns_task(void *context, long r, int worker) {
    const GramTask *t = context;
    const Jacobian *j = t->j;
    double *k = t->k + r * j->rows;
    (void)worker;
    for (long c = r; c < j->rows; c++)
        k[c] = (t->more ? k[c] : 0) + square_at(&j->square_rows, r, c);
}

static void gram_columns(Jacobian *j, long first, long last, void *context) {
    GramTask *t = context;
    square_of_rows(j->e, &j->square_rows, j->row, j->stride, last - first);
    pde_pool_run(j->e->pool, gram_columns_task, t, j->rows);
    t->more = 1;
}

static void gram_task(void *context, long r, int worker) {
    const GramTask *t = context;
    const Jacobian *j = t->j;
    double *k = t->k + r * j->rows;
    (void)worker;
    for (int i = 0; i < j->parts; i++) {
        const Part *p = &j->part[i];
        if (r < p->row0 || r >= p->row0 + part_rows(p))
            continue;
        for (int o = 0; o < j->parts; o++)
            gram_rest(j, k, p, &j->part[o], r);
    }
    for (long c = r + 1; c < j->rows; c++)
        t->k[c * j->rows + r] = k[c];
}

static void jacobian_gram(PdeJacobian *jacobian, double *k) {
    Jacobian *j = (Jacobian *)jacobian;
    Engine *e = j->e;
    GramTask task = {j, k, 0};
    long joint;
    square_of_vectors(j);
    joint_orthonormal(j);
    joint = joint_count(j);
    if (joint) {
        pde_pool_run(e->pool, eta_task, j, j->groups);
        if (j->blocks == 1)
            pde_pool_run(e->pool, joint_task, j, j->rows);
        square_of_rows(e, &j->square_eta, j->eta, j->eta_stride, rounded(joint, VLEN));
    }
    square_of_rows(e, &j->square_bars, j->bar, j->h, j->h);
    for_columns(j, gram_columns, &task);
    pde_pool_run(e->pool, gram_task, &task, j->rows);
}

#endif
