/* evaluate.c: the trial function is u = A(x) N + C(x) in most problems. A and C are not known to
 * the runtime, but the kernel pde_fields is: N = 0 and N = 1 give both. So "a constant" and "first
 * order Taylor" are those of the network's own target (u - C) / A, as in reference/problems.md.
 * The Taylor expansion at the centre c, seen from a test point x, is one derivative along x - c:
 * four more evaluations per point instead of d. */
#include "measure/evaluate.h"

#include "engine/real.h"
#include "step/domain.h"
#include "step/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TAYLOR_STEP = 1e-3; /* of x - c; fourth order leaves 1e-12 */

/* -------------------------------------------------------------------------- the network's fields */

static void fields_combine(void *context, const PdeJet *jet) {
    const Evaluation *e = context;
    const Session *s = e->session;
    int64_t group = jet->point / PDE_LANES;
    PdeCombineArgs args = {.x = points_x(&e->draw, group),
                           .aux = points_aux(&e->draw, group),
                           .tensor = (const void *const *)s->problem->tensor,
                           .unknown = s->unknown_real,
                           .scalar = points_scalars(&e->draw, group),
                           .lane = jet->point % PDE_LANES,
                           .output_scale = s->output_scale,
                           .n = jet->n,
                           .residual = jet->residual};
    s->problem->kernels.fields(&args);
}

void evaluation_fields(Evaluation *e) {
    PdeTaskSpec spec = {.combine = fields_combine, .context = e, .residual = e->value, .shared = 1};
    pde_value(e->session->engine, e->batch, &spec);
}

/* ------------------------------------------------------------------ exact values of one group */

typedef struct Reference {
    double *x, *aux, *scalar, *shifted;
} Reference;

static Reference reference_of(const Evaluation *e, int worker) {
    const Problem *p = e->session->problem;
    double *base = e->work + worker * e->work_size;
    return (Reference){.x = base,
                       .shifted = base + p->n_in * PDE_LANES,
                       .aux = base + 2 * p->n_in * PDE_LANES,
                       .scalar = base + (2 * p->n_in + p->aux_rows) * PDE_LANES};
}

static void load_group(const Evaluation *e, const Reference *r, int64_t group) {
    const Problem *p = e->session->problem;
    for (int64_t i = 0; i < p->n_in * PDE_LANES; i++)
        r->x[i] = real_get(p->precision, points_x(&e->draw, group), i);
    for (int64_t i = 0; i < p->aux_rows * PDE_LANES; i++)
        r->aux[i] = real_get(p->precision, points_aux(&e->draw, group), i);
}

static void reference_scalars(const Evaluation *e, const Reference *r, const double *x) {
    const Problem *p = e->session->problem;
    PdePointArgs args = {.x = x,
                         .aux = r->aux,
                         .tensor = (const void *const *)p->tensor64,
                         .unknown = e->session->unknown,
                         .out = r->scalar};
    p->reference.evaluate(&args);
}

/* The fields at one lane for a network that is constant; needs reference_scalars before. */
static void constant_fields(const Evaluation *e, const Reference *r, const double *x, int lane,
                            double n, double *u) {
    const Problem *p = e->session->problem;
    double value[PLAN_FIELDS_MAX], one[PLAN_FIELDS_MAX];
    for (int o = 0; o < PLAN_FIELDS_MAX; o++) {
        value[o] = n;
        one[o] = 1;
    }
    PdeCombineArgs args = {.x = x,
                           .aux = r->aux,
                           .tensor = (const void *const *)p->tensor64,
                           .unknown = e->session->unknown,
                           .scalar = r->scalar,
                           .lane = lane,
                           .output_scale = one,
                           .n = value,
                           .residual = u};
    p->reference.fields(&args);
}

static double exact_at(const Evaluation *e, const Reference *r, int field, int lane) {
    int scalar = e->session->problem->plan.field[field].exact_scalar;
    return r->scalar[scalar * PDE_LANES + lane];
}

/* --------------------------------------------------------------------- passes over test points */

typedef struct Pass {
    Evaluation *e;
    int64_t first;                  /* test point of the batch's first lane */
    double centre[PLAN_FIELDS_MAX]; /* Taylor: the target at the centre */
    double sum[2][PLAN_FIELDS_MAX]; /* constant: A (u - C) and A A */
    double constant[PLAN_FIELDS_MAX];
} Pass;

