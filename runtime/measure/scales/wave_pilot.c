/* wave_pilot.c: the kernels' own seeds give the linearisation of the residuals at the fit; the jets of
 * a wave along any direction v are powers of w . v times shifted sines, so no network is needed. */
#include "measure/scales/wave_pilot.h"

#include "engine/real.h"
#include "measure/scales/pilot.h"
#include "step/route.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    INPUTS_MOST = 12, /* more: a few hundred points do not tell waves from one another */
    WAVES_MOST = 160, /* of each output */
    UNKNOWNS_MOST = 360,
    POINTS_MOST = 64, /* of each task in a batch */
    POINTS_IN_ALL = 256,
    BATCHES_MOST = 16,
    NEWTON_STEPS = 8,
    SHORTER = 12 /* steps are tried */
};
static const double RIDGE = 1e-9;
static const double EXPLAINED = 0.3; /* of the residuals' RMS may be left on new points */
static const double ENOUGH = 0.999;  /* a step that leaves more of the squares is the last */

typedef struct Wave {
    double w[INPUTS_MOST], phase;
} Wave;

typedef struct WaveTask {
    Task *task;
    const Route *route;
    PilotJets jets;        /* its slopes are by the waves */
    double *sine, *cosine; /* [waves] of the point at hand */
    int order;             /* highest derivative in it */
    double weight;         /* what its rows are multiplied with */
} WaveTask;

typedef struct Waves {
    Session *s;
    int64_t inputs, outputs, waves, basis, points, batches;
    Wave wave[WAVES_MOST];
    WaveTask task[PLAN_TASKS_MAX];
    PilotFit fit;
} Waves;

/* ------------------------------------------------------------------------------------- points */

static void draw_batch(const Waves *p, int64_t batch) {
    uint32_t step = STEP_PILOT - (uint32_t)batch;
    assert(batch >= 0);
    for (int i = 0; i < p->s->tasks; i++) {
        points_draw(&p->s->task[i].points, p->s->settings.seed, step, 0);
        route_prepare(&p->s->task[i].gradient[0], step);
    }
}

/* Mean and standard deviation of an input over the first batch. */
static double spread_of(const Waves *p, int64_t input, double *mean) {
    const Points *x = &p->s->task[0].points;
    double sum = 0, square = 0, n = (double)p->points;
    for (int64_t b = 0; b < p->points; b++)
        sum += points_input(x, b, input);
    *mean = sum / n;
    for (int64_t b = 0; b < p->points; b++) {
        double v = points_input(x, b, input) - *mean;
        square += v * v;
    }
    return sqrt(square / n);
}

/* Frequencies in units of the inputs' spread: from waves that are almost linear to several across the
 * points. They are the same for every seed. */
static void choose_waves(Waves *p) {
    static const double size[] = {0.5, 1, 2, 4}, GOLDEN_ANGLE = 2.399963229728653;
    double normal[INPUTS_MOST * PDE_LANES], mean;
    for (int64_t c = 0; c < p->waves; c++) {
        if (c % PDE_LANES == 0)
            pde_random_fill(p->s->engine, PDE_LAW_NORMAL, 0,
                            stream_of(STREAM_PROBE, ROLE_TEST, 0, 0), STEP_PILOT, (uint32_t)c, 0,
                            p->inputs, normal, NULL);
        Wave *wave = &p->wave[c];
        wave->phase = GOLDEN_ANGLE * (double)c; /* spreads the phases evenly */
        for (int64_t i = 0; i < p->inputs; i++) {
            double spread = spread_of(p, i, &mean);
            double z = real_get(p->s->settings.precision, normal, i * PDE_LANES + c % PDE_LANES);
            wave->w[i] = spread > 0 ? size[c % 4] * z / spread : 0;
            wave->phase -= wave->w[i] * mean;
        }
    }
}

/* --------------------------------------------------------------------------------------- jets */

static double along(const Waves *p, const Wave *wave, const void *v, int64_t lane) {
    double sum = 0;
    for (int64_t i = 0; i < p->inputs; i++)
        sum += wave->w[i] * real_get(p->s->settings.precision, v, i * PDE_LANES + lane);
    return sum;
}

