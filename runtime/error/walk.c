/* walk.c: see walk.h. Steps shrink at a boundary where paths end. A step of length h from x to y says
 *     e(x) (1 - c(x) h/2) = mean of e(y) (1 + c(y) h/2) - h/2 (r(x) + r(y)),
 * which is right to third order where the coefficients are constant; every point is evaluated once, ends the step
 * before it and begins the one after it. */
#include "error/walk.h"

#include "engine/dense.h"
#include "error/exit.h"
#include "error/walk_state.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A path has arrived so near the boundary, in parts of the gap at its start, and of the domain. */
static const double SHELL = 5e-4, SHELL_LEAST = 1e-7;
static const double OUTSIDE = -1e-9; /* gap of a point that is outside, not on the boundary */
static const double BY_RATE = 0.5;   /* most of |c| h */
static const double WEIGHT_LEAST =
    1e-6; /* reflected paths without an end of time: nothing more can come */

/* Terms of a sum from which on they are drawn, and how many are. Where paths end by chance, their numbers are noisy
 * without that: fewer terms are many. */
enum { MANY_TERMS = 256, MANY_TERMS_EXIT = 64, TERMS = 8 };

const char *walk_refusal(const Problem *q) {
    const PlanProcess *p = &q->plan.process;
    if (p->class == PROCESS_none)
        return p->why ? p->why : "the module was compiled without a process";
    if (q->exit_refusal)
        return q->exit_refusal;
    if (!exit_can_reflect(q))
        return "a derivative is given on the boundary, and how paths are reflected there is known "
               "of a ball, an annulus and a box only";
    return NULL;
}

/* ------------------------------------------------------------------------------- open and close */

static Status read_matrix(Walk *w, Error *error) {
    assert(w->q->precision == PDE_F64);
    const Problem *q = w->q;
    if (!q->plan.process.matrix)
        return STATUS_OK;
    w->factor = malloc((size_t)(q->d * q->d) * sizeof *w->factor);
    if (!w->factor)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a matrix of %lld rows",
                         (long long)q->d);
    PdePointArgs args = {.tensor = (const void *const *)q->tensor64, .out = w->factor};
    q->kernels.process_matrix(&args);
    w->factor_sign = w->factor[0] < 0 ? -1 : 1;
    for (int64_t i = 0; i < q->d * q->d; i++)
        w->factor[i] *= w->factor_sign;
    if (dense_cholesky(w->factor, q->d))
        return STATUS_OK;
    return error_set(error, STATUS_OPTION_CONFLICT,
                     "the matrix of the second derivatives is not of one sign: no process has it");
}

static double *doubles(int64_t count, bool *ok) {
    double *memory = calloc((size_t)count, sizeof(double));
    *ok = *ok && memory;
    return memory;
}

/* Blocks that are walked together: all, or as many as a path's rows leave memory for. */
static int64_t slots_in_memory(const Problem *q, int64_t rows) {
    const double BYTES = 128e6;
    double path = (double)(2 * q->inputs + rows + 3 * q->n_in + q->d) * sizeof(double);
    return (int64_t)fmax(1, fmin(WALK_SLOTS, BYTES / (path * WALK_BLOCK)));
}

static Status allocate(Walk *w, Error *error) {
    const Problem *q = w->q;
    bool ok = true;
    int64_t groups = walk_groups_of(w);
    w->workers = pde_engine_threads(w->s.engine);
    w->slope = doubles(groups * q->inputs * PDE_LANES, &ok);
    w->edge_slope = doubles(groups * q->inputs * PDE_LANES, &ok);
    w->coefficient = doubles(groups * w->rows * PDE_LANES, &ok);
    w->touch = doubles(groups * q->n_in * PDE_LANES, &ok);
    w->touch_normal = doubles(groups * q->d * PDE_LANES, &ok);
    w->n = doubles(WALK_PATHS, &ok);
    w->edge_n = doubles(WALK_PATHS, &ok);
    w->worker = calloc((size_t)w->workers, sizeof *w->worker);
    ok = ok && w->worker;
    for (int k = 0; ok && k < w->workers; k++) {
        int64_t row = q->d * PDE_LANES;
        Rows *rows = &w->worker[k];
        rows->noise = doubles(4 * row, &ok);
        if (ok)
            *rows = (Rows){rows->noise, rows->noise + row, rows->noise + 2 * row,
                           rows->noise + 3 * row};
    }
    return ok ? STATUS_OK
              : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for paths in %lld dimensions",
                          (long long)q->d);
}

