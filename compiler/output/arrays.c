/* arrays.c: --emit=arrays: how a solution is computed from its network, as operations on whole arrays.
 *
 * Indices become axes: the index of a binder of level L is axis L from the end, so that values of the same point are
 * one array whatever they were built from. Programs that know arrays but no indices (pderun --export) read this; the
 * numbers of dims and params are those of the file or of --set. Each line is
 *
 *   point N             numbers of a point, the time last
 *   axes N              axes beside that of the points
 *   vK = OP ARG...      ARG: vJ or a number
 *   vK = x AT [AXIS STEP COUNT]...             number AT + sum of STEP * j, j = 0 .. COUNT - 1, of the point
 *   vK = index AT AXIS STEP COUNT              the numbers AT, AT + STEP, ...
 *   vK = tensor NAME PLACE [, PLACE]           entries of a constant, each place written as for x
 *   vK = unknown NAME   vK = net FIELD
 *   vK = sum|prod|max|min vJ AXIS
 *   vK = where vI vJ    vJ where vI is 1, else 0
 *   feature vK AXIS     the next inputs of the network, along an axis; 0: one input
 *   field NAME vK
 *   refused WHY         instead of all that follows */
#include "base/compilation.h"
#include "compiler/pass.h"
#include "eval/bindings.h"

#include <math.h>

enum { AFFINE_INDICES = 4 };

/* at + sum of step * index */
typedef struct Affine {
    int64_t at;
    uint32_t n;
    struct {
        Ref index;
        int64_t step;
    } term[AFFINE_INDICES];
} Affine;

/* An index and the whole numbers it may take; the same for all binders of one range and level. */
typedef struct Loop {
    Ref index, lo, hi;
    uint32_t level;
    int64_t first, count;
    bool varies; /* lo or hi depend on outer indices: first and count cover all */
} Loop;

typedef struct Arrays {
    Compilation *c;
    Ir *ir;
    Text *out;
    Values values;
    VEC(Loop) loop;
    Memo made; /* node -> its number plus 1 */
    VEC(const char *) operand;
    uint32_t next;
    const char *refused;
} Arrays;

static const char *value_of(Arrays *a, Ref e);

static const char *refuse(Arrays *a, const char *why, Ref e) {
    if (!a->refused)
        a->refused = text_format(&a->c->arena, "%s: %s", why, ir_text(a->ir, e));
    return "0";
}

static bool is_literal(const char *operand) {
    return operand[0] != 'v';
}

static const char *literal(Arrays *a, double v) {
    Text text = {.arena = &a->c->arena};
    text_double(&text, v);
    return text_cstr(&text);
}

static const char *line(Arrays *a, const char *format, ...) PDE_PRINTF(2, 3);
static const char *line(Arrays *a, const char *format, ...) {
    const char *name = text_format(&a->c->arena, "v%u", a->next++);
    va_list args;
    text_printf(a->out, "%s = ", name);
    va_start(args, format);
    text_vprintf(a->out, format, args);
    va_end(args);
    text_printf(a->out, "\n");
    return name;
}

static const char *number_of(Arrays *a, Ref e) {
    double v = 0;
    const char *why = values_number(a->c, &a->values, e, &v);
    if (why && !a->refused)
        a->refused = why;
    if (!isfinite(v))
        return refuse(a, "not a finite number", e);
    return literal(a, v);
}

/* ---- indices ---- */

static Loop *loop_of(Arrays *a, Ref index) {
    for (uint32_t k = 0; k < a->loop.n; k++)
        if (a->loop.at[k].index == index)
            return &a->loop.at[k];
    return NULL;
}

static bool affine_add(Affine *to, const Affine *from, int64_t factor) {
    to->at += factor * from->at;
    for (uint32_t k = 0; k < from->n; k++) {
        uint32_t at = 0;
        while (at < to->n && to->term[at].index != from->term[k].index)
            at++;
        if (at == AFFINE_INDICES)
            return false;
        if (at == to->n) {
            to->term[to->n].index = from->term[k].index;
            to->term[to->n++].step = 0;
        }
        to->term[at].step += factor * from->term[k].step;
    }
    return true;
}

