/* Creating engines and batches: layout of parameters, memory of a batch and of its workers. */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_PARAMETERS_H
#define PDE_RUNTIME_ENGINE_KERNELS_PARAMETERS_H

#include <assert.h>

#include "engine/kernels/shared.h"

static void engine_destroy(PdeEngine *engine) {
    Engine *e = (Engine *)engine;
    for (int l = 0; l < PDE_MAX_LAYERS; l++)
        free(e->layer[l].wt);
    free(e->theta);
    for (int i = 0; i < PDE_STATES_MAX; i++)
        free(e->state[i]);
    free(e->grad);
    for (int i = 0; i <= PDE_STATES_MAX; i++)
        free(e->kept[i]);
    free(e->live);
    free(e->small);
    free(e->block);
    free(e->owned);
    free(e->affine);
    pde_pool_destroy(e->pool);
    free(e);
}

static real *zeroed(long count) {
    return pde_memory_zeroed((size_t)count * sizeof(real));
}

static void carve_affine(Carve *c, Engine *e, Affine *a) {
    const long h = panels(e->h1) * NR;
    e->affine = carve(c, sizeof *e->affine);
    a->slope = carve_reals(c, h);
    a->unit = carve_reals(c, h);
    a->along = carve_reals(c, e->n_in);
    for (int i = 0; i < 2; i++)
        a->chain[i] = carve(c, (size_t)e->widest * sizeof(double));
}

static int affine_allocate(Engine *e) {
    Affine a;
    Carve count = {0};
    carve_affine(&count, e, &a);
    Carve hand_out = {pde_memory_zeroed(count.used), 0};
    carve_affine(&hand_out, e, &a);
    if (e->affine)
        *e->affine = a;
    return e->affine != NULL;
}

static int engine_allocate(Engine *e, int threads) {
    int ok = 1;
    e->pool = pde_pool_create(threads);
    if (!e->pool)
        return 0;
    e->theta = zeroed(e->size);
    for (int i = 0; i < e->slots; i++)
        ok &= (e->state[i] = zeroed(e->size)) != NULL;
    e->small = zeroed(e->size - e->small0);
    e->block = zeroed(pde_pool_size(e->pool) * panels(e->h1) * DIM_BLOCK * NR);
    for (int l = 1; l <= e->hidden; l++) {
        Layer *y = &e->layer[l];
        ok &= (y->wt = zeroed(panels(y->in) * y->out * NR)) != NULL;
    }
    if (e->ranks) {
        size_t ranks = (size_t)e->ranks->ranks;
        ok &= (e->owned = calloc(5 * ranks + 4, sizeof *e->owned)) != NULL;
        for (size_t r = ranks + 1; ok && r <= 2 * ranks; r++)
            e->owned[r] = 1;
        e->room = ok ? e->owned + 2 * ranks + 1 : NULL;
        e->nodes = ok ? e->room + ranks + 1 : NULL;
        e->rows = ok ? e->nodes + ranks + 1 : NULL;
        if (ok)
            share_coordinates(e);
    }
    if (e->activation == activation_table[PDE_ACT_identity] && e->n_out == 1 && e->hidden > 0)
        ok &= affine_allocate(e);
    return ok && e->theta && e->small && e->block;
}

static PdeEngine *engine_create_with(const PdeOps *ops, const PdeEngineConfig *c) {
    Engine *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->base.ops = ops;
    e->hidden = c->layers - 1;
    e->n_in = c->width[0];
    e->h1 = c->width[1];
    e->n_out = c->width[c->layers];
    e->activation = activation_table[c->activation];
    e->optim = c->optimiser;
    e->slots = pde_optim_states(c->optimiser.kind);
    e->ranks = c->ranks && c->ranks->ranks > 1 ? c->ranks : NULL;
    for (int l = 0; l < c->layers; l++) {
        Layer *y = &e->layer[l];
        y->in = c->width[l];
        y->out = c->width[l + 1];
        long np = panels(y->out);
        y->w = e->size;
        y->b = e->size + np * y->in * NR;
        e->size = y->b + np * NR;
        if (l == 0)
            e->small0 = y->b;
        if (np * NR > e->widest)
            e->widest = np * NR;
    }
    if (!engine_allocate(e, c->threads)) {
        engine_destroy(&e->base);
        return NULL;
    }
    return &e->base;
}

