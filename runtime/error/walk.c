/* walk.c: see walk.h. Euler steps, whose lengths shrink at a boundary; residual and rate by the trapezoidal rule:
 * every point of a path is evaluated once, and adds half a step before it and half a step after it. */
#include "error/walk.h"

#include "engine/dense.h"
#include "engine/stream.h"
#include "error/exit.h"
#include "measure/evaluate.h"
#include "step/route.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHELL =
    2e-3; /* of the gap at the start: so near the boundary a path has arrived */
static const double SHELL_LEAST = 1e-7; /* of the domain */
enum { STEPS_MOST = 4096, END_NONE = -1 };

typedef struct Path {
    double time, left; /* present time; time that is left, infinite without time */
    double weight, integral;
    double before; /* length of the step that led here */
    double shell;  /* gap at which it has arrived */
    double beta;   /* of the condition at its end */
    int end;       /* edge where it ended; END_NONE: on its way */
    bool arrived, done, lost;
} Path;

/* Of one worker: what it saw, and rows of one group. */
typedef struct Worker {
    WalkFacts facts;
    double *noise, *variance, *scaled; /* [d][PDE_LANES] each */
    double edge[2 * PDE_LANES];
} Worker;

struct Walk {
    const Problem *q;
    Session s;
    Route *route;
    double *slope;       /* [groups][inputs][PDE_LANES] */
    double *n;           /* [WALK_PATHS]: the network's value, in lanes */
    double *coefficient; /* [groups][rows][PDE_LANES] */
    double *factor;      /* [d][d]: lower Cholesky factor of the constant matrix, or NULL */
    int64_t rows;        /* of coefficient */
    double sign;         /* of a in the equation as written */
    Path path[WALK_PATHS];
    uint64_t seed;
    int steps;
    uint32_t turn;             /* counts evaluations */
    int64_t block[WALK_SLOTS]; /* that is walking in each slot; -1: none */
    uint32_t step[WALK_SLOTS]; /* of its paths */
    Worker *worker;
    int workers;
    PdeTaskSpec spec;
    WalkFacts facts;
    Evaluation e; /* of the same points */
};

const char *walk_refusal(const Problem *q) {
    const PlanProcess *p = &q->plan.process;
    if (p->class == PROCESS_none)
        return p->why ? p->why : "the module was compiled without a process";
    if (q->plan.domain != DOMAIN_R && !exit_exists(q))
        return "how paths leave this domain is not known";
    for (int e = 0; e < p->edges; e++)
        if (p->edge[e].reflects)
            return "a condition on the normal derivative: paths would be reflected there, which is "
                   "not done yet";
    return NULL;
}

/* ------------------------------------------------------------------------------- open and close */

static int64_t groups_of(void) {
    return WALK_PATHS / PDE_LANES;
}

static Status read_matrix(Walk *w, Error *error) {
    const Problem *q = w->q;
    if (!q->plan.process.matrix)
        return STATUS_OK;
    w->factor = malloc((size_t)(q->d * q->d) * sizeof *w->factor);
    if (!w->factor)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a matrix of %lld rows",
                         (long long)q->d);
    PdePointArgs args = {.tensor = (const void *const *)q->tensor64, .out = w->factor};
    q->kernels.process_matrix(&args);
    return STATUS_OK;
}

/* Values of the network are taken on the way to the residual. */
static void keep_value(void *context, const PdeJet *jet) {
    Walk *w = context;
    w->n[jet->point] = *(const double *)jet->n;
    w->spec.combine(w->spec.context, jet);
}

static Status allocate(Walk *w, Error *error) {
    const Problem *q = w->q;
    int64_t groups = groups_of(), vectors = 2 + q->plan.process.ranks + q->plan.process.matrix;
    w->rows = vectors * q->d + 2 + q->plan.process.ranks;
    w->workers = pde_engine_threads(w->s.engine);
    w->slope = calloc((size_t)(groups * q->inputs * PDE_LANES), sizeof(double));
    w->coefficient = calloc((size_t)(groups * w->rows * PDE_LANES), sizeof(double));
    w->n = calloc(WALK_PATHS, sizeof(double));
    w->worker = calloc((size_t)w->workers, sizeof *w->worker);
    bool ok = w->slope && w->coefficient && w->n && w->worker;
    for (int k = 0; ok && k < w->workers; k++) {
        w->worker[k].noise = calloc((size_t)(3 * q->d * PDE_LANES), sizeof(double));
        ok = w->worker[k].noise != NULL;
        w->worker[k].variance = ok ? w->worker[k].noise + q->d * PDE_LANES : NULL;
        w->worker[k].scaled = ok ? w->worker[k].variance + q->d * PDE_LANES : NULL;
        w->worker[k].facts = w->facts;
    }
    return ok ? STATUS_OK
              : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for paths in %lld dimensions",
                          (long long)q->d);
}

