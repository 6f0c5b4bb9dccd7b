/* input.c: the inputs of the network, with and without features. */
#include "input.h"

static int vector_feature(const Problem *p) {
    for (uint32_t f = 0; f < p->features->at.n; f++)
        if (p->features->at.at[f].index)
            return (int)f;
    return -1;
}

bool input_has_vector(const Problem *p) { return p->features ? vector_feature(p) >= 0 : p->space != 0; }

uint32_t input_scalars(const Problem *p) {
    if (!p->features)
        return p->time ? 1 : 0;
    return p->features->at.n - (vector_feature(p) >= 0 ? 1 : 0);
}

bool input_entry(const Ir *ir, Ref variable, Ref *index) {
    if (ir_arity(ir, variable) != 1)
        return false;
    *index = ir_kid(ir, variable, 0);
    return true;
}

uint32_t input_slot(const Problem *p, const Ir *ir, Ref variable) {
    if (!p->features)
        return 0;
    uint32_t f = (uint32_t)ir_id(ir, variable);
    int vector = vector_feature(p);
    return vector >= 0 && (uint32_t)vector < f ? f - 1 : f;
}

Ref input_variable(const Problem *p, Ir *ir, Ref index) {
    if (!p->features)
        return ir_indexed(ir, OP_SPACE, 0, 1, &index);
    return ir_indexed(ir, OP_INPUT, (uint64_t)vector_feature(p), 1, &index);
}