static int engine_set_optimiser(PdeEngine *engine, const PdeOptimConfig *config) {
    Engine *e = (Engine *)engine;
    if (pde_optim_states(config->kind) > e->slots)
        return 0;
    e->optim = *config;
    return 1;
}

/* ---------------------------------------------------------------------------- canonical order */

static int64_t engine_size(const PdeEngine *engine) {
    const Engine *e = (const Engine *)engine;
    int64_t n = 0;
    for (int l = 0; l <= e->hidden; l++)
        n += (e->layer[l].in + 1) * e->layer[l].out;
    return n;
}

static void make_whole(Engine *e);

static real *slot_of(const Engine *e, int slot) {
    return slot == PDE_SLOT_PARAMETERS ? e->theta
           : slot == PDE_SLOT_GRADIENT ? e->grad
                                       : e->state[slot - PDE_SLOT_STATE];
}

/* All ranks give each other their rows of W1 and of its state. */
static void make_whole(Engine *e) {
    PdePiece piece[1 + PDE_STATES_MAX];
    int pieces = 0;
    for (; e->scattered && pieces <= e->slots; pieces++)
        piece[pieces] =
            (PdePiece){slot_of(e, pieces), panels(e->h1), (size_t)(e->n_in * NR) * sizeof(real),
                       NR * sizeof(real), e->rows};
    if (e->scattered)
        e->ranks->gather(e->ranks->self, piece, pieces);
    e->scattered = 0;
}

static void engine_whole(PdeEngine *engine) {
    make_whole((Engine *)engine);
}

static void engine_get(const PdeEngine *engine, int slot, void *to) {
    const Engine *e = (const Engine *)engine;
    const real *from = slot_of(e, slot);
    real *out = to;
    assert(!e->scattered); /* whoever reads it asks for all of it first */
    for (int l = 0; l <= e->hidden; l++) {
        const Layer *y = &e->layer[l];
        for (long i = 0; i < y->in; i++)
            for (long j = 0; j < y->out; j++)
                *out++ = from[y->w + (j / NR * y->in + i) * NR + j % NR];
        for (long j = 0; j < y->out; j++)
            *out++ = from[y->b + j];
    }
}

static void transpose_layer(Engine *e, int l) {
    Layer *y = &e->layer[l];
    transpose(y->wt, e->theta + y->w, y->in, y->out);
}

static void engine_set(PdeEngine *engine, int slot, const void *from) {
    Engine *e = (Engine *)engine;
    make_whole(e);
    real *to = slot_of(e, slot);
    const real *in = from;
    for (int l = 0; l <= e->hidden; l++) {
        const Layer *y = &e->layer[l];
        for (long i = 0; i < y->in; i++)
            for (long j = 0; j < y->out; j++)
                to[y->w + (j / NR * y->in + i) * NR + j % NR] = *in++;
        for (long j = 0; j < y->out; j++)
            to[y->b + j] = *in++;
    }
    keep_live(e, to, 0, e->size);
    for (int l = 1; l <= e->hidden && slot == PDE_SLOT_PARAMETERS; l++)
        transpose_layer(e, l);
}

/* Where the engine has row i of a layer's W, from its number `in` on its bias, and column j. */
INLINE long place_of(const Layer *y, long i, long j) {
    return i < y->in ? y->w + (j / NR * y->in + i) * NR + j % NR : y->b + j;
}

/* Live parameters in canonical order: their places in the engine's order and their canonical numbers, where wanted. */
static long live_places(const Engine *e, int32_t *place, int64_t *number) {
    long n = 0, all = 0;
    for (int l = 0; l <= e->hidden; l++)
        for (long i = 0; i <= e->layer[l].in; i++)
            for (long j = 0; j < e->layer[l].out; j++, all++) {
                long at = place_of(&e->layer[l], i, j);
                if (e->live && e->live[at] <= 0)
                    continue;
                if (place)
                    place[n] = (int32_t)at;
                if (number)
                    number[n] = all;
                n++;
            }
    return n;
}

static int64_t engine_live(const PdeEngine *engine, int64_t *to) {
    return live_places((const Engine *)engine, NULL, to);
}

