/* One evaluation, one gradient, one update: the order of the parallel regions.
 *
 *   products     sources x nodes of coordinates       v W1, Gram matrix
 *   values       sources x panels                     joins the nodes
 *   chunks       chunks of points                     values, jets, combine, reverse
 *   join         slices of the small gradient         fixed tree over chunks
 *   blocks       blocks of coordinates                dW1 and the optimiser
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_STEP_H
#define PDE_RUNTIME_ENGINE_KERNELS_STEP_H

#include "engine/kernels/affine.h"
#include "engine/kernels/jet.h"
#include "engine/kernels/rotate.h"
#include "engine/kernels/parameters.h"
#include "engine/kernels/taylor.h"
#include "engine/kernels/together.h"

enum {
    BLOCK_RUN = 4 /* blocks of coordinates per task, so that one can ask for the next */
};

/* Which additions of the tree over chunks: all, or within the shares of ranks, or those that are left then. */
typedef enum Join { JOIN_ALL, JOIN_SHARE, JOIN_REST } Join;

typedef struct Step {
    Engine *e;
    Batch *q;
    const PdeTaskSpec *task;
    int gradient;
    int affine; /* products of affine.h will do */
    Rule rule;
    real *to; /* input_gradient: result */
    long output;
    Join join;
    long first, last; /* nodes of products with W1 */
} Step;

static void product_of(const Step *t, long source, long node, int worker) {
    Batch *q = t->q;
    const Leaves *l = &q->leaves;
    long h = panels(t->e->h1) * NR;
    real *waiting = q->waiting + worker * l->level * q->largest;
    if (source < q->sources) {
        const Source *s = &q->source[source];
        FirstProduct p = {t->e, t->e->theta, s};
        node_sum(l, node, t->affine ? affine_product : first_product, &p,
                 s->partial + node * h * s->rows, h * s->rows, waiting);
    } else {
        WeightedProduct p = gram_product(q, t->e->block + worker * h * DIM_BLOCK);
        node_sum(l, node, weighted_product, &p, q->gram + node * h * t->e->h1, h * t->e->h1,
                 waiting);
    }
}

static void products_task(void *context, long i, int worker) {
    const Step *t = context;
    long n = t->last - t->first;
    product_of(t, i / n + t->q->borrowed, t->first + i % n, worker);
}

/* Products of `sources` sources with W1, node by node; ranks that divide coordinates exchange the nodes. */
static void products(Step *t, long sources) {
    const Engine *e = t->e;
    Batch *q = t->q;
    int64_t first, last;
    int divides = divides_coordinates(e, t->task);
    pde_own_share(divides ? e->ranks : NULL, q->leaves.nodes, &first, &last);
    t->first = (long)first;
    t->last = (long)last;
    if (t->affine)
        affine_begin(e, e->theta);
    pde_pool_run(e->pool, products_task, t, sources * (t->last - t->first));
    if (!divides)
        return;
    Sharing s = {.e = e, .q = q};
    for (long i = q->borrowed; i < q->borrowed + sources; i++) {
        real *at = i < q->sources ? q->source[i].partial : q->gram;
        long rows = i < q->sources ? q->source[i].rows : e->h1;
        share(&s, at, 1, 0, (size_t)(panels(e->h1) * NR * rows) * sizeof(real), e->nodes);
    }
    if (s.pieces)
        share_end_of(&s);
    fetch_rows(q);
}

static void values_task(void *context, long i, int worker) {
    Step *t = context;
    Batch *q = t->q;
    const Source *s = &q->source[i / panels(t->e->h1) + q->borrowed];
    long n = s->rows * NR, at = i % panels(t->e->h1) * n, size = panels(t->e->h1) * n;
    (void)worker;
    for (long j = at; j < at + n; j += VLEN)
        STORE(s->value + j, nodes_joined(&q->leaves, s->partial + j, size));
}

