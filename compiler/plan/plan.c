/* plan.c: the tasks of a problem and their routes.
 * requires: terms (split.c), trial functions. establishes: for every task a sampled route, and an exact
 * one where all sums over derivatives are Gram sums, directions or functions of the gradient. */
#include "plan/plan.h"

#include <assert.h>
#include <string.h>

#include "base/compilation.h"
#include "ir/tangent.h"
#include "lower/expectation.h"
#include "lower/trial.h"
#include "pass.h"
#include "plan/ascent.h"
#include "plan/jets.h"
#include "plan/tangent_block.h"
#include "terms/sum_form.h"

const char *plan_block_name(BlockKind kind) {
    assert(kind < BLOCK_KIND_COUNT);
    static const char *const name[] = {
#define BLOCK(name, engine, follows, what) #name,
#include "runtime/contract/block.def"
    };
    return name[kind];
}

bool plan_is_placeholder(const Ir *ir, Ref e) {
    return ir_is(ir, e, OP_AUX) && ir_arity(ir, e) == 0 &&
           sym_str(ir->c, (Sym)ir_id(ir, e)).s[0] == '$';
}

static Ref placeholder(Compilation *c, const char *what) {
    Text t = {.arena = &c->arena};
    text_printf(&t, "$%s%u", what, c->ir->next_index++);
    return ir_indexed(c->ir, OP_AUX, intern_cstr(c, text_cstr(&t)), 0, NULL);
}

/* ---- sums over all coordinates that need no sampling ---- */

static Ref without_sums(Compilation *c, Route *route, Ref e);

typedef struct Recogniser {
    Compilation *c;
    Route *route;
} Recogniser;

static void refuse(Route *route, const char *why, Span where) {
    if (route->unavailable)
        return;
    route->unavailable = why;
    route->where = where;
}

BlockKind plan_dense_kind(Ir *ir, const Block *block) {
    bool free = true;
    for (uint32_t k = 0; k < INPUT_VECTORS; k++)
        free = free && (!block->entries[k] || sum_point_free(ir, block->entries[k]));
    for (uint32_t k = 0; k < INPUT_SCALARS; k++)
        free = free && (!block->scalar[k] || sum_point_free(ir, block->scalar[k]));
    return free ? BLOCK_dense : BLOCK_point_dense;
}

static uint32_t dense_block(Compilation *c, Route *r, Ref index, Ref entries, uint32_t order) {
    assert(order > 0);
    Block b = {.order = order, .index = index, .entries = {entries}};
    if (tangent_inputs(c->problem))
        tangent_push_coordinates(c->ir, index, entries, &b);
    b.kind = plan_dense_kind(c->ir, &b);
    return jets_block(c->ir, r, b);
}

/* The direction alpha + s * (scalar input `slot`). */
static uint32_t slanted_block(Compilation *c, Route *r, Ref index, Ref entries, uint32_t slot,
                              double s) {
    Block b = {.order = 2, .index = index, .entries = {entries}};
    if (tangent_inputs(c->problem))
        tangent_push_coordinates(c->ir, index, entries, &b);
    Ref axis = ir_const(c->ir, s);
    b.scalar[slot] = b.scalar[slot] ? ir_add2(c->ir, b.scalar[slot], axis) : axis;
    b.kind = plan_dense_kind(c->ir, &b);
    return jets_block(c->ir, r, b);
}

static Ref jet_of(Recogniser *rec, Jet jet, const char *what) {
    jet.atom = placeholder(rec->c, what);
    VEC_PUSH(&rec->c->arena, rec->route->jet, jet);
    return jet.atom;
}

static JetPart along(Recogniser *rec, Ref index, Ref entries, uint32_t order, double coef) {
    return (JetPart){dense_block(rec->c, rec->route, index, entries, order), order, coef};
}

/* sum_ij alpha_i beta_j d2(net, x_i, x_j), by polarisation unless alpha = beta */
static void along_two(Recogniser *rec, const Sum *s, Jet *jet) {
    Ir *ir = rec->c->ir;
    Ref a = s->entries[0], b = s->entries[1];
    if (a == b) {
        jet->part[jet->n++] = along(rec, s->index, a, 2, 1);
        return;
    }
    jet->part[jet->n++] = along(rec, s->index, ir_add2(ir, a, b), 2, 0.25);
    jet->part[jet->n++] = along(rec, s->index, ir_sub(ir, a, b), 2, -0.25);
}

static void slanted(Recogniser *rec, const Sum *s, Jet *jet) {
    for (int sign = 1; sign >= -1; sign -= 2)
        jet->part[jet->n++] =
            (JetPart){slanted_block(rec->c, rec->route, s->index, s->entries[0], s->slot, sign), 2,
                      sign * 0.25};
}

