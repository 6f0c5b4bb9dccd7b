/* jets.c: a tile of points through the network and back: the calls between the kernels of rows.cuh
 * and taylor.cuh. The formulas are those of runtime/engine/kernels/jet.h and taylor.h; products of all
 * points of a tile are one call. */
#include "cuda/step/tile.h"

#include <assert.h>
#include <math.h>

static Tile tile_at(CudaRoute *r, int64_t first, const CudaRows *to) {
    assert(first >= 0 && first < r->task->s->host->settings.points && r->task->s->tile > 0);
    CudaSession *s = r->task->s;
    int64_t points = s->host->settings.points;
    Tile t = {.s = s, .r = r, .first = first, .to = to};
    t.points = points - first < s->tile ? points - first : s->tile;
    cuda_scratch_carve(s, r, s->tile, s->scratch, &t.w);
    return t;
}

static int64_t width(const CudaSession *s, int layer) { /* of hidden layer `layer` */
    return s->host->network.width[layer + 1];
}

/* c = a b + beta c as product_of has it */
static void product(CudaSession *s, bool transpose_a, bool transpose_b, int64_t m, int64_t n,
                    int64_t k, const void *a, const void *b, double beta, void *c) {
    Product p = product_of(transpose_a, transpose_b, m, n, k, a, b, c);
    p.beta = beta;
    backend_product(s->backend, &p);
}

static void *gradient_at(const CudaSession *s, int64_t offset) {
    assert(offset >= s->small);
    return cuda_at(s, s->gradient, offset - s->small);
}

/* Number of the row of the Jacobian that belongs to the tile's first point. */
static int64_t first_row(const Tile *t) {
    return t->to->row0 + t->first * t->to->residuals + t->residual;
}

/* A row of h numbers for each point is added to the rows of `to`, `step` numbers apart there. */
static void put_rows(const Tile *t, void *to, int64_t to_row, int64_t step, const void *from,
                     int64_t from_point, int64_t h) {
    CudaSession *s = t->s;
    DevPut a = {.to = to,
                .from = from,
                .points = t->points,
                .h = h,
                .step = step,
                .to_point = to_row * t->to->residuals,
                .from_point = from_point,
                .keep = 1};
    CUDA_EACH(s, put, a, t->points * h, cuda_bytes(s, 3 * t->points * h));
}

/* Gradient of the parameters at `offset`, `step` apart: a row of h numbers from each point. */
static void add_columns(const Tile *t, int64_t offset, int64_t step, const void *from, int64_t h) {
    CudaSession *s = t->s;
    if (t->inputs_only)
        return;
    if (t->to) {
        int64_t at = first_row(t) * t->to->stride + offset - s->small;
        put_rows(t, cuda_at(s, t->to->small, at), t->to->stride, step, from, h, h);
        return;
    }
    DevColumns a = {
        .to = gradient_at(s, offset), .from = from, .rows = t->points, .h = h, .step = step};
    CUDA_TALL(s, columns, a, h, 1, 1, cuda_bytes(s, t->points * h));
}

/* Gradient of a layer's weights: left' right, of `rows` rows of each point. */
static void add_weights(const Tile *t, int layer, const void *left, const void *right,
                        int64_t rows) {
    assert(layer > 0 && rows > 0);
    CudaSession *s = t->s;
    int64_t m = s->host->network.width[layer], n = s->host->network.width[layer + 1];
    if (t->inputs_only)
        return;
    if (!t->to) {
        product(s, true, false, m, n, t->points * rows, left, right, 1,
                gradient_at(s, s->w[layer]));
        return;
    }
    int64_t at = first_row(t) * t->to->stride + s->w[layer] - s->small;
    Product p = product_of(true, false, m, n, rows, left, right, cuda_at(s, t->to->small, at));
    p.beta = 1;
    p.stride_a = rows * m;
    p.stride_b = rows * n;
    p.stride_c = t->to->stride * t->to->residuals;
    p.count = t->points;
    backend_product(s->backend, &p);
}

/* ------------------------------------------------------------------------------------- values */

static int activation_order(const CudaRoute *r) {
    return r->K == 0 ? 1 : r->order > 2 ? 5 : 3;
}