/* More terms than can be summed at every point of every path: a few are drawn for each, anew at every step. The
 * residual enters a path's number linearly, so that its mean stays, and the variance of the numbers shows the noise. */
static bool draws_terms(const Problem *q) {
    const PlanTask *t = &q->plan.task[0];
    int64_t terms = 0;
    for (int f = 0; f < t->families; f++)
        terms += q->family[0][f].size;
    bool by_chance = exit_ends(q) && !q->plan.time && !exit_reflects(q);
    return !t->unavailable && terms >= (by_chance ? MANY_TERMS_EXIT : MANY_TERMS);
}

/* The run's network, nothing of its training. */
static Settings walk_settings(const Problem *q, const Settings *of, int64_t paths) {
    Settings set = *of;
    bool exact = q->plan.task[0].has_exact || q->plan.task[0].families == 0;
    bool draws = draws_terms(q);
    set.precision = PDE_F64;
    set.points = paths;
    set.algorithm = draws ? ALGORITHM_3 : exact ? ALGORITHM_exact : ALGORITHM_full;
    set.terms = set.value_terms = TERMS;
    set.estimator = ESTIMATOR_COORDINATE;
    set.per_point = draws;
    set.slice_sets = false;
    set.slices = 0;
    set.accumulate = 1;
    set.optimiser =
        pde_optim_default(PDE_OPT_sgd); /* takes no step; of all it has the least memory */
    set.attack_steps = 0;
    set.balance = false;
    set.average = 0;
    set.held_out = 0;
    set.test_points = 0;
    set.fresh = 1;
    set.lattice = false;
    set.resample = 1;
    return set;
}

static const WalkFacts NO_FACTS = {.rate_most = -HUGE_VAL, .variance_least = HUGE_VAL};

Status walk_open(const Problem *q, const Settings *settings, const double *theta,
                 const double *output_scale, Walk **walk, Error *error) {
    Walk *w = calloc(1, sizeof *w);
    *walk = w;
    if (!w)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for paths");
    w->q = q;
    w->rows = coefficients_rows(q);
    w->slots = slots_in_memory(q, w->rows);
    Settings set = walk_settings(q, settings, walk_paths_of(w));
    Status status = session_open(q, &set, &w->s, error);
    if (status != STATUS_OK) {
        free(w);
        *walk = NULL;
        return status;
    }
    pde_engine_set(w->s.engine, PDE_SLOT_PARAMETERS, theta);
    for (int o = 0; o < q->outputs; o++)
        w->s.output_scale[o] = output_scale[o];
    w->route = &w->s.task[0].gradient[0];
    w->facts = NO_FACTS;
    status = evaluation_open(&w->s, &w->e, error);
    if (status == STATUS_OK)
        status = allocate(w, error);
    if (status == STATUS_OK)
        status = read_matrix(w, error);
    if (status != STATUS_OK) {
        walk_close(w);
        *walk = NULL;
    }
    return status;
}

void walk_close(Walk *w) {
    if (!w)
        return;
    for (int k = 0; w->worker && k < w->workers; k++)
        free(w->worker[k].noise);
    evaluation_close(&w->e);
    session_close(&w->s);
    free(w->worker);
    free(w->slope);
    free(w->edge_slope);
    free(w->n);
    free(w->edge_n);
    free(w->touch);
    free(w->touch_normal);
    free(w->coefficient);
    free(w->factor);
    free(w);
}

const WalkFacts *walk_facts(const Walk *w) {
    return &w->facts;
}
const Problem *walk_problem(const Walk *w) {
    return w->q;
}
int64_t walk_paths(const Walk *w) {
    return walk_paths_of(w);
}
int64_t walk_inputs(const Walk *w) {
    return w->q->n_in;
}

/* ------------------------------------------------------------------------------------- a step */