/* w . v_k for direction j of block b at one point. */
static double slope_of(const Waves *p, const WaveTask *t, const Wave *wave, int b, int64_t j,
                       int64_t point) {
    const Route *r = t->route;
    const PlanBlock *block = &r->plan->block[b];
    const PdeDirections *d = pde_batch_directions(r->batch, b);
    PdePrecision precision = p->s->settings.precision;
    int64_t count = r->block[b + 1] - r->block[b], group = point / PDE_LANES;
    double v = 0;
    switch (block->kind) {
    case BLOCK_sparse:
        for (int64_t e = (point * count + j) * block->entries, n = e + block->entries; e < n; e++)
            v += real_get(precision, d->coefficient, e) * wave->w[d->index[e]];
        return v;
    case BLOCK_pair:
        return wave->w[d->index[2 * j]] + block->sign * wave->w[d->index[2 * j + 1]];
    case BLOCK_unit:
        return wave->w[d->index[r->per_point ? point * count + j : j]];
    case BLOCK_position:
        return along(p, wave, points_inputs(&t->task->points, group), point % PDE_LANES);
    case BLOCK_dense:
        return along(p, wave, d->v, 0);
    case BLOCK_point_dense:
        return along(p, wave, real_const_at(precision, d->v, group * p->inputs * PDE_LANES),
                     point % PDE_LANES);
    default: /* time, fixed, all coordinates with weights */
        return wave->w[d->index[j]];
    }
}

static void point_waves(const Waves *p, const WaveTask *t, int64_t point) {
    const Route *r = t->route;
    int64_t K = r->block[r->plan->blocks];
    const void *x = points_inputs(&t->task->points, point / PDE_LANES);
    for (int64_t c = 0; c < p->waves; c++) {
        const Wave *wave = &p->wave[c];
        double angle = wave->phase + along(p, wave, x, point % PDE_LANES);
        t->sine[c] = sin(angle);
        t->cosine[c] = cos(angle);
        for (int b = 0; b < r->plan->blocks; b++)
            for (int64_t k = r->block[b]; k < r->block[b + 1]; k++)
                t->jets.slope[c * K + k] = slope_of(p, t, wave, b, k - r->block[b], point);
    }
}

/* The m-th derivative of a sine. */
static double turned(double sine, double cosine, int m) {
    double v = m % 2 ? cosine : sine;
    return m % 4 < 2 ? v : -v;
}

/* The fit at the point at hand, as the engine would show a network. */
static void set_jets(const Waves *p, const WaveTask *t) {
    PdePrecision precision = p->s->settings.precision;
    int64_t K = t->jets.directions;
    for (int64_t o = 0; o < p->outputs; o++) {
        const double *theta = p->fit.theta + o * p->basis;
        double n = theta[0];
        for (int64_t c = 0; c < p->waves; c++)
            n += theta[1 + c] * t->sine[c];
        real_set(precision, t->jets.n, o, n);
        for (int64_t k = 0; k < K; k++) {
            double d[PDE_MAX_ORDER] = {0};
            for (int64_t c = 0; c < p->waves; c++) {
                double slope = t->jets.slope[c * K + k], power = theta[1 + c] * slope;
                for (int m = 1; m <= t->order; m++, power *= slope)
                    d[m - 1] += power * turned(t->sine[c], t->cosine[c], m);
            }
            for (int m = 0; m < PDE_MAX_ORDER; m++)
                real_set(precision, t->jets.d[m], o * K + k, d[m]);
        }
    }
}

/* Derivatives of residual e by the coefficients of output o. */
static void seed_row(const Waves *p, const WaveTask *t, int64_t e, int64_t o, double *to) {
    PdePrecision precision = p->s->settings.precision;
    int64_t K = t->jets.directions, at = (e * p->outputs + o) * K;
    double seed = real_get(precision, t->jets.seed_n, e * p->outputs + o);
    to[0] = seed;
    for (int64_t c = 0; c < p->waves; c++) {
        double sine = t->sine[c], cosine = t->cosine[c], sum = seed * sine;
        for (int64_t k = 0; k < K; k++) {
            double slope = t->jets.slope[c * K + k], power = slope;
            for (int m = 1; m <= t->order; m++, power *= slope)
                sum += power * turned(sine, cosine, m) *
                       real_get(precision, t->jets.seed_d[m - 1], at + k);
        }
        to[1 + c] = sum;
    }
}

/* Residuals of one point, and their rows unless row is NULL. */
static void point_rows(const Waves *p, const WaveTask *t, int64_t point, double *row,
                       double *residual) {
    point_waves(p, t, point);
    set_jets(p, t);
    pilot_jets_run(&t->jets, point, row != NULL, residual);
    for (int64_t e = 0; e < t->task->plan->residuals && row; e++)
        for (int64_t o = 0; o < p->outputs; o++)
            seed_row(p, t, e, o, row + e * p->fit.unknowns + o * p->basis);
}

