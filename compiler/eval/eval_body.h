/* eval_body.h: the interpreter for one number type. Included by eval.c only, with REAL, NAME, MATH. */

#define Eval NAME(Eval)

/* Sums over the same range whose bodies cannot contain one another: they run in one loop with one
 * index, so that what their bodies share is computed once. */
typedef struct NAME(Loop) {
    Ref lo, hi, index;
    uint32_t level;
    VEC(Ref) sum;
    VEC(Ref) body;
    bool *active; /* [sum.n]: those that the present run of the loop adds up */
} NAME(Loop);

typedef struct Eval {
    Ir *ir;
    Arena *arena; /* the compilation's scratch: emptied at the end */
    const EvalInput *in;
    uint32_t points;
    uint64_t clock;     /* counts every change of an index */
    uint32_t size;      /* nodes known to the tables below */
    uint64_t *computed; /* [size]: clock when the node was last computed, 0 never */
    uint64_t *moved;    /* [size]: clock when this INDEX or AUX last changed */
    REAL **value;       /* [size][points] */
    Dependencies *deps;
    VEC(NAME(Loop) *) loop;
    REAL **best;       /* [size][points]: the extremum so far, for ARGMAX and ARGMIN */
    long double *wide; /* [points] */
    const char *trouble;
} Eval;

static void NAME(fail)(Eval *v, const char *what, Ref e) {
    if (v->trouble)
        return;
    Text out = {.arena = v->ir->arena};
    text_printf(&out, "%s: ", what);
    ir_print(v->ir, e, &out);
    v->trouble = text_cstr(&out);
}

/* Nodes are made while evaluating (opened bodies): the tables follow. */
static void NAME(fit)(Eval *v) {
    uint32_t n = v->ir->node.n;
    if (n <= v->size)
        return;
    uint32_t size = n + n / 2 + 64;
    Arena *a = v->arena;
    v->computed =
        arena_grow(a, v->computed, v->size * sizeof *v->computed, size * sizeof *v->computed);
    v->moved = arena_grow(a, v->moved, v->size * sizeof *v->moved, size * sizeof *v->moved);
    v->value = arena_grow(a, v->value, v->size * sizeof *v->value, size * sizeof *v->value);
    v->best = arena_grow(a, v->best, v->size * sizeof *v->best, size * sizeof *v->best);
    v->deps = arena_grow(a, v->deps, v->size * sizeof *v->deps, size * sizeof *v->deps);
    v->size = size;
}

static void NAME(add_dependency)(Eval *v, Dependencies *d, Ref index) {
    for (uint32_t i = 0; i < d->n; i++)
        if (d->at[i] == index)
            return;
    d->at = arena_grow(v->arena, d->at, d->n * sizeof *d->at, (d->n + 1) * sizeof *d->at);
    d->at[d->n++] = index;
}

static NAME(Loop) * NAME(loop_of)(Eval *v, Ref sum) {
    Ref lo = ir_kid(v->ir, sum, 0), hi = ir_kid(v->ir, sum, 1);
    uint32_t level = (uint32_t)ir_id(v->ir, sum);
    for (uint32_t k = 0; k < v->loop.n; k++)
        if (v->loop.at[k]->lo == lo && v->loop.at[k]->hi == hi && v->loop.at[k]->level == level)
            return v->loop.at[k];
    NAME(Loop) *loop = NEW(v->arena, NAME(Loop));
    *loop = (NAME(Loop)){.lo = lo,
                         .hi = hi,
                         .level = level,
                         .index = ir_atom(v->ir, OP_INDEX, (1u << 30) | v->loop.n)};
    VEC_PUSH(v->arena, v->loop, loop);
    return loop;
}

/* The body to evaluate in place of a binder's third kid, and the index that moves in it. */
static Ref NAME(open_body)(Eval *v, Ref e, Ref *index) {
    if (!ir_is(v->ir, e, OP_SUM))
        return ir_open(v->ir, e, index);
    NAME(Loop) *loop = NAME(loop_of)(v, e);
    Ref body = ir_open_as(v->ir, e, loop->index);
    VEC_PUSH(v->arena, loop->sum, e);
    VEC_PUSH(v->arena, loop->body, body);
    *index = loop->index;
    return body;
}

