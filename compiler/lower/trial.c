/* trial.c: u as an expression in the network.
 *
 * `ansatz` gives it; `exactly` has it built: data plus a factor that vanishes where the data hold,
 * times the network. Whether an ansatz meets its conditions is decided in constraint.c. */
#include "lower/trial.h"

#include "base/compilation.h"
#include "eval/domain.h"
#include "lower/constraint.h"
#include "lower/edge.h"
#include "lower/eigen.h"
#include "lower/faces.h"

/* ---- building trial functions for `exactly` ---- */

/* Is the condition of the form FIELD = data? Gives the data. */
static bool value_condition(Ir *ir, const ConditionRow *row, uint32_t field, uint32_t time_order,
                            Ref *data) {
    Ref t = ir_atom(ir, OP_TIME, 0), atom = time_order ? ir_indexed(ir, OP_FIELD, field, 1, &t)
                                                       : ir_indexed(ir, OP_FIELD, field, 0, NULL);
    Ref rest = ir_sub(ir, row->residual, atom);
    if (!ir_has_net(ir, rest)) {
        *data = ir_neg(ir, rest);
        return true;
    }
    rest = ir_add2(ir, row->residual, atom);
    *data = rest;
    return !ir_has_net(ir, rest);
}

/* A condition on a part of the boundary: where it is, the factor is 0. */
typedef struct Part {
    ConditionRow *row;
    Ref factor, data;
} Part;

typedef struct Builder {
    Compilation *c;
    Problem *p;
    uint32_t field;
    Ref factor;                          /* times the network */
    Ref data;                            /* plus this; 0: none yet */
    Ref elapsed;                         /* time since the data; 0: none */
    uint32_t times;                      /* conditions in time taken so far */
    const ConditionRow *boundary, *time; /* the first of each that was taken */
    Part part[LIMIT_FACES];
    uint32_t parts;
} Builder;

static void give_up(Builder *b, ConditionRow *row, const char *why) {
    Diag *d = diag(b->c, E0554, row->ast->span, "this condition");
    diag_note(b->c, d, "%s", why);
    row->exactly = false;
}

/* Zero on the boundary of every domain that has one; 0: none has. */
static Ref boundary_factor(Compilation *c, const Problem *p) {
    Ref product = 0;
    for (uint32_t k = 0; k < p->space.n; k++) {
        Ref own = domain_operations(c, &p->space.at[k])->factor(c, &p->space.at[k]);
        product = product && own ? ir_mul2(c->ir, product, own) : own ? own : product;
    }
    return product;
}

static void build_boundary(Builder *b, ConditionRow *row) {
    Ir *ir = b->c->ir;
    bool part = row->on.n > 0;
    Ref data, factor = part ? faces_factor(b->c, b->p, &row->on) : boundary_factor(b->c, b->p);
    if (!value_condition(ir, row, b->field, 0, &data)) {
        give_up(b, row, "only values of a field can be met by construction");
        return;
    }
    if (!factor) {
        give_up(b, row, "no factor is known that vanishes on the boundary of this domain");
        return;
    }
    if (!(data = edge_boundary_data(b->c, b->p, row, b->field, data)))
        return;
    if (part ? b->boundary != NULL : b->parts > 0) {
        give_up(b, row, "another exact condition holds on all of the boundary, or on a part of it");
        return;
    }
    if (part) {
        if (b->parts == LIMIT_FACES)
            give_up(b, row, "there are too many exact conditions on parts of the boundary");
        else
            b->part[b->parts++] = (Part){row, factor, data};
        return;
    }
    if (b->data && b->data != data) {
        give_up(b, row,
                "its data and those of another exact condition on the boundary are different "
                "expressions");
        return;
    }
    b->factor = ir_mul2(ir, b->factor, factor);
    b->data = data;
    b->boundary = b->boundary ? b->boundary : row;
    row->state = CONDITION_BUILT;
}

/* ---- parts of the boundary ---- */

/* Do the data of two parts agree where these meet? Only what rewriting shows counts. */
static bool parts_agree(Builder *b, const Part *one, const Part *two) {
    Ir *ir = b->c->ir;
    Ref gap = ir_sub(ir, one->data, two->data);
    for (uint32_t j = 0; j < one->row->on.n; j++)
        for (uint32_t k = 0; k < two->row->on.n; k++) {
            const Face *first = &one->row->on.at[j], *second = &two->row->on.at[k];
            Surface at[2];
            if (faces_apart(b->c, b->p, first, second) || ir_is_number(ir, gap, 0))
                continue;
            if (!faces_surface(b->c, b->p, first, &at[0]) ||
                !faces_surface(b->c, b->p, second, &at[1]))
                return false;
            Ref left =
                ir_replace(ir, ir_replace(ir, gap, at[0].from, at[0].to), at[1].from, at[1].to);
            if (!ir_is_number(ir, ir_expand(ir, left), 0))
                return false;
        }
    return true;
}

