/* J phi and J' s, from the rows as natural_gram.h has left them (call it first). */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_NATURAL_APPLY_H
#define PDE_RUNTIME_ENGINE_KERNELS_NATURAL_APPLY_H

#include "engine/kernels/natural_block.h"

/* -------------------------------------------------------------------------------------- J phi */

typedef struct Along {
    Jacobian *j;
    const Source *source;
    const Merged *merged; /* or NULL: the source's rows are vectors; of it this one */
    long one;
    const real *phi;
    long group0; /* of the source's first row */
    double *out;
    long first, last; /* columns that are stored */
} Along;

static void along_node(void *context, long node, int worker) {
    const Along *t = context;
    const Jacobian *j = t->j;
    FirstProduct p = {j->e, t->phi, t->source};
    long size = t->source->rows * j->h;
    node_sum(&j->leaves, node, j->e->affine ? affine_product : first_product, &p,
             j->partial + node * size, size, j->waiting + worker * j->leaves.level * j->largest);
}

static void along_row(void *context, long row, int worker) {
    const Along *t = context;
    const Jacobian *j = t->j;
    long rows = t->source->rows;
    real *to = j->along + (t->group0 * PDE_LANES + row) * j->h;
    (void)worker;
    for (long h = 0; h < j->h; h += VLEN) {
        const real *from = j->partial + (h / NR * rows + row) * NR + h % NR;
        STORE(to + h, nodes_joined(&j->leaves, from, rows * j->h));
    }
}

/* A merged vector's share: its rows of the source, times its numbers. */
static void merged_row(void *context, long b, int worker) {
    const Along *t = context;
    const Jacobian *j = t->j;
    long rows = t->source->rows;
    real *to = j->along + (t->group0 * PDE_LANES + b) * j->h;
    (void)worker;
    for (long h = 0; h < j->h; h += VLEN) {
        const real *from = j->partial + (h / NR * rows + t->merged->row0[t->one] + b) * NR + h % NR;
        vec v = nodes_joined(&j->leaves, from, rows * j->h) * t->merged->seed[t->one][b];
        if (t->one > 0)
            v += LOAD(to + h);
        STORE(to + h, v);
    }
}

static void merged_along(const Along *of, long points) {
    Along t = *of;
    for (t.one = 0; t.one < t.merged->vectors; t.one++) {
        t.source = t.merged->source[t.one];
        if (t.merged->row0[t.one] == 0) /* else they are there */
            pde_pool_run(t.j->e->pool, along_node, &t, t.j->leaves.nodes);
        pde_pool_run(t.j->e->pool, merged_row, &t, points);
    }
}

/* j->along = v' phi1 for every vector; a source's groups follow each other. */
static void vectors_along(Jacobian *j, const real *phi) {
    if (j->e->affine)
        affine_begin(j->e, phi);
    for (long g = 0; g < j->groups; g++) {
        Along t = {.j = j, .source = j->group[g].source, .phi = phi, .group0 = g};
        if (j->group[g].row > 0)
            continue;
        t.merged = j->group[g].merged;
        if (t.merged) {
            merged_along(&t, j->group[g].source->rows);
            continue;
        }
        pde_pool_run(j->e->pool, along_node, &t, j->leaves.nodes);
        pde_pool_run(j->e->pool, along_row, &t, t.source->rows);
    }
}

/* j->joint = Q' phi1 */
static void joint_along(Jacobian *j, const real *phi) {
    const Engine *e = j->e;
    long n = joint_count(j), np = panels(e->h1);
    for (int i = 0; i < j->parts; i++) {
        const Part *p = &j->part[i];
        for (int b = 0; b < p->q->blocks; b++) {
            const Block *k = &p->q->block[b];
            double *to = j->joint + p->other0[b] * j->h;
            if (k->kind == PDE_DIR_GRAM) {
                weighted_square(j, e->theta, phi, p->q->base.block[b].weight, to);
                gram_rows_solve(j, p->q, to);
            }
            const real *from = j->along + p->dense0[b] * PDE_LANES * j->h;
            for (long m = 0; k->kind == PDE_DIR_DENSE && m < k->count * j->h; m++)
                to[m] = (double)from[m];
        }
    }
    for (long u = 0; u < j->units; u++)
        for (long p = 0; p < np; p++)
            for (long h = 0; h < NR; h++)
                j->joint[(j->others + u) * j->h + p * NR + h] =
                    (double)phi[(p * e->n_in + j->coordinate[u]) * NR + h];
    for (long k = 0; k < n && !j->identity; k++) {
        const double *row = j->factor + k * j->capacity;
        double *to = j->joint + k * j->h, inverse = row[k] > 0 ? 1 / row[k] : 0;
        for (long i = 0; i < k; i++)
            for (long h = 0; h < j->h; h++)
                to[h] -= row[i] * j->joint[i * j->h + h];
        for (long h = 0; h < j->h; h++)
            to[h] *= inverse;
    }
}

