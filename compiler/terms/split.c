/* split.c: each residual as sum_k L_k + remainder - source, and for every sum whether its terms may
 * be sampled, and if not, why.
 *
 * requires: residuals in FIELD atoms. establishes: the terms of a residual add up to it. A term is a
 * product that keeps all its factors, so what needs proof is each sum that was opened: closed again, it
 * is the sum it was. (The whole product, built again, may be the same in another form.) */
#include "terms/split.h"

#include <assert.h>
#include <string.h>

#include "base/compilation.h"
#include "ir/net_input.h"
#include "ir/tangent.h"
#include "lower/trial.h"
#include "pass.h"
#include "terms/sum_form.h"

uint32_t atom_time_order(const Ir *ir, Ref atom) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < ir_arity(ir, atom); k++)
        n += ir_is(ir, ir_kid(ir, atom, k), OP_TIME);
    return n;
}

uint32_t atom_space_order(const Ir *ir, Ref atom) {
    return ir_arity(ir, atom) - atom_time_order(ir, atom);
}

/* ---- factors ---- */

typedef struct Factors {
    VEC(Ref) at;
} Factors;

static void factors_of(Ir *ir, Ref e, Factors *out) {
    if (!ir_is(ir, e, OP_MUL)) {
        VEC_PUSH(ir->arena, out->at, e);
        return;
    }
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        VEC_PUSH(ir->arena, out->at, ir_kid(ir, e, k));
}

/* A reduction over derivatives of the unknown, anywhere in e; 0: none. */
static Ref find_field_sum(Ir *ir, Ref e) {
    if (!ir_has_net(ir, e))
        return 0;
    if (ir_is_binder(ir_op(ir, e)))
        return e;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
        Ref found = find_field_sum(ir, ir_kid(ir, e, k));
        if (found)
            return found;
    }
    return 0;
}

/* ---- one sum ---- */

static Ref atom_as_zero(Ir *ir, Ref e, void *context) {
    (void)context;
    if (!ir_has_net(ir, e))
        return e;
    return ir_is(ir, e, OP_FIELD) || ir_is(ir, e, OP_NET) ? ir_const(ir, 0) : 0;
}

/* body = sum of coefficient * atom with coefficients free of the unknown? Then its derivatives are, and
 * nothing is left where the unknown is 0. */
static bool is_linear(Ir *ir, Ref body, const Atoms *atoms) {
    for (uint32_t k = 0; k < atoms->at.n; k++)
        if (ir_has_net(ir, ir_diff(ir, body, atoms->at.at[k])))
            return false;
    return ir_is_number(ir, ir_expand(ir, ir_rewrite(ir, body, atom_as_zero, NULL)), 0);
}

static bool is_rectangular(Ir *ir, const Term *t) {
    return t->n_index < 2 ||
           !(ir_depends(ir, t->lo[1], t->index[0]) || ir_depends(ir, t->hi[1], t->index[0]));
}

/* Orders, and whether the body is linear. */
static void measure(Ir *ir, Term *t, const Atoms *atoms) {
    for (uint32_t k = 0; k < atoms->at.n; k++) {
        uint32_t n = ir_arity(ir, atoms->at.at[k]), m = atom_time_order(ir, atoms->at.at[k]);
        t->order = n > t->order ? n : t->order;
        t->time_order = m > t->time_order ? m : t->time_order;
    }
    t->linear = is_linear(ir, t->body, atoms);
}

/* Are all derivatives that move with the sum of first order in space? */
static bool first_order_moves(const Ir *ir, const Term *t, const Atoms *atoms) {
    for (uint32_t k = 0; k < atoms->at.n; k++)
        for (uint32_t j = 0; j < t->n_index; j++)
            if (ir_depends(ir, atoms->at.at[k], t->index[j]) &&
                atom_space_order(ir, atoms->at.at[k]) > 1)
                return false;
    return true;
}