/* A face that is one equation takes the data at its own place: they then say less about the inside. */
static void settle_data(Builder *b, Part *part) {
    Surface at;
    if (part->row->on.n == 1 && faces_surface(b->c, b->p, &part->row->on.at[0], &at))
        part->data = ir_replace(b->c->ir, part->data, at.from, at.to);
}

/* The data of all parts: of part k times the other parts' factors, over the sum of these weights. */
static Ref blend(Builder *b) {
    Ir *ir = b->c->ir;
    Ref sum = ir_const(ir, 0), weights = ir_const(ir, 0);
    bool same = true;
    for (uint32_t k = 0; k < b->parts; k++) {
        Ref weight = ir_const(ir, 1);
        for (uint32_t j = 0; j < b->parts; j++)
            weight = j == k ? weight : ir_mul2(ir, weight, b->part[j].factor);
        sum = ir_add2(ir, sum, ir_mul2(ir, weight, b->part[k].data));
        weights = ir_add2(ir, weights, weight);
        same = same && b->part[k].data == b->part[0].data;
    }
    return same ? b->part[0].data : ir_div(ir, sum, ir_expand(ir, weights));
}

static void build_parts(Builder *b) {
    for (uint32_t k = 0; k < b->parts; k++) {
        settle_data(b, &b->part[k]);
        for (uint32_t j = 0; j < k; j++)
            if (!parts_agree(b, &b->part[j], &b->part[k])) {
                give_up(b, b->part[k].row,
                        "where it meets another exact condition their data were not shown to "
                        "agree; leave `exactly` out of one");
                return;
            }
    }
    for (uint32_t k = 0; k < b->parts; k++) {
        b->factor = ir_mul2(b->c->ir, b->factor, b->part[k].factor);
        b->part[k].row->state = CONDITION_BUILT;
    }
    if (b->parts) {
        b->data = blend(b);
        b->boundary = b->part[0].row;
    }
}

/* Do data at an end of time lack nothing on the boundary? */
static bool time_agrees(Builder *b, ConditionRow *row, Ref gap) {
    for (uint32_t k = 0; k < b->parts; k++)
        if (!edge_agree(b->c, b->p, row, b->part[k].row, gap))
            return false;
    return b->parts || !b->boundary || edge_agree(b->c, b->p, row, b->boundary, gap);
}

/* ---- ends of time ---- */

/* Adds what the data so far lack at this end of time: h(x) - g(x, t0), which is 0 on the boundary if the two
 * agree there, so that neither condition spoils the other; the same for the first derivative by time. */
static void build_time(Builder *b, ConditionRow *row) {
    Ir *ir = b->c->ir;
    Ref data, t = ir_atom(ir, OP_TIME, 0), had = b->data ? b->data : ir_const(ir, 0);
    if (b->time && b->time->where != row->where) {
        give_up(b, row, "data at both ends of time cannot be met together");
        return;
    }
    b->elapsed = row->where == COND_INITIAL ? ir_sub(ir, t, b->p->t_lo) : ir_sub(ir, b->p->t_hi, t);
    uint32_t order = b->times;
    if (order > 1 || !value_condition(ir, row, b->field, order, &data)) {
        give_up(b, row, "give the values first, then the derivative by time");
        return;
    }
    had = edge_at_time(b->c, b->p, row->where, order ? ir_diff(ir, had, t) : had);
    Ref gap = ir_sub(ir, edge_at_time(b->c, b->p, row->where, data), had);
    if (!time_agrees(b, row, gap))
        return;
    if (order) /* time runs against what has elapsed since terminal data */
        gap = ir_mul2(ir, b->elapsed, row->where == COND_INITIAL ? gap : ir_neg(ir, gap));
    b->data = b->data ? ir_add2(ir, b->data, gap) : gap;
    b->time = b->time ? b->time : row;
    b->times++;
    row->state = CONDITION_BUILT;
}

static void build_trial(Compilation *c, Problem *p, uint32_t field) {
    Ir *ir = c->ir;
    Ref net = ir_indexed(ir, OP_NET, field, 0, NULL);
    Builder b = {.c = c, .p = p, .field = field, .factor = ir_const(ir, 1)};
    for (int pass = 0; pass < 2; pass++) { /* the boundary first, then the ends of time */
        for (uint32_t k = 0; k < p->condition.n; k++) {
            ConditionRow *row = &p->condition.at[k];
            if (!row->exactly || !constraint_mentions(c, row->residual, field))
                continue;
            if (pass == 0 && row->where == COND_BOUNDARY)
                build_boundary(&b, row);
            if (pass == 1 && row->where != COND_BOUNDARY)
                build_time(&b, row);
        }
        if (pass == 0)
            build_parts(&b);
    }
    if (b.times)
        b.factor = ir_mul2(ir, b.factor, ir_powi(ir, b.elapsed, (int)b.times));
    p->field.at[field].trial = ir_mul2(ir, b.factor, net);
    if (b.data)
        p->field.at[field].trial = ir_add2(ir, b.data, p->field.at[field].trial);
}

