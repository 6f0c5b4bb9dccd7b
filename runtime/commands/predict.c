/* predict.c: a trained model at given points, in double.
 *
 * --what is a list of: names of fields, `exact` (or exact.FIELD), `source` (or a source's name),
 * `residual` (with all terms), `grad` (or grad.FIELD). Each becomes DIR/NAME.npy. Derivatives of
 * the network are exact; those of the trial's A and C in u = A N + C come from differences. */
#include "commands/pderun.h"
#include "commands/trained_model.h"

#include "engine/real.h"
#include "files/npy.h"
#include "files/number.h"
#include "files/say.h"
#include "measure/evaluate.h"
#include "step/route.h"
#include "train/run_directory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREDICT_BATCH = 64, QUANTITIES_MAX = 32, QUANTITY_NAME_MAX = 64 };
#define POINTS_FILE_MAX ((size_t)1 << 40)

typedef enum QuantityKind {
    QUANTITY_FIELD,
    QUANTITY_EXACT,
    QUANTITY_SOURCE,
    QUANTITY_RESIDUAL,
    QUANTITY_GRADIENT
} QuantityKind;

/* owner of data */
typedef struct Quantity {
    QuantityKind kind;
    int index; /* field, source or task */
    char name[QUANTITY_NAME_MAX];
    int64_t columns;
    double *data; /* [points][columns] */
} Quantity;

typedef struct Predict {
    Session s;
    Evaluation e;
    Array points;
    int64_t count;
    Quantity quantity[QUANTITIES_MAX];
    int quantities;
    double *slope; /* [groups][n_in][PDE_LANES] */
} Predict;

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

static Status read_list(Predict *p, const char *list, Error *error) {
    const Plan *plan = &p->s.problem->plan;
    while (*list) {
        size_t n = strcspn(list, ",");
        Quantity *q = &p->quantity[p->quantities];
        if (p->quantities == QUANTITIES_MAX || n >= QUANTITY_NAME_MAX)
            return error_set(error, STATUS_OPTION_VALUE, "--what is too long");
        memcpy(q->name, list, n);
        q->name[n] = '\0';
        if (!recognise(plan, q->name, q, p->s.problem->n_in))
            return error_set(error, STATUS_OPTION_VALUE,
                             "--what: '%s' is not a field of the problem, exact, source, residual "
                             "or grad (or is not known for this problem)",
                             q->name);
        q->data = calloc((size_t)(p->count * q->columns) + 1, sizeof *q->data);
        p->quantities++;
        if (!q->data)
            return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for '%s'", q->name);
        list += n + (list[n] == ',');
    }
    return STATUS_OK;
}

/* Without --what: all fields. */
static Status list_fields(Predict *p, Error *error) {
    const Plan *plan = &p->s.problem->plan;
    Status status = STATUS_OK;
    for (int f = 0; f < plan->fields && status == STATUS_OK; f++)
        status = read_list(p, plan->field[f].name, error);
    return status;
}

/* -------------------------------------------------------------------------------------- batches */

static void load_points(Predict *p, int64_t first, int64_t count) {
    int64_t n_in = p->s.problem->n_in;
    for (int64_t k = 0; k < PREDICT_BATCH; k++) {
        int64_t row = first + (k < count ? k : count - 1);
        for (int64_t i = 0; i < n_in; i++)
            points_set_coordinate(&p->e.draw, k, i,
                                  array_value(&p->points, (size_t)(row * n_in + i)));
    }
}

/* A and C of one field at the lanes of one group. */
static void trial_of(const Predict *p, const double *x, int field, double *A, double *C) {
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
static void gradient_of(Predict *p, const Quantity *q, int64_t first, int64_t count) {
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

static void predict_batch(Predict *p, int64_t first, int64_t count) {
    const Plan *plan = &p->s.problem->plan;
    load_points(p, first, count);
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
        case QUANTITY_GRADIENT:
            gradient_of(p, q, first, count);
            break;
        }
    }
}