static int engine_confine(PdeEngine *engine, const uint8_t *live) {
    Engine *e = (Engine *)engine;
    assert(!e->live);
    if (!(e->live = zeroed(e->size)))
        return 0;
    for (int l = 0; l <= e->hidden; l++)
        for (long i = 0; i <= e->layer[l].in; i++)
            for (long j = 0; j < e->layer[l].out; j++)
                e->live[place_of(&e->layer[l], i, j)] = *live++ != 0;
    return 1;
}

/* --------------------------------------------------------------------------------------- batch */

static void carve_work(Carve *c, const Batch *q, Work *w) {
    const Engine *e = q->engine;
    long points = q->slab > SLAB ? q->slab : SLAB, per_output = e->n_out * e->hidden;
    long slab = e->widest * points, all = q->together * q->slab;
    long rows = q->order > 2 ? q->order * q->K : q->K2 > all ? q->K2 : all;
    w->z = carve_reals(c, slab);
    for (int l = 0; l < e->hidden; l++) {
        for (int m = 0; m < ACT_ORDERS; m++)
            w->s[l][m] = carve_reals(c, slab);
        for (int m = 1; m <= PDE_MAX_ORDER; m++)
            w->sbar[l][m] = carve_reals(c, slab);
        w->t[l] = carve_reals(c, rows * e->widest);
        w->a[l] = carve_reals(c, rows * e->widest);
    }
    real ***list[] = {&w->lambda, &w->g, &w->c, &w->cbar};
    for (int i = 0; i < 4; i++) {
        real **p = carve(c, (size_t)per_output * sizeof *p);
        *list[i] = p;
        for (long j = 0; j < per_output; j++) {
            real *m = carve_reals(c, slab);
            if (p)
                p[j] = m;
        }
    }
    w->bar[0] = carve_reals(c, slab);
    w->bar[1] = carve_reals(c, slab);
    w->bar[2] = carve_reals(c, slab * e->n_out);
    w->n = carve_reals(c, slab);
    w->nbar = carve_reals(c, slab);
    w->out = carve_reals(c, e->n_out * all);
    w->r = carve_reals(c, q->K * e->widest);
    w->tbar[0] = carve_reals(c, rows * e->widest);
    w->tbar[1] = carve_reals(c, rows * e->widest);
    for (int m = 0; m < q->order; m++) {
        w->d[m] = carve_reals(c, e->n_out * q->K);
        w->seed[m] = carve_reals(c, e->n_out * q->K);
        w->seed_d[m] = carve_reals(c, e->n_out * q->K * q->residuals);
    }
    w->value = carve_reals(c, e->n_out);
    w->seed_n = carve_reals(c, e->n_out * q->residuals);
    w->residual = carve_reals(c, q->residuals);
}

static void carve_source(Carve *c, Batch *q, int i, long rows, real *v) {
    Source *s = &q->source[i];
    long size = panels(q->engine->h1) * rows * NR;
    *s = (Source){.v = v, .rows = rows};
    s->partial = carve_reals(c, q->leaves.nodes * size);
    s->value = q->leaves.nodes > 1 ? carve_reals(c, size) : s->partial;
    if (q->engine->affine)
        s->seed = carve_reals(c, groups_of(rows) * PDE_LANES);
    q->largest = size > q->largest ? size : q->largest;
}

