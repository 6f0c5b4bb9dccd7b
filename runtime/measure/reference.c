/* reference.c: place and value come from the kernels in double, the field from the network in its
 * own precision. */
#include "measure/reference.h"

#include "engine/real.h"

#include <math.h>
#include <stdio.h>

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

const char *reference_print(const PointValue *v, char text[REFERENCE_TEXT_MAX]) {
    char a[NUMBER_TEXT_MAX], b[NUMBER_TEXT_MAX];
    number_print_digits(v->reference, 9, a);
    if (v->standard_error > 0)
        snprintf(text, REFERENCE_TEXT_MAX, "%s +- %s", a,
                 number_print_digits(v->standard_error, 2, b));
    else
        snprintf(text, REFERENCE_TEXT_MAX, "%s", a);
    return text;
}

/* Expectations take a while, and only with the unknown numbers does a reference change. */
static void know_references(Evaluation *e) {
    const Problem *p = e->session->problem;
    for (int k = 0; k < p->plan.references && !e->references_known; k++) {
        PdePointArgs args = {.tensor = (const void *const *)p->tensor64,
                             .unknown = e->session->unknown,
                             .out = e->known[k]};
        p->reference.known[k](&args);
    }
    e->references_known = p->plan.unknowns == 0;
}

int reference_values(Evaluation *e, PointValue value[PLAN_REFERENCES_MAX]) {
    const Problem *p = e->session->problem;
    double start = seconds_now();
    know_references(e);
    for (int k = 0; k < p->plan.references; k++) {
        const PlanReference *r = &p->plan.reference[k];
        PointValue *v = &value[k];
        v->field = p->plan.field[r->field].name;
        v->reference = e->known[k][0];
        v->standard_error = e->known[k][1];
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
