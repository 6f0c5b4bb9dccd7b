/* ir.c: the hash-consed node store: interning, queries, rewriting. */
#include "ir/ir.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "ir/ir_internal.h"

Ir *ir_new(Compilation *c) {
    Ir *ir = NEW(&c->arena, Ir);
    ir->c = c;
    ir->arena = &c->arena;
    ir->table_size = 1024;
    ir->table = NEW_ARRAY(ir->arena, Ref, ir->table_size);
    ir->open_memo = NEW(ir->arena, Memo);
    ir->open_memo->arena = ir->arena;
    ir->diff_memo = NEW(ir->arena, Memo);
    ir->diff_memo->arena = ir->arena;
    ir->index_name = NEW(ir->arena, Memo);
    ir->index_name->arena = ir->arena;
    Node none = {0};
    VEC_PUSH(ir->arena, ir->node, none); /* Ref 0 means "none" */
    VEC_PUSH(ir->arena, ir->origin, ((Span){0, 0}));
    VEC_PUSH(ir->arena, ir->trail, ((Span){0, 0}));
    return ir;
}

static uint64_t mix(uint64_t h, uint64_t v) {
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 32);
}

static uint64_t hash_node(Op op, uint64_t id, uint32_t n, const Ref *kids) {
    uint64_t h = mix(op, id);
    for (uint32_t i = 0; i < n; i++)
        h = mix(h, kids[i]);
    return h;
}

static bool same_node(const Ir *ir, Ref e, Op op, uint64_t id, uint32_t n, const Ref *kids) {
    const Node *node = &ir->node.at[e];
    if (node->op != op || node->payload.id != id || node->n != n)
        return false;
    return n == 0 || memcmp(&ir->kid.at[node->kid], kids, n * sizeof *kids) == 0;
}

static void grow_table(Ir *ir) {
    uint32_t size = ir->table_size * 2;
    Ref *table = NEW_ARRAY(ir->arena, Ref, size);
    for (Ref e = 1; e < ir->node.n; e++) {
        const Node *node = &ir->node.at[e];
        uint64_t h = hash_node((Op)node->op, node->payload.id, node->n, &ir->kid.at[node->kid]);
        while (table[h & (size - 1)])
            h++;
        table[h & (size - 1)] = e;
    }
    ir->table = table;
    ir->table_size = size;
}

uint64_t ir_index_bit(uint64_t id) {
    return 1ull << (mix(7, id) & 63);
}

Ref ir_intern(Ir *ir, Op op, uint64_t id, uint32_t n, const Ref *kids) {
    assert(op < OP_COUNT && (n == 0 || kids));
    uint64_t h = hash_node(op, id, n, kids);
    while (ir->table[h & (ir->table_size - 1)]) {
        Ref e = ir->table[h & (ir->table_size - 1)];
        if (same_node(ir, e, op, id, n, kids))
            return e;
        h++;
    }
    if (ir->node.n >= LIMIT_IR_NODES)
        arena_fail(ir->arena, ARENA_FAIL_LIMIT);
    Node node = {.op = (uint8_t)op, .n = n, .kid = ir->kid.n};
    node.payload.id = id;
    node.has_net = op == OP_NET || op == OP_FIELD;
    node.has_indicator = op == OP_DELTA || op == OP_IN;
    if (op == OP_INDEX) {
        node.has_index = true;
        node.mask = ir_index_bit(id);
    }
    for (uint32_t i = 0; i < n; i++) {
        const Node *kid = &ir->node.at[kids[i]];
        node.mask |= kid->mask;
        node.has_index |= kid->has_index;
        node.has_net |= kid->has_net;
        node.has_indicator |= kid->has_indicator;
        if (kid->level > node.level)
            node.level = kid->level;
    }
    if (ir_is_binder(op) && id > node.level) /* its ends may hold higher ones */
        node.level = (uint16_t)id;
    Ref e = ir->node.n;
    for (uint32_t i = 0; i < n; i++)
        VEC_PUSH(ir->arena, ir->kid, kids[i]);
    VEC_PUSH(ir->arena, ir->node, node);
    VEC_PUSH(ir->arena, ir->origin, ir->here);
    VEC_PUSH(ir->arena, ir->trail, ir->trail_here);
    ir->table[h & (ir->table_size - 1)] = e;
    if (ir->node.n * 2 > ir->table_size)
        grow_table(ir);
    return e;
}

bool ir_is_const(const Ir *ir, Ref e, double *value) {
    if (!ir_is(ir, e, OP_CONST))
        return false;
    *value = ir->node.at[e].payload.number;
    return true;
}

bool ir_is_number(const Ir *ir, Ref e, double value) {
    double v;
    return ir_is_const(ir, e, &v) && v >= value && v <= value;
}

bool ir_is_binder(Op op) {
    switch (op) {
    case OP_SUM:
    case OP_PROD:
    case OP_MAX:
    case OP_MIN:
    case OP_ARGMAX:
    case OP_ARGMIN:
    case OP_INTEGRAL:
        return true;
    default:
        return false;
    }
}

/* A visited set over Refs, cleared by making a new one. */
static bool visit(Memo *seen, Ref e) {
    Ref dummy;
    if (memo_get(seen, e, 0, &dummy))
        return false;
    memo_put(seen, e, 0, 1);
    return true;
}

static bool depends(const Ir *ir, Ref e, Ref index, uint64_t bit, Memo *seen) {
    if (e == index)
        return true;
    if (!(ir->node.at[e].mask & bit) || !visit(seen, e))
        return false;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (depends(ir, ir_kid(ir, e, k), index, bit, seen))
            return true;
    return false;
}

