/* inputs.c: the coordinates and the time as numbers of size 1: (x - mean) / deviation by the law of the points,
 * the time from -1 to 1. A network of tanh sees nothing of prices around 100 as they are: it is a constant. */
#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "eval/bindings.h"
#include "variants/find.h"

static bool domain_is(const Compilation *c, const char *name) {
    return c->problem->domain && strcmp(sym_cstr(c, c->problem->domain), name) == 0;
}

static Ref half(Ir *ir, Ref a, Ref b) {
    return ir_mul2(ir, ir_const(ir, 0.5), ir_add2(ir, a, b));
}

static bool law_is(const Compilation *c, const SampleRow *s, const char *name) {
    return strcmp(sym_cstr(c, s->law), name) == 0;
}

/* Mean and deviation of a law of one number; of log for the lognormal law. */
static bool moments(Compilation *c, const SampleRow *s, Ref *mean, Ref *deviation) {
    Ir *ir = c->ir;
    if (law_is(c, s, "normal") || law_is(c, s, "lognormal")) {
        *mean = s->args[0];
        *deviation = s->args[1];
    } else if (law_is(c, s, "uniform") && s->n_args == 2) {
        *mean = half(ir, s->args[0], s->args[1]);
        *deviation = ir_div(ir, ir_sub(ir, s->args[1], s->args[0]),
                            ir_pow(ir, ir_const(ir, 12), ir_const(ir, 0.5)));
    } else if (law_is(c, s, "exponential")) {
        *mean = *deviation = ir_powi(ir, s->args[0], -1);
    } else if (law_is(c, s, "rademacher")) {
        *mean = ir_const(ir, 0);
        *deviation = ir_const(ir, 1);
    } else {
        return false;
    }
    return true;
}

/* The middle of the time, and every auxiliary number at its mean: what a law is like on the whole. */
static Ref settle(Ir *ir, Ref e, void *context) {
    (void)context;
    Compilation *c = ir->c;
    const Problem *p = c->problem;
    if (ir_is(ir, e, OP_TIME))
        return half(ir, p->t_lo, p->t_hi);
    if (!ir_is(ir, e, OP_AUX))
        return 0;
    for (uint32_t k = 0; k < p->sample.n; k++) {
        const SampleRow *s = &p->sample.at[k];
        Ref mean, deviation;
        if (s->target == (Sym)ir_id(ir, e) && !s->test && moments(c, s, &mean, &deviation))
            return mean;
    }
    return 0;
}

static bool spread_of_law(Compilation *c, const SampleRow *s, Spread *out) {
    Ir *ir = c->ir;
    if (!moments(c, s, &out->mean, &out->deviation))
        return false;
    out->mean = ir_rewrite(ir, out->mean, settle, NULL);
    out->deviation = ir_rewrite(ir, out->deviation, settle, NULL);
    out->logarithmic = law_is(c, s, "lognormal");
    if (s->index) {
        out->mean = ir_substitute(ir, out->mean, s->index, out->index);
        out->deviation = ir_substitute(ir, out->deviation, s->index, out->index);
    }
    out->where = s->ast->span;
    return !ir_contains(ir, out->mean, OP_AUX) && !ir_contains(ir, out->deviation, OP_AUX);
}

static Span domain_place(const Compilation *c) {
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_DOMAIN)
            return c->program->kid[k]->span;
    return (Span){0, 0};
}

bool spread_of_file(Compilation *c, Spread *out) {
    Ir *ir = c->ir;
    const Problem *p = c->problem;
    *out = (Spread){.index = ir_fresh_index(ir), .where = domain_place(c)};
    for (uint32_t k = 0; k < p->sample.n; k++)
        if (p->sample.at[k].target == p->space && !p->sample.at[k].test &&
            !law_is(c, &p->sample.at[k], "radial") && p->sample.at[k].n_args > 0)
            return spread_of_law(c, &p->sample.at[k], out);
    const Ref *arg = p->domain_args;
    out->mean = ir_const(ir, 0);
    Ref root = ir_pow(ir, ir_add2(ir, p->d, ir_const(ir, 2)), ir_const(ir, 0.5));
    if (domain_is(c, "ball"))
        out->deviation = ir_div(ir, arg[1], root);
    else if (domain_is(c, "annulus"))
        out->deviation = ir_div(ir, arg[2], root);
    else if (domain_is(c, "box")) {
        out->mean = half(ir, arg[1], arg[2]);
        out->deviation =
            ir_div(ir, ir_sub(ir, arg[2], arg[1]), ir_pow(ir, ir_const(ir, 12), ir_const(ir, 0.5)));
    } else
        return false;
    return true;
}

/* Is a standardisation by these of no use: is the coordinate of size 1 already? */
static bool is_standard(Compilation *c, const Spread *s) {
    Values v = {.cap = 0};
    NpyFile none = {0};
    double mean, deviation;
    if (s->logarithmic || values_collect(c, ir_const(c->ir, 0), &none, &v) ||
        values_number(c, &v, s->mean, &mean) || values_number(c, &v, s->deviation, &deviation))
        return false;
    return deviation >= 0.5 && deviation <= 2 && fabs(mean) <= 0.5 * deviation;
}

static void find_coordinates(Compilation *c, const Spread *s, Finds *finds) {
    Ir *ir = c->ir;
    const char *x = sym_cstr(c, c->problem->space);
    if (!s->mean || is_standard(c, s)) {
        find_add(c, finds, FIND_INPUT, x, "the coordinates, of size 1 as they are", s->where);
        return;
    }
    memo_put(ir->index_name, s->index, 0, intern_cstr(c, find_index_name(c)));
    Ref xi = ir_indexed(ir, OP_SPACE, 0, 1, &s->index);
    if (s->logarithmic)
        xi = ir_func(ir, FUNC_log, 1, &xi);
    Ref e = ir_div(ir, ir_sub(ir, xi, s->mean), s->deviation);
    find_add(c, finds, FIND_INPUT, ir_text(ir, e),
             s->logarithmic ? "logarithms of the coordinates over mean and deviation of their law"
                            : "the coordinates over mean and deviation of their law",
             s->where);
}

static void find_time(Compilation *c, Finds *finds) {
    Ir *ir = c->ir;
    const Problem *p = c->problem;
    if (!p->time)
        return;
    Ref t = ir_atom(ir, OP_TIME, 0), sum = ir_add2(ir, p->t_lo, p->t_hi);
    Ref e =
        ir_div(ir, ir_sub(ir, ir_mul2(ir, ir_const(ir, 2), t), sum), ir_sub(ir, p->t_hi, p->t_lo));
    Span where = {0, 0};
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_TIME)
            where = c->program->kid[k]->span;
    find_add(c, finds, FIND_INPUT, ir_text(ir, e), "the time from -1 to 1", where);
}

void find_inputs(Compilation *c, const Spread *spread, Finds *finds) {
    if (c->problem->space)
        find_coordinates(c, spread, finds);
    find_time(c, finds);
}
