/* natural_rows.c: the rows of J, tile by tile of points. They are stored whole, or, where that
 * needs more memory than there is, in blocks of columns: then a tile of whole rows is made,
 * finished, and the block's columns are kept of it, so that every block costs the rows again. */
#include "cuda/optimise/device_natural.h"

#include <assert.h>
#include <math.h>

static int part_of(const CudaRoute *r) {
    return r->host->terms == TERMS_ALL ? r->host->part : 0;
}

/* Entries of a vector are averaged, residuals of a system are not. */
static double row_scale(const CudaTask *t) {
    assert(t->s->host->settings.points > 0);
    int64_t points = t->s->host->settings.points;
    double n = (double)(t->entries ? points * t->row->residuals : points);
    return sqrt(session_task_weight(t->host) / n) / t->host->residual_scale;
}

/* Of one of the routes whose rows add up. */
static double part_scale(const CudaTask *t) {
    return row_scale(t) / t->rows;
}

/* ----------------------------------------------------------------------------------- residuals */

static void take_residual(CudaTask *t, const void *residual, int64_t row0, double *own, double *r,
                          bool add) {
    CudaSession *s = t->s;
    int64_t n = s->host->settings.points * t->row->residuals;
    DevResidual a = {.own = own + row0,
                     .r = r + row0,
                     .residual = residual,
                     .value = t->values > 0 ? t->value_residual : NULL,
                     .n = n,
                     .factor = part_scale(t),
                     .value_factor = row_scale(t),
                     .add = add};
    CUDA_EACH(s, natural_residual, a, n, 16 * (double)n);
}

void cuda_natural_measure(CudaSession *s, double *after) {
    CudaNatural *n = s->self;
    const CudaTask *before = NULL;
    for (int i = 0; i < n->parts; i++) {
        CudaRoute *r = n->part[i].route;
        CudaTask *t = r->task;
        bool first = t != before;
        before = t;
        if (first)
            cuda_task_inputs(t);
        if (first && t->values > 0) {
            cuda_task_value(t);
            take_residual(t, NULL, n->part[i].row0, n->residual, after, false);
        }
        if (t->values > 0)
            continue;
        cuda_route_prepare(r, part_of(r));
        cuda_evaluate(r, part_of(r), CUDA_RESIDUALS, NULL, 0);
        take_residual(t, r->residual, n->part[i].row0, n->residual, after, !first);
    }
}

/* ----------------------------------------------------------------------------- a tile of points */

/* Some points of a task, and where their rows are: of all, and of those that are held. */
typedef struct RowTile {
    CudaSession *s;
    CudaTask *task;
    int part0, parts; /* of n->part */
    int64_t first, points, residuals;
    int64_t row, held, rows;
} RowTile;

/* Seeds of coordinates that points have of their own are added up. */
static void scatter(const RowTile *t, const NaturalPart *p) {
    CudaSession *s = t->s;
    const CudaNatural *n = s->self;
    int64_t stride = n->directions * s->h1, at = t->held * stride;
    for (int b = 0; b < p->route->blocks; b++) {
        const CudaBlock *k = &p->route->block[b];
        bool sparse = k->kind == PDE_DIR_POINT_SPARSE;
        int64_t index = t->first * k->count * k->entries;
        if (k->kind != PDE_DIR_POINT_UNIT && !sparse)
            continue;
        DevScatter a = {.to = cuda_at(s, n->joint, at + n->units * s->h1),
                        .from = cuda_at(s, n->joint, at + (p->joint0 + k->row0) * s->h1),
                        .index = (const uint32_t *)k->index + index,
                        .coefficient = sparse ? cuda_at(s, k->coefficient, index) : NULL,
                        .count = k->count,
                        .entries = k->entries,
                        .rows = t->rows,
                        .residuals = t->residuals,
                        .h = s->h1,
                        .to_row = stride,
                        .from_row = stride};
        CUDA_EACH(s, natural_scatter, a, t->rows * s->h1,
                  cuda_bytes(s, 3 * t->rows * k->count * s->h1));
    }
}

