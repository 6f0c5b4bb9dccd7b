/* eigen.c: the residual of an eigenproblem is 0 for psi = 0 and every lambda, so a network that may vanish
 * does. The smallest eigenvalue belongs to a function without zeros: psi = A(x) exp(net), and the residual
 * over exp(net) does not see the size of psi. No constant then gains anything by shrinking, and no excited
 * state can be met. On R(d) this is not enough: positive solutions that grow exist for every number below
 * the smallest eigenvalue, so nothing is built there, and the file has to say how psi decays.
 *
 * Where the equation is not linear lambda depends on the norm, and `normalise F(psi) : integral(x) = c` is part of the
 * problem: the mean of F(psi) / (c p(x)) over points of the law p is to be 1, and its square distance from 1 is a loss.
 * A psi that vanishes has a loss of 1. */
#include "lower/eigen.h"

#include <string.h>

#include "base/compilation.h"
#include "eval/domain.h"
#include "eval/probe.h"
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

void eigen_make_positive(Compilation *c, Problem *p, uint32_t field) {
    Ir *ir = c->ir;
    Ref net = ir_indexed(ir, OP_NET, field, 0, NULL);
    Ref factor = ir_div(ir, p->field.at[field].trial, net);
    if (ir_has_net(ir, factor) || !domain_bounded(c))
        return; /* data that are not 0, or no decay: eigen_check has the message */
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

/* 1 / p of normal(m, s) for each coordinate. */
static Ref normal_weight(Ir *ir, const Space *x, const SampleRow *law) {
    Ref i = law->index, mean = law->args[0], deviation = law->args[1];
    Ref z = ir_div(ir, ir_sub(ir, ir_indexed(ir, OP_SPACE, 0, 1, &i), mean), deviation);
    Ref area =
        ir_mul2(ir, ir_mul2(ir, ir_const(ir, 2), ir_atom(ir, OP_PI, 0)), ir_powi(ir, deviation, 2));
    Ref entry = ir_mul2(ir, ir_const(ir, 0.5),
                        ir_add2(ir, ir_powi(ir, z, 2), ir_func(ir, FUNC_log, 1, &area)));
    Ref sum = ir_reduce(ir, OP_SUM, i, ir_const(ir, 1), x->d, entry);
    return ir_func(ir, FUNC_exp, 1, &sum);
}

/* 1 / p of the law that points are drawn from, a box's own or a normal one on R(d); 0: its density is not known. */
static Ref weight_of_points(Compilation *c, const Problem *p) {
    Ir *ir = c->ir;
    const Space *x = &p->space.at[0];
    const SampleRow *law = NULL;
    for (uint32_t k = 0; k < p->sample.n; k++)
        if (!p->sample.at[k].test)
            law = law ? law : &p->sample.at[k];
    bool box = strcmp(sym_cstr(c, x->domain), "box") == 0;
    if (!law && box) {
        Ref side = ir_sub(ir, x->argument[2], x->argument[1]), i = ir_fresh_index(ir);
        Ref sum = ir_reduce(ir, OP_SUM, i, ir_const(ir, 1), x->d, ir_func(ir, FUNC_log, 1, &side));
        return ir_func(ir, FUNC_exp, 1, &sum);
    }
    bool normal = law && !domain_bounded(c) && law->componentwise && law->n_args == 2 &&
                  strcmp(sym_cstr(c, law->law), "normal") == 0 && !varies(ir, law->args[0]) &&
                  !varies(ir, law->args[1]);
    return normal ? normal_weight(ir, x, law) : 0;
}

void eigen_norm(Compilation *c, Problem *p) {
    Ir *ir = c->ir;
    const Ast *s = p->normalise;
    if (!s || p->field.n != 1 || p->space.n != 1 || p->time || p->inside || is_linear(c, p))
        return;
    Ref integrand = lower_scalar(c, NULL, s->kid[0]), value = lower_scalar(c, NULL, s->kid[1]);
    Ref weight = weight_of_points(c, p), zero = ir_const(ir, 0);
    bool vanishes = ir_has_net(ir, integrand) && !holds_derivative(ir, integrand) &&
                    ir_is_number(ir, ir_replace_fields(ir, integrand, OP_FIELD, 1, &zero), 0);
    if (!weight || !vanishes || varies(ir, value) || ir_is_number(ir, value, 0))
        return;
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
    if (!p->norm.residual && !is_linear(c, p)) {
        diag(c, E0591, p->equation.at[0].ast->span);
        return;
    }
    bool positive = p->field.n == 1 && p->equation.n == 1 && !p->time &&
                    is_positive(c->ir, p->field.at[0].trial);
    if (!positive) {
        diag(c, E0590, s->span);
        return;
    }
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (p->condition.at[k].state == CONDITION_SOFT)
            diag(c, E0592, p->condition.at[k].ast->span);
    if (p->normalise && !p->norm.residual)
        diag(c, W1207, p->normalise->span);
}
