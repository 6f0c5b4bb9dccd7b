/* ir.h: the symbolic IR: one hash-consed DAG of scalar expressions.
 *
 * A Ref is an index into Ir.node; equal expressions have equal Refs. Every constructor simplifies
 * as it builds, by rules that keep values and never shrink the domain where an expression is
 * defined (a rule may enlarge it: x/x is 1). Floating constants are folded only where the result
 * is exact, so that the double and the long double evaluation agree.
 *
 * Bound indices are nameless: a binder's level is one more than the highest level inside its body,
 * so sums that differ only in the name of their index are one node. To work under a binder, open it
 * (ir_open gives the body with a free INDEX in place of the bound one) and rebuild with ir_reduce.
 *
 * Indicators (DELTA, IN) are factors. A product whose indicator is 0 is 0, and its other factors
 * are then not evaluated: that is how x_{k-1} at k = 1 is guarded. */
#ifndef PDE_COMPILER_IR_IR_H
#define PDE_COMPILER_IR_IR_H

#include "base/base.h"

typedef uint32_t Ref; /* 0: none */

typedef enum Op {
#define O(op, name, class, what) OP_##op,
#include "ir/op.def"
    OP_COUNT
} Op;

typedef enum Func {
#define F(name, arity, jump, c, da, db) FUNC_##name,
#include "text/func.def"
    FUNC_COUNT
} Func;

/* What a DRAW is: the payload is 2 * variable + DrawKind. */
typedef enum DrawKind { DRAW_UNIFORM, DRAW_NORMAL } DrawKind;

typedef struct Node {
    uint8_t op;
    bool has_index; /* an INDEX occurs below */
    bool has_net;   /* a FIELD or NET occurs below */
    bool has_indicator;
    uint16_t level;  /* highest level of a binder in here */
    uint32_t n, kid; /* kids are Ir.kid[kid .. kid + n) */
    uint64_t mask;   /* Bloom filter of the free INDEX ids below */
    union {
        double number;
        uint64_t id;
    } payload;
} Node;

/* owner: Compilation (arena). */
typedef struct Ir {
    Compilation *c;
    Arena *arena;
    VEC(Node) node;
    VEC(Ref) kid;
    VEC(Span) origin; /* where in the source a node was written; empty for what was derived */
    VEC(Span)
    trail;      /* the same, and for a derived node where the one it was derived from was written */
    Ref *table; /* open-addressed hash table of node Refs */
    uint32_t table_size;
    uint32_t next_index;   /* fresh INDEX ids */
    uint32_t verified;     /* nodes before this one have been checked by ir_verify */
    Span here, trail_here; /* origin and trail given to new nodes */
    const Sym *field_name; /* names of FIELD and NET numbers, for printing */
    const Sym *net_name;
    Sym time_name;
    const struct Features *features; /* what the network sees in place of x and t; NULL: x and t */
    bool keep_deltas; /* derivatives hold the deltas that they would leave out (lost.c) */
    bool
        linear_net; /* the network is linear in its inputs: its derivatives beyond the first vanish */
    struct Memo *open_memo, *diff_memo, *index_name; /* INDEX -> Sym */
} Ir;

Ir *ir_new(Compilation *c);

/* What is built from here on is derived from e. Returns what to go back to: ir->trail_here = outer. */
static inline Span ir_enter(Ir *ir, Ref e) {
    Span outer = ir->trail_here, own = ir->trail.at[e];
    if (own.lo < own.hi)
        ir->trail_here = own;
    return outer;
}

/* Reading. */
static inline Op ir_op(const Ir *ir, Ref e) {
    return (Op)ir->node.at[e].op;
}
static inline uint32_t ir_arity(const Ir *ir, Ref e) {
    return ir->node.at[e].n;
}
static inline Ref ir_kid(const Ir *ir, Ref e, uint32_t k) {
    return ir->kid.at[ir->node.at[e].kid + k];
}
static inline uint64_t ir_id(const Ir *ir, Ref e) {
    return ir->node.at[e].payload.id;
}
static inline bool ir_is(const Ir *ir, Ref e, Op op) {
    return ir_op(ir, e) == op;
}
static inline bool ir_has_net(const Ir *ir, Ref e) {
    return ir->node.at[e].has_net;
}
bool ir_is_const(const Ir *ir, Ref e, double *value);
bool ir_is_number(const Ir *ir, Ref e, double value);
bool ir_is_binder(Op op);
/* Does the free index (an INDEX node) occur in e? */
bool ir_depends(const Ir *ir, Ref e, Ref index);
/* Does any node with this op occur in e (itself included)? */
bool ir_contains(const Ir *ir, Ref e, Op op);
uint32_t ir_count(const Ir *ir, Ref e); /* distinct nodes below e */

