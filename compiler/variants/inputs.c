/* inputs.c: the coordinates and the time as numbers of size 1: (x - mean) /
 * deviation by the law of the points, the time from -1 to 1. A network of tanh
 * sees nothing of prices around 100 as they are: it is a constant. */
#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "eval/bindings.h"
#include "variants/find.h"

static bool domain_is(const Compilation *c, const Space *x, const char *name) {
    return strcmp(sym_cstr(c, x->domain), name) == 0;
}

static Ref half(Ir *ir, Ref a, Ref b) {
    return ir_mul2(ir, ir_const(ir, 0.5), ir_add2(ir, a, b));
}

static bool law_is(const Compilation *c, const SampleRow *s, const char *name) {
    return strcmp(sym_cstr(c, s->law), name) == 0;
}

/* (b - a) / sqrt(12) */
static Ref width_deviation(Ir *ir, Ref a, Ref b) {
    return ir_div(ir, ir_sub(ir, b, a), ir_pow(ir, ir_const(ir, 12), ir_const(ir, 0.5)));
}

/* Mean and deviation of a law of one number; of log for the lognormal law. */
static bool moments(Compilation *c, const SampleRow *s, Ref *mean, Ref *deviation) {
    Ir *ir = c->ir;
    if (law_is(c, s, "normal") || law_is(c, s, "lognormal")) {
        *mean = s->args[0];
        *deviation = s->args[1];
    } else if (law_is(c, s, "uniform") && s->n_args == 2) {
        *mean = half(ir, s->args[0], s->args[1]);
        *deviation = width_deviation(ir, s->args[0], s->args[1]);
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

/* The middle of the time, and every auxiliary number at its mean: what a law is
 * like on the whole. */
static Ref settle(Ir *ir, Ref e, void *context) {
    const Spread *spread = context;
    Compilation *c = ir->c;
    const Problem *p = c->problem;
    if (ir_is(ir, e, OP_TIME))
        return half(ir, p->t_lo, p->t_hi);
    if (!ir_is(ir, e, OP_AUX))
        return 0;
    for (uint32_t k = 0; k < spread->chances; k++)
        if (intern_cstr(c, spread->chance[k].name) == (Sym)ir_id(ir, e))
            return ir_const(ir, spread->chance[k].normal ? 0 : 0.5);
    for (uint32_t k = 0; k < p->sample.n; k++) {
        const SampleRow *s = &p->sample.at[k];
        Ref mean, deviation;
        if (s->target == (Sym)ir_id(ir, e) && !s->test && moments(c, s, &mean, &deviation))
            return mean;
    }
    return 0;
}

void spread_settle(Compilation *c, Spread *s) {
    s->mean = ir_rewrite(c->ir, s->law_mean, settle, s);
    s->deviation = ir_rewrite(c->ir, s->law_deviation, settle, s);
    s->known = s->known && !ir_contains(c->ir, s->mean, OP_AUX) &&
               !ir_contains(c->ir, s->deviation, OP_AUX);
}

static bool number(Compilation *c, Ref e, double *out) {
    Values v = {.cap = 0};
    NpyFile none = {0};
    return !ir_contains(c->ir, e, OP_INDEX) && !values_collect(c, ir_const(c->ir, 0), &none, &v) &&
           !values_number(c, &v, e, out);
}

static Spread spread_of_law(Compilation *c, const SampleRow *s) {
    Ir *ir = c->ir;
    double m, w;
    Spread out = {.index = s->index ? s->index : ir_fresh_index(ir), .where = s->ast->span};
    out.known = moments(c, s, &out.law_mean, &out.law_deviation);
    if (!out.known)
        return out;
    out.logarithmic = law_is(c, s, "lognormal");
    spread_settle(c, &out);
    out.positive = out.logarithmic || law_is(c, s, "exponential");
    if (out.known && !out.positive && number(c, out.mean, &m) && number(c, out.deviation, &w))
        out.positive = law_is(c, s, "uniform") ? m > 1.75 * w : m >= 4 * w && w > 0;
    return out;
}

static Span domain_place(const Compilation *c) {
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_DOMAIN)
            return c->program->kid[k]->span;
    return (Span){0, 0};
}

bool radius_is_uniform(const Compilation *c) {
    for (uint32_t k = 0; k < c->problem->sample.n; k++) {
        const SampleRow *s = &c->problem->sample.at[k];
        if (problem_space(c->problem, s->target) >= 0 && !s->test && law_is(c, s, "radial") &&
            s->inner && strcmp(sym_cstr(c, s->inner), "uniform") == 0)
            return true;
    }
    return false;
}

static Spread spread_of_region(Compilation *c, const Space *x, bool radial) {
    Ir *ir = c->ir;
    Spread out = {.index = ir_fresh_index(ir), .radial = radial, .where = domain_place(c)};
    const Ref *arg = x->argument;
    Ref share = radial ? ir_mul2(ir, ir_const(ir, 3), x->d) : ir_add2(ir, x->d, ir_const(ir, 2));
    Ref root = ir_pow(ir, share, ir_const(ir, 0.5));
    double a;
    out.mean = ir_const(ir, 0);
    out.known = true;
    if (domain_is(c, x, "ball")) {
        out.deviation = ir_div(ir, arg[1], root);
    } else if (domain_is(c, x, "annulus")) {
        out.deviation = ir_div(ir, arg[2], root);
    } else if (domain_is(c, x, "box")) {
        out.mean = half(ir, arg[1], arg[2]);
        out.deviation = width_deviation(ir, arg[1], arg[2]);
        out.positive = number(c, arg[1], &a) && a > 0;
    } else {
        out.known = false;
    }
    out.law_mean = out.mean;
    out.law_deviation = out.deviation;
    return out;
}

Spread spread_of_domain(Compilation *c, bool radial) {
    return spread_of_region(c, &c->problem->space.at[0], radial);
}

/* By the file's law for the coordinates of space k, or else by their domain. */
static Spread spread_of_space(Compilation *c, uint32_t k) {
    const Problem *p = c->problem;
    for (uint32_t j = 0; j < p->sample.n; j++)
        if (problem_space(p, p->sample.at[j].target) == (int)k && !p->sample.at[j].test &&
            !law_is(c, &p->sample.at[j], "radial") && p->sample.at[j].n_args > 0)
            return spread_of_law(c, &p->sample.at[j]);
    return spread_of_region(c, &p->space.at[k], radius_is_uniform(c));
}

Spread spread_of_file(Compilation *c) {
    if (c->problem->space.n == 1)
        return spread_of_space(c, 0);
    return (Spread){.index = ir_fresh_index(c->ir), .where = domain_place(c)};
}

/* Is a standardisation by these of no use: is the coordinate of size 1 already?
 */
static bool is_standard(Compilation *c, const Spread *s) {
    double mean, deviation;
    if (s->logarithmic || ir_contains(c->ir, s->deviation, OP_DIM) || !number(c, s->mean, &mean) ||
        !number(c, s->deviation, &deviation))
        return false;
    return deviation >= 0.5 && deviation <= 2 && fabs(mean) <= 0.5 * deviation;
}

/* Coordinate `at` of the spread's vector, which is number `number` of all. */
static Ref standardised(Compilation *c, const Spread *s, Ref at, Ref number) {
    Ir *ir = c->ir;
    Ref x = ir_indexed(ir, OP_SPACE, 0, 1, &number);
    if (!s->known || is_standard(c, s))
        return x;
    if (s->logarithmic) { /* finite also where a test law has a price below 0 */
        Ref square = ir_powi(ir, x, 2);
        x = ir_mul2(ir, ir_const(ir, 0.5), ir_func(ir, FUNC_log, 1, &square));
    }
    Ref mean = ir_substitute(ir, s->mean, s->index, at),
        deviation = ir_substitute(ir, s->deviation, s->index, at);
    return ir_div(ir, ir_sub(ir, x, mean), deviation);
}

Ref input_entry_of(Compilation *c, const Spread *s, int64_t shift) {
    Ref at = ir_add2(c->ir, s->index, ir_const(c->ir, (double)shift));
    return standardised(c, s, at, at);
}

static void find_coordinates(Compilation *c, const Space *space, const Spread *s, Finds *finds) {
    Ref at = space->scalar ? ir_const(c->ir, 1) : s->index;
    Ref e = standardised(c, s, at, ir_add2(c->ir, space->first, at));
    if (ir_is(c->ir, e, OP_SPACE)) {
        find_add(c, finds, FIND_INPUT, sym_cstr(c, space->name),
                 s->known ? "the coordinates, of size 1 as they are" : "the coordinates", s->where);
        return;
    }
    memo_put(c->ir->index_name, s->index, 0, intern_cstr(c, find_free_name(c, "i")));
    find_add(c, finds, FIND_INPUT, ir_text(c->ir, e),
             s->logarithmic ? "logarithms of the coordinates by mean and deviation of their law"
                            : "the coordinates by mean and deviation of their law",
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
    const Problem *p = c->problem;
    for (uint32_t k = 0; k < p->space.n; k++) {
        const Spread own = p->space.n == 1 ? *spread : spread_of_space(c, k);
        find_coordinates(c, &p->space.at[k], &own, finds);
    }
    find_time(c, finds);
}

/* Lognormal diffusions are plain ones in the logarithm. */
void find_logarithm(Compilation *c, Spread *s) {
    Ir *ir = c->ir;
    Diffusion d = diffusion_of(c);
    bool proportional = d.known && !without_coordinate(c, d.diagonal, d.index, 0) &&
                        without_coordinate(c, d.diagonal, d.index, 2);
    bool by_rank = d.known && d.ranks && !without_coordinate(c, d.vector[0], d.index, 0) &&
                   without_coordinate(c, d.vector[0], d.index, 1);
    if (s->logarithmic || !s->known || !s->positive || !(proportional || by_rank))
        return;
    Ref ratio = ir_powi(ir, ir_div(ir, s->deviation, s->mean), 2);
    Ref variance = ir_func(ir, FUNC_log1p, 1, &ratio);
    s->mean =
        ir_sub(ir, ir_func(ir, FUNC_log, 1, &s->mean), ir_mul2(ir, ir_const(ir, 0.5), variance));
    s->deviation = ir_pow(ir, variance, ir_const(ir, 0.5));
    s->logarithmic = true;
    s->where = d.where;
}
