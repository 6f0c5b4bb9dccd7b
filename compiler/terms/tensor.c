/* tensor.c: recognises a linear eigenvalue equation that a tensor network can solve.
 *
 * requires: residuals in FIELD atoms. The residual must be affine in the field and in the unknown
 * number: r = sum_i a_i d2(u, x_i) + (V + s lambda) u with s free of everything that varies. Then
 * -r / s = (H - lambda) u, and H is split into terms of one or two coordinates. */
#include "terms/tensor.h"

#include "base/compilation.h"
#include "eval/domain.h"
#include "lower/trial.h"
#include "pass.h"
#include "terms/split.h"

typedef struct Put {
    Ref from, to;
} Put;

static Ref put_node(Ir *ir, Ref e, void *context) {
    const Put *put = context;
    (void)ir;
    return e == put->from ? put->to : 0;
}

Ref tensor_put(Ir *ir, Ref e, Ref from, Ref to) {
    return ir_rewrite(ir, e, put_node, &(Put){from, to});
}

static bool refuse(Compilation *c, Span where, const char *why) {
    Diag *d =
        diag(c, E0561,
             where.hi > where.lo || !c->problem->equation.n ? where
                                                            : c->problem->equation.at[0].ast->span,
             why);
    const Ast *network = network_setting(c);
    if (network)
        diag_also(c, d, network->span, "the tensor network is asked for here");
    return false;
}

static bool varies(Ir *ir, Ref e) {
    return ir_has_net(ir, e) || ir_contains(ir, e, OP_SPACE) || ir_contains(ir, e, OP_AUX) ||
           ir_contains(ir, e, OP_TIME) || ir_contains(ir, e, OP_UNKNOWN);
}

/* ---- derivatives ---- */

/* term = outside * sum_i body with body = a_i d2(u, x_i): adds outside * a_i to the kinetic part.
 */
static bool take_kinetic(Compilation *c, TensorNet *t, Ref term, Ref scale) {
    Ir *ir = c->ir;
    Operator op = {0};
    split_residual(c, term, ir_const(ir, 1), c->problem->equation.at[0].ast->span, &op);
    for (uint32_t k = 0; k < op.term.n; k++) {
        const Term *part = &op.term.at[k];
        Span where = ir->origin.at[part->value];
        if (part->n_index != 1 || part->order != 2 || !part->linear)
            return refuse(c, where,
                          "this is not a sum of second derivatives by one coordinate each");
        Ref x = ir_indexed(ir, OP_SPACE, 0, 1, &part->index[0]), twice[2] = {x, x};
        Ref atom = ir_indexed(ir, OP_FIELD, 0, 2, twice);
        Ref a = ir_mul2(ir, part->outside, ir_diff(ir, part->body, atom));
        if (!ir_is_number(ir,
                          ir_expand(ir, ir_sub(ir, part->body,
                                               ir_mul2(ir, ir_diff(ir, part->body, atom), atom))),
                          0))
            return refuse(c, where,
                          "this is not a sum of second derivatives by one coordinate each");
        if (varies(ir, a))
            return refuse(c, where, "the factor of the second derivatives depends on the point");
        if (!ir_is_number(ir, part->lo[0], 1) || part->hi[0] != c->problem->d)
            return refuse(c, where, "the second derivatives do not run over all coordinates");
        a = ir_substitute(ir, ir_neg(ir, ir_mul2(ir, scale, a)), part->index[0], t->index);
        t->kinetic = t->kinetic ? ir_add2(ir, t->kinetic, a) : a;
    }
    return true;
}

/* ---- the equation ---- */

static bool one_eigenvalue(Compilation *c, TensorNet *t, Span where) {
    const Problem *p = c->problem;
    uint32_t found = 0;
    for (uint32_t k = 0; k < p->unknown.n; k++)
        if (p->unknown.at[k].eigen) {
            t->unknown = k;
            found++;
        }
    if (p->equation.n != 1 || p->field.n != 1)
        return refuse(c, where, "it takes one equation for one field");
    if (found != 1 || p->unknown.n != 1)
        return refuse(c, where, "it takes one unknown number with `eigen ... smallest`");
    if (p->time)
        return refuse(c, where, "the problem depends on time");
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (p->condition.at[k].on.n || p->condition.at[k].observed ||
            p->condition.at[k].where == COND_CONSTRAINT)
            return refuse(
                c, p->condition.at[k].ast->span,
                "a condition holds on a part of the boundary, at points, or on an integral");
    if (domain_product(c) == PRODUCT_NONE)
        return refuse(c, where,
                      p->space.n > 1 ? "it has several coordinate vectors: write them as one"
                                     : "its domain is neither a box nor R(d)");
    return true;
}

