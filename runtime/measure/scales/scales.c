/* scales.c: fits N(x) = a + sum_c beta_c (x_c . x), with x_c pilot points, to the linearised
 * residual. In high dimension the points span what they can see of a linear function, so this is
 * the best linear trial of least norm, at the price of products of points. A linear function's jets
 * are known without a network: N, and D N[v] = sum_c beta_c (x_c . v); the kernels' own seeds give
 * the linearisation, and a few Gauss-Newton steps follow a nonlinear residual. */
#include "measure/scales/scales.h"

#include "engine/real.h"
#include "measure/scales/pilot.h"
#include "measure/scales/wave_pilot.h"
#include "measure/scales/norm.h"
#include "step/route.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CENTRES = 64,
    NEWTON_STEPS = 4,
    CENTRE_GROUPS = CENTRES / PDE_LANES,
    HALVINGS = 40,
    WAVES = 8
};
static const double RIDGE = 1e-6;
static const double UNLIKE = 3;   /* pilots that differ by less agree */
static const double BLIND = 1e-4; /* of the residuals of a trial function of the chosen size */
static const double ROUNDINGS =
    64; /* a residual of so many roundings of the solution is nothing else */

#define real float
#define ROWS(name) name##_f32
#include "measure/scales/dots_body.h"
#undef real
#undef ROWS
#define real double
#define ROWS(name) name##_f64
#include "measure/scales/dots_body.h"
#undef real
#undef ROWS

/* The pilot of one task. dot[b][c]: product of point b with centre c. */
typedef struct PilotTask {
    Task *task;
    Route *route;
    int64_t points;
    double (*dot)[CENTRES];
    double (*dense)[PDE_MAX_BLOCKS][CENTRES]; /* [b]: product of a dense direction with centre c */
    PilotJets jets;                           /* its slopes are by the centres */
    double length[PDE_MAX_BLOCKS][WAVES]; /* of centre c, as a block of pseudo-directions sees it */
    double
        by_unknown[PLAN_UNKNOWNS_MAX]; /* RMS of the residual's derivative, where sizes are taken */
    double scale, next; /* what its rows were multiplied with at the last linearisation, and here */
    double here, zero;  /* RMS of its residuals here, and where the network is 0 */
} PilotTask;

typedef struct Pilot {
    Session *session;
    int64_t centres, basis, outputs; /* basis: functions per output, 1 + centres */
    double norm;                     /* of the centres, so that basis functions have size 1 */
    double bias; /* of the output where training begins; not 0 with a norm (norm.h) */
    PilotTask task[PLAN_TASKS_MAX];
    PilotFit fit;
} Pilot;

/* ------------------------------------------------------------------------- products of points */

typedef struct DotsJob {
    const Pilot *pilot;
    const PilotTask *t;
    const void *v; /* lanes to multiply with the centres: x, or a dense direction per point */
    double *out;   /* out[b * stride + c] */
    int64_t stride;
} DotsJob;

static void dots_task(void *context, long task, int worker) {
    const DotsJob *job = context;
    const Problem *q = job->pilot->session->problem;
    int64_t group = task / CENTRE_GROUPS, centre = task % CENTRE_GROUPS;
    double out[PDE_LANES][PDE_LANES] = {{0}};
    (void)worker;
    if (centre * PDE_LANES >= job->pilot->centres)
        return;
    const void *x = real_const_at(q->precision, job->v, group * q->inputs * PDE_LANES);
    const void *y = points_inputs(&job->pilot->session->task[0].points, centre);
    if (q->precision == PDE_F64)
        dots_f64(x, y, q->inputs, out);
    else
        dots_f32(x, y, q->inputs, out);
    for (int k = 0; k < PDE_LANES && group * PDE_LANES + k < job->t->points; k++)
        for (int l = 0; l < PDE_LANES; l++)
            job->out[(group * PDE_LANES + k) * job->stride + centre * PDE_LANES + l] = out[k][l];
}

