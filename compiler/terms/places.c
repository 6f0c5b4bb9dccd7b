/* places.c: are the single points of references, reports and observations of use?
 *
 * requires: lowered references. establishes nothing: warns and errs. What a run says at a point outside the domain
 * is extrapolated, and a reference that is no number, or another than the exact solution, is none. Dims are cut
 * down as in solution.c; what needs a file or is an expectation is left to the run. */
#include <math.h>

#include "base/compilation.h"
#include "eval/probe.h"
#include "pass.h"

enum { SMALL = 12 };

static const double EDGE = 1e-9; /* of the domain's size: rounding of a point on the boundary */
static const double DIFFERENT = 1e-3; /* relative: from here on two values are two */
static const double TINY = 1e-9;      /* and absolute */

typedef struct Spot {
    Compilation *c;
    ReferenceRow at; /* its places alone are looked at */
    const Ast *ast;
    Values values;
    Regions region;
    double *x, t;
} Spot;

/* False: there is no number for it here. */
static bool number_at(Spot *p, Ref e, double *out) {
    e = problem_at_place(p->c, &p->at, e);
    Ir *ir = p->c->ir;
    bool open = ir_has_net(ir, e) || ir_contains(ir, e, OP_EXPECT) || ir_contains(ir, e, OP_AUX) ||
                ir_contains(ir, e, OP_SOURCE) || ir_contains(ir, e, OP_UNKNOWN) ||
                ir_contains(ir, e, OP_TENSOR);
    return !open && !values_number(p->c, &p->values, e, out);
}

/* Are all its coordinates known, and within the dims that are looked at? */
static bool spot_open(Spot *p) {
    Compilation *c = p->c;
    NpyFile none = {0};
    p->values = (Values){.cap = SMALL};
    if (values_collect(c, 0, &none, &p->values) || region_of(c, &p->values, &p->region) ||
        !region_is_valid(&p->region))
        return false;
    for (uint32_t k = 0; k < p->at.n_at; k++) {
        const PlaceRow *row = &p->at.at[k];
        double component;
        if (!row->all && !row->time &&
            (values_number(c, &p->values, row->index, &component) || component > SMALL))
            return false;
    }
    p->x = NEW_ARRAY(&c->arena, double, p->region.d + 1);
    for (int64_t i = 0; i < p->region.d; i++) {
        Ref at = ir_const(c->ir, (double)(i + 1));
        if (!number_at(p, ir_indexed(c->ir, OP_SPACE, 0, 1, &at), &p->x[i]))
            return false;
    }
    return !c->problem->time || number_at(p, ir_atom(c->ir, OP_TIME, 0), &p->t);
}

static void judge_place(Spot *p) {
    Compilation *c = p->c;
    const Regions *r = &p->region;
    double size = 1, slack = EDGE * (1 + fabs(r->t_lo) + fabs(r->t_hi));
    for (int64_t i = 0; i < r->d; i++)
        size = fmax(size, fabs(p->x[i]));
    bool outside = region_depth(r, p->x) < -EDGE * size;
    bool no_time = c->problem->time && (p->t < r->t_lo - slack || p->t > r->t_hi + slack);
    if (outside || no_time)
        diag(c, W1208, p->ast->span, region_place_text(p->c, &p->region, p->x, &p->t));
}

static void judge_value(Spot *p, const ReferenceRow *row) {
    Compilation *c = p->c;
    int field = problem_field(c->problem, row->target);
    double value, known;
    if (field < 0 || !number_at(p, row->value, &value))
        return;
    if (!isfinite(value)) {
        diag(c, E0599, row->ast->span, isnan(value) ? "not a number" : "infinite",
             region_place_text(p->c, &p->region, p->x, &p->t));
        return;
    }
    Ref exact = c->problem->field.at[field].exact;
    if (exact && number_at(p, exact, &known) &&
        fabs(value - known) > fmax(DIFFERENT * fmax(fabs(value), fabs(known)), TINY))
        diag(c, E0598, row->ast->span, value, region_place_text(p->c, &p->region, p->x, &p->t),
             known);
}

static void compare_numbers(Compilation *c, const Ast *ast, Ref value, Ref exact) {
    Values values = {.cap = SMALL};
    NpyFile none = {0};
    double a, b;
    if (!values_collect(c, 0, &none, &values) && !values_number(c, &values, value, &a) &&
        !values_number(c, &values, exact, &b) &&
        fabs(a - b) > fmax(DIFFERENT * fmax(fabs(a), fabs(b)), TINY))
        diag(c, E0598, ast->span, a, "every point", b);
}

static void compare_functions(Compilation *c, const Ast *ast, Ref value, Ref exact) {
    Probe probe;
    double a[PROBE_POINTS], b[PROBE_POINTS], most = 0;
    uint32_t worst = 0;
    if (value == exact || ir_contains(c->ir, value, OP_EXPECT) ||
        !probe_open(c, ir_add2(c->ir, value, exact), 0, &probe) || !probe_eval(&probe, value, a) ||
        !probe_eval(&probe, exact, b))
        return;
    for (uint32_t p = 0; p < PROBE_POINTS; p++) {
        most = fmax(most, fmax(fabs(a[p]), fabs(b[p])));
        worst = fabs(a[p] - b[p]) > fabs(a[worst] - b[worst]) ? p : worst;
    }
    if (fabs(a[worst] - b[worst]) > fmax(DIFFERENT * most, TINY))
        diag(c, E0598, ast->span, a[worst], "a point inside", b[worst]);
}

/* A reference without a place beside an `exact` for the same. */
static void compare_with_exact(Compilation *c, const ReferenceRow *row) {
    const Problem *p = c->problem;
    int field = problem_field(p, row->target);
    for (uint32_t u = 0; u < p->unknown.n; u++)
        if (p->unknown.at[u].name == row->target && p->unknown.at[u].exact)
            compare_numbers(c, row->ast, row->value, p->unknown.at[u].exact);
    if (field >= 0 && row->n_at == 0 && p->field.at[field].exact)
        compare_functions(c, row->ast, row->value, p->field.at[field].exact);
}

static void place_judged_alone(Compilation *c, const Ast *ast, uint32_t n, const PlaceRow *at) {
    Spot p = {.c = c, .at = {.n_at = n}, .ast = ast};
    for (uint32_t i = 0; i < n; i++)
        p.at.at[i] = at[i];
    if (n > 0 && spot_open(&p))
        judge_place(&p);
}

void places_run(Compilation *c) {
    const Problem *problem = c->problem;
    for (uint32_t k = 0; k < problem->reference.n; k++) {
        compare_with_exact(c, &problem->reference.at[k]);
        Spot p = {.c = c, .at = problem->reference.at[k], .ast = problem->reference.at[k].ast};
        if (!problem_is_point_value(c, &p.at) || !spot_open(&p))
            continue;
        judge_place(&p);
        judge_value(&p, &problem->reference.at[k]);
    }
    for (uint32_t k = 0; k < problem->report.n; k++) {
        const ReportRow *row = &problem->report.at[k];
        place_judged_alone(c, row->ast, row->n_at, row->at);
    }
    for (uint32_t k = 0; k < problem->condition.n; k++) {
        const ConditionRow *row = &problem->condition.at[k];
        if (row->observed) /* numbers from files have no value here */
            place_judged_alone(c, row->ast, row->observed->n_at, row->observed->at);
    }
}
