/* Derivatives of order 1 and 2 along a few directions, for all points of a slab in one matrix.
 *
 * jet.h carries the tangents of one point at a time: right for dozens of directions, while two of them fill neither a
 * register tile nor the depth of a product. Here the rows of all points pass a layer in one product each way:
 *
 *     value                     Z_0   ->  A_0 = sigma(Z_0)
 *     direction k               Z_k   ->  A_k = s1 Z_k
 *     second derivative k       Y_k   ->  B_k = s1 Y_k + s2 Z_k^2
 *     or, where their sum is all that counts, once:   B = s1 Y + s2 sum_k Z_k^2
 *
 * with s1, s2, s3 the derivatives of sigma at Z_0. Rows of one kind are neighbours: row kind * nb + point.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_TOGETHER_H
#define PDE_RUNTIME_ENGINE_KERNELS_TOGETHER_H

#include "engine/kernels/slab.h"

/* One panel of a layer: rows of a kind are n numbers apart. y, b: of the second derivatives. */
typedef struct Kinds {
    const real *s1, *s2, *s3; /* [n] */
    const real *z, *y;        /* Z_1.., Y_1.. */
    real *a, *b;   /* forward: A_1.., B_1..; reverse: their seeds, which become those of Z and Y */
    real *a0;      /* reverse: seed of A_0, which becomes that of Z_0 */
    long n, first; /* first: directions of order 1 alone, which come after the others */
} Kinds;

/* K2: directions of order 2, a constant once inlined. bottom: the first layer, where Y is zero. */
INLINE void kinds_forward(const Kinds *k, long K2, int summed, int bottom) {
    for (long i = 0; i < k->n; i += VLEN) {
        vec s1 = LOAD(k->s1 + i), s2 = LOAD(k->s2 + i), square = {0};
        for (long m = 0; m < K2; m++) {
            vec z = LOAD(k->z + m * k->n + i);
            STORE(k->a + m * k->n + i, s1 * z);
            if (summed) {
                square += z * z;
            } else {
                vec b = s2 * (z * z);
                if (!bottom)
                    b += s1 * LOAD(k->y + m * k->n + i);
                STORE(k->b + m * k->n + i, b);
            }
        }
        if (summed) {
            vec b = s2 * square;
            if (!bottom)
                b += s1 * LOAD(k->y + i);
            STORE(k->b + i, b);
        }
        for (long m = K2; m < K2 + k->first; m++)
            STORE(k->a + m * k->n + i, s1 * LOAD(k->z + m * k->n + i));
    }
}

INLINE void kinds_reverse(const Kinds *k, long K2, int summed, int bottom) {
    for (long i = 0; i < k->n; i += VLEN) {
        vec s1 = LOAD(k->s1 + i), s2 = LOAD(k->s2 + i), s1_bar = {0}, s2_bar = {0}, square = {0};
        vec b = {0};
        if (summed)
            b = LOAD(k->b + i);
        for (long m = 0; m < K2; m++) {
            vec z = LOAD(k->z + m * k->n + i), a = LOAD(k->a + m * k->n + i);
            if (!summed)
                b = LOAD(k->b + m * k->n + i);
            s1_bar += z * a;
            STORE(k->a + m * k->n + i, s1 * a + 2 * s2 * z * b);
            if (summed) {
                square += z * z;
                continue;
            }
            s2_bar += z * z * b;
            if (!bottom) {
                s1_bar += LOAD(k->y + m * k->n + i) * b;
                STORE(k->b + m * k->n + i, s1 * b);
            }
        }
        if (summed) {
            s2_bar = square * b;
            if (!bottom) {
                s1_bar += LOAD(k->y + i) * b;
                STORE(k->b + i, s1 * b);
            }
        }
        for (long m = K2; m < K2 + k->first; m++) {
            vec a = LOAD(k->a + m * k->n + i);
            s1_bar += LOAD(k->z + m * k->n + i) * a;
            STORE(k->a + m * k->n + i, s1 * a);
        }
        vec a0 = s1 * LOAD(k->a0 + i) + s2 * s1_bar;
        if (K2)
            a0 += LOAD(k->s3 + i) * s2_bar;
        STORE(k->a0 + i, a0);
    }
}

#define KINDS_OF(way)                                                                              \
    static void kinds_##way##_any(const Kinds *k, long K2, int summed, int bottom) {               \
        switch (K2 * 4 + summed * 2 + bottom) {                                                    \
        case 0:                                                                                    \
            kinds_##way(k, 0, 0, 0);                                                               \
            break;                                                                                 \
        case 1:                                                                                    \
            kinds_##way(k, 0, 0, 1);                                                               \
            break;                                                                                 \
            KINDS_COUNT(way, 1)                                                                    \
            KINDS_COUNT(way, 2)                                                                    \
            KINDS_COUNT(way, 3)                                                                    \
        default:                                                                                   \
            kinds_##way(k, K2, summed, bottom);                                                    \
        }                                                                                          \
    }