/* Prepares e and everything below it: storage and dependencies. */
static void NAME(prepare)(Eval *v, Ref e) {
    NAME(fit)(v);
    if (v->value[e])
        return;
    v->value[e] = NEW_ARRAY(v->arena, REAL, v->points);
    Dependencies d = {0};
    Ref own = 0;
    Op op = ir_op(v->ir, e);
    if (op == OP_INDEX || op == OP_AUX)
        NAME(add_dependency)(v, &d, e);
    if (op == OP_ARGMAX || op == OP_ARGMIN)
        v->best[e] = NEW_ARRAY(v->arena, REAL, v->points);
    for (uint32_t k = 0; k < ir_arity(v->ir, e); k++) {
        Ref kid = ir_kid(v->ir, e, k);
        if (k == 2 && ir_is_binder(op))
            kid = NAME(open_body)(v, e, &own);
        NAME(prepare)(v, kid);
        for (uint32_t i = 0; i < v->deps[kid].n; i++)
            if (v->deps[kid].at[i] != own)
                NAME(add_dependency)(v, &d, v->deps[kid].at[i]);
    }
    NAME(fit)(v);
    if (own)
        NAME(prepare)(v, own);
    v->deps[e] = d;
}

static const REAL *NAME(value_of)(Eval *v, Ref e);

static bool NAME(current)(const Eval *v, Ref e) {
    if (!v->computed[e])
        return false;
    const Dependencies *d = &v->deps[e];
    for (uint32_t i = 0; i < d->n; i++)
        if (v->moved[d->at[i]] > v->computed[e])
            return false;
    return true;
}

static void NAME(fill)(Eval *v, REAL *out, REAL value) {
    for (uint32_t p = 0; p < v->points; p++)
        out[p] = value;
}

static bool NAME(find_value)(const Eval *v, Ref e, REAL *out) {
    for (uint32_t i = 0; i < v->in->n_values; i++)
        if (v->in->value[i].name == ir_id(v->ir, e)) {
            *out = (REAL)v->in->value[i].value;
            return true;
        }
    return false;
}

/* Subscripts as numbers; outside lo..hi reads 0, which an indicator beside it will discard. */
static void NAME(read_space)(Eval *v, Ref e, REAL *out, const double *table, int64_t stride) {
    const REAL *k = NAME(value_of)(v, ir_kid(v->ir, e, 0));
    int64_t i = 0;
    for (uint32_t p = 0; p < v->points; p++) {
        if (p == 0 || k[p] < k[p - 1] ||
            k[p] > k[p - 1]) /* most indices are the same for all points */
            i = (int64_t)MATH(llround)(k[p]);
        bool inside = i >= 1 && i <= v->in->d;
        out[p] = inside ? (REAL)table[(int64_t)p * stride + i - 1] : 0;
    }
}

static void NAME(read_tensor)(Eval *v, Ref e, REAL *out) {
    const EvalTensor *tensor = NULL;
    for (uint32_t i = 0; i < v->in->n_tensors; i++)
        if (v->in->tensor[i].name == ir_id(v->ir, e))
            tensor = &v->in->tensor[i];
    if (!tensor) {
        NAME(fail)(v, "no values are known for", e);
        return;
    }
    const REAL *k[2] = {0};
    for (uint32_t r = 0; r < tensor->rank; r++)
        k[r] = NAME(value_of)(v, ir_kid(v->ir, e, r));
    for (uint32_t p = 0; p < v->points; p++) {
        int64_t at = 0;
        bool inside = true, moved = p == 0;
        for (uint32_t r = 0; r < tensor->rank; r++)
            moved |= p && (k[r][p] < k[r][p - 1] || k[r][p] > k[r][p - 1]);
        for (uint32_t r = 0; r < tensor->rank && moved; r++) {
            int64_t i = (int64_t)MATH(llround)(k[r][p]);
            inside = inside && i >= 1 && i <= tensor->extent[r];
            at = at * tensor->extent[r] + i - 1;
        }
        out[p] = !moved ? out[p - 1] : inside ? (REAL)tensor->at[at] : 0;
    }
}