/* Is a derivative by the coordinates of one index of second order or more, as in lap? */
static bool derived_twice(Ir *ir, const Term *t, const Atoms *atoms) {
    for (uint32_t k = 0; k < atoms->at.n; k++)
        for (uint32_t j = 0; j < t->n_index; j++) {
            uint32_t times = 0;
            for (uint32_t m = 0; m < ir_arity(ir, atoms->at.at[k]); m++)
                times += ir_depends(ir, ir_kid(ir, atoms->at.at[k], m), t->index[j]);
            if (times > 1)
                return true;
        }
    return false;
}

/* Why a sum that no route has in full without sampling may be sampled. */
static const char *why_sampled(Ir *ir, const Term *t, const Atoms *atoms, bool cheap) {
    if (cheap)
        return "may be sampled; also exact: with this network or trial function it is a few "
               "derivatives along directions";
    if (t->gram)
        return "may be sampled; also exact over all indices by the Gram matrix of the first layer, "
               "since the weights are the same for every point";
    if (t->n_index == 1 && first_order_moves(ir, t, atoms))
        return "sampled, since no direction or function of the gradient gives it in full";
    if (t->n_index == 2)
        return "may be sampled over pairs";
    if (!t->linear)
        return "may be sampled; each term is evaluated by itself, since it is not linear in the "
               "derivatives";
    if (tangent_inputs(ir->c->problem))
        return "may be sampled; no Gram matrix, since how the features move depends on the point";
    return "may be sampled; no Gram matrix, since the weights depend on the point or on more than "
           "the second derivatives";
}

/* A sum that was opened, by the forms of what it is in NET atoms: the worst of them is its class. Sums of second and
 * higher derivatives by one coordinate each may be sampled even where features make them cheap: the method says. */
static void classify_sum(Ir *ir, Term *t) {
    Atoms atoms = {0};
    SumCount count = sum_count(ir, t->in_net);
    collect_atoms(ir, t->body, &atoms);
    measure(ir, t, &atoms);
    bool cheap = !count.of[FORM_NONE] && !count.of[FORM_GRAM];
    if (!cheap || derived_twice(ir, t, &atoms)) {
        t->class = TERM_SAMPLED;
        t->gram = !cheap && !count.of[FORM_NONE];
        t->why = why_sampled(ir, t, &atoms, cheap);
    } else if (count.of[FORM_GRADIENT] || count.of[FORM_SQUARES]) {
        t->class = TERM_GRADIENT;
        t->why =
            "first derivatives only: one reverse sweep gives them all, O(d) and exact; sampling "
            "would buy nothing";
    } else {
        t->class = TERM_DIRECTION;
        t->why =
            t->n_index > 1
                ? "the coefficients are a product of a factor in each index: the double sum is "
                  "one second derivative along a dense direction, O(d) and exact"
                : "linear in the first derivatives: one derivative along a dense direction, "
                  "O(d) and exact";
    }
    t->linear = t->linear && !ir_has_net(ir, t->outside);
}

/* Are all derivatives below e of first order in space? Sums of these are had exactly, at the cost of
 * one sweep or one direction, so they may stand beside a sampled sum. */
static bool first_order_only(Ir *ir, Ref e) {
    Atoms atoms = {0};
    collect_atoms(ir, e, &atoms);
    for (uint32_t k = 0; k < atoms.at.n; k++)
        if (atom_space_order(ir, atoms.at.at[k]) > 1)
            return false;
    return true;
}

/* rest * sum = the sum over this index of rest * body? */
static bool opened_whole(Ir *ir, Ref sum, Ref rest, Ref index, Ref body) {
    if (ir_depends(ir, rest, index))
        return false;
    Ref again = ir_reduce(ir, OP_SUM, index, ir_kid(ir, sum, 0), ir_kid(ir, sum, 1), body);
    return again == sum || ir_is_number(ir, ir_expand(ir, ir_sub(ir, again, sum)), 0);
}

