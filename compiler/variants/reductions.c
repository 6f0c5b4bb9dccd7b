/* reductions.c: numbers that the known data consist of: sums over the
 * coordinates (norm(x)^2, means, quadratic forms), data of the start or the end
 * of time as they are, smooth forms of maxima, and for a kink the distance to
 * it over the root of the remaining time. A solution is very often a function
 * of a few of them, whatever d is. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/compilation.h"
#include "eval/domain.h"
#include "lower/trial.h"
#include "variants/pilot.h"

enum { NUMBERS_MOST = 12, EQUATION_MOST = 5, BEGINNING_MOST = 3, TEXT_MOST = 3000 };

typedef struct Search {
    Compilation *c;
    Ir *ir;
    Finds *finds;
    Pilot pilot;
    VEC(Ref) had; /* what was added, up to affine maps */
    Span place;   /* of the statement that is looked at */
    uint32_t most;
    const char *of; /* what it is */
} Search;

static Span place_of(const Search *s, Ref e) {
    Span own = s->ir->trail.at[e];
    const Source *file = &s->c->sources.list.at[0];
    return own.lo < own.hi && own.hi <= file->base + file->n && own.lo >= s->place.lo &&
                   own.hi <= s->place.hi
               ? own
               : s->place;
}

static bool is_new(Search *s, Ref e) {
    for (uint32_t k = 0; k < s->had.n; k++)
        if (pilot_same(&s->pilot, s->had.at[k], e))
            return false;
    return true;
}

static const char *reason(Search *s, const char *what) {
    Text t = {.arena = &s->c->arena};
    text_printf(&t, "%s of %s", what, s->of);
    return text_cstr(&t);
}

static bool is_constant(const Ir *ir, Ref e) {
    return !ir_contains(ir, e, OP_SPACE) && !ir_contains(ir, e, OP_TIME);
}

/* a e + b for numbers a and b says no more than e, whose size follows a power of d more often. */
static Ref without_constants(Ir *ir, Ref e) {
    Ref kept = ir_const(ir, ir_is(ir, e, OP_MUL) ? 1 : 0);
    if (!ir_is(ir, e, OP_ADD) && !ir_is(ir, e, OP_MUL))
        return e;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        Ref part = ir_kid(ir, e, k);
        if (!is_constant(ir, part))
            kept = ir_is(ir, e, OP_ADD) ? ir_add2(ir, kept, part) : ir_mul2(ir, kept, part);
    }
    return kept == e || is_constant(ir, kept) ? e : without_constants(ir, kept);
}

/* A number, standardised, unless it is constant, not finite somewhere, or an
 * affine function of another. */
static void add_number(Search *s, Ref e, Ref place, const char *what) {
    Size size;
    e = without_constants(s->ir, e);
    if (s->had.n >= s->most || !pilot_size(&s->pilot, e, &size) || !is_new(s, e))
        return;
    const char *text = ir_text(s->ir, e); /* indicators have no word in the language */
    if (strlen(text) > TEXT_MOST || strchr(text, '['))
        return;
    VEC_PUSH(&s->c->arena, s->had, e);
    find_add(s->c, s->finds, FIND_REDUCTION, pilot_standardised(&s->pilot, text, &size),
             reason(s, what), place_of(s, place));
}

static double three_digits(double v) {
    char digits[32];
    double out = v;
    snprintf(digits, sizeof digits, "%.3g", v);
    (void)text_read_double(digits, &out);
    return out;
}

/* The share of time that is left until the data, and a little, so that nothing
 * divides by 0. */
static Ref remaining(Search *s, double more) {
    Ir *ir = s->ir;
    const Problem *p = s->c->problem;
    const Process *process = p->process;
    Ref t = ir_atom(ir, OP_TIME, 0);
    Ref left = process && process->class == PROCESS_INITIAL ? ir_sub(ir, t, p->t_lo)
                                                            : ir_sub(ir, p->t_hi, t);
    return ir_add2(ir, ir_div(ir, left, ir_sub(ir, p->t_hi, p->t_lo)), ir_const(ir, more));
}

/* log(mean_i exp(power_i)) for the extremum e. */
static void add_soft(Search *s, Ref e, Ref index, Ref power, const char *what) {
    Ir *ir = s->ir;
    Ref lo = ir_kid(ir, e, 0), hi = ir_kid(ir, e, 1);
    Ref sum = ir_reduce(ir, OP_SUM, index, lo, hi, ir_func(ir, FUNC_exp, 1, &power));
    Ref mean = ir_div(ir, sum, ir_add2(ir, ir_const(ir, 1), ir_sub(ir, hi, lo)));
    add_number(s, ir_func(ir, FUNC_log, 1, &mean), e, what);
}