#define KINDS_COUNT(way, count)                                                                    \
    case count * 4:                                                                                \
        kinds_##way(k, count, 0, 0);                                                               \
        break;                                                                                     \
    case count * 4 + 1:                                                                            \
        kinds_##way(k, count, 0, 1);                                                               \
        break;                                                                                     \
    case count * 4 + 2:                                                                            \
        kinds_##way(k, count, 1, 0);                                                               \
        break;                                                                                     \
    case count * 4 + 3:                                                                            \
        kinds_##way(k, count, 1, 1);                                                               \
        break;
KINDS_OF(forward)
KINDS_OF(reverse)
#undef KINDS_COUNT
#undef KINDS_OF

INLINE long together_rows(const Slab *s) {
    return s->nb * s->q->together;
}

/* Panel p of layer l; to: rows A forward, their seeds in reverse. */
static Kinds kinds_of(const Slab *s, int l, long p, real *to) {
    const Batch *q = s->q;
    const Work *w = s->w;
    long n = s->nb * NR, at = p * together_rows(s) * NR;
    return (Kinds){.s1 = w->s[l][1] + p * n,
                   .s2 = w->s[l][2] + p * n,
                   .s3 = w->s[l][3] + p * n,
                   .z = w->t[l] + at + n,
                   .y = w->t[l] + at + (1 + q->K) * n,
                   .a = to + at + n,
                   .b = to + at + (1 + q->K) * n,
                   .a0 = to + at,
                   .n = n,
                   .first = q->K - q->K2};
}

/* Rows Z of the first layer. */
static void together_begin(const Slab *s) {
    const Batch *q = s->q;
    long rows = together_rows(s), np = panels(s->e->h1);
    real *z = s->w->t[0];
    for (long p = 0; p < np; p++)
        memcpy(z + p * rows * NR, q->source[0].value + (p * q->points + s->b0) * NR,
               (size_t)(s->nb * NR) * sizeof(real));
    for (long r = 0; r < s->nb && q->K; r++) {
        const real *from = point_rows(s, s->b0 + r);
        for (long p = 0; p < np; p++)
            for (long k = 0; k < q->K; k++)
                memcpy(z + (p * rows + (1 + k) * s->nb + r) * NR, from + (p * q->K + k) * NR,
                       NR * sizeof(real));
    }
}

static void together_forward(const Slab *s) {
    Engine *e = s->e;
    const Batch *q = s->q;
    Work *w = s->w;
    long rows = together_rows(s);
    together_begin(s);
    for (int l = 0; l < e->hidden; l++) {
        const Layer *y = &e->layer[l];
        real *z = w->t[l];
        if (l)
            product_nn(z, rows * NR, w->a[l - 1], rows * NR, e->theta + y->w, rows, y->in, y->out,
                       0);
        for (long p = 0, n = s->nb * NR; p < panels(y->out); p++) {
            real *to[] = {w->a[l] + p * rows * NR, w->s[l][1] + p * n, w->s[l][2] + p * n,
                          w->s[l][3] + p * n};
            add_bias(z + p * rows * NR, e->theta + y->b + p * NR, s->nb, 1);
            e->activation(z + p * rows * NR, to, n, 3);
            if (q->K) {
                Kinds k = kinds_of(s, l, p, w->a[l]);
                kinds_forward_any(&k, q->K2, q->summed, l == 0);
            }
        }
    }
    const Layer *last = &e->layer[e->hidden];
    for (long o = 0; o < e->n_out; o++) {
        real *out = w->out + o * rows;
        rows_dot(out, w->a[e->hidden - 1], rows * NR, last->wt + o * NR, e->n_out * NR, rows,
                 panels(last->in));
        for (long r = 0; r < s->nb; r++)
            w->n[(o / NR * s->nb + r) * NR + o % NR] = out[r] + e->theta[last->b + o];
    }
}

/* Residual and seeds of every point: the rows' outputs become the seeds of their outputs. */
static void together_combine(const Slab *s) {
    const Batch *q = s->q;
    Work *w = s->w;
    long rows = together_rows(s), nb = s->nb, K = q->K, K2 = q->K2, n_out = s->e->n_out;
    for (long r = 0; r < nb; r++) {
        for (long o = 0; o < n_out && K; o++) {
            real *out = w->out + o * rows + r;
            for (long k = 0; k < K; k++)
                w->d[0][o * K + k] = out[(1 + k) * nb];
            for (long k = 0; k < K && K2; k++)
                w->d[1][o * K + k] = k < (q->summed ? 1 : K2) ? out[(1 + K + k) * nb] : 0;
        }
        point_combine(s, r);
        for (long o = 0; o < n_out && s->acc; o++) {
            real *out = w->out + o * rows + r;
            *out = w->nbar[(o / NR * nb + r) * NR + o % NR];
            for (long k = 0; k < K; k++)
                out[(1 + k) * nb] = w->seed[0][o * K + k];
            for (long k = 0; k < (q->summed ? 1 : K2); k++)
                out[(1 + K + k) * nb] = w->seed[1][o * K + k];
        }
    }
}