static void for_all_batches(Evaluation *e, Pass *pass, PdeRegion *region,
                            void (*after)(Evaluation *e, Pass *pass, int64_t count)) {
    for (pass->first = 0; pass->first < e->points; pass->first += e->draw.c.points) {
        int64_t left = e->points - pass->first;
        int64_t count = left < e->draw.c.points ? left : e->draw.c.points;
        points_draw(&e->draw, e->session->settings.seed, 0, (uint32_t)pass->first);
        if (region)
            pde_engine_run(e->session->engine, region, pass, (long)problem_groups(count));
        if (after)
            after(e, pass, count);
    }
}

static void exact_task(void *context, long group, int worker) {
    const Pass *pass = context;
    Evaluation *e = pass->e;
    Reference r = reference_of(e, worker);
    load_group(e, &r, group);
    reference_scalars(e, &r, r.x);
    for (int l = 0; l < PDE_LANES; l++) {
        int64_t b = pass->first + group * PDE_LANES + l;
        for (int f = 0; f < e->fields && b < e->points; f++)
            e->exact[b * e->fields + f] = exact_at(e, &r, f, l);
    }
}

/* ------------------------------------------------------------------------------------- norms */

typedef struct Sums {
    double difference[3], exact[3]; /* squares, absolute values, largest */
} Sums;

static void add_difference(Sums *s, double value, double exact) {
    double difference = value - exact;
    s->difference[0] += difference * difference;
    s->difference[1] += fabs(difference);
    s->difference[2] = fmax(s->difference[2], fabs(difference));
    s->exact[0] += exact * exact;
    s->exact[1] += fabs(exact);
    s->exact[2] = fmax(s->exact[2], fabs(exact));
    if (isnan(difference)) /* fmax would hide it */
        s->difference[2] = (double)NAN;
}

static ErrorNorms norms_of(const Sums *s, int64_t points) {
    double n = (double)points;
    if (!(s->exact[2] > 0) && !isnan(s->exact[0])) /* nothing to be relative to */
        return (ErrorNorms){sqrt(s->difference[0] / n), s->difference[1] / n, s->difference[2],
                            true};
    return (ErrorNorms){sqrt(s->difference[0] / s->exact[0]), s->difference[1] / s->exact[1],
                        s->difference[2] / s->exact[2], false};
}

static ErrorNorms worst(ErrorNorms a, ErrorNorms b) {
    return (ErrorNorms){fmax(a.l2, b.l2), fmax(a.l1, b.l1), fmax(a.max, b.max),
                        a.absolute || b.absolute};
}

static const ErrorNorms UNKNOWN = {(double)NAN, (double)NAN, (double)NAN, false};

static void predict_batch(Evaluation *e, Pass *pass, int64_t count) {
    evaluation_fields(e);
    for (int64_t i = 0; i < count * e->fields; i++)
        e->predictor[pass->first * e->fields + i] =
            real_get(e->session->settings.precision, e->value, i);
}

static double mean_of(const Evaluation *e, const double *value, int field) {
    double sum = 0;
    for (int64_t b = 0; b < e->points; b++)
        sum += value[b * e->fields + field];
    return sum / (double)e->points;
}

static ErrorNorms predictor_errors(const Evaluation *e, ErrorNorms *field) {
    ErrorNorms all = UNKNOWN;
    for (int f = 0; f < e->fields; f++) {
        Sums sums = {{0}, {0}};
        bool free = e->session->problem->plan.field[f].free_constant;
        double mean[2] = {free ? mean_of(e, e->predictor, f) : 0,
                          free ? mean_of(e, e->exact, f) : 0};
        for (int64_t b = 0; b < e->points; b++)
            add_difference(&sums, e->predictor[b * e->fields + f] - mean[0],
                           e->exact[b * e->fields + f] - mean[1]);
        ErrorNorms one = norms_of(&sums, e->points);
        all = f ? worst(all, one) : one;
        if (field)
            field[f] = one;
    }
    return all;
}

ErrorNorms evaluation_errors(Evaluation *e, ErrorNorms *field) {
    Pass pass = {.e = e};
    double start = seconds_now();
    if (e->points == 0)
        return UNKNOWN;
    for_all_batches(e, &pass, NULL, predict_batch);
    ErrorNorms all = predictor_errors(e, field);
    e->session->seconds[PHASE_EVALUATE] += seconds_now() - start;
    return all;
}

double evaluation_l2(const Evaluation *e, const double *square) {
    double all = 0;
    for (int f = 0; f < e->fields; f++) {
        Sums sums = {{0}, {0}};
        for (int64_t b = 0; b < e->points; b++)
            add_difference(&sums, 0, e->exact[b * e->fields + f]);
        sums.difference[0] = square[f];
        all = fmax(all, norms_of(&sums, e->points).l2);
    }
    return all;
}

