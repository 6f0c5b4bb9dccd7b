/* process.c: see process.h.
 *
 * The coefficients are read off the linearised equation by polynomials: with A[phi] = d/dh R(v + h phi) at h = 0
 *     c = A[1],  tau = A[t - t0],  b_k = A[x_k - y_k],  (sigma sigma')_kl = A[(x_k - y_k)(x_l - y_l)]
 * at t0 = t, y = x. The index calculus of diff.c and index.c makes each of them O(1) in d. */
#include "terms/process.h"

#include <string.h>

#include "base/compilation.h"
#include "eval/domain.h"
#include "lower/constraint.h"
#include "lower/trial.h"
#include "terms/principle.h"
#include "terms/split.h"
#include "terms/written.h"

typedef struct Builder {
    Compilation *c;
    Ir *ir;
    const Problem *p;
    Process *out;
    bool exponential;    /* errors are those of the logarithm */
    Ref k, l, within[2]; /* free indices, and [1 <= k <= d], [1 <= l <= d] */
    Written written;
} Builder;

static Ref hidden(Builder *b, const char *name, Ref index) {
    return ir_indexed(b->ir, OP_AUX, intern_cstr(b->c, name), index ? 1 : 0, &index);
}

static bool refuse(Builder *b, const char *why, Span where) {
    if (!b->out->why) {
        b->out->why = why;
        b->out->where = where;
    }
    return false;
}

/* ---- linearisation ---- */

/* h = 0, y = x, t0 = t; k and l are within 1 .. d. */
static Ref settle_node(Ir *ir, Ref e, void *context) {
    const Builder *b = context;
    if (e == b->within[0] || e == b->within[1])
        return ir_const(ir, 1);
    if (!ir_is(ir, e, OP_AUX))
        return 0;
    const char *name = sym_cstr(ir->c, (Sym)ir_id(ir, e));
    if (strcmp(name, "$h") == 0)
        return ir_const(ir, 0);
    if (strcmp(name, "$t0") == 0)
        return ir_atom(ir, OP_TIME, 0);
    if (strcmp(name, "$y") != 0)
        return 0;
    Ref at = ir_kid(ir, e, 0);
    return ir_indexed(ir, OP_SPACE, 0, 1, &at);
}

static Ref linearised(Builder *b, Ref residual, Ref phi) {
    Ir *ir = b->ir;
    Ref h = hidden(b, "$h", 0), u = ir_indexed(ir, OP_FIELD, 0, 0, NULL);
    Ref value[1] = {ir_add2(ir, u, ir_mul2(ir, h, b->exponential ? ir_mul2(ir, u, phi) : phi))};
    Ref moved =
        ir_replace_fields(ir, problem_put_sources(b->c, b->p, residual), OP_FIELD, 1, value);
    return ir_rewrite(ir, ir_diff(ir, moved, h), settle_node, b);
}

/* How a coefficient changes with the solution by phi. That of the logarithm is divided by the field. */
static Ref bend(Builder *b, Ref coefficient, Ref phi) {
    Ir *ir = b->ir;
    Ref change = linearised(b, coefficient, phi);
    if (!b->exponential)
        return change;
    Ref settled = ir_rewrite(ir, phi, settle_node, b);
    return ir_sub(ir, change, ir_mul2(ir, coefficient, settled));
}

/* A coefficient where the solution (or its logarithm) is another by shift. */
static Ref moved(Builder *b, Ref coefficient, Ref shift) {
    Ir *ir = b->ir;
    Ref u = ir_indexed(ir, OP_FIELD, 0, 0, NULL);
    Ref value[1] = {b->exponential ? ir_mul2(ir, u, ir_func(ir, FUNC_exp, 1, &shift))
                                   : ir_add2(ir, u, shift)};
    return ir_replace_fields(ir, coefficient, OP_FIELD, 1, value);
}

/* x_k - y_k */
static Ref step_along(Builder *b, Ref k) {
    return ir_sub(b->ir, ir_indexed(b->ir, OP_SPACE, 0, 1, &k), hidden(b, "$y", k));
}

/* A[1]. For the logarithm w of the field the equation is R(exp w) / exp w, whose derivative by w has R in it. */
static Ref rate_of(Builder *b, Ref residual) {
    Ref rate = linearised(b, residual, ir_const(b->ir, 1));
    if (!b->exponential)
        return rate;
    return ir_expand(b->ir, ir_sub(b->ir, rate, problem_put_sources(b->c, b->p, residual)));
}

