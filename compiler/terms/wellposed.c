/* wellposed.c: enough conditions, and data at the right end of time?
 *
 * requires: residuals in FIELD atoms, conditions judged. establishes nothing: warns and errs.
 * Counting: an equation of order m in time needs m conditions there for each field, one of even
 * order 2m in space on a bounded domain m on the boundary. Only what is written as a condition
 * counts. Direction: with u_t = a(x, u) * (principal part), the sign of the principal symbol at
 * random points, directions and field values decides; anything but one sign throughout is left
 * alone. */
#include "base/compilation.h"
#include "eval/probe.h"
#include "lower/observe.h"
#include "lower/trial.h"
#include "pass.h"
#include "terms/covered.h"
#include "terms/free_constant.h"
#include "terms/periodic.h"
#include "terms/split.h"

/* What one residual holds of one field. */
typedef struct Orders {
    uint32_t time, space;
    bool mixed; /* a derivative by time and space at once */
    bool present;
    uint32_t times; /* bit k: the k-th time derivative occurs without one in space */
} Orders;

static void add_orders(const Ir *ir, Ref atom, Orders *o) {
    uint32_t time = atom_time_order(ir, atom), space = atom_space_order(ir, atom);
    o->present = true;
    o->time = time > o->time ? time : o->time;
    o->space = space > o->space ? space : o->space;
    o->mixed |= time > 0 && space > 0;
    if (space == 0 && time < 32)
        o->times |= 1u << time;
}

static void walk_orders(const Ir *ir, Ref e, uint32_t field, bool *seen, Orders *o) {
    if (seen[e] || !ir_has_net(ir, e))
        return;
    seen[e] = true;
    if (ir_is(ir, e, OP_FIELD)) {
        if (ir_id(ir, e) == field)
            add_orders(ir, e, o);
        return;
    }
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        walk_orders(ir, ir_kid(ir, e, k), field, seen, o);
}

static Orders orders_of(Compilation *c, Ref residual, uint32_t field) {
    Orders o = {0};
    bool *seen = NEW_ARRAY(&c->arena, bool, c->ir->node.n);
    walk_orders(c->ir, residual, field, seen, &o);
    return o;
}

/* ---- counting ---- */

typedef struct Given {
    uint32_t initial, terminal, boundary; /* conditions that mention the field */
    uint32_t times;                       /* time derivatives that they fix, as in Orders */
    bool slope;                           /* a boundary condition on a derivative */
    const ConditionRow *first_initial, *first_terminal;
} Given;

static Given conditions_on(Compilation *c, uint32_t field) {
    Given g = {0};
    for (uint32_t k = 0; k < c->problem->condition.n; k++) {
        const ConditionRow *row = &c->problem->condition.at[k];
        Orders o = orders_of(c, row->residual, field);
        if (!o.present || row->observed || row->where == COND_CONSTRAINT)
            continue;
        if (row->where == COND_BOUNDARY) {
            g.boundary++;
            g.slope |= o.space > 0;
            continue;
        }
        g.times |= o.times;
        if (row->where == COND_INITIAL) {
            g.initial++;
            g.first_initial = g.first_initial ? g.first_initial : row;
        } else {
            g.terminal++;
            g.first_terminal = g.first_terminal ? g.first_terminal : row;
        }
    }
    return g;
}

static void warn_missing(Compilation *c, const Equation *eq, const Field *f, uint32_t order,
                         bool time, uint32_t given, const char *missing) {
    Str name = sym_str(c, f->name);
    const char *in = time ? sym_cstr(c, c->problem->time) : problem_space_name(c);
    uint32_t needed = time ? order : order / 2;
    Diag *d = diag(c, W1201, eq->ast->span, order, in, needed, needed == 1 ? "" : "s", (int)name.n,
                   name.s, time ? "in time" : "at the boundary",
                   given ? (given == 1 ? "one is" : "some are") : "none is");
    diag_label(c, d, "of order %u in %s", order, in);
    diag_also(c, d, f->span, "this unknown is not determined");
    diag_note(c, d, "missing: %s", missing);
}

/* The lowest time derivative that no condition fixes. */
static void count_in_time(Compilation *c, const Equation *eq, const Field *f, uint32_t order,
                          const Given *g, bool backward) {
    uint32_t given = g->initial + g->terminal, k = 0;
    if (given >= order)
        return;
    while (k + 1 < order && (g->times >> k & 1))
        k++;
    Text missing = {.arena = &c->arena};
    const char *name = sym_cstr(c, f->name), *t = sym_cstr(c, c->problem->time);
    text_str(&missing, g->terminal || backward ? STR("terminal ") : STR("initial "));
    if (k == 0)
        text_printf(&missing, "%s = ...", name);
    else if (k == 1)
        text_printf(&missing, "d(%s, %s) = ...", name, t);
    else
        text_printf(&missing, "d%u(%s, %s) = ...", k, name, t);
    warn_missing(c, eq, f, order, true, given, text_cstr(&missing));
}

