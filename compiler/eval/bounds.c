/* bounds.c: see bounds.h. Rounding is not outward: whoever asks allows for it. */
#include "eval/bounds.h"

#include <math.h>
#include <string.h>

#include "base/compilation.h"

static const Interval ANYTHING = {-HUGE_VAL, HUGE_VAL}, EVERY_INDEX = {1, HUGE_VAL};

typedef struct Walk {
    const Bounds *b;
    Ir *ir;
    Interval *known;
    bool *done;
    Interval range; /* of an index that is free in the expression */
    Ref index;      /* the one that was met; others: several */
    bool several;
} Walk;

static Interval bounds(Walk *w, Ref e);

bool bounds_open(Compilation *c, uint32_t vary, Bounds *b) {
    NpyFile none = {0};
    *b = (Bounds){.c = c, .values = {.cap = INT64_MAX, .vary = vary, .wide = true}};
    if (values_collect(c, 0, &none, &b->values) || region_of(c, &b->values, &b->region))
        return false;
    for (uint32_t k = 0; k < b->region.n; k++)
        b->square[k] = b->region.of[k].domain->square(c, &c->problem->space.at[k]);
    return true;
}

/* ---- arithmetic ---- */

static double product(double a, double b) {
    return (a >= 0 && a <= 0) || (b >= 0 && b <= 0) ? 0
                                                    : a * b; /* 0 times an end at infinity is 0 */
}

static Interval multiply(Interval a, Interval b) {
    double p[] = {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo),
                  product(a.hi, b.hi)};
    Interval out = {p[0], p[0]};
    for (int k = 1; k < 4; k++)
        out = (Interval){fmin(out.lo, p[k]), fmax(out.hi, p[k])};
    return out;
}

static bool is_whole(double v) {
    return v - floor(v) <= 0;
}

static Interval power(Interval a, double n) {
    if (n < 0) {
        Interval p = power(a, -n);
        if (p.lo >= 0)
            return (Interval){p.hi > 0 ? 1 / p.hi : 0, p.lo > 0 ? 1 / p.lo : HUGE_VAL};
        return p.hi < 0 ? (Interval){1 / p.hi, 1 / p.lo} : ANYTHING;
    }
    if (is_whole(n) && !is_whole(n / 2))
        return (Interval){pow(a.lo, n), pow(a.hi, n)};
    double most = fmax(fabs(a.lo), fabs(a.hi)), least = a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0;
    if (!is_whole(n)) { /* defined where the base is not negative */
        least = fmax(a.lo, 0);
        most = fmax(a.hi, 0);
    }
    return (Interval){pow(least, n), pow(most, n)};
}

