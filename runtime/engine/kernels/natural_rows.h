/* Rows of the Jacobian: each residual is carried back alone, and its seeds are put in their place.
 *
 * A slab of one point costs little more than its share of a larger one: the work is in the point's
 * own tangents.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_NATURAL_ROWS_H
#define PDE_RUNTIME_ENGINE_KERNELS_NATURAL_ROWS_H

#include "engine/kernels/natural_merged.h"

static void jacobian_begin(PdeJacobian *jacobian) {
    Jacobian *j = (Jacobian *)jacobian;
    for (long u = 0; u < j->units; u++)
        j->slot[j->coordinate[u]] = -1;
    j->units = 0;
    j->filled = -1;
}

static void use_coordinate(Jacobian *j, uint32_t i) {
    if (j->slot[i] >= 0)
        return;
    j->slot[i] = (int32_t)j->units;
    j->coordinate[j->units++] = i;
}

/* Units of the batch's index sets, in the order of its directions. */
static void use_coordinates(Jacobian *j, const Batch *q) {
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        long n = k->kind == PDE_DIR_UNIT   ? k->count
                 : k->kind == PDE_DIR_PAIR ? 2 * k->count
                 : is_point_index(k->kind) ? k->count * q->points * k->entries
                                           : 0;
        for (long m = 0; m < n; m++)
            use_coordinate(j, q->base.block[i].index[m]);
    }
}

/* to[h] += factor * a row of a panel matrix */
static void add_row(real *to, const real *from, long stride, long np, real factor) {
    for (long p = 0; p < np; p++, to += NR, from += stride) {
        STORE(to, LOAD(to) + LOAD(from) * factor);
        STORE(to + VLEN, LOAD(to + VLEN) + LOAD(from + VLEN) * factor);
    }
}

static void copy_row(real *to, const real *from, long stride, long np) {
    for (long p = 0; p < np; p++)
        memcpy(to + p * NR, from + p * stride, NR * sizeof(real));
}

/* The seeds of joint directions: from the chunk's Rbar, or from a point's own unit directions. */
static void collect_joint(const Jacobian *j, const Part *p, const Slab *s, real *to) {
    const Batch *q = p->q;
    long np = panels(j->e->h1), units = j->others * j->h;
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        const PdeDirections *d = &q->base.block[i];
        for (long m = 0; m < k->count; m++) {
            const real *from = acc_rbar(s) + (k->row0 + m) * NR;
            if (k->kind == PDE_DIR_UNIT) {
                add_row(to + units + j->slot[d->index[m]] * j->h, from, q->K * NR, np, 1);
            } else if (k->kind == PDE_DIR_PAIR) {
                real c = ((const real *)d->coefficient)[m];
                add_row(to + units + j->slot[d->index[2 * m]] * j->h, from, q->K * NR, np, 1);
                add_row(to + units + j->slot[d->index[2 * m + 1]] * j->h, from, q->K * NR, np, c);
            } else if (k->kind == PDE_DIR_DENSE || k->kind == PDE_DIR_GRAM) {
                copy_row(to + (p->other0[i] + m) * j->h, from, q->K * NR, np);
            } else if (is_point_index(k->kind)) {
                long at = (s->b0 * k->count + m) * k->entries;
                for (long e = at; e < at + k->entries; e++)
                    add_row(to + units + j->slot[d->index[e]] * j->h,
                            point_row_bar(s, i, m, s->b0, 0), q->points * k->count * NR, np,
                            point_coefficient(k, d, e));
            }
        }
    }
}

static void collect_bars(const Jacobian *j, const Part *p, const Slab *s, long e) {
    const Batch *q = p->q;
    long np = panels(j->e->h1), at = 1;
    copy_row(carried_of(j, p, 0, s->b0, e), q->z1bar + s->b0 * NR, q->points * NR, np);
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        for (long m = 0; k->kind == PDE_DIR_POINT_DENSE && m < k->count; m++, at++)
            copy_row(carried_of(j, p, at, s->b0, e), point_row_bar(s, i, m, s->b0, 0),
                     q->source[k->source].rows * NR, np);
    }
}

static void collect(const Jacobian *j, const Part *p, const Slab *s, long e) {
    real *row = row_of(j, p->row0 + s->b0 * p->q->residuals + e);
    if (p->first) {
        memcpy(row, s->acc, (size_t)j->small * sizeof(real));
        memset(row + j->small, 0, (size_t)(j->capacity * j->h) * sizeof(real));
    } else {
        for (long i = 0; i < j->small; i += VLEN)
            STORE(row + i, LOAD(row + i) + LOAD(s->acc + i));
    }
    collect_joint(j, p, s, row + j->small);
    collect_bars(j, p, s, e);
}

/* What is kept of a residual that was carried back. */
typedef void Collect(const Jacobian *j, const Part *p, const Slab *s, long e);

typedef struct Rows {
    Jacobian *j;
    const Part *p;
    const PdeTaskSpec *task;
    Collect *collect;
} Rows;

static void rows_task(void *context, long chunk, int worker) {
    Rows *t = context;
    Batch *q = t->p->q;
    long end = (chunk + 1) * q->points / q->chunks;
    Slab s = {.e = t->j->e,
              .q = q,
              .w = &q->work[worker],
              .nb = 1,
              .task = t->task,
              .worker = worker,
              .acc = q->acc + chunk * q->acc_size};
    for (s.b0 = chunk * q->points / q->chunks; s.b0 < end; s.b0++)
        for (long e = 0; e < q->residuals; e++) {
            s.one = (int)e + 1;
            chunk_begin(&s, s.b0, s.b0 + 1);
            if (q->order > 2)
                taylor_slab(&s);
            else
                jet_slab(&s);
            t->collect(t->j, t->p, &s, e);
        }
}

/* Rows, or their stored columns, and seeds of the vectors. */
static void make_rows(Rows *t) {
    const Jacobian *j = t->j;
    const Part *p = t->p;
    const Batch *q = p->q;
    run_chunks(j->e, q, t->task, rows_task, t);
    if (!is_shared(j->e, t->task))
        return;
    Sharing s = {.e = j->e, .q = q};
    share_values(&s, t->task);
    if (t->collect != collect_bars)
        share_reals(&s, row_of(j, p->row0), 1, 0, q->residuals * j->stride);
    share_reals(&s, carried_of(j, p, 0, 0, 0), p->carriers, part_rows(p) * j->h,
                q->residuals * j->h);
    share_end_of(&s);
}

static void jacobian_add(PdeJacobian *jacobian, int part, const PdeTaskSpec *task) {
    Jacobian *j = (Jacobian *)jacobian;
    Part *p = &j->part[part];
    Step step = {.e = j->e, .q = p->q, .task = task};
    Rows rows = {j, p, task, j->blocks > 1 ? collect_bars : collect};
    p->task = *task;
    make_whole(j->e);
    use_coordinates(j, p->q);
    first_layer(&step);
    make_rows(&rows);
    if (p->merged)
        merge_vectors(j, p);
}

#endif
