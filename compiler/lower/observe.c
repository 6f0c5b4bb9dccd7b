/* observe.c: see observe.h. */
#include "lower/observe.h"

#include "base/compilation.h"
#include "lower/trial.h"

static Sym number_name(Compilation *c, uint32_t k) {
    Text t = {.arena = &c->arena};
    text_printf(&t, "@%u", k);
    return intern_cstr(c, text_cstr(&t));
}

/* An entry that the index picks, whatever its other subscript: an AUX number. */
static Ref take_data(Ir *ir, Ref e, void *context) {
    Observed *o = context;
    uint32_t k = 0;
    if (!ir_is(ir, e, OP_TENSOR) || !ir_depends(ir, e, o->index))
        return 0;
    while (k < o->n_data && o->data[k] != e)
        k++;
    if (k == OBSERVED)
        return e;
    o->data[k] = e;
    o->n_data += k == o->n_data;
    return ir_indexed(ir, OP_AUX, number_name(ir->c, o->first + k), 0, NULL);
}

static uint32_t numbers_so_far(const Problem *p) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->condition.n; k++)
        n += p->condition.at[k].observed ? p->condition.at[k].observed->n_data : 0;
    return n;
}

bool observe_any(const Problem *p) {
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (p->condition.at[k].observed)
            return true;
    return false;
}

void observe_lower(Compilation *c, const Problem *p, ConditionRow *row) {
    const Ast *s = row->ast, *range = s->kid[4];
    Observed *o = NEW(&c->arena, Observed);
    const Env *env = NULL;
    *o = (Observed){
        .index = ir_fresh_index(c->ir), .n = ir_const(c->ir, 1), .first = numbers_so_far(p)};
    if (range) {
        env = env_bind_index(c, NULL, range->name, o->index);
        o->n = lower_scalar(c, NULL, range->kid[1]);
    }
    o->n_at = lower_places(c, env, s->kid[3], o->at);
    Ref residual = ir_sub(c->ir, lower_scalar(c, env, s->kid[0]), lower_scalar(c, env, s->kid[1]));
    row->residual = ir_rewrite(c->ir, residual, take_data, o);
    row->observed = o;
    if (ir_depends(c->ir, row->residual, o->index))
        diag(c, E0601, s->kid[1]->span,
             "the index of an observation picks entries of data and random arrays only");
}

void observe_numbers(Compilation *c, Problem *p) {
    for (uint32_t k = 0, n = numbers_so_far(p); k < n; k++)
        VEC_PUSH(&c->arena, p->sample,
                 ((SampleRow){.observed = true,
                              .target = number_name(c, k),
                              .law = intern_cstr(c, "uniform")}));
}