static void values(Tile *t) {
    CudaSession *s = t->s;
    CudaScratch *w = &t->w;
    const void *z = cuda_at(s, t->r->task->z1, t->first * s->h1);
    for (int l = 0; l < s->hidden; l++) {
        int64_t h = width(s, l), n = t->points * h;
        if (l > 0) {
            product(s, false, false, t->points, h, width(s, l - 1), w->s[l - 1][0],
                    cuda_at(s, s->theta, s->w[l]), 0, w->z);
            z = w->z;
        }
        DevActivation a = {.z = z,
                           .bias = cuda_at(s, s->theta, s->b[l]),
                           .n = n,
                           .h = h,
                           .order = activation_order(t->r)};
        for (int m = 0; m <= a.order; m++)
            a.s[m] = w->s[l][m];
        CUDA_EACH(s, activation, a, n, cuda_bytes(s, n * (a.order + 2)));
    }
    int64_t h = width(s, s->hidden - 1), n = t->points * s->outputs;
    product(s, false, false, t->points, s->outputs, h, w->s[s->hidden - 1][0],
            cuda_at(s, s->theta, s->w[s->hidden]), 0, w->n);
    DevBias a = {w->n, cuda_at(s, s->theta, s->b[s->hidden]), n, s->outputs};
    CUDA_EACH(s, bias, a, n, cuda_bytes(s, 2 * n));
}

/* From one output to the next in the matrices of a layer that have one for each. */
static int64_t output_step(const Tile *t, int layer) {
    return t->s->tile * width(t->s, layer);
}

static void adjoint(Tile *t, int64_t o) {
    assert(o >= 0 && o < t->s->outputs);
    CudaSession *s = t->s;
    CudaScratch *w = &t->w;
    for (int l = s->hidden - 1; l >= 0; l--) {
        int64_t h = width(s, l), n = t->points * h, at = o * output_step(t, l);
        bool top = l == s->hidden - 1;
        if (!top)
            product(s, false, true, t->points, h, width(s, l + 1),
                    cuda_at(s, w->g[l + 1], o * output_step(t, l + 1)),
                    cuda_at(s, s->theta, s->w[l + 1]), 0, cuda_at(s, w->lambda[l], at));
        DevAdjoint a = {.lambda = cuda_at(s, w->lambda[l], at),
                        .g = cuda_at(s, w->g[l], at),
                        .c = cuda_at(s, w->c[l], at),
                        .w = top ? cuda_at(s, s->theta, s->w[l + 1] + o) : NULL,
                        .s1 = w->s[l][1],
                        .s2 = w->s[l][2],
                        .n = n,
                        .h = h,
                        .outputs = s->outputs};
        CUDA_EACH(s, adjoint, a, n, cuda_bytes(s, 6 * n));
    }
}

void cuda_slope(CudaRoute *r, int output, void *to) {
    assert(output >= 0 && output < r->task->s->outputs);
    CudaSession *s = r->task->s;
    int64_t points = s->host->settings.points;
    for (int64_t first = 0; first < points; first += s->tile) {
        Tile t = tile_at(r, first, NULL);
        values(&t);
        adjoint(&t, output);
        DevAxpy a = {cuda_at(s, to, first * s->h1),
                     cuda_at(s, t.w.g[0], output * output_step(&t, 0)), t.points * s->h1, 0, 1};
        CUDA_EACH(s, axpy, a, a.n, cuda_bytes(s, 2 * a.n));
    }
}

/* ------------------------------------------------------------------------------ rows, forward */

