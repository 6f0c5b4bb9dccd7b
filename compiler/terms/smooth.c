/* smooth.c: the pass smooth: does a derivative leave out a delta?
 *
 * requires: a lowered problem without errors. establishes nothing: errs. The statements are lowered once more with
 * derivatives that keep their deltas (ir/lost.c). What is left of these once the trial function, or the exact
 * solution, is put in would be lost in training: no point sees it, and the loss is small for a wrong solution. It
 * runs last but for `solution`: nodes made here change no kernel. */
#include <string.h>

#include "base/compilation.h"
#include "ir/lost.h"
#include "ir/problem.h"
#include "ir/tangent.h"
#include "pass.h"
#include "terms/vanish.h"

enum { LONG_PLACE = 60 }; /* characters: from here on it tells nobody anything */

/* What holds the function that is derived. */
typedef enum Holder { IN_STATEMENT, IN_TRIAL, IN_EXACT } Holder;

typedef struct Smooth {
    Compilation *c;
    Problem *p;
    Ir *ir;
    Vanish vanish;
    Ref *trial, *exact;   /* by field; 0: none stated */
    const Ast *statement; /* that is looked at */
    Holder holder;
} Smooth;

/* ---- messages ---- */

/* A function, by how its text begins, what is wrong with it and what to write instead. */
typedef struct Rough {
    const char *begins, *what, *instead;
} Rough;

static const Rough ROUGH[] = {
    {"abs", "has a kink", "sqrt(z^2 + eps^2) for abs(z)"},
    {"max_", "has kinks", "log(sum_i exp(k*z_i))/k for max_i z_i, k no larger than exp can take"},
    {"min_", "has kinks", "-log(sum_i exp(-k*z_i))/k for min_i z_i, k no larger than exp can take"},
    {"max", "has a kink", "(z + sqrt(z^2 + eps^2))/2 for max(z, 0)"},
    {"min", "has a kink", "(z - sqrt(z^2 + eps^2))/2 for min(z, 0)"},
    {"sign", "jumps", "tanh(k*z) for sign(z)"},
    {"step", "jumps", "(1 + tanh(k*z))/2 for step(z)"},
    {"atan", "jumps through a pole",
     "an argument that stays finite: atan(z/(z^2 + eps^2)) for atan(1/z)"},
    {"tanh", "jumps through a pole",
     "an argument that stays finite: tanh(z/(z^2 + eps^2)) for tanh(1/z)"},
    {"erf", "jumps through a pole",
     "an argument that stays finite: erf(z/(z^2 + eps^2)) for erf(1/z)"},
    {"exp", "jumps through a pole",
     "an argument that stays finite: exp(z/(z^2 + eps^2)) for exp(1/z)"},
    {"asin", "has kinks where its argument is 1 or -1", "what the angle was taken from"},
    {"acos", "has kinks where its argument is 1 or -1", "what the angle was taken from"},
    {"norm", "has a singular point", "sqrt(norm(z)^2 + eps^2) for norm(z)"},
    {"", "is not smooth enough", "sqrt(z + eps^2) for sqrt(z), and the like"},
};

static const Rough *rough_at(const Compilation *c, Span span) {
    Str text = source_text(c, span);
    const Rough *r = ROUGH;
    while (strlen(r->begins) > text.n || memcmp(r->begins, text.s, strlen(r->begins)) != 0)
        r++;
    return r;
}

static const Ast *statement_at(const Compilation *c, Span span) {
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        if (s->span.lo <= span.lo && span.hi <= s->span.hi)
            return s;
    }
    return NULL;
}

/* Could the function have come in through this statement? */
static bool brings(const Smooth *m, const Ast *s) {
    switch (m->holder) {
    case IN_STATEMENT:
        return s == m->statement;
    case IN_EXACT:
        return s->kind == AST_EXACT;
    case IN_TRIAL:
        break;
    }
    return s->kind == AST_ANSATZ || s->kind == AST_SOLVE || (s->kind == AST_CONDITION && s->flag);
}

static const Ast *written_alike(const Compilation *c, const Ast *e, Str text) {
    if (!e)
        return NULL;
    Str own = source_text(c, e->span);
    if (own.n == text.n && memcmp(own.s, text.s, text.n) == 0)
        return e;
    const Ast *found = NULL;
    for (uint32_t k = 0; k < e->n && !found; k++)
        found = written_alike(c, e->kid[k], text);
    return found;
}