/* From the seeds of all outputs to those of the last layer's rows, and the output layer's gradient. */
static void together_outputs(const Slab *s, real *bar) {
    const Engine *e = s->e;
    const Layer *last = &e->layer[e->hidden];
    Work *w = s->w;
    long rows = together_rows(s), np = panels(last->in);
    for (long p = 0; p < np; p++)
        for (long row = 0; row < rows; row++) {
            vec v0 = {0}, v1 = {0};
            for (long o = 0; o < e->n_out; o++) {
                const real *weight = last->wt + (p * e->n_out + o) * NR;
                v0 += LOAD(weight) * w->out[o * rows + row];
                v1 += LOAD(weight + VLEN) * w->out[o * rows + row];
            }
            STORE(bar + (p * rows + row) * NR, v0);
            STORE(bar + (p * rows + row) * NR + VLEN, v1);
        }
    for (long o = 0; o < e->n_out; o++) {
        const real *seed = w->out + o * rows;
        real *dw = acc_at(s, last->w) + o / NR * last->in * NR + o % NR, *db = acc_at(s, last->b);
        memset(w->bar[2], 0, (size_t)(np * NR) * sizeof(real));
        rows_combine(w->bar[2], NR, w->a[e->hidden - 1], rows * NR, seed, rows, np);
        for (long i = 0; i < last->in; i++)
            dw[i * NR] += w->bar[2][i];
        for (long r = 0; r < s->nb; r++)
            db[o] += seed[r];
    }
}

INLINE real point_input(const Batch *q, long b, long i) {
    const real *x = q->base.x;
    return x[(b / PDE_LANES * q->engine->n_in + i) * PDE_LANES + b % PDE_LANES];
}

/* x' z1bar of the slab, into the chunk's sum. */
static void points_gradient(const Slab *s, const real *bar) {
    const Batch *q = s->q;
    long n_in = s->e->n_in, nb = s->nb, odd = nb % 2;
    for (long p = 0; p < panels(s->e->h1); p++, bar += together_rows(s) * NR)
        for (long i = 0; i < n_in; i++) {
            real *to = acc_first(q, s->acc) + (p * n_in + i) * NR;
            real x = odd ? point_input(q, s->b0, i) : 0;
            vec a0 = LOAD(to) + LOAD(bar) * x, a1 = LOAD(to + VLEN) + LOAD(bar + VLEN) * x;
            vec b0 = {0}, b1 = {0};
            for (long r = odd; r < nb; r += 2) {
                const real *row = bar + r * NR;
                real y = point_input(q, s->b0 + r + 1, i);
                x = point_input(q, s->b0 + r, i);
                a0 += LOAD(row) * x;
                a1 += LOAD(row + VLEN) * x;
                b0 += LOAD(row + NR) * y;
                b1 += LOAD(row + NR + VLEN) * y;
            }
            STORE(to, a0 + b0);
            STORE(to + VLEN, a1 + b1);
        }
}

/* Seeds of Z_0 and of the directions of the first layer to their places. */
static void together_done(const Slab *s, const real *bar) {
    Batch *q = s->q;
    long rows = together_rows(s), np = panels(s->e->h1), K = q->K, n = s->nb * NR;
    real *rbar = acc_rbar(s);
    for (long r = 0; r < s->nb && q->point_rows; r++) {
        for (long p = 0; p < np; p++)
            for (long k = 0; k < K; k++)
                rows_sum(rbar + (p * K + k) * NR, bar + (p * rows + (1 + k) * s->nb + r) * NR, 0, 1,
                         1);
        point_rows_done(s, s->b0 + r);
    }
    if (q->in_chunks)
        points_gradient(s, bar);
    for (long p = 0; p < np; p++) {
        real *to = q->z1bar + (p * q->points + s->b0) * NR;
        for (long k = 0; k < K && !q->point_rows; k++)
            rows_sum(rbar + (p * K + k) * NR, bar + (p * rows + (1 + k) * s->nb) * NR, 0, s->nb, 1);
        for (long i = 0; i < n; i += VLEN)
            STORE(to + i, LOAD(to + i) + LOAD(bar + p * rows * NR + i));
    }
}

static void together_reverse(const Slab *s) {
    Engine *e = s->e;
    const Batch *q = s->q;
    Work *w = s->w;
    long rows = together_rows(s);
    real *bar = w->tbar[0], *below = w->tbar[1];
    together_outputs(s, bar);
    for (int l = e->hidden - 1; l >= 0; l--) {
        const Layer *y = &e->layer[l];
        for (long p = 0; p < panels(y->out); p++) {
            Kinds k = kinds_of(s, l, p, bar);
            kinds_reverse_any(&k, q->K2, q->summed, l == 0);
        }
        rows_sum(acc_at(s, y->b), bar, rows * NR, s->nb, panels(y->out));
        if (l == 0)
            break;
        product_tn(acc_at(s, y->w), w->a[l - 1], rows * NR, bar, rows * NR, rows, y->in, y->out, 0);
        product_nn(below, rows * NR, bar, rows * NR, y->wt, rows, y->out, y->in, 0);
        real *swap = bar;
        bar = below;
        below = swap;
    }
    together_done(s, bar);
}

static void together_slab(const Slab *s) {
    together_forward(s);
    together_combine(s);
    if (s->acc)
        together_reverse(s);
}

#endif