static void chunk_task(void *context, long chunk, int worker) {
    Step *t = context;
    Batch *q = t->q;
    long end = (chunk + 1) * q->points / q->chunks;
    Slab s = {.e = t->e, .q = q, .w = &q->work[worker], .task = t->task, .worker = worker};
    if (t->gradient)
        s.acc = q->acc + chunk * q->acc_size;
    chunk_begin(&s, chunk * q->points / q->chunks, end);
    for (s.b0 = chunk * q->points / q->chunks; s.b0 < end; s.b0 += s.nb) {
        long slabs = (end - s.b0 + q->slab - 1) / q->slab;
        s.nb = q->together ? (end - s.b0 + slabs - 1) / slabs : least(SLAB, end - s.b0);
        if (q->together)
            together_slab(&s);
        else if (q->order > 2)
            taylor_slab(&s);
        else
            jet_slab(&s);
    }
}

/* Is the node of chunks c .. end-1 joined now? */
static int joins_now(const Step *t, long c, long end) {
    if (t->join == JOIN_ALL)
        return 1;
    int within = end <= share_end(t->q, c);
    int64_t first, last;
    pde_own_share(t->e->ranks, t->q->chunks, &first, &last);
    return t->join == JOIN_REST ? !within : within && c >= first && end <= last;
}

/* A fixed tree over the chunks, whatever thread or rank made them; the result is in the first. */
static void join_task(void *context, long slice, int worker) {
    Step *t = context;
    Batch *q = t->q;
    long small = t->e->size - t->e->small0;
    long i0 = slice * SLICE, i1 = least(q->acc_size, i0 + SLICE);
    (void)worker;
    for (long step = 1; step < q->chunks; step *= 2)
        for (long c = 0; c + step < q->chunks; c += 2 * step) {
            if (!joins_now(t, c, least(c + 2 * step, q->chunks)))
                continue;
            real *a = q->acc + c * q->acc_size, *b = a + step * q->acc_size;
            for (long i = i0; i < i1; i += VLEN)
                STORE(a + i, LOAD(a + i) + LOAD(b + i));
        }
    for (long i = i0; i < least(i1, small) && t->join != JOIN_SHARE; i++)
        t->e->small[i] += q->acc[i];
}

static void join_chunks(Step *t, Join join) {
    t->join = join;
    pde_pool_run(t->e->pool, join_task, t, (t->q->acc_size + SLICE - 1) / SLICE);
}

static void rotate_task(void *context, long panel, int worker) {
    Step *t = context;
    Batch *q = t->q;
    real *rbar = q->acc + (t->e->size - t->e->small0);
    (void)worker;
    rotate_back(q, rbar, rbar + panels(t->e->h1) * q->K * NR, panel);
}

/* Everything that the points' chunks read. */
static void first_layer(Step *t) {
    Engine *e = t->e;
    Batch *q = t->q;
    int at = 0;
    const Block *gram = gram_block(q, &at);
    long sources = q->sources - q->borrowed;
    if (!divides_coordinates(e, t->task))
        make_whole(e);
    products(t, sources + (gram != NULL));
    if (q->leaves.nodes > 1)
        pde_pool_run(e->pool, values_task, t, sources * panels(e->h1));
    if (gram)
        gram_cholesky(q);
    gather_rows(q);
    if (q->turned)
        rotate_rows(q);
}

static void evaluate(Step *t) {
    first_layer(t);
    run_chunks(t->e, t->q, t->task, chunk_task, t);
}

/* Joins the chunks' gradients; ranks exchange them with all else that their chunks have written. */
static void join_gradient(Step *t) {
    if (!is_shared(t->e, t->task)) {
        join_chunks(t, JOIN_ALL);
        return;
    }
    Sharing s = {.e = t->e, .q = t->q};
    join_chunks(t, JOIN_SHARE);
    share_values(&s, t->task);
    share_seeds(&s);
    share_nodes(&s);
    share_end_of(&s);
    join_chunks(t, JOIN_REST);
}