static void carve_block(Carve *c, Batch *q, int i) {
    const Engine *e = q->engine;
    Block *k = &q->block[i];
    PdeDirections *d = &q->base.block[i];
    long n_in = e->n_in, h = panels(e->h1) * NR, lanes = q->groups * PDE_LANES;
    switch (k->kind) {
    case PDE_DIR_UNIT:
        d->index = carve(c, (size_t)k->count * sizeof(uint32_t));
        q->entries += k->count;
        break;
    case PDE_DIR_PAIR:
        d->index = carve(c, (size_t)k->count * 2 * sizeof(uint32_t));
        d->coefficient = carve_reals(c, k->count);
        q->entries += 2 * k->count;
        break;
    case PDE_DIR_DENSE:
        d->v = carve_reals(c, groups_of(k->count) * PDE_LANES * n_in);
        k->source = q->sources++;
        carve_source(c, q, k->source, k->count, d->v);
        break;
    case PDE_DIR_POINT_DENSE:
        d->v = carve_reals(c, k->count * lanes * n_in);
        k->rbar = carve_reals(c, k->count * lanes * h);
        k->source = q->sources++;
        carve_source(c, q, k->source, k->count * lanes, d->v);
        break;
    case PDE_DIR_POINT_UNIT:
    case PDE_DIR_POINT_SPARSE:
        d->index = carve(c, (size_t)(k->count * q->points * k->entries) * sizeof(uint32_t));
        if (k->kind == PDE_DIR_POINT_SPARSE)
            d->coefficient = carve_reals(c, k->count * q->points * k->entries);
        k->rbar = carve_reals(c, k->count * q->points * h);
        q->entries += k->count * q->points * k->entries;
        break;
    case PDE_DIR_GRAM:
        d->weight = carve_reals(c, n_in);
        q->gram = carve_reals(c, q->leaves.nodes * e->h1 * h);
        q->largest = e->h1 * h > q->largest ? e->h1 * h : q->largest;
        q->gram_factor = carve_reals(c, e->h1 * h);
        q->gram_bar = carve_reals(c, e->h1 * h);
        q->gram_work = carve(c, (size_t)(2 * e->h1 * e->h1) * sizeof(double));
        break;
    case PDE_DIR_POSITION:
        k->source = 0;
        break;
    }
}

static void carve_batch(Carve *c, Batch *q, void *x) {
    const Engine *e = q->engine;
    long h = panels(e->h1) * NR;
    int threads = pde_pool_size(e->pool);
    q->sources = 1;
    q->entries = q->largest = 0;
    if (!q->borrowed) {
        q->base.x = x ? x : carve_reals(c, q->groups * PDE_LANES * e->n_in);
        carve_source(c, q, 0, q->points, q->base.x);
    } else if (e->affine) { /* its bar is of this batch */
        q->source[0].seed = carve_reals(c, q->groups * PDE_LANES);
    }
    for (int i = 0; i < q->blocks; i++)
        carve_block(c, q, i);
    q->waiting = carve_reals(c, threads * q->leaves.level * q->largest);
    q->z1bar = carve_reals(c, q->points * h);
    q->slope = carve_reals(c, panels(q->groups * PDE_LANES) * NR * e->h1);
    q->r = carve_reals(c, q->K * h);
    if (q->turned) {
        q->rotated = carve_reals(c, q->K2 * h);
        q->reflection = carve_reals(c, q->K2 * q->block[0].count);
        q->reflection_size = carve_reals(c, q->K2);
        q->rotate_work = carve_reals(c, q->block[0].count * h);
    }
    q->acc = carve_reals(c, q->chunks * q->acc_size);
    q->entry = carve(c, (size_t)q->entries * sizeof(Entry));
    q->entry_start = carve(c, (size_t)(q->dim_blocks + 2) * sizeof(int));
    if (e->ranks)
        q->share = carve(c, (size_t)(e->ranks->ranks + 1) * sizeof *q->share);
    if (e->ranks && e->ranks->coordinates)
        q->named = carve(c, (size_t)q->entries * sizeof *q->named);
    q->work = carve(c, (size_t)threads * sizeof(Work));
    for (int i = 0; i < threads; i++) {
        Work scratch;
        carve_work(c, q, q->work ? &q->work[i] : &scratch);
    }
}

static void batch_destroy(PdeBatch *batch) {
    Batch *q = (Batch *)batch;
    free(q->memory);
    free(q);
}

/* Rows of a point through a hidden layer: the adjoint form has its value, an adjoint for each output, and the tangents of
 * order 2; the other has all jets (together.h), one row for the second derivatives where only their sum counts. Few
 * directions at a time leave the first at half its speed or less.
 */
static void choose_form(Batch *q, int rotate) {
    const Engine *e = q->engine;
    long least_rows = ROWS_NUMBERS / e->widest;
    int summed = rotate && q->K2 > 0 && q->K2 == q->block[0].count;
    long rows = 1 + q->K + (summed ? 1 : q->K2), adjoint = 1 + (q->K > 0) * e->n_out + q->K2;
    q->slab = SLAB;
    if (q->order > 2 || q->K2 > MR || 2 * rows > 3 * adjoint)
        return;
    q->together = (int)rows;
    q->summed = summed;
    q->in_chunks = e->n_in <= COORDINATES_FEW;
    least_rows = least_rows < ROWS_LEAST ? ROWS_LEAST : least(least_rows, ROWS_MOST);
    q->slab = (least_rows + rows - 1) / rows;
}