INLINE real row_dot(const real *a, const real *b, long n) {
    vec s = {0};
    for (long i = 0; i < n; i += VLEN)
        s += LOAD(a + i) * LOAD(b + i);
    return vec_sum(s);
}

/* What the stored columns of row r have along phi: small part, joint directions. */
static void times_columns_task(void *context, long r, int worker) {
    const Along *t = context;
    const Jacobian *j = t->j;
    const real *row = row_of(j, r) - t->first, *u = row + j->small;
    const real *phi = t->phi + j->e->small0;
    double sum = 0;
    (void)worker;
    for (long i = t->first; i < least(t->last, j->small); i += SLICE)
        sum += (double)row_dot(row + i, phi + i, least(SLICE, least(t->last, j->small) - i));
    for (long i = t->first > j->small ? t->first - j->small : 0, n; i < t->last - j->small;
         i += n) {
        n = least(j->h - i % j->h, t->last - j->small - i);
        sum += (double)row_dot(u + i, j->joint_along + i, n);
    }
    t->out[r] += sum;
}

static void times_columns(Jacobian *j, long first, long last, void *context) {
    Along *t = context;
    t->first = first;
    t->last = last;
    pde_pool_run(j->e->pool, times_columns_task, t, j->rows);
}

/* And the rest of its vectors. */
static void times_task(void *context, long r, int worker) {
    const Along *t = context;
    const Jacobian *j = t->j;
    double sum = 0;
    (void)worker;
    for (int i = 0; i < j->parts; i++) {
        const Part *p = &j->part[i];
        long at = r - p->row0, b = at / p->q->residuals;
        if (at < 0 || at >= part_rows(p))
            continue;
        for (long s = 0; s < p->vectors; s++)
            sum += (double)row_dot(bar_of(j, p, s, b, at % p->q->residuals),
                                   j->along + vector_of(p, s, b) * j->h, j->h);
    }
    t->out[r] += sum;
}

/* j->along := v' phi1 - eta' Q' phi1, the part outside the span of the joint directions */
static void rest_task(void *context, long group, int worker) {
    const Jacobian *j = context;
    double *rest = j->scratch + worker * j->scratch_size;
    for (long v = group * PDE_LANES; v < (group + 1) * PDE_LANES; v++) {
        real *along = j->along + v * j->h;
        const real *eta = j->eta + v * j->eta_stride;
        for (long h = 0; h < j->h; h++)
            rest[h] = (double)along[h];
        for (long k = 0; k < joint_count(j); k++)
            for (long h = 0; h < j->h; h++)
                rest[h] -= (double)eta[k] * j->joint[k * j->h + h];
        for (long h = 0; h < j->h; h++)
            along[h] = (real)rest[h];
    }
}

static void jacobian_times(PdeJacobian *jacobian, int slot, double *out) {
    Jacobian *j = (Jacobian *)jacobian;
    Along t = {.j = j, .phi = slot_of(j->e, slot), .out = out};
    vectors_along(j, t.phi);
    joint_along(j, t.phi);
    for (long i = 0; i < joint_count(j) * j->h; i++)
        j->joint_along[i] = (real)j->joint[i];
    if (joint_count(j))
        pde_pool_run(j->e->pool, rest_task, j, j->groups);
    memset(out, 0, (size_t)j->rows * sizeof *out);
    for_columns(j, times_columns, &t);
    pde_pool_run(j->e->pool, times_task, &t, j->rows);
}

/* --------------------------------------------------------------------------------------- J' s */

typedef struct Transposed {
    Jacobian *j;
    const double *s;
    long first, last; /* columns that are stored */
} Transposed;

/* j->total = sum over rows of s_r times the stored row, one slice of columns */
static void total_task(void *context, long slice, int worker) {
    const Transposed *t = context;
    const Jacobian *j = t->j;
    long i0 = slice * SLICE, n = least(SLICE, t->last - t->first - i0);
    double *to = j->total + t->first + i0;
    (void)worker;
    memset(to, 0, (size_t)n * sizeof *to);
    for (long r = 0; r < j->rows; r++) {
        const real *row = row_of(j, r) + i0;
        double f = t->s[r];
        for (long i = 0; i < n; i++)
            to[i] += f * (double)row[i];
    }
}

static void total_columns(Jacobian *j, long first, long last, void *context) {
    Transposed *t = context;
    t->first = first;
    t->last = last;
    pde_pool_run(j->e->pool, total_task, t, (last - first + SLICE - 1) / SLICE);
}

/* Joint direction k of the total without what U holds of the vectors. */
static void without_vectors_task(void *context, long k, int worker) {
    const Transposed *t = context;
    const Jacobian *j = t->j;
    double *to = j->total + j->small + k * j->h;
    (void)worker;
    for (int i = 0; i < j->parts; i++) {
        const Part *p = &j->part[i];
        for (long s = 0; s < p->vectors; s++)
            for (long at = 0; at < part_rows(p); at++) {
                long b = at / p->q->residuals;
                double f =
                    t->s[p->row0 + at] * (double)j->eta[vector_of(p, s, b) * j->eta_stride + k];
                const real *bar = bar_of(j, p, s, b, at % p->q->residuals);
                for (long h = 0; h < j->h; h++)
                    to[h] -= f * (double)bar[h];
            }
    }
}

