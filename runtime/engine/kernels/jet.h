/* Directional derivatives of order 1 and 2 in adjoint form, forward and reverse.
 *
 * With adjoints lambda_l = dN/da_l, g_l = lambda_l sigma'(z_l) = dN/dz_l, c_l = lambda_l
 * sigma''(z_l) and tangents T_0 = R, T_{l+1} = (T_l sigma'(z_l)) W_{l+1}:
 *
 *     N1[k] = R[k] . g_0            N2[k] = sum_l c_l . T_l[k]^2
 *
 * No second-order row is carried, and first-order derivatives need no tangents at all. A point's
 * residual is known as soon as its tangents are, so its forward and reverse run back to back in
 * cache; values, adjoints and their reverse are done for a slab of points together. The rows of T
 * are independent of each other, so a seed per direction is one factor per row.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_JET_H
#define PDE_RUNTIME_ENGINE_KERNELS_JET_H

#include "engine/kernels/slab.h"

/* lambda, g and c of every layer for output o. */
static void slab_adjoint(const Slab *s, long o) {
    Engine *e = s->e;
    Work *w = s->w;
    long nb = s->nb;
    real **lambda = w->lambda + o * e->hidden, **g = w->g + o * e->hidden;
    for (int l = e->hidden - 1; l >= 0; l--) {
        const Layer *above = &e->layer[l + 1];
        long np = panels(above->in);
        if (l == e->hidden - 1) {
            for (long p = 0; p < np; p++)
                for (long r = 0; r < nb; r++)
                    memcpy(lambda[l] + (p * nb + r) * NR, above->wt + (p * e->n_out + o) * NR,
                           NR * sizeof(real));
        } else {
            product_nn(lambda[l], nb * NR, g[l + 1], nb * NR, above->wt, nb, above->out, above->in,
                       0);
        }
        real *c = w->c[o * e->hidden + l];
        for (long i = 0; i < np * nb * NR; i += VLEN) {
            vec x = LOAD(lambda[l] + i);
            STORE(g[l] + i, x * LOAD(w->s[l][1] + i));
            STORE(c + i, x * LOAD(w->s[l][2] + i));
        }
    }
}

/* Reverse of slab_adjoint: from the seeds of g_0 (in w->bar[0]) and of c (w->cbar) to the gradient
 * of the weights and the seeds of sigma', sigma''.
 */
static void slab_adjoint_reverse(const Slab *s, long o) {
    Engine *e = s->e;
    Work *w = s->w;
    long nb = s->nb;
    real *gbar = w->bar[0], *lbar = w->bar[1];
    for (int l = 0; l < e->hidden; l++) {
        const Layer *above = &e->layer[l + 1];
        const real *lambda = w->lambda[o * e->hidden + l], *cbar = w->cbar[o * e->hidden + l];
        for (long i = 0, n = panels(above->in) * nb * NR; i < n; i += VLEN) {
            vec gb = LOAD(gbar + i), cb = LOAD(cbar + i), x = LOAD(lambda + i);
            STORE(lbar + i, gb * LOAD(w->s[l][1] + i) + cb * LOAD(w->s[l][2] + i));
            STORE(w->sbar[l][1] + i, LOAD(w->sbar[l][1] + i) + gb * x);
            STORE(w->sbar[l][2] + i, LOAD(w->sbar[l][2] + i) + cb * x);
        }
        if (l < e->hidden - 1) {
            product_tn(acc_at(s, above->w), lbar, nb * NR, w->g[o * e->hidden + l + 1], nb * NR, nb,
                       above->in, above->out, 0);
            product_nn(gbar, nb * NR, lbar, nb * NR, e->theta + above->w, nb, above->in, above->out,
                       0);
        } else {
            real *dw = acc_at(s, above->w) + o / NR * above->in * NR + o % NR;
            for (long i = 0; i < above->in; i++)
                for (long r = 0; r < nb; r++)
                    dw[i * NR] += lbar[(i / NR * nb + r) * NR + i % NR];
        }
    }
}

/* T = A W, and A' = T * s1 where the next layer needs it. upper: A is upper triangular, so a tile
 * that begins at row r skips the panels left of column r.
 */
static void tangent_forward(real *t, real *next, const real *a, long stride, const real *weight,
                            const real *s1, long s_stride, long rows, long k, long n, int upper) {
    for (long j = 0; j < panels(n); j++, s1 += s_stride) {
        for (long r = 0; r < rows; r += MR) {
            long at = j * stride + r * NR, skip = upper ? r / NR : 0;
#define CALL(m)                                                                                    \
    do {                                                                                           \
        vec c[m][2];                                                                               \
        tile_zero(c, m);                                                                           \
        tile_nn(c, m, a + r * NR + skip * stride, stride, weight + (j * k + skip * NR) * NR,       \
                k - skip * NR);                                                                    \
        tile_store(c, m, t + at);                                                                  \
        if (next) {                                                                                \
            UNROLL_ROWS for (int i = 0; i < m; i++) {                                              \
                c[i][0] *= LOAD(s1);                                                               \
                c[i][1] *= LOAD(s1 + VLEN);                                                        \
            }                                                                                      \
            tile_store(c, m, next + at);                                                           \
        }                                                                                          \
    } while (0)
            TILE_SWITCH(least(MR, rows - r), CALL)
#undef CALL
        }
    }
}