/* Equal functions are one node, which remembers its first place: the one that matters may be another. */
static Span place_of(const Smooth *m, Ref lost) {
    const Compilation *c = m->c;
    Span span = m->ir->trail.at[lost];
    const Ast *home = statement_at(c, span), *found = NULL;
    if (!home)
        return m->statement->span;
    for (uint32_t k = 0; k < c->program->n && !brings(m, home) && !found; k++)
        if (brings(m, c->program->kid[k]))
            found = written_alike(c, c->program->kid[k], source_text(c, span));
    return found ? found->span : span;
}

static bool has_ansatz(const Problem *p) {
    for (uint32_t f = 0; f < p->field.n; f++)
        if (p->field.at[f].ansatz)
            return true;
    return false;
}

/* Where to write what else, by where the function stands and what it came in through. */
static const char *way_out(const Smooth *m, const Ast *home) {
    AstKind kind = home ? home->kind : AST_LET;
    if (m->holder == IN_EXACT)
        return "this function is no solution: a source that follows from it would lack the delta, "
               "and so would the "
               "equation; state another solution, or leave `exact` and the source out";
    if (kind == AST_SOLVE)
        return "leave it out of the features: the network is differentiated through them";
    if (m->holder == IN_STATEMENT || kind == AST_EQUATION)
        return "what stands under a derivative must be smooth enough: there is no weak form";
    if (kind == AST_ANSATZ || has_ansatz(m->p))
        return "an ansatz is differentiated as it stands: state the condition without `exactly` "
               "instead, so that it is "
               "a loss";
    return "leave `exactly` out: the condition is then a loss on its own points, and its data are "
           "not differentiated";
}

static const char *where_lost(const Smooth *m, Ref lost) {
    Ir *ir = m->ir;
    Ref a = ir_kid(ir, lost, 0);
    if (lost_at_tie(ir, a))
        return "where two entries are equal";
    Text out = {.arena = ir->arena};
    text_printf(&out, "where %s = 0", ir_text(ir, ir_is(ir, lost, OP_POLE) ? ir_kid(ir, a, 0) : a));
    return out.n <= LONG_PLACE ? text_cstr(&out) : "inside the domain";
}

static void complain(const Smooth *m, Ref lost) {
    Compilation *c = m->c;
    Span span = place_of(m, lost);
    const Ast *home = statement_at(c, span);
    const Rough *r = rough_at(c, span);
    Str text = source_text(c, span);
    Diag *d = diag(c, E0571, span, (int)text.n, text.s, where_lost(m, lost));
    diag_label(c, d, "%s", r->what);
    if (home && home != m->statement)
        diag_also(c, d, m->statement->span, "differentiated here");
    diag_note(c, d, "%s", way_out(m, home));
    diag_note(c, d, "or smooth it, as %s", r->instead);
}

/* ---- what is left ---- */

static bool has_lost(const Ir *ir, Ref e) {
    return ir_contains(ir, e, OP_DIRAC) || ir_contains(ir, e, OP_POLE);
}

/* Sums over one range have one index, so that their terms meet. */
typedef struct Range {
    Ref lo, hi, index, total;
} Range;

typedef struct Parts {
    Ref direct;
    VEC(Range) range;
} Parts;

static void add_sum(Smooth *m, Parts *parts, Ref factor, Ref sum) {
    Ir *ir = m->ir;
    Ref lo = ir_kid(ir, sum, 0), hi = ir_kid(ir, sum, 1);
    uint32_t k = 0;
    while (k < parts->range.n && (parts->range.at[k].lo != lo || parts->range.at[k].hi != hi))
        k++;
    if (k == parts->range.n)
        VEC_PUSH(ir->arena, parts->range, ((Range){lo, hi, ir_fresh_index(ir), ir_const(ir, 0)}));
    Range *r = &parts->range.at[k];
    r->total = ir_add2(ir, r->total, ir_mul2(ir, factor, ir_open_as(ir, sum, r->index)));
}

/* factor * e as sums over ranges and the rest, as far as something is lost in it. */
static void take_apart(Smooth *m, Parts *parts, Ref factor, Ref e) {
    Ir *ir = m->ir;
    Ref only = 0;
    uint32_t holding = 0;
    if (!has_lost(ir, e))
        return;
    if (ir_is(ir, e, OP_ADD)) {
        for (uint32_t k = 0; k < ir_arity(ir, e); k++)
            take_apart(m, parts, factor, ir_kid(ir, e, k));
        return;
    }
    for (uint32_t k = 0; k < ir_arity(ir, e) && ir_is(ir, e, OP_MUL); k++)
        if (has_lost(ir, ir_kid(ir, e, k))) {
            only = ir_kid(ir, e, k);
            holding++;
        }
    if (ir_is(ir, e, OP_SUM))
        add_sum(m, parts, factor, e);
    else if (holding == 1 && !ir_is(ir, only, OP_POW))
        take_apart(m, parts, ir_mul2(ir, factor, ir_div(ir, e, only)), only);
    else
        parts->direct = ir_add2(ir, parts->direct, ir_mul2(ir, factor, e));
}