/* Enough are stated: are they everywhere? */
static void count_on_parts(Compilation *c, const Equation *eq, const Field *f, uint32_t needed) {
    const Problem *p = c->problem;
    bool *row = NEW_ARRAY(&c->arena, bool, p->condition.n + 1);
    uint32_t field = (uint32_t)(f - p->field.at);
    for (uint32_t k = 0; k < p->condition.n; k++)
        row[k] = p->condition.at[k].where == COND_BOUNDARY &&
                 orders_of(c, p->condition.at[k].residual, field).present;
    covered_check(c, eq, f, needed, row);
}

static void count_in_space(Compilation *c, const Equation *eq, const Field *f, const Orders *o,
                           const Given *g) {
    uint32_t needed = o->space / 2;
    if (o->space % 2 || o->mixed || !domain_bounded(c))
        return;
    if (g->boundary >= needed) {
        count_on_parts(c, eq, f, needed);
        return;
    }
    Text missing = {.arena = &c->arena};
    const char *name = sym_cstr(c, f->name);
    if (g->boundary == 0)
        text_printf(&missing, "boundary %s = ...", name);
    else if (!g->slope)
        text_printf(&missing, "boundary d(%s, outward) = ...", name);
    else
        text_printf(&missing, "another boundary condition on %s", name);
    warn_missing(c, eq, f, o->space, false, g->boundary, text_cstr(&missing));
}

/* ---- direction ---- */

enum { FORWARD = 1, BACKWARD = -1, UNCLEAR = 0 };

typedef struct PrincipalPart {
    uint32_t field, order; /* atoms of this field with so many space variables */
    Ref s;                 /* each gets + s * xi_a * xi_b ... added */
    Sym xi;
} PrincipalPart;

static Ref add_symbol(Ir *ir, Ref e, void *context) {
    const PrincipalPart *part = context;
    if (!ir_is(ir, e, OP_FIELD))
        return 0;
    if (ir_id(ir, e) != part->field || atom_time_order(ir, e) ||
        atom_space_order(ir, e) != part->order)
        return e;
    Ref product = part->s;
    for (uint32_t k = 0; k < part->order; k++) {
        Ref at = ir_kid(ir, ir_kid(ir, e, k), 0);
        product = ir_mul2(ir, product, ir_indexed(ir, OP_TENSOR, part->xi, 1, &at));
    }
    return ir_add2(ir, e, product);
}

static bool holds_data(Compilation *c, Ref e) {
    for (uint32_t k = 0; k < c->problem->tensor.n; k++)
        if (!c->problem->tensor.at[k].law &&
            values_uses_tensor(c, e, c->problem->tensor.at[k].name))
            return true;
    return false;
}

/* One sign at all points? +1, -1, or 0. */
static int sign_of(Probe *probe, Ref e) {
    double v[PROBE_POINTS];
    int sign = 0;
    if (!probe_eval(probe, e, v))
        return 0;
    for (uint32_t p = 0; p < PROBE_POINTS; p++) {
        int own = v[p] > 1e-12 ? 1 : v[p] < -1e-12 ? -1 : 0;
        if (own == 0 || (sign && own != sign))
            return 0;
        sign = own;
    }
    return sign;
}

/* Directions tried: the axes, all ones, alternating signs. */
static double direction(uint32_t which, int64_t i) {
    if (which < PROBE_DIMENSION)
        return i == which;
    return which == PROBE_DIMENSION || i % 2 ? 1 : -1;
}

static int sign_of_symbol(Compilation *c, Ref symbol, Sym s, Sym xi) {
    double at[PROBE_DIMENSION + 1];
    Probe probe;
    int sign = 0;
    if (!probe_open(c, symbol, 0, &probe))
        return 0;
    int64_t d = probe.values.d;
    VEC_PUSH(&c->arena, probe.values.value, ((EvalValue){.name = s}));
    VEC_PUSH(&c->arena, probe.values.tensor,
             ((EvalTensor){.name = xi, .rank = 1, .extent = {d, 1}, .at = at}));
    EvalInput values = values_input(&probe.values);
    probe.in.n_values = values.n_values;
    probe.in.value = values.value;
    probe.in.n_tensors = values.n_tensors;
    probe.in.tensor = values.tensor;
    for (uint32_t which = 0; which < PROBE_DIMENSION + 2; which++) {
        if (which < PROBE_DIMENSION && which >= d)
            continue;
        for (int64_t i = 0; i < d && i <= PROBE_DIMENSION; i++)
            at[i] = direction(which, i);
        int own = sign_of(&probe, symbol);
        if (own == 0 || (sign && own != sign))
            return 0;
        sign = own;
    }
    return sign;
}

