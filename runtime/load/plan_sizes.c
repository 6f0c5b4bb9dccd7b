/* plan_sizes.c: what follows from a plan and the dims that it has now.
 * requires: a plan that plan_parse has read. */
#include "load/plan_read.h"

#include <assert.h>
#include <stdio.h>

int64_t plan_extent(const Plan *plan, PlanExtent e) {
    assert(e.dim < plan->dims);
    return e.constant + (e.dim < 0 ? 0 : e.coef * plan->dim[e.dim].value);
}

int64_t plan_coordinates(const Plan *plan) {
    int64_t d = 0;
    for (int i = 0; i < plan->spaces; i++)
        d += plan_extent(plan, plan->space[i].d);
    return d;
}

const char *plan_coordinate_name(const Plan *plan, int64_t i, char out[PLAN_COORDINATE_MAX]) {
    for (int s = 0; s < plan->spaces; s++) {
        int64_t d = plan_extent(plan, plan->space[s].d);
        if (i < d) {
            snprintf(out, PLAN_COORDINATE_MAX, "%.64s_%lld", plan->space[s].name, (long long)i + 1);
            return out;
        }
        i -= d;
    }
    return plan->time;
}

int plan_outputs(const Plan *plan) {
    assert(plan->fields <= PLAN_FIELDS_MAX);
    int outputs = 1;
    for (int i = 0; i < plan->fields; i++)
        if (plan->field[i].output + 1 > outputs)
            outputs = plan->field[i].output + 1;
    return outputs;
}

int plan_all_tasks(const Plan *plan) {
    return plan->tasks + plan->reports + plan->watched;
}

bool plan_task_has_terms(const PlanTask *task) {
    return task->families > 0 && !(task->squares && task->has_exact);
}