static Interval function(Func f, Interval a, Interval b) {
    switch (f) {
    case FUNC_exp:
        return (Interval){exp(a.lo), exp(a.hi)};
    case FUNC_expm1:
        return (Interval){expm1(a.lo), expm1(a.hi)};
    case FUNC_log:
        return a.lo > 0 ? (Interval){log(a.lo), log(a.hi)}
                        : (Interval){-HUGE_VAL, log(fmax(a.hi, 0))};
    case FUNC_log1p:
        return a.lo > -1 ? (Interval){log1p(a.lo), log1p(a.hi)} : ANYTHING;
    case FUNC_tanh:
        return (Interval){tanh(a.lo), tanh(a.hi)};
    case FUNC_atan:
        return (Interval){atan(a.lo), atan(a.hi)};
    case FUNC_erf:
        return (Interval){erf(a.lo), erf(a.hi)};
    case FUNC_erfc:
        return (Interval){erfc(a.hi), erfc(a.lo)};
    case FUNC_sinh:
        return (Interval){sinh(a.lo), sinh(a.hi)};
    case FUNC_cosh:
        return (Interval){1, fmax(cosh(a.lo), cosh(a.hi))};
    case FUNC_sin:
    case FUNC_cos:
    case FUNC_sign:
        return (Interval){-1, 1};
    case FUNC_step:
        return (Interval){0, 1};
    case FUNC_abs:
        return (Interval){a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, fmax(fabs(a.lo), fabs(a.hi))};
    case FUNC_max:
        return (Interval){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
    case FUNC_min:
        return (Interval){fmin(a.lo, b.lo), fmin(a.hi, b.hi)};
    default:
        return ANYTHING;
    }
}

/* ---- atoms ---- */

static Interval value_named(const Walk *w, Sym name) {
    for (uint32_t k = 0; k < w->b->values.value.n; k++)
        if (w->b->values.value.at[k].name == name)
            return (Interval){w->b->values.value.at[k].value, w->b->values.value.at[k].value};
    return ANYTHING;
}

/* Of the space that the coordinate belongs to; where that is not known, of all. */
static Interval coordinate(const Walk *w, Ref at) {
    const Problem *p = w->b->c->problem;
    const Regions *all = &w->b->region;
    Ref local;
    const Space *own = problem_space_of(w->ir, at, &local);
    Interval out = {HUGE_VAL, -HUGE_VAL};
    for (uint32_t k = 0; k < all->n; k++) {
        double range[2];
        if (own && own != &p->space.at[k])
            continue;
        all->of[k].domain->coordinate_range(&all->of[k], range);
        out = (Interval){fmin(out.lo, range[0]), fmax(out.hi, range[1])};
    }
    return out;
}

static Interval tensor(Walk *w, Sym name) {
    const Problem *p = w->b->c->problem;
    for (uint32_t k = 0; k < p->tensor.n; k++) {
        const TensorRow *row = &p->tensor.at[k];
        if (row->name != name || !row->law)
            continue;
        const char *law = sym_cstr(w->b->c, row->law->name);
        if (strcmp(law, "uniform") == 0 && row->law_args[0] && row->law_args[1])
            return (Interval){bounds(w, row->law_args[0]).lo, bounds(w, row->law_args[1]).hi};
        if (strcmp(law, "lognormal") == 0)
            return (Interval){0, HUGE_VAL};
    }
    return ANYTHING;
}

/* ---- */

static Interval reduction(Walk *w, Ref e) {
    const Regions *r = &w->b->region;
    for (uint32_t k = 0; k < r->n; k++) {
        double range[2];
        if (e != w->b->square[k])
            continue;
        r->of[k].domain->square_range(&r->of[k], range);
        return (Interval){range[0], range[1]};
    }
    Interval body = bounds(w, ir_kid(w->ir, e, 2));
    if (!ir_is(w->ir, e, OP_SUM))
        return body;
    Interval first = bounds(w, ir_kid(w->ir, e, 0)), last = bounds(w, ir_kid(w->ir, e, 1));
    Interval count = {fmax(0, last.lo - first.hi + 1), fmax(0, last.hi - first.lo + 1)};
    return multiply(count, body);
}

static Interval of_kids(Walk *w, Ref e) {
    Interval out = bounds(w, ir_kid(w->ir, e, 0));
    for (uint32_t k = 1; k < ir_arity(w->ir, e); k++) {
        Interval next = bounds(w, ir_kid(w->ir, e, k));
        out = ir_is(w->ir, e, OP_ADD) ? (Interval){out.lo + next.lo, out.hi + next.hi}
                                      : multiply(out, next);
    }
    return out;
}

static Interval compute(Walk *w, Ref e) {
    Ir *ir = w->ir;
    const Regions *r = &w->b->region;
    double n;
    switch (ir_op(ir, e)) {
    case OP_CONST:
        n = ir->node.at[e].payload.number;
        return (Interval){n, n};
    case OP_PI:
        n = acos(-1);
        return (Interval){n, n};
    case OP_DIM:
    case OP_PARAM:
        return value_named(w, (Sym)ir_id(ir, e));
    case OP_TIME:
        return (Interval){r->t_lo, r->t_hi};
    case OP_SPACE:
        return coordinate(w, ir_kid(ir, e, 0));
    case OP_TENSOR:
        return tensor(w, (Sym)ir_id(ir, e));
    case OP_INDEX:
        w->several = w->several || (w->index && w->index != e);
        w->index = e;
        return w->range;
    case OP_BOUND:
        return EVERY_INDEX;
    case OP_DELTA:
    case OP_IN:
        return (Interval){0, 1};
    case OP_ADD:
    case OP_MUL:
        return of_kids(w, e);
    case OP_POW:
        if (ir_is_const(ir, ir_kid(ir, e, 1), &n))
            return power(bounds(w, ir_kid(ir, e, 0)), n);
        return bounds(w, ir_kid(ir, e, 0)).lo >= 0 ? (Interval){0, HUGE_VAL} : ANYTHING;
    case OP_FUNC:
        return function((Func)ir_id(ir, e), bounds(w, ir_kid(ir, e, 0)),
                        ir_arity(ir, e) > 1 ? bounds(w, ir_kid(ir, e, 1)) : ANYTHING);
    case OP_SUM:
    case OP_MAX:
    case OP_MIN:
        return reduction(w, e);
    default:
        return ANYTHING;
    }
}

static Interval bounds(Walk *w, Ref e) {
    if (!w->done[e]) {
        Interval out = compute(w, e);
        w->known[e] = isnan(out.lo) || isnan(out.hi) ? ANYTHING : out;
        w->done[e] = true;
    }
    return w->known[e];
}

static Walk walk_of(const Bounds *b) {
    uint32_t n = b->c->ir->node.n;
    return (Walk){.b = b,
                  .ir = b->c->ir,
                  .known = NEW_ARRAY(&b->c->arena, Interval, n),
                  .done = NEW_ARRAY(&b->c->arena, bool, n),
                  .range = EVERY_INDEX};
}

Interval bounds_of(const Bounds *b, Ref e) {
    Walk w = walk_of(b);
    return bounds(&w, e);
}

/* Every index up to 64, then ranges a twentieth wide, and all beyond a million. */
static Interval next_range(Interval range) {
    enum { SINGLE = 64, LAST = 1000000 };
    double from = range.hi + 1, to = from < SINGLE ? from : floor(1.05 * from);
    return (Interval){from, from > LAST ? HUGE_VAL : to};
}

Interval bounds_by_index(const Bounds *b, Ref e) {
    Walk w = walk_of(b);
    Interval all = bounds(&w, e), out = {HUGE_VAL, -HUGE_VAL};
    if (!w.index || w.several)
        return all;
    for (Interval range = {1, 1}; isfinite(range.lo); range = next_range(range)) {
        memset(w.done, 0, b->c->ir->node.n * sizeof *w.done);
        w.range = range;
        Interval part = bounds(&w, e);
        out = (Interval){fmin(out.lo, part.lo), fmax(out.hi, part.hi)};
    }
    return out;
}
