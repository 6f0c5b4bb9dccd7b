/* rules.c: see rules.h. The figures behind each rule are in README.md. */
#include "choose/rules.h"

#include <math.h>

Facts facts_of(const Problem *q, double seconds) {
    Facts f = {.d = q->d,
               .inputs = q->inputs,
               .time = q->plan.time != NULL,
               .features = q->plan.has_features,
               .exact = true,
               .samples = true,
               .outputs = q->outputs,
               .seconds = seconds};
    for (int i = 0; i < q->plan.tasks; i++) {
        const PlanTask *t = &q->plan.task[i];
        const PlanRoute *route = t->has_exact ? &t->exact : &t->sampled;
        f.residuals += t->residuals;
        for (int b = 0; b < route->blocks; b++)
            f.order = route->block[b].order > f.order ? route->block[b].order : f.order;
        if (!plan_task_has_terms(t))
            continue;
        f.exact = f.exact && t->has_exact;
        f.samples = f.samples && !t->unavailable;
        for (int k = 0; k < t->families; k++)
            f.terms = q->family[i][k].size > f.terms ? q->family[i][k].size : f.terms;
    }
    return f;
}

Sums rule_sums(const Facts *f) {
    enum { SHORT = 128 };
    if (f->exact)
        return SUMS_EXACT;
    return f->terms <= SHORT || !f->samples ? SUMS_FULL : SUMS_SAMPLED;
}

bool rule_natural(const Facts *f) {
    return rule_sums(f) != SUMS_SAMPLED;
}

/* In few dimensions errors come down to where single precision ends, and steps cost little. */
PdePrecision rule_precision(const Facts *f) {
    enum { FEW_INPUTS = 16 };
    return f->inputs <= FEW_INPUTS ? PDE_F64 : PDE_F32;
}

/* A natural step costs the square of the number of points times the parameters: narrow networks take many more
 * steps, which is worth more in short runs. */
int64_t rule_width(const Facts *f) {
    return f->seconds >= 300 && f->inputs <= 1000 ? 64 : 32;
}

static const double OPERATIONS =
    2e10; /* that a second is worth, about: counted, so that no clock decides */

static double parameters(const Facts *f, int64_t width) {
    return (double)width * (double)(f->inputs + 2 * width);
}

/* As many as leave time for STEPS steps. */
static int64_t affordable_points(const Facts *f) {
    static const double STEPS = 800;
    return (int64_t)sqrt(OPERATIONS * f->seconds / STEPS / parameters(f, rule_width(f)));
}

/* A natural step solves for as many numbers as there are residuals at all points of all conditions together: many
 * short steps learn more than few long ones. More inputs are more coefficients to tell apart, until the network is
 * so large that only few points leave time for steps. */
int64_t rule_points(const Facts *f) {
    enum { LANES = 16, LEAST = 48, LARGE = 4000 };
    int64_t most = f->inputs > 400 ? 320 : f->inputs > 16 ? 208 : 112;
    int64_t points = 3 * most / (f->residuals > 1 ? f->residuals : 1);
    int64_t least = f->inputs > LARGE ? LANES : LEAST, affordable = affordable_points(f);
    points = points < most ? points : most;
    points = f->seconds >= 300 ? points * 2 : points;
    points = points < affordable || affordable <= 0 ? points : affordable;
    points = points / LANES * LANES;
    return points > least ? points : least;
}

/* The pilot of points and terms takes some forty steps of a wide network. */
bool rule_pilot(const Facts *f) {
    enum { WIDTH = 128, POINTS = 128, STEPS = 40, EACH = 6 };
    static const double SHARE = 0.05;
    return (double)(POINTS * STEPS * EACH) * parameters(f, WIDTH) < SHARE * OPERATIONS * f->seconds;
}

PdeActivation rule_activation(const Facts *f) {
    (void)f;
    return PDE_ACT_tanh;
}
