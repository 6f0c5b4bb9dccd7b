/* Directional derivatives of order 1..4 by Taylor rows (Faa di Bruno), forward and reverse.
 *
 * For each direction the rows Z_m = d^m z / ds^m pass through a linear layer by the same matrix and
 * through an activation by
 *     A1 = s1 Z1                                A3 = s1 Z3 + 3 s2 Z1 Z2 + s3 Z1^3
 *     A2 = s1 Z2 + s2 Z1^2                      A4 = s1 Z4 + s2 (4 Z1 Z3 + 3 Z2^2) + 6 s3 Z1^2 Z2
 *                                                    + s4 Z1^4
 * The rows of all orders of a point form one matrix (row m*K + k), so each layer is one product.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_TAYLOR_H
#define PDE_RUNTIME_ENGINE_KERNELS_TAYLOR_H

#include "engine/kernels/slab.h"

/* The vectors that an activation needs at one place: s[m] = sigma^(m), m = 1..4. */
INLINE void taylor_activate(const vec *s, const vec *z, vec *a, int order) {
    vec q = z[1] * z[1];
    a[1] = s[1] * z[1];
    a[2] = s[1] * z[2] + s[2] * q;
    a[3] = s[1] * z[3] + s[2] * z[1] * z[2] * 3 + s[3] * q * z[1];
    if (order > 3)
        a[4] = s[1] * z[4] + s[2] * (z[1] * z[3] * 4 + z[2] * z[2] * 3) + s[3] * q * z[2] * 6 +
               s[4] * q * q;
}

/* Reverse of taylor_activate: b[m] = seed of A_m becomes the seed of Z_m; sb[m] += seed of s_m. */
INLINE void taylor_activate_reverse(const vec *s, const vec *z, vec *b, vec *sb, int order) {
    vec q = z[1] * z[1], zero = {0}, b4 = order > 3 ? b[4] : zero, z3 = z[3];
    vec z4 = order > 3 ? z[4] : zero, s4 = order > 3 ? s[4] : zero;
    sb[1] += z[1] * b[1] + z[2] * b[2] + z3 * b[3] + z4 * b4;
    sb[2] += q * b[2] + z[1] * z[2] * b[3] * 3 + (z[1] * z3 * 4 + z[2] * z[2] * 3) * b4;
    sb[3] += q * z[1] * b[3] + q * z[2] * b4 * 6;
    sb[4] += q * q * b4;
    vec y1 = s[1] * b[1] + s[2] * z[1] * b[2] * 2 + (s[2] * z[2] + s[3] * q) * b[3] * 3 +
             (s[2] * z3 + s[3] * z[1] * z[2] * 3 + s4 * q * z[1]) * b4 * 4;
    vec y2 = s[1] * b[2] + s[2] * z[1] * b[3] * 3 + (s[2] * z[2] + s[3] * q) * b4 * 6;
    b[3] = s[1] * b[3] + s[2] * z[1] * b4 * 4;
    b[1] = y1;
    b[2] = y2;
    if (order > 3)
        b[4] = s[1] * b4;
}

/* Rows Z of one layer to rows A; reverse when bar is given (seeds of A in, of Z out). */
static void taylor_layer(const Slab *s, int l, long r, const real *z, real *a, real *bar) {
    Work *w = s->w;
    long K = s->q->K, stride = s->q->order * K * NR;
    int order = s->q->order;
    for (long p = 0; p < panels(s->e->layer[l].out); p++)
        for (long j = 0; j < NR; j += VLEN) {
            vec sm[5], zm[5] = {{0}}, am[5], sb[5] = {{0}};
            long at = (p * s->nb + r) * NR + j;
            for (int m = 1; m <= 4; m++)
                sm[m] = LOAD(w->s[l][m] + at);
            for (long k = 0; k < K; k++) {
                long row = p * stride + k * NR + j, step = K * NR;
                for (int m = 1; m <= order; m++)
                    zm[m] = LOAD(z + row + (m - 1) * step);
                if (bar) {
                    for (int m = 1; m <= order; m++)
                        am[m] = LOAD(bar + row + (m - 1) * step);
                    taylor_activate_reverse(sm, zm, am, sb, order);
                } else {
                    taylor_activate(sm, zm, am, order);
                }
                real *to = bar ? bar : a;
                for (int m = 1; m <= order; m++)
                    STORE(to + row + (m - 1) * step, am[m]);
            }
            for (int m = 1; m <= 4 && bar; m++)
                STORE(w->sbar[l][m] + at, sb[m]);
        }
}

