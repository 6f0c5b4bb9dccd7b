/* oracle_check.c: reads the plan's "expected" and computes it again, in double. */
#include "measure/oracle_check.h"

#include "files/number.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPECTED_PAIRS = PLAN_DIMS_MAX + PLAN_PARAMS_MAX };

/* ------------------------------------------------------------------------- the small problem */

/* The problem at the dims and params of "set". */
static Status open_small(const ModuleFile *module, const Config *config, const json_t *set,
                         Problem *p, Error *error) {
    char text[EXPECTED_PAIRS][NUMBER_TEXT_MAX], name[EXPECTED_PAIRS][PLAN_NAME_MAX];
    ConfigPair pair[EXPECTED_PAIRS];
    Config small = *config; /* its texts stay the caller's */
    const char *key;
    json_t *value;
    small.pair = pair;
    small.pair_count = 0;
    json_object_foreach((json_t *)(uintptr_t)set, key, value) {
        size_t n = small.pair_count;
        if (n == EXPECTED_PAIRS || strlen(key) >= PLAN_NAME_MAX || !json_is_number(value))
            return error_set(error, STATUS_MODULE_CONTENT,
                             "the plan's \"expected\" is not as it should be");
        snprintf(name[n], sizeof name[n], "%s", key);
        number_print(json_number_value(value), text[n]);
        pair[small.pair_count++] = (ConfigPair){CONFIG_COMMAND_LINE, name[n], text[n]};
    }
    return problem_open_again(module, &small, PDE_F64, p, error);
}

/* ----------------------------------------------------------------------------------- numbers */

/* owner of the buffers; everything in double, the stored points in the first lanes */
typedef struct Given {
    int64_t points;
    double *x, *aux, *normal, *out, unknown[PLAN_UNKNOWNS_MAX];
} Given;

static bool take(const json_t *list, int64_t at, double *value) {
    const json_t *number = json_array_get(list, (size_t)at);
    *value = json_number_value(number);
    return json_is_number(number);
}

static bool give_points(const Problem *p, const json_t *expected, Given *g) {
    const json_t *x = json_object_get(expected, "x"), *t = json_object_get(expected, "t");
    const json_t *normal = json_object_get(expected, "normal");
    const json_t *unknown = json_object_get(expected, "unknowns");
    bool ok = g->points > 0 && g->points <= PDE_LANES;
    for (int k = 0; k < p->plan.unknowns; k++)
        ok = ok && take(unknown, k, &g->unknown[k]);
    for (int l = 0; l < PDE_LANES && ok; l++) {
        int64_t point = l < g->points ? l : 0;
        for (int64_t i = 0; i < p->d && ok; i++)
            ok = take(x, point * p->d + i, &g->x[i * PDE_LANES + l]) &&
                 take(normal, point * p->d + i, &g->normal[i * PDE_LANES + l]);
        if (p->plan.time)
            ok = ok && take(t, point, &g->x[p->d * PDE_LANES + l]);
    }
    return ok;
}

/* NaN: not a list of numbers. */
static double difference(const json_t *values, int64_t points, const double *found) {
    double worst = 0, size = 1e-6, value;
    for (int64_t p = 0; p < points; p++) {
        if (!take(values, p, &value))
            return (double)NAN;
        double gap = fabs(found[p] - value);
        worst = gap > worst || isnan(gap) ? gap : worst;
        size = fmax(size, fabs(value));
    }
    return worst / size;
}

static const char *scalar_name(const Problem *p, int task, int scalar, char *out, size_t size) {
    const Plan *plan = &p->plan;
    for (int i = 0; i < plan->sources && task < plan->tasks; i++)
        if (plan->source[i].task == task && plan->source[i].scalar == scalar) {
            snprintf(out, size, "source %.24s", plan->source[i].name);
            return out;
        }
    for (int f = 0; f < plan->fields && task == plan->evaluate_task; f++)
        if (plan->field[f].exact_scalar == scalar) {
            snprintf(out, size, "exact %.24s", plan->field[f].name);
            return out;
        }
    return NULL;
}