/* log(mean_i exp(k (b_i - m) / s)): for large k the maximum, but for a factor. k stays below 5, so that squares of
 * the exponentials do not overflow in float32 seven deviations away. */
static void add_soft_extremum(Search *s, Ref e) {
    Ir *ir = s->ir;
    Size size;
    Ref index, body = ir_open(ir, e, &index);
    if (s->pilot.spread->logarithmic && ir_is(ir, body, OP_SPACE)) {
        Ref square = ir_powi(ir, body, 2);
        body = ir_mul2(ir, ir_const(ir, 0.5), ir_func(ir, FUNC_log, 1, &square));
    }
    if (!pilot_size(&s->pilot, ir_substitute(ir, body, index, ir_kid(ir, e, 0)), &size))
        return;
    Ref unit =
        ir_div(ir, ir_sub(ir, body, ir_const(ir, three_digits(size.mean))),
               ir_const(ir, three_digits(ir_is(ir, e, OP_MIN) ? -size.deviation : size.deviation)));
    Ref two = ir_const(ir, 2);
    add_soft(s, e, index, ir_mul2(ir, two, unit), "a soft extremum");
    add_soft(s, e, index, ir_mul2(ir, ir_const(ir, 4), unit), "a sharper soft extremum");
    if (s->c->problem->time) {
        Ref root = ir_pow(ir, remaining(s, 0.1), ir_const(ir, 0.5));
        add_soft(s, e, index, ir_mul2(ir, ir_const(ir, 1.5), ir_div(ir, unit, root)),
                 "an extremum as soft as the root of the remaining time,");
    }
}

/* max(e, 0) with a normal number of variance s^2 added to e: e Phi(e / s) + s
 * phi(e / s). */
static Ref smoothed(Search *s, Ref e, Ref square) {
    Ir *ir = s->ir;
    Ref root = ir_pow(ir, square, ir_const(ir, 0.5));
    Ref z = ir_div(ir, e, ir_mul2(ir, ir_const(ir, sqrt(2)), root));
    Ref cumulated = ir_add2(ir, ir_const(ir, 1), ir_func(ir, FUNC_erf, 1, &z));
    Ref minus = ir_neg(ir, ir_powi(ir, z, 2));
    Ref density =
        ir_mul2(ir, ir_const(ir, 1 / sqrt(8 * atan(1))), ir_func(ir, FUNC_exp, 1, &minus));
    return ir_add2(ir, ir_mul2(ir, ir_mul2(ir, ir_const(ir, 0.5), e), cumulated),
                   ir_mul2(ir, root, density));
}

/* The variance that e gains along the process in a unit of time: grad e' D grad e. */
static Ref variance_rate(Search *s, const Diffusion *d, Ref e) {
    Ir *ir = s->ir;
    Ref one = ir_const(ir, 1), last = s->c->problem->d;
    Ref slope = ir_diff(ir, e, ir_indexed(ir, OP_SPACE, 0, 1, &d->index));
    Ref rate =
        ir_reduce(ir, OP_SUM, d->index, one, last, ir_mul2(ir, d->diagonal, ir_powi(ir, slope, 2)));
    for (uint32_t r = 0; r < d->ranks; r++) {
        Ref along = ir_reduce(ir, OP_SUM, d->index, one, last, ir_mul2(ir, d->vector[r], slope));
        rate = ir_add2(ir, rate, ir_mul2(ir, d->strength[r], ir_powi(ir, along, 2)));
    }
    return rate;
}

/* That variance over the whole time, in units of e's own under the law of the points: at the quarter of the points
 * that is nearest to the kink. Without a process of its own: twice the law's. */
static double gained_variance(Search *s, Ref e, const Size *size) {
    enum { NEAR = PILOT_POINTS / 4 };
    static const double UNKNOWN = 2;
    double value[PILOT_POINTS], rate[PILOT_POINTS], span[PILOT_POINTS], sum = 0;
    const Problem *p = s->c->problem;
    Diffusion d = diffusion_of(s->c);
    if (!d.known || !pilot_eval(&s->pilot, variance_rate(s, &d, e), 0, rate) ||
        !pilot_eval(&s->pilot, e, 0, value) ||
        !pilot_eval(&s->pilot, ir_sub(s->ir, p->t_hi, p->t_lo), 0, span))
        return UNKNOWN;
    for (int taken = 0; taken < NEAR; taken++) {
        int near = 0;
        for (int k = 1; k < PILOT_POINTS; k++)
            near = fabs(value[k]) < fabs(value[near]) ? k : near;
        sum += rate[near] * span[near] / NEAR;
        value[near] = (double)INFINITY;
    }
    double share = three_digits(sum / pow(size->deviation, 2));
    return share > 1e-6 && isfinite(share) ? share : UNKNOWN;
}