/* ---- ansatz ---- */

static void take_ansatz(Compilation *c, Problem *p) {
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        int f = s->kind == AST_ANSATZ ? problem_field(p, s->kid[0]->name) : -1;
        if (f < 0)
            continue;
        p->net_field = (uint32_t)f;
        p->field.at[f].ansatz = s;
        p->field.at[f].trial = lower_scalar(c, NULL, s->kid[1]);
        edge_check_ansatz(c, p, &p->field.at[f]);
    }
}

static bool is_exponential_of_net(const Ir *ir, Ref e) {
    return ir_is(ir, e, OP_FUNC) && ir_id(ir, e) == FUNC_exp && ir_has_net(ir, e);
}

static Ref see_exponential(Ir *ir, Ref e, void *seen) {
    if (is_exponential_of_net(ir, e))
        *(bool *)seen = true;
    return 0;
}

/* A field's own exponential, where nothing of it is left after the division. Products with other
 * exponentials, as of log(cosh(z)) = abs(z) + log1p(exp(-2*abs(z))) - log(2), hide it in the terms. */
static Ref hidden_exponential(Ir *ir, const Problem *p, Ref e) {
    for (uint32_t f = 0; f < p->field.n; f++) {
        bool left = false;
        Ref trial = p->field.at[f].trial;
        if (!is_exponential_of_net(ir, trial))
            continue;
        ir_rewrite(ir, ir_expand(ir, ir_div(ir, e, trial)), see_exponential, &left);
        if (!left)
            return trial;
    }
    return ir_const(ir, 1);
}

/* exp(net) as a factor of every term: dividing by it changes nothing but the units, and keeps
 * densities that underflow representable. Returns that factor, or 1. */
static Ref common_exponential(Ir *ir, const Problem *p, Ref e) {
    Ref common = 0;
    uint32_t n = ir_is(ir, e, OP_ADD) ? ir_arity(ir, e) : 1;
    for (uint32_t k = 0; k < n; k++) {
        Ref term = n > 1 ? ir_kid(ir, e, k) : e, found = 0;
        uint32_t m = ir_is(ir, term, OP_MUL) ? ir_arity(ir, term) : 1;
        for (uint32_t j = 0; j < m && !found; j++) {
            Ref f = m > 1 ? ir_kid(ir, term, j) : term;
            if (is_exponential_of_net(ir, f))
                found = f;
        }
        if (!found || (common && found != common))
            return hidden_exponential(ir, p, e);
        common = found;
    }
    return common ? common : ir_const(ir, 1);
}

Ref trial_apply(Compilation *c, const Problem *p, Ref e) {
    Ref *trial = NEW_ARRAY(&c->arena, Ref, p->field.n + 1);
    for (uint32_t f = 0; f < p->field.n; f++)
        trial[f] = p->field.at[f].trial;
    e = problem_put_sources(c, p, e);
    return ir_expand(c->ir, ir_replace_fields(c->ir, e, OP_FIELD, p->field.n, trial));
}

void trial_build(Compilation *c, Problem *p) {
    take_ansatz(c, p);
    bool eigen = eigen_by_network(c, p);
    for (uint32_t f = 0; f < p->field.n; f++) {
        if (!p->field.at[f].ansatz)
            build_trial(c, p, f);
        if (eigen && !p->field.at[f].ansatz)
            eigen_make_positive(c, p, f);
    }
    if (diag_errors(c))
        return;
    if (eigen)
        eigen_norm(c, p);
    for (uint32_t e = 0; e < p->equation.n; e++) {
        Equation *eq = &p->equation.at[e];
        Ref full = trial_apply(c, p, eq->residual);
        eq->divisor =
            p->norm.residual ? eigen_divisor(c->ir, p) : common_exponential(c->ir, p, full);
        eq->in_net = ir_expand(c->ir, ir_div(c->ir, full, eq->divisor));
    }
    for (uint32_t k = 0; k < p->condition.n; k++) {
        ConditionRow *row = &p->condition.at[k];
        row->in_net = trial_apply(c, p, row->residual);
        constraint_judge(c, p, row);
    }
    if (p->norm.residual)
        p->norm.in_net = trial_apply(c, p, p->norm.residual);
    if (eigen)
        eigen_check(c, p);
    eigen_refuse_zero(c, p);
    for (uint32_t k = 0; k < p->report.n; k++)
        p->report.at[k].in_net = trial_apply(c, p, p->report.at[k].value);
}
