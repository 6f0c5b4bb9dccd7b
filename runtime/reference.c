/* reference.c: place and value come from the kernels in double, the field from the network in its
 * own precision. */
#include "reference.h"

#include "real.h"

#include <math.h>

static double field_at(Evaluation *e, NumbersKernel *place, int field) {
    const Problem *p = e->session->problem;
    double *at = e->work; /* holds PDE_LANES points, of which one is needed */
    place(at);
    for (int64_t i = 0; i < p->n_in; i++)
        for (int64_t lane = 0; lane < PDE_LANES; lane++) /* the others must not be leftovers */
            points_set_coordinate(&e->draw, lane, i, at[i]);
    points_run_programs(&e->draw);
    evaluation_fields(e);
    return real_get(p->precision, e->value, field);
}

int reference_values(Evaluation *e, PointValue value[PLAN_REFERENCES_MAX]) {
    const Problem *p = e->session->problem;
    double start = seconds_now();
    for (int k = 0; k < p->plan.references; k++) {
        const PlanReference *r = &p->plan.reference[k];
        PointValue *v = &value[k];
        v->field = p->plan.field[r->field].name;
        p->reference.known[k](&v->reference);
        v->value = field_at(e, p->reference.place[k], r->field);
        v->error = fabs(v->value - v->reference);
        if (v->reference < 0 || v->reference > 0)
            v->error /= fabs(v->reference);
    }
    e->session->seconds[PHASE_EVALUATE] += seconds_now() - start;
    return p->plan.references;
}

double reference_error(Evaluation *e) {
    PointValue value[PLAN_REFERENCES_MAX];
    int count = reference_values(e, value);
    double worst = count ? 0 : (double)NAN;
    for (int k = 0; k < count; k++)
        worst = value[k].error > worst || isnan(value[k].error) ? value[k].error : worst;
    return worst;
}
