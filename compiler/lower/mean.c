/* mean.c: see mean.h. The integral of e is the mean of e / p over points of density p. */
#include "lower/mean.h"

#include "base/compilation.h"
#include "eval/domain.h"
#include "lower/density.h"

/* Do all coordinates have the uniform law of their domain? */
static bool is_uniform(const Problem *p) {
    for (uint32_t k = 0; k < p->sample.n; k++)
        if (!p->sample.at[k].test && problem_space(p, p->sample.at[k].target) >= 0)
            return false;
    return true;
}

/* What e is multiplied with; 0: after a message. */
static Ref weight_of(Compilation *c, const Problem *p, const Ast *s) {
    bool mean = sym_is(c, s->name, "mean"), bounded = true;
    for (uint32_t k = 0; k < p->space.n; k++)
        bounded = bounded && domain_operations(c, &p->space.at[k])->bounded;
    Ref weight = mean ? ir_const(c->ir, 1) : density_inverse(c, p);
    if (mean && is_uniform(p) && bounded)
        return weight;
    if (!mean && weight)
        return weight;
    diag(c, E0587, s->span,
         mean && bounded
             ? "a mean is over the whole domain, and `sample` draws more points at some "
               "places than at others: write the integral, or leave `sample` out"
         : mean      ? "the whole space has no mean: write the integral"
         : p->inside ? "the volume of a domain with `where` is not known: write the mean"
         : is_uniform(p) && bounded
             ? "the volume of this domain is not known: write the mean"
             : "the density of its points is not known: it is that of whole bounded domains, and "
               "of R(d) with `sample x_i ~ normal(m, s)`");
    return 0;
}

bool mean_any(const Problem *p) {
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (p->condition.at[k].where == COND_CONSTRAINT)
            return true;
    return false;
}

void mean_lower(Compilation *c, Problem *p, const Ast *s) {
    Ir *ir = c->ir;
    ConditionRow row = {.where = COND_CONSTRAINT, .ast = s};
    Ref weight = weight_of(c, p, s), e = lower_scalar(c, NULL, s->kid[0]),
        value = lower_scalar(c, NULL, s->kid[1]);
    if (!weight)
        return;
    if (ir_contains(ir, e, OP_OUTWARD) || ir_contains(ir, value, OP_OUTWARD))
        diag(c, E0557, s->span, "a constraint");
    if (ir_contains(ir, value, OP_SPACE) || ir_contains(ir, value, OP_AUX))
        diag(c, E0587, s->kid[1]->span,
             "its right side is a number, which may depend on the time alone");
    row.residual = ir_sub(ir, ir_mul2(ir, weight, e), value);
    row.weight = s->kid[2] ? lower_scalar(c, NULL, s->kid[2]) : 0;
    VEC_PUSH(&c->arena, p->condition, row);
}