/* Fills in what follows from the configuration; 0 if a block cannot be served. */
static int batch_shape(Batch *q, const PdeBatchConfig *c) {
    const Engine *e = q->engine;
    int grams = 0;
    q->points = c->points;
    q->groups = groups_of(c->points);
    q->residuals = c->residuals;
    q->blocks = c->blocks;
    for (int i = 0; i < c->blocks; i++) {
        const PdeDirectionBlock *from = &c->block[i];
        Block *k = &q->block[i];
        k->kind = from->kind;
        k->count = from->kind == PDE_DIR_GRAM       ? e->h1
                   : from->kind == PDE_DIR_POSITION ? 1
                                                    : from->count;
        k->entries = from->kind == PDE_DIR_POINT_SPARSE ? from->entries : 1;
        k->row0 = q->K;
        if (from->order < 1 || from->order > PDE_MAX_ORDER || k->count < 1 || k->entries < 1)
            return 0;
        if (i && from->order > c->block[i - 1].order)
            return 0;
        if (from->order > q->order)
            q->order = from->order;
        q->K += k->count;
        if (from->order > 1)
            q->K2 = q->K;
        if (from->kind == PDE_DIR_GRAM && (grams++ || e->n_in < e->h1 || from->order > 2))
            return 0;
        q->point_rows |= is_point_kind(from->kind);
    }
    choose_form(q, c->rotate);
    q->turned = c->rotate && !q->together && c->blocks > 0 && c->block[0].kind == PDE_DIR_UNIT &&
                q->order == 2 && q->K2 == q->block[0].count;
    if (q->turned)
        q->K2 = least(q->K2, e->h1);
    q->triangular = q->turned || (grams && q->K2 == e->h1 && q->block[0].kind == PDE_DIR_GRAM);
    q->chunks = least(CHUNKS, q->points);
    q->dim_blocks = (e->n_in + DIM_BLOCK - 1) / DIM_BLOCK;
    q->leaves = leaves_of(e->n_in);
    /* an odd multiple of a cache line, so that chunks do not share cache sets */
    q->acc_size = e->size - e->small0 + (q->K + q->turned * q->K2) * panels(e->h1) * NR +
                  q->in_chunks * panels(e->h1) * e->n_in * NR + ALIGN / (long)sizeof(real);
    return 1;
}

static int batch_serves(const PdeEngine *engine, const PdeBatchConfig *c) {
    const Batch *from = (const Batch *)c->points_of;
    Batch q = {.engine = (Engine *)engine};
    return c->points > 0 && c->residuals > 0 && c->blocks >= 0 && c->blocks <= PDE_MAX_BLOCKS &&
           (!from || (from->points == c->points && from->engine == q.engine)) && batch_shape(&q, c);
}

static PdeBatch *batch_create(PdeEngine *engine, const PdeBatchConfig *c) {
    if (!batch_serves(engine, c))
        return NULL;
    Batch *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->engine = (Engine *)engine;
    q->base.destroy = batch_destroy;
    if (c->points_of) {
        Batch *from = (Batch *)c->points_of;
        q->borrowed = 1;
        from->lent = 1;
        q->base.x = from->base.x;
        q->source[0] = from->source[0];
    }
    Carve count = {0};
    batch_shape(q, c);
    carve_batch(&count, q, c->x);
    q->memory = pde_memory_zeroed(count.used);
    if (!q->memory) {
        batch_destroy(&q->base);
        return NULL;
    }
    Carve hand_out = {q->memory, 0};
    carve_batch(&hand_out, q, c->x);
    if (q->share)
        share_points(q);
    q->base.directions = q->K;
    q->base.rotated = q->turned || q->summed ? q->block[0].count : 0;
    for (int i = 0; i < q->blocks; i++)
        for (long j = 0; q->block[i].kind == PDE_DIR_GRAM && j < q->engine->n_in; j++)
            ((real *)q->base.block[i].weight)[j] = 1;
    return &q->base;
}

#endif