static void all_dots(const Pilot *p, const PilotTask *t) {
    DotsJob job = {p, t, points_inputs(&t->task->points, 0), &t->dot[0][0], CENTRES};
    long tasks = (long)(problem_groups(t->points) * CENTRE_GROUPS);
    pde_engine_run(p->session->engine, dots_task, &job, tasks);
    for (int b = 0; b < t->route->plan->blocks; b++) {
        PlanBlockKind kind = t->route->plan->block[b].kind;
        const void *v = pde_batch_directions(t->route->batch, b)->v;
        job = (DotsJob){p, t, v, &t->dense[0][b][0], PDE_MAX_BLOCKS * CENTRES};
        if (kind == BLOCK_point_dense)
            pde_engine_run(p->session->engine, dots_task, &job, tasks);
        if (kind == BLOCK_dense) { /* the direction is lane 0: the same for every point */
            pde_engine_run(p->session->engine, dots_task, &job, CENTRE_GROUPS);
            for (int64_t i = 1; i < t->points; i++)
                memcpy(t->dense[i][b], t->dense[0][b], sizeof t->dense[i][b]);
        }
    }
}

/* ----------------------------------------------------------------- jets of the linear functions */

/* The same for direction j of a sparse block. */
static double sparse_slope(const Route *r, int b, int64_t point, int64_t j, const Points *centre,
                           int64_t c) {
    const PdeDirections *d = pde_batch_directions(r->batch, b);
    int64_t entries = r->plan->block[b].entries;
    int64_t at = (point * (r->block[b + 1] - r->block[b]) + j) * entries;
    double v = 0;
    for (int64_t e = at; e < at + entries; e++)
        v += real_get(r->task->session->settings.precision, d->coefficient, e) *
             points_input(centre, c, d->index[e]);
    return v;
}

/* D(x_c . x)[v_k] of one point. Gram directions and probes are left at zero: they see a linear
 * function only through squares, which the linearisation at zero does not. */
static void point_slopes(const Pilot *p, const PilotTask *t, int64_t point) {
    const Route *r = t->route;
    const Points *centre = &p->session->task[0].points;
    int64_t K = r->block[r->plan->blocks];
    for (int b = 0; b < r->plan->blocks; b++) {
        const PlanBlock *block = &r->plan->block[b];
        const uint32_t *index = pde_batch_directions(r->batch, b)->index;
        for (int64_t k = r->block[b], j = 0; k < r->block[b + 1]; k++, j++)
            for (int64_t c = 0; c < p->centres; c++) {
                double v = 0;
                if (block->kind == BLOCK_sparse)
                    v = sparse_slope(r, b, point, j, centre, c);
                else if (block->kind == BLOCK_pair)
                    v = points_input(centre, c, index[2 * j]) +
                        block->sign * points_input(centre, c, index[2 * j + 1]);
                else if (block->kind == BLOCK_unit && r->per_point)
                    v = points_input(centre, c, index[point * (r->block[b + 1] - r->block[b]) + j]);
                else if (index)
                    v = points_input(centre, c, index[j]);
                else if (block->kind == BLOCK_position)
                    v = t->dot[point][c];
                else if (block->kind == BLOCK_point_dense || block->kind == BLOCK_dense)
                    v = t->dense[point][b][c];
                t->jets.slope[c * K + k] = v * p->norm;
            }
    }
}

/* N and D N of the current trial at one point, as the engine would show them. */
static void set_jets(const Pilot *p, const PilotTask *t, int64_t point) {
    PdePrecision precision = p->session->settings.precision;
    int64_t K = t->jets.directions;
    for (int64_t o = 0; o < p->outputs; o++) {
        const double *theta = p->fit.theta + o * p->basis;
        double n = theta[0];
        for (int64_t c = 0; c < p->centres; c++)
            n += theta[1 + c] * t->dot[point][c] * p->norm;
        real_set(precision, t->jets.n, o, n);
        for (int64_t k = 0; k < K; k++) {
            double d = 0;
            for (int64_t c = 0; c < p->centres; c++)
                d += theta[1 + c] * t->jets.slope[c * K + k];
            real_set(precision, t->jets.d[0], o * K + k, d);
        }
    }
}

