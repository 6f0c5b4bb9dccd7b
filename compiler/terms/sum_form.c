/* sum_form.c: see sum_form.h.
 * requires: trial functions and sources are put in, so that what is asked about is what is computed. establishes: an
 * answer for each sum, found once and remembered; the form says which of Sum's fields hold something. */
#include "terms/sum_form.h"

#include <assert.h>

#include "base/compilation.h"
#include "ir/net_input.h"
#include "ir/tangent.h"

static void collect(Ir *ir, Ref e, Atoms *out, Memo *seen) {
    Ref done;
    if (!ir_has_net(ir, e) || memo_get(seen, e, 0, &done))
        return;
    memo_put(seen, e, 0, 1);
    if (ir_is(ir, e, OP_FIELD) || ir_is(ir, e, OP_NET)) {
        VEC_PUSH(ir->arena, out->at, e);
        return;
    }
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        collect(ir, ir_kid(ir, e, k), out, seen);
}

void collect_atoms(Ir *ir, Ref e, Atoms *out) {
    Memo seen = {.arena = ir->arena};
    collect(ir, e, out, &seen);
}

bool sum_point_free(Ir *ir, Ref e) {
    return !ir_contains(ir, e, OP_SPACE) && !ir_contains(ir, e, OP_TIME) &&
           !ir_contains(ir, e, OP_AUX) && !ir_contains(ir, e, OP_OUTWARD) &&
           !ir_contains(ir, e, OP_UNKNOWN);
}

/* A sum that is being looked at: its range and body, opened. */
typedef struct Opened {
    Ref index, lo, hi, body;
    Atoms atoms;
} Opened;

Ref sum_common_shift(Ir *ir, Ref index, const Atoms *atoms) {
    Ref common = 0, at;
    for (uint32_t k = 0; k < atoms->at.n; k++)
        for (uint32_t j = 0; j < ir_arity(ir, atoms->at.at[k]); j++) {
            Ref variable = ir_kid(ir, atoms->at.at[k], j);
            if (!input_entry(ir, variable, &at) || !ir_depends(ir, at, index))
                continue;
            Ref s = ir_sub(ir, at, index);
            if (ir->node.at[s].has_index || ir_contains(ir, s, OP_BOUND) || (common && s != common))
                return 0;
            common = s;
        }
    return common;
}

static Opened open_unshifted(Ir *ir, Ref sum) {
    Opened o = {.lo = ir_kid(ir, sum, 0), .hi = ir_kid(ir, sum, 1)};
    o.body = ir_open(ir, sum, &o.index);
    collect_atoms(ir, o.body, &o.atoms);
    Ref s = sum_common_shift(ir, o.index, &o.atoms);
    if (!s || ir_is_number(ir, s, 0))
        return o;
    o.body = ir_substitute(ir, o.body, o.index, ir_sub(ir, o.index, s));
    o.lo = ir_add2(ir, o.lo, s);
    o.hi = ir_add2(ir, o.hi, s);
    o.atoms = (Atoms){0};
    collect_atoms(ir, o.body, &o.atoms);
    return o;
}

/* The entry at the running index, 0 outside the sum's own range. */
static Ref entry_in_range(Ir *ir, Ref index, Ref lo, Ref hi, Ref entry) {
    if (ir_is_number(ir, lo, 1) && hi == ir->c->problem->d)
        return entry;
    return ir_mul2(ir, ir_in(ir, index, lo, hi), entry);
}

static Ref in_range(Ir *ir, const Opened *o, Ref entry) {
    return entry_in_range(ir, o->index, o->lo, o->hi, entry);
}

/* ---- forms of one derivative ---- */