/* One layer back: Abar = Tbar_above W', then
 *     Tbar = Abar s1 + 2 c seed[k] T,  s1bar += sum_k Abar T,  cbar += sum_k seed[k] T^2.
 */
typedef struct TangentBack {
    real *to; /* Tbar, or the sum of Rbar when add is set */
    const real *t;
    long stride;       /* of to and t */
    const real *above; /* Tbar of the layer above */
    long above_stride;
    const real *wt;
    const real *s1, *c; /* rows of slab matrices */
    real *s1bar, *cbar;
    long s_stride;
    const real *seed; /* [rows] */
    long rows, k, n;
    int add;
} TangentBack;

INLINE void tangent_back_tile(const TangentBack *b, long j, long r, int m) {
    vec c[MR][2];
    tile_zero(c, m);
    tile_nn(c, m, b->above + r * NR, b->above_stride, b->wt + j * b->k * NR, b->k);
    long v = j * b->s_stride;
    for (int q = 0; q < 2; q++, v += VLEN) {
        vec s1 = LOAD(b->s1 + v), c2 = LOAD(b->c + v) * 2;
        vec s1bar = LOAD(b->s1bar + v), cbar = LOAD(b->cbar + v);
        UNROLL_ROWS for (int i = 0; i < m; i++) {
            long at = j * b->stride + (r + i) * NR + q * VLEN;
            vec t = LOAD(b->t + at), ts = t * b->seed[r + i], x = c[i][q];
            s1bar += x * t;
            cbar += t * ts;
            x = x * s1 + ts * c2;
            if (b->add)
                x += LOAD(b->to + at);
            STORE(b->to + at, x);
        }
        STORE(b->s1bar + v, s1bar);
        STORE(b->cbar + v, cbar);
    }
}

static void tangent_back(const TangentBack *b) {
    for (long j = 0; j < panels(b->n); j++)
        for (long r = 0; r < b->rows; r += MR) {
#define CALL(m) tangent_back_tile(b, j, r, m)
            TILE_SWITCH(least(MR, b->rows - r), CALL)
#undef CALL
        }
}

/* Tbar (+)= 2 c seed[k] T and cbar += sum_k seed[k] T^2, for one layer and one output alone. */
static void tangent_seed(real *to, long to_stride, const real *t, long stride, const real *c,
                         real *cbar, long s_stride, const real *seed, long rows, long np, int add) {
    for (long p = 0; p < np; p++)
        for (long q = 0; q < NR; q += VLEN) {
            long v = p * s_stride + q;
            vec c2 = LOAD(c + v) * 2, sum = LOAD(cbar + v);
            for (long k = 0; k < rows; k++) {
                vec x = LOAD(t + p * stride + k * NR + q), xs = x * seed[k];
                real *y = to + p * to_stride + k * NR + q;
                sum += x * xs;
                xs *= c2;
                if (add)
                    xs += LOAD(y);
                STORE(y, xs);
            }
            STORE(cbar + v, sum);
        }
}

static void point_forward(const Slab *s, long r, const real *rows) {
    Engine *e = s->e;
    Batch *q = s->q;
    Work *w = s->w;
    long nb = s->nb, K = q->K, K2 = q->K2, np = panels(e->h1), top = e->hidden - 1;
    const real *second = q->turned ? q->rotated : rows;
    long second_stride = (q->turned ? K2 : K) * NR;
    if (K2 && top > 0)
        rows_times(w->a[0], K2 * NR, second, second_stride, w->s[0][1] + r * NR, nb * NR, K2, np);
    for (int l = 1; l <= top && K2; l++)
        tangent_forward(w->t[l], l < top ? w->a[l] : NULL, w->a[l - 1], K2 * NR,
                        e->theta + e->layer[l].w, w->s[l][1] + r * NR, nb * NR, K2, e->layer[l].in,
                        e->layer[l].out, q->triangular && l == 1);
    for (long o = 0; o < e->n_out; o++) {
        real *const *g = w->g + o * e->hidden, *const *c = w->c + o * e->hidden;
        rows_dot(w->d[0] + o * K, rows, K * NR, g[0] + r * NR, nb * NR, K, np);
        if (!K2)
            continue;
        real *n2 = w->d[1] + o * K;
        memset(n2, 0, (size_t)K * sizeof(real));
        rows_dot_square(n2, second, second_stride, c[0] + r * NR, nb * NR, K2, np);
        for (int l = 1; l <= top; l++)
            rows_dot_square(n2, w->t[l], K2 * NR, c[l] + r * NR, nb * NR, K2,
                            panels(e->layer[l].out));
    }
}