static double longest_step(const Walk *w, const Path *path, const PathState *at, double rate) {
    const Problem *q = w->q;
    const PlanProcess *p = &q->plan.process;
    double longer = w->run.coarse ? 2 : 1, h = path->left;
    if (q->plan.time)
        h = fmin(h, longer * (q->time[1] - q->time[0]) / w->run.steps);
    if (exit_exists(q))
        h = fmin(h, exit_step(q, at, p->ranks == 0 && !w->factor, w->run.coarse));
    return fmin(h, longer * BY_RATE / fabs(rate));
}

/* Past the boundary: reflected, or at its end. */
static void meet_boundary(Walk *w, Path *path, const PathState *at, int64_t group, int lane) {
    const Problem *q = w->q;
    if (exit_reflects(q))
        path->overshoot =
            exit_reflect(q, at, w->touch + group * q->n_in * PDE_LANES + lane,
                         w->touch_normal + group * q->d * PDE_LANES + lane, &path->met);
    if (!exit_ends(q) || exit_gap(q, at) > path->shell)
        return;
    path->end = exit_project(q, at);
    path->arrived = true;
}

/* Moves the paths of a group by steps of length h; 0: it stays. */
static void move_group(Walk *w, double *x, const double *drift, const double *noise,
                       const double *h) {
    double root[PDE_LANES];
    for (int l = 0; l < PDE_LANES; l++)
        root[l] = sqrt(h[l]);
    for (int64_t i = 0; i < w->q->d * PDE_LANES; i += PDE_LANES)
        for (int l = 0; l < PDE_LANES; l++) {
            double to = x[i + l] + drift[i + l] * h[l] + root[l] * noise[i + l];
            x[i + l] = h[l] > 0 ? to : x[i + l];
        }
}

/* After a step of length h: a path may have arrived. */
static void land(Walk *w, Path *path, const PathState *at, double h) {
    const Problem *q = w->q;
    bool forward = q->plan.process.class == PROCESS_terminal;
    exit_wrap(q, at);
    path->before = h;
    path->walked += h;
    path->left -= h;
    if (!q->plan.time)
        return;
    path->arrived = path->left <= 1e-12 * (q->time[1] - q->time[0]);
    path->time += forward ? h : -h;
    if (path->arrived) {
        path->time = q->time[forward ? 1 : 0];
        path->end = edges_find(w, forward ? PLAN_terminal : PLAN_initial);
    }
    at->x[q->d * PDE_LANES] = path->time;
}

/* Ends the step that led here; true: another follows. */
static bool end_step(const Walk *w, Path *path, double rate, double residual) {
    double h = path->before, y = rate * h / 2;
    path->integral += path->weight * residual * h / 2;
    path->weight *= y < -0.5 ? exp(y) : 1 + y;
    if (!isfinite(path->integral) || !isfinite(path->weight))
        path->lost = true;
    bool faded = !w->q->plan.time && exit_reflects(w->q) && fabs(path->weight) < WEIGHT_LEAST;
    path->done = path->lost || faded || (path->arrived && path->settled);
    path->before = 0;
    return !path->done && !path->arrived;
}

static void add_moments(Moments *m, double g, double integral) {
    for (int k = 0; k < 3; k++, g *= integral)
        m->sum[k] += g;
}

/* A step of length h follows. */
static void add_bends(Path *path, double h) {
    add_moments(&path->part, path->bend_rate * h / path->weight, path->integral);
    add_moments(&path->most, fabs(path->bend_rate) * h / path->weight, path->integral);
    add_moments(&path->drift, path->bend_drift * h / path->weight, path->integral);
    add_moments(&path->beyond, path->bend_beyond * h / path->weight, path->integral);
}

/* Sum of D g e^2 h with e = (z + I) / D. */
static double moment(const Moments *m, double z) {
    return (m->sum[0] * z + 2 * m->sum[1]) * z + m->sum[2];
}

/* Numbers of the matrix take the place of those of the diagonal (noise.c). */
static void note_first(const Walk *w, Path *path, const Rows *rows, const Coefficients *c, int lane,
                       double divisor, double h) {
    int64_t at = w->run.coordinate * PDE_LANES + lane;
    double own = c->diagonal[at] / divisor;
    bool known = own > 0 && !w->factor && !exit_exists(w->q);
    path->first = (WalkFirst){.score = known ? rows->noise[at] / sqrt(own * h) : (double)NAN,
                              .deviation = sqrt(rows->variance[at] * h)};
}

