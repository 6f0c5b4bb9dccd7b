/* report_values.c: a report is a task without a loss. It gets a small session of its own, of one point, with all
 * terms of its sums and the parameters of the trained network. */
#include "measure/report_values.h"

#include "engine/real.h"
#include "step/route.h"

#include <math.h>
#include <stdlib.h>

enum { DIRECTIONS = 1024, PARTS_MAX = 64 };

static Settings settings_for(const Session *trained, int id, int64_t points) {
    Settings set = trained->settings;
    const PlanTask *t = &trained->problem->plan.task[id];
    int64_t largest = 1;
    for (int f = 0; f < t->families; f++)
        if (trained->problem->family[id][f].size > largest)
            largest = trained->problem->family[id][f].size;
    int64_t parts = (largest + DIRECTIONS - 1) / DIRECTIONS;
    set.report = id;
    set.points = points;
    set.algorithm = t->has_exact ? ALGORITHM_exact : ALGORITHM_full;
    set.accumulate = (int)(parts < PARTS_MAX ? parts : PARTS_MAX);
    set.estimator = ESTIMATOR_COORDINATE;
    set.optimiser = pde_optim_default(PDE_OPT_sgd);
    set.adam_first = 0;
    set.attack_steps = 0;
    set.balance = false;
    return set;
}

static bool copy_network(const Session *from, Session *to) {
    void *theta = malloc((size_t)from->network.size * real_size(from->settings.precision));
    if (!theta)
        return false;
    pde_engine_get(from->engine, PDE_SLOT_PARAMETERS, theta);
    pde_engine_set(to->engine, PDE_SLOT_PARAMETERS, theta);
    free(theta);
    for (int o = 0; o < PLAN_FIELDS_MAX; o++)
        to->output_scale[o] = from->output_scale[o];
    for (int k = 0; k < from->problem->plan.unknowns; k++)
        to->unknown[k] = from->unknown[k];
    session_unknowns_changed(to);
    return true;
}

Status report_session(const Session *trained, int id, int64_t points, Session *s, Error *error) {
    const Settings set = settings_for(trained, id, points);
    Status status = session_open(trained->problem, &set, s, error);
    if (status == STATUS_OK && !copy_network(trained, s)) {
        session_close(s);
        status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a copy of the network");
    }
    return status;
}

static double value_at_place(Session *s, const double *place) {
    Task *t = &s->task[0];
    for (int64_t i = 0; i < s->problem->n_in; i++)
        for (int64_t lane = 0; lane < PDE_LANES; lane++) /* the others must not be leftovers */
            points_set_coordinate(&t->points, lane, i, place[i]);
    points_run_programs(&t->points);
    if (t->values) {
        session_task_value(t, 0);
        return real_get(s->settings.precision, t->value_residual, 0);
    }
    route_prepare(&t->gradient[0], 0);
    route_value(&t->gradient[0]);
    return real_get(s->settings.precision, t->gradient[0].residual, 0);
}

static void ask(const Session *trained, int id, AskedValue *v) {
    const Problem *p = trained->problem;
    const PlanTask *plan = &p->plan.task[id];
    Session s;
    *v = (AskedValue){plan->text, (double)NAN, "not enough memory"};
    if (plan->unavailable && !plan->has_exact) {
        v->why = plan->unavailable;
        return;
    }
    double *place = calloc((size_t)p->n_in + 1, sizeof *place);
    if (place && report_session(trained, id, 1, &s, NULL) == STATUS_OK) {
        p->kernels.report[id](place);
        v->value = value_at_place(&s, place);
        v->why = NULL;
        session_close(&s);
    }
    free(place);
}

int asked_values(const Session *trained, AskedValue value[PLAN_TASKS_MAX]) {
    const Plan *plan = &trained->problem->plan;
    for (int k = 0; k < plan->reports; k++)
        ask(trained, plan->tasks + k, &value[k]);
    return plan->reports;
}