/* Second-order seeds of all outputs but the first, which tangent_back_tile has folded in. */
static void other_outputs(const Slab *s, int l, long r, real *to, long to_stride, const real *t,
                          long stride, long first, int add) {
    Engine *e = s->e;
    for (long o = first; o < e->n_out; o++)
        tangent_seed(to, to_stride, t, stride, s->w->c[o * e->hidden + l] + r * NR,
                     s->w->cbar[o * e->hidden + l] + r * NR, s->nb * NR,
                     s->w->seed[1] + o * s->q->K, s->q->K2, panels(e->layer[l].out), add || o > 0);
}

static void point_reverse(const Slab *s, long r, const real *rows) {
    Engine *e = s->e;
    Batch *q = s->q;
    Work *w = s->w;
    long nb = s->nb, K = q->K, K2 = q->K2, v = r * NR;
    real *rbar = acc_rbar(s), *above = w->tbar[0], *below = w->tbar[1];
    const real *second = q->turned ? q->rotated : rows;
    real *second_bar = acc_second(s);
    long second_stride = (q->turned ? K2 : K) * NR;
    for (long o = 0; o < e->n_out; o++) {
        const real *seed = w->seed[0] + o * K;
        if (all_zero(seed, K))
            continue;
        rows_combine(w->bar[2] + o * e->widest * SLAB + v, nb * NR, rows, K * NR, seed, K,
                     panels(e->h1));
        rows_spread(rbar, K * NR, w->g[o * e->hidden] + v, nb * NR, seed, K, panels(e->h1));
    }
    if (!K2 || all_zero(w->seed[1], e->n_out * K)) {
        point_rows_done(s, s->b0 + r);
        return;
    }
    int top = e->hidden - 1;
    if (top == 0)
        other_outputs(s, 0, r, second_bar, second_stride, second, second_stride, 0, 1);
    else
        other_outputs(s, top, r, above, K2 * NR, w->t[top], K2 * NR, 0, 0);
    for (int l = top; l > 0; l--) {
        const Layer *y = &e->layer[l];
        product_tn(acc_at(s, y->w), w->a[l - 1], K2 * NR, above, K2 * NR, K2, y->in, y->out,
                   q->triangular && l == 1);
        TangentBack b = {.to = l > 1 ? below : second_bar,
                         .t = l > 1 ? w->t[l - 1] : second,
                         .stride = l > 1 ? K2 * NR : second_stride,
                         .above = above,
                         .above_stride = K2 * NR,
                         .wt = y->wt,
                         .s1 = w->s[l - 1][1] + v,
                         .c = w->c[l - 1] + v,
                         .s1bar = w->sbar[l - 1][1] + v,
                         .cbar = w->cbar[l - 1] + v,
                         .s_stride = nb * NR,
                         .seed = w->seed[1],
                         .rows = K2,
                         .k = y->out,
                         .n = y->in,
                         .add = l == 1};
        tangent_back(&b);
        other_outputs(s, l - 1, r, b.to, b.stride, b.t, b.stride, 1, 1);
        real *swap = above;
        above = below;
        below = swap;
    }
    point_rows_done(s, s->b0 + r);
}

static void zero_slab(real *m, long width, long nb) {
    memset(m, 0, (size_t)(panels(width) * NR * nb) * sizeof(real));
}

static void jet_slab(const Slab *s) {
    Engine *e = s->e;
    Work *w = s->w;
    slab_values(s);
    for (long o = 0; o < e->n_out && s->q->K; o++)
        slab_adjoint(s, o);
    for (int l = 0; l < e->hidden && s->acc; l++) {
        zero_slab(w->sbar[l][1], e->layer[l].out, s->nb);
        zero_slab(w->sbar[l][2], e->layer[l].out, s->nb);
        for (long o = 0; o < e->n_out; o++)
            zero_slab(w->cbar[o * e->hidden + l], e->layer[l].out, s->nb);
    }
    for (long o = 0; o < e->n_out && s->acc; o++)
        zero_slab(w->bar[2] + o * e->widest * SLAB, e->h1, s->nb);
    for (long r = 0; r < s->nb; r++) {
        const real *rows = s->q->K ? point_rows(s, s->b0 + r) : NULL;
        if (rows)
            point_forward(s, r, rows);
        point_combine(s, r);
        if (rows && s->acc)
            point_reverse(s, r, rows);
    }
    if (!s->acc)
        return;
    for (long o = 0; o < e->n_out && s->q->K; o++) {
        memcpy(w->bar[0], w->bar[2] + o * e->widest * SLAB,
               (size_t)(panels(e->h1) * NR * s->nb) * sizeof(real));
        slab_adjoint_reverse(s, o);
    }
    slab_reverse(s, s->q->K ? 2 : 0);
}

#endif