/* ----------------------------------------------------------------------------------------- fit */

static int64_t batch_rows(const Waves *p) {
    return p->fit.rows / p->batches;
}

typedef struct RowsJob {
    const Waves *p;
    double *matrix, *residual; /* of the batch; matrix may be NULL */
} RowsJob;

static void rows_task(void *context, long task, int worker) {
    const RowsJob *job = context;
    int64_t at = 0;
    (void)worker;
    for (int i = 0; i < task; i++)
        at += job->p->points * job->p->task[i].task->plan->residuals;
    const WaveTask *t = &job->p->task[task];
    int64_t E = t->task->plan->residuals;
    for (int64_t b = 0; b < job->p->points; b++, at += E)
        point_rows(job->p, t, b, job->matrix ? job->matrix + at * job->p->fit.unknowns : NULL,
                   job->residual + at);
}

/* Tasks have buffers of their own, so each may have a thread. */
static void fill_batch(const Waves *p, double *matrix, double *residual) {
    RowsJob job = {p, matrix, residual};
    pde_engine_run(p->s->engine, rows_task, &job, p->s->tasks);
}

static void fill_rows(const Waves *p, bool matrix) {
    for (int64_t q = 0; q < p->batches; q++) {
        draw_batch(p, q);
        fill_batch(p, matrix ? p->fit.matrix + q * batch_rows(p) * p->fit.unknowns : NULL,
                   p->fit.residual + q * batch_rows(p));
    }
}

typedef void RowOf(Waves *p, WaveTask *t, int64_t row, double *sum);

static double each_row(Waves *p, int64_t batches, RowOf *visit) {
    double sum = 0;
    int64_t row = 0;
    for (int64_t q = 0; q < batches; q++)
        for (int i = 0; i < p->s->tasks; i++)
            for (int64_t k = 0; k < p->points * p->task[i].task->plan->residuals; k++)
                visit(p, &p->task[i], row++, &sum);
    assert(row <= p->fit.rows);
    return sum;
}

static void add_square(Waves *p, WaveTask *t, int64_t row, double *sum) {
    assert(row >= 0 && row < p->fit.rows);
    double r = p->fit.residual[row] * t->weight;
    *sum += r * r;
}

static void weigh(Waves *p, WaveTask *t, int64_t row, double *sum) {
    (void)sum;
    p->fit.residual[row] *= t->weight;
    for (int64_t k = 0; k < p->fit.unknowns; k++)
        p->fit.matrix[row * p->fit.unknowns + k] *= t->weight;
}

static void add_entries(Waves *p, WaveTask *t, int64_t row, double *sum) {
    (void)sum;
    for (int64_t k = 0; k < p->fit.unknowns; k++)
        t->weight +=
            p->fit.matrix[row * p->fit.unknowns + k] * p->fit.matrix[row * p->fit.unknowns + k];
}

/* Rows of one task are divided by the size of its operator, so that no task drowns another. */
static void choose_weights(Waves *p) {
    for (int i = 0; i < p->s->tasks; i++)
        p->task[i].weight = 0;
    each_row(p, p->batches, add_entries);
    for (int i = 0; i < p->s->tasks; i++) {
        WaveTask *t = &p->task[i];
        double n = (double)(p->batches * p->points * t->task->plan->residuals * p->fit.unknowns);
        bool linear = !t->task->plan->squares; /* a square has no linearisation at its minimum */
        t->weight = t->weight > 0 && linear ? 1 / sqrt(t->weight / n) : 0;
    }
}

/* The longest of the steps 1, 1/2, 1/4, ... after which the squares are fewer; false: none is. */
static bool search(Waves *p, double before, double *after) {
    double factor = 1;
    for (int i = 0; i < SHORTER; i++, factor /= 2) {
        pilot_fit_move(&p->fit, factor);
        fill_rows(p, false);
        *after = each_row(p, p->batches, add_square);
        if (*after < before)
            return true;
        pilot_fit_move(&p->fit, -factor);
    }
    return false;
}

static void fit(Waves *p) {
    for (int i = 0; i < NEWTON_STEPS; i++) {
        double after;
        fill_rows(p, true);
        choose_weights(p);
        double before = each_row(p, p->batches, add_square);
        each_row(p, p->batches, weigh);
        if (!isfinite(before) || !(before > 0) || !pilot_fit_solve(&p->fit, RIDGE) ||
            !search(p, before, &after) || after > ENOUGH * before)
            return;
    }
}