/* In NET atoms, over the factor that the equation's own residual is divided by. */
static Ref in_net(Builder *b, Ref e, Ref divisor) {
    return ir_expand(b->ir, ir_div(b->ir, trial_apply(b->c, b->p, e), divisor));
}

/* ---- what the equation is made of ---- */

typedef struct Orders {
    uint32_t space, time,
        both; /* highest of each; of a derivative by space and time, how many variables */
} Orders;

static void count_orders(const Ir *ir, Ref e, Orders *o, Memo *seen) {
    Ref done;
    if (!ir_has_net(ir, e) || memo_get(seen, e, 0, &done))
        return;
    memo_put(seen, e, 0, 1);
    if (ir_is(ir, e, OP_FIELD)) {
        uint32_t space = atom_space_order(ir, e), time = atom_time_order(ir, e);
        o->space = space > o->space ? space : o->space;
        o->time = time > o->time ? time : o->time;
        if (space && time)
            o->both = space + time > o->both ? space + time : o->both;
        return;
    }
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        count_orders(ir, ir_kid(ir, e, k), o, seen);
}

static Orders orders_of(Builder *b, Ref e) {
    Orders o = {0};
    Memo seen = {.arena = &b->c->arena};
    count_orders(b->ir, e, &o, &seen);
    return o;
}

static bool is_suitable(Builder *b) {
    const Problem *p = b->p;
    const Equation *eq = &p->equation.at[0];
    if (p->field.n > 1)
        return refuse(b, "a system: the errors of its fields are coupled",
                      p->equation.at[p->equation.n - 1].ast->span);
    if (p->equation.n > 1)
        return refuse(b, "several equations for one field", p->equation.at[1].ast->span);
    if (p->unknown.n)
        return refuse(b,
                      p->unknown.at[0].eigen
                          ? "an eigenproblem: adding a multiple of the solution changes nothing"
                          : "an unknown number, whose error is not known",
                      eq->ast->span);
    if (p->inside)
        return refuse(b, "a domain with `where`, whose edge paths do not find",
                      p->equation.at[0].ast->span);
    if (!p->space.n)
        return refuse(b, "no space in which paths could run", eq->ast->span);
    Orders o = orders_of(b, eq->residual);
    if (o.space > 2)
        return refuse(b, "derivatives beyond the second order in space: no process belongs to them",
                      eq->ast->span);
    if (o.time > 1)
        return refuse(b, "a second derivative by time: waves, which no process carries",
                      eq->ast->span);
    if (o.both)
        return refuse(b, "a derivative by space and time together", eq->ast->span);
    if (p->time && o.time == 0)
        return refuse(b, "no derivative by time", eq->ast->span);
    return true;
}

/* Coefficients may depend on the solution and its slopes: the network's value and gradient give them. */
static bool is_had(Builder *b, Ref e) {
    Orders o = orders_of(b, e);
    if (o.space < 2 && o.time == 0)
        return true;
    return refuse(b,
                  "the coefficients of the linearised equation depend on second derivatives (or on "
                  "the derivative "
                  "by time) of the solution",
                  b->p->equation.at[0].ast->span);
}

/* ---- the square root of a ---- */

/* A product in parts: what depends on k alone, on l alone, on both, on neither. */
typedef struct Parts {
    Ref k, l, both, rest;
} Parts;

/* The exponential of a sum is the product of exponentials. */
static void put_factor(Builder *b, Ref f, Parts *p) {
    Ir *ir = b->ir;
    bool has_k = ir_depends(ir, f, b->k), has_l = ir_depends(ir, f, b->l);
    bool splits = has_k && has_l && ir_is(ir, f, OP_FUNC) && ir_id(ir, f) == FUNC_exp &&
                  ir_is(ir, ir_kid(ir, f, 0), OP_ADD);
    for (uint32_t j = 0; splits && j < ir_arity(ir, ir_kid(ir, f, 0)); j++) {
        Ref term = ir_kid(ir, ir_kid(ir, f, 0), j);
        put_factor(b, ir_func(ir, FUNC_exp, 1, &term), p);
    }
    Ref *to = has_k && has_l ? &p->both : has_k ? &p->k : has_l ? &p->l : &p->rest;
    if (!splits)
        *to = ir_mul2(ir, *to, f);
}

static Parts parts_of(Builder *b, Ref term) {
    Ir *ir = b->ir;
    Ref one = ir_const(ir, 1);
    Parts p = {one, one, one, one};
    bool product = ir_is(ir, term, OP_MUL);
    for (uint32_t j = 0; j < (product ? ir_arity(ir, term) : 1); j++)
        put_factor(b, product ? ir_kid(ir, term, j) : term, &p);
    return p;
}

