/* domain_points.c: points in a domain and on its boundary, by the domain's own operations. */
#include "eval/domain_points.h"

#include "base/compilation.h"
#include "runtime/contract/tensor_rng.h"

bool region_bounded(const Compilation *c) {
    return domain_of(c)->bounded;
}

bool region_is_valid(const Region *r) {
    return !r->domain->bounded || r->lo < r->hi;
}

/* The indexed argument at every coordinate. */
static const char *read_semiaxes(Compilation *c, const Values *values, Region *out) {
    const Problem *p = c->problem;
    Ref argument = p->domain_args[out->domain->indexed];
    double *to = NEW_ARRAY(&c->arena, double, out->d + 1);
    const char *why = NULL;
    for (int64_t i = 0; i < out->d && !why; i++) {
        Ref at = ir_const(c->ir, (double)(i + 1));
        why = values_number(c, values, ir_substitute(c->ir, argument, p->domain_index, at), &to[i]);
        if (!why && !(to[i] > 0))
            why = "a semiaxis is not positive";
    }
    out->semiaxis = to;
    return why;
}

const char *region_of(Compilation *c, const Values *values, Region *out) {
    const Problem *p = c->problem;
    *out = (Region){.domain = domain_of(c), .d = values->d};
    double argument[3] = {0}, end[2] = {0};
    const char *why = NULL;
    for (uint32_t k = 1; k < 3 && !why; k++)
        if (p->domain_args[k] && k != out->domain->indexed)
            why = values_number(c, values, p->domain_args[k], &argument[k]);
    if (out->domain->indexed && !why)
        why = read_semiaxes(c, values, out);
    for (int k = 0; k < 2 && !why && p->time; k++)
        why = values_number(c, values, k ? p->t_hi : p->t_lo, &end[k]);
    out->t_lo = end[0];
    out->t_hi = end[1];
    out->domain->ends(argument, out, end);
    out->lo = end[0];
    out->hi = end[1];
    return why;
}

void region_draw(const Region *r, uint32_t number, double *x, double *t) {
    double uniform[4];
    pde_tensor_block(pde_tensor_key(0, "radius", 6), TENSOR_UNIFORM, number, 0, uniform);
    *t = r->t_lo + (r->t_hi - r->t_lo) * uniform[1];
    r->domain->draw(r, number, x);
}

void region_to_boundary(const Region *r, uint32_t number, double *x) {
    r->domain->to_boundary(r, number, x);
}

void region_outward(const Region *r, const double *x, double *normal) {
    r->domain->outward(r, x, normal);
}
