/* natural.c: one try of an iteration as a list of calls, and the queue of iterations. */
#include "natural.h"

#include "../entries.h"
#include "../natural.h"
#include "../route.h"

#include <math.h>

static int part_of(const CudaRoute *r) {
    return r->host->terms == TERMS_ALL ? r->host->part : 0;
}

/* ----------------------------------------------------------------------------------- residuals */

static int64_t rows_of(const CudaTask *t) {
    const Task *host = t->host;
    return t->s->host->settings.points *
           (host->entries ? entries_count(host->entries) : host->plan->residuals);
}

/* Entries of a vector are averaged, residuals of a system are not. */
static double row_scale(const CudaTask *t) {
    double points = (double)(t->entries ? rows_of(t) : t->s->host->settings.points);
    return sqrt(session_task_weight(t->host) / points) / t->host->residual_scale;
}

/* Of one of the routes whose rows add up. */
static double part_scale(const CudaTask *t) {
    return row_scale(t) / (t->entries ? 1 : t->gradients);
}

static void take_residual(CudaTask *t, const void *residual, int64_t row0, double *own, double *r,
                          bool add) {
    CudaSession *s = t->s;
    int64_t n = rows_of(t);
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

static void unknown_rows(CudaTask *t, int64_t row0, bool add) {
    CudaSession *s = t->s;
    int64_t unknowns = s->host->problem->plan.unknowns;
    DevUnknownRows a = {.columns = s->natural->columns + row0 * unknowns,
                        .limit = s->unknown_limit,
                        .seed = t->seed_unknown,
                        .n = rows_of(t),
                        .unknowns = unknowns,
                        .factor = part_scale(t),
                        .add = add};
    if (unknowns > 0)
        CUDA_EACH(s, natural_unknown_rows, a, a.n * unknowns, 12 * (double)(a.n * unknowns));
}

/* Rows of J that belong to one part of a task's gradient. */
static void part_rows(CudaSession *s, const NaturalPart *p, bool first) {
    CudaNatural *n = s->natural;
    CudaRoute *r = p->route;
    CudaTask *t = r->task;
    int64_t stride = n->directions * s->h1;
    CudaRows to = {.small = n->small,
                   .joint = cuda_at(s, n->joint, p->joint0 * s->h1),
                   .bar = cuda_at(s, n->bar, p->bar0 * s->h1),
                   .stride = n->smalls,
                   .joint_stride = stride,
                   .row0 = p->row0,
                   .residuals = route_residuals(r->host)};
    cuda_route_prepare(r, part_of(r));
    cuda_evaluate_rows(r, part_of(r), &to, part_scale(t));
    take_residual(t, r->residual, p->row0, n->residual, n->r, !first);
    unknown_rows(t, p->row0, !first);
    for (int b = 0; b < r->blocks; b++) {
        const CudaBlock *k = &r->block[b];
        int64_t rows = rows_of(t), at = p->row0 * stride;
        bool sparse = k->kind == PDE_DIR_POINT_SPARSE;
        if (k->kind != PDE_DIR_POINT_UNIT && !sparse)
            continue;
        DevScatter a = {.to = cuda_at(s, n->joint, at + n->units * s->h1),
                        .from = cuda_at(s, to.joint, at + k->row0 * s->h1),
                        .index = k->index,
                        .coefficient = sparse ? k->coefficient : NULL,
                        .count = k->count,
                        .entries = k->entries,
                        .rows = rows,
                        .residuals = to.residuals,
                        .h = s->h1,
                        .to_row = stride,
                        .from_row = stride};
        CUDA_EACH(s, natural_scatter, a, rows * s->h1, cuda_bytes(s, 3 * rows * k->count * s->h1));
    }
}

/* Seeds of coordinates that points have of their own are added up, so they begin at zero. */
static void clear_rows(CudaSession *s) {
    CudaNatural *n = s->natural;
    backend_zero(s->backend, n->small, (size_t)(n->rows * n->smalls) * s->real);
    backend_zero(s->backend, n->bar, (size_t)(n->seeds * s->h1) * s->real);
    if (n->units >= 0)
        backend_zero(s->backend, n->joint, (size_t)(n->rows * n->directions * s->h1) * s->real);
}

static void all_rows(CudaSession *s) {
    CudaNatural *n = s->natural;
    const CudaTask *before = NULL;
    clear_rows(s);
    for (int i = 0; i < n->parts; i++) {
        CudaTask *t = n->part[i].route->task;
        if (t != before) {
            cuda_task_inputs(t);
            if (t->values > 0)
                cuda_task_value(t);
        }
        part_rows(s, &n->part[i], t != before);
        before = t;
    }
    for (int i = 0; i < n->owns; i++) {
        const NaturalOwn *o = &n->own[i];
        int64_t stride = n->directions * s->h1;
        DevPut a = {.to = cuda_at(s, n->bar, o->bar0 * s->h1),
                    .from = cuda_at(s, n->joint, o->row0 * stride + o->joint * s->h1),
                    .points = o->rows,
                    .h = s->h1,
                    .step = 1,
                    .to_point = s->h1,
                    .from_point = stride};
        CUDA_EACH(s, put, a, o->rows * s->h1, cuda_bytes(s, 2 * o->rows * s->h1));
    }
    DevLossRows loss = {s->state, n->residual, n->r, n->rows};
    CUDA_EACH(s, natural_loss, loss, 1, 16 * (double)n->rows);
}

/* The residuals at the parameters as they are now, on the same points and sets. */
static void measure(CudaSession *s, double *after) {
    CudaNatural *n = s->natural;
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

/* --------------------------------------------------------------------------------------- solving
 */

static void factorise(CudaSession *s) {
    CudaNatural *n = s->natural;
    for (int64_t first = 0; first < n->rows; first += DEV_PANEL) {
        DevPanel a = {n->state, n->factor, n->inverse, n->rows, first};
        int64_t left = n->rows - first - DEV_PANEL, tiles = (left + DEV_TILE - 1) / DEV_TILE;
        double used = (double)(tiles * (tiles + 1) / 2) * DEV_TILE * DEV_TILE;
        CUDA_EACH(s, natural_panel, a, 1, 8.0 * 3 * DEV_PANEL * DEV_PANEL);
        if (left <= 0)
            break;
        Launch below = {.kernel = s->kernel[ENGINE_natural_below],
                        .grid = {(uint32_t)((left + DEV_TALL - 1) / DEV_TALL), 1, 1},
                        .block = {DEV_THREADS, 1, 1},
                        .argument = &a,
                        .size = sizeof a,
                        .flops = 2.0 * DEV_PANEL * DEV_PANEL * (double)left,
                        .bytes = 8.0 * DEV_PANEL * (double)left * (2 + DEV_PANEL / DEV_TALL)};
        backend_launch(s->backend, &below);
        Launch trail = {.kernel = s->kernel[ENGINE_natural_trail],
                        .grid = {(uint32_t)tiles, (uint32_t)tiles, 1},
                        .block = {DEV_THREADS, 1, 1},
                        .argument = &a,
                        .size = sizeof a,
                        .flops = 2 * DEV_PANEL * used,
                        .bytes =
                            8 * (double)left * (double)left + 16.0 * DEV_PANEL / DEV_TILE * used};
        backend_launch(s->backend, &trail);
    }
}

static void solve(CudaSession *s) {
    CudaNatural *n = s->natural;
    int64_t size = n->rows * n->rows;
    DevDamp damp = {s->state, n->state, n->k, n->rows, s->host->settings.damping};
    CUDA_EACH(s, natural_damp, damp, 1, 32 * (double)n->rows);
    DevShift shift = {s->state, n->state, n->k, n->r, n->along, n->factor, n->sol, n->rows};
    CUDA_EACH(s, natural_shift, shift, size, 16 * (double)size);
    factorise(s);
    DevTriangle a = {n->factor, n->inverse, n->sol, n->rows};
    CUDA_EACH(s, natural_solve, a, 1, 8 * (double)size);
    s->backend->flops += 2 * (double)size;
}

/* -------------------------------------------------------------------------------------- moving */

static void square(CudaSession *s, const void *v, double *partial) {
    int64_t n = s->host->network.size;
    DevSquare a = {v, n, partial};
    CUDA_EACH(s, square, a, n, cuda_bytes(s, n));
}

static void choose_rate(CudaSession *s) {
    CudaNatural *n = s->natural;
    int64_t size = s->host->network.size;
    square(s, s->moment[0], n->norms[0]);
    square(s, s->theta, n->norms[1]);
    DevRate a = {.state = s->state,
                 .natural = n->state,
                 .r = n->r,
                 .along = n->along,
                 .sol = n->sol,
                 .rows = n->rows,
                 .phi = n->norms[0],
                 .theta = n->norms[1],
                 .partials = (size + DEV_THREADS - 1) / DEV_THREADS,
                 .limit = s->host->settings.step_limit};
    CUDA_EACH(s, natural_rate, a, 1, 16 * (double)a.partials);
}

/* Into the copies, or back from them where the device has said so. */
static void keep(CudaSession *s, bool back) {
    CudaNatural *n = s->natural;
    const DevNatural *judged = back ? n->state : NULL;
    int64_t size = s->host->network.size, unknowns = s->host->problem->plan.unknowns;
    DevKeep a = {judged, s->theta, s->moment[0], n->kept[0], n->kept[1], size};
    CUDA_EACH(s, natural_keep, a, size, back ? 0 : cuda_bytes(s, 4 * size));
    DevKeepUnknown u = {judged,          s->unknown,      s->unknown_moment[0],
                        n->kept_unknown, s->unknown_seen, unknowns};
    if (unknowns > 0)
        CUDA_EACH(s, natural_keep_unknown, u, unknowns, 0);
}

static void move_unknowns(CudaSession *s) {
    CudaNatural *n = s->natural;
    DevUnknownMove a = {.state = s->state,
                        .columns = n->columns,
                        .sol = n->sol,
                        .limit = s->unknown_limit,
                        .value = s->unknown,
                        .phi = s->unknown_moment[0],
                        .seen = s->unknown_seen,
                        .rows = n->rows,
                        .unknowns = s->host->problem->plan.unknowns};
    Launch launch = {.kernel = s->kernel[ENGINE_natural_unknown_move],
                     .grid = {(uint32_t)a.unknowns, 1, 1},
                     .block = {DEV_THREADS, 1, 1},
                     .argument = &a,
                     .size = sizeof a};
    if (a.unknowns > 0)
        backend_launch(s->backend, &launch);
}

void cuda_natural_calls(CudaSession *s) {
    CudaNatural *n = s->natural;
    double *after = n->residual + n->rows;
    DevTry begin = {s->state, n->state, n->queue};
    CUDA_EACH(s, natural_try, begin, 1, 0);
    cuda_draw(s);
    all_rows(s);
    cuda_natural_gram(s);
    cuda_natural_along(s);
    solve(s);
    choose_rate(s);
    keep(s, false);
    cuda_natural_transposed(s);
    cuda_update_parameters(s);
    move_unknowns(s);
    cuda_fixed(s);
    measure(s, after);
    DevJudge judge = {s->state, n->state, after, n->rows};
    CUDA_EACH(s, natural_judge, judge, 1, 8 * (double)n->rows);
    keep(s, true);
    cuda_average_add(s);
}

/* --------------------------------------------------------------------------------------- queue */

void cuda_natural_step(CudaSession *s, const DevNow *now) {
    CudaNatural *n = s->natural;
    if (n->queued - n->done == DEV_QUEUE)
        cuda_natural_settle(s);
    DevQueue a = {n->queue, n->queued++ % DEV_QUEUE, *now};
    CUDA_EACH(s, natural_queue, a, 1, 0);
    cuda_run_calls(s);
}

void cuda_natural_settle(CudaSession *s) {
    CudaNatural *n = s->natural;
    while (n->done < n->queued && s->backend->status == STATUS_OK) {
        DevNatural state = {.done = n->queued};
        DevState now = {.loss = 0};
        backend_download(s->backend, &state, n->state, sizeof state);
        backend_download(s->backend, &now, s->state, sizeof now);
        n->done = now.refused ? n->queued : state.done;
        for (int64_t i = n->done; i < n->queued; i++)
            cuda_run_calls(s);
    }
}

void cuda_natural_push(CudaSession *s) {
    CudaNatural *n = s->natural;
    DevNatural state = {.caution = natural_caution(s->host->natural)};
    n->queued = n->done = 0;
    backend_upload(s->backend, n->state, &state, sizeof state);
}

void cuda_natural_pull(CudaSession *s, bool refused) {
    CudaNatural *n = s->natural;
    DevNatural state = {.caution = 1};
    backend_download(s->backend, &state, n->state, sizeof state);
    if (s->backend->status == STATUS_OK)
        natural_set_caution(s->host->natural, state.caution);
    if (!refused)
        return;
    state.done = n->queued; /* what was queued after a refused step is forgotten */
    state.tries = 0;
    backend_upload(s->backend, n->state, &state, sizeof state);
}