static void unknown_rows(const RowTile *t, bool add) {
    CudaSession *s = t->s;
    int64_t unknowns = s->host->problem->plan.unknowns;
    DevUnknownRows a = {.columns = ((const CudaNatural *)s->self)->columns + t->row * unknowns,
                        .limit = s->unknown_limit,
                        .value = s->unknown,
                        .seed =
                            cuda_at(s, t->task->seed_unknown, t->first * t->residuals * unknowns),
                        .n = t->rows,
                        .unknowns = unknowns,
                        .factor = part_scale(t->task),
                        .add = add};
    if (unknowns > 0)
        CUDA_EACH(s, natural_unknown_rows, a, a.n * unknowns, 12 * (double)(a.n * unknowns));
}

/* What one part of the task's gradient has of the rows is added to them. */
static void add_part(const RowTile *t, const NaturalPart *p, bool more) {
    CudaSession *s = t->s;
    CudaNatural *n = s->self;
    CudaRows to = {.small = n->small,
                   .joint = cuda_at(s, n->joint, p->joint0 * s->h1),
                   .bar = cuda_at(s, n->bar, p->bar0 * s->h1),
                   .stride = n->smalls,
                   .joint_stride = n->directions * s->h1,
                   .row0 = t->held - t->first * t->residuals,
                   .residuals = t->residuals};
    cuda_evaluate_rows(p->route, part_of(p->route), t->first, &to, part_scale(t->task));
    unknown_rows(t, more);
    scatter(t, p);
}

/* Seeds of a point's own dense directions, which are vectors of the point. */
static void take_own(const RowTile *t) {
    CudaSession *s = t->s;
    const CudaNatural *n = s->self;
    int64_t stride = n->directions * s->h1;
    for (int i = 0; i < n->owns; i++) {
        const NaturalOwn *o = &n->own[i];
        if (t->row < o->row0 || t->row >= o->row0 + o->rows)
            continue;
        DevPut a = {.to = cuda_at(s, n->bar, (o->bar0 + t->row - o->row0) * s->h1),
                    .from = cuda_at(s, n->joint, t->held * stride + o->joint * s->h1),
                    .points = t->rows,
                    .h = s->h1,
                    .step = 1,
                    .to_point = s->h1,
                    .from_point = stride};
        CUDA_EACH(s, put, a, t->rows * s->h1, cuda_bytes(s, 2 * t->rows * s->h1));
    }
}

/* V of the rows: device_natural.h. */
static void spread(const RowTile *t) {
    CudaSession *s = t->s;
    const CudaNatural *n = s->self;
    int64_t D = n->directions, h = s->h1, at = t->held * D * h, size = t->rows * D * h;
    void *v = cuda_at(s, n->spread, at);
    Product p = product_of(false, false, D, h, D, n->square, cuda_at(s, n->joint, at), v);
    p.stride_b = p.stride_c = D * h;
    p.count = t->rows;
    if (D == 0)
        return;
    backend_product(s->backend, &p);
    DevSpread a = {v, n->products, n->bar, n->carrier, n->carriers, t->row, t->rows, D, h};
    CUDA_EACH(s, natural_spread, a, size, cuda_bytes(s, 3 * size));
}

/* The block's columns of rows that are held, `columns` numbers each. */
static void keep_columns(const RowTile *t, const NaturalColumns *c, const void *held,
                         int64_t columns, void *to) {
    CudaSession *s = t->s;
    DevPut a = {.to = cuda_at(s, to, t->row * c->count),
                .from = cuda_at(s, held, t->held * columns + c->first),
                .points = t->rows,
                .h = c->count,
                .step = 1,
                .to_point = c->count,
                .from_point = columns};
    CUDA_EACH(s, put, a, t->rows * c->count, cuda_bytes(s, 2 * t->rows * c->count));
}

/* What is added up begins at zero: also seeds of the points that share coordinates of their own. */
static void clear(const RowTile *t) {
    CudaSession *s = t->s;
    const CudaNatural *n = s->self;
    const NaturalPart *p = &n->part[t->part0];
    int64_t joints = n->directions * s->h1;
    backend_zero(s->backend, cuda_at(s, n->small, t->held * n->smalls),
                 (size_t)(t->rows * n->smalls) * s->real);
    backend_zero(s->backend, cuda_at(s, n->bar, (p->bar0 + t->row - p->row0) * s->h1),
                 (size_t)(t->rows * s->h1) * s->real);
    if (n->units >= 0 || n->tile > 0)
        backend_zero(s->backend, cuda_at(s, n->joint, t->held * joints),
                     (size_t)(t->rows * joints) * s->real);
}