/* The run's network, evaluated on all terms; nothing of its training. */
static Settings walk_settings(const Problem *q, const Settings *of) {
    Settings set = *of;
    bool exact = q->plan.task[0].has_exact || q->plan.task[0].families == 0;
    set.precision = PDE_F64;
    set.points = WALK_PATHS;
    set.algorithm = exact ? ALGORITHM_exact : ALGORITHM_full;
    set.estimator = ESTIMATOR_COORDINATE;
    set.per_point = set.slice_sets = false;
    set.slices = 0;
    set.accumulate = 1;
    set.optimiser = pde_optim_default(PDE_OPT_adam);
    set.attack_steps = 0;
    set.balance = false;
    set.average = 0;
    set.held_out = 0;
    set.test_points = 0;
    set.fresh = 1;
    return set;
}

Status walk_open(const Problem *q, const Settings *settings, const double *theta,
                 const double *output_scale, Walk **walk, Error *error) {
    Walk *w = calloc(1, sizeof *w);
    Settings set = walk_settings(q, settings);
    *walk = w;
    if (!w)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for paths");
    w->q = q;
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
    w->facts = (WalkFacts){.rate_most = -HUGE_VAL, .variance_least = HUGE_VAL};
    status = evaluation_open(&w->s, &w->e, error);
    if (status == STATUS_OK)
        status = allocate(w, error);
    if (status == STATUS_OK)
        status = read_matrix(w, error);
    if (status == STATUS_OK && w->factor && !dense_cholesky(w->factor, q->d))
        status =
            error_set(error, STATUS_OPTION_CONFLICT,
                      "the matrix of the second derivatives is not positive: no process has it");
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
    free(w->n);
    free(w->coefficient);
    free(w->factor);
    free(w);
}

const WalkFacts *walk_facts(const Walk *w) {
    return &w->facts;
}
int64_t walk_inputs(const Walk *w) {
    return w->q->n_in;
}

/* --------------------------------------------------------------------------------- coefficients */

static double *x_of(const Walk *w, int64_t group) {
    return (double *)w->s.task[0].points.c.x + group * w->q->n_in * PDE_LANES;
}

static void evaluate(Walk *w) {
    points_run_programs(&w->s.task[0].points);
    route_prepare(w->route, w->turn);
    w->spec = route_spec(w->route);
    PdeTaskSpec spec = w->spec;
    spec.combine = keep_value;
    spec.context = w;
    pde_value(w->s.engine, w->route->batch, &spec);
    if (!w->q->plan.process.linear)
        pde_input_gradient(w->s.engine, w->route->batch, 0, w->slope);
}

static PdePointArgs args_of(const Walk *w, int64_t group) {
    PdePointArgs args = points_args(&w->s.task[0].points, group);
    args.gradient = w->slope + group * w->q->inputs * PDE_LANES;
    args.value = w->n + group * PDE_LANES;
    args.output_scale = w->s.output_scale;
    return args;
}

/* One group's coefficients, by rows of PDE_LANES numbers. */
typedef struct Coefficients {
    double *drift, *diagonal, *vector[PLAN_RANKS_MAX], *scale, *tau, *rate, *strength;
} Coefficients;

static Coefficients coefficients_of(const Walk *w, int64_t group) {
    const PlanProcess *p = &w->q->plan.process;
    int64_t row = w->q->d * PDE_LANES;
    Coefficients c = {.drift = w->coefficient + group * w->rows * PDE_LANES};
    double *at = c.drift + 2 * row;
    c.diagonal = c.drift + row;
    for (int r = 0; r < p->ranks; r++, at += row)
        c.vector[r] = at;
    c.scale = p->matrix ? at : NULL;
    at += p->matrix ? row : 0;
    c.tau = at;
    c.rate = at + PDE_LANES;
    c.strength = at + 2 * PDE_LANES;
    return c;
}

