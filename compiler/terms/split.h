/* split.h: residuals as sums of decomposable terms L_k, a remainder and a source. */
#ifndef PDE_COMPILER_TERMS_SPLIT_H
#define PDE_COMPILER_TERMS_SPLIT_H

#include "ir/problem.h"

/* TERM(class, "name", "how it is evaluated") */
#define TERM_CLASSES(TERM)                                                                         \
    TERM(SAMPLED, "sampled", "a sum whose terms L_k may be sampled")                               \
    TERM(DIRECTION, "direction", "one derivative along a dense direction: exact, never sampled")   \
    TERM(GRADIENT, "full gradient", "all first derivatives by one reverse sweep, exact")           \
    TERM(POINTWISE, "pointwise", "no sum over the unknown's derivatives")                          \
    TERM(WHOLE, "whole", "a sum that cannot be decomposed")                                        \
    TERM(SOURCE, "source", "known data")

typedef enum TermClass {
#define TERM(id, name, how) TERM_##id,
    TERM_CLASSES(TERM)
#undef TERM
        TERM_CLASS_COUNT
} TermClass;

/* One additive term of a residual: outside * sum over the indices of body. */
typedef struct Term {
    TermClass class;
    Ref value;   /* the term as it stands, in FIELD atoms */
    Ref in_net;  /* the same in NET atoms, over the divisor: what is computed, and classified */
    Ref outside; /* factor before the sum; 1 without one */
    uint32_t n_index; /* 0, 1 or 2 */
    Ref index[2], lo[2], hi[2];
    Ref body;       /* with the indices free */
    uint32_t order; /* highest derivative of a field */
    uint32_t time_order;
    bool linear; /* in the field and its derivatives */
    bool gram;   /* exact sum by the Gram matrix of the first layer */
    bool
        unproven; /* a sum that was opened is not known to be the one it was: an error of the compiler */
    int family;      /* SAMPLED: which one; -1 otherwise */
    const char *why; /* a sentence: why this class */
    Span where;
} Term;

/* Index sets are drawn per family: all sampled sums over the same indices share one. */
typedef struct Family {
    uint32_t n_index;
    bool ordered; /* i < j */
    Ref lo[2], hi[2];
    Ref size; /* |K| */
} Family;

typedef VEC(Family) Families;

typedef struct Operator {
    VEC(Term) term;
    Families family;
} Operator;

/* One Operator per equation, then one per condition. */
typedef struct Operators {
    uint32_t n;
    Operator *at;
} Operators;

/* The number of a family of the same indices, added if there is none like it. */
uint32_t split_family(Ir *ir, Families *families, const Family *f);
/* The terms of a residual in FIELD atoms, computed as residual / divisor. requires: trial functions are known.
 * `statement`: what an error of the compiler itself is reported at. */
void split_residual(Compilation *c, Ref residual, Ref divisor, Span statement, Operator *out);
/* How many SPACE and TIME variables a FIELD or NET node is derived by. */
uint32_t atom_space_order(const Ir *ir, Ref atom);
uint32_t atom_time_order(const Ir *ir, Ref atom);

#endif
