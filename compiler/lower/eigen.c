/* eigen.c: the residual of an eigenproblem is 0 for psi = 0 and every lambda, so a network that may vanish
 * does. The smallest eigenvalue belongs to a function without zeros: psi = A(x) exp(net), and the residual
 * over exp(net) does not see the size of psi. No constant then gains anything by shrinking, and no excited
 * state can be met. On R(d) this is not enough: positive solutions that grow exist for every number below
 * the smallest eigenvalue. There A(x) decays as the root of the density of normal points, or as the file says.
 *
 * Where the equation is not linear lambda depends on the norm, and `normalise F(psi) : integral(x) = c` is part of the
 * problem: the mean of F(psi) / (c p(x)) over points of the law p is to be 1, and its square distance from 1 is a loss.
 * A psi that vanishes has a loss of 1. Where the equation is linear it only gives psi its size. */
#include "lower/eigen.h"

#include "base/compilation.h"
#include "eval/domain.h"
#include "eval/probe.h"
#include "lower/density.h"
#include "lower/trial.h"

static const Ast *eigen_statement(const Compilation *c) {
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_EIGEN)
            return c->program->kid[k];
    return NULL;
}

bool eigen_by_network(const Compilation *c, const Problem *p) {
    bool eigen = false;
    for (uint32_t k = 0; k < p->unknown.n; k++)
        eigen |= p->unknown.at[k].eigen;
    return eigen && !tensor_wanted(c);
}

static bool goes_on_for_ever(const Compilation *c) {
    bool line = false;
    for (uint32_t k = 0; k < c->problem->space.n; k++)
        line |= domain_operations(c, &c->problem->space.at[k])->product == PRODUCT_LINE;
    return line;
}

void eigen_make_positive(Compilation *c, Problem *p, uint32_t field) {
    Ir *ir = c->ir;
    Ref net = ir_indexed(ir, OP_NET, field, 0, NULL);
    Ref factor = ir_div(ir, p->field.at[field].trial, net);
    if (ir_has_net(ir, factor))
        return; /* data that are not 0: eigen_check has the message */
    if (goes_on_for_ever(c)) {
        Ref decay = density_root(c, p);
        if (!decay)
            return; /* the same */
        factor = ir_mul2(ir, factor, decay);
    }
    p->field.at[field].trial = ir_mul2(ir, factor, ir_func(ir, FUNC_exp, 1, &net));
}

/* Is it A(x) exp(net + B(x))? Then d(trial)/d(net) = trial. */
static bool is_positive(Ir *ir, Ref trial) {
    uint32_t n = ir_is(ir, trial, OP_MUL) ? ir_arity(ir, trial) : 1, exponentials = 0;
    for (uint32_t k = 0; k < n; k++) {
        Ref f = n > 1 ? ir_kid(ir, trial, k) : trial;
        if (!ir_has_net(ir, f))
            continue;
        if (!ir_is(ir, f, OP_FUNC) || ir_id(ir, f) != FUNC_exp)
            return false;
        exponentials++;
    }
    return exponentials == 1;
}

/* R(2 psi) = 2 R(psi)? */
static bool is_homogeneous(Compilation *c, const Problem *p, Ref residual) {
    Ir *ir = c->ir;
    Ref *value = NEW_ARRAY(&c->arena, Ref, p->field.n + 1), two = ir_const(ir, 2);
    for (uint32_t k = 0; k < p->field.n; k++)
        value[k] = ir_mul2(ir, two, ir_indexed(ir, OP_FIELD, k, 0, NULL));
    Ref twice = ir_replace_fields(ir, residual, OP_FIELD, p->field.n, value);
    return ir_is_number(ir, ir_expand(ir, ir_sub(ir, twice, ir_mul2(ir, two, residual))), 0);
}

static bool is_linear(Compilation *c, const Problem *p) {
    for (uint32_t k = 0; k < p->equation.n; k++)
        if (!is_homogeneous(c, p, p->equation.at[k].residual))
            return false;
    return true;
}

static bool varies(const Ir *ir, Ref e) {
    return ir_has_net(ir, e) || ir_contains(ir, e, OP_SPACE) || ir_contains(ir, e, OP_AUX) ||
           ir_contains(ir, e, OP_UNKNOWN);
}

static Ref see_derivative(Ir *ir, Ref e, void *seen) {
    if (ir_is(ir, e, OP_FIELD) && ir_arity(ir, e) > 0)
        *(bool *)seen = true;
    return 0;
}