/* What all coefficients and the residual are divided by. */
static double divisor_of(const Walk *w, const Coefficients *c, int lane) {
    switch (w->q->plan.process.class) {
    case PROCESS_terminal:
        return c->tau[lane];
    case PROCESS_initial:
        return -c->tau[lane];
    default:
        return w->sign;
    }
}

/* The sign of a, from the whole batch. */
static void find_sign(Walk *w) {
    double sum = 0;
    const PlanProcess *p = &w->q->plan.process;
    for (int64_t g = 0; g < groups_of(); g++) {
        Coefficients c = coefficients_of(w, g);
        for (int64_t i = 0; i < w->q->d * PDE_LANES; i++)
            sum += c.diagonal[i];
        for (int i = 0; i < p->ranks * PDE_LANES; i++)
            sum += c.strength[i];
    }
    w->sign = sum < 0 ? -1 : 1;
}

/* (sigma sigma')_kk of one path, all parts; the parts themselves must not be negative. */
static bool total_variance(const Walk *w, const Coefficients *c, int lane, double divisor,
                           double *to) {
    const PlanProcess *p = &w->q->plan.process;
    bool good = true;
    for (int64_t i = 0; i < w->q->d; i++) {
        int64_t at = i * PDE_LANES + lane;
        double v = c->diagonal[at] / divisor, size = fabs(v);
        good = good && v >= -1e-9 * size && !isnan(v);
        for (int r = 0; r < p->ranks; r++) {
            double strength = c->strength[r * PDE_LANES + lane] / divisor;
            good = good && !(strength < 0);
            v += strength * c->vector[r][at] * c->vector[r][at];
        }
        if (w->factor)
            for (int64_t k = 0; k <= i; k++)
                v += pow(c->scale[at] * w->factor[i * w->q->d + k], 2) / divisor;
        to[at] = v;
    }
    return good;
}

/* ------------------------------------------------------------------------------------- a step */

static void look(WalkFacts *f, const Walk *w, const Coefficients *c, int lane, double divisor,
                 double weight, const double *variance) {
    f->rate_most = fmax(f->rate_most, c->rate[lane] / divisor);
    f->weight_most = fmax(f->weight_most, weight);
    for (int64_t i = 0; i < w->q->d; i++) {
        f->variance_least = fmin(f->variance_least, variance[i * PDE_LANES + lane]);
        f->drifts =
            f->drifts || c->drift[i * PDE_LANES + lane] < 0 || c->drift[i * PDE_LANES + lane] > 0;
    }
    f->steps++;
}

/* Standard normals of a group for one step: one for each rank (sub 1 ..), d otherwise. The second group of a block
 * has those of the first, negated. */
static void draw(const Walk *w, int64_t group, int sub, double *to) {
    int64_t slot = group / 2, rows = sub == 0 || sub > PLAN_RANKS_MAX ? w->q->d : 1;
    uint32_t stream = stream_of(STREAM_WALK, ROLE_TEST, sub, (int)w->step[slot]);
    pde_random_fill(w->s.engine, PDE_LAW_NORMAL, w->seed, stream, (uint32_t)w->block[slot], 0, 0,
                    rows, to, NULL);
    for (int64_t i = 0; group & 1 && i < rows * PDE_LANES; i++)
        to[i] = -to[i];
}

/* Onto the sphere of radius sqrt(d): the same mean and covariance, and no step is longer than expected. */
static void make_round(int64_t d, double *z) {
    for (int l = 0; l < PDE_LANES; l++) {
        double square = 0;
        for (int64_t i = 0; i < d; i++)
            square += z[i * PDE_LANES + l] * z[i * PDE_LANES + l];
        double factor = sqrt((double)d / square);
        for (int64_t i = 0; i < d; i++)
            z[i * PDE_LANES + l] *= factor;
    }
}

