/* predictor.c: quantities of a trained model at given points, in double.
 *
 * Derivatives of the network are exact; those of the trial's A and C in u = A N + C come from differences, but in
 * expressions, which are compiled, everything is exact. */
#include "commands/predictor.h"

#include "commands/trained_model.h"
#include "engine/real.h"
#include "measure/evaluate.h"
#include "measure/report_values.h"
#include "step/route.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PREDICT_BATCH = 64, QUANTITY_NAME_MAX = 64 };

typedef enum QuantityKind {
    QUANTITY_FIELD,
    QUANTITY_EXACT,
    QUANTITY_SOURCE,
    QUANTITY_RESIDUAL,
    QUANTITY_GRADIENT,
    QUANTITY_REPORT /* an expression that was compiled for this */
} QuantityKind;

typedef struct Quantity {
    QuantityKind kind;
    int index; /* field, source, task or session of a report */
    char name[QUANTITY_NAME_MAX];
    int64_t columns;
    double *data; /* [points][columns], the caller's */
} Quantity;

struct Predictor {
    Session s;
    Evaluation e;
    const double *points; /* of the call at hand: [count][n_in] */
    int64_t count;
    Quantity quantity[PREDICT_QUANTITIES];
    int quantities;
    Session *report[PREDICT_QUANTITIES];
    int reports, expressions; /* opened; of the problem's reports the last ones, made for this */
    double *slope;            /* [groups][n_in][PDE_LANES] */
};

/* ----------------------------------------------------------------------------------- quantities */

static int find_field(const Plan *plan, const char *name) {
    for (int i = 0; i < plan->fields; i++)
        if (strcmp(plan->field[i].name, name) == 0)
            return i;
    return -1;
}

/* "exact" or "exact.u": the field meant, -1 if `name` is something else. */
static int field_after(const Plan *plan, const char *name, const char *word) {
    size_t n = strlen(word);
    if (strncmp(name, word, n) != 0)
        return -1;
    return name[n] == '\0' ? 0 : name[n] == '.' ? find_field(plan, name + n + 1) : -1;
}

static bool recognise(const Plan *plan, const char *name, Quantity *q, int64_t n_in) {
    q->columns = 1;
    q->kind = QUANTITY_FIELD;
    q->index = find_field(plan, name);
    if (q->index >= 0)
        return true;
    q->kind = QUANTITY_EXACT;
    q->index = field_after(plan, name, "exact");
    if (q->index >= 0)
        return plan->field[q->index].exact_scalar >= 0;
    q->kind = QUANTITY_GRADIENT;
    q->columns = n_in;
    q->index = field_after(plan, name, "grad");
    if (q->index >= 0) /* the chain rule through features is not known here */
        return !plan->has_features;
    q->columns = 1;
    q->kind = QUANTITY_SOURCE;
    for (q->index = 0; q->index < plan->sources; q->index++)
        if (strcmp(name, plan->source[q->index].name) == 0 || strcmp(name, "source") == 0)
            return plan->source[q->index].task == 0;
    q->kind = QUANTITY_RESIDUAL;
    q->index = 0;
    q->columns = plan->task[0].residuals;
    return strcmp(name, "residual") == 0;
}

/* The next of a list separated by commas, but not by those in brackets; its length without blanks around it. */
size_t predict_item(const char **list) {
    int depth = 0;
    *list += strspn(*list, " ");
    size_t n = 0;
    while ((*list)[n] && (depth > 0 || (*list)[n] != ',')) {
        depth += (*list)[n] == '(' || (*list)[n] == '[';
        depth -= (*list)[n] == ')' || (*list)[n] == ']';
        n++;
    }
    while (n > 0 && (*list)[n - 1] == ' ')
        n--;
    return n;
}