static void one_block(Recogniser *rec, Block b, Jet *jet) {
    jet->part[jet->n++] = (JetPart){jets_block(rec->c->ir, rec->route, b), b.order, 1};
}

/* The number that a sum is, by its form; FORM_WRITTEN_OUT and FORM_NONE have none. */
static Ref sum_place(Recogniser *rec, Ref e, const Sum *s) {
    static const char *const name[FORM_COUNT] = {
        [FORM_ALONG] = "d", [FORM_TANGENTS] = "d", [FORM_ALONG_TWO] = "dd", [FORM_SLANTED] = "ds",
        [FORM_GRAM] = "g",  [FORM_SQUARES] = "g",  [FORM_GRADIENT] = "f"};
    Jet jet = {.kind = JET_LINEAR, .output = s->output};
    Block b = {.order = 1, .index = s->index, .entries = {s->entries[0]}};
    switch (s->form) {
    case FORM_ALONG:
        jet.part[jet.n++] = along(rec, s->index, s->entries[0], 1, 1);
        break;
    case FORM_TANGENTS:
        b = tangent_push(rec->c->ir, e);
        one_block(rec, b, &jet);
        break;
    case FORM_ALONG_TWO:
        along_two(rec, s, &jet);
        break;
    case FORM_SLANTED:
        slanted(rec, s, &jet);
        break;
    case FORM_GRAM:
    case FORM_SQUARES:
        jet.kind = s->form == FORM_GRAM ? JET_GRAM : JET_SQUARES;
        b.kind = BLOCK_gram;
        b.order = s->form == FORM_GRAM ? 2 : 1;
        one_block(rec, b, &jet);
        break;
    case FORM_GRADIENT:
        jet.kind = JET_GRADIENT;
        b.kind = BLOCK_gradient;
        b.atom = s->atom;
        one_block(rec, b, &jet);
        break;
    case FORM_NONE:
    case FORM_WRITTEN_OUT:
    case FORM_COUNT:
        return 0;
    }
    assert(jet.n > 0);
    return jet_of(rec, jet, name[s->form]);
}

enum { ORDER_WITH_A_ROUTE = 4 };

static Ref note_high_order(Ir *ir, Ref e, void *context) {
    if (ir_is(ir, e, OP_NET) && ir_arity(ir, e) > ORDER_WITH_A_ROUTE)
        *(bool *)context = true;
    return ir_has_net(ir, e) ? 0 : e;
}

/* Why a sum, an integral or their like over the network has no route: the first reason that holds. */
static const char *why_not(Compilation *c, Ref e) {
    Ir *ir = c->ir;
    bool high = false;
    (void)ir_rewrite(ir, e, note_high_order, &high);
    if (ir_is(ir, e, OP_INTEGRAL))
        return "an integral of the unknown has no value during training, where the unknown is "
               "known at the points "
               "drawn and nowhere else; make the integral a field of its own with a differential "
               "equation (v = "
               "integral of u over t: d(v, t) = u)";
    if (high)
        return "derivatives beyond the fourth order are not available; make a lower derivative a "
               "field of its own "
               "(v = lap(u) beside lap(lap(v)) = 1)";
    if (tangent_inputs(c->problem))
        return "this sum over derivatives is neither a derivative along a direction nor a function "
               "of the gradient; "
               "with several vectors of features, second derivatives have weights that depend on "
               "the point, and no "
               "Gram matrix";
    return "this sum over derivatives is neither a derivative along a direction, nor a sum of "
           "second derivatives "
           "with the same weights at every point, nor a function of the gradient";
}

static Ref recognise_node(Ir *ir, Ref e, void *context) {
    Recogniser *rec = context;
    Ref answer;
    Sum sum;
    if (!sum_at(ir, e, &answer, &sum))
        return answer;
    if (sum.form == FORM_WRITTEN_OUT)
        return without_sums(rec->c, rec->route, sum.instead);
    Ref jet = sum_place(rec, e, &sum);
    if (!jet)
        refuse(rec->route, why_not(rec->c, e), ir->origin.at[e]);
    return jet ? jet : e;
}

static Ref without_sums(Compilation *c, Route *route, Ref e) {
    Recogniser rec = {c, route};
    return ir_rewrite(c->ir, e, recognise_node, &rec);
}

/* ---- routes ---- */

/* Within the family its own ranges hold: [lo <= i <= hi] is 1. */
typedef struct Inside {
    const Family *family;
    const Ref *index;
} Inside;