/* scaled[i] += scale_i sum_k L_ik z_k */
static void add_matrix_noise(const Walk *w, const Coefficients *c, const double *divisor,
                             const double *z, double *to) {
    int64_t d = w->q->d;
    for (int64_t i = 0; i < d; i++)
        for (int l = 0; l < PDE_LANES; l++) {
            double sum = 0;
            for (int64_t k = 0; k <= i; k++)
                sum += w->factor[i * d + k] * z[k * PDE_LANES + l];
            to[i * PDE_LANES + l] += c->scale[i * PDE_LANES + l] * sum / sqrt(divisor[l]);
        }
}

/* sigma times standard normals, of one group, into worker->scaled. */
static void make_noise(Walk *w, Worker *worker, const Coefficients *c, int64_t group,
                       const double *divisor) {
    const PlanProcess *p = &w->q->plan.process;
    int64_t n = w->q->d * PDE_LANES;
    double extra[4 * PDE_LANES];
    draw(w, group, 0, worker->noise);
    if (exit_exists(w->q))
        make_round(w->q->d, worker->noise);
    for (int64_t i = 0; i < n; i++)
        worker->scaled[i] =
            sqrt(fmax(c->diagonal[i] / divisor[i % PDE_LANES], 0)) * worker->noise[i];
    for (int r = 0; r < p->ranks; r++) {
        draw(w, group, 1 + r, extra);
        for (int64_t i = 0; i < n; i++) {
            int l = (int)(i % PDE_LANES);
            worker->scaled[i] += sqrt(fmax(c->strength[r * PDE_LANES + l] / divisor[l], 0)) *
                                 c->vector[r][i] * extra[l];
        }
    }
    if (w->factor) { /* numbers of its own: those of the diagonal are taken */
        draw(w, group, 1 + PLAN_RANKS_MAX, worker->noise);
        add_matrix_noise(w, c, divisor, worker->noise, worker->scaled);
    }
}

static int edge_of(const Walk *w, PlanTaskKind where) {
    const PlanProcess *p = &w->q->plan.process;
    for (int e = 0; e < p->edges; e++)
        if (p->edge[e].where == where)
            return e;
    return END_NONE;
}

/* Moves one path; it may arrive. */
static void move(Walk *w, Path *path, const PathState *at, const double *noise, double longest) {
    const Problem *q = w->q;
    bool bounded = exit_exists(q), timed = q->plan.time != NULL;
    double h = fmin(longest, path->left);
    if (bounded)
        h = fmin(h, exit_step(q, at, q->plan.process.ranks == 0 && !w->factor));
    if (!(h > 0) || !isfinite(h)) {
        path->lost = path->done = true;
        return;
    }
    for (int64_t i = 0; i < q->d; i++)
        at->x[i * PDE_LANES] += at->drift[i * PDE_LANES] * h + sqrt(h) * noise[i * PDE_LANES];
    path->before = h;
    path->left -= h;
    if (timed) {
        path->time += q->plan.process.class == PROCESS_terminal ? h : -h;
        at->x[q->d * PDE_LANES] = path->time;
        if (path->left <= 1e-12 * (q->time[1] - q->time[0])) {
            path->arrived = true;
            path->end = edge_of(w, q->plan.process.class == PROCESS_terminal ? PLAN_terminal
                                                                             : PLAN_initial);
        }
    }
    if (bounded && exit_gap(q, at) <= path->shell) {
        exit_project(q, at);
        path->arrived = true;
        path->end = edge_of(w, PLAN_boundary);
    }
}

static void walk_lane(Walk *w, Worker *worker, const Coefficients *c, int64_t group, int lane,
                      double divisor, double residual) {
    const Problem *q = w->q;
    Path *path = &w->path[group * PDE_LANES + lane];
    PathState at = {x_of(w, group) + lane, c->drift + lane, worker->variance + lane};
    double rate = c->rate[lane] / divisor, r = residual / divisor;
    double longest = path->left < HUGE_VAL ? path->left : HUGE_VAL;
    look(&worker->facts, w, c, lane, divisor, path->weight, worker->variance);
    path->weight *= exp(rate * path->before / 2);
    path->integral += path->weight * r * path->before / 2;
    if (!isfinite(path->integral) || !isfinite(path->weight)) {
        path->lost = path->done = true;
        return;
    }
    if (path->arrived) {
        path->done = true;
        path->beta = path->end >= 0 ? worker->edge[lane] : 1;
        return;
    }
    if (q->plan.time)
        longest = (q->time[1] - q->time[0]) / w->steps;
    for (int64_t i = 0; i < q->d; i++)
        c->drift[i * PDE_LANES + lane] /= divisor;
    double weight = path->weight;
    move(w, path, &at, worker->scaled + lane, longest);
    path->integral += weight * r * path->before / 2;
    path->weight = weight * exp(rate * path->before / 2);
}