/* A product of exactly one sum over derivatives with factors that hold none (or only sums of first
 * derivatives)? Opens the sum, and one sum inside it of the same form. */
static bool open_sums(Ir *ir, Ref e, Term *t) {
    Ref outside = ir_const(ir, 1);
    for (t->n_index = 0; t->n_index < 2;) {
        Factors f = {0};
        Ref sum = 0, rest = ir_const(ir, 1);
        factors_of(ir, e, &f);
        bool costly = t->n_index == 0 && !first_order_only(ir, e);
        for (uint32_t k = 0; k < f.at.n; k++) {
            Ref inner = find_field_sum(ir, f.at.at[k]);
            if (!inner || (costly && first_order_only(ir, f.at.at[k]))) {
                rest = ir_mul2(ir, rest, f.at.at[k]);
                continue;
            }
            if (sum || inner != f.at.at[k] || !ir_is(ir, inner, OP_SUM)) {
                if (t->n_index == 1)
                    return false;
                t->where = ir->origin.at[inner];
                return false;
            }
            sum = inner;
        }
        if (!sum)
            break;
        uint32_t at = t->n_index++;
        t->lo[at] = ir_kid(ir, sum, 0);
        t->hi[at] = ir_kid(ir, sum, 1);
        t->where = ir->origin.at[sum];
        e = ir_open(ir, sum, &t->index[at]);
        t->unproven |= !opened_whole(ir, sum, rest, t->index[at], e);
        if (at == 0)
            outside = rest;
        else
            e = ir_mul2(ir, rest, e);
    }
    t->outside = outside;
    t->body = e;
    return find_field_sum(ir, e) == 0;
}

static const char *const FUNC_NAME[] = {
#define F(name, arity, jump, c, da, db) #name,
#include "text/func.def"
};

static bool has_place(Span s) {
    return s.hi > s.lo;
}

/* Why a sum inside e cannot be taken apart: what encloses it, and where that stands. Equal sums are
 * one node, which remembers its first place only, so the place of what encloses it is the better one. */
static const char *enclosing(Ir *ir, Ref e, Ref sum, Span *where) {
    Text out = {.arena = ir->arena};
    Ref around = 0;
    uint32_t sums = 0;
    Factors f = {0};
    factors_of(ir, e, &f);
    for (uint32_t k = 0; k < f.at.n; k++)
        if (find_field_sum(ir, f.at.at[k])) {
            sums++;
            around = f.at.at[k];
        }
    if (sums == 1 && has_place(ir->origin.at[around]))
        *where = ir->origin.at[around];
    else if (has_place(ir->origin.at[e]))
        *where = ir->origin.at[e];
    if (sums > 1)
        text_printf(
            &out,
            "two sums over derivatives are multiplied: an estimate of each from one index set "
            "would be biased, so both are evaluated in full");
    else if (around && ir_is(ir, around, OP_POW) && ir_is_number(ir, ir_kid(ir, around, 1), 0.5))
        text_printf(&out, "this sum stands inside sqrt: it is evaluated in full");
    else if (around && ir_is(ir, around, OP_POW))
        text_printf(&out, "this sum stands inside a power: it is evaluated in full");
    else if (around && ir_is(ir, around, OP_FUNC))
        text_printf(&out, "this sum stands inside %s: it is evaluated in full",
                    FUNC_NAME[ir_id(ir, around)]);
    else if (!ir_is(ir, sum, OP_SUM))
        text_printf(&out, "a %s over derivatives has no terms to sample: it is evaluated in full",
                    ir_is(ir, sum, OP_PROD) ? "product" : "largest or smallest value");
    else
        text_printf(&out, "this sum is not a plain sum of terms: it is evaluated in full");
    return text_cstr(&out);
}

