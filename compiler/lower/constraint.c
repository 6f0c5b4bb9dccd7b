/* constraint.c: does the user's ansatz meet a condition for every network?
 *
 * First symbolically: the boundary's own equation (|x|^2 = R^2, t = T) is put into trial - data,
 * and 0 must come out. A box has many faces and some factors vanish by functions no rule knows
 * (sin(pi*x)), so else numerically: random networks, points of the boundary, dimensions and
 * parameters; a residual that is 0 for all of these is 0 (an identity between analytic functions).
 * A warning is due only if the ansatz was meant to meet the condition: it switches the network off
 * somewhere along the coordinate in question (1 - norm(x)^2, t), as p = exp(net) does not. */
#include "lower/constraint.h"

#include <math.h>

#include "base/compilation.h"
#include "eval/probe.h"
#include "lower/faces.h"

enum { SURFACES = LIMIT_FACES > 2 * LIMIT_SPACES ? LIMIT_FACES : 2 * LIMIT_SPACES };

/* ---- symbolic ---- */

static Ref restrict_node(Ir *ir, Ref e, void *context) {
    (void)ir;
    const Surface *r = context;
    return e == r->from ? r->to : 0;
}

/* The restrictions that together make up the place of the condition. */
static uint32_t restrictions(Compilation *c, const Problem *p, AstOp where, const Faces *on,
                             Surface out[SURFACES]) {
    Ir *ir = c->ir;
    uint32_t n = 0;
    if (where != COND_BOUNDARY) {
        out[0] = (Surface){ir_atom(ir, OP_TIME, 0), where == COND_INITIAL ? p->t_lo : p->t_hi};
        return 1;
    }
    for (uint32_t k = 0; on && k < on->n; k++)
        if (!faces_surface(c, p, &on->at[k], &out[n++]))
            return 0;
    for (uint32_t k = 0; k < p->space.n && !(on && on->n); k++) {
        const DomainOps *domain = domain_operations(c, &p->space.at[k]);
        uint32_t own = domain->surfaces(c, &p->space.at[k], out + n);
        if (domain->bounded && own == 0)
            return 0; /* these are too many, so all are */
        n += own;
    }
    return n;
}

Ref constraint_remainder(Compilation *c, const Problem *p, Ref e, AstOp where, const Faces *on) {
    Surface r[SURFACES];
    uint32_t n = restrictions(c, p, where, on, r);
    Ref worst = ir_const(c->ir, 0);
    if (n == 0)
        return e;
    for (uint32_t k = 0; k < n; k++) {
        Ref left = ir_expand(c->ir, ir_rewrite(c->ir, e, restrict_node, &r[k]));
        if (!ir_is_number(c->ir, left, 0))
            worst = left;
    }
    return worst;
}

/* ---- numerical ---- */

/* Rounding leaves about 1e-15 of the size of the residual away from the place. */
static bool vanishes(Probe *probe, Ref e, AstOp where, const Faces *on) {
    double inside[PROBE_POINTS], there[PROBE_POINTS], size = 0;
    if (!probe_eval(probe, e, inside))
        return false;
    for (uint32_t p = 0; p < PROBE_POINTS; p++)
        size = fmax(size, fabs(inside[p]));
    if (!probe_move_to(probe, where, on) || !probe_eval(probe, e, there))
        return false;
    for (uint32_t p = 0; p < PROBE_POINTS; p++)
        if (!(fabs(there[p]) <= 1e-11 * fmax(size, 1e-3)))
            return false;
    return true;
}

static bool vanishes_always(Compilation *c, Ref e, AstOp where, const Faces *on) {
    for (uint32_t vary = 1; vary <= 3; vary++) {
        Probe probe;
        if (!probe_open(c, e, vary, &probe) || !vanishes(&probe, e, where, on))
            return false;
    }
    return true;
}

static bool vanishes_as_stated(Compilation *c, Ref e, AstOp where, const Faces *on) {
    Probe probe;
    return probe_open(c, e, 0, &probe) && vanishes(&probe, e, where, on);
}

bool constraint_vanishes(Compilation *c, Ref e, AstOp where, const Faces *on) {
    return vanishes_as_stated(c, e, where, on) && vanishes_always(c, e, where, on);
}