/* Residuals and their derivatives by the trial's coefficients, E rows of the system. */
static void point_rows(const Pilot *p, const PilotTask *t, int64_t point, double *row,
                       double *residual) {
    PdePrecision precision = p->session->settings.precision;
    int64_t K = t->jets.directions, E = t->task->plan->residuals;
    point_slopes(p, t, point);
    set_jets(p, t, point);
    pilot_jets_run(&t->jets, point, true, residual);
    for (int64_t e = 0; e < E; e++) {
        for (int64_t o = 0; o < p->outputs; o++) {
            double *to = row + e * p->fit.unknowns + o * p->basis;
            double seed = real_get(precision, t->jets.seed_n, e * p->outputs + o);
            to[0] = seed;
            for (int64_t c = 0; c < p->centres; c++) {
                to[1 + c] = seed * t->dot[point][c] * p->norm;
                for (int64_t k = 0; k < K; k++)
                    to[1 + c] += t->jets.slope[c * K + k] * real_get(precision, t->jets.seed_d[0],
                                                                     (e * p->outputs + o) * K + k);
            }
        }
    }
}

/* The size of an operator may change with the trial: what is to be compared has one size. */
typedef struct Merit {
    double
        own; /* squared norm of all residuals, each task divided by the size of its operator here */
    double old; /* the same, divided by the sizes of the last linearisation */
    bool alike; /* the sizes are about the same: `own` tells them apart */
} Merit;

/* Rows of one task are divided by the size of its operator, so that no task drowns another. Not finite
 * where a residual is not. */
static Merit fill_system(Pilot *p) {
    Merit merit = {0, 0, true};
    int64_t at = 0;
    for (int i = 0; i < p->session->tasks; i++) {
        PilotTask *t = &p->task[i];
        int64_t E = t->task->plan->residuals, first = at, n = t->points * E * p->fit.unknowns;
        for (int64_t b = 0; b < t->points; b++, at += E)
            point_rows(p, t, b, p->fit.matrix + at * p->fit.unknowns, p->fit.residual + at);
        double square = 0, here = 0, *rows = p->fit.matrix + first * p->fit.unknowns;
        for (int64_t k = 0; k < n; k++)
            square += rows[k] * rows[k];
        bool linear = !t->task->plan->squares; /* a square has no linearisation at its minimum */
        double scale = square > 0 && linear ? 1 / sqrt(square / (double)n) : 0;
        merit.alike = merit.alike && scale <= UNLIKE * t->scale && t->scale <= UNLIKE * scale;
        for (int64_t k = 0; k < n; k++)
            rows[k] *= scale;
        for (int64_t k = first; k < at; k++) {
            here += p->fit.residual[k] * p->fit.residual[k] / (double)(at - first);
            double before = p->fit.residual[k] * t->scale;
            p->fit.residual[k] *= scale;
            merit.own += p->fit.residual[k] * p->fit.residual[k];
            merit.old += before * before;
        }
        t->next = scale;
        t->here = sqrt(here);
    }
    assert(at == p->fit.rows);
    return merit;
}

static void take_scales(Pilot *p) {
    for (int i = 0; i < p->session->tasks; i++)
        p->task[i].scale = p->task[i].next;
}

/* Where a whole step leads to another operator, its linearisation said little: the longest of its
 * halves, quarters, ... that makes the residual smaller is taken. False: none does. */
static bool step_along(Pilot *p, double best, Merit *now) {
    double factor = 1;
    for (int i = 0; i < HALVINGS; i++, factor /= 2) {
        pilot_fit_move(&p->fit, factor);
        *now = fill_system(p);
        if ((now->alike ? now->own : now->old) < best)
            return true;
        pilot_fit_move(&p->fit, -factor);
        if (now->alike && i == 0)
            return false;
    }
    return false;
}

/* Gauss-Newton while it makes the residual smaller. */
static void fit(Pilot *p) {
    Merit now = fill_system(p);
    for (int i = 0; i < NEWTON_STEPS && isfinite(now.own) && now.own > 0; i++) {
        double best = now.own;
        take_scales(p);
        if (!pilot_fit_solve(&p->fit, RIDGE) || !step_along(p, best, &now))
            return;
    }
}