static void NAME(read_net)(Eval *v, Ref e, REAL *out) {
    if (!v->in->net) {
        NAME(fail)(v, "this stands for an unknown function", e);
        return;
    }
    int64_t variable[16] = {0};
    uint32_t n = ir_arity(v->ir, e);
    for (uint32_t k = 0; k < n && k < 16; k++) {
        Ref var = ir_kid(v->ir, e, k);
        if (ir_is(v->ir, var, OP_INPUT) && ir_arity(v->ir, var) == 0)
            variable[k] = -1 - (int64_t)ir_id(v->ir, var);
        else if (ir_arity(v->ir, var) == 1)
            variable[k] = (int64_t)MATH(llround)(NAME(value_of)(v, ir_kid(v->ir, var, 0))[0]);
        if (ir_is(v->ir, var, OP_INPUT) && ir_arity(v->ir, var) == 1)
            variable[k] += entries_before(v->ir, v->in, (uint32_t)ir_id(v->ir, var));
    }
    v->in->net(v->in->net_context, ir_op(v->ir, e), (uint32_t)ir_id(v->ir, e), n, variable,
               v->points, v->wide);
    for (uint32_t p = 0; p < v->points; p++)
        out[p] = (REAL)v->wide[p];
}

static bool NAME(is_indicator)(const Eval *v, Ref e) {
    return ir_is(v->ir, e, OP_DELTA) || ir_is(v->ir, e, OP_IN);
}

/* out is 0 or 1 by the indicators among the factors; false if it is 0 everywhere. */
static bool NAME(indicators)(Eval *v, Ref e, REAL *out) {
    NAME(fill)(v, out, 1);
    for (uint32_t k = 0; k < ir_arity(v->ir, e); k++) {
        Ref f = ir_kid(v->ir, e, k);
        if (!NAME(is_indicator)(v, f))
            continue;
        const REAL *indicator = NAME(value_of)(v, f);
        bool any = false;
        for (uint32_t p = 0; p < v->points; p++) {
            out[p] *= indicator[p];
            any |= out[p] > 0;
        }
        if (!any)
            return false;
    }
    return true;
}

/* Indicators first: where they are 0 the other factors are neither needed nor defined. */
static void NAME(guarded_product)(Eval *v, Ref e, REAL *out) {
    if (!NAME(indicators)(v, e, out))
        return;
    for (int last = 0; last < 2; last++)
        for (uint32_t k = 0; k < ir_arity(v->ir, e); k++) {
            Ref f = ir_kid(v->ir, e, k);
            if (NAME(is_indicator)(v, f) != (bool)last)
                continue;
            const REAL *factor = NAME(value_of)(v, f);
            for (uint32_t p = 0; p < v->points; p++)
                out[p] = last && !(factor[p] > 0) ? 0 : out[p] * factor[p];
        }
}

static void NAME(product)(Eval *v, Ref e, REAL *restrict out) {
    if (v->ir->node.at[e].has_indicator) {
        NAME(guarded_product)(v, e, out);
        return;
    }
    memcpy(out, NAME(value_of)(v, ir_kid(v->ir, e, 0)), v->points * sizeof *out);
    for (uint32_t k = 1; k < ir_arity(v->ir, e); k++) {
        const REAL *restrict factor = NAME(value_of)(v, ir_kid(v->ir, e, k));
        for (uint32_t p = 0; p < v->points; p++)
            out[p] *= factor[p];
    }
}

