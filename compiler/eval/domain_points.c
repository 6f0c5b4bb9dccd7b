/* domain_points.c: points in a domain and on its boundary, by the domain's own operations. */
#include "eval/domain_points.h"

#include <assert.h>
#include <math.h>

#include "base/compilation.h"
#include "runtime/contract/tensor_rng.h"

bool region_is_valid(const Regions *r) {
    for (uint32_t k = 0; k < r->n; k++)
        if (r->of[k].domain->bounded && !(r->of[k].lo < r->of[k].hi))
            return false;
    return true;
}

/* The indexed argument at every coordinate. */
static const char *read_semiaxes(Compilation *c, const Values *values, const Space *x,
                                 Region *out) {
    Ref argument = x->argument[out->domain->indexed];
    double *to = NEW_ARRAY(&c->arena, double, out->d + 1);
    const char *why = NULL;
    for (int64_t i = 0; i < out->d && !why; i++) {
        Ref at = ir_const(c->ir, (double)(i + 1));
        why = values_number(c, values, ir_substitute(c->ir, argument, x->index, at), &to[i]);
        if (!why && !(to[i] > 0))
            why = "a semiaxis is not positive";
    }
    out->semiaxis = to;
    return why;
}

static const char *region_of_space(Compilation *c, const Values *values, const Space *x,
                                   Region *out) {
    double argument[3] = {0}, end[2] = {0}, d = 0;
    const char *why = values_number(c, values, x->d, &d);
    out->d = (int64_t)d;
    for (uint32_t k = 1; k < 3 && !why; k++)
        if (x->argument[k] && k != out->domain->indexed)
            why = values_number(c, values, x->argument[k], &argument[k]);
    if (out->domain->indexed && !why)
        why = read_semiaxes(c, values, x, out);
    out->domain->ends(argument, out, end);
    out->lo = end[0];
    out->hi = end[1];
    return why;
}

const char *region_of(Compilation *c, const Values *values, Regions *out) {
    const Problem *p = c->problem;
    *out = (Regions){.n = p->space.n};
    const char *why = NULL;
    assert(p->space.n <= LIMIT_SPACES);
    for (uint32_t k = 0; k < out->n && !why; k++) {
        const Space *x = &p->space.at[k];
        out->of[k] = (Region){.domain = domain_operations(c, x), .first = out->d, .number = k};
        why = region_of_space(c, values, x, &out->of[k]);
        out->d += out->of[k].d;
    }
    if (p->time && !why)
        why = values_number(c, values, p->t_lo, &out->t_lo);
    if (p->time && !why)
        why = values_number(c, values, p->t_hi, &out->t_hi);
    return why;
}

void region_draw(const Regions *r, uint32_t number, double *x, double *t) {
    double uniform[4];
    pde_tensor_block(pde_tensor_key(0, "radius", 6), TENSOR_UNIFORM, number, 0, uniform);
    *t = r->t_lo + (r->t_hi - r->t_lo) * uniform[1];
    for (uint32_t k = 0; k < r->n; k++)
        r->of[k].domain->draw(&r->of[k], number, x + r->of[k].first);
}

void region_draw_uniform(const Regions *r, uint32_t number, double *x) {
    for (uint32_t k = 0; k < r->n; k++)
        r->of[k].domain->uniform(&r->of[k], number, x + r->of[k].first);
}

void region_centre(const Regions *r, double *x) {
    for (uint32_t k = 0; k < r->n; k++)
        for (int64_t i = 0; i < r->of[k].d; i++)
            x[r->of[k].first + i] = r->of[k].domain->centre(&r->of[k]);
}

void region_walk(const Regions *r, const double *first, double along, uint32_t k, double *x) {
    for (uint32_t s = 0; s < r->n; s++) {
        int64_t at = r->of[s].first;
        r->of[s].domain->walk(&r->of[s], first + at, along, k, x + at);
    }
}

/* The spaces take turns: a point of a product's boundary is on the boundary of one, inside the others. */
void region_to_boundary(const Regions *r, uint32_t number, double *x) {
    uint32_t bounded[LIMIT_SPACES], n = 0;
    for (uint32_t k = 0; k < r->n; k++)
        if (r->of[k].domain->bounded)
            bounded[n++] = k;
    if (n == 0)
        return;
    const Region *on = &r->of[bounded[number % n]];
    on->domain->to_boundary(on, number / n, x + on->first);
}

double region_depth(const Regions *r, const double *x) {
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < r->n; k++)
        least = fmin(least, r->of[k].domain->gap(&r->of[k], x + r->of[k].first));
    return least;
}

void region_outward(const Regions *r, const double *x, double *normal) {
    const Region *nearest = NULL;
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < r->n; k++) {
        const Region *own = &r->of[k];
        double gap = r->n > 1 ? fabs(own->domain->gap(own, x + own->first)) : 0;
        if (!nearest || gap < least) {
            nearest = own;
            least = gap;
        }
        for (int64_t i = 0; i < own->d; i++)
            normal[own->first + i] = 0;
    }
    if (nearest)
        nearest->domain->outward(nearest, x + nearest->first, normal + nearest->first);
}
