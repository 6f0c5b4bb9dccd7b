/* lower.c: checked syntax trees to IR, expanding lets, functions and vectors on the way.
 *
 * Vectors exist only here: an expression of rank 1 is lowered component by component, so the IR
 * is scalar. Arguments of functions are closures (tree and environment): div(F) gets F, not a
 * number. Derivatives are taken at once: FIELD atoms collect them, everything else is differentiated. */
#include "lower/lower.h"

#include <string.h>

#include "base/compilation.h"
#include "base/limits.h"

typedef struct Components {
    uint32_t n;
    Ref at[2];
} Components;

static Ref lower(Compilation *c, const Env *env, const Ast *e, const Components *at);

static const Env *bind(Compilation *c, const Env *outer, Env value) {
    Env *env = NEW(&c->arena, Env);
    *env = value;
    env->outer = outer;
    if (env->ast) {
        env->cache = NEW(&c->arena, Memo);
        env->cache->arena = &c->arena;
    }
    return env;
}

const Env *env_bind_index(Compilation *c, const Env *env, Sym name, Ref index) {
    return bind(c, env, (Env){.name = name, .value = index});
}

const Env *env_find(const Env *env, Sym name) {
    while (env && env->name != name)
        env = env->outer;
    return env;
}

/* Something the checks let through and the IR has no form for. */
static Ref cannot(Compilation *c, const Ast *e, const char *what) {
    diag(c, E0601, e->span, what);
    return ir_const(c->ir, 0);
}

const Ast *network_setting(const Compilation *c) {
    for (uint32_t k = 0; c->problem->solve && k < c->problem->solve->n; k++) {
        const Ast *s = c->problem->solve->kid[k];
        if (strcmp(sym_cstr(c, s->name), "network") == 0)
            return s->kid[0];
    }
    return NULL;
}

bool tensor_wanted(const Compilation *c) {
    const Ast *network = network_setting(c);
    return network && (network->kind == AST_CALL || network->kind == AST_NAME) &&
           strcmp(sym_cstr(c, network->name), "tnn") == 0;
}

int problem_field(const Problem *p, Sym name) {
    for (uint32_t f = 0; f < p->field.n; f++)
        if (p->field.at[f].name == name)
            return (int)f;
    return -1;
}

/* ---- names ---- */

static Ref lower_let_once(Compilation *c, const Symbol *s, const Components *at) {
    const Ast *target = s->def->kid[0];
    const Env *env = NULL;
    for (uint32_t k = 0; k + 1 < target->n && target->kind == AST_SUBSCRIPT; k++)
        env = env_bind_index(c, env, target->kid[k + 1]->name, at->at[k]);
    if (s->rank && target->kind != AST_SUBSCRIPT) /* let y = x + w: a whole vector */
        return lower(c, NULL, s->def->kid[1], at);
    return lower_scalar(c, env, s->def->kid[1]);
}

static Ref lower_let(Compilation *c, const Symbol *s, const Components *at) {
    Ref value;
    if (at->n > 1)
        return lower_let_once(c, s, at);
    if (memo_get(&c->problem->lets, s->name, at->n ? at->at[0] : 0, &value))
        return value;
    value = lower_let_once(c, s, at);
    memo_put(&c->problem->lets, s->name, at->n ? at->at[0] : 0, value);
    return value;
}

static Ref lower_coordinate(Compilation *c, const Ast *e, const Components *at) {
    if (!tensor_wanted(c))
        return cannot(c, e, "new coordinates can only be used with a tensor network");
    return ir_indexed(c->ir, OP_AUX, c->problem->coordinates->name, at->n, at->at);
}

static Ref coordinate_of(Compilation *c, const Symbol *s, const Components *at) {
    const Problem *p = c->problem;
    int own = problem_space(p, s->name);
    Ref k = at->n ? at->at[0] : ir_const(c->ir, 1);
    if (own > 0)
        k = ir_add2(c->ir, k, p->space.at[own].first);
    return ir_indexed(c->ir, OP_SPACE, 0, 1, &k);
}

bool problem_param_follows(Compilation *c, const Symbol *s) {
    Ref value = lower_scalar(c, NULL, s->def->kid[0]);
    return ir_contains(c->ir, value, OP_DIM) || ir_contains(c->ir, value, OP_PARAM);
}