bool ir_depends(const Ir *ir, Ref e, Ref index) {
    uint64_t bit = ir->node.at[index].mask;
    if (!(ir->node.at[e].mask & bit))
        return false;
    Memo seen = {.arena = ir->arena};
    return depends(ir, e, index, bit, &seen);
}

static bool contains(const Ir *ir, Ref e, Op op, Memo *seen) {
    if (ir_op(ir, e) == op)
        return true;
    if (!visit(seen, e))
        return false;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (contains(ir, ir_kid(ir, e, k), op, seen))
            return true;
    return false;
}

bool ir_contains(const Ir *ir, Ref e, Op op) {
    Memo seen = {.arena = ir->arena};
    return contains(ir, e, op, &seen);
}

static uint32_t count(const Ir *ir, Ref e, Memo *seen) {
    if (!visit(seen, e))
        return 0;
    uint32_t n = 1;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        n += count(ir, ir_kid(ir, e, k), seen);
    return n;
}

uint32_t ir_count(const Ir *ir, Ref e) {
    Memo seen = {.arena = ir->arena};
    return count(ir, e, &seen);
}

Ref ir_with_kids(Ir *ir, Ref e, const Ref *kids) {
    assert(e > 0 && e < ir->node.n);
    Node node = ir->node.at[e];
    Op op = (Op)node.op;
    switch (op) {
    case OP_ADD:
        return ir_add(ir, node.n, kids);
    case OP_MUL:
        return ir_mul(ir, node.n, kids);
    case OP_POW:
        return ir_pow(ir, kids[0], kids[1]);
    case OP_FUNC:
        return ir_func(ir, (Func)node.payload.id, node.n, kids);
    case OP_DELTA:
        return ir_delta(ir, kids[0], ir_const(ir, 0));
    case OP_IN:
        return ir_in(ir, kids[0], kids[1], kids[2]);
    case OP_FIELD:
    case OP_NET:
    case OP_TANGENT:
        return ir_indexed(ir, op, node.payload.id, node.n, kids);
    default:
        return ir_intern(ir, op, node.payload.id, node.n, kids);
    }
}

static Ref rewrite(Ir *ir, Ref e, IrRewrite *leaf, void *context, Memo *memo) {
    Ref done;
    if (memo_get(memo, e, 0, &done))
        return done;
    Span outer = ir_enter(ir, e);
    Ref result = leaf(ir, e, context);
    uint32_t n = ir_arity(ir, e);
    if (!result && n == 0)
        result = e;
    if (!result && ir_is_binder(ir_op(ir, e))) {
        Ref index, body = ir_open(ir, e, &index);
        Ref lo = rewrite(ir, ir_kid(ir, e, 0), leaf, context, memo);
        Ref hi = rewrite(ir, ir_kid(ir, e, 1), leaf, context, memo);
        Ref inner = rewrite(ir, body, leaf, context, memo);
        bool same = lo == ir_kid(ir, e, 0) && hi == ir_kid(ir, e, 1) && inner == body;
        Ref extra[LIMIT_KIDS];
        for (uint32_t k = 3; k < n; k++) {
            extra[k - 3] = rewrite(ir, ir_kid(ir, e, k), leaf, context, memo);
            same = same && extra[k - 3] == ir_kid(ir, e, k);
        }
        result = same ? e : ir_reduce_except(ir, ir_op(ir, e), index, lo, hi, inner, n - 3, extra);
    }
    if (!result) {
        Ref *kids = NEW_ARRAY(ir->arena, Ref, n);
        bool same = true;
        for (uint32_t k = 0; k < n; k++) {
            kids[k] = rewrite(ir, ir_kid(ir, e, k), leaf, context, memo);
            same = same && kids[k] == ir_kid(ir, e, k);
        }
        result = same ? e : ir_with_kids(ir, e, kids);
    }
    ir->trail_here = outer;
    memo_put(memo, e, 0, result);
    return result;
}

Ref ir_rewrite(Ir *ir, Ref e, IrRewrite *leaf, void *context) {
    assert(e > 0 && e < ir->node.n);
    Memo memo = {.arena = ir->arena};
    return rewrite(ir, e, leaf, context, &memo);
}

/* ---- Memo: open addressing, key (a, b) packed; 0 is a free slot since a >= 1 ---- */

static uint64_t memo_key(Ref a, Ref b) {
    return ((uint64_t)b << 32) | a;
}

bool memo_get(const Memo *m, Ref a, Ref b, Ref *value) {
    assert(m->arena || m->size == 0);
    if (m->size == 0)
        return false;
    uint64_t key = memo_key(a, b);
    for (uint64_t h = mix(1, key);; h++) {
        uint64_t slot = h & (m->size - 1);
        if (m->key[slot] == key) {
            *value = m->value[slot];
            return true;
        }
        if (!m->key[slot])
            return false;
    }
}

static void memo_insert(Memo *m, uint64_t key, Ref value) {
    uint64_t h = mix(1, key);
    while (m->key[h & (m->size - 1)] && m->key[h & (m->size - 1)] != key)
        h++;
    if (!m->key[h & (m->size - 1)])
        m->n++;
    m->key[h & (m->size - 1)] = key;
    m->value[h & (m->size - 1)] = value;
}

void memo_put(Memo *m, Ref a, Ref b, Ref value) {
    assert(a > 0);
    if (2 * (m->n + 1) > m->size) {
        Memo old = *m;
        m->size = old.size ? old.size * 2 : 16;
        m->key = NEW_ARRAY(m->arena, uint64_t, m->size);
        m->value = NEW_ARRAY(m->arena, Ref, m->size);
        m->n = 0;
        for (uint32_t s = 0; s < old.size; s++)
            if (old.key[s])
                memo_insert(m, old.key[s], old.value[s]);
    }
    memo_insert(m, memo_key(a, b), value);
}