static double trial_size(const Pilot *p, int64_t output) {
    const double *theta = p->fit.theta + output * p->basis;
    double square = 0;
    int64_t count = 0;
    for (int i = 0; i < p->session->tasks; i++)
        for (int64_t b = 0; b < p->task[i].points; b++, count++) {
            double n = theta[0];
            for (int64_t c = 0; c < p->centres; c++)
                n += theta[1 + c] * p->task[i].dot[b][c] * p->norm;
            square += n * n;
        }
    assert(output >= 0 && output < p->outputs && count > 0);
    double size = sqrt(square / (double)count);
    return isfinite(size) && size > 0 ? size : 1;
}

/* ------------------------------------------------------------------------------------- memory */

static bool pilot_open_task(Pilot *p, PilotTask *t) {
    t->dot = calloc((size_t)t->points + 1, sizeof *t->dot);
    t->dense = calloc((size_t)t->points + 1, sizeof *t->dense);
    return pilot_jets_open(&t->jets, t->route, p->outputs, CENTRES) && t->dot && t->dense;
}

static bool pilot_open(Pilot *p, Session *s) {
    bool ok = true;
    *p = (Pilot){.session = s, .outputs = s->network.width[s->network.layers]};
    int64_t points = s->settings.points < CENTRES ? s->settings.points : CENTRES;
    assert(points > 0 && p->outputs > 0);
    p->centres = points;
    p->basis = 1 + points;
    int64_t rows = 0;
    for (int i = 0; i < s->tasks; i++) {
        Task *t = &s->task[i];
        p->task[i] = (PilotTask){.task = t, .route = &t->gradient[0], .points = points};
        rows += points * t->plan->residuals;
        ok = pilot_open_task(p, &p->task[i]) && ok;
    }
    return pilot_fit_open(&p->fit, rows, p->basis * p->outputs) && ok;
}

static void pilot_close(Pilot *p) {
    for (int i = 0; i < p->session->tasks; i++) {
        PilotTask *t = &p->task[i];
        free(t->dot);
        free(t->dense);
        pilot_jets_close(&t->jets);
    }
    pilot_fit_close(&p->fit);
}

/* -------------------------------------------------------------------------------------- choose */

static void draw_pilot(Session *s) {
    for (int i = 0; i < s->tasks; i++) {
        Task *t = &s->task[i];
        points_draw(&t->points, s->settings.seed, STEP_PILOT, 0);
        route_prepare(&t->gradient[0], STEP_PILOT);
    }
}

/* The root of sum_i weight_i x_i^2 of a centre: time has weight 0, and a coefficient may be there. */
static double gram_length(const Pilot *p, const PilotTask *t, int b, int64_t c) {
    const Session *s = p->session;
    assert(b >= 0 && b < t->route->plan->blocks && c >= 0);
    const void *given = pde_batch_directions(t->route->batch, b)->weight;
    const void *weight = given ? given : t->route->gram_weight;
    double square = 0;
    bool plain = true;
    for (int64_t i = 0; i < s->problem->inputs; i++) {
        double w = real_get(s->settings.precision, weight, i),
               x = points_input(&s->task[0].points, c, i);
        plain = plain && w == 1;
        square += w * x * x;
    }
    return sqrt(plain ? p->task[0].dot[c][c] : square);
}

static void all_lengths(const Pilot *p, PilotTask *t) {
    const Route *r = t->route;
    for (int b = 0; b < r->plan->blocks; b++)
        for (int64_t c = 0; c < WAVES && c < p->centres; c++)
            if (r->plan->block[b].kind == BLOCK_gram && !r->weight[b])
                t->length[b][c] = gram_length(p, t, b, c);
}

/* N(x) = sin(w . x + phase), w along centre c with |w| = 1 / RMS|x|: a function of size 1 that
 * varies once across the points. Its jets at one point, into the task's buffers. */
