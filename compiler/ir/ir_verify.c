/* ir_verify.c: what every node promises, checked after each pass. Each node is looked at once, so that this costs a
 * release build nothing that can be measured; what breaks a promise is an internal error (X0901), not a wrong
 * kernel. */
#include <math.h>

#include "ir/ir.h"
#include "ir/ir_internal.h"

typedef enum OpClass { ATOM, INDEXED, NARY, OPERATION, INDICATOR, BINDER } OpClass;

static const uint8_t class_of[OP_COUNT] = {
#define O(op, name, class, what) class,
#include "ir/op.def"
};

static const uint8_t arguments_of[FUNC_COUNT] = {
#define F(name, arity, jump, c, da, db) arity,
#include "text/func.def"
};

static const char *verify_kids(const Ir *ir, Ref e) {
    const Node *node = &ir->node.at[e];
    if (node->n > 0 && (uint64_t)node->kid + node->n > ir->kid.n)
        return "kids beyond the end of all kids";
    for (uint32_t k = 0; k < node->n; k++)
        if (ir_kid(ir, e, k) == 0 || ir_kid(ir, e, k) >= e)
            return "a kid that is not older than its node";
    return NULL;
}

static const char *verify_number_of_kids(const Ir *ir, Ref e) {
    uint32_t n = ir_arity(ir, e);
    Op op = ir_op(ir, e);
    switch ((OpClass)class_of[op]) {
    case ATOM:
        return n == 0 ? NULL : "an atom with kids";
    case INDEXED:
        return n <= LIMIT_KIDS ? NULL : "more indices or derivatives than a node may have";
    case NARY:
        return n >= 2 ? NULL : "a sum or product of fewer than two";
    case INDICATOR:
        return n == (op == OP_DELTA ? 1u : 3u) ? NULL
                                               : "an indicator with the wrong number of kids";
    case BINDER:
        return n >= 3 ? NULL : "a reduction without range and body";
    case OPERATION:
        break;
    }
    if (op == OP_FUNC)
        return ir_id(ir, e) < FUNC_COUNT && n == arguments_of[ir_id(ir, e)]
                   ? NULL
                   : "a function with the wrong number of arguments";
    return n == (op == OP_POW ? 2u : 1u) ? NULL : "an operation with the wrong number of kids";
}

static const char *verify_shape(const Ir *ir, Ref e) {
    const Node *node = &ir->node.at[e];
    if (class_of[node->op] == NARY)
        for (uint32_t k = 0; k < node->n; k++)
            if (ir_op(ir, ir_kid(ir, e, k)) == node->op)
                return "a nested sum or product that was not flattened";
    if (class_of[node->op] == BINDER && node->payload.id <= ir->node.at[ir_kid(ir, e, 2)].level)
        return "a binder whose level is not above its body's";
    if (node->op == OP_CONST && isnan(node->payload.number))
        return "a constant that is not a number";
    return NULL;
}

/* What a node says of everything below it. */
static const char *verify_summary(const Ir *ir, Ref e) {
    const Node *node = &ir->node.at[e];
    bool net = node->op == OP_NET || node->op == OP_FIELD,
         indicator = class_of[node->op] == INDICATOR;
    bool index = node->op == OP_INDEX;
    uint64_t mask = index ? ir_index_bit(node->payload.id) : 0;
    uint16_t level = class_of[node->op] == BINDER ? (uint16_t)node->payload.id : 0;
    for (uint32_t k = 0; k < node->n; k++) {
        const Node *kid = &ir->node.at[ir_kid(ir, e, k)];
        net |= kid->has_net;
        indicator |= kid->has_indicator;
        index |= kid->has_index;
        mask |= kid->mask;
        level = kid->level > level ? kid->level : level;
    }
    if (net != node->has_net || indicator != node->has_indicator || index != node->has_index)
        return "a node that is wrong about what occurs below it";
    if (mask != node->mask || level != node->level)
        return "a node that is wrong about the indices below it";
    return NULL;
}

static const char *verify_node(const Ir *ir, Ref e) {
    if (ir->node.at[e].op >= OP_COUNT)
        return "a node of no known kind";
    const char *broken = verify_kids(ir, e);
    broken = broken ? broken : verify_number_of_kids(ir, e);
    broken = broken ? broken : verify_shape(ir, e);
    return broken ? broken : verify_summary(ir, e);
}

const char *ir_verify(Ir *ir, Ref *where) {
    for (Ref e = ir->verified ? ir->verified : 1; e < ir->node.n; e++) {
        const char *broken = verify_node(ir, e);
        if (broken) {
            *where = e;
            return broken;
        }
    }
    ir->verified = ir->node.n;
    return NULL;
}
