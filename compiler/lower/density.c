/* density.c: logarithms of volumes and of densities. They are sums, so that many dimensions neither over- nor underflow
 * before the exponential meets that of the integrand: exp(a) exp(b) is exp(a + b) in the IR. */
#include "lower/density.h"

#include <string.h>

#include "base/compilation.h"
#include "eval/domain.h"

static Ref log_of(Ir *ir, Ref e) {
    return ir_func(ir, FUNC_log, 1, &e);
}

/* The law that training draws points by; NULL: the domain's own. */
static const SampleRow *law_of_points(const Problem *p) {
    for (uint32_t k = 0; k < p->sample.n; k++)
        if (!p->sample.at[k].test && p->sample.at[k].target == p->space.at[0].name)
            return &p->sample.at[k];
    return NULL;
}

static bool varies(const Ir *ir, Ref e) {
    return ir_contains(ir, e, OP_SPACE) || ir_contains(ir, e, OP_TIME) ||
           ir_contains(ir, e, OP_AUX) || ir_contains(ir, e, OP_UNKNOWN);
}

/* Normal numbers on R(d), whose mean and deviation belong to their coordinate? */
static bool is_normal(Compilation *c, const Problem *p, const SampleRow *law) {
    return law && strcmp(sym_cstr(c, p->space.at[0].domain), "R") == 0 && law->componentwise &&
           law->n_args == 2 && strcmp(sym_cstr(c, law->law), "normal") == 0 &&
           !varies(c->ir, law->args[0]) && !varies(c->ir, law->args[1]);
}

/* ((x_i - mean) / deviation)^2 */
static Ref distance_squared(Ir *ir, const SampleRow *law) {
    Ref i = law->index, x = ir_indexed(ir, OP_SPACE, 0, 1, &i);
    return ir_powi(ir, ir_div(ir, ir_sub(ir, x, law->args[0]), law->args[1]), 2);
}

static Ref exp_of_sum(Ir *ir, const Space *x, Ref index, Ref entry) {
    Ref sum = ir_reduce(ir, OP_SUM, index, ir_const(ir, 1), x->d, entry);
    return ir_func(ir, FUNC_exp, 1, &sum);
}

Ref density_inverse(Compilation *c, const Problem *p) {
    Ir *ir = c->ir;
    const Space *x = &p->space.at[0];
    const SampleRow *law = law_of_points(p);
    if (p->space.n != 1 || p->inside)
        return 0;
    if (!law) {
        Ref volume = domain_operations(c, x)->log_volume(c, x);
        return volume ? ir_func(ir, FUNC_exp, 1, &volume) : 0;
    }
    if (!is_normal(c, p, law))
        return 0;
    Ref two_pi = ir_mul2(ir, ir_const(ir, 2), ir_atom(ir, OP_PI, 0));
    Ref area = log_of(ir, ir_mul2(ir, two_pi, ir_powi(ir, law->args[1], 2)));
    Ref entry = ir_mul2(ir, ir_const(ir, 0.5), ir_add2(ir, distance_squared(ir, law), area));
    return exp_of_sum(ir, x, law->index, entry);
}

Ref density_root(Compilation *c, const Problem *p) {
    const SampleRow *law = law_of_points(p);
    if (p->space.n != 1 || !is_normal(c, p, law))
        return 0;
    Ref entry = ir_mul2(c->ir, ir_const(c->ir, -0.25), distance_squared(c->ir, law));
    return exp_of_sum(c->ir, &p->space.at[0], law->index, entry);
}