static void set_wave(const Pilot *p, const PilotTask *t, int64_t point, int64_t c) {
    static const double QUARTER = 1.5707963267948966;
    PdePrecision precision = p->session->settings.precision;
    const Route *r = t->route;
    int64_t K = r->block[r->plan->blocks];
    double theta = t->dot[point][c] * p->norm + 0.7 * (double)c;
    for (int64_t o = 0; o < p->outputs; o++) {
        real_set(precision, t->jets.n, o, p->bias + sin(theta));
        for (int b = 0; b < r->plan->blocks; b++)
            for (int64_t k = r->block[b]; k < r->block[b + 1]; k++) {
                /* pseudo-directions see w only by its length: the first carries all of it */
                bool gram = r->plan->block[b].kind == BLOCK_gram && !r->weight[b];
                double slope = !gram              ? t->jets.slope[c * K + k]
                               : k == r->block[b] ? t->length[b][c] * p->norm
                                                  : 0;
                double power = slope;
                for (int m = 1; m <= PDE_MAX_ORDER; m++, power *= slope)
                    real_set(precision, t->jets.d[m - 1], o * K + k,
                             power * sin(theta + m * QUARTER));
            }
    }
}

/* Squares of the derivatives by the unknowns of a residual that was just taken. A mean of squares has none
 * where it is least. */
static void add_by_unknown(const Pilot *p, PilotTask *t) {
    int unknowns = p->session->problem->plan.unknowns;
    for (int64_t i = 0; i < t->task->plan->residuals * unknowns && !t->task->plan->squares; i++) {
        double slope = real_get(p->session->settings.precision, t->jets.seed_unknown, i);
        t->by_unknown[i % unknowns] += slope * slope;
    }
}

/* RMS of a task's residual over such functions, scaled to the size of the solution. The residual
 * of the first network would not do: it is nearly constant, and derivatives of it nearly zero. */
static double residual_size(const Pilot *p, PilotTask *t) {
    int unknowns = p->session->problem->plan.unknowns;
    double square = 0, each[PLAN_RESIDUALS_MAX] = {0}, residual[PLAN_RESIDUALS_MAX];
    int64_t count = 0, E = t->task->plan->residuals;
    for (int64_t point = 0; point < t->points; point++) {
        point_slopes(p, t, point);
        for (int64_t c = 0; c < WAVES && c < p->centres; c++, count++) {
            set_wave(p, t, point, c);
            pilot_jets_run(&t->jets, point, unknowns > 0, residual);
            add_by_unknown(p, t);
            for (int64_t e = 0; e < E; e++)
                each[e] += t->task->plan->squares ? residual[e] : residual[e] * residual[e];
        }
    }
    for (int64_t e = 0; e < E; e++) {
        square += each[e];
        t->task->equation_size[e] = sqrt(each[e] / (double)count);
    }
    for (int k = 0; k < unknowns; k++)
        t->by_unknown[k] = sqrt(t->by_unknown[k] / (double)(count * E));
    double size = sqrt(square / (double)(count * E));
    return isfinite(size) && size > 0 ? size : 1;
}

/* A condition that every trial function meets leaves rounding, which must not become a loss. */
static void choose_residual_scale(const Pilot *p, PilotTask *t) {
    const Session *s = p->session;
    double eps = s->settings.precision == PDE_F64 ? DBL_EPSILON : (double)FLT_EPSILON, largest = 0;
    for (int64_t o = 0; o < p->outputs; o++)
        largest = fmax(largest, s->output_scale[o]);
    double own = residual_size(p, t);
    for (int k = 0; k < s->problem->plan.unknowns; k++)
        t->by_unknown[k] /= own;
    if (s->settings.scale_none)
        return;
    if (t->task->plan->kind == PLAN_norm) {
        t->task->residual_scale = 1;
        return;
    }
    t->task->residual_scale = own;
    t->task->rounding = t->task->residual_scale < ROUNDINGS * eps * largest;
    if (t->task->rounding)
        t->task->residual_scale = largest;
}

/* An unknown that is small moves as one that changes the residuals by as much as there is of them; less than that is
 * nothing to them, whatever the unit it is stated in. Never more than a tenth of its range. */