/* The only field whose highest derivatives the equation holds? Coupled principal parts are not
 * judged. */
static bool stands_alone(Compilation *c, const Equation *eq, uint32_t field) {
    for (uint32_t f = 0; f < c->problem->field.n; f++) {
        Orders o = f == field ? (Orders){0} : orders_of(c, eq->residual, f);
        if (o.time || o.space > 1)
            return false;
    }
    return true;
}

static int direction_of(Compilation *c, const Equation *eq, uint32_t field, const Orders *o) {
    Ir *ir = c->ir;
    if (o->time != 1 || o->mixed || (o->space != 2 && o->space != 4) || !stands_alone(c, eq, field))
        return UNCLEAR;
    Sym s = intern_cstr(c, "#s"), xi = intern_cstr(c, "#xi");
    PrincipalPart part = {field, o->space, ir_atom(ir, OP_UNKNOWN, s), xi};
    Ref t = ir_atom(ir, OP_TIME, 0), u_t = ir_indexed(ir, OP_FIELD, field, 1, &t);
    Ref residual = problem_put_sources(c, c->problem, eq->residual);
    Ref symbol = ir_diff(ir, ir_rewrite(ir, residual, add_symbol, &part), part.s);
    Ref by_time = ir_diff(ir, residual, u_t);
    Probe probe;
    if (holds_data(c, symbol) || !probe_open(c, by_time, 0, &probe))
        return UNCLEAR;
    int sign = sign_of_symbol(c, symbol, s, xi) * sign_of(&probe, by_time);
    return o->space == 2 ? -sign : sign; /* u_t = lap(u) and u_t = -lap(lap(u)) run forwards */
}

static void judge_direction(Compilation *c, const Equation *eq, const Given *g, int run) {
    const ConditionRow *wrong = NULL;
    if (run == FORWARD && g->terminal && !g->initial)
        wrong = g->first_terminal;
    if (run == BACKWARD && g->initial && !g->terminal)
        wrong = g->first_initial;
    if (!wrong)
        return;
    bool forward = run == FORWARD;
    Diag *d = diag(c, E0551, wrong->ast->span, forward ? "forwards" : "backwards",
                   forward ? "initial" : "terminal", forward ? "terminal" : "initial");
    diag_label(c, d, "%s data", forward ? "terminal" : "initial");
    diag_also(c, d, eq->ast->span,
              "this runs %s in time and needs %s data: the problem is ill-posed in "
              "the other direction",
              forward ? "forwards" : "backwards", forward ? "initial" : "terminal");
}

/* ---- the pass ---- */

/* The equation that holds the field's highest derivatives, in time first. */
static const Equation *main_equation(Compilation *c, uint32_t field, bool by_time, Orders *orders) {
    const Equation *best = NULL;
    *orders = (Orders){0};
    for (uint32_t e = 0; e < c->problem->equation.n; e++) {
        const Equation *eq = &c->problem->equation.at[e];
        Orders o = orders_of(c, eq->residual, field);
        if (o.present && (!best || (by_time ? o.time > orders->time : o.space > orders->space))) {
            best = eq;
            *orders = o;
        }
    }
    return best;
}

/* An unknown number (eigenvalue, coefficient to be found) changes what is needed, and so do observations. */
static bool countable(const Compilation *c) {
    return c->problem->unknown.n == 0 && !observe_any(c->problem);
}

void wellposed_run(Compilation *c) {
    for (uint32_t f = 0; f < c->problem->field.n; f++) {
        const Field *field = &c->problem->field.at[f];
        Given g = conditions_on(c, f);
        Orders o;
        const Equation *eq = main_equation(c, f, true, &o);
        if (!eq)
            continue;
        int run = direction_of(c, eq, f, &o);
        judge_direction(c, eq, &g, run);
        if (!countable(c))
            continue;
        if (o.time)
            count_in_time(c, eq, field, o.time, &g, run == BACKWARD);
        eq = main_equation(c, f, false, &o);
        count_in_space(c, eq, field, &o, &g);
    }
    free_constants_say(c);
    periodic_check(c);
}