/* Squares of the residuals on points that the fit has not seen. */
static double unseen(Waves *p) {
    draw_batch(p, p->batches);
    fill_batch(p, NULL, p->fit.residual);
    return each_row(p, 1, add_square);
}

/* RMS over the equation's points of the last batch that was drawn: where conditions hold the solution may
 * be zero, which says nothing about its size. */
static double size_of(const Waves *p, int64_t output) {
    const double *theta = p->fit.theta + output * p->basis;
    double square = 0;
    for (int64_t b = 0; b < p->points; b++) {
        const void *x = points_inputs(&p->s->task[0].points, b / PDE_LANES);
        double n = theta[0];
        for (int64_t c = 0; c < p->waves; c++)
            n += theta[1 + c] * sin(p->wave[c].phase + along(p, &p->wave[c], x, b % PDE_LANES));
        square += n * n;
    }
    return sqrt(square / (double)p->points);
}

/* -------------------------------------------------------------------------------------- memory */

static bool open_task(const Waves *p, WaveTask *t) {
    t->sine = calloc((size_t)p->waves + 1, sizeof *t->sine);
    t->cosine = calloc((size_t)p->waves + 1, sizeof *t->cosine);
    for (int b = 0; b < t->route->plan->blocks; b++)
        if (t->route->plan->block[b].order > t->order)
            t->order = t->route->plan->block[b].order;
    return pilot_jets_open(&t->jets, t->route, p->outputs, p->waves) && t->sine && t->cosine;
}

static bool waves_open(Waves *p, Session *s) {
    bool ok = true;
    int64_t B = s->settings.points < POINTS_MOST ? s->settings.points : POINTS_MOST, residuals = 0;
    *p = (Waves){.s = s, .inputs = s->problem->inputs, .outputs = s->problem->outputs, .points = B};
    assert(B > 0 && p->outputs > 0);
    p->waves =
        UNKNOWNS_MOST / p->outputs - 1 < WAVES_MOST ? UNKNOWNS_MOST / p->outputs - 1 : WAVES_MOST;
    p->batches =
        (POINTS_IN_ALL + B - 1) / B < BATCHES_MOST ? (POINTS_IN_ALL + B - 1) / B : BATCHES_MOST;
    p->basis = 1 + p->waves;
    for (int i = 0; i < s->tasks; i++) {
        p->task[i] = (WaveTask){.task = &s->task[i], .route = &s->task[i].gradient[0]};
        residuals += s->task[i].plan->residuals;
        ok = open_task(p, &p->task[i]) && ok;
    }
    return pilot_fit_open(&p->fit, p->batches * B * residuals, p->basis * p->outputs) && ok;
}

static void waves_close(Waves *p) {
    for (int i = 0; i < p->s->tasks; i++) {
        WaveTask *t = &p->task[i];
        pilot_jets_close(&t->jets);
        free(t->sine);
        free(t->cosine);
    }
    pilot_fit_close(&p->fit);
}

/* -------------------------------------------------------------------------------------- choose */

/* Gram directions and sums over the network's own gradient say nothing about a sum of waves. */
static bool route_fits(const Route *r) {
    for (int b = 0; b < r->plan->blocks; b++)
        if (r->plan->block[b].kind == BLOCK_gradient ||
            (r->plan->block[b].kind == BLOCK_gram && !r->weight[b]))
            return false;
    return true;
}

bool wave_pilot_fits(const Session *s) {
    bool ok = s->problem->inputs <= INPUTS_MOST;
    for (int i = 0; i < s->tasks && ok; i++)
        ok = route_fits(&s->task[i].gradient[0]);
    return ok;
}

Status wave_pilot_sizes(Session *s, double *size, bool *believed, Error *error) {
    Waves *p = malloc(sizeof *p);
    *believed = false;
    if (!p || !waves_open(p, s)) {
        if (p)
            waves_close(p);
        free(p);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the automatic scales");
    }
    draw_batch(p, 0);
    choose_waves(p);
    fit(p);
    double after = unseen(p);
    for (int64_t o = 0; o < p->outputs; o++)
        size[o] = size_of(p, o);
    memset(p->fit.theta, 0, (size_t)p->fit.unknowns * sizeof *p->fit.theta);
    double before = unseen(p);
    *believed = isfinite(after) && after < EXPLAINED * EXPLAINED * before;
    waves_close(p);
    free(p);
    return STATUS_OK;
}