static void gather(Tile *t, const CudaBlock *k, void *to, int64_t points) {
    CudaSession *s = t->s;
    bool sparse = k->kind == PDE_DIR_POINT_SPARSE, own = sparse || k->kind == PDE_DIR_POINT_UNIT;
    DevGather a = {.to = cuda_at(s, to, k->row0 * s->h1),
                   .w = s->theta,
                   .index = k->index,
                   .coefficient = k->coefficient,
                   .points = points,
                   .first = t->first,
                   .count = k->count,
                   .h = s->h1,
                   .to_point = t->r->K * s->h1,
                   .index_point = own ? k->count * k->entries : 0,
                   .halves = k->kind == PDE_DIR_PAIR ? 2 : (int32_t)k->entries,
                   .each = sparse};
    if (k->kind == PDE_DIR_POINT_DENSE || k->kind == PDE_DIR_POSITION) {
        a.values = k->kind == PDE_DIR_POSITION ? t->r->task->z1 : k->value;
        a.values_point = s->h1;
    } else if (k->kind == PDE_DIR_DENSE || k->kind == PDE_DIR_GRAM) {
        a.values = k->kind == PDE_DIR_GRAM ? t->r->gram_factor : k->value;
        a.values_row = s->h1;
    }
    int64_t n = points * k->count * s->h1;
    CUDA_EACH(s, gather, a, n, cuda_bytes(s, 2 * n));
}

static void first_rows(Tile *t) {
    CudaRoute *r = t->r;
    for (int i = 0; i < r->blocks; i++)
        gather(t, &r->block[i], t->w.r, r->point_rows ? t->points : 1);
    t->rows = t->w.r;
    t->rows_point = r->point_rows ? r->K * t->s->h1 : 0;
}

