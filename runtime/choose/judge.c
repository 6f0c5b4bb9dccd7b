/* judge.c: see judge.h. */
#include "choose/judge.h"

#include "engine/real.h"
#include "error/estimate.h"
#include "load/variant.h"
#include "measure/heldout.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAW_POINTS = 64, BATCH = 64 };
#define STEP_JUDGE                                                                                 \
    (STEP_HELD_OUT - 0x1000000) /* apart from what is trained on and what is held out */

/* -------------------------------------------------------------------------------- common points */

static void keep_points(Judge *j, const Points *p) {
    assert(j->x && j->n_in > 0);
    for (int64_t k = 0; k < LAW_POINTS; k++, j->points++)
        for (int64_t i = 0; i < j->n_in; i++)
            j->x[j->points * j->n_in + i] = points_coordinate(p, k, i);
}

/* Where answers are asked for. */
static Status draw_answers(Judge *j, const Session *s, Error *error) {
    const Problem *q = s->problem;
    Points draw;
    void *inputs = calloc((size_t)(LAW_POINTS * q->inputs), real_size(q->precision));
    PointsConfig config = {.problem = q,
                           .engine = s->engine,
                           .kind = PLAN_equation,
                           .role = ROLE_TEST,
                           .points = LAW_POINTS,
                           .inputs = inputs,
                           .unknown = s->unknown_real};
    Status status = inputs ? points_create(&config, &draw, error)
                           : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for test points");
    if (status == STATUS_OK) {
        points_draw(&draw, s->settings.seed, STEP_JUDGE, 0);
        keep_points(j, &draw);
        points_free(&draw);
    }
    free(inputs);
    return status;
}

static Status draw_law(Judge *j, const Candidate *c, bool first, Error *error) {
    Session s;
    Status status = candidate_session(c, BATCH, &s, error);
    if (status != STATUS_OK)
        return status;
    points_draw(&s.task[0].points, s.settings.seed, STEP_JUDGE, 0);
    keep_points(j, &s.task[0].points);
    if (first)
        status = draw_answers(j, &s, error);
    session_close(&s);
    return status;
}

/* What a residual is worth in units of the solution: the size of a solution over the residual of a function of that
 * size. A residual of an equation in time acts for half the time at most. */
static void choose_theta(Judge *j, const Candidate *c) {
    const Problem *q = &c->problem;
    double size = 0;
    for (int o = 0; o < q->outputs; o++)
        size = fmax(size, c->state.output_scale[o]);
    j->tasks = q->plan.tasks;
    for (int i = 0; i < j->tasks; i++) {
        j->theta[i] = c->state.residual_scale[i] > 0 ? size / c->state.residual_scale[i] : 1;
        if (i == 0 && q->plan.time)
            j->theta[i] = fmin(j->theta[i], (q->time[1] - q->time[0]) / 2);
    }
}

Status judge_open(Judge *j, const Candidate *candidate, int count, double seconds, Error *error) {
    assert(count > 0);
    Status status = STATUS_OK;
    *j = (Judge){.seconds = seconds};
    for (int k = 0; k < count && status == STATUS_OK; k++) {
        const Candidate *c = &candidate[k];
        bool first = !j->x;
        if (c->stage == STAGE_FAILED || (!first && c->problem.n_in != j->n_in))
            continue;
        if (first) {
            choose_theta(j, c);
            j->n_in = c->problem.n_in;
            j->x = calloc((size_t)((count + 1) * LAW_POINTS * j->n_in), sizeof *j->x);
            if (!j->x)
                return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for common points");
        }
        status = draw_law(j, c, first, error);
    }
    return status;
}

void judge_close(Judge *j) {
    free(j->x);
    *j = (Judge){0};
}

/* -------------------------------------------------------------------------------------- measuring */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double judge_trimmed_root(double *value, int64_t count) {
    assert(count > 0);
    int64_t keep = count - count / 100;
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(value[k]))
            return (double)INFINITY;
    qsort(value, (size_t)count, sizeof *value, by_value);
    for (int64_t k = 0; k < keep; k++)
        sum += value[k];
    return sqrt(fmax(sum / (double)(keep > 0 ? keep : 1), 0));
}

/* The residuals' squares of one batch: of all equations of the task together. */
static void take_squares(Task *t, uint32_t step, double *to) {
    const void *other = held_out_residuals(t, step);
    PdePrecision precision = t->session->settings.precision;
    int64_t E = t->plan->residuals;
    for (int64_t b = 0; b < BATCH; b++) {
        to[b] = 0;
        for (int64_t e = 0; e < E; e++) {
            double r = real_get(precision, t->value_residual, b * E + e);
            to[b] += r * (other ? real_get(precision, other, b * E + e) : 1);
        }
    }
}

static void place_points(const Judge *j, Task *t, int64_t first) {
    for (int64_t b = 0; b < BATCH; b++)
        for (int64_t i = 0; i < j->n_in; i++)
            points_set_coordinate(&t->points, b, i, j->x[(first + b) * j->n_in + i]);
    points_run_programs(&t->points);
}