static Ref lower_symbol(Compilation *c, const Ast *e, const Symbol *s, const Components *at) {
    Ir *ir = c->ir;
    switch (s->kind) {
    case SYMBOL_DIM:
        return ir_atom(ir, OP_DIM, s->name);
    case SYMBOL_PARAM:
        return problem_param_follows(c, s) ? lower_scalar(c, NULL, s->def->kid[0])
                                           : ir_atom(ir, OP_PARAM, s->name);
    case SYMBOL_TIME:
        return ir_atom(ir, OP_TIME, 0);
    case SYMBOL_UNKNOWN:
        return ir_atom(ir, OP_UNKNOWN, s->name);
    case SYMBOL_SPACE:
        return coordinate_of(c, s, at);
    case SYMBOL_FIELD:
        return ir_indexed(ir, OP_FIELD, (uint64_t)problem_field(c->problem, s->name), 0, NULL);
    case SYMBOL_LET:
        return lower_let(c, s, at);
    case SYMBOL_RANDOM:
    case SYMBOL_DATA:
        return ir_indexed(ir, OP_TENSOR, s->name, at->n, at->at);
    case SYMBOL_SOURCE:
        return ir_atom(ir, OP_SOURCE, s->name);
    case SYMBOL_AUX:
        return ir_indexed(ir, OP_AUX, s->name, at->n, at->at);
    case SYMBOL_COORDINATES:
        return lower_coordinate(c, e, at);
    case SYMBOL_FUNCTION:
        break;
    }
    return cannot(c, e, "a function needs its arguments");
}

static Ref lower_builtin_name(Compilation *c, const Ast *e, const Components *at) {
    Ir *ir = c->ir;
    if (sym_is(c, e->name, "pi"))
        return ir_atom(ir, OP_PI, 0);
    if (sym_is(c, e->name, "inf"))
        return ir_const(ir, __builtin_inf());
    if (sym_is(c, e->name, "net"))
        return ir_indexed(ir, OP_NET, c->problem->net_field, 0, NULL);
    if (sym_is(c, e->name, "outward"))
        return ir_indexed(ir, OP_OUTWARD, 0, at->n, at->at);
    return cannot(c, e, "this name has no value here");
}

static Ref lower_closure(Compilation *c, const Env *b, const Components *at) {
    Ref value, first = at->n > 0 ? at->at[0] : 1, second = at->n > 1 ? at->at[1] : 0;
    if (memo_get(b->cache, first, second, &value))
        return value;
    value = lower(c, b->env, b->ast, at);
    memo_put(b->cache, first, second, value);
    return value;
}

static Ref lower_name(Compilation *c, const Env *env, const Ast *e, const Components *at) {
    const Env *b = env_find(env, e->name);
    if (b && b->ast)
        return lower_closure(c, b, at);
    if (b && b->vector)
        return ir_indexed(c->ir, OP_AUX, ir_id(c->ir, b->value), at->n, at->at);
    if (b)
        return b->value;
    if (sym_is(c, e->name,
               "space")) /* all vectors, one after the other; alone, how many coordinates */
        return at->n ? ir_indexed(c->ir, OP_SPACE, 0, 1, at->at) : c->problem->d;
    const Symbol *s = lower_lookup(c, e->name);
    if (!s)
        return lower_builtin_name(c, e, at);
    if (s->rank != at->n)
        return cannot(c, e,
                      s->rank ? "a vector stands where one of its entries is needed"
                              : "a scalar has no entries");
    return lower_symbol(c, e, s, at);
}

static Ref lower_subscript(Compilation *c, const Env *env, const Ast *e) {
    Components at = {.n = e->n - 1};
    if (at.n > 2)
        return cannot(c, e, "more than two subscripts");
    for (uint32_t k = 0; k < at.n; k++)
        at.at[k] = lower_scalar(c, env, e->kid[k + 1]);
    const Ast *base = e->kid[0];
    if (base->kind == AST_NAME && sym_is(c, base->name, "delta") && at.n == 2 &&
        !lower_lookup(c, base->name))
        return ir_delta(c->ir, at.at[0], at.at[1]);
    return lower(c, env, base, &at);
}

/* ---- calls ---- */

const Env *lower_arguments(Compilation *c, const Env *env, const Ast *call, const Ast *head) {
    const Env *inner = NULL;
    for (uint32_t k = 0; k < call->n && k < head->n; k++)
        inner = bind(c, inner, (Env){.name = head->kid[k]->name, .ast = call->kid[k], .env = env});
    return inner;
}