static void walk_group(void *context, long group, int number) {
    Walk *w = context;
    Worker *worker = &w->worker[number];
    Coefficients c = coefficients_of(w, group);
    double divisor[PDE_LANES];
    const double *residual = w->route->residual;
    bool busy = false;
    for (int l = 0; l < PDE_LANES; l++) {
        const Path *path = &w->path[group * PDE_LANES + l];
        busy = busy || !path->done;
        divisor[l] = divisor_of(w, &c, l);
        if (!path->done && !total_variance(w, &c, l, divisor[l], worker->variance))
            worker->facts.both_signs = true;
    }
    if (!busy || w->block[group / 2] < 0)
        return;
    make_noise(w, worker, &c, group, divisor);
    for (int l = 0; l < PDE_LANES; l++) {
        const Path *path = &w->path[group * PDE_LANES + l];
        if (path->done)
            continue;
        if (path->arrived && path->end >= 0) {
            PdePointArgs args = args_of(w, group);
            args.out = worker->edge;
            w->q->kernels.edge[path->end](&args);
        }
        walk_lane(w, worker, &c, group, l, divisor[l], residual[group * PDE_LANES + l]);
    }
}

static void coefficient_group(void *context, long group, int worker) {
    Walk *w = context;
    (void)worker;
    PdePointArgs args = args_of(w, group);
    args.out = w->coefficient + group * w->rows * PDE_LANES;
    w->q->kernels.process(&args);
}

/* ----------------------------------------------------------------------------------- blocks */

/* A path from its start, in lane `lane` of a slot. */
static void place(Walk *w, int64_t slot, int64_t lane, const double *start) {
    const Problem *q = w->q;
    bool forward = q->plan.process.class == PROCESS_terminal;
    int64_t p = slot * WALK_BLOCK + lane;
    double *x = x_of(w, p / PDE_LANES) + p % PDE_LANES;
    for (int64_t i = 0; i < q->n_in; i++)
        x[i * PDE_LANES] = start[i];
    double t = q->plan.time ? start[q->d] : 0;
    PathState at = {.x = x, .drift = x, .variance = x}; /* only x is read for the gap */
    double gap = exit_exists(q) ? exit_gap(q, &at) : 1;
    w->path[p] = (Path){.time = t,
                        .left = !q->plan.time ? HUGE_VAL
                                : forward     ? q->time[1] - t
                                              : t - q->time[0],
                        .weight = 1,
                        .shell = fmax(SHELL * gap, SHELL_LEAST),
                        .end = END_NONE};
}

static bool slot_done(const Walk *w, int64_t slot) {
    for (int64_t p = 0; p < WALK_BLOCK; p++)
        if (!w->path[slot * WALK_BLOCK + p].done)
            return w->step[slot] >= STEPS_MOST;
    return true;
}

/* e at the ends of paths that are done, from the residuals of the condition that holds there; z[WALK_PATHS] */
static void add_ends(Walk *w, int edge, double *z) {
    const PlanEdge *e = &w->q->plan.process.edge[edge];
    if (e->task < 0)
        return;
    Task *t = &w->s.task[e->task];
    for (int64_t g = 0; g < groups_of(); g++)
        memcpy((double *)t->points.c.x + g * w->q->n_in * PDE_LANES, x_of(w, g),
               (size_t)(w->q->n_in * PDE_LANES) * sizeof(double));
    points_run_programs(&t->points);
    Route *r = &t->gradient[0];
    route_prepare(r, w->turn);
    route_value(r);
    for (int p = 0; p < WALK_PATHS; p++)
        if (w->path[p].end == edge)
            z[p] += w->path[p].weight * ((const double *)r->residual)[p] / w->path[p].beta;
}