static void step_value(PdeEngine *engine, PdeBatch *batch, const PdeTaskSpec *task) {
    Step t = {.e = (Engine *)engine, .q = (Batch *)batch, .task = task};
    t.affine = t.e->affine && !t.q->borrowed && !t.q->lent;
    evaluate(&t);
    if (is_shared(t.e, task)) {
        Sharing s = {.e = t.e, .q = t.q};
        share_values(&s, task);
        share_end_of(&s);
    }
}

static void step_gradient_begin(PdeEngine *engine) {
    Engine *e = (Engine *)engine;
    e->batches = e->stored = 0;
    e->divided = e->ranks && e->ranks->coordinates;
    memset(e->small, 0, (size_t)(e->size - e->small0) * sizeof(real));
}

static int step_gradient_add(PdeEngine *engine, PdeBatch *batch, const PdeTaskSpec *task) {
    Step t = {.e = (Engine *)engine, .q = (Batch *)batch, .task = task, .gradient = 1};
    Batch *q = t.q;
    if (t.e->batches == PDE_MAX_BATCHES)
        return 0;
    t.e->batch[t.e->batches++] = q;
    t.e->divided &= is_shared(t.e, task);
    evaluate(&t);
    join_gradient(&t);
    if (q->turned)
        pde_pool_run(t.e->pool, rotate_task, &t, panels(t.e->h1));
    const real *rbar = q->acc + (t.e->size - t.e->small0);
    q->source[0].bar = q->in_chunks ? NULL : q->z1bar;
    q->source[0].bar_stride = q->points * NR;
    for (int i = 0; i < q->blocks; i++) {
        const Block *k = &q->block[i];
        Source *s = &q->source[k->source];
        if (k->kind == PDE_DIR_DENSE) {
            s->bar = rbar + k->row0 * NR;
            s->bar_stride = q->K * NR;
        } else if (k->kind == PDE_DIR_POINT_DENSE) {
            s->bar = k->rbar;
            s->bar_stride = s->rows * NR;
        }
    }
    gram_solve(q, rbar);
    sort_entries(q);
    if (t.e->affine)
        affine_seeds(t.e, q);
    return 1;
}

/* x * 0 is not zero for infinities and NaN. n: a multiple of VLEN */
static int finite_range(const real *v, long n) {
    vec bad[4] = {{0}};
    long i = 0;
    for (; i + 4 * VLEN <= n; i += 4 * VLEN)
        for (int j = 0; j < 4; j++)
            bad[j] += LOAD(v + i + j * VLEN) * 0;
    for (; i < n; i += VLEN)
        bad[0] += LOAD(v + i) * 0;
    return vec_sum(bad[0] + bad[1] + (bad[2] + bad[3])) == 0;
}

static int step_gradient_finite(const PdeEngine *engine) {
    const Engine *e = (const Engine *)engine;
    long h = panels(e->h1) * NR;
    int ok = finite_range(e->small, e->size - e->small0);
    for (int b = 0; b < e->batches && ok; b++) {
        const Batch *q = e->batch[b];
        ok = (!q->source[0].bar || finite_range(q->z1bar, q->points * h)) &&
             finite_range(q->acc, q->acc_size);
        for (int i = 0; i < q->blocks && ok; i++) {
            const Block *k = &q->block[i];
            if (is_point_index(k->kind))
                ok = finite_range(k->rbar, k->count * q->points * h);
            if (k->kind == PDE_DIR_POINT_DENSE)
                ok = finite_range(k->rbar, q->source[k->source].rows * h);
            if (k->kind == PDE_DIR_GRAM)
                ok = finite_range(q->gram_bar, e->h1 * h);
        }
    }
    return ok;
}

/* -------------------------------------------------------------------------- stored gradient */

static void store_task(void *context, long block, int worker) {
    Step *t = context;
    Engine *e = t->e;
    (void)worker;
    for (long p = 0; p < panels(e->h1); p++)
        first_gradient(e, e->grad + (p * e->n_in + block * DIM_BLOCK) * NR, p, block, (Ahead){0});
}