static bool is_first(Ir *ir, Ref atom, Ref index) {
    return ir_arity(ir, atom) == 1 &&
           ir_kid(ir, atom, 0) == input_variable(ir->c->problem, ir, index);
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

static SumForm form_of_one(Ir *ir, const Opened *o, Sum *out) {
    Ref atom = o->atoms.at.at[0], weight;
    SumForm form = FORM_NONE;
    out->output = (uint32_t)ir_id(ir, atom);
    if (is_first(ir, atom, o->index) && weight_of(ir, o->body, atom, 1, &weight))
        form = FORM_ALONG;
    else if (is_slanted(ir, atom, o->index, &out->slot) && weight_of(ir, o->body, atom, 1, &weight))
        form = FORM_SLANTED;
    else if (tangent_inputs(ir->c->problem)) /* how the features move depends on the point */
        return FORM_NONE;
    else if (is_second(ir, atom, o->index) && weight_of(ir, o->body, atom, 1, &weight) &&
             sum_point_free(ir, weight))
        form = FORM_GRAM;
    else if (is_first(ir, atom, o->index) && weight_of(ir, o->body, atom, 2, &weight) &&
             sum_point_free(ir, weight))
        form = FORM_SQUARES;
    if (form != FORM_NONE)
        out->entries[0] = in_range(ir, o, weight);
    return form;
}

/* ---- forms of more ---- */

/* The inner sum of sum_i alpha_i * (the inner sum), and alpha; 0: not of that form. */
static Ref one_inner_sum(Ir *ir, Ref body, Ref *alpha) {
    Ref inner = 0;
    uint32_t n = ir_is(ir, body, OP_MUL) ? ir_arity(ir, body) : 1;
    *alpha = ir_const(ir, 1);
    for (uint32_t k = 0; k < n; k++) {
        Ref f = n > 1 ? ir_kid(ir, body, k) : body;
        if (ir_is(ir, f, OP_SUM) && ir_has_net(ir, f) && !inner)
            inner = f;
        else if (ir_has_net(ir, f))
            return 0;
        else
            *alpha = ir_mul2(ir, *alpha, f);
    }
    return inner;
}

/* sum_i alpha_i * sum_j beta_j d2(net, x_i, x_j)? */
static bool is_along_two(Ir *ir, const Opened *o, Sum *out) {
    const Problem *p = ir->c->problem;
    Ref alpha, beta, j, inner = one_inner_sum(ir, o->body, &alpha);
    if (!inner)
        return false;
    Ref beta_body = ir_open(ir, inner, &j), lo = ir_kid(ir, inner, 0), hi = ir_kid(ir, inner, 1);
    Atoms atoms = {0};
    collect_atoms(ir, beta_body, &atoms);
    Ref xi = input_variable(p, ir, o->index), xj = input_variable(p, ir, j);
    if (atoms.at.n != 1 || ir_arity(ir, atoms.at.at[0]) != 2)
        return false;
    Ref atom = atoms.at.at[0], a = ir_kid(ir, atom, 0), b = ir_kid(ir, atom, 1);
    if (!((a == xi && b == xj) || (a == xj && b == xi)) ||
        !weight_of(ir, beta_body, atom, 1, &beta) || ir_depends(ir, beta, o->index) ||
        ir_depends(ir, lo, o->index) || ir_depends(ir, hi, o->index))
        return false;
    out->output = (uint32_t)ir_id(ir, atom);
    out->entries[0] = in_range(ir, o, alpha);
    beta = entry_in_range(ir, j, lo, hi, beta);
    out->entries[1] = ir_substitute(ir, beta, j, o->index);
    return true;
}

/* Linear in N[T] of one output, with one such factor in each product? */
static bool is_along_tangents(Ir *ir, Ref e, int *output) {
    uint32_t n = ir_arity(ir, e), with_net = 0;
    Ref index;
    switch (ir_op(ir, e)) {
    case OP_NET:
        if (n != 1 || (*output >= 0 && (uint64_t)*output != ir_id(ir, e)))
            return false;
        *output = (int)ir_id(ir, e);
        return true;
    case OP_SUM:
        return is_along_tangents(ir, ir_open(ir, e, &index), output);
    case OP_MUL:
        for (uint32_t k = 0; k < n; k++) {
            bool has = ir_has_net(ir, ir_kid(ir, e, k));
            with_net += has;
            if (has && !is_along_tangents(ir, ir_kid(ir, e, k), output))
                return false;
        }
        return with_net == 1;
    case OP_ADD:
        for (uint32_t k = 0; k < n; k++)
            if (!is_along_tangents(ir, ir_kid(ir, e, k), output))
                return false;
        return true;
    default:
        return false;
    }
}

/* A function of x_i, d(net, x_i) and the point alone, for one output? Gives that derivative. */
static bool is_gradient_sum(Ir *ir, const Opened *o, Ref *atom) {
    if (o->atoms.at.n != 1 || !is_first(ir, o->atoms.at.at[0], o->index))
        return false;
    *atom = o->atoms.at.at[0];
    return !ir_contains(ir, o->body, OP_SUM);
}

static Sum find_form(Ir *ir, Ref sum) {
    Opened o = open_unshifted(ir, sum);
    Sum out = {.form = FORM_NONE, .index = o.index};
    int output = -1;
    if (ir_contains(ir, o.body,
                    OP_UNKNOWN)) /* a direction has no derivative by an unknown number */
        return out;
    if (o.atoms.at.n == 1)
        out.form = form_of_one(ir, &o, &out);
    if (out.form != FORM_NONE)
        return out;
    if (tangent_inputs(ir->c->problem) && is_along_tangents(ir, sum, &output)) {
        out.form = FORM_TANGENTS;
        out.output = (uint32_t)output;
    } else if (is_along_two(ir, &o, &out)) {
        out.form = FORM_ALONG_TWO;
    } else {
        Ref written_out = ir_expand(ir, o.body);
        if (written_out != o.body) { /* (a d(net, x_i) + b)^2 and the like: term by term */
            out.form = FORM_WRITTEN_OUT;
            out.instead = ir_reduce(ir, OP_SUM, o.index, o.lo, o.hi, written_out);
        } else if (is_gradient_sum(ir, &o, &out.atom)) {
            out.form = FORM_GRADIENT;
            out.output = (uint32_t)ir_id(ir, out.atom);
            out.entries[0] = in_range(ir, &o, o.body);
        }
    }
    return out;
}

/* ---- answers, remembered ---- */

typedef struct SumForms {
    Memo at; /* the sum -> its place below */
    VEC(Sum) sum;
} SumForms;

Sum sum_form(Ir *ir, Ref sum) {
    Problem *p = ir->c->problem;
    Ref place;
    assert(ir_is(ir, sum, OP_SUM) && ir_has_net(ir, sum));
    if (!p->forms) {
        p->forms = NEW(ir->arena, SumForms);
        p->forms->at.arena = ir->arena;
    }
    if (memo_get(&p->forms->at, sum, 0, &place))
        return p->forms->sum.at[place];
    Sum found = find_form(ir, sum);
    assert(found.form != FORM_WRITTEN_OUT || found.instead != sum);
    assert(found.output < p->field.n || p->field.n == 0);
    memo_put(&p->forms->at, sum, 0, p->forms->sum.n);
    VEC_PUSH(ir->arena, p->forms->sum, found);
    return found;
}

bool sum_at(Ir *ir, Ref e, Ref *answer, Sum *sum) {
    bool net = ir_has_net(ir, e);
    if (!net || !ir_is_binder(ir_op(ir, e))) {
        *answer = net ? 0 : e;
        return false;
    }
    *sum = ir_is(ir, e, OP_SUM) ? sum_form(ir, e) : (Sum){.form = FORM_NONE};
    return true;
}

static Ref count_node(Ir *ir, Ref e, void *context) {
    SumCount *count = context;
    Ref answer;
    Sum sum;
    if (!sum_at(ir, e, &answer, &sum))
        return answer;
    if (sum.form == FORM_WRITTEN_OUT)
        (void)ir_rewrite(ir, sum.instead, count_node, context);
    else
        count->of[sum.form]++;
    return e;
}

SumCount sum_count(Ir *ir, Ref e) {
    SumCount count = {{0}};
    (void)ir_rewrite(ir, e, count_node, &count);
    return count;
}
