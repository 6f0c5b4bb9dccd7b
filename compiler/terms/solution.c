/* solution.c: does the stated exact solution solve the stated problem?
 *
 * requires: residuals in FIELD atoms with their sources solved. establishes nothing: warns and errs.
 * An `exact` that is none would be scored against in silence. What rewriting makes 0 is accepted at
 * once; the rest is evaluated at a few points, beside the size of its own terms. Dims are cut down,
 * so the cost does not depend on d; what fails there is looked at once more with the stated dims, as
 * a right-hand side may hold for one d only. It runs last: nodes made here change no kernel. */
#include <math.h>

#include "base/compilation.h"
#include "eval/domain_points.h"
#include "lower/trial.h"
#include "pass.h"

enum { POINTS = 6, SMALL = 12, STEPS = 60000, STEPS_WHOLE = 400000 };

static const double ROUNDING = 1e-9; /* of everything that was added up on the way */
static const double NEARLY = 1e-7;   /* of the terms: from here on it is said */
static const double WRONG = 1e-3;    /* of the terms: from here on it is an error */

/* What is looked at: one equation or condition with the exact solution put in. */
typedef struct Claim {
    Compilation *c;
    const Ast *ast;
    bool inside; /* an equation: it holds in the domain */
    AstOp where; /* else: COND_... */
    const Faces *on;
    Ref value, terms,
        all;     /* left - right; sizes of its terms, and of all that is added up in them */
    bool square; /* of vectors: value is a mean of squares, sizes too */
} Claim;

/* Points where a claim was evaluated. owner: the arena */
typedef struct Trial {
    Regions region;
    Values values;
    EvalInput in;
    double *x, *normal, t[POINTS];
} Trial;

/* ---- expressions ---- */

static Ref exact_put(Compilation *c, Ref e) {
    const Problem *p = c->problem;
    Ref *exact = NEW_ARRAY(&c->arena, Ref, p->field.n + 1);
    for (uint32_t f = 0; f < p->field.n; f++)
        exact[f] = p->field.at[f].exact;
    e = problem_put_sources(c, p, e);
    e = ir_replace_fields(c->ir, e, OP_FIELD, p->field.n, exact);
    for (uint32_t u = 0; u < p->unknown.n; u++)
        if (p->unknown.at[u].exact)
            e = problem_put_unknown(c, e, p->unknown.at[u].name, p->unknown.at[u].exact);
    return e;
}

static Ref absolute(Ir *ir, Ref e) {
    return ir_func(ir, FUNC_abs, 1, &e);
}

/* The absolute values of what e adds up: sums lose their cancellation. Indicators stay factors. */
static Ref size_of(Compilation *c, Ref e) {
    Ir *ir = c->ir;
    Op op = ir_op(ir, e);
    if (op == OP_DELTA || op == OP_IN)
        return e;
    if (op == OP_SUM) {
        Ref index, body = ir_open(ir, e, &index);
        return ir_reduce(ir, OP_SUM, index, ir_kid(ir, e, 0), ir_kid(ir, e, 1), size_of(c, body));
    }
    if (op != OP_ADD && op != OP_MUL)
        return absolute(ir, e);
    Ref *kid = NEW_ARRAY(&c->arena, Ref, ir_arity(ir, e));
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        kid[k] = size_of(c, ir_kid(ir, e, k));
    return op == OP_ADD ? ir_add(ir, ir_arity(ir, e), kid) : ir_mul(ir, ir_arity(ir, e), kid);
}

static bool has_unknown(Compilation *c, Ref e) {
    return ir_has_net(c->ir, e) || ir_contains(c->ir, e, OP_UNKNOWN) ||
           ir_contains(c->ir, e, OP_EXPECT) || ir_contains(c->ir, e, OP_AUX) ||
           ir_contains(c->ir, e, OP_SOURCE);
}

static bool needs_file(Compilation *c, Ref e) {
    for (uint32_t k = 0; k < c->problem->tensor.n; k++)
        if (c->problem->tensor.at[k].file &&
            values_uses_tensor(c, e, c->problem->tensor.at[k].name))
            return true;
    return false;
}

/* ---- points ---- */

/* cap: dims are at most this; 0: as the file says. */
static bool trial_open(Compilation *c, Ref e, int64_t cap, uint64_t steps, Trial *t) {
    NpyFile none = {0};
    *t = (Trial){.values = {.cap = cap ? cap : INT64_MAX}};
    if (values_collect(c, e, &none, &t->values) || region_of(c, &t->values, &t->region))
        return false;
    int64_t d = t->values.d;
    if (d < 1 || (uint64_t)d > steps || !region_is_valid(&t->region))
        return false;
    t->x = NEW_ARRAY(&c->arena, double, POINTS *d);
    t->normal = NEW_ARRAY(&c->arena, double, POINTS *d);
    t->in = values_input(&t->values);
    t->in.points = POINTS;
    t->in.x = t->x;
    t->in.t = c->problem->time ? t->t : NULL;
    t->in.normal = t->normal;
    t->in.fuel = steps;
    return true;
}