static int step_gradient_set(PdeEngine *engine, const void *from) {
    Engine *e = (Engine *)engine;
    if (!e->grad && !(e->grad = zeroed(e->size)))
        return 0;
    engine_set(engine, PDE_SLOT_GRADIENT, from);
    e->stored = 1;
    return 1;
}

static int step_gradient_store(PdeEngine *engine) {
    Step t = {.e = (Engine *)engine};
    Engine *e = t.e;
    if (e->stored)
        return 1;
    if (!e->grad && !(e->grad = zeroed(e->size)))
        return 0;
    make_whole(e);
    keep_live(e, e->small, e->small0, e->size - e->small0);
    pde_pool_run(e->pool, store_task, &t, (e->n_in + DIM_BLOCK - 1) / DIM_BLOCK);
    memcpy(e->grad + e->small0, e->small, (size_t)(e->size - e->small0) * sizeof(real));
    e->stored = 1;
    return 1;
}

/* Of n numbers: rounding of the number type within a slice only. */
static double squares(const real *v, long n) {
    double sum = 0;
    for (long i = 0; i < n; i += SLICE) {
        vec s = {0};
        for (long j = i; j < least(n, i + SLICE); j += VLEN)
            s += LOAD(v + j) * LOAD(v + j);
        sum += (double)vec_sum(s);
    }
    return sum;
}

/* The first layer by leaf and tree over its coordinates, then the others. */
static double norm_of(const Engine *e, const real *v) {
    TreeSum sum = {.wide = pde_leaf(e->n_in)};
    for (long i = 0; i < e->n_in; i += sum.wide) {
        double leaf = 0;
        for (long p = 0; p < panels(e->h1); p++)
            leaf += squares(v + (p * e->n_in + i) * NR, least(sum.wide, e->n_in - i) * NR);
        tree_sum_leaf(&sum, leaf);
    }
    return sqrt(tree_sum(&sum) + squares(v + e->small0, e->size - e->small0));
}

static double step_gradient_norm(PdeEngine *engine) {
    const Engine *e = (const Engine *)engine;
    return norm_of(e, e->grad);
}

static void step_gradient_scale(PdeEngine *engine, double factor) {
    Engine *e = (Engine *)engine;
    for (long i = 0; i < e->size; i++)
        e->grad[i] *= (real)factor;
}

/* ----------------------------------------------------------------------------------- update */

static void update_range(const Step *t, long at, const real *g, long n) {
    Engine *e = t->e;
    update_table[e->optim.kind](&t->rule, e->theta + at, e->state, at, g, n);
}

/* With a Gram term every panel of the block needs the old W1, so updates wait for all of them. */
static void update_block(const Step *t, long block, int worker) {
    Engine *e = t->e;
    long np = panels(e->h1), i = block * DIM_BLOCK, n = least(DIM_BLOCK, e->n_in - i) * NR;
    real *g = e->block + worker * np * DIM_BLOCK * NR;
    int wait = 0, at;
    for (int b = 0; b < e->batches; b++)
        wait |= gram_block(e->batch[b], &at) != NULL;
    for (long p = 0; p < np; p++) {
        long from = (p * e->n_in + i) * NR;
        Ahead ahead = {{e->theta + from}, 1};
        for (int m = 0; m < e->slots; m++)
            ahead.stream[ahead.streams++] = e->state[m] + from;
        first_gradient(e, g + p * DIM_BLOCK * NR, p, block, ahead);
        if (!wait)
            update_range(t, from, g + p * DIM_BLOCK * NR, n);
    }
    for (long p = 0; p < np && wait; p++)
        update_range(t, (p * e->n_in + i) * NR, g + p * DIM_BLOCK * NR, n);
}