bool predict_is_expression(const char *item, size_t n) {
    return n > strspn(item, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
}

static Status open_report(Predictor *p, Quantity *q, Error *error) {
    const Plan *plan = &p->s.problem->plan;
    const int id = plan->tasks + plan->reports - p->expressions + p->reports;
    if (p->reports == p->expressions)
        return error_set(error, STATUS_OPTION_VALUE, "'%s' was not compiled", q->name);
    if (plan->task[id].unavailable && !plan->task[id].has_exact)
        return error_set(error, STATUS_OPTION_VALUE, "'%s': %s", q->name,
                         plan->task[id].unavailable);
    Session *s = calloc(1, sizeof *s);
    if (!s)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for '%s'", q->name);
    Status status = report_session(&p->s, id, PREDICT_BATCH, s, error);
    if (status != STATUS_OK) {
        free(s);
        return status;
    }
    q->kind = QUANTITY_REPORT;
    q->index = p->reports;
    p->report[p->reports++] = s;
    return STATUS_OK;
}

static Status read_list(Predictor *p, const char *list, Error *error) {
    const Plan *plan = &p->s.problem->plan;
    Status status = STATUS_OK;
    while (*list && status == STATUS_OK) {
        const size_t n = predict_item(&list);
        Quantity *q = &p->quantity[p->quantities];
        if (p->quantities == PREDICT_QUANTITIES || n >= QUANTITY_NAME_MAX)
            return error_set(error, STATUS_OPTION_VALUE, "the list of quantities is too long");
        memcpy(q->name, list, n);
        q->name[n] = '\0';
        q->columns = 1;
        if (predict_is_expression(q->name, n))
            status = open_report(p, q, error);
        else if (!recognise(plan, q->name, q, p->s.problem->n_in))
            status = error_set(
                error, STATUS_OPTION_VALUE,
                "'%s' is not a field of the problem, exact, source, residual or grad (or is not "
                "known for this problem)",
                q->name);
        p->quantities++;
        list += n;
        list += strspn(list, " ");
        list += *list == ',';
    }
    return status;
}

/* Without a list: all fields. */
static Status list_fields(Predictor *p, Error *error) {
    const Plan *plan = &p->s.problem->plan;
    Status status = STATUS_OK;
    for (int f = 0; f < plan->fields && status == STATUS_OK; f++)
        status = read_list(p, plan->field[f].name, error);
    return status;
}

/* -------------------------------------------------------------------------------------- batches */

static void load_points(const Predictor *p, Points *to, int64_t first, int64_t count) {
    const int64_t n_in = p->s.problem->n_in;
    for (int64_t k = 0; k < PREDICT_BATCH; k++) {
        const int64_t row = first + (k < count ? k : count - 1);
        for (int64_t i = 0; i < n_in; i++)
            points_set_coordinate(to, k, i, p->points[row * n_in + i]);
    }
}

/* A and C of one field at the lanes of one group. */
static void trial_of(const Predictor *p, const double *x, int field, double *A, double *C) {
    const Problem *q = p->s.problem;
    double scalar[PLAN_SCALARS_MAX], n[PLAN_FIELDS_MAX] = {0}, u[PLAN_FIELDS_MAX];
    double *memory = q->plan.evaluate_scalars * PDE_LANES <= PLAN_SCALARS_MAX ? scalar : NULL;
    PdePointArgs points = {.x = x,
                           .tensor = (const void *const *)q->tensor,
                           .unknown = p->s.unknown_real,
                           .out = memory};
    if (!memory)
        return;
    q->kernels.evaluate(&points);
    for (int l = 0; l < PDE_LANES; l++) {
        PdeCombineArgs args = {.x = x,
                               .tensor = (const void *const *)q->tensor,
                               .unknown = p->s.unknown_real,
                               .scalar = memory,
                               .lane = l,
                               .output_scale = p->s.output_scale,
                               .n = n,
                               .residual = u};
        n[q->plan.field[field].output] = 0;
        q->kernels.fields(&args);
        C[l] = u[field];
        n[q->plan.field[field].output] = 1;
        q->kernels.fields(&args);
        A[l] = u[field] - C[l];
    }
}

/* grad u = A grad N + N grad A + grad C */
static void gradient_of(Predictor *p, const Quantity *q, int64_t first, int64_t count) {
    const Problem *problem = p->s.problem;
    int output = problem->plan.field[q->index].output;
    int64_t n_in = problem->n_in;
    double *x = pde_batch_x(p->e.batch), h = 1e-5;
    pde_input_gradient(p->s.engine, p->e.batch, output, p->slope);
    for (int64_t g = 0; g < problem_groups(count); g++) {
        double *group = x + g * n_in * PDE_LANES, A[3][PDE_LANES], C[3][PDE_LANES];
        trial_of(p, group, q->index, A[0], C[0]);
        for (int64_t i = 0; i < n_in; i++) {
            double keep[PDE_LANES], *row = group + i * PDE_LANES;
            memcpy(keep, row, sizeof keep);
            for (int side = 1; side <= 2; side++) {
                for (int l = 0; l < PDE_LANES; l++)
                    row[l] = keep[l] + (side == 1 ? -h : h);
                trial_of(p, group, q->index, A[side], C[side]);
            }
            memcpy(row, keep, sizeof keep);
            for (int l = 0; l < PDE_LANES && g * PDE_LANES + l < count; l++) {
                double u = ((double *)p->e.value)[(g * PDE_LANES + l) * p->e.fields + q->index];
                double n = (u - C[0][l]) / A[0][l];
                double dA = (A[2][l] - A[1][l]) / (2 * h), dC = (C[2][l] - C[1][l]) / (2 * h);
                q->data[(first + g * PDE_LANES + l) * n_in + i] =
                    A[0][l] * p->slope[(g * n_in + i) * PDE_LANES + l] +
                    (A[0][l] != 0 ? n * dA : 0) + dC;
            }
        }
    }
}

static void scalar_of(const Points *points, int scalar, int64_t count, double *to) {
    for (int64_t k = 0; k < count; k++)
        to[k] = ((const double *)points_scalars(points,
                                                k / PDE_LANES))[scalar * PDE_LANES + k % PDE_LANES];
}

/* An expression at the points, all terms of its sums. */
static void report_of(const Predictor *p, const Quantity *q, int64_t first, int64_t count,
                      double *to) {
    Session *s = p->report[q->index];
    Task *t = &s->task[0];
    load_points(p, &t->points, first, count);
    points_run_programs(&t->points);
    if (t->values) {
        session_task_value(t, 0);
    } else {
        route_prepare(&t->gradient[0], 0);
        route_value(&t->gradient[0]);
    }
    const void *residual = t->values ? t->value_residual : t->gradient[0].residual;
    for (int64_t k = 0; k < count; k++)
        to[k] = real_get(s->settings.precision, residual, k);
}

static void predict_batch(Predictor *p, int64_t first, int64_t count) {
    const Plan *plan = &p->s.problem->plan;
    load_points(p, &p->e.draw, first, count);
    points_run_programs(&p->e.draw);
    points_run_programs(&p->s.task[0].points);
    evaluation_fields(&p->e);
    for (int i = 0; i < p->quantities; i++) {
        const Quantity *q = &p->quantity[i];
        double *to = q->data + first * q->columns;
        switch (q->kind) {
        case QUANTITY_FIELD:
            for (int64_t k = 0; k < count; k++)
                to[k] = ((const double *)p->e.value)[k * p->e.fields + q->index];
            break;
        case QUANTITY_EXACT:
            scalar_of(&p->e.draw, plan->field[q->index].exact_scalar, count, to);
            break;
        case QUANTITY_SOURCE:
            scalar_of(&p->s.task[0].points, plan->source[q->index].scalar, count, to);
            break;
        case QUANTITY_RESIDUAL: {
            Route *r = p->s.task[0].gradient;
            route_prepare(r, 0);
            route_value(r);
            memcpy(to, r->residual, (size_t)(count * q->columns) * sizeof *to);
            break;
        }
        case QUANTITY_REPORT:
            report_of(p, q, first, count, to);
            break;
        case QUANTITY_GRADIENT:
            gradient_of(p, q, first, count);
            break;
        }
    }
}

/* -------------------------------------------------------------------------------- open, run, close */

Status predictor_open(const Problem *problem, const Settings *settings, const char *directory,
                      const char *what, int expressions, Predictor **out, Error *error) {
    Settings set = *settings;
    set.points = PREDICT_BATCH;
    set.algorithm = problem->plan.task[0].has_exact ? ALGORITHM_exact : ALGORITHM_full;
    set.estimator = ESTIMATOR_COORDINATE;
    set.accumulate = 1;
    set.lattice = false;
    set.resample = 1;
    set.test_points = 0;
    Predictor *p = *out = calloc(1, sizeof *p);
    if (!p)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the prediction");
    p->expressions = expressions;
    p->slope = calloc((size_t)(problem->n_in * PREDICT_BATCH), sizeof *p->slope);
    Status status = p->slope ? session_open(problem, &set, &p->s, error)
                             : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for gradients");
    if (status == STATUS_OK)
        status = evaluation_open(&p->s, &p->e, error);
    if (status == STATUS_OK)
        status = model_read(&p->s, directory, error);
    if (status == STATUS_OK)
        status = what ? read_list(p, what, error) : list_fields(p, error);
    if (status != STATUS_OK) {
        predictor_close(p);
        *out = NULL;
    }
    return status;
}

int predictor_quantities(const Predictor *p) {
    return p->quantities;
}

const char *predictor_name(const Predictor *p, int k) {
    return p->quantity[k].name;
}

int64_t predictor_columns(const Predictor *p, int k) {
    return p->quantity[k].columns;
}

void predictor_run(Predictor *p, const double *x, int64_t rows, double *const *out) {
    p->points = x;
    p->count = rows;
    for (int k = 0; k < p->quantities; k++)
        p->quantity[k].data = out[k];
    for (int64_t first = 0; first < rows; first += PREDICT_BATCH)
        predict_batch(p, first, rows - first < PREDICT_BATCH ? rows - first : PREDICT_BATCH);
}

void predictor_close(Predictor *p) {
    if (!p)
        return;
    for (int k = 0; k < p->reports; k++) {
        session_close(p->report[k]);
        free(p->report[k]);
    }
    evaluation_close(&p->e);
    session_close(&p->s);
    free(p->slope);
    free(p);
}