/* Begins a path's next step; its length, 0: the path is lost. */
static double begin_step(Walk *w, Path *path, const PathState *at, double rate, double residual) {
    double h = longest_step(w, path, at, rate);
    if (!(h > 0) || !isfinite(h)) {
        path->lost = path->done = true;
        return 0;
    }
    add_bends(path, h);
    path->weight /= 1 - rate * h / 2;
    path->integral += path->weight * residual * h / 2;
    return h;
}

/* The next steps of the lanes that walk. */
static void step_group(Walk *w, const Rows *rows, Coefficients *c, int64_t group,
                       const double *divisor, const bool *walks) {
    const double *residual = w->route->residual;
    double h[PDE_LANES] = {0}, *x = walk_x(w, group);
    Path *path = &w->path[group * PDE_LANES];
    for (int64_t i = 0; i < w->q->d * PDE_LANES; i += PDE_LANES)
        for (int l = 0; l < PDE_LANES; l++)
            c->drift[i + l] /= divisor[l];
    coefficients_look(w, group, c, walks, divisor, rows->variance);
    for (int l = 0; l < PDE_LANES; l++) {
        PathState at = {x + l, c->drift + l, rows->variance + l};
        bool first = w->run.first && !(path[l].walked > 0);
        if (walks[l])
            h[l] = begin_step(w, &path[l], &at, c->rate[l] / divisor[l],
                              residual[group * PDE_LANES + l] / divisor[l]);
        if (h[l] > 0 && first)
            note_first(w, &path[l], rows, c, l, divisor[l], h[l]);
    }
    move_group(w, x, c->drift, rows->scaled, h);
    for (int l = 0; l < PDE_LANES; l++) {
        PathState at = {x + l, c->drift + l, rows->variance + l};
        if (!(h[l] > 0))
            continue;
        land(w, &path[l], &at, h[l]);
        if (exit_exists(w->q))
            meet_boundary(w, &path[l], &at, group, l);
    }
}

static void walk_group(void *context, long group, int number) {
    Walk *w = context;
    Rows *rows = &w->worker[number];
    Path *path = &w->path[group * PDE_LANES];
    Coefficients c = coefficients_of(w, group);
    const double *residual = w->route->residual;
    double divisor[PDE_LANES];
    bool good[PDE_LANES], walks[PDE_LANES], busy = false;
    for (int l = 0; l < PDE_LANES; l++) {
        walks[l] = !path[l].done;
        divisor[l] = coefficients_divisor(w, &c, l);
        busy = busy || walks[l];
    }
    if (!busy)
        return;
    coefficients_variance(w, &c, divisor, rows->variance, good);
    for (int l = 0; l < PDE_LANES; l++) {
        w->group_facts[group].both_signs |= walks[l] && !good[l];
        walks[l] = walks[l] && end_step(w, &path[l], c.rate[l] / divisor[l],
                                        residual[group * PDE_LANES + l] / divisor[l]);
    }
    noise_make(w, rows, &c, group, divisor);
    step_group(w, rows, &c, group, divisor, walks);
}

/* ----------------------------------------------------------------------------------- blocks */

/* A path from its start, in place p. */
static void place(Walk *w, int64_t p, int64_t number, const double *start) {
    assert(p >= 0 && p < WALK_PATHS && start);
    const Problem *q = w->q;
    bool forward = q->plan.process.class == PROCESS_terminal;
    double *x = walk_x(w, p / PDE_LANES) + p % PDE_LANES;
    for (int64_t i = 0; i < q->n_in; i++)
        x[i * PDE_LANES] = start[i];
    double t = q->plan.time ? start[q->d] : 0;
    PathState at = {.x = x, .drift = x, .variance = x}; /* only x is read for the gap */
    double gap = exit_ends(q) ? exit_gap(q, &at) : 1;
    w->facts.outside += number >= 0 && exit_exists(q) && exit_room(q, &at) < OUTSIDE;
    w->path[p] = (Path){.number = number,
                        .time = t,
                        .left = !q->plan.time ? HUGE_VAL
                                : forward     ? q->time[1] - t
                                              : t - q->time[0],
                        .weight = 1,
                        .first = {.score = (double)NAN},
                        .shell = fmax(SHELL * gap, SHELL_LEAST),
                        .end = EDGE_NONE};
    Path *path = &w->path[p];
    if (q->plan.time && path->left <= 1e-12 * (q->time[1] - q->time[0]))
        path->end = edges_find(w, forward ? PLAN_terminal : PLAN_initial);
    else if (exit_ends(q) && gap <= SHELL_LEAST)
        path->end = exit_edge(q, &at);
    path->arrived = path->end != EDGE_NONE;
}