static bool take_equation(Compilation *c, TensorNet *t) {
    Ir *ir = c->ir;
    const Problem *p = c->problem;
    Span where = p->equation.n ? p->equation.at[0].ast->span : (Span){0, 0};
    if (!one_eigenvalue(c, t, where))
        return false;
    Ref r = ir_expand(ir, problem_put_sources(c, p, p->equation.at[0].residual));
    Ref u = ir_indexed(ir, OP_FIELD, 0, 0, NULL),
        lambda = ir_atom(ir, OP_UNKNOWN, p->unknown.at[t->unknown].name);
    Ref C = ir_diff(ir, r, u), s = ir_diff(ir, C, lambda);
    Ref derivatives = ir_expand(ir, tensor_put(ir, r, u, ir_const(ir, 0)));
    if (ir_has_net(ir, C))
        return refuse(c, where, "it is not linear in the field");
    if (ir_is_number(ir, s, 0) || varies(ir, s))
        return refuse(c, where,
                      "the unknown number does not stand before the field, times a constant");
    Ref scale = ir_neg(ir, ir_powi(ir, s, -1));
    Ref V = ir_mul2(ir, scale, ir_sub(ir, C, ir_mul2(ir, s, lambda)));
    if (ir_is_number(ir, derivatives, 0))
        return refuse(c, where, "it has no second derivatives");
    if (!take_kinetic(c, t, derivatives, scale))
        return false;
    V = ir_expand(ir, V);
    if (ir_contains(ir, V, OP_UNKNOWN))
        return refuse(c, where,
                      "the unknown number does not stand before the field, times a constant");
    return tensor_split(c, t, V);
}

/* mu_k if the whole potential is mu_k y_k^2: the box can then follow the oscillator's own length.
 */
static Ref oscillator(Ir *ir, const TensorNet *t) {
    if (!t->potential || t->pair.n)
        return 0;
    Ref mu = ir_div(ir, t->potential, ir_powi(ir, t->y, 2));
    bool partly = ir_contains(ir, mu, OP_IN) || ir_contains(ir, mu, OP_DELTA);
    return partly || !ir_is_number(ir, ir_diff(ir, mu, t->y), 0) ? 0 : mu;
}

void tensor_run(Compilation *c) {
    Problem *p = c->problem;
    if (!tensor_wanted(c))
        return;
    Ir *ir = c->ir;
    TensorNet *t = NEW(&c->arena, TensorNet);
    t->index = ir_fresh_index(ir);
    t->other = ir_fresh_index(ir);
    t->y = ir_indexed(ir, OP_AUX, intern_cstr(c, "$y"), 0, NULL);
    t->constant = ir_const(ir, 0);
    t->coordinates = p->space.at[0].name;
    memo_put(ir->index_name, t->index, 0, intern_cstr(c, "k"));
    t->own = NEW(&c->arena, TensorNet);
    *t->own = *t;
    if (!take_equation(c, t) || !tensor_map(c, t))
        return;
    t->scale = oscillator(ir, t);
    p->tensor_net = t;
}

/* ---- --emit ---- */

/* An expression of one dimension in the user's names: y_k for the placeholder, mu_k for the table.
 */
static void print_function(Compilation *c, const TensorNet *t, Ref e, const char *index,
                           Text *out) {
    Ir *ir = c->ir;
    memo_put(ir->index_name, t->index, 0, intern_cstr(c, index));
    Ref name = ir_indexed(ir, OP_AUX, t->coordinates, 1, &t->index);
    Ref mu = ir_indexed(ir, OP_AUX, intern_cstr(c, "mu"), 1, &t->index);
    e = tensor_put(ir, e, t->y, name);
    if (t->table)
        e = tensor_put(ir, e, t->table, mu);
    ir_print(ir, e, out);
}

void tensor_print(Compilation *c, Text *out) {
    const TensorNet *t = c->problem->tensor_net;
    const char *y = sym_cstr(c, t->coordinates);
    text_printf(out,
                "tensor network: %s is the smallest value of a Rayleigh quotient, integrated "
                "dimension by dimension\n",
                sym_cstr(c, c->problem->unknown.at[t->unknown].name));
    if (t->found)
        text_printf(out, "  coordinates   %s\n", t->found);
    text_printf(out, "  kinetic       -sum_k a_k d2/d%s_k^2, a_k = ", y);
    print_function(c, t, t->kinetic, "k", out);
    text_printf(out, "\n");
    if (t->potential) {
        text_printf(out, "  one body      sum_k v_k(%s_k), v_k = ", y);
        print_function(c, t, t->potential, "k", out);
        bool whole = domain_product(c) == PRODUCT_LINE;
        text_printf(out, t->scale && whole ? "   (an oscillator: its box follows its own length)\n"
                                           : "\n");
    }
    for (uint32_t m = 0; m < t->pair.n; m++) {
        const TensorPair *pair = &t->pair.at[m];
        text_printf(out, "  pairs         sum over %s of (",
                    pair->all ? "k < l" : "neighbours k, l = k + 1");
        print_function(c, t, pair->first, "k", out);
        text_printf(out, ") * (");
        print_function(c, t, pair->second, "l", out);
        text_printf(out, ")\n");
    }
    if (!ir_is_number(c->ir, t->constant, 0)) {
        text_printf(out, "  constant      ");
        ir_print(c->ir, t->constant, out);
        text_printf(out, "\n");
    }
    text_printf(out, t->pair.n ? "  the pairs couple the dimensions: rank 1 is a mean field, more "
                                 "ranks see correlations\n"
                               : "  nothing couples the dimensions: rank 1 is exact, and each is "
                                 "an eigenproblem of its own\n");
}