static void taylor_forward(const Slab *s, long r, const real *rows) {
    Engine *e = s->e;
    Work *w = s->w;
    long K = s->q->K, n = s->q->order * K, np = panels(e->h1);
    memset(w->t[0], 0, (size_t)(np * n * NR) * sizeof(real));
    for (long p = 0; p < np; p++)
        memcpy(w->t[0] + p * n * NR, rows + p * K * NR, (size_t)(K * NR) * sizeof(real));
    for (int l = 0; l < e->hidden; l++) {
        const Layer *y = &e->layer[l];
        if (l)
            product_nn(w->t[l], n * NR, w->a[l - 1], n * NR, e->theta + y->w, n, y->in, y->out, 0);
        taylor_layer(s, l, r, w->t[l], w->a[l], NULL);
    }
    const Layer *last = &e->layer[e->hidden];
    for (long o = 0; o < e->n_out; o++)
        for (int m = 0; m < s->q->order; m++)
            rows_dot(w->d[m] + o * K, w->a[e->hidden - 1] + m * K * NR, n * NR, last->wt + o * NR,
                     e->n_out * NR, K, panels(last->in));
}

static void taylor_reverse(const Slab *s, long r) {
    Engine *e = s->e;
    Work *w = s->w;
    long K = s->q->K, n = s->q->order * K;
    const Layer *last = &e->layer[e->hidden];
    real *bar = w->tbar[0], *below = w->tbar[1];
    memset(bar, 0, (size_t)(panels(last->in) * n * NR) * sizeof(real));
    for (long o = 0; o < e->n_out; o++)
        for (int m = 0; m < s->q->order; m++) {
            const real *seed = w->seed[m] + o * K, *a = w->a[e->hidden - 1] + m * K * NR;
            rows_spread(bar + m * K * NR, n * NR, last->wt + o * NR, e->n_out * NR, seed, K,
                        panels(last->in));
            memset(w->bar[2], 0, (size_t)e->widest * sizeof(real));
            rows_combine(w->bar[2], NR, a, n * NR, seed, K, panels(last->in));
            real *dw = acc_at(s, last->w) + o / NR * last->in * NR + o % NR;
            for (long i = 0; i < last->in; i++)
                dw[i * NR] += w->bar[2][i];
        }
    for (int l = e->hidden - 1; l >= 0; l--) {
        const Layer *y = &e->layer[l];
        taylor_layer(s, l, r, w->t[l], NULL, bar);
        if (l == 0)
            break;
        product_tn(acc_at(s, y->w), w->a[l - 1], n * NR, bar, n * NR, n, y->in, y->out, 0);
        product_nn(below, n * NR, bar, n * NR, y->wt, n, y->out, y->in, 0);
        real *swap = bar;
        bar = below;
        below = swap;
    }
    real *rbar = acc_rbar(s);
    for (long p = 0; p < panels(e->h1); p++)
        for (long i = 0; i < K * NR; i++)
            rbar[p * K * NR + i] += bar[p * n * NR + i];
    point_rows_done(s, s->b0 + r);
}

static void taylor_slab(const Slab *s) {
    slab_values(s);
    for (long r = 0; r < s->nb; r++) {
        taylor_forward(s, r, point_rows(s, s->b0 + r));
        point_combine(s, r);
        if (s->acc)
            taylor_reverse(s, r);
    }
    if (s->acc)
        slab_reverse(s, s->q->order);
}

#endif