static Ref lower_function(Compilation *c, const Env *env, const Ast *e, const Symbol *f,
                          const Components *at) {
    const Ast *target = f->def->kid[0],
              *head = target->kind == AST_SUBSCRIPT ? target->kid[0] : target;
    if (head->n != e->n)
        return cannot(c, e, "a call with the wrong number of arguments");
    const Env *inner = lower_arguments(c, env, e, head);
    if (target->kind == AST_SUBSCRIPT)
        for (uint32_t k = 0; k < at->n && k + 1 < target->n; k++)
            inner = env_bind_index(c, inner, target->kid[k + 1]->name, at->at[k]);
    return target->kind == AST_SUBSCRIPT ? lower_scalar(c, inner, f->def->kid[1])
                                         : lower(c, inner, f->def->kid[1], at);
}

static Ref lower_exact(Compilation *c, const Ast *e) {
    Problem *p = c->problem;
    int f = e->n == 1 && e->kid[0]->kind == AST_NAME ? problem_field(p, e->kid[0]->name) : -1;
    if (f >= 0 && p->field.at[f].exact)
        return p->field.at[f].exact;
    for (uint32_t u = 0; e->n == 1 && u < p->unknown.n; u++)
        if (p->unknown.at[u].name == e->kid[0]->name && p->unknown.at[u].exact)
            return p->unknown.at[u].exact;
    return cannot(c, e, "no exact solution is stated for this");
}

static bool builtin_function(const Compilation *c, Sym name, Func *f) {
    static const char *const names[] = {
#define F(name, arity, jump, c, da, db) #name,
#include "text/func.def"
    };
    for (int k = 0; k < FUNC_COUNT; k++)
        if (sym_is(c, name, names[k])) {
            *f = (Func)k;
            return true;
        }
    return false;
}

static Ref lower_call(Compilation *c, const Env *env, const Ast *e, const Components *at) {
    const Symbol *f = lower_function_of(c, e);
    Func builtin;
    if (f)
        return lower_function(c, env, e, f, at);
    if (sym_is(c, e->name, "exact"))
        return lower_exact(c, e);
    if (sym_is(c, e->name, "sqrt") && e->n == 1)
        return ir_pow(c->ir, lower(c, env, e->kid[0], at), ir_const(c->ir, 0.5));
    if (problem_field(c->problem, e->name) >= 0) /* u(x, t): the field where it is declared */
        return ir_indexed(c->ir, OP_FIELD, (uint64_t)problem_field(c->problem, e->name), 0, NULL);
    if (builtin_function(c, e->name, &builtin) && e->n >= 1 && e->n <= 2) {
        Ref args[2];
        for (uint32_t k = 0; k < e->n; k++)
            args[k] =
                lower(c, env, e->kid[k], lower_rank_of(c, env, e->kid[k]) ? at : &(Components){0});
        return ir_func(c->ir, builtin, e->n, args);
    }
    return cannot(c, e, "this function is not known");
}

/* ---- big operators, expectations, integrals ---- */

static Ref lower_big(Compilation *c, const Env *env, const Ast *e) {
    Ir *ir = c->ir;
    uint32_t n = e->n - 1;
    Ref index[2], lo[2], hi[2], one = ir_const(ir, 1);
    if (n > 2)
        return cannot(c, e, "more than two indices in one sum: write one sum inside another");
    const Ast *body = e->kid[n];
    for (uint32_t k = 0; k < n; k++) {
        const Ast *range = e->kid[k];
        index[k] = ir_fresh_index(ir);
        memo_put(ir->index_name, index[k], 0, range->name);
        lo[k] = one;
        if (range->kid[0] && range->kid[1]) {
            lo[k] = lower_scalar(c, env, range->kid[0]);
            hi[k] = lower_scalar(c, env, range->kid[1]);
        } else if (!lower_infer_extent(c, env, body, range->name, &hi[k])) {
            return cannot(c, range, "nothing says how far this index runs");
        }
        env = env_bind_index(c, env, range->name, index[k]);
    }
    if (e->flag && n == 2)
        lo[1] = ir_add2(ir, index[0], one);
    Ref value = lower_scalar(c, env, body), count = one;
    Op op = e->op == BIG_PROD  ? OP_PROD
            : e->op == BIG_MAX ? OP_MAX
            : e->op == BIG_MIN ? OP_MIN
                               : OP_SUM;
    for (uint32_t k = n; k-- > 0;) {
        count = ir_reduce(ir, OP_SUM, index[k], lo[k], hi[k], count);
        value = ir_reduce(ir, op, index[k], lo[k], hi[k], value);
    }
    return e->op == BIG_MEAN ? ir_div(ir, value, count) : value;
}