typedef struct Put {
    Ref one; /* this one is 1, others are 0 */
} Put;

static Ref put_lost(Ir *ir, Ref e, void *context) {
    const Put *put = context;
    return lost_is(ir, e) ? ir_const(ir, e == put->one) : 0;
}

static void look(Smooth *m, Ref e);

/* The function whose data are known is asked about once, with fields as they are; what depends on the unknown
 * later, with the trial function in. */
static bool is_asked(const Smooth *m, Ref lost) {
    return m->holder != IN_STATEMENT || !ir_has_net(m->ir, lost);
}

static void look_direct(Smooth *m, Ref whole, Ref e, Memo *seen) {
    Ir *ir = m->ir;
    Ref before, index;
    if (memo_get(seen, e, 0, &before) || !has_lost(ir, e))
        return;
    memo_put(seen, e, 0, 1);
    if (lost_is(ir, e)) {
        Put one = {e}, none = {0};
        Ref factor = ir_sub(ir, ir_rewrite(ir, whole, put_lost, &one),
                            ir_rewrite(ir, whole, put_lost, &none));
        if (is_asked(m, e) && !vanish_is_nothing(&m->vanish, e, factor))
            complain(m, e);
    } else if (ir_is_binder(ir_op(ir, e))) {
        Ref body = ir_open(ir, e, &index);
        look(m, body);
    } else {
        for (uint32_t k = 0; k < ir_arity(ir, e); k++)
            look_direct(m, whole, ir_kid(ir, e, k), seen);
    }
}

static void look(Smooth *m, Ref e) {
    Parts parts = {.direct = ir_const(m->ir, 0)};
    Memo seen = {.arena = m->ir->arena};
    take_apart(m, &parts, ir_const(m->ir, 1), e);
    look_direct(m, parts.direct, parts.direct, &seen);
    for (uint32_t k = 0; k < parts.range.n; k++)
        look(m, parts.range.at[k].total);
}

/* ---- statements ---- */

static void look_at_statement(Smooth *m, const Ast *s, Ref e) {
    Ir *ir = m->ir;
    uint32_t before = diag_errors(m->c), fields = m->p->field.n;
    m->statement = s;
    m->holder = IN_STATEMENT;
    look(m, e);
    if (diag_errors(m->c) > before || !ir_has_net(ir, e))
        return;
    m->holder = IN_TRIAL;
    look(m, tangent_by_inputs(ir, ir_replace_fields(ir, e, OP_FIELD, fields, m->trial)));
    m->holder = IN_EXACT;
    Ref known = ir_replace_fields(ir, e, OP_FIELD, fields, m->exact);
    if (diag_errors(m->c) == before && !ir_has_net(ir, known))
        look(m, known);
}

/* Left minus right, or of vectors one entry of it. */
static Ref difference(Compilation *c, const Ast *left, const Ast *right) {
    Ref index = ir_fresh_index(c->ir), side[2];
    for (int k = 0; k < 2; k++) {
        const Ast *e = k ? right : left;
        side[k] = lower_rank(c, e) ? lower_entry(c, e, index) : lower_scalar(c, NULL, e);
    }
    return ir_sub(c->ir, side[0], side[1]);
}

static void state_functions(Smooth *m) {
    Compilation *c = m->c;
    m->trial = NEW_ARRAY(&c->arena, Ref, m->p->field.n + 1);
    m->exact = NEW_ARRAY(&c->arena, Ref, m->p->field.n + 1);
    for (uint32_t f = 0; f < m->p->field.n; f++)
        m->trial[f] = m->p->field.at[f].trial;
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        int f = s->kind == AST_ANSATZ || s->kind == AST_EXACT ? problem_field(m->p, s->kid[0]->name)
                                                              : -1;
        if (f < 0)
            continue;
        m->p->net_field = (uint32_t)f;
        *(s->kind == AST_ANSATZ ? &m->trial[f] : &m->exact[f]) = lower_scalar(c, NULL, s->kid[1]);
    }
}