static bool is_constant(const Ir *ir, Ref e) {
    return !ir_has_net(ir, e) && !ir_contains(ir, e, OP_SPACE) && !ir_contains(ir, e, OP_TIME) &&
           !ir_contains(ir, e, OP_AUX);
}

/* The factor [k = l] of a product; *rest: the product without it, at l = k. */
static bool take_delta(Builder *b, Ref term, Ref *rest) {
    Ir *ir = b->ir;
    Ref delta = ir_delta(ir, b->k, b->l), product = ir_const(ir, 1);
    bool found = term == delta;
    for (uint32_t j = 0; ir_is(ir, term, OP_MUL) && j < ir_arity(ir, term); j++) {
        Ref f = ir_kid(ir, term, j);
        if (f == delta)
            found = true;
        else
            product = ir_mul2(ir, product, f);
    }
    *rest = ir_substitute(ir, product, b->l, b->k);
    return found;
}

static bool add_rank(Builder *b, const Parts *part) {
    Process *out = b->out;
    for (uint32_t r = 0; r < out->ranks; r++)
        if (out->vector[r] == part->k) {
            out->strength[r] = ir_add2(b->ir, out->strength[r], part->rest);
            return true;
        }
    if (out->ranks == PROCESS_RANKS)
        return refuse(
            b, "the second derivatives have a matrix of a form whose square root is not known",
            b->p->equation.at[0].ast->span);
    out->vector[out->ranks] = part->k;
    out->strength[out->ranks++] = part->rest;
    return true;
}

/* One term of (sigma sigma')_kl without [k = l]: a rank, or part of a constant matrix. */
static bool add_pair(Builder *b, Ref term) {
    Ir *ir = b->ir;
    Process *out = b->out;
    Parts part = parts_of(b, term);
    bool same = ir_substitute(ir, part.l, b->l, b->k) == part.k;
    if (same && ir_is_number(ir, part.both, 1))
        return add_rank(b, &part);
    Ref entry = ir_mul2(ir, part.rest, part.both);
    if (!same || !is_constant(ir, entry) || (out->matrix && out->scale != part.k))
        return refuse(
            b, "the second derivatives have a matrix of a form whose square root is not known",
            b->p->equation.at[0].ast->span);
    out->matrix = out->matrix ? ir_add2(ir, out->matrix, entry) : entry;
    out->scale = part.k;
    return true;
}

/* A factor of a product that is a sum and has k or l in it; 0: none. */
static Ref sum_factor(Builder *b, Ref term) {
    Ir *ir = b->ir;
    for (uint32_t j = 0; ir_is(ir, term, OP_MUL) && j < ir_arity(ir, term); j++) {
        Ref f = ir_kid(ir, term, j);
        if (ir_is(ir, f, OP_ADD) && (ir_depends(ir, f, b->k) || ir_depends(ir, f, b->l)))
            return f;
    }
    return 0;
}

/* Adds a part of (sigma sigma')_kl, products of sums written out. */
static bool separate(Builder *b, Ref square) {
    Ir *ir = b->ir;
    Process *out = b->out;
    Ref rest, factor = sum_factor(b, square);
    if (ir_is_number(ir, square, 0))
        return true;
    if (ir_is(ir, square, OP_ADD) || factor) {
        Ref sum = factor ? factor : square,
            outside = factor ? ir_div(ir, square, factor) : ir_const(ir, 1);
        for (uint32_t j = 0; j < ir_arity(ir, sum); j++)
            if (!separate(b, ir_mul2(ir, outside, ir_kid(ir, sum, j))))
                return false;
        return true;
    }
    if (written_take(ir, b->k, b->l, square, &b->written))
        return true;
    if (!take_delta(b, square, &rest))
        return add_pair(b, square);
    out->diagonal = ir_add2(ir, out->diagonal, rest);
    return true;
}

/* ---- conditions ---- */

/* Do two conditions stand at the same place? Where both name parts, the runtime looks which. */
static bool same_place(const ConditionRow *a, const ConditionRow *b) {
    return a->where == b->where && (a->on.n == 0 || b->on.n == 0);
}

/* The derivative by the coordinate whose end a face is points along its normal: gamma of d(u, x) on x = 1. 0: the
 * condition is not on one face, or not of that kind. */