static Ref inside_family(Ir *ir, Ref e, void *context) {
    const Inside *in = context;
    if (!ir_is(ir, e, OP_IN))
        return 0;
    for (uint32_t k = 0; k < in->family->n_index; k++) {
        Ref shift = ir_sub(ir, ir_kid(ir, e, 0), in->index[k]);
        uint32_t from = in->family->ordered ? 0 : k;
        if (!ir->node.at[shift].has_index &&
            ir_provably_le(ir, ir_kid(ir, e, 1), ir_add2(ir, in->family->lo[from], shift)) &&
            ir_provably_le(ir, ir_add2(ir, in->family->hi[k], shift), ir_kid(ir, e, 2)))
            return ir_const(ir, 1);
    }
    return 0;
}

Ref plan_within(Ir *ir, const Family *family, const Ref *index, Ref e) {
    assert(family->n_index >= 1 && family->n_index <= 2);
    return ir_rewrite(ir, e, inside_family, &(Inside){family, index});
}

static Ref sampled_term(Compilation *c, Task *task, const Operator *op, const Term *t,
                        Ref divisor) {
    assert(t->class == TERM_SAMPLED && (uint32_t)t->family < op->family.n);
    Ir *ir = c->ir;
    SampledSum sum = {.family = split_family(c->ir, &task->family, &op->family.at[t->family])};
    memcpy(sum.index, t->index, sizeof sum.index);
    sum.body = ir_expand(ir, ir_div(ir, trial_apply(c, c->problem, t->body), divisor));
    sum.body = plan_within(ir, &task->family.at[sum.family], sum.index, sum.body);
    sum.placeholder = placeholder(c, "s");
    VEC_PUSH(&c->arena, task->sampled.sum, sum);
    return ir_mul2(ir, trial_apply(c, c->problem, t->outside), sum.placeholder);
}

/* The residual with sampled sums replaced by placeholders and the rest evaluated in full. */
static Ref sampled_residual(Compilation *c, Task *task, const Operator *op, Ref divisor) {
    Ref total = ir_const(c->ir, 0);
    for (uint32_t k = 0; k < op->term.n; k++) {
        const Term *t = &op->term.at[k];
        total =
            ir_add2(c->ir, total,
                    t->class == TERM_SAMPLED ? sampled_term(c, task, op, t, divisor) : t->in_net);
    }
    return without_sums(c, &task->sampled, total);
}

static void finish_route(Compilation *c, Task *task, Route *route) {
    if (route->unavailable)
        return;
    for (uint32_t s = 0; s < route->sum.n; s++)
        jets_of_sum(c, task, route, &route->sum.at[s]);
    for (uint32_t e = 0; e < task->n_residuals; e++)
        jets_of_point(c, route, route->residual[e]);
    jets_sort_blocks(route);
}

static Ref refuse_sum(Ir *ir, Ref e, void *context) {
    if (!ir_has_net(ir, e))
        return e;
    if (ir_is_binder(ir_op(ir, e)))
        refuse(context, "each entry has a sum over derivatives of its own", ir->origin.at[e]);
    return 0;
}

/* A condition on vectors, by the squares of sampled entries: natural gradient has a row for each. In full,
 * where that is possible, it is the exact route. */
static Ref squares_residual(Compilation *c, Task *task, const ConditionRow *row) {
    Ir *ir = c->ir;
    Family family = {
        .n_index = 1, .lo = {ir_const(ir, 1)}, .hi = {row->entries}, .size = row->entries};
    SampledSum sum = {.family = split_family(c->ir, &task->family, &family),
                      .index = {row->index},
                      .placeholder = placeholder(c, "s"),
                      .body = ir_powi(ir, trial_apply(c, c->problem, row->entry), 2)};
    sum.body = plan_within(ir, &task->family.at[sum.family], sum.index, sum.body);
    (void)ir_rewrite(ir, sum.body, refuse_sum, &task->sampled);
    VEC_PUSH(&c->arena, task->sampled.sum, sum);
    return ir_div(ir, sum.placeholder, row->entries);
}

static void plan_task(Compilation *c, Task *task, uint32_t n, const Operator *op, const Ref *in_net,
                      const Ref *divisor) {
    assert(n > 0 && op && in_net && divisor);
    task->n_residuals = n;
    task->sampled.residual = NEW_ARRAY(&c->arena, Ref, n);
    task->exact.residual = NEW_ARRAY(&c->arena, Ref, n);
    for (uint32_t e = 0; e < n; e++)
        task->sampled.residual[e] =
            task->squares ? squares_residual(c, task, &c->problem->condition.at[task->row])
                          : sampled_residual(c, task, &op[e], divisor[e]);
    finish_route(c, task, &task->sampled);
    if (task->family.n == 0) {
        refuse(&task->exact, "nothing is sampled: the only route is exact", (Span){0, 0});
        return;
    }
    for (uint32_t e = 0; e < n; e++)
        task->exact.residual[e] = without_sums(c, &task->exact, in_net[e]);
    finish_route(c, task, &task->exact);
}