/* The deviation of a number as a power of d. */
static Ref unit_of(Search *s, const Size *size) {
    Ir *ir = s->ir;
    double alone = size->deviation / pow((double)size->d, size->deviation_power);
    return ir_mul2(ir, ir_const(ir, three_digits(alone)),
                   ir_pow(ir, s->c->problem->d, ir_const(ir, size->deviation_power)));
}

/* e in parts: those that are positive at all points, less those that are negative. */
static bool split(Search *s, Ref e, Ref *up, Ref *down) {
    Ir *ir = s->ir;
    Ref none = ir_const(ir, 0);
    *up = *down = none;
    if (!s->pilot.spread->logarithmic || !ir_is(ir, e, OP_ADD))
        return false;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        double value[PILOT_POINTS];
        Ref term = ir_kid(ir, e, k);
        int positive = 0, negative = 0;
        if (!pilot_eval(&s->pilot, term, 0, value))
            return false;
        for (int j = 0; j < PILOT_POINTS; j++) {
            positive += value[j] > 0;
            negative += value[j] < 0;
        }
        if (positive == PILOT_POINTS)
            *up = ir_add2(ir, *up, term);
        else if (negative == PILOT_POINTS)
            *down = ir_sub(ir, *down, term);
        else
            return false;
    }
    return *up != none && *down != none;
}

static Ref below(Ir *ir, Ref z) {
    Ref scaled = ir_mul2(ir, ir_const(ir, sqrt(0.5)), z);
    return ir_mul2(ir, ir_const(ir, 0.5),
                   ir_add2(ir, ir_const(ir, 1), ir_func(ir, FUNC_erf, 1, &scaled)));
}

/* The kink of max(a - b, 0) for positive a and b whose logarithms move by normal noise: its mean under that noise, and
 * log(a / b) over the root of the remaining time and as it is. */
static bool add_lognormal_kink(Search *s, Ref e) {
    Ir *ir = s->ir;
    Ref up, down;
    Size size;
    if (!s->c->problem->time || !split(s, e, &up, &down))
        return false;
    Ref square = ir_powi(ir, ir_div(ir, up, down), 2), half = ir_const(ir, 0.5);
    Ref l = ir_mul2(ir, half, ir_func(ir, FUNC_log, 1, &square));
    if (!pilot_size(&s->pilot, l, &size))
        return false;
    Ref whole =
        ir_mul2(ir, ir_const(ir, gained_variance(s, l, &size)), ir_powi(ir, unit_of(s, &size), 2));
    Ref v = ir_mul2(ir, whole, remaining(s, 1e-3)), root = ir_pow(ir, v, half);
    Ref more = ir_add2(ir, l, ir_mul2(ir, half, v)), less = ir_sub(ir, l, ir_mul2(ir, half, v));
    Ref mean = ir_sub(ir, ir_mul2(ir, up, below(ir, ir_div(ir, more, root))),
                      ir_mul2(ir, down, below(ir, ir_div(ir, less, root))));
    add_number(s, mean, e, "a smooth form of the kink");
    add_number(s, ir_div(ir, l, ir_pow(ir, remaining(s, 0.02), half)), e,
               "the distance to the kink over the root of the remaining time,");
    add_number(s, l, e, "the distance to the kink");
    return true;
}

/* Where the argument e of a kink is 0. */
static void add_kink(Search *s, Ref e) {
    Ir *ir = s->ir;
    Size size;
    if (add_lognormal_kink(s, e) || !pilot_size(&s->pilot, e, &size))
        return;
    if (s->c->problem->time) {
        Ref scaled = ir_div(ir, e, unit_of(s, &size));
        Ref whole = ir_const(ir, gained_variance(s, e, &size));
        add_number(s, smoothed(s, scaled, ir_mul2(ir, whole, remaining(s, 1e-3))), e,
                   "a smooth form of the kink");
        add_number(s, ir_div(ir, scaled, ir_pow(ir, remaining(s, 0.02), ir_const(ir, 0.5))), e,
                   "the distance to the kink over the root of the remaining time,");
    }
    add_number(s, e, e, "the distance to the kink");
}

