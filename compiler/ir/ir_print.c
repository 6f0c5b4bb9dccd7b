/* ir_print.c: the IR in the language's own notation, for --emit and for messages.
 *
 * What is printed parses again as the same expression, except for indicators, which the language
 * has no word for: [k = i] and [1 <= k <= d - 1]. */
#include <math.h>

#include "base/compilation.h"
#include "ir/ir.h"
#include "ir/ir_internal.h"
#include "ir/problem.h"
#include "text/symbols.h"

enum {
    PREC_SUM = 1,
    PREC_BIG = 2,
    PREC_PRODUCT = 3,
    PREC_UNARY = 4,
    PREC_POWER = 5,
    PREC_ATOM = 6
};

static const char *const FUNC_NAME[] = {
#define F(name, arity, jump, c, da, db) #name,
#include "text/func.def"
};

enum { BINDERS = 16 };

typedef struct Printer {
    Ir *ir;
    Text *out;
    Memo *names; /* INDEX -> Sym of this printing; with 1 and 2 beside it the ends of its range */
    uint32_t depth;      /* binders around here */
    Ref binder[BINDERS]; /* their indices */
} Printer;

static void print(Printer *p, Ref e, int around);

static void put(Printer *p, const char *s) {
    text_str(p->out, (Str){s, __builtin_strlen(s)});
}

static void print_name(Printer *p, Sym name) {
    text_str(p->out, sym_str(p->ir->c, name));
}

static void print_index_name(Printer *p, Ref index) {
    Ref sym;
    if (memo_get(p->names, index, 0, &sym) || memo_get(p->ir->index_name, index, 0, &sym))
        print_name(p, sym);
    else
        text_printf(p->out, "k%u", (unsigned)(ir_id(p->ir, index) & 0xffffff));
}

static void print_subscript(Printer *p, Ref at) {
    bool plain = ir_is(p->ir, at, OP_INDEX);
    put(p, plain ? "_" : "_{");
    if (plain)
        print_index_name(p, at);
    else
        print(p, at, 0);
    put(p, plain ? "" : "}");
}

static void print_subscripts(Printer *p, Ref e) {
    uint32_t n = ir_arity(p->ir, e);
    if (n == 0)
        return;
    if (n == 1 && ir_is(p->ir, ir_kid(p->ir, e, 0), OP_INDEX)) {
        put(p, "_");
        print_index_name(p, ir_kid(p->ir, e, 0));
        return;
    }
    put(p, "_{");
    for (uint32_t k = 0; k < n; k++) {
        put(p, k ? "," : "");
        print(p, ir_kid(p->ir, e, k), 0);
    }
    put(p, "}");
}

/* The vector within which `at` stays while the index of an enclosing sum that it has runs through its range. */
static const Space *space_by_range(Printer *p, Ref at, Ref *local) {
    Ir *ir = p->ir;
    const Problem *problem = ir->c->problem;
    Ref lo, hi;
    for (uint32_t k = 0; k < p->depth && k < BINDERS; k++) {
        Ref index = p->binder[k];
        if (!ir_depends(ir, at, index) || !memo_get(p->names, index, 1, &lo) ||
            !memo_get(p->names, index, 2, &hi))
            continue;
        for (uint32_t s = 0; s < problem->space.n; s++) {
            const Space *x = &problem->space.at[s];
            *local = ir_sub(ir, at, x->first);
            if (ir_provably_le(ir, ir_const(ir, 1), ir_substitute(ir, *local, index, lo)) &&
                ir_provably_le(ir, ir_substitute(ir, *local, index, hi), x->d))
                return x;
        }
    }
    return NULL;
}

/* y_k where y is the second of two vectors; space_k where it may be either's. */
static void print_coordinate(Printer *p, Ref e) {
    Ref local, at = ir_kid(p->ir, e, 0);
    const Space *x = problem_space_of(p->ir, at, &local);
    if (!x)
        x = space_by_range(p, at, &local);
    put(p, x ? sym_cstr(p->ir->c, x->name) : "space");
    if (!x || !x->scalar)
        print_subscript(p, x ? local : at);
}

static void print_derivative(Printer *p, Ref e, Sym name) {
    uint32_t n = ir_arity(p->ir, e);
    if (n == 0) {
        print_name(p, name);
        return;
    }
    bool pure = true;
    for (uint32_t k = 1; k < n; k++)
        pure = pure && ir_kid(p->ir, e, k) == ir_kid(p->ir, e, 0);
    if (n == 1)
        put(p, "d(");
    else
        text_printf(p->out, "d%u(", n);
    print_name(p, name);
    for (uint32_t k = 0; k < (pure ? 1 : n); k++) {
        put(p, ", ");
        print(p, ir_kid(p->ir, e, k), 0);
    }
    put(p, ")");
}

static void print_tangent(Printer *p, Ref e) {
    put(p, "d(features");
    for (uint32_t k = 0; k < ir_arity(p->ir, e); k++) {
        put(p, ", ");
        print(p, ir_kid(p->ir, e, k), 0);
    }
    put(p, ")");
}