static void look_at_all(Smooth *m) {
    Compilation *c = m->c;
    Problem *p = m->p;
    state_functions(m);
    for (uint32_t e = 0; e < p->equation.n; e++)
        look_at_statement(
            m, p->equation.at[e].ast,
            difference(c, p->equation.at[e].ast->kid[0], p->equation.at[e].ast->kid[1]));
    for (uint32_t k = 0; k < p->condition.n; k++) {
        const ConditionRow *row = &p->condition.at[k];
        if (row->observed) /* its data are numbers of a point: nothing there is differentiated */
            look_at_statement(m, row->ast, row->residual);
        else if (row->state == CONDITION_SOFT)
            look_at_statement(m, row->ast, difference(c, row->ast->kid[0], row->ast->kid[1]));
    }
    for (uint32_t k = 0; k < p->report.n; k++)
        look_at_statement(m, p->report.at[k].ast,
                          lower_scalar(c, NULL, p->report.at[k].ast->kid[0]));
    for (uint32_t k = 0; k < p->reference.n; k++)
        look_at_statement(m, p->reference.at[k].ast,
                          lower_scalar(c, NULL, p->reference.at[k].ast->kid[1]));
}

/* ---- the pass ---- */

static bool moves(const Ir *ir, Ref e) {
    return ir_has_net(ir, e) || ir_contains(ir, e, OP_SPACE) || ir_contains(ir, e, OP_TIME) ||
           ir_contains(ir, e, OP_AUX);
}

/* A root, or a power of squares that is no polynomial: sqrt(1 - x_1^2), norm(x), 1/norm(x). */
static bool is_rough_power(const Ir *ir, Ref e) {
    double c;
    if (!ir_is(ir, e, OP_POW) ||
        (ir_is_const(ir, ir_kid(ir, e, 1), &c) && c >= 0 && c - (double)(int64_t)c <= 0))
        return false;
    return (lost_square_sum(ir, ir_kid(ir, e, 0)) || lost_is_root(ir, e)) && moves(ir, e);
}

static bool holds_rough_power(const Ir *ir, Ref e, bool *seen) {
    if (!e || seen[e])
        return false;
    seen[e] = true;
    if (is_rough_power(ir, e))
        return true;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (holds_rough_power(ir, ir_kid(ir, e, k), seen))
            return true;
    return false;
}

static bool is_rough_function(const Ir *ir, Ref e) {
    if (ir_is(ir, e, OP_MAX) || ir_is(ir, e, OP_MIN))
        return true;
    Func f = ir_is(ir, e, OP_FUNC) ? (Func)ir_id(ir, e) : FUNC_exp;
    return f == FUNC_abs || f == FUNC_sign || f == FUNC_step || f == FUNC_max || f == FUNC_min ||
           f == FUNC_asin || f == FUNC_acos ||
           (lost_tells_ends(f) && lost_has_pole(ir, ir_kid(ir, e, 0)));
}

/* Is there anything whose derivatives could be lost? A jump may be gone from the residual once it is derived, so
 * every node counts; powers stay, and norm(x)^2 leaves a root behind that nobody uses. */
static bool is_rough(const Problem *p, Ir *ir) {
    for (Ref e = 1; e < ir->node.n; e++)
        if (is_rough_function(ir, e) && moves(ir, e))
            return true;
    bool *seen = NEW_ARRAY(ir->arena, bool, ir->node.n), found = false;
    for (uint32_t f = 0; f < p->field.n; f++)
        found |= holds_rough_power(ir, p->field.at[f].trial, seen) ||
                 holds_rough_power(ir, p->field.at[f].exact, seen);
    for (uint32_t k = 0; k < p->equation.n; k++)
        found |= holds_rough_power(ir, p->equation.at[k].in_net, seen);
    for (uint32_t k = 0; k < p->condition.n; k++)
        found |= holds_rough_power(ir, p->condition.at[k].in_net, seen);
    for (uint32_t k = 0; k < p->report.n; k++)
        found |= holds_rough_power(ir, p->report.at[k].in_net, seen);
    for (uint32_t k = 0; k < p->reference.n; k++)
        found |= holds_rough_power(ir, p->reference.at[k].value, seen);
    for (uint32_t k = 0; p->features && k < p->features->at.n; k++)
        found |= holds_rough_power(ir, p->features->at.at[k].value, seen);
    return found;
}

void smooth_run(Compilation *c) {
    Smooth m = {.c = c, .p = c->problem, .ir = c->ir};
    if (!is_rough(c->problem, c->ir) || !vanish_open(c, &m.vanish))
        return;
    Memo *classical = c->ir->diff_memo, lets = c->problem->lets;
    uint32_t expectations = c->problem->expectation.n;
    c->ir->diff_memo = NEW(&c->arena, Memo);
    c->ir->diff_memo->arena = &c->arena;
    c->problem->lets = (Memo){.arena = &c->arena};
    c->ir->keep_deltas = true;
    look_at_all(&m);
    c->ir->keep_deltas = false;
    c->ir->diff_memo = classical;
    c->problem->lets = lets;
    c->problem->expectation.n = expectations;
}
