/* tangent.c: see tangent.h. */
#include "ir/tangent.h"

#include <assert.h>

#include "base/compilation.h"
#include "base/limits.h"
#include "ir/ir_internal.h"

bool tangent_inputs(const Problem *p) {
    return p->features && p->features->wide;
}

/* ---- tangents ---- */

Ref tangent_component(Ir *ir, Ref tangent, uint32_t f, Ref entry) {
    assert(ir->features && f < ir->features->at.n);
    if (ir_is(ir, tangent, OP_INPUT)) /* the axis of a scalar feature */
        return ir_const(ir, ir_id(ir, tangent) == f);
    const Feature *feature = &ir->features->at.at[f];
    Ref value = entry ? ir_substitute(ir, feature->value, feature->index, entry) : feature->value;
    for (uint32_t k = 0; k < ir_arity(ir, tangent); k++)
        value = ir_diff(ir, value, ir_kid(ir, tangent, k));
    return value;
}

/* ---- by inputs ---- */

static Ref by_inputs(Ir *ir, Ref net, uint32_t n, Ref *kids);

/* N[T1, .., Tn] with the part of T_n that feature f has: sum over its entries m of T_m N[.., input m]. Where the
 * deltas of T are used up, the sum is gone and each N left belongs to one entry. */
static Ref by_feature(Ir *ir, Ref net, uint32_t n, Ref *kids, uint32_t f) {
    const Feature *feature = &ir->features->at.at[f];
    Ref entry = feature->index ? ir_fresh_index(ir) : 0;
    Ref slope = tangent_component(ir, ir_kid(ir, net, n), f, entry);
    if (ir_is_number(ir, slope, 0))
        return slope;
    kids[n] = ir_indexed(ir, OP_INPUT, f, entry ? 1 : 0, &entry);
    Ref term = ir_mul2(ir, slope, by_inputs(ir, net, n + 1, kids));
    return entry ? ir_reduce(ir, OP_SUM, entry, ir_const(ir, 1), feature->size, term) : term;
}

/* Variables before n are inputs in kids already. */
static Ref by_inputs(Ir *ir, Ref net, uint32_t n, Ref *kids) {
    if (n == ir_arity(ir, net))
        return ir_indexed(ir, OP_NET, ir_id(ir, net), n, kids);
    Ref total = ir_const(ir, 0);
    for (uint32_t f = 0; f < ir->features->at.n; f++)
        total = ir_add2(ir, total, by_feature(ir, net, n, kids, f));
    return total;
}

Ref tangent_by_feature(Ir *ir, Ref tangent, uint32_t f) {
    assert(ir->features && f < ir->features->at.n);
    Ref kids[LIMIT_KIDS], net = ir_indexed(ir, OP_NET, 0, 1, &tangent);
    return by_feature(ir, net, 0, kids, f);
}

/* Does feature f move along the tangent? What stays of its entries after the sum over them tells. */
static bool moves(Ir *ir, Ref tangent, uint32_t f) {
    return !ir_is_number(ir, tangent_by_feature(ir, tangent, f), 0);
}

static bool vanishes(Ir *ir, Ref tangent) {
    for (uint32_t f = 0; f < ir->features->at.n; f++)
        if (moves(ir, tangent, f))
            return false;
    return true;
}

/* ---- derivatives ---- */

/* T(.., v); T(v) of tangent 0 */
static Ref with_coordinate(Ir *ir, Ref tangent, Ref v) {
    uint32_t n = tangent ? ir_arity(ir, tangent) : 0;
    Ref kids[LIMIT_KIDS];
    if (n + 1 > LIMIT_DERIVATIVE_ORDER)
        arena_fail(ir->arena, ARENA_FAIL_LIMIT);
    for (uint32_t k = 0; k < n; k++)
        kids[k] = ir_kid(ir, tangent, k);
    kids[n] = v;
    return ir_indexed(ir, OP_TANGENT, 0, n + 1, kids);
}

Ref tangent_of_coordinate(Ir *ir, Ref index) {
    return with_coordinate(ir, 0, ir_indexed(ir, OP_SPACE, 0, 1, &index));
}

/* N[T] where only scalar features move: along their axes, which serve all terms of a sum; 0: vectors move too. */
static Ref along_scalars(Ir *ir, uint64_t output, Ref tangent) {
    Ref total = ir_const(ir, 0);
    for (uint32_t f = 0; f < ir->features->at.n; f++) {
        if (!moves(ir, tangent, f))
            continue;
        if (ir->features->at.at[f].index)
            return 0;
        Ref axis = ir_indexed(ir, OP_INPUT, f, 0, NULL),
            slope = tangent_component(ir, tangent, f, 0);
        total = ir_add2(ir, total, ir_mul2(ir, slope, ir_indexed(ir, OP_NET, output, 1, &axis)));
    }
    return total;
}

/* N[T1, .., Tn]; 0 where the last one vanishes. */
static Ref net_along(Ir *ir, uint64_t output, uint32_t n, const Ref *tangent, Ref last) {
    if (vanishes(ir, last))
        return ir_const(ir, 0);
    Ref scalars = n == 1 ? along_scalars(ir, output, last) : 0;
    return scalars ? scalars : ir_indexed(ir, OP_NET, output, n, tangent);
}

Ref tangent_diff(Ir *ir, Ref net, Ref v) {
    Ref kids[LIMIT_KIDS];
    uint32_t n = ir_arity(ir, net);
    if (n + 1 > LIMIT_DERIVATIVE_ORDER)
        arena_fail(ir->arena, ARENA_FAIL_LIMIT);
    for (uint32_t k = 0; k < n; k++)
        kids[k] = ir_kid(ir, net, k);
    kids[n] = with_coordinate(ir, 0, v);
    bool bends =
        n == 0 ||
        !ir->linear_net; /* the slopes of a linear network are constants, its tangents turn */
    Ref total = bends ? net_along(ir, ir_id(ir, net), n + 1, kids, kids[n]) : ir_const(ir, 0);
    for (uint32_t j = 0; j < n; j++) {
        if (ir_is(ir, kids[j], OP_INPUT)) /* an axis does not turn */
            continue;
        kids[j] = with_coordinate(ir, kids[j], v);
        total = ir_add2(ir, total, net_along(ir, ir_id(ir, net), n, kids, kids[j]));
        kids[j] = ir_kid(ir, net, j);
    }
    return total;
}

/* ---- for the interpreter ---- */

static Ref expand_node(Ir *ir, Ref e, void *context) {
    Ref kids[LIMIT_KIDS];
    (void)context;
    if (!ir_has_net(ir, e))
        return e;
    if (!ir_is(ir, e, OP_NET))
        return 0;
    bool along = false;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        along |= ir_is(ir, ir_kid(ir, e, k), OP_TANGENT);
    return along ? by_inputs(ir, e, 0, kids) : e;
}

Ref tangent_by_inputs(Ir *ir, Ref e) {
    return ir->features ? ir_rewrite(ir, e, expand_node, NULL) : e;
}