static bool is_kink(const Ir *ir, Ref e) {
    uint64_t f = ir_is(ir, e, OP_FUNC) ? ir_id(ir, e) : (uint64_t)FUNC_COUNT;
    return f == FUNC_abs || f == FUNC_sign || f == FUNC_step || f == FUNC_max || f == FUNC_min;
}

/* A linear combination of sums over coordinates, or one such sum. */
static bool is_form(const Ir *ir, Ref e) {
    if (ir_is(ir, e, OP_SUM) || ir_is(ir, e, OP_PROD))
        return true;
    uint32_t sums = 0;
    for (uint32_t k = 0; ir_is(ir, e, OP_ADD) && k < ir_arity(ir, e); k++) {
        Ref term = ir_kid(ir, e, k);
        if (!ir_contains(ir, term, OP_SPACE))
            continue;
        bool found = ir_is(ir, term, OP_SUM);
        for (uint32_t j = 0; ir_is(ir, term, OP_MUL) && j < ir_arity(ir, term); j++) {
            Ref f = ir_kid(ir, term, j);
            found = found || ir_is(ir, f, OP_SUM);
            if (!ir_is(ir, f, OP_SUM) &&
                (ir_contains(ir, f, OP_SPACE) || ir_contains(ir, f, OP_TIME)))
                return false;
        }
        if (!found)
            return false;
        sums++;
    }
    return sums > 0;
}

/* The parts of an expression that stand for themselves: no network, no index of
 * a sum around them. */
static void look(Search *s, Ref e, Memo *seen) {
    Ir *ir = s->ir;
    Ref done;
    if (memo_get(seen, e, 0, &done) || !ir_contains(ir, e, OP_SPACE))
        return;
    memo_put(seen, e, 0, 1);
    const bool closed = !ir_has_net(ir, e) && !ir_contains(ir, e, OP_INDEX);
    if (closed && (ir_is(ir, e, OP_MAX) || ir_is(ir, e, OP_MIN))) {
        add_soft_extremum(s, e);
        return;
    }
    if (closed && is_form(ir, e)) {
        add_number(s, e, e, "a sum");
        return;
    }
    if (closed && ir_is(ir, e, OP_SPACE)) {
        add_number(s, e, e, "a coordinate");
        return;
    }
    if (closed && is_kink(ir, e)) {
        Ref argument = ir_kid(ir, e, 0);
        if (ir_arity(ir, e) == 2)
            argument = ir_sub(ir, argument, ir_kid(ir, e, 1));
        add_kink(s, argument);
    }
    if (ir_is_binder(ir_op(ir, e))) {
        Ref index;
        look(s, ir_open(ir, e, &index), seen);
        return;
    }
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        look(s, ir_kid(ir, e, k), seen);
}

static void look_in(Search *s, Ref e, Span place, const char *of) {
    Memo seen = {.arena = &s->c->arena};
    s->place = place;
    s->of = of;
    look(s, e, &seen);
}

/* The data of FIELD = data, or 0. */
static Ref data_of(Ir *ir, const ConditionRow *row) {
    Ref u = ir_indexed(ir, OP_FIELD, 0, 0, NULL);
    Ref less = ir_sub(ir, row->residual, u), more = ir_add2(ir, row->residual, u);
    return !ir_has_net(ir, less) ? ir_neg(ir, less) : !ir_has_net(ir, more) ? more : 0;
}

/* The direction of a noise that all coordinates share: sum_k v_k x_k, of logarithms where v_k goes with x_k. */
static void add_common_noise(Search *s) {
    Ir *ir = s->ir;
    Diffusion d = diffusion_of(s->c);
    for (uint32_t r = 0; r < d.ranks; r++) {
        Ref x = ir_indexed(ir, OP_SPACE, 0, 1, &d.index);
        Ref v = without_coordinate(s->c, d.vector[r], d.index, 0);
        if (!v && s->pilot.spread->positive &&
            (v = without_coordinate(s->c, d.vector[r], d.index, 1))) {
            Ref square = ir_powi(ir, x, 2);
            x = ir_func(ir, FUNC_log, 1, &square);
        }
        if (!v)
            continue;
        s->place = d.where;
        s->of = "the equation";
        Ref sum =
            ir_reduce(ir, OP_SUM, d.index, ir_const(ir, 1), s->c->problem->d, ir_mul2(ir, v, x));
        add_number(s, sum, sum, "the direction of a common noise");
    }
}