static Term classify(Ir *ir, Ref e, Ref divisor) {
    Term t = {
        .value = e, .outside = ir_const(ir, 1), .body = e, .family = -1, .where = ir->origin.at[e]};
    Ref sum = find_field_sum(ir, e);
    t.in_net = ir_expand(ir, ir_div(ir, trial_apply(ir->c, ir->c->problem, e), divisor));
    if (!ir_has_net(ir, e)) {
        t.class = TERM_SOURCE;
        t.why = "known data, evaluated in full";
    } else if (!sum) {
        Atoms atoms = {0};
        collect_atoms(ir, e, &atoms);
        measure(ir, &t, &atoms);
        t.class = TERM_POINTWISE;
        t.why = "no sum over derivatives: evaluated at each point";
    } else if (open_sums(ir, e, &t)) {
        classify_sum(ir, &t);
    } else {
        t.class = TERM_WHOLE;
        t.n_index = 0;
        t.outside = ir_const(ir, 1);
        t.body = e;
        t.where = ir->origin.at[sum];
        t.why = enclosing(ir, e, sum, &t.where);
    }
    return t;
}

/* ---- families ---- */

/* Sums start at 1 in the IR. A pair of directions has no shift: the indices become the coordinates. */
static void unshift_pair(Ir *ir, Term *t) {
    Atoms atoms = {0};
    collect_atoms(ir, t->body, &atoms);
    for (uint32_t k = 0; k < t->n_index; k++) {
        Ref s = sum_common_shift(ir, t->index[k], &atoms);
        if (!s)
            continue;
        Ref back = ir_sub(ir, t->index[k], s);
        t->body = ir_substitute(ir, t->body, t->index[k], back);
        t->lo[k] = ir_add2(ir, t->lo[k], s);
        t->hi[k] = ir_add2(ir, t->hi[k], s);
        if (k == 0) {
            t->lo[1] = ir_substitute(ir, t->lo[1], t->index[0], back);
            t->hi[1] = ir_substitute(ir, t->hi[1], t->index[0], back);
        }
    }
}

/* The coordinates of a vector that stands behind others are shifted by a number that is no constant: those of the
 * first derivative become the range, from which neighbours are so many away. */
static void unshift_behind(Ir *ir, Term *t) {
    Atoms atoms = {0};
    Ref at, s = 0, i = t->index[0];
    collect_atoms(ir, t->body, &atoms);
    for (uint32_t k = 0; k < atoms.at.n && !s; k++)
        for (uint32_t j = 0; j < ir_arity(ir, atoms.at.at[k]) && !s; j++)
            if (input_entry(ir, ir_kid(ir, atoms.at.at[k], j), &at) && ir_depends(ir, at, i))
                s = ir_sub(ir, at, i);
    if (!s || ir->node.at[s].has_index || ir_contains(ir, s, OP_BOUND) || ir_is_number(ir, s, 0))
        return;
    t->body = ir_substitute(ir, t->body, i, ir_sub(ir, i, s));
    t->lo[0] = ir_add2(ir, t->lo[0], s);
    t->hi[0] = ir_add2(ir, t->hi[0], s);
}

static void swap_indices(Ir *ir, Term *t) {
    Ref i = t->index[0], top = t->hi[0];
    t->index[0] = t->index[1];
    t->index[1] = i;
    t->lo[0] = t->lo[1];
    t->lo[1] = ir_add2(ir, t->index[0], ir_const(ir, 1));
    t->hi[0] = t->hi[1] = top;
}

/* Pairs are drawn from a rectangle or from i < j in one range. Other shapes become the rectangle of
 * all coordinates, with the terms outside the shape zero. */
static void settle_pair(Ir *ir, Term *t) {
    Ref one = ir_const(ir, 1);
    unshift_pair(ir, t);
    if (is_rectangular(ir, t))
        return;
    Ref i = t->index[0], d = ir->c->problem->d;
    bool above = t->lo[1] == ir_add2(ir, i, one) && !ir_depends(ir, t->hi[1], i) &&
                 (t->hi[0] == t->hi[1] || t->hi[0] == ir_sub(ir, t->hi[1], one));
    bool below = t->hi[1] == ir_sub(ir, i, one) && !ir_depends(ir, t->lo[1], i) &&
                 (t->lo[0] == t->lo[1] || t->lo[0] == ir_add2(ir, t->lo[1], one));
    if (above) {
        t->hi[0] = t->hi[1];
    } else if (below) {
        swap_indices(ir, t);
    } else {
        t->body = ir_mul2(ir, ir_in(ir, t->index[1], t->lo[1], t->hi[1]), t->body);
        t->lo[1] = one;
        t->hi[1] = d;
    }
}

