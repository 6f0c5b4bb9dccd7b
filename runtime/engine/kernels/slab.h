/* Values and their reverse for a slab of nb points: the parts that both jet forms share.
 * Matrices of a slab are panel matrices with nb rows, so panel stride is nb * NR.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_SLAB_H
#define PDE_RUNTIME_ENGINE_KERNELS_SLAB_H

#include "engine/kernels/rows.h"
#include "engine/kernels/state.h"

typedef struct Slab {
    Engine *e;
    Batch *q;
    Work *w;
    long b0, nb;
    real *acc; /* gradient of this chunk: small, then Rbar; NULL: values only */
    const PdeTaskSpec *task;
    int worker;
    int one; /* 1 + the only residual whose seeds count; 0: all, by multipliers */
} Slab;

/* Where the gradient of the parameter at offset `at` is summed. */
INLINE real *acc_at(const Slab *s, long at) {
    return s->acc + (at - s->e->small0);
}

INLINE real *acc_rbar(const Slab *s) {
    return s->acc + (s->e->size - s->e->small0);
}

/* Seeds of the rows of order 2: among those of all directions, or of the rotated rows. */
INLINE real *acc_second(const Slab *s) {
    return acc_rbar(s) + (s->q->turned ? panels(s->e->h1) * s->q->K * NR : 0);
}

static void add_bias(real *z, const real *bias, long nb, long np) {
    for (long p = 0; p < np; p++) {
        vec b0 = LOAD(bias + p * NR), b1 = LOAD(bias + p * NR + VLEN);
        for (long r = 0; r < nb; r++, z += NR) {
            STORE(z, LOAD(z) + b0);
            STORE(z + VLEN, LOAD(z + VLEN) + b1);
        }
    }
}

/* z and sigma^(m)(z) of every layer, and the outputs w->n (nb x n_out). */
static void slab_values(const Slab *s) {
    Engine *e = s->e;
    Work *w = s->w;
    long nb = s->nb, np = panels(e->h1);
    int order = s->q->order > 2 ? 5 : 3;
    for (long p = 0; p < np; p++)
        memcpy(w->z + p * nb * NR, s->q->source[0].value + (p * s->q->points + s->b0) * NR,
               (size_t)(nb * NR) * sizeof(real));
    for (int l = 0; l < e->hidden; l++) {
        const Layer *y = &e->layer[l];
        np = panels(y->out);
        if (l)
            product_nn(w->z, nb * NR, w->s[l - 1][0], nb * NR, e->theta + y->w, nb, y->in, y->out,
                       0);
        add_bias(w->z, e->theta + y->b, nb, np);
        e->activation(w->z, w->s[l], np * nb * NR, order);
    }
    const Layer *y = &e->layer[e->hidden];
    product_nn(w->n, nb * NR, w->s[e->hidden - 1][0], nb * NR, e->theta + y->w, nb, y->in, y->out,
               0);
    add_bias(w->n, e->theta + y->b, nb, panels(y->out));
}

/* From the seeds of the outputs (w->nbar) and of sigma^(m) (w->sbar, m = 1 .. top) to the gradient
 * of weights and biases, and the seed of z1.
 */
static void slab_reverse(const Slab *s, int top) {
    Engine *e = s->e;
    Work *w = s->w;
    long nb = s->nb;
    real *abar = w->bar[0], *zbar = w->bar[1];
    const Layer *y = &e->layer[e->hidden];
    rows_sum(acc_at(s, y->b), w->nbar, nb * NR, nb, panels(y->out));
    product_tn(acc_at(s, y->w), w->s[e->hidden - 1][0], nb * NR, w->nbar, nb * NR, nb, y->in,
               y->out, 0);
    product_nn(abar, nb * NR, w->nbar, nb * NR, y->wt, nb, y->out, y->in, 0);
    for (int l = e->hidden - 1; l >= 0; l--) {
        y = &e->layer[l];
        long np = panels(y->out);
        for (long i = 0; i < np * nb * NR; i += VLEN) {
            vec v = LOAD(abar + i) * LOAD(w->s[l][1] + i);
            for (int m = 1; m <= top; m++)
                v += LOAD(w->sbar[l][m] + i) * LOAD(w->s[l][m + 1] + i);
            STORE(zbar + i, v);
        }
        rows_sum(acc_at(s, y->b), zbar, nb * NR, nb, np);
        if (l == 0)
            break;
        product_tn(acc_at(s, y->w), w->s[l - 1][0], nb * NR, zbar, nb * NR, nb, y->in, y->out, 0);
        product_nn(abar, nb * NR, zbar, nb * NR, y->wt, nb, y->out, y->in, 0);
    }
    for (long p = 0; p < panels(e->h1); p++) {
        real *to = s->q->z1bar + (p * s->q->points + s->b0) * NR;
        for (long i = 0; i < nb * NR; i++)
            to[i] += zbar[p * nb * NR + i];
    }
}

/* Before the points of a chunk: the shared rows once, and seeds of z1 at zero. */
static void chunk_begin(const Slab *s, long b0, long b1) {
    Batch *q = s->q;
    long np = panels(s->e->h1);
    if (q->point_rows)
        memcpy(s->w->r, q->r, (size_t)(np * q->K * NR) * sizeof(real));
    if (!s->acc)
        return;
    memset(s->acc, 0, (size_t)q->acc_size * sizeof(real));
    for (long p = 0; p < np; p++)
        memset(q->z1bar + (p * q->points + b0) * NR, 0, (size_t)((b1 - b0) * NR) * sizeof(real));
}