/* False: the part of the boundary is not there in so few dimensions. */
static bool trial_place(Trial *t, const Claim *claim) {
    const Regions *r = &t->region;
    FaceNumbers faces = {0};
    if (claim->on && faces_of(claim->c, &t->values, r, claim->on, &faces))
        return false;
    for (uint32_t p = 0; p < POINTS; p++) {
        double *x = t->x + p * r->d;
        region_draw(r, p, x, &t->t[p]);
        if (!claim->inside && claim->where == COND_BOUNDARY)
            region_to_faces(r, &faces, p, x);
        else if (!claim->inside)
            t->t[p] = claim->where == COND_INITIAL ? r->t_lo : r->t_hi;
        region_outward(r, x, t->normal + p * r->d);
    }
    return true;
}

static const char *place_text(Compilation *c, const Trial *t, uint32_t point) {
    return region_place_text(c, &t->region, t->x + point * t->region.d, &t->t[point]);
}

/* ---- verdicts ---- */

typedef struct Deviation {
    double residual, relative; /* at the worst point */
    uint32_t point;
} Deviation;

/* The largest size of a condition's terms in the whole domain, its centre first: at the condition's own
 * points a solution may vanish, or nearly so far out, and rounding is all that is left there. */
static double size_inside(const Claim *claim, Trial *t) {
    const Claim anywhere = {.inside = true};
    double terms[POINTS], largest = 0;
    (void)trial_place(t, &anywhere);
    region_centre(&t->region, t->x);
    if (eval_double(claim->c->ir, claim->terms, &t->in, terms))
        return 0;
    for (uint32_t p = 0; p < POINTS; p++)
        largest = isfinite(terms[p]) ? fmax(largest, terms[p]) : largest;
    return largest;
}

/* Which of the points belong to the domain; all where that cannot be said. */
static void belongs(Compilation *c, const Trial *t, bool *out) {
    double inside[POINTS];
    bool said = c->problem->inside && !needs_file(c, c->problem->inside) &&
                !eval_double(c->ir, c->problem->inside, &t->in, inside);
    for (uint32_t p = 0; p < POINTS; p++)
        out[p] = !said || inside[p] > 0.5;
}

/* False: it cannot be said. */
static bool measure(const Claim *claim, Trial *t, Deviation *worst) {
    double value[POINTS], terms[POINTS], all[POINTS];
    bool there[POINTS];
    Ir *ir = claim->c->ir;
    double inside = claim->inside ? 0 : size_inside(claim, t);
    *worst = (Deviation){0};
    if (!trial_place(t, claim) || eval_double(ir, claim->value, &t->in, value) ||
        eval_double(ir, claim->terms, &t->in, terms) || eval_double(ir, claim->all, &t->in, all))
        return false;
    belongs(claim->c, t, there);
    for (uint32_t p = 0; p < POINTS; p++) {
        double gap = fabs(value[p]), size = fmax(terms[p], inside), sum = fmax(all[p], inside);
        if (!there[p] || !isfinite(gap) || !isfinite(size) || !isfinite(sum))
            continue;
        if (claim->square) {
            gap = sqrt(gap);
            size = sqrt(size);
            sum = sqrt(sum);
        }
        double relative = gap <= ROUNDING * sum || !(size > 0) ? 0 : gap / size;
        if (relative > worst->relative)
            *worst = (Deviation){claim->square ? gap : value[p], relative, p};
    }
    return true;
}

/* The statement `exact` of a name; of any name if it is 0. */
static const Ast *exact_of(const Compilation *c, Sym name) {
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        if (s->kind == AST_EXACT && (!name || s->kid[0]->name == name))
            return s;
    }
    return NULL;
}

static bool holds_field(const Ir *ir, Ref e, uint32_t field) {
    if (!ir_has_net(ir, e))
        return false;
    if (ir_is(ir, e, OP_FIELD))
        return ir_id(ir, e) == field;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (holds_field(ir, ir_kid(ir, e, k), field))
            return true;
    return false;
}

static void complain(const Claim *claim, const Trial *t, const Deviation *found, Ref residual) {
    static const char *const where[] = {"boundary", "initial", "terminal", "observe", "constraint"};
    Compilation *c = claim->c;
    bool wrong = found->relative > WRONG;
    const char *what = claim->inside ? "the equation" : where[claim->where - COND_BOUNDARY];
    const char *kind = claim->inside ? "" : " condition";
    Diag *d = diag(c, wrong ? (claim->inside ? E0595 : E0597) : W1205, claim->ast->span, what, kind,
                   found->residual, place_text(c, t, found->point), found->relative);
    diag_label(c, d, "left minus right is %.3g there", found->residual);
    for (uint32_t f = 0; f < c->problem->field.n; f++) {
        const Ast *exact = exact_of(c, c->problem->field.at[f].name);
        if (exact && holds_field(c->ir, residual, f))
            diag_also(c, d, exact->span, "stated to be the solution");
    }
    if (wrong && claim->inside)
        diag_note(c, d,
                  "to make it one, write the right-hand side as a name g with "
                  "\"source g from exact\"; or leave `exact` out");
    else if (wrong)
        diag_note(c, d,
                  "correct one of the two, or leave `exact` out: the condition is what is trained");
}

