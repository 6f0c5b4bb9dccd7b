/* problem_places.c: see problem_places.h. */
#include "load/problem_places.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OBSERVATIONS_MAX = 100000000 };

static JitFunction *function(const Problem *p, const char *what, int task) {
    char name[64];
    snprintf(name, sizeof name, "%s_%d", what, task);
    return jit_find(p->kernels.jit, name);
}

static Status missing(Error *error, const char *what, int task) {
    return error_set(error, STATUS_MODULE_CONTENT, "the kernels lack %s of task %d", what, task);
}

/* Which coordinates the parts of a task's boundary are ends of. */
Status problem_evaluate_faces(Problem *p, int t, Error *error) {
    assert(t >= 0 && t < p->plan.tasks);
    const PlanTask *task = &p->plan.task[t];
    NumbersKernel *kernel = (NumbersKernel *)function(p, "pde_faces", t);
    double coordinate[PLAN_FACES_MAX] = {0};
    if (task->faces == 0)
        return STATUS_OK;
    if (!kernel)
        return missing(error, "the parts of the boundary", t);
    kernel(coordinate);
    for (int f = 0; f < task->faces; f++) {
        if (!(coordinate[f] >= 0 && coordinate[f] <= (double)p->space[task->face[f].space].d))
            return error_set(
                error, STATUS_OPTION_VALUE,
                "the condition '%s' names a coordinate that is not there with these dims",
                task->name);
        p->face[t][f] = (int64_t)coordinate[f] - 1;
    }
    return STATUS_OK;
}

/* Places and data, when the arrays are there. */
Status problem_evaluate_observations(Problem *p, int t, Error *error) {
    NumbersKernel *count = (NumbersKernel *)function(p, "pde_observations", t);
    PointKernel *table = (PointKernel *)function(p, "pde_observed", t);
    double n = 0;
    assert(t >= 0 && t < p->plan.tasks);
    if (p->plan.task[t].kind != PLAN_observe)
        return STATUS_OK;
    if (!count || !table)
        return missing(error, "the observations", t);
    count(&n);
    int64_t columns = p->n_in + p->plan.task[t].observed;
    if (!(n >= 1 && n <= OBSERVATIONS_MAX))
        return error_set(error, STATUS_OPTION_VALUE, "'%s' has no observations, or too many",
                         p->plan.task[t].name);
    p->observations[t] = (int64_t)n;
    p->observed[t] = calloc((size_t)(p->observations[t] * columns), sizeof(double));
    if (!p->observed[t])
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the observations");
    table(&(PdePointArgs){.tensor = (const void *const *)p->tensor64, .out = p->observed[t]});
    for (int64_t i = 0; i < p->observations[t] * columns; i++)
        if (!isfinite(p->observed[t][i]))
            return error_set(error, STATUS_OPTION_VALUE,
                             "observation %lld of '%s' is not a finite number",
                             (long long)(i / columns + 1), p->plan.task[t].name);
    return STATUS_OK;
}