/* Takes the numbers of the slots that are done. */
static void harvest(Walk *w, double *z) {
    double end[WALK_PATHS] = {0};
    bool any = false, done[WALK_SLOTS];
    for (int64_t s = 0; s < WALK_SLOTS; s++) {
        done[s] = w->block[s] >= 0 && slot_done(w, s);
        any = any || done[s];
    }
    for (int e = 0; any && e < w->q->plan.process.edges; e++)
        add_ends(w, e, end);
    for (int64_t s = 0; s < WALK_SLOTS; s++) {
        for (int64_t p = s * WALK_BLOCK; done[s] && p < (s + 1) * WALK_BLOCK; p++) {
            bool lost = w->path[p].lost || !w->path[p].done;
            w->facts.lost += lost;
            z[w->block[s] * WALK_BLOCK + p % WALK_BLOCK] =
                lost ? (double)NAN : end[p] - w->path[p].integral;
        }
        w->block[s] = done[s] ? -1 : w->block[s];
    }
}

static void gather_facts(Walk *w) {
    for (int k = 0; k < w->workers; k++) {
        WalkFacts *f = &w->worker[k].facts;
        w->facts.rate_most = fmax(w->facts.rate_most, f->rate_most);
        w->facts.variance_least = fmin(w->facts.variance_least, f->variance_least);
        w->facts.weight_most = fmax(w->facts.weight_most, f->weight_most);
        w->facts.both_signs |= f->both_signs;
        w->facts.drifts |= f->drifts;
        w->facts.steps += f->steps;
        *f = (WalkFacts){.rate_most = -HUGE_VAL, .variance_least = HUGE_VAL};
    }
}

static void take_turn(Walk *w) {
    evaluate(w);
    pde_engine_run(w->s.engine, coefficient_group, w, (long)groups_of());
    pde_engine_run(w->s.engine, walk_group, w, (long)groups_of());
    for (int64_t s = 0; s < WALK_SLOTS; s++)
        w->step[s]++;
    w->turn++;
}

void walk_run(Walk *w, int64_t blocks, WalkStart *start, const void *context, uint64_t seed,
              int steps, double *z) {
    int64_t next = 0, walking = 0;
    w->seed = seed;
    w->steps = steps;
    for (int64_t s = 0; s < WALK_SLOTS; s++)
        w->block[s] = -1;
    do {
        walking = 0;
        for (int64_t s = 0; s < WALK_SLOTS; s++) {
            bool fresh = w->block[s] < 0 && next < blocks;
            w->block[s] = fresh ? next++ : w->block[s];
            for (int64_t p = 0; p < WALK_BLOCK && (fresh || w->turn == 0); p++)
                place(w, s, p, start(context, fresh ? w->block[s] : 0));
            w->step[s] = fresh ? 0 : w->step[s];
            walking += w->block[s] >= 0;
        }
        if (walking == 0)
            break;
        if (w->turn == 0) { /* the sign of a, before anything moves */
            evaluate(w);
            pde_engine_run(w->s.engine, coefficient_group, w, (long)groups_of());
            find_sign(w);
        }
        take_turn(w);
        harvest(w, z);
    } while (walking > 0);
    gather_facts(w);
}

void walk_values(Walk *w, const double *const *point, int64_t count, double *value, double *exact) {
    const Problem *q = w->q;
    int scalar = q->plan.field[0].exact_scalar;
    for (int64_t p = 0; p < WALK_PATHS; p++)
        for (int64_t i = 0; i < q->n_in; i++)
            x_of(w, p / PDE_LANES)[i * PDE_LANES + p % PDE_LANES] = point[p < count ? p : 0][i];
    points_run_programs(&w->e.draw);
    evaluation_fields(&w->e);
    for (int64_t p = 0; p < count; p++) {
        const double *scalars = points_scalars(&w->e.draw, p / PDE_LANES);
        value[p] = ((const double *)w->e.value)[p];
        exact[p] = scalar < 0 ? (double)NAN : scalars[scalar * PDE_LANES + p % PDE_LANES];
    }
}

void walk_test_points(Walk *w, int64_t first, int64_t count, double *to) {
    points_draw(&w->e.draw, w->s.settings.seed, 0, (uint32_t)first);
    for (int64_t p = 0; p < count; p++)
        for (int64_t i = 0; i < w->q->n_in; i++)
            to[p * w->q->n_in + i] = points_coordinate(&w->e.draw, p, i);
}
