/* periodic.c: see periodic.h. Expressions are evaluated at random points with one periodic coordinate at either of its
 * ends: these are the same place. The network has the same random value at both. */
#include "terms/periodic.h"

#include <math.h>

#include "base/compilation.h"
#include "eval/probe.h"

static bool is_torus(const Compilation *c, const Space *x) {
    return sym_is(c, x->domain, "torus");
}

/* The probe's points with coordinate i of the region at `end`. */
static bool at_end(Probe *probe, Ref e, int64_t i, double end, double *out) {
    for (uint32_t p = 0; p < PROBE_POINTS; p++)
        probe->x[p * probe->region.d + i] = end;
    return probe_eval(probe, e, out);
}

/* True also where it cannot be said. */
bool periodic_everywhere(const Compilation *c) {
    const Problem *p = c->problem;
    bool all = p->space.n > 0;
    for (uint32_t k = 0; k < p->space.n; k++)
        all = all && is_torus(c, &p->space.at[k]);
    return all;
}

static bool is_periodic(Compilation *c, Ref e) {
    double low[PROBE_POINTS], high[PROBE_POINTS];
    Probe probe;
    if (!probe_open(c, e, 0, &probe))
        return true;
    for (uint32_t k = 0; k < probe.region.n; k++) {
        const Region *own = &probe.region.of[k];
        for (int64_t i = 0; is_torus(c, &c->problem->space.at[k]) && i < own->d; i++) {
            double size = 1e-3;
            if (!at_end(&probe, e, own->first + i, own->lo, low) ||
                !at_end(&probe, e, own->first + i, own->hi, high))
                return true;
            for (uint32_t p = 0; p < PROBE_POINTS; p++)
                size = fmax(size, fabs(low[p]));
            for (uint32_t p = 0; p < PROBE_POINTS; p++)
                if (fabs(high[p] - low[p]) > 1e-9 * size)
                    return false;
        }
    }
    return true;
}

static void must_be(Compilation *c, Ref e, Span where, const char *what) {
    if (e && !is_periodic(c, e))
        diag(c, E0585, where, what);
}

static void should_be(Compilation *c, Ref e, Span where) {
    if (e && !is_periodic(c, e))
        diag(c, W1210, where);
}

static const Ast *exact_of(const Compilation *c, Sym name) {
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_EXACT && c->program->kid[k]->kid[0]->name == name)
            return c->program->kid[k];
    return NULL;
}

void periodic_check(Compilation *c) {
    const Problem *p = c->problem;
    bool any = false;
    for (uint32_t k = 0; k < p->space.n; k++)
        any = any || is_torus(c, &p->space.at[k]);
    if (!any)
        return;
    for (uint32_t k = 0; p->features && k < p->features->at.n; k++)
        if (!p->features->at.at[k].index)
            must_be(c, p->features->at.at[k].value, p->features->at.at[k].ast->span,
                    "this feature");
        else
            must_be(c,
                    ir_substitute(c->ir, p->features->at.at[k].value, p->features->at.at[k].index,
                                  ir_const(c->ir, 1)),
                    p->features->at.at[k].ast->span, "this feature");
    for (uint32_t f = 0; f < p->field.n; f++) {
        const Ast *exact = exact_of(c, p->field.at[f].name);
        if (p->field.at[f].ansatz)
            must_be(c, p->field.at[f].trial, p->field.at[f].ansatz->span, "this ansatz");
        if (exact)
            must_be(c, p->field.at[f].exact, exact->span, "this exact solution");
    }
    for (uint32_t k = 0; k < p->equation.n; k++)
        should_be(c, p->equation.at[k].residual, p->equation.at[k].ast->span);
    for (uint32_t k = 0; k < p->condition.n; k++)
        should_be(c, p->condition.at[k].residual, p->condition.at[k].ast->span);
}