static void NAME(sum_of_terms)(Eval *v, Ref e, REAL *restrict out) {
    memcpy(out, NAME(value_of)(v, ir_kid(v->ir, e, 0)), v->points * sizeof *out);
    for (uint32_t k = 1; k < ir_arity(v->ir, e) && !v->trouble; k++) {
        const REAL *restrict term = NAME(value_of)(v, ir_kid(v->ir, e, k));
        for (uint32_t p = 0; p < v->points; p++)
            out[p] += term[p];
    }
}

static REAL NAME(integer_power)(REAL b, int e) {
    REAL r = 1;
    for (int n = e < 0 ? -e : e; n; n >>= 1, b *= b)
        if (n & 1)
            r *= b;
    return e < 0 ? 1 / r : r;
}

static void NAME(power)(Eval *v, Ref e, REAL *restrict out) {
    const REAL *restrict b = NAME(value_of)(v, ir_kid(v->ir, e, 0));
    const REAL *restrict x = NAME(value_of)(v, ir_kid(v->ir, e, 1));
    double c;
    bool constant = ir_is_const(v->ir, ir_kid(v->ir, e, 1), &c);
    int whole = constant && fabs(c) <= 64 && c - floor(c) <= 0 ? (int)c : 0;
    if (whole == 2)
        for (uint32_t p = 0; p < v->points; p++)
            out[p] = b[p] * b[p];
    else if (whole)
        for (uint32_t p = 0; p < v->points; p++)
            out[p] = NAME(integer_power)(b[p], whole);
    else if (constant && c >= 0.5 && c <= 0.5)
        for (uint32_t p = 0; p < v->points; p++)
            out[p] = MATH(sqrt)(b[p]);
    else
        for (uint32_t p = 0; p < v->points; p++)
            out[p] = MATH(pow)(b[p], x[p]);
}

static REAL NAME(call)(Func f, REAL a, REAL b) {
    switch (f) {
    case FUNC_sin:
        return MATH(sin)(a);
    case FUNC_cos:
        return MATH(cos)(a);
    case FUNC_tan:
        return MATH(tan)(a);
    case FUNC_asin:
        return MATH(asin)(a);
    case FUNC_acos:
        return MATH(acos)(a);
    case FUNC_atan:
        return MATH(atan)(a);
    case FUNC_sinh:
        return MATH(sinh)(a);
    case FUNC_cosh:
        return MATH(cosh)(a);
    case FUNC_tanh:
        return MATH(tanh)(a);
    case FUNC_exp:
        return MATH(exp)(a);
    case FUNC_expm1:
        return MATH(expm1)(a);
    case FUNC_log:
        return MATH(log)(a);
    case FUNC_log1p:
        return MATH(log1p)(a);
    case FUNC_erf:
        return MATH(erf)(a);
    case FUNC_erfc:
        return MATH(erfc)(a);
    case FUNC_abs:
        return MATH(fabs)(a);
    case FUNC_sign:
        return (REAL)((a > 0) - (a < 0));
    case FUNC_step:
        return a >= 0;
    case FUNC_max:
        return a >= b ? a : b;
    case FUNC_min:
        return a <= b ? a : b;
    case FUNC_COUNT:
        break;
    }
    return 0;
}

static void NAME(function)(Eval *v, Ref e, REAL *out) {
    const REAL *a = NAME(value_of)(v, ir_kid(v->ir, e, 0));
    const REAL *b = ir_arity(v->ir, e) > 1 ? NAME(value_of)(v, ir_kid(v->ir, e, 1)) : a;
    Func f = (Func)ir_id(v->ir, e);
    for (uint32_t p = 0; p < v->points; p++)
        out[p] = NAME(call)(f, a[p], b[p]);
}

#include "eval/eval_loops.h"