/* Point k of a walk that crosses the domain and goes on beyond it on both sides. */
static void walk_to(Probe *probe, AstOp where, uint32_t k) {
    const Regions *r = &probe->region;
    double along = -1 + 3 * (double)k / (PROBE_POINTS - 1);
    if (where != COND_BOUNDARY) {
        probe->t[k] = k == 0 ? r->t_lo : k == 1 ? r->t_hi : r->t_lo + (r->t_hi - r->t_lo) * along;
        return;
    }
    region_walk(r, probe->x, along, k, probe->x + k * r->d);
}

/* Does the factor before the network vanish or change sign along the coordinate of the condition?
 */
static bool switches_off(Compilation *c, const Field *f, uint32_t number, AstOp where) {
    Ref net = ir_indexed(c->ir, OP_NET, number, 0, NULL), factor = ir_diff(c->ir, f->trial, net);
    double v[PROBE_POINTS], most = 0;
    Probe probe;
    if (ir_has_net(c->ir, factor) || !probe_open(c, factor, 0, &probe))
        return false;
    for (uint32_t k = 0; k < PROBE_POINTS; k++) {
        for (int64_t i = 0; i < probe.region.d && k && where != COND_BOUNDARY; i++)
            probe.x[k * probe.region.d + i] = probe.x[i];
        if (where == COND_BOUNDARY)
            probe.t[k] = probe.t[0];
    }
    for (uint32_t k = PROBE_POINTS;
         k-- > 0;) /* the first point last: the others are measured from it */
        walk_to(&probe, where, k);
    if (!probe_eval(&probe, factor, v))
        return false;
    bool positive = false, negative = false, zero = false;
    for (uint32_t k = 0; k < PROBE_POINTS; k++)
        most = fmax(most, fabs(v[k]));
    for (uint32_t k = 0; k < PROBE_POINTS; k++) {
        zero |= fabs(v[k]) <= 1e-12 * most;
        positive |= v[k] > 0;
        negative |= v[k] < 0;
    }
    return zero || (positive && negative);
}

/* ---- the verdict ---- */

static bool mentions(const Ir *ir, Ref e, uint32_t field, bool *seen) {
    if (ir_is(ir, e, OP_FIELD))
        return ir_id(ir, e) == field;
    if (seen[e] || !ir_has_net(ir, e))
        return false;
    seen[e] = true;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (mentions(ir, ir_kid(ir, e, k), field, seen))
            return true;
    return false;
}

bool constraint_mentions(Compilation *c, Ref e, uint32_t field) {
    return mentions(c->ir, e, field, NEW_ARRAY(&c->arena, bool, c->ir->node.n));
}

static bool was_meant(Compilation *c, const Problem *p, const ConditionRow *row) {
    for (uint32_t f = 0; f < p->field.n; f++)
        if (p->field.at[f].ansatz && constraint_mentions(c, row->residual, f) &&
            switches_off(c, &p->field.at[f], f, row->where))
            return true;
    return false;
}

void constraint_judge(Compilation *c, const Problem *p, ConditionRow *row) {
    bool has_ansatz = false;
    for (uint32_t f = 0; f < p->field.n; f++)
        has_ansatz |= p->field.at[f].ansatz && constraint_mentions(c, row->residual, f);
    if (row->state == CONDITION_BUILT || !has_ansatz || row->observed ||
        row->where == COND_CONSTRAINT)
        return;
    Ref left = constraint_remainder(c, p, row->in_net, row->where, &row->on);
    if (ir_is_number(c->ir, left, 0) || vanishes_always(c, row->in_net, row->where, &row->on)) {
        row->state = CONDITION_PROVEN;
    } else if (!row->weight && !vanishes_as_stated(c, row->in_net, row->where, &row->on) &&
               was_meant(c, p, row)) {
        Diag *d = diag(c, W1202, row->ast->span, ir_text(c->ir, left));
        for (uint32_t f = 0; f < p->field.n; f++)
            if (p->field.at[f].ansatz && constraint_mentions(c, row->residual, f))
                diag_also(c, d, p->field.at[f].ansatz->span, "the ansatz");
    }
}