/* ------------------------------------------------------------------------- trivial predictors */

const char *trivial_text(Trivial trivial) {
    static const char *const text[] = {
#define TRIVIAL(name, words) words,
        EVALUATION_TRIVIALS(TRIVIAL)
#undef TRIVIAL
    };
    return text[trivial];
}

/* A and C of each field; false (and A = 1, C = 0) where the trial is not of that form. */
static bool trial_parts(const Evaluation *e, const Reference *r, const double *x, int lane,
                        double *A, double *C) {
    double one[PLAN_FIELDS_MAX], two[PLAN_FIELDS_MAX];
    bool affine = true;
    constant_fields(e, r, x, lane, 0, C);
    constant_fields(e, r, x, lane, 1, one);
    constant_fields(e, r, x, lane, 2, two);
    for (int f = 0; f < e->fields; f++) {
        double bend = two[f] - 2 * one[f] + C[f];
        A[f] = one[f] - C[f];
        affine = affine && fabs(bend) <= 1e-9 * (fabs(one[f]) + fabs(C[f]) + fabs(two[f]));
    }
    for (int f = 0; f < e->fields && !affine; f++) {
        A[f] = 1;
        C[f] = 0;
    }
    return affine;
}

/* Adds up the normal equation of u ~ A c + C, point by point in order. */
static void fit_constant(Evaluation *e, Pass *pass, int64_t count) {
    Reference r = reference_of(e, 0);
    double A[PLAN_FIELDS_MAX], C[PLAN_FIELDS_MAX];
    for (int64_t b = 0; b < count; b++) {
        int lane = (int)(b % PDE_LANES);
        if (lane == 0) {
            load_group(e, &r, b / PDE_LANES);
            reference_scalars(e, &r, r.x);
        }
        trial_parts(e, &r, r.x, lane, A, C);
        for (int f = 0; f < e->fields; f++) {
            double u = exact_at(e, &r, f, lane);
            pass->sum[0][f] += A[f] * (u - C[f]);
            pass->sum[1][f] += A[f] * A[f];
        }
    }
}

static void constant_task(void *context, long group, int worker) {
    const Pass *pass = context;
    Evaluation *e = pass->e;
    Reference r = reference_of(e, worker);
    double A[PLAN_FIELDS_MAX], C[PLAN_FIELDS_MAX];
    load_group(e, &r, group);
    reference_scalars(e, &r, r.x);
    for (int l = 0; l < PDE_LANES; l++) {
        int64_t b = pass->first + group * PDE_LANES + l;
        if (b >= e->points)
            return;
        trial_parts(e, &r, r.x, l, A, C);
        for (int f = 0; f < e->fields; f++)
            e->predictor[b * e->fields + f] = A[f] * pass->constant[f] + C[f];
    }
}

static double centre_of(const Problem *p, int64_t i) {
    if (i == p->d)
        return (p->time[0] + p->time[1]) / 2;
    int k = 0;
    while (k + 1 < p->spaces && i >= p->space[k + 1].first)
        k++;
    return domain_of(&p->space[k])->centre(&p->space[k]);
}

bool evaluation_target(const Evaluation *e, int worker, const double *x,
                       double target[][PDE_LANES]) {
    Reference r = reference_of(e, worker);
    double A[PLAN_FIELDS_MAX], C[PLAN_FIELDS_MAX];
    bool affine = true;
    reference_scalars(e, &r, x);
    for (int l = 0; l < PDE_LANES; l++) {
        affine = trial_parts(e, &r, x, l, A, C) && affine;
        for (int f = 0; f < e->fields; f++)
            target[f][l] = (exact_at(e, &r, f, l) - C[f]) / A[f];
    }
    return affine;
}

/* The target at c + h (x - c) */
static void target_at(const Evaluation *e, int worker, double h, double target[][PDE_LANES]) {
    const Problem *p = e->session->problem;
    Reference r = reference_of(e, worker);
    for (int64_t i = 0; i < p->n_in; i++) {
        double c = centre_of(p, i);
        for (int l = 0; l < PDE_LANES; l++)
            r.shifted[i * PDE_LANES + l] = c + h * (r.x[i * PDE_LANES + l] - c);
    }
    evaluation_target(e, worker, r.shifted, target);
}