/* ---------------------------------------------------------------------------------------- files */

static Status write_quantities(const Predict *p, const char *directory, Error *error) {
    Status status = io_make_directory(directory, error);
    for (int i = 0; i < p->quantities && status == STATUS_OK; i++) {
        const Quantity *q = &p->quantity[i];
        char path[RUN_PATH_MAX];
        Array array = {NULL,
                       ARRAY_F64,
                       q->columns > 1 ? 2 : 1,
                       {(uint64_t)p->count, (uint64_t)q->columns},
                       q->data};
        int n = snprintf(path, sizeof path, "%s/%s.npy", directory, q->name);
        if (n < 0 || n >= (int)sizeof path)
            return error_set(error, STATUS_OPTION_VALUE, "the name of the directory is too long");
        status = npy_write(path, &array, error);
        if (status == STATUS_OK)
            say("%s\n", path);
    }
    return status;
}

static Status predict_all(Predict *p, const Config *config, Error *error) {
    const char *what = config_text(config, OPTION_WHAT);
    Status status = model_read(&p->s, config_text(config, OPTION_MODEL), error);
    if (status == STATUS_OK)
        status = what ? read_list(p, what, error) : list_fields(p, error);
    if (status != STATUS_OK)
        return status;
    for (int64_t first = 0; first < p->count; first += PREDICT_BATCH)
        predict_batch(p, first,
                      p->count - first < PREDICT_BATCH ? p->count - first : PREDICT_BATCH);
    const char *out = config_text(config, OPTION_OUT);
    return write_quantities(p, out ? out : ".", error);
}

static Status with_points(Problem *problem, const Settings *settings, const Config *config,
                          const Array *points, Error *error) {
    Predict *p = calloc(1, sizeof *p);
    int64_t rows = points->rank == 2 ? (int64_t)points->shape[0] : 0;
    if (!p)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the prediction");
    if (points->rank != 2 || (int64_t)points->shape[1] != problem->n_in) {
        free(p);
        return error_set(error, STATUS_BAD_ARRAY_FILE,
                         "the points must be an array of %lld columns: %lld coordinates%s",
                         (long long)problem->n_in, (long long)problem->d,
                         problem->plan.time ? " and time" : "");
    }
    p->points = *points;
    p->count = rows;
    p->slope = calloc((size_t)(problem->n_in * PREDICT_BATCH), sizeof *p->slope);
    Status status = p->slope ? session_open(problem, settings, &p->s, error)
                             : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for gradients");
    if (status == STATUS_OK)
        status = evaluation_open(&p->s, &p->e, error);
    if (status == STATUS_OK) {
        status = predict_all(p, config, error);
        evaluation_close(&p->e);
    }
    for (int i = 0; i < p->quantities; i++)
        free(p->quantity[i].data);
    session_close(&p->s);
    free(p->slope);
    free(p);
    return status;
}

Status run_predict(ModuleFile *module, const Config *config, Error *error) {
    Settings settings;
    Problem problem;
    NpyFile file;
    if (!config_is_set(config, OPTION_MODEL))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--predict needs --model, the directory of the run that trained it");
    Status status = model_problem(module, config, OPTION_MODEL, &settings, &problem, error);
    if (status != STATUS_OK)
        return status;
    settings.points = PREDICT_BATCH;
    settings.algorithm = problem.plan.task[0].has_exact ? ALGORITHM_exact : ALGORITHM_full;
    settings.estimator = ESTIMATOR_COORDINATE;
    settings.accumulate = 1;
    settings.test_points = 0;
    status = npy_read(config_text(config, OPTION_PREDICT), POINTS_FILE_MAX, &file, error);
    if (status == STATUS_OK) {
        status = with_points(&problem, &settings, config, &file.array, error);
        npy_free(&file);
    }
    problem_close(&problem);
    return status;
}