static Ref along_face(Builder *b, const ConditionRow *row, Ref slope) {
    Ir *ir = b->ir;
    const Face *face = &row->on.at[0];
    if (row->on.n != 1 || !face->coordinate || face->side == FACE_BOTH)
        return 0;
    Ref number = ir_add2(ir, b->p->space.at[face->space].first, face->coordinate);
    Ref at = ir_substitute(ir, slope, b->k, number);
    Ref others = ir_sub(ir, slope, ir_mul2(ir, at, ir_delta(ir, b->k, number)));
    if (!ir_is_number(ir, ir_expand(ir, others), 0))
        return 0;
    return face->side == FACE_HIGH ? at : ir_neg(ir, at);
}

/* beta e + gamma d_n e, if the condition is on values or on the derivative along the normal. */
static bool read_edge(Builder *b, uint32_t number) {
    Ir *ir = b->ir;
    const ConditionRow *row = &b->p->condition.at[number];
    ProcessEdge edge = {.condition = number};
    if (row->observed)
        return refuse(b, "observations, which no path ends at", row->ast->span);
    if (row->where == COND_CONSTRAINT)
        return refuse(b, "a constraint on an integral, which no path ends at", row->ast->span);
    if (row->index)
        return true; /* a condition on gradients: the values are given by another one */
    Ref one = ir_const(ir, 1), slope = linearised(b, row->residual, step_along(b, b->k));
    Ref outward = ir_indexed(ir, OP_OUTWARD, 0, 1, &b->k);
    edge.gamma = along_face(b, row, slope);
    if (!edge.gamma)
        edge.gamma = ir_div(ir, slope, outward);
    if (!ir_is_number(ir, slope, 0) && ir_depends(ir, edge.gamma, b->k))
        return refuse(b, "a condition on a derivative that is not along the normal",
                      row->ast->span);
    if (b->p->time &&
        !ir_is_number(
            ir,
            linearised(b, row->residual, ir_sub(ir, ir_atom(ir, OP_TIME, 0), hidden(b, "$t0", 0))),
            0))
        return refuse(b, "a condition on the derivative by time", row->ast->span);
    edge.beta = trial_apply(b->c, b->p, linearised(b, row->residual, one));
    edge.reflects = !ir_is_number(ir, edge.gamma, 0);
    edge.gamma = edge.reflects ? trial_apply(b->c, b->p, edge.gamma) : ir_const(ir, 0);
    for (uint32_t j = 0; j < b->out->edge.n; j++)
        if (same_place(row, &b->p->condition.at[b->out->edge.at[j].condition]))
            return refuse(b, "several conditions at the same place", row->ast->span);
    VEC_PUSH(&b->c->arena, b->out->edge, edge);
    return true;
}

static bool has_edge(const Builder *b, AstOp where) {
    for (uint32_t j = 0; j < b->out->edge.n; j++)
        if (b->p->condition.at[b->out->edge.at[j].condition].where == where)
            return true;
    return false;
}

static bool classify(Builder *b) {
    const Problem *p = b->p;
    const Ast *equation = p->equation.at[0].ast;
    bool open = !domain_bounded(b->c);
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (!read_edge(b, k))
            return false;
    if (!open && !has_edge(b, COND_BOUNDARY))
        return refuse(b, "no condition on the boundary, where paths end", equation->span);
    bool initial = has_edge(b, COND_INITIAL), terminal = has_edge(b, COND_TERMINAL);
    if (!p->time) {
        if (open)
            return refuse(b, "neither a boundary nor an end of time, where paths would end",
                          equation->span);
        b->out->class = PROCESS_ELLIPTIC;
        return true;
    }
    if (initial == terminal)
        return refuse(
            b, initial ? "conditions at both ends of time" : "no condition at an end of time",
            equation->span);
    b->out->class = terminal ? PROCESS_TERMINAL : PROCESS_INITIAL;
    return true;
}

/* ---- everything ---- */

/* Without time, paths that are reflected must end by c or by what the boundary takes up. */
static bool ends(Builder *b) {
    const Process *p = b->out;
    bool fades = !ir_is_number(b->ir, p->rate, 0);
    for (uint32_t k = 0; k < p->edge.n; k++)
        fades = fades || !p->edge.at[k].reflects || !ir_is_number(b->ir, p->edge.at[k].beta, 0);
    if (p->class != PROCESS_ELLIPTIC || fades)
        return true;
    return refuse(
        b,
        "only derivatives are given, inside and on the boundary: the solution is known up to "
        "a constant only",
        b->p->equation.at[0].ast->span);
}

