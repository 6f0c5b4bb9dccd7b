/* The first layer: products with W1 over n_in coordinates, and dW1 fused with the optimiser.
 *
 * Forward: v W1 for every source (x, dense directions), by leaves of coordinates (leaves.h).
 * Reverse: dW1 = sum over sources v' bar + scattered rows of unit directions + Gram term, one block
 * of DIM_BLOCK coordinates at a time, handed to the optimiser while it is in cache.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_FIRST_H
#define PDE_RUNTIME_ENGINE_KERNELS_FIRST_H

#include "engine/kernels/gram.h"
#include "engine/kernels/update.h"

enum { PRODUCT_BLOCK = 128 }; /* coordinates whose panel of W1 stays in the first-level cache */

/* tile_product over coordinates, asking for 4 lines of `ahead` every 8 steps: a burst of requests
 * would stall the products it is meant to feed.
 */
INLINE void tile_product_ahead(vec (*c)[2], int rows, const real *a, const real *b, long k,
                               const real *ahead, const real *end) {
    const long line = ALIGN / (long)sizeof(real);
    for (long p = 0; p < k; p += 8, a += 8 * PDE_LANES, b += 8 * NR) {
        for (int i = 0; i < 4 && ahead < end; i++, ahead += line)
            __builtin_prefetch(ahead, 0, 2);
        if (k - p >= 8)
            tile_product(c, rows, a, 1, PDE_LANES, b, 8);
        else
            tile_product(c, rows, a, 1, PDE_LANES, b, k - p);
    }
}

typedef struct FirstProduct {
    const Engine *e;
    const real *weights; /* W1, or what has its layout */
    const Source *s;
} FirstProduct;

/* Of no more hidden units than a register holds: only that half of a panel is multiplied. */
INLINE int is_narrow(const Engine *e) {
    return e->h1 <= VLEN;
}

/* `rows` rows of a group times a block of weights; `ahead`: the group's next block, of as many coordinates. */
INLINE void narrow_rows(real *to, int rows, const real *v, const real *w, long k, int add,
                        const real *ahead) {
    const long line = ALIGN / (long)sizeof(real);
    vec tile[NARROW];
    for (int r = 0; r < rows; r++)
        tile[r] = add ? LOAD(to + r * NR) : (vec){0};
    for (long i = 0; i < k; i += 8, v += 8 * PDE_LANES, w += 8 * NR) {
        for (long n = 0; n < 8 * PDE_LANES && ahead; n += line)
            __builtin_prefetch(ahead + i * PDE_LANES + n, 0, 2);
        if (k - i >= 8)
            narrow_product(tile, rows, v, 1, PDE_LANES, w, 8);
        else
            narrow_product(tile, rows, v, 1, PDE_LANES, w, k - i);
    }
    for (int r = 0; r < rows; r++) {
        STORE(to + r * NR, tile[r]);
        STORE(to + r * NR + VLEN, (vec){0});
    }
}

static void narrow_first(const FirstProduct *t, real *c, long i0, long i1, long next) {
    const Source *s = t->s;
    long n_in = t->e->n_in;
    for (long i = i0; i < i1; i += PRODUCT_BLOCK)
        for (long g = 0; g < groups_of(s->rows); g++) {
            const real *w = t->weights + i * NR, *v = s->v + (g * n_in + i) * PDE_LANES;
            const real *ahead =
                i + 2 * PRODUCT_BLOCK <= next ? v + PRODUCT_BLOCK * PDE_LANES : NULL;
            long end = least(PDE_LANES, s->rows - g * PDE_LANES), r = 0;
            long k = least(PRODUCT_BLOCK, i1 - i);
            real *to = c + g * PDE_LANES * NR;
            for (; r + NARROW <= end; r += NARROW)
                narrow_rows(to + r * NR, NARROW, v + r, w, k, i > i0, r ? NULL : ahead);
            for (; r < end; r++)
                narrow_rows(to + r * NR, 1, v + r, w, k, i > i0, r ? NULL : ahead);
        }
}

/* Panel matrix c (rows x h1) = rows of v times weights over a leaf (LeafSum). The first tile of a
 * group asks for its share of the next block of weights, the second for its share of v.
 */