/* u with the data at its start and this change in a unit of time; where the logarithm is learned, of that. */
static Ref departed(Search *s, const ConditionRow *row, Ref data, Ref rate, bool exponential) {
    Ir *ir = s->ir;
    const Problem *p = s->c->problem;
    Ref t = ir_atom(ir, OP_TIME, 0);
    Ref since = ir_sub(ir, t, row->where == COND_INITIAL ? p->t_lo : p->t_hi);
    Ref change = ir_mul2(ir, since, rate);
    if (!exponential)
        return ir_add2(ir, data, change);
    return ir_mul2(ir, data, ir_func(ir, FUNC_exp, 1, &change));
}

/* What the equation makes of u: by unit of u where the logarithm is learned. */
static Ref residual_of(Search *s, Ref u, bool exponential) {
    Ir *ir = s->ir;
    const Problem *p = s->c->problem;
    Ref r = problem_put_sources(s->c, p, p->equation.at[0].residual);
    r = ir_expand(ir, ir_replace_fields(ir, r, OP_FIELD, 1, &u));
    return exponential ? ir_expand(ir, ir_div(ir, r, u)) : r;
}

/* How the solution leaves its data: the equation says what their first change in time consists of, and of that the
 * second one. Data of one sum become a solution of several, as where each coordinate has a speed of its own. */
static void add_beginning(Search *s, const ConditionRow *row, Ref data, bool exponential) {
    Ir *ir = s->ir;
    const Problem *p = s->c->problem;
    const Process *process = p->process;
    if (p->field.n != 1 || p->equation.n != 1 || row->where == COND_BOUNDARY || !process ||
        process->class == PROCESS_NONE || ir_has_net(ir, process->tau) || has_kink(ir, data))
        return;
    s->most = s->had.n + BEGINNING_MOST < NUMBERS_MOST ? s->had.n + BEGINNING_MOST : NUMBERS_MOST;
    Ref first = residual_of(s, data, exponential);
    look_in(s, first, row->ast->span, "the equation at the data");
    Ref rate = ir_neg(ir, ir_div(ir, first, process->tau));
    Ref u = departed(s, row, data, ir_expand(ir, rate), exponential);
    look_in(s, residual_of(s, u, exponential), row->ast->span, "the equation near the data");
}

/* Where the domain is round, a problem that is alike in all directions is one of the radius alone. */
static void add_radius(Search *s) {
    const Problem *p = s->c->problem;
    const char *name = sym_cstr(s->c, p->space.at[0].domain);
    if (p->space.n != 1 || (strcmp(name, "ball") != 0 && strcmp(name, "annulus") != 0))
        return;
    Ref square = domain_norm_squared(s->c, &p->space.at[0]);
    s->place = s->pilot.spread->where;
    s->of = "the domain";
    s->most = s->had.n + 1;
    add_number(s, square, square, "the squared radius");
}

void find_reductions(Compilation *c, const Spread *spread, Finds *finds) {
    Search s = {.c = c, .ir = c->ir, .finds = finds, .most = NUMBERS_MOST};
    const Problem *p = c->problem;
    if (!p->space.n || !pilot_open(c, spread, &s.pilot))
        return;
    bool exponential = false; /* then the trial function has the data already */
    for (uint32_t k = 0; k < finds->at.n; k++)
        exponential = exponential || finds->at.at[k].kind == FIND_UNKNOWN;
    for (uint32_t k = 0; k < p->condition.n; k++) {
        const ConditionRow *row = &p->condition.at[k];
        if (row->index || row->where == COND_OBSERVE)
            continue; /* on gradients: the values are given by another one */
        look_in(&s, row->residual, row->ast->span, "the data");
        Ref data = row->where == COND_BOUNDARY ? 0 : data_of(c->ir, row);
        if (data && !exponential && !has_kink(c->ir, data))
            add_number(&s, data, data, "the values");
    }
    for (uint32_t k = 0; k < p->condition.n; k++) {
        const ConditionRow *row = &p->condition.at[k];
        Ref data = row->index || row->where == COND_BOUNDARY || row->where == COND_OBSERVE
                       ? 0
                       : data_of(c->ir, row);
        if (data)
            add_beginning(&s, row, data, exponential);
    }
    s.most = NUMBERS_MOST;
    add_common_noise(&s);
    s.most = s.had.n + EQUATION_MOST < NUMBERS_MOST ? s.had.n + EQUATION_MOST : NUMBERS_MOST;
    for (uint32_t k = 0; k < p->equation.n;
         k++) /* a derived source stands in it as if written out */
        look_in(&s, problem_put_sources(c, p, p->equation.at[k].residual),
                p->equation.at[k].ast->span, "the equation");
    add_radius(&s);
}