static void update_task(void *context, long i, int worker) {
    Step *t = context;
    Engine *e = t->e;
    long blocks = e->stored ? 0 : (e->n_in + DIM_BLOCK - 1) / DIM_BLOCK;
    long runs = (blocks + BLOCK_RUN - 1) / BLOCK_RUN;
    if (i < runs) {
        for (long b = i * BLOCK_RUN; b < least(blocks, (i + 1) * BLOCK_RUN); b++)
            update_block(t, b, worker);
        return;
    }
    long at = (i - runs) * SLICE + (e->stored ? 0 : e->small0);
    const real *g = e->stored ? e->grad + at : e->small + (at - e->small0);
    update_range(t, at, g, least(SLICE, e->size - at));
}

static void transpose_task(void *context, long i, int worker) {
    (void)worker;
    transpose_layer(((Step *)context)->e, (int)i + 1);
}

static void step_update(PdeEngine *engine, double rate) {
    Engine *e = (Engine *)engine;
    Step t = {.e = e, .rule = rule_of(&e->optim, rate, ++e->updates)};
    long blocks = e->stored ? 0 : (e->n_in + DIM_BLOCK - 1) / DIM_BLOCK;
    long small = e->size - (e->stored ? 0 : e->small0);
    long runs = (blocks + BLOCK_RUN - 1) / BLOCK_RUN, slices = (small + SLICE - 1) / SLICE;
    int divided = e->divided && e->batches && !e->stored;
    if (!divided)
        make_whole(e);
    keep_live(e, e->small, e->small0, e->size - e->small0);
    if (divided && !e->ranks->every) {
        const int64_t *row = e->rows + e->ranks->rank;
        const long wide = DIM_BLOCK * BLOCK_RUN;
        long first = (row[0] + wide - 1) / wide, last = (row[1] + wide - 1) / wide;
        pde_pool_run_from(e->pool, update_task, &t, first, last - first);
        pde_pool_run_from(e->pool, update_task, &t, runs, slices);
    } else {
        pde_pool_run(e->pool, update_task, &t, runs + slices);
    }
    e->scattered = divided;
    pde_pool_run(e->pool, transpose_task, &t, e->hidden);
}

/* --------------------------------------------------------------------------------- coming back */

typedef struct Copy {
    const Engine *e;
    int back; /* from what was kept */
} Copy;

static void copy_task(void *context, long slice, int worker) {
    const Copy *t = context;
    const Engine *e = t->e;
    long at = slice * SLICE, n = least(SLICE, e->size - at);
    (void)worker;
    for (int i = 0; i <= e->slots; i++) {
        real *now = slot_of(e, i) + at, *kept = e->kept[i] + at;
        memcpy(t->back ? now : kept, t->back ? kept : now, (size_t)n * sizeof(real));
    }
}

static void copy_all(const Engine *e, int back) {
    Copy t = {e, back};
    pde_pool_run(e->pool, copy_task, &t, (e->size + SLICE - 1) / SLICE);
}

static int step_keep(PdeEngine *engine) {
    Engine *e = (Engine *)engine;
    make_whole(e);
    for (int i = 0; i <= e->slots; i++)
        if (!e->kept[i] && !(e->kept[i] = zeroed(e->size)))
            return 0;
    copy_all(e, 0);
    return 1;
}

static void step_undo(PdeEngine *engine) {
    Step t = {.e = (Engine *)engine};
    t.e->scattered = 0;
    copy_all(t.e, 1);
    pde_pool_run(t.e->pool, transpose_task, &t, t.e->hidden);
}

static void step_forget(PdeEngine *engine) {
    Engine *e = (Engine *)engine;
    for (int i = 0; i < e->slots; i++)
        memset(e->state[i], 0, (size_t)e->size * sizeof(real));
}

static double step_norm(const PdeEngine *engine, int slot) {
    const Engine *e = (const Engine *)engine;
    assert(!e->scattered);
    return norm_of(e, slot_of(e, slot));
}

/* --------------------------------------------------------------------------- gradient in x */