/* A task that no route serves is an error of the problem; of a report, of its value alone. */
static void check_task(Compilation *c, const Task *task, Span where) {
    const Route *r = &task->sampled;
    if (!r->unavailable || !task->exact.unavailable || diag_errors(c))
        return;
    Diag *d = diag(c, E0558, where, r->unavailable);
    if (r->where.hi > r->where.lo)
        diag_also(c, d, r->where, "here");
}

static void plan_equations(Compilation *c, Plan *plan) {
    const Problem *p = c->problem;
    uint32_t n = p->equation.n;
    Task task = {.kind = TASK_EQUATION, .name = NEW_ARRAY(&c->arena, Sym, n + 1)};
    Ref *in_net = NEW_ARRAY(&c->arena, Ref, n + 1), *divisor = NEW_ARRAY(&c->arena, Ref, n + 1);
    for (uint32_t e = 0; e < n; e++) {
        task.name[e] = p->equation.at[e].name;
        in_net[e] = p->equation.at[e].in_net;
        divisor[e] = p->equation.at[e].divisor;
    }
    plan_task(c, &task, n, p->operators->at, in_net, divisor);
    check_task(c, &task, p->equation.at[0].ast->span);
    VEC_PUSH(&c->arena, plan->task, task);
}

static void plan_conditions(Compilation *c, Plan *plan) {
    const Problem *p = c->problem;
    Ref one = ir_const(c->ir, 1);
    for (uint32_t k = 0; k < p->condition.n; k++) {
        const ConditionRow *row = &p->condition.at[k];
        if (row->state != CONDITION_SOFT)
            continue;
        Task task = {.kind = (TaskKind)(TASK_BOUNDARY + (row->where - COND_BOUNDARY)),
                     .row = k,
                     .name = NEW_ARRAY(&c->arena, Sym, 1),
                     .squares = row->index != 0};
        plan_task(c, &task, 1, &p->operators->at[p->equation.n + k], &row->in_net, &one);
        check_task(c, &task, row->ast->span);
        VEC_PUSH(&c->arena, plan->task, task);
    }
}

/* Not points but their mean is to be 0; or it is not to be anything, and comes last. */
static void plan_norm(Compilation *c, Plan *plan, bool watched) {
    const Problem *p = c->problem;
    if (!p->norm.residual || p->norm.watched != watched)
        return;
    Ref one = ir_const(c->ir, 1);
    Operator op = {0};
    Task task = {.kind = TASK_NORM, .name = NEW_ARRAY(&c->arena, Sym, 1)};
    split_residual(c, p->norm.residual, one, p->norm.from->span, &op);
    plan_task(c, &task, 1, &op, &p->norm.in_net, &one);
    check_task(c, &task, p->norm.from->span);
    VEC_PUSH(&c->arena, plan->task, task);
}

static void plan_reports(Compilation *c, Plan *plan) {
    const Problem *p = c->problem;
    Ref one = ir_const(c->ir, 1);
    for (uint32_t k = 0; k < p->report.n; k++) {
        Operator op = {0};
        Task task = {.kind = TASK_REPORT, .row = k, .name = NEW_ARRAY(&c->arena, Sym, 1)};
        if (ir_contains(c->ir, p->report.at[k].value,
                        OP_OUTWARD)) /* not before: --eval can have it */
            diag(c, E0557, p->report.at[k].ast->span, "a report");
        split_residual(c, p->report.at[k].value, one, p->report.at[k].ast->span, &op);
        plan_task(c, &task, 1, &op, &p->report.at[k].in_net, &one);
        VEC_PUSH(&c->arena, plan->task, task);
    }
}

void plan_run(Compilation *c) {
    Plan *plan = NEW(&c->arena, Plan);
    c->problem->plan = plan;
    expectation_check(c);
    if (c->problem->tensor_net) /* nothing is sampled at points */
        return;
    plan_equations(c, plan);
    plan->task.at[0].ascent = ascent_build(c, &plan->task.at[0]);
    plan_conditions(c, plan);
    plan_norm(c, plan, false);
    plan_reports(c, plan);
    plan_norm(c, plan, true);
}
