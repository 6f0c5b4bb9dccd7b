/* unknown.c: a change of the unknown. A density begins as an exponential and
 * stays positive under a linear equation without a source, and in many
 * dimensions it leaves the range of floating-point numbers: its logarithm is
 * learned, begun at that of the data. */
#include "base/compilation.h"
#include "lower/trial.h"
#include "variants/find.h"

/* log of a product whose factors are positive: exponentials, powers, numbers
 * without x. 0: something else. */
static Ref logarithm(Compilation *c, Ref e, bool *exponential) {
    Ir *ir = c->ir;
    Ref sum = ir_const(ir, 0);
    if (ir_is(ir, e, OP_FUNC) && ir_id(ir, e) == FUNC_exp) {
        *exponential = *exponential || ir_contains(ir, e, OP_SPACE);
        return ir_kid(ir, e, 0);
    }
    if (ir_is(ir, e, OP_MUL)) {
        for (uint32_t k = 0; k < ir_arity(ir, e); k++) {
            Ref part = logarithm(c, ir_kid(ir, e, k), exponential);
            if (!part)
                return 0;
            sum = ir_add2(ir, sum, part);
        }
        return sum;
    }
    double value;
    if (ir_is_const(ir, e, &value) && value <= 0)
        return 0;
    if (ir_is(ir, e, OP_POW) && !ir_contains(ir, ir_kid(ir, e, 1), OP_SPACE)) {
        Ref base = logarithm(c, ir_kid(ir, e, 0), exponential);
        return base ? ir_mul2(ir, ir_kid(ir, e, 1), base) : 0;
    }
    bool positive = ir_is(ir, e, OP_CONST) || ir_is(ir, e, OP_PI) || ir_is(ir, e, OP_PARAM) ||
                    ir_is(ir, e, OP_DIM) || (ir_is(ir, e, OP_FUNC) && ir_id(ir, e) == FUNC_cosh);
    return positive ? ir_func(ir, FUNC_log, 1, &e) : 0;
}

/* Is the equation linear and satisfied by 0? Then what begins positive stays
 * so. */
static bool is_homogeneous(Compilation *c) {
    Ir *ir = c->ir;
    Ref zero = ir_const(ir, 0);
    const Problem *p = c->problem;
    return p->process && p->process->linear &&
           ir_is_number(ir,
                        ir_replace_fields(ir, problem_put_sources(c, p, p->equation.at[0].residual),
                                          OP_FIELD, 1, &zero),
                        0);
}

const char *find_ansatz(Compilation *c, Finds *finds, const Ast **condition) {
    Ir *ir = c->ir;
    const Problem *p = c->problem;
    if (p->field.n != 1 || p->field.at[0].ansatz || p->equation.n != 1 || p->condition.n != 1 ||
        !p->time || !is_homogeneous(c))
        return NULL;
    const ConditionRow *row = &p->condition.at[0];
    Ref data = ir_sub(ir, ir_indexed(ir, OP_FIELD, 0, 0, NULL), row->residual);
    if (ir_has_net(ir, data))
        data = ir_add2(ir, ir_indexed(ir, OP_FIELD, 0, 0, NULL), row->residual);
    if (ir_has_net(ir, data) || row->where == COND_BOUNDARY || row->index)
        return NULL;
    bool exponential = false;
    Ref start = logarithm(c, data, &exponential), t = ir_atom(ir, OP_TIME, 0);
    if (!start || !exponential)
        return NULL;
    Ref elapsed = row->where == COND_INITIAL ? ir_sub(ir, t, p->t_lo) : ir_sub(ir, p->t_hi, t);
    Text text = {.arena = &c->arena};
    text_printf(&text, "ansatz %s = exp(%s", sym_cstr(c, p->field.at[0].name), ir_text(ir, start));
    text_printf(&text, " + (%s) * net)", ir_text(ir, elapsed));
    find_add(c, finds, FIND_UNKNOWN, text_cstr(&text),
             "the data are an exponential, which stays positive: its logarithm "
             "is learned",
             row->ast->span);
    *condition = row->ast;
    return text_cstr(&text);
}