static void first_product(void *context, real *c, long i0, long i1, long next) {
    const FirstProduct *t = context;
    const Engine *e = t->e;
    const real *weights = t->weights;
    const Source *s = t->s;
    if (is_narrow(e)) {
        narrow_first(t, c, i0, i1, next);
        return;
    }
    long n_in = e->n_in, np = panels(e->h1), groups = groups_of(s->rows);
    long w_share = PRODUCT_BLOCK * NR / groups, v_share = PRODUCT_BLOCK * PDE_LANES / np;
    for (long i = i0; i < i1; i += PRODUCT_BLOCK)
        for (long p = 0; p < np; p++)
            for (long g = 0; g < groups; g++) {
                const real *w = weights + (p * n_in + i) * NR;
                const real *v = s->v + (g * n_in + i) * PDE_LANES;
                const real *w_ahead = w + PRODUCT_BLOCK * NR + g * w_share;
                const real *v_ahead = v + PRODUCT_BLOCK * PDE_LANES + p * v_share;
                long more = i + 2 * PRODUCT_BLOCK <= next, k = least(PRODUCT_BLOCK, i1 - i);
                long end = least(PDE_LANES, s->rows - g * PDE_LANES);
                for (long r = 0; r < end; r += MR) {
                    real *to = c + (p * s->rows + g * PDE_LANES + r) * NR;
                    const real *from = r ? v_ahead : w_ahead;
                    const real *until = from + (r ? v_share : w_share) * more;
#define CALL(m)                                                                                    \
    do {                                                                                           \
        vec tile[m][2];                                                                            \
        if (i > i0)                                                                                \
            tile_load(tile, m, to);                                                                \
        else                                                                                       \
            tile_zero(tile, m);                                                                    \
        tile_product_ahead(tile, m, v + r, w, k, from, until);                                     \
        tile_store(tile, m, to);                                                                   \
    } while (0)
                    TILE_SWITCH(least(MR, end - r), CALL)
#undef CALL
                }
            }
}

/* What the optimiser will read after a panel of dW1: the streams of w, m and v. */
typedef struct Ahead {
    const real *stream[1 + PDE_STATES_MAX];
    int streams;
} Ahead;

INLINE void narrow_reverse_rows(const Engine *e, const Source *s, real *g, int rows,
                                const real *v) {
    vec t[NARROW];
    for (int r = 0; r < rows; r++)
        t[r] = LOAD(g + r * NR);
    for (long row = 0; row < s->rows; row += PDE_LANES, v += PDE_LANES * e->n_in) {
        prefetch(v + DIM_BLOCK * PDE_LANES, rows * PDE_LANES);
        if (s->rows - row >= PDE_LANES)
            narrow_product(t, rows, v, PDE_LANES, 1, s->bar + row * NR, PDE_LANES);
        else
            narrow_product(t, rows, v, PDE_LANES, 1, s->bar + row * NR, s->rows - row);
    }
    for (int r = 0; r < rows; r++)
        STORE(g + r * NR, t[r]);
}

static void narrow_reverse(const Engine *e, const Source *s, real *g, long i, long rows) {
    long r = 0;
    for (; r + NARROW <= rows; r += NARROW)
        narrow_reverse_rows(e, s, g + r * NR, NARROW, s->v + (i + r) * PDE_LANES);
    for (; r < rows; r++)
        narrow_reverse_rows(e, s, g + r * NR, 1, s->v + (i + r) * PDE_LANES);
}