/* Sources and exact solutions one by one; of the rest the worst. */
static int compare_task(const Problem *p, int task, const json_t *rows, const Given *g,
                        ExpectedVerdict *verdict, void *context) {
    bool last = task == p->plan.evaluate_task;
    int scalars = last ? p->plan.evaluate_scalars : p->plan.task[task].scalars, compared = 0,
        others = 0;
    PointKernel *kernel = last ? p->kernels.evaluate : p->kernels.points[task];
    PdePointArgs args = {.x = g->x,
                         .aux = g->aux,
                         .normal = g->normal,
                         .unknown = g->unknown,
                         .tensor = (const void *const *)p->tensor64,
                         .out = g->out};
    char name[64];
    double worst = 0;
    if (!kernel || scalars == 0 || (int)json_array_size(rows) != scalars)
        return 0;
    kernel(&args);
    for (int k = 0; k < scalars; k++) {
        const json_t *values = json_array_get(rows, (size_t)k);
        if (json_is_null(values))
            continue;
        double error = difference(values, g->points, g->out + k * PDE_LANES);
        compared++;
        if (scalar_name(p, task, k, name, sizeof name)) {
            verdict(context, name, error);
        } else {
            worst = error > worst || isnan(error) ? error : worst;
            others++;
        }
    }
    snprintf(name, sizeof name, "known quantities of '%.24s'",
             last ? "fields" : p->plan.task[task].name);
    if (others)
        verdict(context, name, worst);
    return compared;
}

static Status compare(const Problem *p, const json_t *expected, ExpectedVerdict *verdict,
                      void *context, const char **why, Error *error) {
    const json_t *scalars = json_object_get(expected, "scalars");
    int most = p->plan.evaluate_scalars, compared = 0;
    for (int t = 0; t < p->plan.tasks; t++)
        most = p->plan.task[t].scalars > most ? p->plan.task[t].scalars : most;
    size_t lanes = PDE_LANES * sizeof(double);
    Given g = {.points = (int64_t)json_array_size(json_object_get(expected, "t")),
               .x = calloc((size_t)p->n_in + 1, lanes),
               .aux = calloc((size_t)p->aux_rows + 1, lanes),
               .normal = calloc((size_t)p->d + 1, lanes),
               .out = calloc((size_t)most + 1, lanes)};
    Status status = STATUS_OK;
    if (!g.x || !g.aux || !g.normal || !g.out)
        status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the self-test");
    else if (!give_points(p, expected, &g))
        status = error_set(error, STATUS_MODULE_CONTENT,
                           "the plan's \"expected\" is not as it should be");
    for (int t = 0; t < p->plan.tasks && status == STATUS_OK; t++)
        compared += compare_task(p, t, json_array_get(scalars, (size_t)t), &g, verdict, context);
    if (status == STATUS_OK)
        compared += compare_task(p, p->plan.evaluate_task,
                                 json_array_get(scalars, (size_t)p->plan.evaluate_task), &g,
                                 verdict, context);
    *why = compared ? NULL : "the problem has no known quantities, or they need files";
    free(g.x);
    free(g.aux);
    free(g.normal);
    free(g.out);
    return status;
}

/* --------------------------------------------------------------------------------------- all */

Status expected_check(const ModuleFile *module, const Config *config, ExpectedVerdict *verdict,
                      void *context, const char **why, Error *error) {
    Bytes plan;
    Problem p = {0};
    Status status = module_require(module, ".pde.plan", &plan, error);
    if (status != STATUS_OK)
        return status;
    json_t *root = json_loadb(plan.data, plan.size, 0, NULL);
    const json_t *expected = json_object_get(root, "expected");
    *why = "the module has no values of the interpreter";
    if (json_is_object(expected)) {
        status = open_small(module, config, json_object_get(expected, "set"), &p, error);
        if (status == STATUS_OK) {
            status = compare(&p, expected, verdict, context, why, error);
            problem_close(&p);
        }
    }
    json_decref(root);
    return status;
}