/* A lane of both groups of a slot: a path, and its mirror image WALK_PAIRS places on. */
static Path *pair_at(Walk *w, int64_t pair) {
    return &w->path[pair / WALK_PAIRS * WALK_BLOCK + pair % WALK_PAIRS];
}

static bool pair_done(const Path *path) {
    return path[0].steps >= STEPS_MOST || (path[0].done && path[WALK_PAIRS].done);
}

static void harvest(Walk *w, Path *path, double *z, WalkSecond *second) {
    assert(path->number >= 0 && z);
    int64_t at = path->number;
    bool lost = path->lost || !path->done;
    w->facts.lost += lost;
    w->facts.paths++;
    w->facts.walked += path->walked;
    z[at] = lost ? (double)NAN : path->weight * path->end_value - path->integral;
    if (w->run.first)
        w->run.first[at] = path->first;
    if (second)
        second[at] = (WalkSecond){moment(&path->part, z[at]) / 2, moment(&path->most, z[at]) / 2,
                                  moment(&path->drift, z[at]), moment(&path->beyond, z[at]) / 2};
    path->done = true;
    path->number = -1;
}

/* Means become sums before a run, and means again after it. */
static void scale_means(WalkFacts *f, bool to_sums) {
    double steps = f->steps > 0 ? (double)f->steps : 1, paths = f->paths > 0 ? (double)f->paths : 1;
    double by = to_sums ? steps : 1 / steps;
    f->bend_diagonal *= by;
    f->bend_slope *= by;
    f->walked *= to_sums ? paths : 1 / paths;
}

static void gather_facts(Walk *w) {
    WalkFacts *to = &w->facts;
    for (int64_t g = 0; g < walk_groups_of(w); g++) {
        const WalkFacts *f = &w->group_facts[g];
        to->rate_most = fmax(to->rate_most, f->rate_most);
        to->variance_least = fmin(to->variance_least, f->variance_least);
        to->weight_most = fmax(to->weight_most, f->weight_most);
        to->both_signs |= f->both_signs;
        to->drifts |= f->drifts;
        to->steps += f->steps;
        to->bend_diagonal += f->bend_diagonal;
        to->bend_slope += f->bend_slope;
    }
    scale_means(to, false);
}

static bool slot_free(Walk *w, int64_t slot) {
    for (int64_t l = 0; l < WALK_PAIRS; l++)
        if (pair_at(w, slot * WALK_PAIRS + l)->number >= 0)
            return false;
    return true;
}

/* Pair number `pair` of the run, or none, in lane l of a slot. */
static void place_pair(Walk *w, int64_t slot, int64_t l, int64_t pair) {
    bool any = pair < w->run.blocks * WALK_PAIRS;
    int64_t block = any ? pair / WALK_PAIRS : 0, p = slot * WALK_BLOCK + l,
            number = block * WALK_BLOCK + pair % WALK_PAIRS;
    if (!any && w->turn > 0)
        return; /* the lane has numbers already */
    const double *start = w->run.start(w->run.context, block);
    place(w, p, any ? number : -1, start);
    place(w, p + WALK_PAIRS, any ? number + WALK_PAIRS : -1, start);
    w->path[p].done = w->path[p + WALK_PAIRS].done = !any;
}

/* Fills lanes that are free; how many pairs are walking. next: pair of the run. */
static int64_t fill_lanes(Walk *w, int64_t *next) {
    int64_t walking = 0;
    for (int64_t s = 0; s < w->slots; s++) {
        bool fresh = slot_free(w, s);
        w->block[s] = fresh ? *next / WALK_PAIRS : w->block[s];
        w->step[s] = fresh ? 0 : w->step[s];
        for (int64_t l = 0; l < WALK_PAIRS; l++) {
            const Path *path = pair_at(w, s * WALK_PAIRS + l);
            if (path->number < 0 && (w->refills || fresh))
                place_pair(w, s, l, (*next)++);
            walking += path->number >= 0;
        }
    }
    return walking;
}

