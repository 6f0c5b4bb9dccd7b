/* tangent_block.c: see tangent_block.h. */
#include "plan/tangent_block.h"

#include <assert.h>

#include "base/compilation.h"
#include "ir/tangent.h"
#include "terms/sum_form.h"

/* ---- directions with a component for every input ---- */

/* The one place that knows a block's parts: calls for each feature, with the entry that block->index counts. */
typedef Ref Component(Ir *ir, uint32_t f, Ref entry, void *context);

static void fill_block(Ir *ir, Block *block, Component *component, void *context) {
    assert(ir->c->problem->features);
    const Problem *p = ir->c->problem;
    block->index = ir_fresh_index(ir);
    for (uint32_t f = 0, vector = 0, scalar = 0; f < p->features->at.n; f++) {
        bool moving = p->features->at.at[f].index != 0;
        Ref value = component(ir, f, moving ? block->index : 0, context);
        if (moving)
            block->entries[vector++] = value;
        else
            block->scalar[scalar++] = ir_is_number(ir, value, 0) ? 0 : value;
    }
}

typedef struct Replace {
    uint32_t f;
    Ref entry;
} Replace;

static Ref replace_net(Ir *ir, Ref e, void *context) {
    const Replace *r = context;
    if (!ir_has_net(ir, e))
        return e;
    return ir_is(ir, e, OP_NET) ? tangent_component(ir, ir_kid(ir, e, 0), r->f, r->entry) : 0;
}

static Ref pushed_component(Ir *ir, uint32_t f, Ref entry, void *context) {
    return ir_rewrite(ir, *(Ref *)context, replace_net, &(Replace){f, entry});
}

Block tangent_push(Ir *ir, Ref e) {
    Block block = {.order = 1};
    assert(sum_form(ir, e).form == FORM_TANGENTS);
    fill_block(ir, &block, pushed_component, &e);
    block.kind = plan_dense_kind(ir, &block);
    return block;
}

void tangent_push_coordinates(Ir *ir, Ref index, Ref alpha, Block *block) {
    Ref along = tangent_of_coordinate(ir, index), net = ir_indexed(ir, OP_NET, 0, 1, &along);
    Ref e =
        ir_reduce(ir, OP_SUM, index, ir_const(ir, 1), ir->c->problem->d, ir_mul2(ir, alpha, net));
    fill_block(ir, block, pushed_component, &e);
}

typedef struct Pair {
    const Ref *tangent;
    const double *factor;
} Pair;

static Ref pair_component(Ir *ir, uint32_t f, Ref entry, void *context) {
    const Pair *pair = context;
    Ref total = ir_const(ir, 0);
    for (int k = 0; k < 2 && pair->tangent[k]; k++)
        total = ir_add2(ir, total,
                        ir_mul2(ir, ir_const(ir, pair->factor[k]),
                                tangent_component(ir, pair->tangent[k], f, entry)));
    return total;
}

void tangent_push_fixed(Ir *ir, const Ref tangent[2], const double factor[2], Block *block) {
    fill_block(ir, block, pair_component, &(Pair){tangent, factor});
}

/* ---- sparse directions ---- */

static bool has_sum_over_net(const Ir *ir, Ref e) {
    if (!ir_has_net(ir, e) || ir_is(ir, e, OP_NET))
        return false;
    if (ir_is_binder(ir_op(ir, e)))
        return true;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (has_sum_over_net(ir, ir_kid(ir, e, k)))
            return true;
    return false;
}

bool tangent_sparse(Ir *ir, const Ref tangent[2], const double factor[2], Block *block) {
    assert(tangent[0] && block->n_sparse == 0);
    const Problem *p = ir->c->problem;
    for (uint32_t k = 0; k < 2 && tangent[k]; k++)
        for (uint32_t f = 0; f < p->features->at.n; f++) {
            Ref sum = ir_expand(ir, tangent_by_feature(ir, tangent[k], f));
            Atoms atoms = {0};
            if (has_sum_over_net(ir, sum))
                return false;
            collect_atoms(ir, sum, &atoms);
            for (uint32_t a = 0; a < atoms.at.n; a++) {
                Ref atom = atoms.at.at[a], row = input_feature_row(p, ir, f), at;
                if (input_entry(ir, ir_kid(ir, atom, 0), &at))
                    row = ir_add2(ir, row, ir_sub(ir, at, ir_const(ir, 1)));
                if (block->n_sparse == SPARSE_ENTRIES)
                    return false;
                block->sparse[block->n_sparse++] = (SparseEntry){
                    row, ir_mul2(ir, ir_const(ir, factor[k]), ir_diff(ir, sum, atom))};
            }
        }
    return true;
}