/* Entry 1 stands where the range begins. */
static Ref lower_entries_at(Compilation *c, const Env *env, const Ast *e, const Components *at) {
    const Ast *range = e->kid[0];
    Ref before = ir_sub(c->ir, lower_scalar(c, env, range->kid[0]), ir_const(c->ir, 1));
    return lower_scalar(c, env_bind_index(c, env, range->name, ir_add2(c->ir, at->at[0], before)),
                        e->kid[1]);
}

/* A name no one else has, for a bound variable of an expectation or integral. */
static Sym fresh_name(Compilation *c, Sym name) {
    Text t = {.arena = &c->arena};
    text_printf(&t, "%s#%u", sym_cstr(c, name), c->ir->next_index++);
    return intern_cstr(c, text_cstr(&t));
}

/* Does it move with the point? */
static bool is_moving(Ir *ir, Ref e) {
    return ir_contains(ir, e, OP_SPACE) || ir_contains(ir, e, OP_TIME);
}

static Ref lower_expect(Compilation *c, const Env *env, const Ast *e) {
    Problem *p = c->problem;
    ExpectationRow row = {.n = e->n - 1};
    const Env *inner = env;
    if (row.n > 4)
        return cannot(c, e, "more than four random variables in one expectation");
    for (uint32_t k = 0; k < row.n; k++) {
        const Ast *target = e->kid[k]->kid[0], *law = e->kid[k]->kid[1];
        row.vector[k] = target->kind == AST_SUBSCRIPT;
        if (row.vector[k] && p->space.n > 1)
            return cannot(c, target,
                          "a random vector in a problem with several coordinate vectors: whose "
                          "length it has is not known; write its entries as random numbers");
        Sym name = row.vector[k] ? target->kid[0]->name : target->name;
        row.aux[k] = fresh_name(c, name);
        row.law[k] = law->name;
        for (uint32_t a = 0; a < law->n && a < 2; a++) {
            row.args[k][a] = lower_scalar(c, env, law->kid[a]);
            if (is_moving(c->ir, row.args[k][a]) || c->ir->node.at[row.args[k][a]].has_index)
                return cannot(c, law->kid[a],
                              "the law of an expectation depends on the point or on an index");
        }
        inner = bind(c, inner,
                     (Env){.name = name,
                           .value = ir_indexed(c->ir, OP_AUX, row.aux[k], 0, NULL),
                           .vector = row.vector[k]});
    }
    Ref body = lower_scalar(c, inner, e->kid[row.n]);
    if (ir_contains(c->ir, body, OP_EXPECT))
        return cannot(c, e, "an expectation inside an expectation");
    VEC_PUSH(&c->arena, p->expectation, row);
    return ir_indexed(c->ir, OP_EXPECT, p->expectation.n - 1, 1, &body);
}

static bool is_infinite(Ir *ir, Ref e) {
    double v;
    return ir_is_const(ir, e, &v) && v > 1e300;
}

/* The variable runs from the lower end up; from 0 to 1, or from 0 on, where an end moves with the point, and
 * down from the upper end where the lower one is -inf. */
static Ref lower_integral(Compilation *c, const Env *env, const Ast *e) {
    Ir *ir = c->ir;
    Ref lo = lower_scalar(c, env, e->kid[0]), hi = lower_scalar(c, env, e->kid[1]),
        zero = ir_const(ir, 0);
    Ref variable = ir_fresh_index(ir), at = variable, factor = ir_const(ir, 1), body = zero;
    if (is_infinite(ir, ir_neg(ir, lo))) {
        bool whole = is_infinite(ir, hi);
        if (whole)
            body = lower_scalar(c, env_bind_index(c, env, e->name, variable), e->kid[2]);
        at = ir_sub(ir, whole ? zero : hi, variable);
        hi = ir_neg(ir, lo);
        lo = zero;
    } else if (is_moving(ir, lo) || is_moving(ir, hi)) {
        bool infinite = is_infinite(ir, hi);
        factor = infinite ? factor : ir_sub(ir, hi, lo);
        at = ir_add2(ir, lo, ir_mul2(ir, factor, variable));
        lo = zero;
        hi = infinite ? hi : ir_const(ir, 1);
    }
    body = ir_add2(ir, body, lower_scalar(c, env_bind_index(c, env, e->name, at), e->kid[2]));
    return ir_mul2(ir, factor, ir_reduce(ir, OP_INTEGRAL, variable, lo, hi, body));
}

/* ---- derivatives ---- */