static bool affine_of(Arrays *a, Ref e, Affine *out) {
    *out = (Affine){0};
    const Node *node = &a->ir->node.at[e];
    if (!node->has_index) {
        double v = 0;
        if (values_number(a->c, &a->values, e, &v) || !(fabs(v) < 1e15) || fabs(v - rint(v)) > 0)
            return false;
        out->at = (int64_t)v;
        return true;
    }
    if (node->op == OP_INDEX) {
        out->n = 1;
        out->term[0].index = e;
        out->term[0].step = 1;
        return true;
    }
    Affine part;
    if (node->op == OP_ADD) {
        for (uint32_t k = 0; k < ir_arity(a->ir, e); k++)
            if (!affine_of(a, ir_kid(a->ir, e, k), &part) || !affine_add(out, &part, 1))
                return false;
        return true;
    }
    if (node->op != OP_MUL)
        return false;
    Affine product = {.at = 1};
    for (uint32_t k = 0; k < ir_arity(a->ir, e); k++) {
        if (!affine_of(a, ir_kid(a->ir, e, k), &part) || (part.n && product.n))
            return false;
        Affine next = {0};
        if (!affine_add(&next, part.n ? &part : &product, part.n ? product.at : part.at))
            return false;
        product = next;
    }
    *out = product;
    return true;
}

/* The least and greatest value. */
static void affine_range(Arrays *a, const Affine *e, int64_t *lo, int64_t *hi) {
    *lo = *hi = e->at;
    for (uint32_t k = 0; k < e->n; k++) {
        const Loop *l = loop_of(a, e->term[k].index);
        const int64_t step = e->term[k].step, last = l->first + l->count - 1;
        *lo += step * (step > 0 ? l->first : last);
        *hi += step * (step > 0 ? last : l->first);
    }
}

/* `AT AXIS STEP COUNT ...`; before: what is taken from AT. */
static const char *place_text(Arrays *a, Ref e, int64_t before) {
    Affine place;
    if (!affine_of(a, e, &place))
        return refuse(a, "a subscript that is no sum of indices", e);
    Text text = {.arena = &a->c->arena};
    int64_t at = place.at - before;
    for (uint32_t k = 0; k < place.n; k++)
        at += place.term[k].step * loop_of(a, place.term[k].index)->first;
    text_printf(&text, "%lld", (long long)at);
    for (uint32_t k = 0; k < place.n; k++) {
        const Loop *l = loop_of(a, place.term[k].index);
        text_printf(&text, " %u %lld %lld", l->level, (long long)place.term[k].step,
                    (long long)l->count);
    }
    return text_cstr(&text);
}

/* The loop over lo .. hi at a level, with an index of its own. NULL: refused. */
static Loop *open_loop(Arrays *a, Ref lo, Ref hi, uint32_t level) {
    for (uint32_t k = 0; k < a->loop.n; k++)
        if (a->loop.at[k].lo == lo && a->loop.at[k].hi == hi && a->loop.at[k].level == level)
            return &a->loop.at[k];
    Affine from, to;
    if (!affine_of(a, lo, &from) || !affine_of(a, hi, &to)) {
        refuse(a, "a range that is no sum of indices", hi);
        return NULL;
    }
    Loop l = {.lo = lo, .hi = hi, .level = level, .varies = from.n || to.n};
    int64_t least, last, ignored;
    affine_range(a, &from, &least, &ignored);
    affine_range(a, &to, &ignored, &last);
    l.first = least;
    l.count = last - least + 1;
    if (l.count < 1) {
        refuse(a, "an empty range", hi);
        return NULL;
    }
    l.index = ir_fresh_index(a->ir);
    VEC_PUSH(&a->c->arena, a->loop, l);
    return &a->loop.at[a->loop.n - 1];
}

static const char *index_text(Arrays *a, Ref index) {
    const Loop *l = loop_of(a, index);
    return line(a, "index %lld %u 1 %lld", (long long)l->first, l->level, (long long)l->count);
}

/* ---- operations ---- */

static const char *binary(Arrays *a, const char *op, const char *x, const char *y) {
    return line(a, "%s %s %s", op, x, y);
}