/* Building (algebra.c). All simplify. */
Ref ir_const(Ir *ir, double v);
Ref ir_atom(Ir *ir, Op op, uint64_t id); /* DIM, PARAM, TIME ... */
Ref ir_indexed(Ir *ir, Op op, uint64_t id, uint32_t n,
               const Ref *indices); /* SPACE, TENSOR, FIELD ... */
Ref ir_add(Ir *ir, uint32_t n, const Ref *terms);
Ref ir_mul(Ir *ir, uint32_t n, const Ref *factors);
Ref ir_pow(Ir *ir, Ref base, Ref exponent);
Ref ir_func(Ir *ir, Func f, uint32_t n, const Ref *args);
Ref ir_add2(Ir *ir, Ref a, Ref b);
Ref ir_sub(Ir *ir, Ref a, Ref b);
Ref ir_mul2(Ir *ir, Ref a, Ref b);
Ref ir_div(Ir *ir, Ref a, Ref b);
Ref ir_neg(Ir *ir, Ref a);
Ref ir_powi(Ir *ir, Ref a, int n);
/* The same node with other kids (binders: lo, hi, body still closed). */
Ref ir_with_kids(Ir *ir, Ref e, const Ref *kids);
/* coefficient * rest with the largest constant coefficient taken out. */
double ir_coefficient(Ir *ir, Ref e, Ref *rest);

/* Index calculus (index.c). */
Ref ir_fresh_index(Ir *ir);
Ref ir_delta(Ir *ir, Ref a, Ref b); /* 1 where a = b */
Ref ir_in(Ir *ir, Ref e, Ref lo, Ref hi);
/* Reduction over `index` (an INDEX node free in body): op SUM, PROD, MAX, MIN, ARGMAX, ARGMIN, INTEGRAL. Sums are
 * distributed, independent factors taken out, Kronecker deltas eliminated, ranges intersected. */
Ref ir_reduce(Ir *ir, Op op, Ref index, Ref lo, Ref hi, Ref body);
/* The body of a binder with its bound index replaced by *index, always the same INDEX per binder. */
Ref ir_open(Ir *ir, Ref binder, Ref *index);
/* As ir_open, with an index of the caller's. */
Ref ir_open_as(Ir *ir, Ref binder, Ref index);
Ref ir_substitute(Ir *ir, Ref e, Ref from, Ref to);
/* a <= b for every value of the dimensions (each >= 1)? false: not provable. */
bool ir_provably_le(Ir *ir, Ref a, Ref b);
Ref ir_int_max(Ir *ir, Ref a, Ref b);
Ref ir_int_min(Ir *ir, Ref a, Ref b);
/* e = c * index + rest with c = +1 or -1: gives the value of index where e = 0. */
bool ir_solve_index(Ir *ir, Ref e, Ref index, Ref *solution);
/* Writes products of sums out, as far as needed to see e as a sum of terms. */
Ref ir_expand(Ir *ir, Ref e);

/* Derivative by a SPACE, TIME, AUX, PARAM or UNKNOWN atom (diff.c). FIELD and NET collect the variable.
 * By a FIELD or NET node: the partial derivative that treats exactly this node as the variable. */
Ref ir_diff(Ir *ir, Ref e, Ref variable);
/* Replaces every FIELD (number f, with its derivatives) by the derivative of value[f]; 0 leaves it. */
Ref ir_replace_fields(Ir *ir, Ref e, Op field_or_net, uint32_t n, const Ref *value);

/* Any rewriting: calls `leaf` on each node first (a Ref other than 0 replaces it), then rebuilds.
 * Under binders the body is rewritten opened. */
typedef Ref IrRewrite(Ir *ir, Ref e, void *context);
Ref ir_rewrite(Ir *ir, Ref e, IrRewrite *leaf, void *context);

/* The node `from`, of any kind, wherever it stands. */
Ref ir_replace(Ir *ir, Ref e, Ref from, Ref to);

/* A map from Refs (pairs) to Refs, in the arena. */
typedef struct Memo {
    Arena *arena;
    uint64_t *key;
    Ref *value;
    uint32_t n, size;
} Memo;
bool memo_get(const Memo *m, Ref a, Ref b, Ref *value);
void memo_put(Memo *m, Ref a, Ref b, Ref value);

/* Checks the invariants of every node made since the last call (nodes never change); returns NULL or what is
 * broken, and the node in *where. */
const char *ir_verify(Ir *ir, Ref *where);

/* Text in the language's own notation (ir_print.c). */
void ir_print(Ir *ir, Ref e, Text *out);
const char *ir_text(Ir *ir, Ref e);

#endif