static void print_sum(Printer *p, Ref e) {
    for (uint32_t k = 0; k < ir_arity(p->ir, e); k++) {
        Ref term = ir_kid(p->ir, e, k), rest;
        double c = ir_coefficient(p->ir, term, &rest);
        if (k && c < 0) {
            put(p, " - ");
            Ref positive = ir_neg(p->ir, term);
            print(p, positive, PREC_SUM + 1);
        } else {
            put(p, k ? " + " : "");
            print(p, term, k ? PREC_SUM + 1 : PREC_SUM);
        }
    }
}

static bool divides(Printer *p, Ref factor, double *exponent) {
    return ir_is(p->ir, factor, OP_POW) && ir_is_const(p->ir, ir_kid(p->ir, factor, 1), exponent) &&
           *exponent < 0;
}

/* A big operator reaches to the right as far as products go: it is printed last, or in brackets. */
static int rank_of_factor(const Ir *ir, Ref f) {
    if (ir_is(ir, f, OP_CONST))
        return 0;
    if (ir_is(ir, f, OP_DELTA) || ir_is(ir, f, OP_IN))
        return 1;
    return ir_is(ir, f, OP_SUM) || ir_is(ir, f, OP_PROD) ? 3 : 2;
}

static void print_product(Printer *p, Ref e) {
    uint32_t n = ir_arity(p->ir, e);
    double x, lead = ir_is_const(p->ir, ir_kid(p->ir, e, 0), &x) ? x : 1;
    bool first = true;
    if (lead <= -1 && lead >= -1)
        put(p, "-");
    for (int rank = 0; rank <= 3; rank++) {
        for (uint32_t k = 0; k < n; k++) {
            Ref f = ir_kid(p->ir, e, k);
            if (rank_of_factor(p->ir, f) != rank || divides(p, f, &x) ||
                (k == 0 && lead <= -1 && lead >= -1))
                continue;
            put(p, first ? "" : " * ");
            print(p, f, first ? PREC_PRODUCT : PREC_PRODUCT + 1);
            first = false;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        Ref f = ir_kid(p->ir, e, k);
        if (!divides(p, f, &x))
            continue;
        put(p, first ? "1 / " : " / ");
        print(p, ir_pow(p->ir, ir_kid(p->ir, f, 0), ir_const(p->ir, -x)), PREC_PRODUCT + 1);
        first = false;
    }
}

static void print_power(Printer *p, Ref e) {
    double x;
    Ref base = ir_kid(p->ir, e, 0), exponent = ir_kid(p->ir, e, 1);
    if (ir_is_number(p->ir, exponent, 0.5)) {
        put(p, "sqrt(");
        print(p, base, 0);
        put(p, ")");
    } else if (divides(p, e, &x)) {
        put(p, "1 / ");
        print(p, ir_pow(p->ir, base, ir_const(p->ir, -x)), PREC_PRODUCT + 1);
    } else {
        print(p, base, PREC_POWER + 1);
        put(p, "^");
        print(p, exponent, PREC_POWER + 1);
    }
}

/* The first of eight names from `from` on that nothing in the file has: a parameter k under a sum over k would be
 * read as the index. */
static Sym free_name(Printer *p, const char *const *names, uint32_t from) {
    Compilation *c = p->ir->c;
    for (uint32_t k = from; k < 8; k++)
        if (!c->symbols || !symbol_find(c, intern_cstr(c, names[k])))
            return intern_cstr(c, names[k]);
    return intern_cstr(c, "index");
}

static void print_binder(Printer *p, Ref e) {
    static const char *const name[] = {"i", "j", "k", "l", "m", "n", "p", "q"};
    Ir *ir = p->ir;
    Ref index, body = ir_open(ir, e, &index), old;
    bool shadowed = memo_get(p->names, index, 0, &old);
    if (!shadowed)
        memo_put(p->names, index, 0, free_name(p, name, p->depth % 8));
    switch (ir_op(ir, e)) {
    case OP_SUM:
        put(p, "sum");
        break;
    case OP_PROD:
        put(p, "prod");
        break;
    case OP_MAX:
        put(p, "max");
        break;
    case OP_MIN:
        put(p, "min");
        break;
    case OP_ARGMAX:
        put(p, "argmax");
        break;
    case OP_INTEGRAL:
        put(p, "integral");
        break;
    default:
        put(p, "argmin");
        break;
    }
    put(p, "_{");
    print_index_name(p, index);
    put(p, "=");
    print(p, ir_kid(ir, e, 0), 0);
    put(p, "..");
    print(p, ir_kid(ir, e, 1), 0);
    for (uint32_t k = 3; k < ir_arity(ir, e); k++) {
        put(p, " except ");
        print(p, ir_kid(ir, e, k), 0);
    }
    put(p, "} ");
    memo_put(p->names, index, 1, ir_kid(ir, e, 0));
    memo_put(p->names, index, 2, ir_kid(ir, e, 1));
    if (p->depth < BINDERS)
        p->binder[p->depth] = index;
    p->depth++;
    print(p, body, PREC_BIG);
    p->depth--;
}

static int precedence(const Ir *ir, Ref e) {
    double v;
    switch (ir_op(ir, e)) {
    case OP_ADD:
        return PREC_SUM;
    case OP_SUM:
    case OP_PROD:
    case OP_MAX:
    case OP_MIN:
    case OP_ARGMAX:
    case OP_ARGMIN:
    case OP_INTEGRAL:
        return PREC_BIG;
    case OP_MUL:
        return PREC_PRODUCT;
    case OP_CONST:
        return ir_is_const(ir, e, &v) && v < 0 ? PREC_UNARY - 1 : PREC_ATOM;
    case OP_POW:
        if (ir_is_number(ir, ir_kid(ir, e, 1), 0.5))
            return PREC_ATOM;
        return ir_is_const(ir, ir_kid(ir, e, 1), &v) && v < 0 ? PREC_PRODUCT : PREC_POWER;
    default:
        return PREC_ATOM;
    }
}

static void print_bare(Printer *p, Ref e) {
    Ir *ir = p->ir;
    const Node node = ir->node.at[e];
    switch ((Op)node.op) {
    case OP_CONST:
        text_double(p->out, node.payload.number);
        break;
    case OP_PI:
        put(p, "pi");
        break;
    case OP_DIM:
    case OP_PARAM:
    case OP_UNKNOWN:
    case OP_SOURCE:
        print_name(p, (Sym)node.payload.id);
        break;
    case OP_TIME:
        print_name(p, ir->time_name);
        break;
    case OP_INDEX:
        print_index_name(p, e);
        break;
    case OP_BOUND:
        text_printf(p->out, "bound%u", (unsigned)node.payload.id);
        break;
    case OP_SPACE:
        print_coordinate(p, e);
        break;
    case OP_OUTWARD:
        put(p, "outward");
        print_subscripts(p, e);
        break;
    case OP_INPUT:
        text_printf(p->out, "input%u", (unsigned)node.payload.id + 1);
        print_subscripts(p, e);
        break;
    case OP_TANGENT:
        print_tangent(p, e);
        break;
    case OP_AUX:
    case OP_TENSOR:
        print_name(p, (Sym)node.payload.id);
        print_subscripts(p, e);
        break;
    case OP_DRAW:
        text_printf(p->out, "draw%u", (unsigned)node.payload.id);
        print_subscripts(p, e);
        break;
    case OP_FIELD:
        print_derivative(p, e, ir->field_name[node.payload.id]);
        break;
    case OP_NET:
        print_derivative(p, e, ir->net_name[node.payload.id]);
        break;
    case OP_ADD:
        print_sum(p, e);
        break;
    case OP_MUL:
        print_product(p, e);
        break;
    case OP_POW:
        print_power(p, e);
        break;
    case OP_FUNC:
    case OP_EXPECT:
    case OP_DIRAC:
    case OP_POLE:
        put(p, node.op == OP_FUNC     ? FUNC_NAME[node.payload.id]
               : node.op == OP_EXPECT ? "expect"
                                      : "delta");
        put(p, "(");
        for (uint32_t k = 0; k < node.n; k++) {
            put(p, k ? ", " : "");
            print(p, ir_kid(ir, e, k), 0);
        }
        put(p, ")");
        break;
    case OP_DELTA:
        put(p, "[");
        print(p, ir_kid(ir, e, 0), 0);
        put(p, " = 0]");
        break;
    case OP_IN:
        put(p, "[");
        print(p, ir_kid(ir, e, 1), 0);
        put(p, " <= ");
        print(p, ir_kid(ir, e, 0), 0);
        put(p, " <= ");
        print(p, ir_kid(ir, e, 2), 0);
        put(p, "]");
        break;
    case OP_SUM:
    case OP_PROD:
    case OP_MAX:
    case OP_MIN:
    case OP_ARGMAX:
    case OP_ARGMIN:
    case OP_INTEGRAL:
        print_binder(p, e);
        break;
    case OP_COUNT:
        break;
    }
}

static void print(Printer *p, Ref e, int around) {
    bool brackets = precedence(p->ir, e) < around;
    put(p, brackets ? "(" : "");
    print_bare(p, e);
    put(p, brackets ? ")" : "");
}

void ir_print(Ir *ir, Ref e, Text *out) {
    Memo names = {.arena = ir->arena};
    /* free indices are called i and j where they are shown: bound ones begin at k then */
    Printer p = {.ir = ir, .out = out, .names = &names, .depth = ir->node.at[e].has_index ? 2 : 0};
    print(&p, e, 0);
}

const char *ir_text(Ir *ir, Ref e) {
    Text out = {.arena = ir->arena};
    ir_print(ir, e, &out);
    return text_cstr(&out);
}