/* A binder: a reduction along its axis. */
static const char *reduction(Arrays *a, Ref e) {
    static const char *const name[OP_COUNT] = {
        [OP_SUM] = "sum", [OP_PROD] = "prod", [OP_MAX] = "max", [OP_MIN] = "min"};
    const Op op = ir_op(a->ir, e);
    if (!name[op])
        return refuse(a, "no operation on whole arrays", e);
    Loop *found = open_loop(a, ir_kid(a->ir, e, 0), ir_kid(a->ir, e, 1), (uint32_t)ir_id(a->ir, e));
    if (!found)
        return "0";
    const Loop l = *found; /* the list may move */
    if ((l.varies && op != OP_SUM) || ir_arity(a->ir, e) > 3)
        return refuse(a, "a range that depends on indices, of other than a sum", e);
    const Ref body = ir_open_as(a->ir, e, l.index);
    const char *value = value_of(a, body);
    if (!ir_depends(a->ir, body, l.index)) /* it has to have the axis */
        value = binary(a, "add", value, binary(a, "mul", value_of(a, l.index), "0"));
    if (l.varies) {
        const char *lo = value_of(a, l.lo), *hi = value_of(a, l.hi);
        const char *inside = line(a, "within %s %s %s", value_of(a, l.index), lo, hi);
        value = binary(a, "where", inside, value);
    }
    return line(a, "%s %s %u", name[op], value, l.level);
}

/* Indicators first: where they are 0 the other factors need have no value. */
static const char *product(Arrays *a, Ref e) {
    const char *mask = NULL, *rest = NULL;
    for (uint32_t k = 0; k < ir_arity(a->ir, e); k++) {
        const Ref kid = ir_kid(a->ir, e, k);
        const bool indicator = ir_is(a->ir, kid, OP_DELTA) || ir_is(a->ir, kid, OP_IN);
        const char **to = indicator ? &mask : &rest, *value = value_of(a, kid);
        *to = *to ? binary(a, "mul", *to, value) : value;
    }
    if (!mask || !rest)
        return mask ? mask : rest;
    return binary(a, is_literal(rest) ? "mul" : "where", mask, rest);
}

static const char *tensor(Arrays *a, Ref e) {
    const char *at = place_text(a, ir_kid(a->ir, e, 0), 1);
    const char *name = sym_cstr(a->c, (Sym)ir_id(a->ir, e));
    if (ir_arity(a->ir, e) == 1)
        return line(a, "tensor %s %s", name, at);
    return line(a, "tensor %s %s , %s", name, at, place_text(a, ir_kid(a->ir, e, 1), 1));
}

static const char *function(Arrays *a, Ref e) {
    static const char *const name[FUNC_COUNT] = {
#define F(name, arity, jump, c, da, db) #name,
#include "text/func.def"
    };
    const char *x = value_of(a, ir_kid(a->ir, e, 0));
    if (ir_arity(a->ir, e) == 1)
        return line(a, "%s %s", name[ir_id(a->ir, e)], x);
    return line(a, "%s %s %s", ir_id(a->ir, e) == FUNC_max ? "larger" : "smaller", x,
                value_of(a, ir_kid(a->ir, e, 1)));
}

/* An operation on numbers alone is one. */
static bool is_number(Arrays *a, Ref e) {
    const Op op = ir_op(a->ir, e);
    if (op == OP_CONST || op == OP_PI || op == OP_DIM || op == OP_PARAM)
        return true;
    if (op != OP_ADD && op != OP_MUL && op != OP_POW && op != OP_FUNC)
        return false;
    for (uint32_t k = 0; k < ir_arity(a->ir, e); k++)
        if (!is_literal(value_of(a, ir_kid(a->ir, e, k))))
            return false;
    return true;
}

