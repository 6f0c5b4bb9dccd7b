/* plan.c: the tasks of a problem and their routes.
 * requires: terms (split.c), trial functions. establishes: for every task a sampled route, and an exact
 * one where all sums over derivatives are Gram sums, directions or functions of the gradient. */
#include "plan/plan.h"

#include <string.h>

#include "base/compilation.h"
#include "ir/tangent.h"
#include "lower/expectation.h"
#include "lower/trial.h"
#include "pass.h"
#include "plan/ascent.h"
#include "plan/jets.h"
#include "plan/plan_verify.h"
#include "plan/tangent_block.h"

const char *plan_block_name(BlockKind kind) {
    static const char *const name[] = {
#define BLOCK(id, name, what) name,
        BLOCK_KINDS(BLOCK)
#undef BLOCK
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

static bool point_free(Ir *ir, Ref e) {
    return !ir_contains(ir, e, OP_SPACE) && !ir_contains(ir, e, OP_TIME) &&
           !ir_contains(ir, e, OP_AUX) && !ir_contains(ir, e, OP_OUTWARD) &&
           !ir_contains(ir, e, OP_UNKNOWN);
}

BlockKind plan_dense_kind(Ir *ir, const Block *block) {
    bool free = true;
    for (uint32_t k = 0; k < INPUT_VECTORS; k++)
        free = free && (!block->entries[k] || point_free(ir, block->entries[k]));
    for (uint32_t k = 0; k < INPUT_SCALARS; k++)
        free = free && (!block->scalar[k] || point_free(ir, block->scalar[k]));
    return free ? BLOCK_DENSE : BLOCK_POINT_DENSE;
}

/* The entry at the running index, 0 outside the sum's own range. */
static Ref entry_in_range(Ir *ir, const Problem *p, Ref index, Ref lo, Ref hi, Ref entry) {
    if (ir_is_number(ir, lo, 1) && hi == p->d)
        return entry;
    return ir_mul2(ir, ir_in(ir, index, lo, hi), entry);
}

static uint32_t dense_block(Compilation *c, Route *r, Ref index, Ref entries, uint32_t order) {
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

/* sum_i alpha_i d(net, x_i) */
static Ref first_order(Recogniser *rec, Ref index, Ref entries, uint32_t output) {
    uint32_t b = dense_block(rec->c, rec->route, index, entries, 1);
    return jet_of(rec, (Jet){.kind = JET_LINEAR, .output = output, .n = 1, .part = {{b, 1, 1}}},
                  "d");
}

/* Any sums of first derivatives along tangents */
static Ref first_order_along(Recogniser *rec, Ref sum) {
    Ir *ir = rec->c->ir;
    Block b = {.order = 1};
    uint32_t output;
    if (!tangent_push(ir, sum, &b, &output))
        return 0;
    b.kind = plan_dense_kind(ir, &b);
    return jet_of(rec,
                  (Jet){.kind = JET_LINEAR,
                        .output = output,
                        .n = 1,
                        .part = {{jets_block(ir, rec->route, b), 1, 1}}},
                  "d");
}

/* sum_ij alpha_i beta_j d2(net, x_i, x_j), by polarisation unless alpha = beta */
static Ref second_order(Recogniser *rec, Ref index, Ref alpha, Ref beta, uint32_t output) {
    Ir *ir = rec->c->ir;
    Jet jet = {.kind = JET_LINEAR, .output = output};
    if (alpha == beta) {
        jet.n = 1;
        jet.part[0] = (JetPart){dense_block(rec->c, rec->route, index, alpha, 2), 2, 1};
    } else {
        jet.n = 2;
        jet.part[0] =
            (JetPart){dense_block(rec->c, rec->route, index, ir_add2(ir, alpha, beta), 2), 2, 0.25};
        jet.part[1] =
            (JetPart){dense_block(rec->c, rec->route, index, ir_sub(ir, alpha, beta), 2), 2, -0.25};
    }
    return jet_of(rec, jet, "dd");
}

static uint32_t gram_block(Recogniser *rec, Ref index, Ref weight, uint32_t order) {
    return jets_block(
        rec->c->ir, rec->route,
        (Block){.kind = BLOCK_GRAM, .order = order, .index = index, .entries = {weight}});
}

static bool is_first(Ir *ir, Ref atom, Ref index) {
    Ref x = input_variable(ir->c->problem, ir, index);
    return ir_arity(ir, atom) == 1 && ir_kid(ir, atom, 0) == x;
}

static bool is_second(Ir *ir, Ref atom, Ref index) {
    Ref x = input_variable(ir->c->problem, ir, index);
    return ir_arity(ir, atom) == 2 && ir_kid(ir, atom, 0) == x && ir_kid(ir, atom, 1) == x;
}

/* d2(net, x_index, scalar)? Gives the scalar's slot. */
static bool is_slanted(Ir *ir, Ref atom, Ref index, uint32_t *slot) {
    Ref x = input_variable(ir->c->problem, ir, index);
    for (uint32_t k = 0; ir_arity(ir, atom) == 2 && k < 2; k++)
        if (ir_kid(ir, atom, k) == x && ir_arity(ir, ir_kid(ir, atom, 1 - k)) == 0) {
            *slot = input_slot(ir->c->problem, ir, ir_kid(ir, atom, 1 - k));
            return true;
        }
    return false;
}

/* body = weight * atom^power exactly? */
static bool weight_of(Ir *ir, Ref body, Ref atom, int power, Ref *weight) {
    *weight = ir_div(ir, body, ir_powi(ir, atom, power));
    return !ir_has_net(ir, *weight);
}

/* The inner sum of sum_i alpha_i * sum_j beta_j d2(net, x_i, x_j); 0: not of that form. */
static Ref recognise_double(Recogniser *rec, const Problem *p, Ref index, Ref lo, Ref hi,
                            Ref body) {
    Ir *ir = rec->c->ir;
    Ref inner = 0, alpha = ir_const(ir, 1);
    uint32_t n = ir_is(ir, body, OP_MUL) ? ir_arity(ir, body) : 1;
    for (uint32_t k = 0; k < n; k++) {
        Ref f = n > 1 ? ir_kid(ir, body, k) : body;
        if (ir_is(ir, f, OP_SUM) && ir_has_net(ir, f) && !inner)
            inner = f;
        else if (ir_has_net(ir, f))
            return 0;
        else
            alpha = ir_mul2(ir, alpha, f);
    }
    if (!inner)
        return 0;
    Ref j, beta_body = ir_open(ir, inner, &j);
    Atoms atoms = {0};
    collect_atoms(ir, beta_body, &atoms);
    Ref xi = input_variable(p, ir, index), xj = input_variable(p, ir, j), beta;
    if (atoms.at.n != 1 || ir_arity(ir, atoms.at.at[0]) != 2)
        return 0;
    Ref a = ir_kid(ir, atoms.at.at[0], 0), b = ir_kid(ir, atoms.at.at[0], 1);
    if (!((a == xi && b == xj) || (a == xj && b == xi)) ||
        !weight_of(ir, beta_body, atoms.at.at[0], 1, &beta) || ir_depends(ir, beta, index) ||
        ir_depends(ir, ir_kid(ir, inner, 0), index) || ir_depends(ir, ir_kid(ir, inner, 1), index))
        return 0;
    alpha = entry_in_range(ir, p, index, lo, hi, alpha);
    beta = entry_in_range(ir, p, j, ir_kid(ir, inner, 0), ir_kid(ir, inner, 1), beta);
    return second_order(rec, index, alpha, ir_substitute(ir, beta, j, index),
                        (uint32_t)ir_id(ir, atoms.at.at[0]));
}

/* A function of x_i, d(net, x_i) and the point alone, for one output. */
static bool is_gradient_sum(Ir *ir, const Atoms *atoms, Ref index, Ref *atom) {
    *atom = 0;
    for (uint32_t k = 0; k < atoms->at.n; k++) {
        if (ir_arity(ir, atoms->at.at[k]) == 0)
            return false;
        if (!is_first(ir, atoms->at.at[k], index) || *atom)
            return false;
        *atom = atoms->at.at[k];
    }
    return *atom != 0;
}

/* The s of x_{index + s}, where every derivative is by that coordinate; 0 where they differ. */
static Ref common_shift(Ir *ir, Ref index, const Atoms *atoms) {
    Ref common = 0, at;
    for (uint32_t k = 0; k < atoms->at.n; k++)
        for (uint32_t j = 0; j < ir_arity(ir, atoms->at.at[k]); j++) {
            if (!input_entry(ir, ir_kid(ir, atoms->at.at[k], j), &at))
                continue;
            Ref s = ir_sub(ir, at, index);
            if (ir_depends(ir, s, index) || (common && s != common))
                return 0;
            common = s;
        }
    return common;
}

/* sum_i f(i) d(net, x_{i+s}) is sum_j f(j-s) d(net, x_j) over a range moved by s. */
static void unshift(Ir *ir, Ref index, Ref *lo, Ref *hi, Ref *body, Atoms *atoms) {
    Ref s = common_shift(ir, index, atoms);
    if (!s || ir_is_number(ir, s, 0))
        return;
    *body = ir_substitute(ir, *body, index, ir_sub(ir, index, s));
    *lo = ir_add2(ir, *lo, s);
    *hi = ir_add2(ir, *hi, s);
    *atoms = (Atoms){0};
    collect_atoms(ir, *body, atoms);
}

static Ref recognise(Recogniser *rec, Ref sum) {
    Ir *ir = rec->c->ir;
    const Problem *p = rec->c->problem;
    Ref index, body = ir_open(ir, sum, &index), weight, lo = ir_kid(ir, sum, 0),
               hi = ir_kid(ir, sum, 1);
    Atoms atoms = {0};
    if (ir_contains(ir, body, OP_UNKNOWN)) /* a direction has no derivative by an unknown number */
        return 0;
    collect_atoms(ir, body, &atoms);
    unshift(ir, index, &lo, &hi, &body, &atoms);
    if (atoms.at.n == 1) {
        Ref atom = atoms.at.at[0];
        uint32_t output = (uint32_t)ir_id(ir, atom);
        if (is_first(ir, atom, index) && weight_of(ir, body, atom, 1, &weight))
            return first_order(rec, index, entry_in_range(ir, p, index, lo, hi, weight), output);
        uint32_t slot;
        if (is_slanted(ir, atom, index, &slot) && weight_of(ir, body, atom, 1, &weight)) {
            Ref entries = entry_in_range(ir, p, index, lo, hi, weight);
            Jet jet = {.kind = JET_LINEAR, .output = output, .n = 2};
            jet.part[0] =
                (JetPart){slanted_block(rec->c, rec->route, index, entries, slot, 1), 2, 0.25};
            jet.part[1] =
                (JetPart){slanted_block(rec->c, rec->route, index, entries, slot, -1), 2, -0.25};
            return jet_of(rec, jet, "ds");
        }
        bool second = is_second(ir, atom, index) && weight_of(ir, body, atom, 1, &weight);
        if ((second || (is_first(ir, atom, index) && weight_of(ir, body, atom, 2, &weight))) &&
            point_free(ir, weight) && !tangent_inputs(p)) {
            uint32_t order = second ? 2 : 1;
            uint32_t b =
                gram_block(rec, index, entry_in_range(ir, p, index, lo, hi, weight), order);
            return jet_of(rec,
                          (Jet){.kind = second ? JET_GRAM : JET_SQUARES,
                                .output = output,
                                .n = 1,
                                .part = {{b, order, 1}}},
                          "g");
        }
    }
    Ref along = tangent_inputs(p) ? first_order_along(rec, sum) : 0;
    if (along)
        return along;
    Ref pair = recognise_double(rec, p, index, lo, hi, body), atom,
        written_out = ir_expand(ir, body);
    if (pair)
        return pair;
    if (written_out != body) /* (a d(net, x_i) + b)^2 and the like: term by term */
        return without_sums(rec->c, rec->route, ir_reduce(ir, OP_SUM, index, lo, hi, written_out));
    if (is_gradient_sum(ir, &atoms, index, &atom) && !ir_contains(ir, body, OP_SUM)) {
        Block b = {.kind = BLOCK_GRADIENT,
                   .order = 1,
                   .index = index,
                   .atom = atom,
                   .entries = {entry_in_range(ir, p, index, lo, hi, body)}};
        return jet_of(rec,
                      (Jet){.kind = JET_GRADIENT,
                            .output = (uint32_t)ir_id(ir, atom),
                            .n = 1,
                            .part = {{jets_block(ir, rec->route, b), 1, 1}}},
                      "f");
    }
    return 0;
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
    if (!ir_has_net(ir, e))
        return e;
    if (!ir_is_binder(ir_op(ir, e)))
        return 0;
    Ref jet = ir_is(ir, e, OP_SUM) ? recognise(rec, e) : 0;
    if (!jet)
        refuse(rec->route, why_not(rec->c, e), ir->origin.at[e]);
    return jet ? jet : e;
}

static Ref without_sums(Compilation *c, Route *route, Ref e) {
    Recogniser rec = {c, route};
    return ir_rewrite(c->ir, e, recognise_node, &rec);
}

/* ---- routes ---- */

static int task_family(Compilation *c, Task *task, const Family *f) {
    for (uint32_t k = 0; k < task->family.n; k++) {
        const Family *have = &task->family.at[k];
        if (have->n_index == f->n_index && have->ordered == f->ordered && have->lo[0] == f->lo[0] &&
            have->hi[0] == f->hi[0] &&
            (f->n_index < 2 || f->ordered || (have->lo[1] == f->lo[1] && have->hi[1] == f->hi[1])))
            return (int)k;
    }
    VEC_PUSH(&c->arena, task->family, *f);
    return (int)task->family.n - 1;
}

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
    return ir_rewrite(ir, e, inside_family, &(Inside){family, index});
}

static Ref sampled_term(Compilation *c, Task *task, const Operator *op, const Term *t,
                        Ref divisor) {
    Ir *ir = c->ir;
    SampledSum sum = {.family = (uint32_t)task_family(c, task, &op->family.at[t->family])};
    memcpy(sum.index, t->index, sizeof sum.index);
    sum.body = ir_expand(ir, ir_div(ir, trial_apply(c, c->problem, t->body), divisor));
    sum.body = plan_within(ir, &task->family.at[sum.family], sum.index, sum.body);
    sum.placeholder = placeholder(c, "s");
    VEC_PUSH(&c->arena, task->sampled.sum, sum);
    return ir_mul2(ir, trial_apply(c, c->problem, t->outside), sum.placeholder);
}

/* A sum that could be had in full, were it not for its trial function or a form that no direction has,
 * is sampled. */
static bool must_be_sampled(Compilation *c, const Term *t, Ref part) {
    Route attempt = {0};
    if (t->n_index == 0)
        return false;
    without_sums(c, &attempt, part);
    return attempt.unavailable;
}

/* The residual with sampled sums replaced by placeholders and the rest evaluated in full. */
static Ref sampled_residual(Compilation *c, Task *task, Operator *op, Ref divisor) {
    Ir *ir = c->ir;
    Ref total = ir_const(ir, 0);
    for (uint32_t k = 0; k < op->term.n; k++) {
        Term *t = &op->term.at[k];
        Ref part = 0;
        if (t->class != TERM_SAMPLED) {
            part = ir_expand(ir, ir_div(ir, trial_apply(c, c->problem, t->value), divisor));
            if (must_be_sampled(c, t, part)) {
                t->class = TERM_SAMPLED;
                t->family = split_family(ir, op, t);
                t->why = "sampled, since no direction or function of the gradient gives it in full";
            }
        }
        if (t->class == TERM_SAMPLED)
            part = sampled_term(c, task, op, t, divisor);
        total = ir_add2(ir, total, part);
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
    SampledSum sum = {.family = (uint32_t)task_family(c, task, &family),
                      .index = {row->index},
                      .placeholder = placeholder(c, "s"),
                      .body = ir_powi(ir, trial_apply(c, c->problem, row->entry), 2)};
    sum.body = plan_within(ir, &task->family.at[sum.family], sum.index, sum.body);
    (void)ir_rewrite(ir, sum.body, refuse_sum, &task->sampled);
    VEC_PUSH(&c->arena, task->sampled.sum, sum);
    return ir_div(ir, sum.placeholder, row->entries);
}

static void plan_task(Compilation *c, Task *task, uint32_t n, Operator *op, const Ref *in_net,
                      const Ref *divisor) {
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
    const char *broken = plan_verify(c, task);
    if (broken)
        diag(c, X0901, where, broken);
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

static void plan_reports(Compilation *c, Plan *plan) {
    const Problem *p = c->problem;
    Ref one = ir_const(c->ir, 1);
    for (uint32_t k = 0; k < p->report.n; k++) {
        Operator op = {0};
        Task task = {.kind = TASK_REPORT, .row = k, .name = NEW_ARRAY(&c->arena, Sym, 1)};
        if (ir_contains(c->ir, p->report.at[k].value,
                        OP_OUTWARD)) /* not before: --eval can have it */
            diag(c, E0557, p->report.at[k].ast->span, "a report");
        split_residual(c, p->report.at[k].value, p->report.at[k].ast->span, &op);
        plan_task(c, &task, 1, &op, &p->report.at[k].in_net, &one);
        const char *broken = plan_verify(c, &task);
        if (broken)
            diag(c, X0901, p->report.at[k].ast->span, broken);
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
    plan_reports(c, plan);
}
