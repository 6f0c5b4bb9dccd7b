/* problem.c: the statements of a checked program as a Problem in the IR.
 * requires: symbols resolved, shapes and ranges checked. establishes: every row of Problem but the
 * trial functions and network forms (trial.c), the terms (split.c) and the plan (plan.c). */
#include "ir/problem.h"

#include <string.h>

#include "base/compilation.h"
#include "eval/domain.h"
#include "lower/faces.h"
#include "lower/feature.h"
#include "lower/mean.h"
#include "lower/observe.h"
#include "lower/trial.h"
#include "pass.h"

static const Ast *find_statement(const Compilation *c, AstKind kind) {
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == kind)
            return c->program->kid[k];
    return NULL;
}

#define EACH_STATEMENT(c, kind_, s)                                                                \
    for (uint32_t s##_i = 0; s##_i < (c)->program->n; s##_i++)                                     \
        for (const Ast *s = (c)->program->kid[s##_i]; s && s->kind == (kind_); s = NULL)

static Sym target_name(const Ast *target) {
    return target->kind == AST_SUBSCRIPT ? target->kid[0]->name : target->name;
}

/* ---- declarations ---- */

/* The indexed argument: a vector by its entries, or one number for all. */
static Ref lower_domain_argument(Compilation *c, Space *x, const Ast *e, uint32_t k) {
    if (k == 0 || k != domain_operations(c, x)->indexed)
        return lower_scalar(c, NULL, e);
    x->index = ir_fresh_index(c->ir);
    return lower_rank(c, e) ? lower_entry(c, e, x->index) : lower_scalar(c, NULL, e);
}

/* Several stand one after the other in a point. */
static void declare_space(Compilation *c, Problem *p, const Ast *domain) {
    const Symbol *symbol = symbol_find(c, domain->name);
    const Ast *call = domain->kid[0];
    Space x = {.name = domain->name,
               .scalar = domain->flag,
               .dimension = symbol ? symbol->extent[0] : (Extent){.constant = 1},
               .first = p->d,
               .domain = call->name};
    x.d = lower_extent(c, x.dimension);
    for (uint32_t k = 0; k < call->n && k < 3; k++)
        x.argument[k] = lower_domain_argument(c, &x, call->kid[k], k);
    p->d = ir_add2(c->ir, p->d, x.d);
    VEC_PUSH(&c->arena, p->space, x);
}

static void declare_space_and_time(Compilation *c, Problem *p) {
    const Ast *title = find_statement(c, AST_PROBLEM), *time = find_statement(c, AST_TIME);
    if (title)
        p->title = title->kid[0]->name;
    p->d = ir_const(c->ir, 0);
    EACH_STATEMENT(c, AST_DOMAIN, s)
    declare_space(c, p, s);
    if (time) {
        p->time = time->name;
        p->t_lo = lower_scalar(c, NULL, time->kid[0]);
        p->t_hi = lower_scalar(c, NULL, time->kid[1]);
    }
    c->ir->time_name = p->time;
}

static void declare_fields(Compilation *c, Problem *p) {
    EACH_STATEMENT(c, AST_FIELD, s) {
        for (uint32_t k = 0; k < s->n; k++) {
            const Ast *call = s->kid[k];
            Field f = {.name = call->name, .span = call->span};
            for (uint32_t a = 0; a < call->n; a++) {
                int space = problem_space(p, call->kid[a]->name);
                f.on |= p->time && call->kid[a]->name == p->time ? VARIABLE_TIME : 0;
                f.on |= space >= 0 ? (VarSet)1 << space : 0;
            }
            VEC_PUSH(&c->arena, p->field, f);
        }
    }
    Sym *name = NEW_ARRAY(&c->arena, Sym, p->field.n + 1),
        *net = NEW_ARRAY(&c->arena, Sym, p->field.n + 1);
    for (uint32_t f = 0; f < p->field.n; f++) {
        Text t = {.arena = &c->arena};
        text_printf(&t, p->field.n == 1 ? "net" : "net%u", f + 1);
        name[f] = p->field.at[f].name;
        net[f] = intern_cstr(c, text_cstr(&t));
    }
    c->ir->field_name = name;
    c->ir->net_name = net;
}

static Ref lower_optional(Compilation *c, const Ast *e) {
    return e ? lower_scalar(c, NULL, e) : 0;
}

static void declare_unknowns(Compilation *c, Problem *p) {
    EACH_STATEMENT(c, AST_UNKNOWN, s) {
        UnknownRow row = {.name = s->name};
        row.lo = lower_optional(c, s->kid[0]);
        row.hi = lower_optional(c, s->kid[1]);
        row.initial = lower_optional(c, s->kid[2]);
        VEC_PUSH(&c->arena, p->unknown, row);
    }
    EACH_STATEMENT(c, AST_EIGEN, s) {
        for (uint32_t u = 0; u < p->unknown.n; u++)
            p->unknown.at[u].eigen |= p->unknown.at[u].name == s->name;
    }
}

static void declare_tensors(Compilation *c, Problem *p) {
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        if (s->kind != AST_RANDOM && s->kind != AST_DATA)
            continue;
        TensorRow row = {.name = target_name(s->kid[0])};
        const Symbol *symbol = symbol_find(c, row.name);
        if (symbol) {
            row.rank = symbol->rank;
            row.extent[0] = symbol->extent[0];
            row.extent[1] = symbol->extent[1];
        }
        if (s->kind == AST_DATA) {
            row.file = s->kid[1]->name;
        } else {
            row.law = s->kid[1];
            for (uint32_t a = 0; a < row.law->n && a < 2; a++)
                row.law_args[a] = lower_scalar(c, NULL, row.law->kid[a]);
            row.seed = s->kid[3] && s->kid[3]->kind == AST_NUMBER ? (uint64_t)s->kid[3]->number : 0;
            row.legacy = s->kid[4] != NULL;
        }
        VEC_PUSH(&c->arena, p->tensor, row);
    }
}

/* ---- equations, exact solutions, sources ---- */

static void lower_exact_solutions(Compilation *c, Problem *p) {
    EACH_STATEMENT(c, AST_EXACT, s) {
        int f = problem_field(p, s->kid[0]->name);
        Ref value = lower_scalar(c, NULL, s->kid[1]);
        if (f >= 0)
            p->field.at[f].exact = value;
        for (uint32_t u = 0; u < p->unknown.n; u++)
            if (p->unknown.at[u].name == s->kid[0]->name)
                p->unknown.at[u].exact = value;
    }
}

static bool calls_exact(const Compilation *c, const Ast *e) {
    if (e->kind == AST_CALL && strcmp(sym_cstr(c, e->name), "exact") == 0)
        return true;
    for (uint32_t k = 0; k < e->n; k++)
        if (e->kid[k] && calls_exact(c, e->kid[k]))
            return true;
    return false;
}

/* Does anything but the scoring need the exact solution? If not, it is lowered last: the nodes of everything else
 * then have the numbers, and sums the order, that they have without it, and training the same bits. */
static bool exact_is_asked(const Compilation *c) {
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        if (s->kind == AST_SOURCE || calls_exact(c, s))
            return true;
    }
    return false;
}

static Ref difference(Compilation *c, const Ast *left, const Ast *right) {
    return ir_sub(c->ir, lower_scalar(c, NULL, left), lower_scalar(c, NULL, right));
}

static void check_outward(Compilation *c, Ref e, Span where, const char *what) {
    if (ir_contains(c->ir, e, OP_OUTWARD))
        diag(c, E0557, where, what);
}

/* grad(u) = grad(g): its loss is the mean over entries of the squared differences. */
static void lower_vector_condition(Compilation *c, ConditionRow *row) {
    Ir *ir = c->ir;
    const Ast *side[2] = {row->ast->kid[0], row->ast->kid[1]};
    Ref value[2];
    row->index = ir_fresh_index(ir);
    for (uint32_t k = 0; k < 2; k++) {
        bool vector = lower_rank(c, side[k]) > 0;
        value[k] = vector ? lower_entry(c, side[k], row->index) : lower_scalar(c, NULL, side[k]);
        if (vector)
            lower_entries(c, side[k], &row->entries);
    }
    row->entry = ir_sub(ir, value[0], value[1]);
    Ref sum = ir_reduce(ir, OP_SUM, row->index, ir_const(ir, 1), row->entries,
                        ir_powi(ir, row->entry, 2));
    row->residual = ir_div(ir, sum, row->entries);
}

/* `where` of the domains: all must hold. */
static void lower_inside(Compilation *c, Problem *p) {
    EACH_STATEMENT(c, AST_DOMAIN, s) {
        Ref own = s->n > 1 ? lower_scalar(c, NULL, s->kid[1]) : 0;
        p->inside = p->inside && own ? ir_mul2(c->ir, p->inside, own) : own ? own : p->inside;
    }
}

static void lower_equations(Compilation *c, Problem *p) {
    EACH_STATEMENT(c, AST_EQUATION, s) {
        Equation e = {.name = s->name, .ast = s, .residual = difference(c, s->kid[0], s->kid[1])};
        if (!ir_has_net(c->ir, e.residual) && diag_errors(c) == 0)
            diag(c, E0555, s->span, "an unknown function");
        check_outward(c, e.residual, s->span, "an equation");
        VEC_PUSH(&c->arena, p->equation, e);
    }
    EACH_STATEMENT(c, AST_CONDITION, s) {
        ConditionRow row = {.where = s->op, .ast = s, .exactly = s->flag};
        if (s->op == COND_CONSTRAINT) /* mean.c: it needs to know how points are drawn */
            continue;
        if (s->op == COND_OBSERVE)
            observe_lower(c, p, &row);
        else if (lower_rank(c, s->kid[0]) + lower_rank(c, s->kid[1]) > 0)
            lower_vector_condition(c, &row);
        else
            row.residual = difference(c, s->kid[0], s->kid[1]);
        faces_lower(c, p, &row);
        row.weight = lower_optional(c, s->kid[2]);
        if (s->op != COND_BOUNDARY)
            check_outward(c, row.residual, s->span,
                          s->op == COND_OBSERVE ? "an observation"
                                                : "a condition at an end of time");
        VEC_PUSH(&c->arena, p->condition, row);
    }
}

typedef struct SourcePut {
    const Problem *p;
    Sym one; /* this source becomes `value`; others their known value */
    Ref value;
} SourcePut;

static Ref put_source(Ir *ir, Ref e, void *context) {
    const SourcePut *put = context;
    if (!ir_is(ir, e, OP_SOURCE))
        return 0;
    if (put->one && ir_id(ir, e) == put->one)
        return put->value;
    for (uint32_t k = 0; k < put->p->source.n; k++)
        if (put->p->source.at[k].name == ir_id(ir, e) && put->p->source.at[k].value)
            return put->p->source.at[k].value;
    return e;
}

Ref problem_put_sources(Compilation *c, const Problem *p, Ref e) {
    return ir_rewrite(c->ir, e, put_source, &(SourcePut){.p = p});
}

static bool holds_source(Ir *ir, Ref e, Sym name) {
    if (ir_is(ir, e, OP_SOURCE))
        return ir_id(ir, e) == name;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (holds_source(ir, ir_kid(ir, e, k), name))
            return true;
    return false;
}

/* The residual of the exact solution, with the sources known so far. */
static Ref residual_of_exact(Compilation *c, const Problem *p, Ref residual) {
    Ref *exact = NEW_ARRAY(&c->arena, Ref, p->field.n + 1);
    for (uint32_t f = 0; f < p->field.n; f++)
        exact[f] = p->field.at[f].exact;
    Ref r = problem_put_sources(c, p, residual);
    r = ir_replace_fields(c->ir, r, OP_FIELD, p->field.n, exact);
    for (uint32_t u = 0; u < p->unknown.n; u++)
        if (p->unknown.at[u].exact)
            r = problem_put_unknown(c, r, p->unknown.at[u].name, p->unknown.at[u].exact);
    return r;
}

/* r as the terms that hold the source and the rest. Constants are added up only where that is exact,
 * so a difference of two whole residuals need not collapse; what has no source must not enter it. */
static Ref take_source_terms(Ir *ir, Ref r, Sym name, Ref *rest) {
    *rest = ir_const(ir, 0);
    if (!ir_is(ir, r, OP_ADD))
        return r;
    Ref with = *rest;
    for (uint32_t k = 0; k < ir_arity(ir, r); k++) {
        Ref term = ir_kid(ir, r, k);
        Ref *side = holds_source(ir, term, name) ? &with : rest;
        *side = ir_add2(ir, *side, term);
    }
    return with;
}

/* r = a * g + b: g = -b / a. */
static bool solve_source(Compilation *c, const Problem *p, SourceRow *row, Ref r) {
    Ir *ir = c->ir;
    SourcePut zero = {.p = p, .one = row->name, .value = ir_const(ir, 0)};
    SourcePut one = {.p = p, .one = row->name, .value = ir_const(ir, 1)};
    SourcePut two = {.p = p, .one = row->name, .value = ir_const(ir, 2)};
    Ref rest, with = take_source_terms(ir, r, row->name, &rest);
    Ref b = ir_rewrite(ir, with, put_source, &zero);
    Ref a = ir_sub(ir, ir_rewrite(ir, with, put_source, &one), b);
    Ref a2 = ir_sub(ir, ir_rewrite(ir, with, put_source, &two), b);
    if (ir_is_number(ir, a, 0) || a2 != ir_mul2(ir, ir_const(ir, 2), a))
        return false;
    row->value = ir_neg(ir, ir_div(ir, ir_add2(ir, b, rest), a));
    return true;
}

static bool equations_hold(const Compilation *c, const Problem *p, Sym source) {
    for (uint32_t e = 0; e < p->equation.n; e++)
        if (holds_source(c->ir, p->equation.at[e].residual, source))
            return true;
    return false;
}

/* Solves for the one unknown source of a residual, if it has just one. False after a message. */
static bool solve_statement(Compilation *c, Problem *p, Ref residual, const Ast *ast,
                            uint32_t *unknown) {
    SourceRow *only = NULL;
    uint32_t open = 0;
    Ref r = residual_of_exact(c, p, residual);
    for (uint32_t k = 0; k < p->source.n; k++)
        if (!p->source.at[k].value && holds_source(c->ir, r, p->source.at[k].name)) {
            only = &p->source.at[k];
            open++;
        }
    bool condition =
        ast->kind == AST_CONDITION; /* holds on its own points, so it defines no data elsewhere */
    if (open != 1 || (condition && equations_hold(c, p, only->name)))
        return true;
    if (!solve_source(c, p, only, r)) {
        Str name = sym_str(c, only->name);
        diag(c, E0552, ast->span, (int)name.n, name.s);
        return false;
    }
    only->of_condition = condition;
    --*unknown;
    return true;
}

static void solve_sources(Compilation *c, Problem *p) {
    EACH_STATEMENT(c, AST_SOURCE, s) {
        for (uint32_t k = 0; k < s->n; k++)
            VEC_PUSH(&c->arena, p->source,
                     ((SourceRow){.name = s->kid[k]->name, .span = s->kid[k]->span}));
    }
    uint32_t unknown = p->source.n;
    for (uint32_t before = unknown + 1; unknown < before && unknown;) {
        before = unknown;
        for (uint32_t e = 0; e < p->equation.n; e++)
            if (!solve_statement(c, p, p->equation.at[e].residual, p->equation.at[e].ast, &unknown))
                return;
        for (uint32_t k = 0; k < p->condition.n; k++)
            if (!solve_statement(c, p, p->condition.at[k].residual, p->condition.at[k].ast,
                                 &unknown))
                return;
    }
    for (uint32_t k = 0; k < p->source.n; k++)
        if (!p->source.at[k].value) {
            Str name = sym_str(c, p->source.at[k].name);
            diag(c, E0553, p->source.at[k].span, (int)name.n, name.s);
        }
    for (uint32_t k = 0; k < p->condition.n; k++)
        p->condition.at[k].residual = problem_put_sources(c, p, p->condition.at[k].residual);
}

typedef struct UnknownPut {
    Sym name;
    Ref value;
} UnknownPut;

static Ref put_unknown(Ir *ir, Ref e, void *context) {
    const UnknownPut *put = context;
    return ir_is(ir, e, OP_UNKNOWN) && ir_id(ir, e) == put->name ? put->value : 0;
}

Ref problem_put_unknown(Compilation *c, Ref e, Sym name, Ref value) {
    return ir_rewrite(c->ir, e, put_unknown, &(UnknownPut){name, value});
}

/* ---- sampling, references, reports ---- */

static void lower_samples(Compilation *c, Problem *p) {
    EACH_STATEMENT(c, AST_SAMPLE, s) {
        const Ast *target = s->kid[0], *law = s->kid[1];
        SampleRow row = {
            .test = s->flag, .ast = s, .law = law->name, .target = target_name(target)};
        const Env *env = NULL;
        if (target->kind == AST_SUBSCRIPT && target->kid[1]->kind == AST_NAME) {
            row.componentwise = true;
            row.index = ir_fresh_index(c->ir);
            memo_put(c->ir->index_name, row.index, 0, target->kid[1]->name);
            env = env_bind_index(c, NULL, target->kid[1]->name, row.index);
        }
        for (uint32_t k = 0; k < law->n && row.n_args < 4; k++) {
            const Ast *a = law->kid[k];
            if (a->kind == AST_NAME && !symbol_find(c, a->name))
                row.inner = a->name;
            else
                row.args[row.n_args++] = lower_scalar(c, env, a);
        }
        VEC_PUSH(&c->arena, p->sample, row);
    }
}

uint32_t lower_places(Compilation *c, const Env *outer, const Ast *at, PlaceRow *rows) {
    const Problem *p = c->problem;
    uint32_t n = 0;
    for (uint32_t k = 0; at && k < at->n && n < PLACES; k++) {
        const Ast *target = at->kid[k]->kid[0], *value = at->kid[k]->kid[1];
        PlaceRow row = {0};
        const Env *env = outer;
        int space = problem_space(p, target_name(target));
        row.space = space >= 0 ? (uint32_t)space : 0;
        if (target->kind == AST_SUBSCRIPT && target->kid[1]->kind == AST_NAME &&
            !symbol_find(c, target->kid[1]->name)) {
            row.all = true;
            row.index = ir_fresh_index(c->ir);
            env = env_bind_index(c, outer, target->kid[1]->name, row.index);
        } else if (target->kind == AST_SUBSCRIPT) {
            row.index = lower_scalar(c, NULL, target->kid[1]);
        } else {
            row.time = target->name == p->time;
            row.all = !row.time;
        }
        row.value = lower_scalar(c, env, value);
        rows[n++] = row;
    }
    return n;
}

static void lower_results(Compilation *c, Problem *p) {
    EACH_STATEMENT(c, AST_REFERENCE, s) {
        ReferenceRow row = {.target = s->kid[0]->name, .ast = s};
        row.value = lower_scalar(c, NULL, s->kid[1]);
        row.n_at = lower_places(c, NULL, s->kid[2], row.at);
        VEC_PUSH(&c->arena, p->reference, row);
    }
    EACH_STATEMENT(c, AST_REPORT, s) {
        ReportRow row = {.ast = s, .value = lower_scalar(c, NULL, s->kid[0])};
        row.n_at = lower_places(c, NULL, s->kid[1], row.at);
        VEC_PUSH(&c->arena, p->report, row);
    }
}

void lower_run(Compilation *c) {
    Problem *p = NEW(&c->arena, Problem);
    c->problem = p;
    c->ir = ir_new(c);
    p->lets.arena = &c->arena;
    declare_space_and_time(c, p);
    declare_fields(c, p);
    declare_unknowns(c, p);
    declare_tensors(c, p);
    p->solve = find_statement(c, AST_SOLVE);
    p->normalise = find_statement(c, AST_NORMALISE);
    p->coordinates = find_statement(c, AST_COORDINATES);
    bool asked = exact_is_asked(c);
    if (asked)
        lower_exact_solutions(c, p);
    features_lower(c, p);
    features_check_fields(c, p);
    lower_inside(c, p);
    lower_equations(c, p);
    if (diag_errors(c) == 0)
        solve_sources(c, p);
    lower_samples(c, p);
    EACH_STATEMENT(c, AST_CONDITION, s) {
        if (s->op == COND_CONSTRAINT)
            mean_lower(c, p, s);
    }
    observe_numbers(c, p);
    lower_results(c, p);
    if (diag_errors(c) == 0)
        trial_build(c, p);
    if (!asked)
        lower_exact_solutions(c, p);
    features_check_trials(c, p);
}

Ref problem_known_solution(const Compilation *c, uint32_t field) {
    const Problem *p = c->problem;
    if (p->field.at[field].exact)
        return p->field.at[field].exact;
    for (uint32_t k = 0; k < p->reference.n; k++) {
        const ReferenceRow *r = &p->reference.at[k];
        if (r->target == p->field.at[field].name && r->n_at == 0 &&
            !ir_contains(c->ir, r->value, OP_EXPECT)) /* too costly at all test points */
            return r->value;
    }
    return 0;
}

bool problem_is_exponential(const Compilation *c, uint32_t field) {
    Ref trial = c->problem->field.at[field].trial;
    return ir_is(c->ir, trial, OP_FUNC) && ir_id(c->ir, trial) == FUNC_exp;
}

Ref problem_scored(const Compilation *c, uint32_t field, Ref value) {
    return problem_is_exponential(c, field) ? ir_func(c->ir, FUNC_log, 1, &value) : value;
}

Ref problem_known_value(const Problem *p, uint32_t unknown) {
    const UnknownRow *row = &p->unknown.at[unknown];
    for (uint32_t k = 0; k < p->reference.n && !row->exact; k++)
        if (p->reference.at[k].target == row->name)
            return p->reference.at[k].value;
    return row->exact;
}

bool problem_is_point_value(const Compilation *c, const ReferenceRow *r) {
    return r->n_at > 0 && problem_field(c->problem, r->target) >= 0;
}

/* Coordinate `local` of a space, as `at` gives it. */
static Ref coordinate_at(Ir *ir, const ReferenceRow *reference, uint32_t space, Ref local) {
    Ref value = ir_const(ir, 0); /* what is not given */
    for (uint32_t k = 0; k < reference->n_at; k++) {
        const PlaceRow *row = &reference->at[k];
        if (row->time || row->space != space)
            continue;
        if (row->all) {
            value = row->index ? ir_substitute(ir, row->value, row->index, local) : row->value;
        } else {
            Ref here = ir_delta(ir, local, row->index);
            value = ir_add2(ir, value, ir_mul2(ir, here, ir_sub(ir, row->value, value)));
        }
    }
    return value;
}

/* Where the index does not tell the space, the sum over all of what holds within each. */
static Ref put_place(Ir *ir, Ref e, void *context) {
    const ReferenceRow *reference = context;
    const Problem *p = ir->c->problem;
    Ref local, value = ir_const(ir, 0);
    for (uint32_t k = 0; k < reference->n_at && ir_is(ir, e, OP_TIME); k++)
        if (reference->at[k].time)
            return reference->at[k].value;
    if (!ir_is(ir, e, OP_SPACE))
        return ir_is(ir, e, OP_TIME) ? value : 0;
    const Space *own = problem_space_of(ir, ir_kid(ir, e, 0), &local);
    if (own)
        return coordinate_at(ir, reference, (uint32_t)(own - p->space.at), local);
    for (uint32_t k = 0; k < p->space.n; k++) {
        local = ir_sub(ir, ir_kid(ir, e, 0), p->space.at[k].first);
        Ref inside = ir_in(ir, local, ir_const(ir, 1), p->space.at[k].d);
        value = ir_add2(ir, value, ir_mul2(ir, inside, coordinate_at(ir, reference, k, local)));
    }
    return value;
}

Ref problem_at_place(const Compilation *c, const ReferenceRow *r, Ref e) {
    ReferenceRow place = *r;
    return ir_rewrite(c->ir, e, put_place, &place);
}

/* ---- --emit=expanded ---- */

static void print_equals(Compilation *c, Text *out, const char *keyword, Sym name, Ref value) {
    text_printf(out, "%-9s %s = ", keyword, sym_cstr(c, name));
    ir_print(c->ir, value, out);
    text_str(out, STR("\n"));
}

void lower_emit(Compilation *c, Text *out) {
    const Problem *p = c->problem;
    for (uint32_t f = 0; f < p->field.n; f++)
        if (p->field.at[f].exact)
            print_equals(c, out, "exact", p->field.at[f].name, p->field.at[f].exact);
    for (uint32_t e = 0; e < p->equation.n; e++) {
        text_printf(out, "equation  ");
        if (p->equation.at[e].name)
            text_printf(out, "%s: ", sym_cstr(c, p->equation.at[e].name));
        ir_print(c->ir, p->equation.at[e].residual, out);
        text_str(out, STR(" = 0\n"));
    }
    for (uint32_t k = 0; k < p->source.n; k++)
        print_equals(c, out, "source", p->source.at[k].name, p->source.at[k].value);
    for (uint32_t f = 0; f < p->field.n; f++)
        print_equals(c, out, "ansatz", p->field.at[f].name, p->field.at[f].trial);
    static const char *const where[] = {"boundary", "initial", "terminal", "observe", "constraint"};
    static const char *const state[] = {"", "   # met by construction",
                                        "   # met by the ansatz, proven"};
    for (uint32_t k = 0; k < p->condition.n; k++) {
        const ConditionRow *row = &p->condition.at[k];
        text_printf(out, "%-9s ", where[row->where - COND_BOUNDARY]);
        ir_print(c->ir, row->residual, out);
        text_printf(out, " = 0%s\n", state[row->state]);
    }
    for (uint32_t e = 0; e < p->equation.n; e++) {
        text_printf(out, "residual  ");
        ir_print(c->ir, p->equation.at[e].in_net, out);
        text_str(out, STR("\n"));
    }
}