static bool holds_derivative(Ir *ir, Ref e) {
    bool seen = false;
    ir_rewrite(ir, e, see_derivative, &seen);
    return seen;
}

void eigen_norm(Compilation *c, Problem *p) {
    Ir *ir = c->ir;
    const Ast *s = p->normalise;
    if (p->field.n != 1 || p->time)
        return;
    Ref psi = ir_indexed(ir, OP_FIELD, 0, 0, NULL), zero = ir_const(ir, 0);
    Ref integrand = s ? lower_scalar(c, NULL, s->kid[0]) : ir_powi(ir, psi, 2);
    Ref value = s ? lower_scalar(c, NULL, s->kid[1]) : ir_const(ir, 1);
    Ref weight = density_inverse(c, p);
    bool vanishes = ir_has_net(ir, integrand) && !holds_derivative(ir, integrand) &&
                    ir_is_number(ir, ir_replace_fields(ir, integrand, OP_FIELD, 1, &zero), 0);
    if (!weight || !vanishes || varies(ir, value) || ir_is_number(ir, value, 0))
        return;
    p->norm.watched = !s;
    p->norm.from = s ? s : eigen_statement(c);
    p->norm.residual =
        ir_sub(ir, ir_div(ir, ir_mul2(ir, integrand, weight), value), ir_const(ir, 1));
}

Ref eigen_divisor(Ir *ir, const Problem *p) {
    Ref trial = p->field.at[0].trial, divisor = ir_const(ir, 1);
    uint32_t n = ir_is(ir, trial, OP_MUL) ? ir_arity(ir, trial) : 1;
    for (uint32_t k = 0; k < n; k++) {
        Ref f = n > 1 ? ir_kid(ir, trial, k) : trial;
        if (ir_has_net(ir, f))
            divisor = ir_mul2(ir, divisor, f);
    }
    return divisor;
}

/* With the values that the file gives its params. */
static bool is_zero_as_stated(Compilation *c, Ref e) {
    Probe probe;
    double value[PROBE_POINTS];
    bool zero = !ir_contains(c->ir, e, OP_UNKNOWN) && probe_open(c, e, 0, &probe) &&
                probe_eval(&probe, e, value);
    for (uint32_t p = 0; p < PROBE_POINTS && zero; p++)
        zero = value[p] == 0;
    return zero;
}

/* Is this 0 where every field is? */
static bool zero_solves(Compilation *c, const Problem *p, Ref residual) {
    Ref *value = NEW_ARRAY(&c->arena, Ref, p->field.n + 1);
    for (uint32_t k = 0; k < p->field.n; k++)
        value[k] = ir_const(c->ir, 0);
    Ref e = problem_put_sources(c, p, residual);
    e = ir_replace_fields(c->ir, e, OP_FIELD, p->field.n, value);
    return ir_is_number(c->ir, e, 0) || is_zero_as_stated(c, e);
}

void eigen_refuse_zero(Compilation *c, const Problem *p) {
    if (p->unknown.n == 0 || p->field.n == 0 || eigen_statement(c))
        return;
    for (uint32_t k = 0; k < p->equation.n; k++)
        if (!zero_solves(c, p, p->equation.at[k].residual))
            return;
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (!zero_solves(c, p, p->condition.at[k].residual))
            return;
    Str name = sym_str(c, p->unknown.at[0].name);
    diag(c, E0593, p->equation.at[0].ast->span, (int)name.n, name.s);
}

void eigen_check(Compilation *c, const Problem *p) {
    const Ast *s = eigen_statement(c);
    if ((!p->norm.residual || p->norm.watched) && !is_linear(c, p)) {
        diag(c, E0591, p->equation.at[0].ast->span);
        return;
    }
    bool positive = p->field.n == 1 && p->equation.n == 1 && !p->time &&
                    is_positive(c->ir, p->field.at[0].trial);
    if (!positive) {
        diag(c, E0590, s->span);
        return;
    }
    if (domain_bounded(c) && !p->field.at[0].ansatz && p->condition.n == 0)
        diag(c, E0594, s->span);
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (p->condition.at[k].state == CONDITION_SOFT)
            diag(c, E0592, p->condition.at[k].ast->span);
    if (p->normalise && !p->norm.residual)
        diag(c, W1207, p->normalise->span);
}