static void make_rows(const RowTile *t, const NaturalColumns *c) {
    const CudaNatural *n = t->s->self;
    clear(t);
    for (int i = 0; i < t->parts; i++)
        add_part(t, &n->part[t->part0 + i], i > 0);
    take_own(t);
    spread(t);
    if (!c)
        return;
    if (c->joint)
        keep_columns(t, c, n->spread, n->directions * t->s->h1, c->left);
    keep_columns(t, c, c->joint ? n->joint : n->small,
                 c->joint ? n->directions * t->s->h1 : n->smalls, c->right);
}

/* ------------------------------------------------------------------------------------- all rows */

/* Parts of n->part from `i` on that belong to the same task. */
static int parts_from(const CudaNatural *n, int i) {
    assert(i >= 0 && i < n->parts);
    int count = 1;
    while (i + count < n->parts && n->part[i + count].route->task == n->part[i].route->task)
        count++;
    return count;
}

/* The rows of all points; columns NULL: they stay whole. */
static void fill(CudaSession *s, const NaturalColumns *columns) {
    const CudaNatural *n = s->self;
    int64_t all = s->host->settings.points;
    for (int i = 0; i < n->parts; i += parts_from(n, i)) {
        const NaturalPart *p = &n->part[i];
        RowTile t = {.s = s, .task = p->route->task, .part0 = i, .parts = parts_from(n, i)};
        t.residuals = t.task->row->residuals;
        for (t.first = 0; t.first < all; t.first += s->tile) {
            t.points = all - t.first < s->tile ? all - t.first : s->tile;
            t.row = p->row0 + t.first * t.residuals;
            t.held = columns ? 0 : t.row;
            t.rows = t.points * t.residuals;
            make_rows(&t, columns);
        }
    }
}

static NaturalColumns columns_at(const CudaSession *s, int number) {
    assert(number >= 0);
    const CudaNatural *n = s->self;
    int64_t joints = n->directions * s->h1;
    NaturalColumns c = {.joint = number >= n->small_blocks, .left = n->block, .right = n->block};
    int64_t all = c.joint ? joints : n->smalls, each = c.joint ? n->room / 2 : n->room;
    if (n->tile == 0) {
        c.left = c.joint ? n->spread : n->small;
        c.right = c.joint ? n->joint : n->small;
        each = all;
    }
    c.first = each * (c.joint ? number - n->small_blocks : number);
    c.count = all - c.first < each ? all - c.first : each;
    if (c.joint && n->tile > 0)
        c.right = cuda_at(s, n->block, n->rows * c.count);
    return c;
}

void cuda_natural_columns(CudaSession *s, NaturalVisit *visit) {
    CudaNatural *n = s->self;
    int start = n->filled < 0 ? 0 : n->filled;
    for (int i = 0; i < n->blocks; i++) {
        int number = (start + i) % n->blocks;
        NaturalColumns c = columns_at(s, number);
        if (n->tile > 0 && n->filled != number)
            fill(s, &c);
        n->filled = number;
        visit(s, &c, i == 0);
    }
}

void cuda_natural_prepare(CudaSession *s) {
    CudaNatural *n = s->self;
    const CudaTask *before = NULL;
    n->filled = -1;
    for (int i = 0; i < n->parts; i++) {
        CudaRoute *r = n->part[i].route;
        if (r->task != before) {
            cuda_task_inputs(r->task);
            if (r->task->values > 0)
                cuda_task_value(r->task);
        }
        before = r->task;
        cuda_route_prepare(r, part_of(r));
        cuda_first_rows(r);
    }
}

void cuda_natural_rows(CudaSession *s) {
    CudaNatural *n = s->self;
    const CudaTask *before = NULL;
    NaturalColumns first = columns_at(s, 0);
    fill(s, n->tile > 0 ? &first : NULL);
    n->filled = 0;
    for (int i = 0; i < n->parts; i++) {
        CudaTask *t = n->part[i].route->task;
        take_residual(t, n->part[i].route->residual, n->part[i].row0, n->residual, n->r,
                      t == before);
        before = t;
    }
    DevLossRows loss = {s->state, n->residual, n->r, n->rows};
    CUDA_EACH(s, natural_loss, loss, 1, 16 * (double)n->rows);
}
