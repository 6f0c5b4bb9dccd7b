/* solution_check.c: the derivatives of the exact solution come from differences of the target that the network
 * would have to be, and go to the module's own kernels. */
#include "measure/solution_check.h"

#include "engine/real.h"
#include "files/number.h"
#include "step/route.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOLUTION_DIMENSION_MAX = 2000, TEST_TERMS = 12, TEST_WIDTH = 12 };
static const double WRONG = 1e-3; /* as in compiler/terms/solution.c */

bool solution_direction(const Route *r, int b, int64_t k, int64_t point, int64_t i, double *v) {
    const Problem *q = r->task->session->problem;
    const PdeDirections *d = pde_batch_directions(r->batch, b);
    int64_t lanes = (point / PDE_LANES * q->inputs + i) * PDE_LANES + point % PDE_LANES;
    switch (r->plan->block[b].kind) {
    case BLOCK_unit:
    case BLOCK_scalar:
        *v = (int64_t)d->index[k] == i;
        return true;
    case BLOCK_pair:
        *v = ((int64_t)d->index[2 * k] == i) +
             r->plan->block[b].sign * ((int64_t)d->index[2 * k + 1] == i);
        return true;
    case BLOCK_sparse: {
        int entries = r->plan->block[b].entries;
        int64_t at = (point * (r->block[b + 1] - r->block[b]) + k) * entries;
        *v = 0;
        for (int e = 0; e < entries; e++)
            *v += d->index[at + e] == i ? real_get(q->precision, d->coefficient, at + e) : 0;
        return true;
    }
    case BLOCK_dense:
        *v = real_get(q->precision, d->v, i * PDE_LANES);
        return true;
    case BLOCK_point_dense:
        *v = real_get(q->precision, d->v, lanes);
        return true;
    case BLOCK_position:
        *v = points_coordinate(&r->task->points, point, i);
        return true;
    case BLOCK_gram:
    case BLOCK_gradient:
    case BLOCK_KINDS:
        break;
    }
    return false;
}

typedef struct Jets {
    double *n, *d[PDE_MAX_ORDER]; /* n[o][lane]; d[m][o][K][lane] */
} Jets;

/* The target's derivatives along every direction of all points of the group, by differences. */
static bool target_jets(const Evaluation *e, const Route *r, Jets *jets) {
    static const double step[] = {-2, -1, 1, 2};
    const Problem *q = e->session->problem;
    int64_t K = r->block[r->plan->blocks];
    size_t bytes = (size_t)(q->n_in * PDE_LANES) * sizeof(double);
    double *x = malloc(bytes), at[5][PLAN_FIELDS_MAX][PDE_LANES], h = 1e-3;
    bool ok = x && evaluation_target(e, 0, points_x(&r->task->points, 0), at[4]);
    for (int b = 0; b < r->plan->blocks && ok; b++)
        for (int64_t k = r->block[b]; k < r->block[b + 1] && ok; k++) {
            for (int j = 0; j < 4 && ok; j++) {
                double v;
                memcpy(x, points_x(&r->task->points, 0), bytes);
                for (int64_t i = 0; i < q->n_in; i++)
                    for (int l = 0; l < PDE_LANES; l++) {
                        ok = ok && solution_direction(r, b, k - r->block[b], l, i, &v);
                        x[i * PDE_LANES + l] += ok ? h * step[j] * v : 0;
                    }
                ok = ok && evaluation_target(e, 0, x, at[j]);
            }
            for (int f = 0; f < e->fields; f++)
                for (int l = 0; l < PDE_LANES; l++) {
                    int64_t to = ((int64_t)q->plan.field[f].output * K + k) * PDE_LANES + l;
                    jets->d[0][to] =
                        (8 * (at[2][f][l] - at[1][f][l]) - (at[3][f][l] - at[0][f][l])) / (12 * h);
                    jets->d[1][to] = (16 * (at[2][f][l] + at[1][f][l]) - at[3][f][l] - at[0][f][l] -
                                      30 * at[4][f][l]) /
                                     (12 * h * h);
                }
        }
    for (int f = 0; f < e->fields && ok; f++)
        for (int l = 0; l < PDE_LANES; l++)
            jets->n[q->plan.field[f].output * PDE_LANES + l] = at[4][f][l];
    free(x);
    return ok;
}

/* The largest residual with these jets, some set to zero: `without` is an order, EVEN every other
 * direction, -1 none. */
enum { EVEN = 3 };

static double residual_of(const Route *r, const Jets *jets, int lane, int without) {
    const Session *s = r->task->session;
    const uint32_t *set[PLAN_FAMILIES_MAX];
    int64_t K = r->block[r->plan->blocks], outputs = s->problem->outputs;
    double *d = calloc((size_t)(PDE_MAX_ORDER * outputs * K + outputs), sizeof *d);
    double residual[PLAN_RESIDUALS_MAX] = {0}, worst = 0;
    if (!d)
        return (double)NAN;
    double *n = d + PDE_MAX_ORDER * outputs * K;
    PdeCombineArgs args = route_args(r, lane, set);
    for (int64_t o = 0; o < outputs; o++)
        n[o] = without == 0 ? 0 : jets->n[o * PDE_LANES + lane];
    for (int m = 0; m < PDE_MAX_ORDER; m++) {
        args.d[m] = d + m * outputs * K;
        for (int64_t k = 0; m < 2 && m + 1 != without && k < outputs * K; k++)
            d[m * outputs * K + k] =
                without == EVEN && k % 2 == 0 ? 0 : jets->d[m][k * PDE_LANES + lane];
    }
    args.n = n;
    args.residual = residual;
    r->kernel(&args);
    for (int e = 0; e < r->task->plan->residuals; e++)
        worst = fmax(worst, fabs(residual[e]));
    free(d);
    return worst;
}