static void choose_unknown_sizes(const Pilot *p) {
    Session *s = p->session;
    for (int k = 0; k < s->problem->plan.unknowns; k++) {
        const double *stated = s->problem->unknown[k];
        double effect = 0, range = stated[2] - stated[1];
        for (int i = 0; i < s->tasks; i++)
            effect += p->task[i].by_unknown[k] * p->task[i].by_unknown[k];
        double size = 1 / sqrt(effect);
        if (!isfinite(size) || !(size > 0))
            size = unknown_size_at_start(stated);
        s->unknown_limit[k][0] = isfinite(range) && range > 0 ? fmin(size, range / 10) : size;
    }
}

/* Waves see a solution that oscillates; where they find about the same as the linear pilot, its number
 * stands. */
static void join_pilots(Session *s, const double *wave) {
    for (int o = 0; o < s->problem->outputs; o++)
        if (wave[o] > 0 &&
            (wave[o] > UNLIKE * s->output_scale[o] || s->output_scale[o] > UNLIKE * wave[o]))
            s->output_scale[o] = wave[o];
}

/* Would a network that is 0 count as a solution? Then functions of that size are where the equation is another one, as
 * exp(-u) is far below 0, and no training would come back: the size is 1, and residuals are measured by the known data. */
static bool is_blind(const Pilot *p) {
    bool blind = false;
    for (int i = 0; i < p->session->tasks; i++) {
        const PilotTask *t = &p->task[i];
        if (t->zero > BLIND * t->task->residual_scale)
            return false;
        blind |= t->zero > 0 && !t->task->rounding;
    }
    return blind;
}

static Status choose(Session *s, bool solution, Error *error) {
    Pilot pilot;
    double wave[PLAN_FIELDS_MAX];
    bool believed = false;
    if (solution && wave_pilot_fits(s)) {
        Status status = wave_pilot_sizes(s, wave, &believed, error);
        if (status != STATUS_OK)
            return status;
    }
    double bias = norm_begin(s);
    draw_pilot(s);
    if (!pilot_open(&pilot, s)) {
        pilot_close(&pilot);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the automatic scales");
    }
    double square = 0;
    pilot.bias = bias;
    for (int i = 0; i < s->tasks; i++)
        all_dots(&pilot, &pilot.task[i]);
    for (int64_t c = 0; c < pilot.centres; c++)
        square += pilot.task[0].dot[c][c];
    pilot.norm = square > 0 ? (double)pilot.centres / square : 1;
    (void)fill_system(&pilot);
    for (int i = 0; i < s->tasks; i++)
        pilot.task[i].zero = pilot.task[i].here;
    if (solution) {
        fit(&pilot);
        for (int64_t o = 0; o < pilot.outputs; o++)
            s->output_scale[o] = trial_size(&pilot, o);
        if (believed)
            join_pilots(s, wave);
    }
    for (int i = 0; i < s->tasks; i++) {
        all_lengths(&pilot, &pilot.task[i]);
        choose_residual_scale(&pilot, &pilot.task[i]);
    }
    choose_unknown_sizes(&pilot);
    bool blind = !s->settings.scale_none && is_blind(&pilot), again = blind && solution;
    for (int i = 0; i < s->tasks && blind && !again; i++)
        if (pilot.task[i].zero > 0)
            s->task[i].residual_scale = pilot.task[i].zero;
    pilot_close(&pilot);
    for (int o = 0; o < s->problem->outputs && again; o++)
        s->output_scale[o] = 1;
    return again ? choose(s, false, error) : STATUS_OK;
}

Status scales_choose(Session *s, Error *error) {
    for (int o = 0; o < s->problem->outputs; o++)
        s->output_scale[o] = s->settings.scale_auto ? 1 : s->settings.scale;
    /* of an eigenfunction the output is the logarithm: of size 1, but for a constant that may be free */
    return choose(s, s->settings.scale_auto && !s->problem->plan.eigen, error);
}

Status scales_follow(Session *s, Error *error) {
    return choose(s, false, error);
}