static void NAME(compute)(Eval *v, Ref e, REAL *out) {
    Ir *ir = v->ir;
    REAL number;
    switch (ir_op(ir, e)) {
    case OP_CONST:
        NAME(fill)(v, out, (REAL)ir->node.at[e].payload.number);
        break;
    case OP_PI:
        NAME(fill)(v, out, PI_VALUE);
        break;
    case OP_DIM:
    case OP_PARAM:
    case OP_UNKNOWN:
        if (NAME(find_value)(v, e, &number))
            NAME(fill)(v, out, number);
        else
            NAME(fail)(v, "no value is known for", e);
        break;
    case OP_TIME:
        if (!v->in->t)
            NAME(fail)(v, "no time is given for", e);
        else
            for (uint32_t p = 0; p < v->points; p++)
                out[p] = (REAL)v->in->t[p];
        break;
    case OP_SPACE:
        NAME(read_space)(v, e, out, v->in->x, v->in->stride ? v->in->stride : v->in->d);
        break;
    case OP_OUTWARD:
        if (v->in->normal)
            NAME(read_space)(v, e, out, v->in->normal, v->in->d);
        else
            NAME(fail)(v, "no outward normal is given for", e);
        break;
    case OP_TENSOR:
        NAME(read_tensor)(v, e, out);
        break;
    case OP_FIELD:
    case OP_NET:
        NAME(read_net)(v, e, out);
        break;
    case OP_ADD:
        NAME(sum_of_terms)(v, e, out);
        break;
    case OP_MUL:
        NAME(product)(v, e, out);
        break;
    case OP_POW:
        NAME(power)(v, e, out);
        break;
    case OP_FUNC:
        NAME(function)(v, e, out);
        break;
    case OP_DELTA: {
        const REAL *k = NAME(value_of)(v, ir_kid(ir, e, 0));
        for (uint32_t p = 0; p < v->points; p++)
            out[p] = MATH(fabs)(k[p]) < (REAL)0.5;
        break;
    }
    case OP_IN: {
        const REAL *k = NAME(value_of)(v, ir_kid(ir, e, 0)),
                   *lo = NAME(value_of)(v, ir_kid(ir, e, 1));
        const REAL *hi = NAME(value_of)(v, ir_kid(ir, e, 2));
        for (uint32_t p = 0; p < v->points; p++)
            out[p] = k[p] > lo[p] - (REAL)0.5 && k[p] < hi[p] + (REAL)0.5;
        break;
    }
    case OP_SUM:
        NAME(sums)(v, e);
        break;
    case OP_PROD:
    case OP_MAX:
    case OP_MIN:
    case OP_ARGMAX:
    case OP_ARGMIN:
        NAME(reduction)(v, e, out);
        break;
    case OP_INTEGRAL:
        NAME(integral)(v, e, out);
        break;
    case OP_DRAW:
        NAME(draw)(v, e, out);
        break;
    case OP_AUX:
        if (NAME(find_value)(v, e, &number))
            NAME(fill)(v, out, number);
        else
            NAME(fail)(v, "no value is known for", e);
        break;
    case OP_INPUT:
    case OP_TANGENT:
    case OP_INDEX:
    case OP_BOUND:
    case OP_SOURCE:
    case OP_EXPECT:
    case OP_DIRAC:
    case OP_POLE:
    case OP_COUNT:
        NAME(fail)(v, "this cannot be evaluated here", e);
        break;
    }
}

static const REAL *NAME(value_of)(Eval *v, Ref e) {
    if (!v->trouble && !NAME(current)(v, e)) {
        NAME(compute)(v, e, v->value[e]);
        v->computed[e] = v->clock;
    }
    return v->value[e];
}

const char *NAME(eval)(Ir *ir, Ref e, const EvalInput *in, REAL *out) {
    Eval v = {.ir = ir, .arena = &ir->c->scratch, .in = in, .points = in->points, .clock = 1};
    if (in->points == 0)
        return NULL;
    v.wide = NEW_ARRAY(v.arena, long double, in->points);
    e = tangent_by_inputs(ir, e);
    NAME(prepare)(&v, e);
    const REAL *value = NAME(value_of)(&v, e);
    if (!v.trouble)
        memcpy(out, value, in->points * sizeof *out);
    arena_free(v.arena);
    return v.trouble;
}

#undef Eval