static const char *cannot_test(const Task *task) {
    const Problem *p = task->session->problem;
    if (!problem_has_exact(p))
        return "no exact solution";
    if (p->d > SOLUTION_DIMENSION_MAX)
        return "too many dimensions; try --set d=50";
    if (task->plan->kind == PLAN_constraint)
        return "a mean over points, not a value at each";
    if (p->plan.has_features)
        return "the network sees features of the point";
    for (int b = 0; b < task->plan->sampled.blocks; b++) {
        if (task->plan->sampled.block[b].order > 2)
            return "derivatives above the second";
        if (task->plan->sampled.block[b].kind == BLOCK_gradient)
            return "sums over the full gradient";
    }
    return task->plan->unavailable;
}

const char *solution_residual(Evaluation *e, Task *task, double *relative) {
    const Session *s = task->session;
    Route r;
    Jets jets = {0};
    const char *why = cannot_test(task);
    if (why)
        return why;
    RouteConfig config = {.task = task, .terms = TERMS_ALL, .parts = 1, .stream = STREAM_SET};
    config.points_of = task->gradient[0].batch;
    if (route_create(&config, &r, NULL) != STATUS_OK)
        return "no memory";
    size_t n = (size_t)(s->problem->outputs * r.block[r.plan->blocks]) * PDE_LANES;
    jets.n = calloc((size_t)s->problem->outputs * PDE_LANES, sizeof(double));
    jets.d[0] = calloc(n + 1, sizeof(double));
    jets.d[1] = calloc(n + 1, sizeof(double));
    route_prepare(&r, 0);
    route_fixed_directions(&r);
    for (int b = 0; b < r.plan->blocks; b++)
        if (r.plan->block[b].kind == BLOCK_point_dense) {
            PdePointArgs args = points_args(&task->points, 0);
            route_group(&r, 0, &args);
            break;
        }
    double worst = 0, size = 0;
    bool ok = jets.n && jets.d[0] && jets.d[1] && target_jets(e, &r, &jets);
    for (int l = 0; l < PDE_LANES && ok; l++) {
        worst = fmax(worst, residual_of(&r, &jets, l, -1));
        for (int without = 0; without <= EVEN; without++)
            size = fmax(size, residual_of(&r, &jets, l, without));
    }
    *relative = worst / fmax(size, 1e-6);
    free(jets.n);
    free(jets.d[0]);
    free(jets.d[1]);
    route_free(&r);
    return ok ? NULL : "the trial function is not affine in the network";
}

void solution_settings(const Problem *p, Settings *s) {
    s->algorithm = p->plan.task[0].unavailable ? ALGORITHM_exact : ALGORITHM_3;
    s->estimator = ESTIMATOR_COORDINATE;
    s->points = s->test_points = SOLUTION_POINTS;
    s->terms = s->value_terms = TEST_TERMS;
    s->width = TEST_WIDTH;
    s->accumulate = 1;
    s->attack_steps = 0;
    s->attack_size = 0;
    s->per_point = s->slice_sets = false;
    s->activation = p->plan.linear ? PDE_ACT_identity : PDE_ACT_tanh;
}

/* ---- when a run starts ---- */

static Status judge(Evaluation *e, Task *task, Error *error) {
    char number[NUMBER_TEXT_MAX];
    double relative;
    if (!task->plan->claims || solution_residual(e, task, &relative) || !(relative > WRONG))
        return STATUS_OK;
    return error_set(error, STATUS_NOT_A_SOLUTION,
                     "with the dims and params of this run `exact` does not solve '%s': what "
                     "remains is %s of its terms",
                     task->plan->name, number_print_digits(relative, 2, number));
}

static Status judge_all(const Problem *p, const Settings *settings, Error *error) {
    Session s;
    Evaluation e;
    Status status = session_open(p, settings, &s, error);
    if (status != STATUS_OK)
        return status;
    status = evaluation_open(&s, &e, error);
    if (status == STATUS_OK) {
        session_gradient(&s, 0);
        for (int i = 0; i < s.tasks && status == STATUS_OK; i++)
            status = judge(&e, &s.task[i], error);
        evaluation_close(&e);
    }
    session_close(&s);
    return status;
}

Status solution_check(const Problem *p, const Config *config, const Settings *settings,
                      Error *error) {
    Settings small = *settings;
    Problem again;
    bool claims = false;
    for (int t = 0; t < p->plan.tasks; t++)
        claims = claims || p->plan.task[t].claims;
    if (!claims || config->pair_count == 0 || p->plan.unknowns > 0 || p->d > SOLUTION_DIMENSION_MAX)
        return STATUS_OK;
    Status status = problem_open_again(&p->module, config, PDE_F64, &again, error);
    if (status != STATUS_OK)
        return status;
    solution_settings(&again, &small);
    small.precision = PDE_F64;
    small.report = 0;
    small.optimiser = pde_optim_default(PDE_OPT_adam);
    small.adam_first = 0;
    small.average = 0;
    small.slices = 0;
    status = judge_all(&again, &small, error);
    problem_close(&again);
    return status;
}
