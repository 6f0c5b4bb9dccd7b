/* net_input.c: the inputs of the network, with and without features. */
#include "ir/net_input.h"

#include <assert.h>

#include "base/compilation.h"
#include "ir/tangent.h"

/* The feature that is vector number k, or -1. */
static int vector_feature(const Problem *p, uint32_t k) {
    for (uint32_t f = 0; f < p->features->at.n; f++)
        if (p->features->at.at[f].index && k-- == 0)
            return (int)f;
    return -1;
}

uint32_t input_vectors(const Problem *p) {
    uint32_t n = 0;
    if (!p->features)
        return p->space.n ? 1 : 0;
    for (uint32_t f = 0; f < p->features->at.n; f++)
        n += p->features->at.at[f].index != 0;
    return n;
}

uint32_t input_scalars(const Problem *p) {
    if (!p->features)
        return p->time ? 1 : 0;
    return p->features->at.n - input_vectors(p);
}

Ref input_vector_size(const Problem *p, uint32_t k) {
    return p->features ? p->features->at.at[vector_feature(p, k)].size : p->d;
}

Ref input_vector_row(const Problem *p, Ir *ir, uint32_t k) {
    assert(k <= input_vectors(p));
    Ref row = ir_const(ir, 0);
    for (uint32_t before = 0; before < k; before++)
        row = ir_add2(ir, row, input_vector_size(p, before));
    return row;
}

Ref input_vector_rows(const Problem *p, Ir *ir) {
    return input_vector_row(p, ir, input_vectors(p));
}

Ref input_feature_row(const Problem *p, Ir *ir, uint32_t f) {
    assert(p->features && f < p->features->at.n);
    uint32_t vectors = 0, scalars = 0;
    for (uint32_t k = 0; k < f; k++)
        if (p->features->at.at[k].index)
            vectors++;
        else
            scalars++;
    if (p->features->at.at[f].index)
        return input_vector_row(p, ir, vectors);
    return ir_add2(ir, input_vector_rows(p, ir), ir_const(ir, scalars));
}

bool input_entry(const Ir *ir, Ref variable, Ref *index) {
    if (ir_arity(ir, variable) != 1 || ir_is(ir, variable, OP_TANGENT))
        return false;
    *index = ir_kid(ir, variable, 0);
    return true;
}

uint32_t input_slot(const Problem *p, const Ir *ir, Ref variable) {
    uint32_t slot = 0;
    if (!p->features)
        return 0;
    for (uint32_t f = 0; f < (uint32_t)ir_id(ir, variable); f++)
        slot += p->features->at.at[f].index == 0;
    return slot;
}

Ref input_variable(const Problem *p, Ir *ir, Ref index) {
    if (!p->features)
        return ir_indexed(ir, OP_SPACE, 0, 1, &index);
    if (tangent_inputs(p))
        return tangent_of_coordinate(ir, index);
    return ir_indexed(ir, OP_INPUT, (uint64_t)vector_feature(p, 0), 1, &index);
}

/* The feature that is input k. */
static const Feature *feature_of_input(const Problem *p, uint32_t k) {
    bool vector = k < input_vectors(p);
    uint32_t left = vector ? k : k - input_vectors(p);
    for (uint32_t f = 0; f < p->features->at.n; f++)
        if ((p->features->at.at[f].index != 0) == vector && left-- == 0)
            return &p->features->at.at[f];
    return NULL;
}

/* The variables that an input is made of. Without features each space is an input of its own here. */
static VarSet variables_of_input(const Compilation *c, uint32_t k) {
    const Problem *p = c->problem;
    if (!p->features)
        return k < p->space.n ? (VarSet)1 << k : VARIABLE_TIME;
    const Feature *f = feature_of_input(p, k);
    Ref value = f->value;
    if (f->index) { /* its entries are those of a sum */
        Ref e = ir_reduce(c->ir, OP_MAX, f->index, ir_const(c->ir, 1), f->size, value);
        value = ir_is_binder(ir_op(c->ir, e)) ? e : value;
    }
    return problem_variables_of(c->ir, value);
}

uint32_t input_parts(const Problem *p) {
    return p->features ? p->features->at.n : p->space.n + (p->time != 0);
}

bool input_reaches(const Compilation *c, uint32_t k, uint32_t field) {
    assert(k < input_parts(c->problem));
    return (variables_of_input(c, k) & ~c->problem->field.at[field].on) == 0;
}

bool input_divides_fields(const Compilation *c) {
    for (uint32_t f = 0; f < c->problem->field.n; f++)
        for (uint32_t k = 0; k < input_parts(c->problem); k++)
            if (!input_reaches(c, k, f))
                return true;
    return false;
}

uint32_t input_set_of(const Problem *p, uint32_t field) {
    uint32_t sets = 0;
    for (uint32_t f = 0; f < field; f++) {
        if (p->field.at[f].on == p->field.at[field].on)
            return input_set_of(p, f);
        sets += input_set_of(p, f) == sets;
    }
    return sets;
}

Extent feature_entries(const Compilation *c, const Feature *f) {
    Ir *ir = c->ir;
    Extent e = {0};
    bool sum = ir_is(ir, f->size, OP_ADD);
    for (uint32_t k = 0; k < (sum ? ir_arity(ir, f->size) : 1); k++) {
        Ref rest;
        double factor = ir_coefficient(ir, sum ? ir_kid(ir, f->size, k) : f->size, &rest);
        if (ir_is(ir, rest, OP_DIM)) {
            e.dim = (Sym)ir_id(ir, rest);
            e.coef += (int64_t)factor;
        } else {
            e.constant += (int64_t)factor;
        }
    }
    return e;
}