static void take_turn(Walk *w) {
    coefficients_make(w);
    if (w->turn == 0)
        coefficients_sign(w);
    pde_engine_run(w->s.engine, walk_group, w, walk_groups_of(w));
    edges_settle(w);
    for (int64_t s = 0; s < w->slots; s++)
        w->step[s]++;
    for (int64_t p = 0; p < walk_paths_of(w); p++)
        w->path[p].steps++;
    w->turn++;
}

/* Does it, or would it, take longer than it may? Known after two turns: how many there will be is known with time,
 * else guessed. */
static bool takes_too_long(const Walk *w, double start) {
    enum { TURNS_TO_BOUNDARY = 64 };
    double spent = seconds_now() - start;
    if (!(w->run.seconds_most > 0))
        return false;
    double batches = ceil((double)w->run.blocks / (double)w->slots);
    double each = w->q->plan.time ? w->run.steps + 2 : TURNS_TO_BOUNDARY;
    double whole = w->turn - w->first_turn == 2 ? spent / 2 * batches * each : spent;
    return whole > w->run.seconds_most;
}

bool walk_run(Walk *w, const WalkRun *run, double *z, WalkSecond *second) {
    assert(w->route && run->start && z);
    int64_t next = 0;
    bool stopped = false;
    double start = seconds_now();
    for (int64_t k = 0; k < run->blocks * WALK_BLOCK; k++)
        z[k] = (double)NAN;
    w->run = *run;
    w->first_turn = w->turn;
    w->refills = exit_exists(w->q) && !run->streams;
    for (int l = 0; l < PDE_LANES; l++)
        w->shift[l] = run->shift;
    scale_means(&w->facts, true);
    for (int64_t p = 0; p < WALK_PATHS; p++) {
        w->path[p].done = true;
        w->path[p].number = -1;
    }
    for (int64_t g = 0; g < walk_groups_of(w); g++)
        w->group_facts[g] = NO_FACTS;
    while (!stopped && fill_lanes(w, &next) > 0) {
        take_turn(w);
        for (int64_t k = 0; k < w->slots * WALK_PAIRS; k++) {
            Path *path = pair_at(w, k);
            if (path->number < 0 || !pair_done(path))
                continue;
            harvest(w, path, z, second);
            harvest(w, path + WALK_PAIRS, z, second);
        }
        stopped = (run->stop && *run->stop) || takes_too_long(w, start);
        if (w->facts.lost > 0)
            break; /* no bar will be given: the others need not be waited for */
    }
    gather_facts(w);
    return !stopped;
}

void walk_values(Walk *w, const double *const *point, int64_t count, double *value, double *exact) {
    assert(count > 0 && count <= walk_paths_of(w));
    const Problem *q = w->q;
    int scalar = q->plan.field[0].exact_scalar;
    for (int64_t p = 0; p < walk_paths_of(w); p++)
        for (int64_t i = 0; i < q->n_in; i++)
            walk_x(w, p / PDE_LANES)[i * PDE_LANES + p % PDE_LANES] = point[p < count ? p : 0][i];
    points_run_programs(&w->e.draw);
    evaluation_fields(&w->e);
    for (int64_t p = 0; p < count; p++) {
        const double *scalars = points_scalars(&w->e.draw, p / PDE_LANES);
        value[p] = ((const double *)w->e.value)[p];
        exact[p] = scalar < 0 ? (double)NAN : scalars[scalar * PDE_LANES + p % PDE_LANES];
    }
}

int walk_asked(Walk *w, AskedValue *value) {
    return asked_values(&w->s, value);
}

void walk_test_points(Walk *w, int64_t first, int64_t count, double *to) {
    assert(first >= 0 && count >= 0);
    points_draw(&w->e.draw, w->s.settings.seed, 0, (uint32_t)first);
    for (int64_t p = 0; p < count; p++)
        for (int64_t i = 0; i < w->q->n_in; i++)
            to[p * w->q->n_in + i] = points_coordinate(&w->e.draw, p, i);
}