/* Panel p of the block of dW1 for coordinates i .. i+rows-1: g[row][NR] += v' bar. */
static void first_reverse(const Engine *e, const Source *s, real *g, long p, long i, long rows,
                          const Ahead *ahead) {
    const real *bar = s->bar + p * s->bar_stride;
    const long line = ALIGN / (long)sizeof(real), groups = groups_of(s->rows);
    const long share = (MR * NR / groups + line - 1) / line * line;
    const long v_share = MR * PDE_LANES / panels(e->h1);
    if (is_narrow(e)) {
        for (int n = 0; n < ahead->streams; n++)
            prefetch(ahead->stream[n], rows * NR);
        narrow_reverse(e, s, g, i, rows);
        return;
    }
    for (long r = 0; r < rows; r += MR) {
#define CALL(m)                                                                                    \
    do {                                                                                           \
        vec t[m][2];                                                                               \
        tile_load(t, m, g + r * NR);                                                               \
        for (long row = 0; row < s->rows; row += PDE_LANES) {                                      \
            const real *v = s->v + (row * e->n_in + (i + r) * PDE_LANES);                          \
            for (int n = 0; n < ahead->streams; n++)                                               \
                prefetch(ahead->stream[n] + r * NR + row / PDE_LANES * share, share);              \
            prefetch(v + DIM_BLOCK * PDE_LANES + p * v_share, v_share);                            \
            if (s->rows - row >= PDE_LANES)                                                        \
                tile_product(t, m, v, PDE_LANES, 1, bar + row * NR, PDE_LANES);                    \
            else                                                                                   \
                tile_product(t, m, v, PDE_LANES, 1, bar + row * NR, s->rows - row);                \
        }                                                                                          \
        tile_store(t, m, g + r * NR);                                                              \
    } while (0)
        TILE_SWITCH(least(MR, rows - r), CALL)
#undef CALL
    }
}

enum { LANE_VECS = PDE_LANES / VLEN };

/* a * b, and 0 where a is 0: lanes without a point may hold anything. */
INLINE vec product_or_zero(vec a, vec b) {
    union {
        vec v;
        __typeof__(a == a) bits;
    } u = {.v = a * b};
    u.bits &= a != (vec){0};
    return u.v;
}

enum { SEED_ROWS = NARROW > LANE_VECS ? NARROW / LANE_VECS : 1 };

/* `rows` coordinates of an affine network (affine.h), whose bars are multiples of one slope: g[row][NR] += (v' seed) slope. */
INLINE void affine_rows(const Batch *q, real *g, const real *slope, int rows, long i, long n_in) {
    vec sum[SEED_ROWS][LANE_VECS];
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < LANE_VECS; n++)
            sum[r][n] = (vec){0};
    for (int s = 0; s < q->sources; s++) {
        const Source *from = &q->source[s];
        for (long row = 0; from->bar && row < from->rows; row += PDE_LANES) {
            const real *v = from->v + row * n_in + i * PDE_LANES;
            prefetch(v + DIM_BLOCK * PDE_LANES, rows * PDE_LANES);
            for (int n = 0; n < LANE_VECS; n++) {
                vec seed = LOAD(from->seed + row + n * VLEN);
                for (int r = 0; r < rows; r++)
                    sum[r][n] += product_or_zero(seed, LOAD(v + r * PDE_LANES + n * VLEN));
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int n = 1; n < LANE_VECS; n++)
            sum[r][0] += sum[r][n];
        real y = vec_sum(sum[r][0]);
        for (long h = 0; h < NR; h += VLEN)
            STORE(g + r * NR + h, LOAD(g + r * NR + h) + LOAD(slope + h) * y);
    }
}

static void affine_reverse(const Engine *e, const Batch *q, real *g, long p, long i, long rows) {
    const real *slope = e->affine->slope + p * NR;
    long r = 0;
    for (; r + SEED_ROWS <= rows; r += SEED_ROWS)
        affine_rows(q, g + r * NR, slope, SEED_ROWS, i + r, e->n_in);
    for (; r < rows; r++)
        affine_rows(q, g + r * NR, slope, 1, i + r, e->n_in);
}

static void scatter_rows(const Batch *q, real *g, long p, long block) {
    for (int j = q->entry_start[block]; j < q->entry_start[block + 1]; j++) {
        const Entry *n = &q->entry[j];
        real *to = g + (n->coordinate - block * DIM_BLOCK) * NR;
        const real *from = n->row + p * n->stride;
        STORE(to, LOAD(to) + LOAD(from) * n->factor);
        STORE(to + VLEN, LOAD(to + VLEN) + LOAD(from + VLEN) * n->factor);
    }
}

