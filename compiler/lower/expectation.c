/* expectation.c: E f(w) becomes sum_s f(w(s)) / samples with w(s) a DRAW. The samples are divided
 * into blocks, which run in one loop; the value uses all of them, and the same expression over
 * single blocks shows how far it is from exact. Expectations share their samples, so that what
 * their errors have in common cancels in differences and quotients. */
#include "lower/expectation.h"

#include <string.h>

#include "base/compilation.h"
#include "check/shape.h"

enum { BLOCKS = 8 };

typedef struct Expansion {
    Compilation *c;
    int64_t per_block;
    uint32_t first, last; /* blocks */
    const ExpectationRow *row;
    Ref sample; /* the number of the sample */
} Expansion;

static Ref number(Ir *ir, double v) {
    return ir_const(ir, v);
}

/* A number of the law from a uniform or standard normal one. */
static Ref by_law(Ir *ir, const char *law, const Ref args[2], uint32_t variable, Ref sample,
                  Ref entry) {
    bool normal = strcmp(law, "normal") == 0 || strcmp(law, "lognormal") == 0;
    Ref at[2] = {sample, entry};
    Ref draw = ir_indexed(ir, OP_DRAW,
                          2 * (uint64_t)variable + (normal ? DRAW_NORMAL : DRAW_UNIFORM), 2, at);
    if (strcmp(law, "rademacher") == 0) {
        Ref upper = ir_sub(ir, draw, number(ir, 0.5));
        return ir_sub(ir, ir_mul2(ir, number(ir, 2), ir_func(ir, FUNC_step, 1, &upper)),
                      number(ir, 1));
    }
    if (strcmp(law, "exponential") == 0)
        return ir_neg(ir, ir_div(ir, ir_func(ir, FUNC_log, 1, &draw), args[0]));
    Ref width = normal ? args[1] : ir_sub(ir, args[1], args[0]);
    Ref value = ir_add2(ir, args[0], ir_mul2(ir, width, draw));
    return strcmp(law, "lognormal") == 0 ? ir_func(ir, FUNC_exp, 1, &value) : value;
}

static Ref put_draw(Ir *ir, Ref e, void *context) {
    const Expansion *x = context;
    for (uint32_t k = 0; ir_is(ir, e, OP_AUX) && k < x->row->n; k++)
        if (ir_id(ir, e) == x->row->aux[k])
            return by_law(ir, sym_cstr(x->c, x->row->law[k]), x->row->args[k], k, x->sample,
                          ir_arity(ir, e) ? ir_kid(ir, e, 0) : ir_const(ir, 1));
    return 0;
}

static Ref put_mean(Ir *ir, Ref e, void *context) {
    Expansion x = *(const Expansion *)context;
    if (!ir_is(ir, e, OP_EXPECT))
        return 0;
    x.row = &x.c->problem->expectation.at[ir_id(ir, e)];
    Ref index = ir_fresh_index(ir), total = ir_const(ir, 0);
    for (uint32_t b = x.first; b <= x.last; b++) {
        x.sample = ir_add2(ir, index, number(ir, (double)(b * x.per_block)));
        Ref body = ir_rewrite(ir, ir_kid(ir, e, 0), put_draw, &x);
        Ref sum =
            ir_reduce(ir, OP_SUM, index, ir_const(ir, 1), number(ir, (double)x.per_block), body);
        total = ir_add2(ir, total, sum);
    }
    return ir_div(ir, total, number(ir, (double)((x.last - x.first + 1) * x.per_block)));
}

static Ref over_blocks(Compilation *c, Ref e, int64_t samples, uint32_t first, uint32_t last) {
    Expansion x = {
        .c = c, .per_block = (samples + BLOCKS - 1) / BLOCKS, .first = first, .last = last};
    return ir_rewrite(c->ir, e, put_mean, &x);
}

Ref expectation_mean(Compilation *c, Ref e, int64_t samples) {
    return ir_contains(c->ir, e, OP_EXPECT) ? over_blocks(c, e, samples, 0, BLOCKS - 1) : e;
}

Ref expectation_error(Compilation *c, Ref e, int64_t samples) {
    Ir *ir = c->ir;
    Ref block[BLOCKS], squares = ir_const(ir, 0);
    if (!ir_contains(ir, e, OP_EXPECT))
        return squares;
    for (uint32_t b = 0; b < BLOCKS; b++)
        block[b] = over_blocks(c, e, samples, b, b);
    Ref mean = ir_div(ir, ir_add(ir, BLOCKS, block), number(ir, BLOCKS));
    for (uint32_t b = 0; b < BLOCKS; b++)
        squares = ir_add2(ir, squares, ir_powi(ir, ir_sub(ir, block[b], mean), 2));
    return ir_pow(ir, ir_div(ir, squares, number(ir, BLOCKS * (BLOCKS - 1))), number(ir, 0.5));
}

int64_t expectation_samples(Compilation *c, const ReferenceRow *r) {
    double samples;
    bool given = r->ast->kid[3] && constant_value(c, r->ast->kid[3], &samples);
    return given ? (int64_t)samples : EXPECTATION_SAMPLES;
}

/* ---- what has a value where ---- */

static void refuse(Compilation *c, Ref e, Span where) {
    if (e && ir_contains(c->ir, e, OP_EXPECT))
        diag(c, E0601, where, "an expectation has a value in references only");
}

void expectation_check(Compilation *c) {
    const Problem *p = c->problem;
    for (uint32_t k = 0; k < p->field.n; k++) {
        refuse(c, p->field.at[k].exact, p->field.at[k].span);
        refuse(c, p->field.at[k].trial, p->field.at[k].span);
    }
    for (uint32_t k = 0; k < p->equation.n; k++)
        refuse(c, p->equation.at[k].residual, p->equation.at[k].ast->span);
    for (uint32_t k = 0; k < p->condition.n; k++)
        refuse(c, p->condition.at[k].residual, p->condition.at[k].ast->span);
    for (uint32_t k = 0; k < p->report.n; k++)
        refuse(c, p->report.at[k].value, p->report.at[k].ast->span);
    for (uint32_t k = 0; p->features && k < p->features->at.n; k++)
        refuse(c, p->features->at.at[k].value, p->features->at.at[k].ast->span);
    for (uint32_t k = 0; k < p->reference.n; k++) {
        const ReferenceRow *r = &p->reference.at[k];
        Ref known = expectation_mean(c, r->value, expectation_samples(c, r));
        if (r->n_at == 0 && known != r->value)
            diag(c, W1204, r->ast->span);
        if (r->n_at > 0 &&
            (ir_contains(c->ir, known, OP_AUX) || ir_contains(c->ir, known, OP_OUTWARD)))
            diag(c, E0601, r->ast->span,
                 "a sampled number, or the outward direction, has no value at this point");
    }
}