static const char *make(Arrays *a, Ref e) {
    const Op op = ir_op(a->ir, e);
    if (is_number(a, e))
        return number_of(a, e);
    switch (op) {
    case OP_SPACE:
        return line(a, "x %s", place_text(a, ir_kid(a->ir, e, 0), 1));
    case OP_TIME:
        return line(a, "x %lld", (long long)a->values.d);
    case OP_INDEX:
        return index_text(a, e);
    case OP_UNKNOWN:
        return line(a, "unknown %s", sym_cstr(a->c, (Sym)ir_id(a->ir, e)));
    case OP_TENSOR:
        return tensor(a, e);
    case OP_NET:
        return ir_arity(a->ir, e) ? refuse(a, "a derivative in the trial function", e)
                                  : line(a, "net %u", (unsigned)ir_id(a->ir, e));
    case OP_ADD: {
        const char *sum = value_of(a, ir_kid(a->ir, e, 0));
        for (uint32_t k = 1; k < ir_arity(a->ir, e); k++)
            sum = binary(a, "add", sum, value_of(a, ir_kid(a->ir, e, k)));
        return sum;
    }
    case OP_MUL:
        return product(a, e);
    case OP_POW: {
        const char *base = value_of(a, ir_kid(a->ir, e, 0));
        return binary(a, "pow", base, value_of(a, ir_kid(a->ir, e, 1)));
    }
    case OP_FUNC:
        return function(a, e);
    case OP_DELTA:
        return line(a, "zero %s", value_of(a, ir_kid(a->ir, e, 0)));
    case OP_IN: {
        const char *x = value_of(a, ir_kid(a->ir, e, 0)), *lo = value_of(a, ir_kid(a->ir, e, 1));
        return line(a, "within %s %s %s", x, lo, value_of(a, ir_kid(a->ir, e, 2)));
    }
    default:
        return ir_is_binder(op) ? reduction(a, e) : refuse(a, "no operation on whole arrays", e);
    }
}

static const char *value_of(Arrays *a, Ref e) {
    Ref at;
    if (a->refused)
        return "0";
    if (memo_get(&a->made, e, 0, &at))
        return a->operand.at[at - 1];
    const char *made = make(a, e);
    VEC_PUSH(&a->c->arena, a->operand, made);
    memo_put(&a->made, e, 0, a->operand.n);
    return made;
}

/* An output of its own array, not a number. */
static const char *array_of(Arrays *a, Ref e) {
    const char *value = value_of(a, e);
    return is_literal(value) && !a->refused ? line(a, "add %s %s", line(a, "index 0 1 1 1"), value)
                                            : value;
}

static void put_feature(Arrays *a, const Feature *f) {
    if (!f->index) {
        const char *value = array_of(a, f->value);
        text_printf(a->out, "feature %s 0\n", value);
        return;
    }
    const uint32_t level = a->ir->node.at[f->value].level + 1u;
    const Loop *found = open_loop(a, ir_const(a->ir, 1), f->size, level);
    if (!found)
        return;
    const Ref index = found->index, entry = ir_substitute(a->ir, f->value, f->index, index);
    const char *value = value_of(a, entry);
    if (!ir_depends(a->ir, entry, index))
        value = binary(a, "add", value, binary(a, "mul", value_of(a, index), "0"));
    text_printf(a->out, "feature %s %u\n", value, level);
}

/* Vectors come first among the inputs, then scalars. */
static void put_features(Arrays *a, const Features *all) {
    for (int vectors = 1; vectors >= 0; vectors--)
        for (uint32_t k = 0; k < all->at.n && !a->refused; k++)
            if ((all->at.at[k].index != 0) == vectors)
                put_feature(a, &all->at.at[k]);
}

static void put_fields(Arrays *a, const Problem *p) {
    for (uint32_t f = 0; f < p->field.n && !a->refused; f++) {
        const char *value = array_of(a, problem_scored(a->c, f, p->field.at[f].trial));
        text_printf(a->out, "field %s %s\n", sym_cstr(a->c, p->field.at[f].name), value);
    }
}

void arrays_emit(Compilation *c, Text *out) {
    Text body = {.arena = &c->arena};
    NpyFile none = {0};
    Problem *p = c->problem;
    Arrays a = {.c = c, .ir = c->ir, .out = &body, .made = {.arena = &c->arena}};
    a.refused = values_collect(c, ir_const(c->ir, 0), &none, &a.values);
    if (!a.refused && p->tensor_net)
        a.refused = "a tensor network is no network of layers";
    if (!a.refused && p->features)
        put_features(&a, p->features);
    put_fields(&a, p);
    uint32_t axes = 1;
    for (uint32_t k = 0; k < a.loop.n; k++)
        axes = a.loop.at[k].level > axes ? a.loop.at[k].level : axes;
    text_printf(out, "point %lld\naxes %u\n", (long long)a.values.d + (p->time != 0), axes);
    if (a.refused)
        text_printf(out, "refused %s\n", a.refused);
    else
        text_str(out, (Str){body.s, body.n});
}