/* Panel p of dW1 for one block of coordinates, from all batches. */
static void first_gradient(const Engine *e, real *g, long p, long block, Ahead ahead) {
    long i = block * DIM_BLOCK, rows = least(DIM_BLOCK, e->n_in - i);
    memset(g, 0, (size_t)(rows * NR) * sizeof(real));
    for (int b = 0; b < e->batches; b++) {
        const Batch *q = e->batch[b];
        if (q->in_chunks && !q->source[0].bar) {
            const real *from = acc_first(q, q->acc) + (p * e->n_in + i) * NR;
            for (long j = 0; j < rows * NR; j += VLEN)
                STORE(g + j, LOAD(g + j) + LOAD(from + j));
        }
        if (e->affine)
            affine_reverse(e, q, g, p, i, rows);
        for (int s = 0; s < q->sources; s++)
            if (q->source[s].bar && !e->affine) {
                first_reverse(e, &q->source[s], g, p, i, rows, &ahead);
                ahead.streams = 0;
            }
        gram_reverse(q, g, p, i, rows);
        scatter_rows(q, g, p, block);
    }
    keep_live(e, g, (p * e->n_in + i) * NR, rows * NR);
}

/* Entries of dW1 that come from unit directions, bucketed by block in the order of directions. */
static void add_entry(Batch *q, int *at, uint32_t coordinate, real factor, const real *row,
                      long stride) {
    q->entry[at[coordinate / DIM_BLOCK]++] = (Entry){coordinate, factor, row, stride};
}

/* The value of entry j, counted over points, directions and their entries. */
INLINE real point_coefficient(const Block *k, const PdeDirections *d, long j) {
    return k->kind == PDE_DIR_POINT_SPARSE ? ((const real *)d->coefficient)[j] : 1;
}

static void each_entry(Batch *q, int *at, int *count) {
    const real *rbar = q->acc + (q->engine->size - q->engine->small0);
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        const PdeDirections *d = &q->base.block[i];
        long n = is_point_index(k->kind) ? q->points * k->count * k->entries : k->count;
        for (long j = 0; j < n; j++) {
            const real *shared = rbar + (k->row0 + j) * NR;
            if (k->kind == PDE_DIR_UNIT) {
                if (count)
                    count[d->index[j] / DIM_BLOCK]++;
                else
                    add_entry(q, at, d->index[j], 1, shared, q->K * NR);
            } else if (k->kind == PDE_DIR_PAIR) {
                for (int h = 0; h < 2; h++) {
                    uint32_t c = d->index[2 * j + h];
                    if (count)
                        count[c / DIM_BLOCK]++;
                    else
                        add_entry(q, at, c, h ? ((real *)d->coefficient)[j] : 1, shared, q->K * NR);
                }
            } else if (is_point_index(k->kind)) {
                if (count)
                    count[d->index[j] / DIM_BLOCK]++;
                else
                    add_entry(q, at, d->index[j], point_coefficient(k, d, j),
                              k->rbar + j / k->entries * NR, q->points * k->count * NR);
            }
        }
    }
}

static void sort_entries(Batch *q) {
    int *start = q->entry_start;
    memset(start, 0, (size_t)(q->dim_blocks + 2) * sizeof *start);
    if (!q->entries)
        return;
    each_entry(q, NULL, start + 2);
    for (long i = 2; i < q->dim_blocks + 2; i++)
        start[i] += start[i - 1];
    each_entry(q, start + 1, NULL); /* start[i+1] runs from the start of block i to its end */
}

/* First-layer tangents of the shared directions into q->r. */
static void gather_rows(Batch *q) {
    const Engine *e = q->engine;
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        const PdeDirections *d = &q->base.block[i];
        for (long p = 0; p < panels(e->h1); p++) {
            const real *w = e->theta + p * e->n_in * NR;
            for (long j = 0; j < k->count; j++) {
                real *to = q->r + (p * q->K + k->row0 + j) * NR;
                if (k->kind == PDE_DIR_UNIT) {
                    memcpy(to, w + (long)d->index[j] * NR, NR * sizeof(real));
                } else if (k->kind == PDE_DIR_PAIR) {
                    const real *a = w + (long)d->index[2 * j] * NR;
                    const real *b = w + (long)d->index[2 * j + 1] * NR;
                    for (long h = 0; h < NR; h++)
                        to[h] = a[h] + ((real *)d->coefficient)[j] * b[h];
                } else if (k->kind == PDE_DIR_DENSE) {
                    const Source *s = &q->source[k->source];
                    memcpy(to, s->value + (p * s->rows + j) * NR, NR * sizeof(real));
                } else if (k->kind == PDE_DIR_GRAM) {
                    memcpy(to, q->gram_factor + (p * k->count + j) * NR, NR * sizeof(real));
                }
            }
        }
    }
}

#endif