static void judge(const Claim *claim, Ref residual) {
    Compilation *c = claim->c;
    Trial t;
    Deviation found;
    if (ir_is_number(c->ir, claim->value, 0) || has_unknown(c, claim->value) ||
        needs_file(c, claim->value))
        return;
    if (trial_open(c, claim->value, SMALL, STEPS, &t) && measure(claim, &t, &found) &&
        found.relative <= NEARLY)
        return;
    if (trial_open(c, claim->value, 0, STEPS_WHOLE, &t) && measure(claim, &t, &found) &&
        found.relative > NEARLY)
        complain(claim, &t, &found, residual);
}

/* ---- the pass ---- */

/* Every field of the residual has an exact solution? */
static bool is_stated(const Compilation *c, Ref residual) {
    for (uint32_t f = 0; f < c->problem->field.n; f++)
        if (!c->problem->field.at[f].exact && holds_field(c->ir, residual, f))
            return false;
    return true;
}

static void judge_equation(Compilation *c, Equation *eq) {
    Ref value = exact_put(c, eq->residual);
    if (!is_stated(c, eq->residual) || ir_is_number(c->ir, value, 0))
        return;
    eq->claims = !has_unknown(c, value);
    Claim claim = {.c = c, .ast = eq->ast, .inside = true, .value = value};
    claim.terms = exact_put(c, size_of(c, problem_put_sources(c, c->problem, eq->residual)));
    claim.all = size_of(c, value);
    judge(&claim, eq->residual);
}

static void judge_condition(Compilation *c, ConditionRow *row) {
    Ir *ir = c->ir;
    Ref value = exact_put(c, row->residual);
    if (!is_stated(c, row->residual) || ir_is_number(ir, value, 0) || row->observed ||
        row->where == COND_CONSTRAINT)
        return;
    row->claims = !has_unknown(c, value);
    Claim claim = {.c = c, .ast = row->ast, .where = row->where, .on = &row->on, .value = value};
    Ref of = row->index ? row->entry : row->residual;
    claim.terms = exact_put(c, size_of(c, of));
    claim.all = size_of(c, exact_put(c, of));
    if (row->index) {
        claim.square = true;
        Ref *part[] = {&claim.terms, &claim.all};
        for (int k = 0; k < 2; k++)
            *part[k] = ir_div(ir,
                              ir_reduce(ir, OP_SUM, row->index, ir_const(ir, 1), row->entries,
                                        ir_powi(ir, *part[k], 2)),
                              row->entries);
    }
    judge(&claim, row->residual);
}

/* Points of R(d) are the user's to draw: what is no number at ours may be one at theirs, and pderun
 * looks at its own test points. */
static void judge_finite(Compilation *c, const Field *field) {
    double value[POINTS];
    Trial t;
    Claim anywhere = {.c = c, .inside = true};
    if (!domain_bounded(c) || has_unknown(c, field->exact) || needs_file(c, field->exact) ||
        !trial_open(c, field->exact, SMALL, STEPS, &t))
        return;
    (void)trial_place(&t, &anywhere);
    if (eval_double(c->ir, field->exact, &t.in, value))
        return;
    bool there[POINTS];
    belongs(c, &t, there);
    for (uint32_t p = 0; p < POINTS; p++) {
        if (isfinite(value[p]) || !there[p])
            continue;
        const Ast *exact = exact_of(c, field->name);
        Str name = sym_str(c, field->name);
        Diag *d = diag(c, E0596, exact->span, (int)name.n, name.s,
                       isnan(value[p]) ? "not a number" : "infinite", place_text(c, &t, p));
        diag_label(c, d, "no value there");
        diag_note(c, d,
                  "errors are measured against it at random points of the whole domain: make the "
                  "domain smaller, or leave `exact` out");
        return;
    }
}

void solution_run(Compilation *c) {
    const Problem *p = c->problem;
    for (uint32_t f = 0; f < p->field.n; f++)
        if (p->field.at[f].exact)
            judge_finite(c, &p->field.at[f]);
    if (diag_errors(c) || !exact_of(c, 0))
        return;
    for (uint32_t e = 0; e < p->equation.n; e++)
        judge_equation(c, &p->equation.at[e]);
    for (uint32_t k = 0; k < p->condition.n; k++)
        judge_condition(c, &p->condition.at[k]);
}