static bool build(Builder *b) {
    Ir *ir = b->ir;
    const Equation *eq = &b->p->equation.at[0];
    Process *out = b->out;
    if (!is_suitable(b))
        return false;
    b->exponential = out->logarithm = problem_is_exponential(b->c, 0);
    Ref xk = step_along(b, b->k), xl = step_along(b, b->l);
    Ref t = ir_sub(ir, ir_atom(ir, OP_TIME, 0), hidden(b, "$t0", 0));
    Ref rate = rate_of(b, eq->residual), drift = linearised(b, eq->residual, xk);
    Ref tau = b->p->time ? linearised(b, eq->residual, t) : ir_const(ir, 0);
    Ref square = ir_expand(ir, linearised(b, eq->residual, ir_mul2(ir, xk, xl)));
    if (!is_had(b, rate) || !is_had(b, drift) || !is_had(b, tau) || !is_had(b, square))
        return false;
    out->diagonal = ir_const(ir, 0);
    if (!separate(b, square) || !classify(b))
        return false;
    if (!written_finish(ir, b->k, &b->written, out))
        return refuse(
            b, "the second derivatives have a matrix of a form whose square root is not known",
            eq->ast->span);
    Ref diagonal = out->diagonal;
    out->drift = in_net(b, drift, eq->divisor);
    out->rate = in_net(b, rate, eq->divisor);
    out->tau = in_net(b, tau, eq->divisor);
    out->diagonal = in_net(b, out->diagonal, eq->divisor);
    for (uint32_t r = 0; r < out->ranks; r++) {
        out->vector[r] = in_net(b, out->vector[r], ir_const(ir, 1));
        out->strength[r] = in_net(b, out->strength[r], eq->divisor);
    }
    Ref one = ir_const(ir, 1);
    out->bend_rate = in_net(b, bend(b, rate, one), eq->divisor);
    out->bend_drift = in_net(b, bend(b, drift, one), eq->divisor);
    out->bend_diagonal = in_net(b, bend(b, diagonal, one), eq->divisor);
    out->bend_slope = in_net(b, bend(b, drift, xk), eq->divisor);
    Ref less = ir_neg(ir, hidden(b, PROCESS_SHIFT, 0));
    out->rate_less = in_net(b, moved(b, rate, less), eq->divisor);
    out->rate_more = in_net(b, moved(b, rate, hidden(b, PROCESS_SHIFT, 0)), eq->divisor);
    out->drift_less = in_net(b, moved(b, drift, less), eq->divisor);
    out->linear = !ir_has_net(ir, drift) && !ir_has_net(ir, rate) && !ir_has_net(ir, tau) &&
                  !ir_has_net(ir, square);
    out->diffuses = !ir_is_number(ir, out->diagonal, 0) || out->ranks || out->matrix;
    return ends(b);
}

/* Of what a report asks for: the field or one derivative of it, whose errors paths can tell. */
static int64_t asked(const Ir *ir, Ref value) {
    double k;
    if (!ir_is(ir, value, OP_FIELD) || ir_arity(ir, value) > 1)
        return -1;
    if (ir_arity(ir, value) == 0)
        return 0;
    Ref by = ir_kid(ir, value, 0);
    return ir_is(ir, by, OP_SPACE) && ir_is_const(ir, ir_kid(ir, by, 0), &k) ? (int64_t)k : -1;
}

const char *process_class_name(ProcessClass class) {
    static const char *const name[] = {
#define PROCESS(id, name, where) name,
        PROCESS_CLASSES(PROCESS)
#undef PROCESS
    };
    return name[class];
}

const Process *process_build(Compilation *c) {
    Process *out = NEW(&c->arena, Process);
    *out = (Process){.index = ir_fresh_index(c->ir), .other = ir_fresh_index(c->ir)};
    Builder b = {
        .c = c, .ir = c->ir, .p = c->problem, .out = out, .k = out->index, .l = out->other};
    for (int j = 0; j < 2; j++)
        b.within[j] = ir_in(c->ir, j ? b.l : b.k, ir_const(c->ir, 1), c->problem->d);
    for (uint32_t k = 0; k < c->problem->report.n; k++)
        VEC_PUSH(&c->arena, out->asked, asked(c->ir, c->problem->report.at[k].value));
    if (c->problem->tensor_net)
        refuse(&b, "a tensor network: its own bound is printed instead",
               c->problem->equation.at[0].ast->span);
    else if (c->problem->equation.n == 0 || !build(&b))
        out->class = PROCESS_NONE;
    ProvenBounds proven = principle_bounds(c, out);
    out->low = proven.low;
    out->high = proven.high;
    return out;
}