/* L' x = total: seeds of the joint directions as they are, in place. */
static void joint_seeds(const Jacobian *j) {
    double *x = j->total + j->small;
    for (long k = joint_count(j) - 1; k >= 0 && !j->identity; k--) {
        double d = j->factor[k * j->capacity + k], *to = x + k * j->h;
        for (long i = k + 1; i < joint_count(j); i++) {
            double f = j->factor[i * j->capacity + k];
            for (long h = 0; h < j->h; h++)
                to[h] -= f * x[i * j->h + h];
        }
        for (long h = 0; h < j->h; h++)
            to[h] = d > 0 ? to[h] / d : 0;
    }
}

/* Panel row of one batch := sum over residuals of s times their seeds of vector v of point b */
static void carry_seed(const Transposed *t, const Part *p, long v, long b, real *to, long stride) {
    const Jacobian *j = t->j;
    for (long q = 0; q < panels(j->e->h1); q++)
        for (long h = 0; h < NR; h++) {
            double sum = 0;
            for (long e = 0; e < p->q->residuals; e++)
                sum += t->s[p->row0 + b * p->q->residuals + e] *
                       (double)carried_of(j, p, v, b, e)[q * NR + h];
            to[q * stride + h] = (real)sum;
        }
}

static void carry_vectors(const Transposed *t, const Part *p) {
    Batch *q = p->q;
    long at = 1;
    q->source[0].bar = q->z1bar;
    q->source[0].bar_stride = q->points * NR;
    for (long b = 0; b < q->points; b++)
        carry_seed(t, p, 0, b, q->z1bar + b * NR, q->points * NR);
    for (int i = 0; i < q->blocks; i++) {
        Block *k = &q->block[i];
        if (k->kind != PDE_DIR_POINT_DENSE)
            continue;
        Source *s = &q->source[k->source];
        s->bar = k->rbar;
        s->bar_stride = s->rows * NR;
        for (long m = 0; m < k->count; m++, at++)
            for (long b = 0; b < q->points; b++)
                carry_seed(t, p, at, b, k->rbar + (m * q->groups * PDE_LANES + b) * NR,
                           s->rows * NR);
    }
}

/* Seeds of the DENSE and GRAM blocks go where the gradient has them. */
static void carry_others(const Jacobian *j, const Part *p) {
    Batch *q = p->q;
    real *rbar = q->acc + j->small;
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        if (k->kind != PDE_DIR_DENSE && k->kind != PDE_DIR_GRAM)
            continue;
        const double *from = j->total + j->small + p->other0[i] * j->h;
        for (long m = 0; m < k->count; m++)
            for (long h = 0; h < j->h; h++)
                rbar[(h / NR * q->K + k->row0 + m) * NR + h % NR] = (real)from[m * j->h + h];
        if (k->kind == PDE_DIR_GRAM)
            continue;
        q->source[k->source].bar = rbar + k->row0 * NR;
        q->source[k->source].bar_stride = q->K * NR;
    }
    gram_solve(q, rbar);
}

/* Every unit's seed becomes an entry of a batch that has room for it: all together have an entry
 * for every use of a coordinate.
 */
static void carry_units(Jacobian *j) {
    long next = 0;
    for (int i = 0; i < j->parts; i++) {
        Batch *q = j->part[i].q;
        int *start = q->entry_start;
        long n = least(q->entries, j->units - next);
        memset(start, 0, (size_t)(q->dim_blocks + 2) * sizeof *start);
        for (long u = next; u < next + n; u++)
            start[j->coordinate[u] / DIM_BLOCK + 2]++;
        for (long b = 2; b < q->dim_blocks + 2; b++)
            start[b] += start[b - 1];
        for (long u = next; u < next + n; u++)
            add_entry(q, start + 1, j->coordinate[u], 1, j->unit_seed + u * j->h, NR);
        next += n;
    }
    const double *from = j->total + j->small + j->others * j->h;
    for (long m = 0; m < j->units * j->h; m++)
        j->unit_seed[m] = (real)from[m];
}

static void jacobian_transposed(PdeJacobian *jacobian, const double *s) {
    Jacobian *j = (Jacobian *)jacobian;
    Engine *e = j->e;
    Transposed t = {.j = j, .s = s};
    for_columns(j, total_columns, &t);
    pde_pool_run(e->pool, without_vectors_task, &t, joint_count(j));
    joint_seeds(j);
    e->batches = e->stored = e->divided = 0;
    for (long i = 0; i < j->small; i++)
        e->small[i] = (real)j->total[i];
    for (int i = 0; i < j->parts; i++) {
        e->batch[e->batches++] = j->part[i].q;
        carry_vectors(&t, &j->part[i]);
        carry_others(j, &j->part[i]);
        if (e->affine)
            affine_seeds(e, j->part[i].q);
    }
    carry_units(j);
}

#endif