static double measure_session(const Judge *j, Session *s, double *value) {
    assert(j->points >= BATCH && j->points % BATCH == 0);
    uint32_t step = STEP_JUDGE;
    double sum = 0;
    for (int64_t first = 0; first < j->points; first += BATCH, step -= 2) {
        points_draw(&s->task[0].points, s->settings.seed, STEP_JUDGE, (uint32_t)first);
        place_points(j, &s->task[0], first);
        take_squares(&s->task[0], step, value + first);
    }
    sum = j->theta[0] * judge_trimmed_root(value, j->points);
    for (int i = 1; i < s->tasks; i++) {
        for (int64_t first = 0; first < j->points; first += BATCH, step -= 2) {
            points_draw(&s->task[i].points, s->settings.seed, STEP_JUDGE, (uint32_t)first);
            take_squares(&s->task[i], step, value + first);
        }
        sum += judge_trimmed_root(value, j->points) * (i < j->tasks ? j->theta[i] : 1);
    }
    return sum;
}

Status judge_measure(const Judge *j, Candidate *c, Error *error) {
    Session s;
    Error own = {0};
    double *value = calloc((size_t)j->points, sizeof *value);
    if (!value)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory to measure a candidate");
    Status status = candidate_session(c, BATCH, &s, &own);
    if (status == STATUS_OK) {
        c->measure = measure_session(j, &s, value);
        session_close(&s);
    }
    free(value);
    if (status != STATUS_OK || !isfinite(c->measure)) {
        c->stage = STAGE_FAILED;
        snprintf(c->why, sizeof c->why, "%.250s",
                 status != STATUS_OK ? own.message : "its residual is not finite");
    }
    return status == STATUS_OUT_OF_MEMORY ? error_set(error, status, "%s", own.message) : STATUS_OK;
}

/* ------------------------------------------------------------------------------------- estimating */

enum { ESTIMATE_POINTS = 16, ESTIMATE_PATHS = 32, ESTIMATE_STEPS = 16 };

/* Operations of an estimate, about: values and derivatives of the network along every term at every step. */
static double estimate_work(const Problem *q, const Settings *settings) {
    Facts facts = facts_of(q, 0);
    double terms = facts.exact ? 4 : (double)facts.terms + 2, steps = facts.time ? 1 : 4;
    double network = 0;
    Network n = network_of(settings, q);
    for (int l = 0; l < n.layers; l++)
        network += 2 * (double)n.width[l] * (double)n.width[l + 1];
    return ESTIMATE_POINTS * ESTIMATE_PATHS * ESTIMATE_STEPS * steps * network * terms;
}

/* Does the equation allow an estimate, and the time? Goes by counted operations, not by a clock. */
static bool affords(const Problem *q, const Settings *settings, double seconds) {
    static const double WORK = 1e9; /* for each second of the run */
    return !walk_refusal(q) && estimate_work(q, settings) < WORK * seconds;
}

static Status run_estimate(Candidate *c, const Problem *q, const volatile sig_atomic_t *interrupt,
                           Error *error) {
    QuickError quick;
    QuickConfig config = {.points = ESTIMATE_POINTS,
                          .paths = ESTIMATE_PATHS,
                          .steps = ESTIMATE_STEPS,
                          .seed = c->settings.seed,
                          .stop = interrupt};
    size_t size = (size_t)network_of(&c->settings, q).size;
    double *theta = calloc(size, sizeof *theta);
    if (!theta)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a candidate's network");
    for (size_t i = 0; i < size; i++)
        theta[i] = real_get(c->problem.precision, c->state.slot[0], (int64_t)i);
    Status status =
        estimate_quick(q, &c->settings, theta, c->state.output_scale, &config, &quick, error);
    free(theta);
    if (status == STATUS_OK && !quick.refused) {
        c->error = quick.judge;
        c->noise = quick.se;
        c->relative = quick.relative;
    }
    return status;
}

Status judge_estimate(const Judge *j, const ModuleFile *module, Candidate *c,
                      const volatile sig_atomic_t *interrupt, Error *error) {
    assert(c->stage == STAGE_TRIED);
    Problem wide = {0};
    const Problem *q = &c->problem;
    if (!affords(q, &c->settings, j->seconds))
        return STATUS_OK;
    Status status = STATUS_OK;
    if (q->precision != PDE_F64) {
        status = candidate_problem(c, module, PDE_F64, &wide, error);
        q = &wide;
    }
    if (status == STATUS_OK)
        status = run_estimate(c, q, interrupt, error);
    problem_close(&wide);
    return status;
}

bool judge_prefers(const Candidate *a, const Candidate *b, bool estimated) {
    return estimated ? a->error < b->error : a->measure < b->measure;
}

bool judge_ties(const Candidate *a, const Candidate *b) {
    return fabs(a->error - b->error) <= sqrt(a->noise * a->noise + b->noise * b->noise);
}

int judge_best(const Candidate *candidate, const int *index, int count) {
    assert(count > 0);
    int best = index[0];
    for (int k = 1; k < count; k++)
        if (judge_ties(&candidate[index[0]], &candidate[index[k]]) &&
            judge_prefers(&candidate[index[k]], &candidate[best], false))
            best = index[k];
    return best;
}

static bool same_variant(const Candidate *a, const Candidate *b) {
    return strcmp(a->tweak[0].value, b->tweak[0].value) == 0;
}

int judge_finalists(const Candidate *candidate, int *index, int count) {
    assert(count >= 0);
    int keep = (count + 2) / 3 > 1 ? (count + 2) / 3 : count < 2 ? count : 2, other = keep;
    for (int k = 1; k < keep; k++)
        if (!same_variant(&candidate[index[0]], &candidate[index[k]]))
            return keep;
    while (other < count && same_variant(&candidate[index[0]], &candidate[index[other]]))
        other++;
    if (other >= count)
        return keep;
    int chosen = index[other];
    index[other] = index[keep];
    index[keep] = chosen;
    return keep + 1;
}