static void rows_kernel(Tile *t, DevRows a) {
    assert(a.points > 0 && a.rows >= 0);
    int64_t rows = a.points * a.rows;
    int64_t reads = (a.a ? 3 : 1) + a.outputs * ((a.v1 != NULL) + (a.v2 != NULL));
    Launch launch = {.kernel = t->s->kernel[ENGINE_rows],
                     .grid = {cuda_blocks(rows, DEV_TALL), 1, 1},
                     .block = {DEV_WIDE, DEV_TALL, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .bytes = cuda_bytes(t->s, rows * a.h * reads)};
    backend_launch(t->s->backend, &launch);
}

static void adjoint_rows(Tile *t) {
    CudaSession *s = t->s;
    CudaRoute *r = t->r;
    CudaScratch *w = &t->w;
    int top = s->hidden - 1;
    for (int64_t o = 0; o < s->outputs; o++)
        adjoint(t, o);
    for (int l = 0; l <= top && (l == 0 || r->K2 > 0); l++) {
        int64_t h = width(s, l);
        if (l > 0)
            product(s, false, false, t->points * r->K2, h, width(s, l - 1), w->a[l - 1],
                    cuda_at(s, s->theta, s->w[l]), 0, w->t[l]);
        DevRows a = {.t = l > 0 ? w->t[l] : t->rows,
                     .s1 = w->s[l][1],
                     .a = l < top && r->K2 > 0 ? w->a[l] : NULL,
                     .v1 = l > 0 ? NULL : w->g[0],
                     .v2 = r->K2 > 0 ? w->c[l] : NULL,
                     .first = w->d[0],
                     .second = w->d[1],
                     .points = t->points,
                     .rows = l > 0 ? r->K2 : r->K,
                     .rows2 = r->K2,
                     .h = h,
                     .outputs = s->outputs,
                     .t_point = l > 0 ? r->K2 * h : t->rows_point,
                     .a_point = r->K2 * h,
                     .v_point = h,
                     .v_output = output_step(t, l),
                     .v_column = 1,
                     .d_point = s->outputs * r->K,
                     .d_output = r->K,
                     .add = l > 0};
        rows_kernel(t, a);
    }
}

static DevTaylor taylor_of(const Tile *t, int l) {
    DevTaylor a = {.z = t->w.t[l],
                   .a = t->w.a[l],
                   .points = t->points,
                   .rows = t->r->K,
                   .h = width(t->s, l),
                   .order = t->r->order};
    for (int m = 1; m <= a.order; m++) {
        a.s[m] = t->w.s[l][m];
        a.sbar[m] = t->w.sbar[l][m];
    }
    return a;
}

static void taylor_rows(Tile *t) {
    CudaSession *s = t->s;
    CudaRoute *r = t->r;
    CudaScratch *w = &t->w;
    int64_t rows = t->points * r->order * r->K;
    DevTaylorStart start = {.t = w->t[0],
                            .r = t->rows,
                            .points = t->points,
                            .rows = r->K,
                            .h = s->h1,
                            .r_point = t->rows_point,
                            .order = r->order};
    CUDA_EACH(s, taylor_start, start, rows * s->h1, cuda_bytes(s, rows * s->h1));
    for (int l = 0; l < s->hidden; l++) {
        int64_t h = width(s, l);
        if (l > 0)
            product(s, false, false, rows, h, width(s, l - 1), w->a[l - 1],
                    cuda_at(s, s->theta, s->w[l]), 0, w->t[l]);
        DevTaylor a = taylor_of(t, l);
        CUDA_EACH(s, taylor, a, t->points * r->K * h, cuda_bytes(s, 2 * rows * h));
    }
    int64_t h = width(s, s->hidden - 1);
    for (int m = 0; m < r->order; m++) {
        DevRows a = {.t = cuda_at(s, w->a[s->hidden - 1], m * r->K * h),
                     .v1 = cuda_at(s, s->theta, s->w[s->hidden]),
                     .first = w->d[m],
                     .points = t->points,
                     .rows = r->K,
                     .h = h,
                     .outputs = s->outputs,
                     .t_point = r->order * r->K * h,
                     .v_output = 1,
                     .v_column = s->outputs,
                     .d_point = s->outputs * r->K,
                     .d_output = r->K};
        rows_kernel(t, a);
    }
}

/* ------------------------------------------------------------------------------------ reverse */

/* A part of the seed of z1. */
static void add_seed(Tile *t, const void *from, int64_t from_point) {
    CudaSession *s = t->s;
    if (t->to) {
        int64_t at = (first_row(t) - t->to->row0) * s->h1;
        put_rows(t, cuda_at(s, t->to->bar, at), s->h1, 1, from, from_point, s->h1);
        return;
    }
    DevPut a = {.to = cuda_at(s, t->r->task->z1bar, t->first * s->h1),
                .from = from,
                .points = t->points,
                .h = s->h1,
                .step = 1,
                .to_point = s->h1,
                .from_point = from_point,
                .keep = 1};
    CUDA_EACH(s, put, a, t->points * s->h1, cuda_bytes(s, 3 * t->points * s->h1));
}

/* Seeds of the first layer's tangents: of shared directions added up, of a point's own kept. */
static void join_rows(Tile *t, const void *tbar, int64_t t_point, int64_t rows2, bool first_order) {
    CudaSession *s = t->s;
    CudaRoute *r = t->r;
    int64_t each = r->K * s->h1, order = r->order;
    DevRowsJoin a = {.rbar = t->to ? NULL : r->rbar,
                     .each = t->to ? cuda_at(s, t->to->joint, first_row(t) * t->to->joint_stride)
                             : r->each ? cuda_at(s, r->each, t->first * each)
                                       : NULL,
                     .each_point = t->to ? t->to->joint_stride * t->to->residuals : each,
                     .tbar = tbar,
                     .g = first_order ? t->w.g[0] : NULL,
                     .seed = t->w.seed,
                     .points = t->points,
                     .rows = r->K,
                     .rows2 = rows2,
                     .h = s->h1,
                     .outputs = s->outputs,
                     .t_point = t_point,
                     .seed_point = order * r->K * s->outputs,
                     .g_output = output_step(t, 0),
                     .add = t->first > 0};
    CUDA_EACH(s, rows_join, a, each,
              cuda_bytes(s, t->points * each * ((a.each ? 2 : 1) + 2 * s->outputs)));
    for (int i = 0; i < r->blocks; i++)
        if (r->block[i].kind == PDE_DIR_POSITION)
            add_seed(t, cuda_at(s, a.each, r->block[i].row0 * s->h1), a.each_point);
}

static void back_kernel(Tile *t, int l, void *bar) {
    CudaSession *s = t->s;
    CudaRoute *r = t->r;
    int64_t h = width(s, l);
    DevBack a = {.bar = bar,
                 .t = l > 0 ? t->w.t[l] : t->rows,
                 .s1 = t->w.s[l][1],
                 .c = t->w.c[l],
                 .seed = cuda_at(s, t->w.seed, r->K * s->outputs),
                 .s1bar = t->w.sbar[l][1],
                 .cbar = t->w.cbar[l],
                 .points = t->points,
                 .rows = r->K2,
                 .h = h,
                 .outputs = s->outputs,
                 .t_point = l > 0 ? r->K2 * h : t->rows_point,
                 .seed_point = r->order * r->K * s->outputs,
                 .output = output_step(t, l),
                 .top = l == s->hidden - 1};
    CUDA_TALL(s, back, a, h, t->points, 1, cuda_bytes(s, 3 * t->points * r->K2 * h));
}

static void adjoint_reverse(Tile *t, int64_t o) {
    CudaSession *s = t->s;
    CudaScratch *w = &t->w;
    void *gbar = cuda_at(s, w->gbar, o * output_step(t, 0)), *lbar = w->bar[0];
    for (int l = 0; l < s->hidden; l++) {
        int64_t h = width(s, l), n = t->points * h, at = o * output_step(t, l);
        DevAdjointBack a = {.gbar = gbar,
                            .cbar = t->r->K2 > 0 ? cuda_at(s, w->cbar[l], at) : NULL,
                            .lambda = cuda_at(s, w->lambda[l], at),
                            .s1 = w->s[l][1],
                            .s2 = w->s[l][2],
                            .lbar = lbar,
                            .s1bar = w->sbar[l][1],
                            .s2bar = w->sbar[l][2],
                            .n = n};
        CUDA_EACH(s, adjoint_back, a, n, cuda_bytes(s, 10 * n));
        if (l == s->hidden - 1) {
            add_columns(t, s->w[l + 1] + o, s->outputs, lbar, h);
            return;
        }
        int64_t above = width(s, l + 1);
        add_weights(t, l + 1, lbar, cuda_at(s, w->g[l + 1], o * output_step(t, l + 1)), 1);
        gbar = w->bar[1];
        product(s, false, false, t->points, above, h, lbar, cuda_at(s, s->theta, s->w[l + 1]), 0,
                gbar);
    }
}

/* Seeds of `rows` tangents of each point, through the weights between hidden layers l - 1 and l. */
static void rows_down(Tile *t, int l, int64_t rows, void **above, void **below) {
    CudaSession *s = t->s;
    void *from = *above, *to = *below;
    add_weights(t, l, t->w.a[l - 1], from, rows);
    product(s, false, true, t->points * rows, width(s, l - 1), width(s, l), from,
            cuda_at(s, s->theta, s->w[l]), 0, to);
    *above = to;
    *below = from;
}

static void adjoint_rows_reverse(Tile *t) {
    CudaSession *s = t->s;
    CudaRoute *r = t->r;
    CudaScratch *w = &t->w;
    DevCombineRows a = {.to = w->gbar,
                        .t = t->rows,
                        .seed = w->seed,
                        .points = t->points,
                        .rows = r->K,
                        .h = s->h1,
                        .outputs = s->outputs,
                        .t_point = t->rows_point,
                        .seed_point = r->order * r->K * s->outputs,
                        .to_output = output_step(t, 0)};
    CUDA_TALL(s, combine_rows, a, s->h1, t->points, s->outputs,
              cuda_bytes(s, t->points * r->K * s->h1));
    void *above = w->tbar[0], *below = w->tbar[1];
    for (int l = s->hidden - 1; l >= 0 && r->K2 > 0; l--) {
        back_kernel(t, l, above);
        if (l > 0)
            rows_down(t, l, r->K2, &above, &below);
    }
    join_rows(t, above, r->K2 * s->h1, r->K2, true);
    for (int64_t o = 0; o < s->outputs; o++)
        adjoint_reverse(t, o);
}

static void taylor_rows_reverse(Tile *t) {
    CudaSession *s = t->s;
    CudaRoute *r = t->r;
    CudaScratch *w = &t->w;
    int64_t rows = t->points * r->order * r->K, h = width(s, s->hidden - 1);
    void *above = w->tbar[0], *below = w->tbar[1];
    product(s, false, true, rows, h, s->outputs, w->seed, cuda_at(s, s->theta, s->w[s->hidden]), 0,
            above);
    add_weights(t, s->hidden, w->a[s->hidden - 1], w->seed, r->order * r->K);
    for (int l = s->hidden - 1; l >= 0; l--) {
        DevTaylor a = taylor_of(t, l);
        a.bar = above;
        h = width(s, l);
        CUDA_TALL(s, taylor_back, a, h, t->points, 1, cuda_bytes(s, 3 * rows * h));
        if (l > 0)
            rows_down(t, l, r->order * r->K, &above, &below);
    }
    join_rows(t, above, r->order * r->K * s->h1, r->K, false);
}

static void values_reverse(Tile *t, int top) {
    CudaSession *s = t->s;
    CudaScratch *w = &t->w;
    void *abar = w->bar[0], *zbar = w->bar[1];
    int last = s->hidden;
    add_columns(t, s->b[last], 1, w->nbar, s->outputs);
    add_weights(t, last, w->s[last - 1][0], w->nbar, 1);
    product(s, false, true, t->points, width(s, last - 1), s->outputs, w->nbar,
            cuda_at(s, s->theta, s->w[last]), 0, abar);
    for (int l = last - 1; l >= 0; l--) {
        int64_t h = width(s, l), n = t->points * h;
        DevValueBack a = {.abar = abar, .zbar = zbar, .n = n, .top = top};
        for (int m = 1; m <= top + 1; m++)
            a.s[m] = w->s[l][m];
        for (int m = 1; m <= top; m++)
            a.sbar[m] = w->sbar[l][m];
        CUDA_EACH(s, value_back, a, n, cuda_bytes(s, n * (3 + 2 * top)));
        add_columns(t, s->b[l], 1, zbar, h);
        if (l == 0)
            break;
        int64_t under = width(s, l - 1);
        add_weights(t, l, w->s[l - 1][0], zbar, 1);
        product(s, false, true, t->points, under, h, zbar, cuda_at(s, s->theta, s->w[l]), 0, abar);
    }
    add_seed(t, zbar, s->h1);
}

/* ----------------------------------------------------------------------------------- evaluate */

/* What the combine kernel has left of the seeds, back through the network. */
static void reverse(Tile *t, const void *multiplier, double scale) {
    const CudaRoute *r = t->r;
    bool taylor = r->order > 2;
    backend_zero(t->s->backend, t->w.sbar[0][1], t->w.sbar_bytes);
    cuda_fold(t, multiplier, scale);
    if (taylor)
        taylor_rows_reverse(t);
    else if (r->K > 0)
        adjoint_rows_reverse(t);
    values_reverse(t, r->K == 0 ? 0 : taylor ? r->order : 2);
}

static void forward(Tile *t, int part, bool gradient) {
    values(t);
    if (t->r->K > 0)
        first_rows(t);
    if (t->r->order > 2)
        taylor_rows(t);
    else if (t->r->K > 0)
        adjoint_rows(t);
    cuda_combine(t, part, gradient);
}

void cuda_evaluate(CudaRoute *r, int part, CudaWanted wanted, const void *multiplier,
                   double scale) {
    assert(part >= 0 && isfinite(scale));
    const CudaSession *s = r->task->s;
    bool gradient = wanted != CUDA_RESIDUALS;
    cuda_first_rows(r);
    for (int64_t first = 0; first < s->host->settings.points; first += s->tile) {
        Tile t = tile_at(r, first, NULL);
        t.inputs_only = wanted == CUDA_ADJOINTS;
        forward(&t, part, gradient);
        if (gradient)
            reverse(&t, multiplier, scale);
    }
    if (gradient)
        cuda_gram_reverse(r);
}

void cuda_evaluate_fields(CudaRoute *r) {
    assert(r->task->s->tile > 0);
    const CudaSession *s = r->task->s;
    for (int64_t first = 0; first < s->host->settings.points; first += s->tile) {
        Tile t = tile_at(r, first, NULL);
        values(&t);
        cuda_fields(&t);
    }
}

void cuda_evaluate_rows(CudaRoute *r, int part, int64_t first, const CudaRows *to, double scale) {
    Tile t = tile_at(r, first, to);
    forward(&t, part, true);
    for (t.residual = 0; t.residual < to->residuals; t.residual++)
        reverse(&t, NULL, scale);
}