/* Panel p of the place that direction j of a point's block comes from, or its seed goes to. */
static const real *point_row(const Slab *s, int i, long j, long b, long p) {
    const Batch *q = s->q;
    const Block *k = &q->block[i];
    const Source *from = &q->source[k->source];
    if (k->kind == PDE_DIR_POINT_UNIT)
        return s->e->theta + (p * s->e->n_in + q->base.block[i].index[b * k->count + j]) * NR;
    return from->value + (p * from->rows + j * q->groups * PDE_LANES + b) * NR;
}

static real *point_row_bar(const Slab *s, int i, long j, long b, long p) {
    Batch *q = s->q;
    Block *k = &q->block[i];
    if (k->kind == PDE_DIR_POSITION)
        return q->z1bar + (p * q->points + b) * NR;
    if (is_point_index(k->kind))
        return k->rbar + ((p * q->points + b) * k->count + j) * NR;
    return k->rbar + (p * q->source[k->source].rows + j * q->groups * PDE_LANES + b) * NR;
}

/* Panel p of sum_e coefficient_e * row index_e of W1, for direction j of point b. */
static void sparse_row(const Slab *s, int i, long j, long b, long p, real *to) {
    const Batch *q = s->q;
    const Block *k = &q->block[i];
    long at = (b * k->count + j) * k->entries;
    const uint32_t *index = q->base.block[i].index + at;
    const real *c = (const real *)q->base.block[i].coefficient + at;
    vec v0 = {0}, v1 = {0};
    for (long e = 0; e < k->entries; e++) {
        const real *w = s->e->theta + (p * s->e->n_in + index[e]) * NR;
        v0 += LOAD(w) * c[e];
        v1 += LOAD(w + VLEN) * c[e];
    }
    STORE(to, v0);
    STORE(to + VLEN, v1);
}

/* First-layer tangents of one point: the shared matrix, or a copy with the point's own rows. */
static const real *point_rows(const Slab *s, long b) {
    Batch *q = s->q;
    if (!q->point_rows)
        return q->r;
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        if (!is_point_kind(k->kind))
            continue;
        for (long j = 0; j < k->count; j++)
            for (long p = 0; p < panels(s->e->h1); p++) {
                real *to = s->w->r + (p * q->K + k->row0 + j) * NR;
                if (k->kind == PDE_DIR_POINT_SPARSE)
                    sparse_row(s, i, j, b, p, to);
                else
                    memcpy(to, point_row(s, i, j, b, p), NR * sizeof(real));
            }
    }
    return s->w->r;
}

/* Takes the seeds of the point's own rows out of the chunk's Rbar, where those of the shared
 * directions stay.
 */
static void point_rows_done(const Slab *s, long b) {
    Batch *q = s->q;
    if (!q->point_rows)
        return;
    for (int i = 0; i < q->blocks; i++) {
        Block *k = &q->block[i];
        if (!is_point_kind(k->kind))
            continue;
        for (long j = 0; j < k->count; j++)
            for (long p = 0; p < panels(s->e->h1); p++) {
                real *from = acc_rbar(s) + (p * q->K + k->row0 + j) * NR;
                memcpy(point_row_bar(s, i, j, b, p), from, NR * sizeof(real));
                memset(from, 0, NR * sizeof(real));
            }
    }
}

/* Calls combine for one point, then folds the residuals' seeds with their multipliers into
 * w->seed[m] ([n_out][K]) and row r of w->nbar.
 */
static void point_combine(const Slab *s, long r) {
    Work *w = s->w;
    Batch *q = s->q;
    long n_out = s->e->n_out, nk = n_out * q->K, b = s->b0 + r;
    PdeJet jet = {
        .point = b, .worker = s->worker, .only = s->one, .n = w->value, .residual = w->residual};
    for (long o = 0; o < n_out; o++)
        w->value[o] = w->n[(o / NR * s->nb + r) * NR + o % NR];
    for (int m = 0; m < q->order; m++)
        jet.d[m] = w->d[m];
    if (s->acc) {
        jet.seed_n = w->seed_n;
        memset(w->seed_n, 0, (size_t)(q->residuals * n_out) * sizeof(real));
        for (int m = 0; m < q->order; m++) {
            jet.seed_d[m] = w->seed_d[m];
            memset(w->seed_d[m], 0, (size_t)(q->residuals * nk) * sizeof(real));
        }
    }
    s->task->combine(s->task->context, &jet);
    for (long i = 0; i < q->residuals && s->task->residual; i++)
        if (!s->one || i == s->one - 1)
            ((real *)s->task->residual)[b * q->residuals + i] = w->residual[i];
    if (!s->acc)
        return;
    for (long i = 0; i < panels(n_out); i++)
        memset(w->nbar + (i * s->nb + r) * NR, 0, NR * sizeof(real));
    for (long i = 0; i < q->residuals; i++) {
        const real *given = s->task->multiplier;
        double scale = s->task->scale * (s->task->factor ? s->task->factor[i] : 1);
        real f = given ? given[b * q->residuals + i] : (real)scale * w->residual[i];
        if (s->one)
            f = i == s->one - 1 ? (real)s->task->scale : 0;
        for (long o = 0; o < n_out; o++)
            w->nbar[(o / NR * s->nb + r) * NR + o % NR] += f * w->seed_n[i * n_out + o];
        for (int m = 0; m < q->order; m++)
            for (long j = 0; j < nk; j++)
                w->seed[m][j] = (i ? w->seed[m][j] : 0) + f * w->seed_d[m][i * nk + j];
    }
}

#endif