static Ref derive_outward(Compilation *c, Ref e) {
    Ir *ir = c->ir;
    Ref k = ir_fresh_index(ir), x = ir_indexed(ir, OP_SPACE, 0, 1, &k);
    Ref term = ir_mul2(ir, ir_indexed(ir, OP_OUTWARD, 0, 1, &k), ir_diff(ir, e, x));
    return ir_reduce(ir, OP_SUM, k, ir_const(ir, 1), c->problem->d, term);
}

static Ref derive_by(Compilation *c, const Env *env, Ref e, const Ast *variable) {
    if (variable->kind == AST_NAME && sym_is(c, variable->name, "outward"))
        return derive_outward(c, e);
    Ref v = lower_scalar(c, env, variable);
    Op op = ir_op(c->ir, v);
    if (op != OP_SPACE && op != OP_TIME && op != OP_AUX)
        return cannot(c, variable, "this is not a coordinate");
    return ir_diff(c->ir, e, v);
}

static Ref lower_derivative(Compilation *c, const Env *env, const Ast *e, const Components *at) {
    Ref value = lower(c, env, e->kid[0], at);
    uint32_t repeat = e->n == 2 && e->number > 1 ? (uint32_t)e->number : 1;
    if (repeat > LIMIT_DERIVATIVE_ORDER)
        return cannot(c, e, "a derivative of too high an order");
    for (uint32_t k = 1; k < e->n; k++)
        for (uint32_t r = 0; r < repeat; r++)
            value = derive_by(c, env, value, e->kid[k]);
    return value;
}

/* ---- everything else ---- */

static Ref lower_operation(Compilation *c, const Env *env, const Ast *e, const Components *at) {
    Ir *ir = c->ir;
    Ref a[2] = {0};
    for (uint32_t k = 0; k < e->n && k < 2; k++) /* a scalar beside a vector serves every entry */
        a[k] = lower(c, env, e->kid[k],
                     at->n && !lower_rank_of(c, env, e->kid[k]) ? &(Components){0} : at);
    switch (e->kind) {
    case AST_NEG:
        return ir_neg(ir, a[0]);
    case AST_ADD:
        return ir_add2(ir, a[0], a[1]);
    case AST_SUB:
        return ir_sub(ir, a[0], a[1]);
    case AST_MUL:
        return ir_mul2(ir, a[0], a[1]);
    case AST_DIV:
        return ir_div(ir, a[0], a[1]);
    default:
        return ir_pow(ir, a[0], a[1]);
    }
}

static Ref lower(Compilation *c, const Env *env, const Ast *e, const Components *at) {
    Span outer = c->ir->here, outer_trail = c->ir->trail_here;
    Ref result;
    c->ir->here = e->span;
    if (!source_place(c, e->span.lo)
             .source->library) /* what lap(u) means is seen where it was called */
        c->ir->trail_here = e->span;
    switch (e->kind) {
    case AST_NUMBER:
        result = ir_const(c->ir, e->number);
        break;
    case AST_NAME:
        result = lower_name(c, env, e, at);
        break;
    case AST_SUBSCRIPT:
        result = lower_subscript(c, env, e);
        break;
    case AST_CALL:
        result = lower_call(c, env, e, at);
        break;
    case AST_DERIVATIVE:
        result = lower_derivative(c, env, e, at);
        break;
    case AST_BIG:
        result = lower_big(c, env, e);
        break;
    case AST_ENTRIES:
        result = lower_entries_at(c, env, e, at);
        break;
    case AST_EXPECT:
        result = lower_expect(c, env, e);
        break;
    case AST_INTEGRAL:
        result = lower_integral(c, env, e);
        break;
    case AST_NEG:
    case AST_ADD:
    case AST_SUB:
    case AST_MUL:
    case AST_DIV:
    case AST_POW:
        result = lower_operation(c, env, e, at);
        break;
    default:
        result = cannot(c, e, "this is not an expression");
        break;
    }
    c->ir->here = outer;
    c->ir->trail_here = outer_trail;
    return result;
}

Ref lower_scalar(Compilation *c, const Env *env, const Ast *e) {
    return lower(c, env, e, &(Components){0});
}

Ref lower_entry(Compilation *c, const Ast *e, Ref index) {
    return lower(c, NULL, e, &(Components){1, {index}});
}

uint32_t lower_rank(Compilation *c, const Ast *e) {
    return lower_rank_of(c, NULL, e);
}

bool lower_entries(Compilation *c, const Ast *e, Ref *number) {
    return lower_extent_of(c, NULL, e, 0, number);
}