static void taylor_task(void *context, long group, int worker) {
    const Pass *pass = context;
    Evaluation *e = pass->e;
    Reference r = reference_of(e, worker);
    double at[5][PLAN_FIELDS_MAX][PDE_LANES], A[PLAN_FIELDS_MAX], C[PLAN_FIELDS_MAX];
    load_group(e, &r, group);
    for (int k = 0; k < 5; k++)
        target_at(e, worker, (k - 2) * TAYLOR_STEP, at[k]);
    reference_scalars(e, &r, r.x);
    for (int l = 0; l < PDE_LANES; l++) {
        int64_t b = pass->first + group * PDE_LANES + l;
        if (b >= e->points)
            return;
        trial_parts(e, &r, r.x, l, A, C);
        for (int f = 0; f < e->fields; f++) {
            double slope = (8 * (at[3][f][l] - at[1][f][l]) - (at[4][f][l] - at[0][f][l])) /
                           (12 * TAYLOR_STEP);
            e->predictor[b * e->fields + f] = A[f] * (at[2][f][l] + slope) + C[f];
        }
    }
}

void evaluation_trivials(Evaluation *e, ErrorNorms error[TRIVIALS]) {
    Pass pass = {.e = e};
    for (int i = 0; i < TRIVIALS; i++)
        error[i] = UNKNOWN;
    if (e->points == 0)
        return;
    memset(e->predictor, 0, (size_t)(e->points * e->fields) * sizeof *e->predictor);
    error[TRIVIAL_zero] = predictor_errors(e, NULL);
    for_all_batches(e, &pass, NULL, fit_constant);
    for (int f = 0; f < e->fields; f++)
        pass.constant[f] = pass.sum[0][f] / pass.sum[1][f];
    for_all_batches(e, &pass, constant_task, NULL);
    error[TRIVIAL_constant] = predictor_errors(e, NULL);
    for_all_batches(e, &pass, taylor_task, NULL);
    error[TRIVIAL_taylor] = predictor_errors(e, NULL);
}

/* --------------------------------------------------------------------------------- open, close */

/* A reference that has no value somewhere is none: every error against it would be NaN. */
static Status check_exact(const Evaluation *e, Error *error) {
    const Problem *p = e->session->problem;
    int64_t wrong = 0, last = -1;
    for (int64_t i = 0; i < e->points * e->fields; i++)
        if (!isfinite(e->exact[i])) {
            wrong++;
            last = i;
        }
    if (wrong == 0)
        return STATUS_OK;
    return error_set(error, STATUS_EXACT_NOT_FINITE,
                     "`exact` of %s is %s at %lld of %lld test points: correct it, draw the points "
                     "elsewhere, or train without a score (--test-points 0)",
                     p->plan.field[last % e->fields].name,
                     isnan(e->exact[last]) ? "not a number" : "infinite", (long long)wrong,
                     (long long)(e->points * e->fields));
}

Status evaluation_open(Session *s, Evaluation *e, Error *error) {
    const Problem *p = s->problem;
    *e = (Evaluation){.session = s, .fields = p->plan.fields};
    e->points = problem_has_exact(p) ? s->settings.test_points : 0;
    PdeBatchConfig batch = {
        .points = s->settings.points, .residuals = e->fields, .x = s->task[0].points.c.inputs};
    e->batch = pde_batch_create(s->engine, &batch);
    PointsConfig config = {.problem = p,
                           .engine = s->engine,
                           .kind = PLAN_equation,
                           .role = ROLE_TEST,
                           .points = s->settings.points,
                           .inputs = batch.x,
                           .x = s->task[0].points.c.x,
                           .unknown = s->unknown_real,
                           .program = p->kernels.evaluate,
                           .scalars = p->plan.evaluate_scalars};
    Status status = points_create(&config, &e->draw, error);
    e->work_size = (2 * p->n_in + p->aux_rows + p->plan.evaluate_scalars) * PDE_LANES;
    size_t values = (size_t)(e->points * e->fields) + 1;
    e->value = calloc((size_t)(s->settings.points * e->fields), real_size(p->precision));
    e->exact = calloc(values, sizeof(double));
    e->predictor = calloc(values, sizeof(double));
    e->work =
        aligned_alloc(64, (size_t)(e->work_size * pde_engine_threads(s->engine)) * sizeof(double));
    if (status == STATUS_OK && !(e->batch && e->value && e->exact && e->predictor && e->work))
        status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld test points",
                           (long long)e->points);
    if (status != STATUS_OK) {
        evaluation_close(e);
        return status;
    }
    Pass pass = {.e = e};
    for_all_batches(e, &pass, exact_task, NULL);
    status = check_exact(e, error);
    if (status != STATUS_OK)
        evaluation_close(e);
    return status;
}

void evaluation_close(Evaluation *e) {
    pde_batch_destroy(e->batch);
    points_free(&e->draw);
    free(e->value);
    free(e->exact);
    free(e->predictor);
    free(e->work);
    *e = (Evaluation){0};
}