static Ref number_of_pairs(Ir *ir, const Term *t) {
    Ref size = ir_const(ir, 1);
    for (uint32_t k = t->n_index; k-- > 0;)
        size = ir_reduce(ir, OP_SUM, t->index[k], t->lo[k], t->hi[k], size);
    return size;
}

uint32_t split_family(Ir *ir, Families *families, const Family *f) {
    assert(f->n_index == 1 || f->n_index == 2);
    for (uint32_t k = 0; k < families->n; k++) {
        const Family *have = &families->at[k];
        if (have->n_index == f->n_index && have->ordered == f->ordered && have->lo[0] == f->lo[0] &&
            have->hi[0] == f->hi[0] &&
            (f->n_index < 2 || f->ordered || (have->lo[1] == f->lo[1] && have->hi[1] == f->hi[1])))
            return k;
    }
    VEC_PUSH(ir->arena, *families, *f);
    return families->n - 1;
}

static Family family_of(Ir *ir, const Term *t) {
    Family f = {.n_index = t->n_index, .ordered = !is_rectangular(ir, t)};
    memcpy(f.lo, t->lo, sizeof f.lo);
    memcpy(f.hi, t->hi, sizeof f.hi);
    f.size = f.ordered && ir_is_number(ir, t->lo[0], 1) && t->hi[0] == t->hi[1]
                 ? ir_div(ir, ir_mul2(ir, t->hi[0], ir_sub(ir, t->hi[0], ir_const(ir, 1))),
                          ir_const(ir, 2))
                 : number_of_pairs(ir, t);
    return f;
}

void split_residual(Compilation *c, Ref residual, Ref divisor, Span statement, Operator *out) {
    Ir *ir = c->ir;
    residual = ir_expand(ir, residual);
    uint32_t n = ir_is(ir, residual, OP_ADD) ? ir_arity(ir, residual) : 1;
    for (uint32_t k = 0; k < n; k++) {
        Term t = classify(ir, n > 1 ? ir_kid(ir, residual, k) : residual, divisor);
        if (t.unproven)
            diag(c, X0901, statement,
                 "a sum over derivatives, taken apart and put together, is not what it was");
        VEC_PUSH(&c->arena, out->term, t);
    }
    for (uint32_t k = 0; k < out->term.n; k++) {
        Term *t = &out->term.at[k];
        if (t->n_index == 2)
            settle_pair(ir, t);
        else if (t->n_index == 1 && c->problem->space.n > 1)
            unshift_behind(ir, t);
        if (t->class == TERM_SAMPLED) {
            Family f = family_of(ir, t);
            t->family = (int)split_family(ir, &out->family, &f);
        }
    }
}

void split_run(Compilation *c) {
    Problem *p = c->problem;
    Operators *ops = NEW(&c->arena, Operators);
    ops->n = p->equation.n + p->condition.n;
    ops->at = NEW_ARRAY(&c->arena, Operator, ops->n + 1);
    p->operators = ops;
    for (uint32_t e = 0; e < p->equation.n; e++) {
        const Equation *eq = &p->equation.at[e];
        split_residual(c, eq->residual, eq->divisor, eq->ast->span, &ops->at[e]);
    }
    for (uint32_t k = 0; k < p->condition.n; k++)
        split_residual(c, p->condition.at[k].residual, ir_const(c->ir, 1),
                       p->condition.at[k].ast->span, &ops->at[p->equation.n + k]);
}
