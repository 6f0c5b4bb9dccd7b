/* problem_places.c: see problem_places.h. */
#include "load/problem_places.h"

#include "contract/domain_part.h"

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

/* Numbers of the parts' coordinates, from 0; -1: any or none. */
static Status read_coordinates(const Problem *p, NumbersKernel *kernel, const PlanFace *face, int n,
                               const char *name, int64_t *to, Error *error) {
    double coordinate[PLAN_FACES_MAX] = {0};
    kernel(coordinate);
    for (int f = 0; f < n; f++) {
        if (!(coordinate[f] >= 0 && coordinate[f] <= (double)p->space[face[f].space].d))
            return error_set(
                error, STATUS_OPTION_VALUE,
                "the condition '%s' names a coordinate that is not there with these dims", name);
        to[f] = (int64_t)coordinate[f] - 1;
    }
    return STATUS_OK;
}

/* Which coordinates the parts of a task's boundary are ends of. */
Status problem_evaluate_faces(Problem *p, int t, Error *error) {
    assert(t >= 0 && t < p->plan.tasks);
    const PlanTask *task = &p->plan.task[t];
    NumbersKernel *kernel = (NumbersKernel *)function(p, "pde_faces", t);
    if (task->faces == 0)
        return STATUS_OK;
    if (!kernel)
        return missing(error, "the parts of the boundary", t);
    return read_coordinates(p, kernel, task->face, task->faces, task->name, p->face[t], error);
}

static void put_end(Problem *p, int64_t at, int edge) {
    if (p->exit_edge_of[at] >= 0)
        p->exit_refusal = "several conditions at the same place";
    p->exit_edge_of[at] = edge;
}

/* Has the boundary an end of each coordinate for its parts, or one or two spheres? */
static bool has_ends(const Space *s) {
    return plan_boundary_parts(s->domain) == PART_FACES;
}

/* coordinate: -1 for all of them, or for a sphere. */
static void put_face(Problem *p, const PlanFace *face, int64_t coordinate, int edge) {
    const Space *s = &p->space[face->space];
    const int parts = plan_boundary_parts(s->domain);
    if ((parts & PART_FACES) && parts != PART_FACES && face->side != SIDE_both)
        p->exit_refusal = "a condition on a part of a boundary that has faces of two kinds";
    int64_t from = has_ends(s) && coordinate >= 0 ? coordinate : 0;
    int64_t to = has_ends(s) && coordinate < 0 ? s->d : from + 1;
    for (int64_t i = from; i < to; i++) {
        if (face->side != SIDE_high)
            put_end(p, 2 * (s->first + i), edge);
        if (face->side != SIDE_low)
            put_end(p, 2 * (s->first + i) + 1, edge);
    }
}

/* Is there a condition wherever a path may come? */
static void check_ends(Problem *p) {
    for (int k = 0; k < p->spaces; k++) {
        const Space *s = &p->space[k];
        const bool two = has_ends(s) || (plan_boundary_parts(s->domain) & PART_INNER);
        for (int64_t i = 0; i < (has_ends(s) ? s->d : 1) && plan_is_bounded(s->domain); i++)
            if (p->exit_edge_of[2 * (s->first + i) + 1] < 0 ||
                (two && p->exit_edge_of[2 * (s->first + i)] < 0))
                p->exit_refusal = "no condition on a part of the boundary, where paths would end";
    }
}

Status problem_evaluate_ends(Problem *p, Error *error) {
    const PlanProcess *process = &p->plan.process;
    int64_t coordinate[PLAN_FACES_MAX];
    Status status = STATUS_OK;
    bool parts = false;
    p->exit_edge = -1;
    for (int e = 0; e < process->edges; e++) {
        if (process->edge[e].where == PLAN_boundary)
            p->exit_edge = e;
        parts = parts || process->edge[e].faces > 0;
    }
    for (int k = 0; k < p->spaces && !parts; k++)
        p->space[k].reflects_all = p->exit_edge >= 0 && process->edge[p->exit_edge].reflects;
    if (!parts)
        return STATUS_OK;
    p->exit_edge_of = malloc((size_t)(2 * p->d) * sizeof *p->exit_edge_of);
    p->exit_reflects = calloc((size_t)(2 * p->d), sizeof *p->exit_reflects);
    for (int k = 0; k < p->spaces && p->exit_reflects; k++)
        p->space[k].reflects = p->exit_reflects + 2 * p->space[k].first;
    if (!p->exit_edge_of || !p->exit_reflects)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for parts of the boundary");
    for (int64_t i = 0; i < 2 * p->d; i++)
        p->exit_edge_of[i] = -1;
    for (int e = 0; e < process->edges && status == STATUS_OK; e++) {
        const PlanEdge *edge = &process->edge[e];
        NumbersKernel *kernel = (NumbersKernel *)function(p, "pde_edge_faces", e);
        if (edge->faces == 0)
            continue;
        if (!kernel)
            return missing(error, "the parts of the boundary where paths end", e);
        status =
            read_coordinates(p, kernel, edge->face, edge->faces, "boundary", coordinate, error);
        for (int f = 0; f < edge->faces && status == STATUS_OK; f++)
            put_face(p, &edge->face[f], coordinate[f], e);
    }
    check_ends(p);
    for (int64_t i = 0; i < 2 * p->d; i++)
        p->exit_reflects[i] = p->exit_edge_of[i] >= 0 && process->edge[p->exit_edge_of[i]].reflects;
    return status;
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