/* dN_o/dz1 of a chunk of points, transposed into q->slope */
static void slope_task(void *context, long chunk, int worker) {
    Step *t = context;
    Batch *q = t->q;
    long end = (chunk + 1) * q->points / q->chunks, h1 = t->e->h1;
    Slab s = {.e = t->e, .q = q, .w = &q->work[worker], .worker = worker};
    for (s.b0 = chunk * q->points / q->chunks; s.b0 < end; s.b0 += SLAB) {
        s.nb = least(SLAB, end - s.b0);
        slab_values(&s);
        slab_adjoint(&s, t->output);
        const real *g = s.w->g[t->output * t->e->hidden];
        for (long h = 0; h < h1; h++)
            for (long r = 0, b = s.b0; r < s.nb; r++, b++)
                q->slope[(b / NR * h1 + h) * NR + b % NR] = g[(h / NR * s.nb + r) * NR + h % NR];
    }
}

static void input_gradient_task(void *context, long block, int worker) {
    Step *t = context;
    const Engine *e = t->e;
    const Batch *q = t->q;
    long i0 = block * DIM_BLOCK, end = least(e->n_in, i0 + DIM_BLOCK);
    (void)worker;
    for (long p = 0; p < panels(q->groups * PDE_LANES); p++)
        for (long i = i0; i < end; i += MR) {
            vec c[MR][2];
#define CALL(m)                                                                                    \
    tile_zero(c, m);                                                                               \
    tile_nn(c, m, e->theta + i * NR, e->n_in * NR, q->slope + p * e->h1 * NR, e->h1)
            TILE_SWITCH(least(MR, end - i), CALL)
#undef CALL
            for (long r = 0; r < least(MR, end - i); r++)
                for (int j = 0; j < 2; j++) {
                    long b = p * NR + j * VLEN, g = b / PDE_LANES;
                    if (g < q->groups)
                        memcpy(t->to + (g * e->n_in + i + r) * PDE_LANES + b % PDE_LANES, &c[r][j],
                               sizeof(vec));
                }
        }
}

static void step_input_gradient(PdeEngine *engine, PdeBatch *batch, int output, void *to) {
    Step t = {.e = (Engine *)engine, .q = (Batch *)batch, .to = to, .output = output};
    Batch *q = t.q;
    PdeTaskSpec own = {.shared = 0};
    t.task = &own;
    make_whole(t.e);
    if (!q->borrowed) {
        products(&t, 1);
        if (q->leaves.nodes > 1)
            pde_pool_run(t.e->pool, values_task, &t, panels(t.e->h1));
    }
    pde_pool_run(t.e->pool, slope_task, &t, q->chunks);
    pde_pool_run(t.e->pool, input_gradient_task, &t, q->dim_blocks);
}

/* Adjoints are left where pde_update would find them: z1bar, and rbar of directions of each point. */
static void step_reverse(PdeEngine *engine, PdeBatch *batch, const PdeTaskSpec *task) {
    Step t = {.e = (Engine *)engine, .q = (Batch *)batch, .task = task, .gradient = 1};
    evaluate(&t);
    if (is_shared(t.e, task)) {
        Sharing s = {.e = t.e, .q = t.q};
        share_values(&s, task);
        share_seeds(&s);
        share_end_of(&s);
    }
}

static void step_adjoint(PdeEngine *engine, PdeBatch *batch, int block, void *to) {
    Step t = {.e = (Engine *)engine, .q = (Batch *)batch, .to = to};
    Batch *q = t.q;
    make_whole(t.e);
    const real *bar = block < 0 ? q->z1bar : q->block[block].rbar;
    long h1 = t.e->h1, rows = block < 0 ? q->points : q->source[q->block[block].source].rows;
    for (long h = 0; h < h1; h++)
        for (long b = 0; b < q->points; b++)
            q->slope[(b / NR * h1 + h) * NR + b % NR] = bar[(h / NR * rows + b) * NR + h % NR];
    pde_pool_run(t.e->pool, input_gradient_task, &t, q->dim_blocks);
}

#endif
