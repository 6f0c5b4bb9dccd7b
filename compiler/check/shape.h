/* shape.h: what kind of value an expression has, and how far its indices run.
 *
 * shape_of walks an expression once: it finds the shape of every node (scalar, vector, matrix with
 * extents affine in one dimension), infers the range of every index from what it subscripts,
 * fills the RANGE nodes of big operators, and reports what does not fit. */
#ifndef PDE_COMPILER_CHECK_SHAPE_H
#define PDE_COMPILER_CHECK_SHAPE_H

#include "text/symbols.h"

typedef struct Shape {
    uint32_t rank;
    Extent extent[2];
} Shape;

typedef struct IndexVar IndexVar;

/* An index expression: up to two indices with whole-number factors, plus an extent. */
typedef struct Linear {
    IndexVar *index[2];
    int64_t factor[2];
    Extent rest;
} Linear;

struct IndexVar {
    Sym name;
    Span span;
    bool known; /* lo and hi are set */
    bool explicit_range;
    bool from_local; /* the extent is that of a function's argument */
    bool used, used_in_subscript;
    Linear lo, hi;
    Sym by_name; /* what the range was inferred from, for messages */
    Span by_span;
    Extent by_extent;
};

/* A name bound inside an expression: an index, or a local value. Lives on the C stack. */
typedef struct Binding Binding;
struct Binding {
    const Binding *outer;
    Sym name;
    IndexVar *index; /* NULL: a local value */
    Shape shape;
    const Ast *argument; /* of a function's parameter: what was given */
    bool coordinate;     /* of a function's parameter: a coordinate was given */
};

/* A subscript whose bounds are checked when all ranges of the statement are known. */
typedef struct SubscriptUse {
    Linear at;
    Extent extent;
    Span span, base_span;
    Str base;
} SubscriptUse;

/* A function checked for arguments of these shapes. */
typedef struct Instance Instance;
struct Instance {
    const Instance *next; /* another one of the same function */
    uint32_t n;
    Shape *argument;
    Shape result;
};

typedef struct Checker {
    Compilation *c;
    bool *let_done; /* by symbol */
    VEC(SubscriptUse) uses;
    const Instance **instances; /* by symbol */
    Span site;                  /* inside a library function: the user's call; messages go there */
    bool in_library;
    Sym function;           /* the function being checked, 0: none */
    uint32_t *kinds_of_let; /* by symbol: bit set of SymbolKind it depends on; see kinds_of */
} Checker;

Shape shape_of(Checker *k, const Ast *e, const Binding *b);
/* The same, and the value must be a scalar. */
void shape_scalar(Checker *k, const Ast *e, const Binding *b);
/* Both sides of an equation or condition. */
void shape_sides(Checker *k, const Ast *left, const Ast *right);
/* The same for conditions, which may also equate vectors; a scalar serves every entry of one. */
void shape_condition(Checker *k, const Ast *left, const Ast *right);
/* The shape of a let, checking its definition first if need be. */
Shape shape_of_let(Checker *k, const Symbol *s);
/* The shape of F in `F_i = value` or, with law set, `F_i ~ value`: the free indices become axes. */
Shape shape_of_target(Checker *k, const Ast *target, const Ast *value, bool law, const Binding *b);
/* The bounds of all subscripts seen since the last call. */
void shape_finish(Checker *k);

const Binding *binding_find(const Binding *b, Sym name);
/* Where a message goes: the span, or the user's call when inside a library function. */
Span shape_where(const Checker *k, Span span);
Str shape_quoted(Checker *k, Span span);

/* shape_derivative.c */
Shape shape_of_derivative(Checker *k, const Ast *e, const Binding *b);
bool shape_coordinate(const Checker *k, const Ast *e, const Binding *b); /* is e a coordinate? */

/* range.c. e as a linear expression of indices and a dimension; false: it is none. */
bool range_linear(Checker *k, const Ast *e, const Binding *b, Linear *l);
/* One subscript e of base, which has this extent: gives an index its range, or is checked later. */
void range_use(Checker *k, const Ast *e, const Binding *b, const Ast *base, Extent extent,
               bool local);
/* A vector given by its entries: the index runs where all that it subscripts exists. */
Shape range_entries(Checker *k, const Ast *e, const Binding *b);
/* Says that index v cannot also run over `base`. */
void range_clash(Checker *k, const IndexVar *v, Span span, Str base, Extent extent);

/* The extent of the problem's coordinate vector; {0} without one. */
Extent space_extent(Compilation *c); /* of all coordinate vectors together */
/* A sum of several dims, which only `space` has. */
bool extent_is_mixed(const Compilation *c, Extent e);
/* With the dims' stated values; false: they have none. */
bool extent_value(Compilation *c, Extent e, double *value);
bool extent_of_expression(Compilation *c, const Ast *e, Extent *extent);
bool extent_same(Extent a, Extent b);
const char *extent_formula(Compilation *c, Extent e); /* "d-1" */
const char *extent_text(Compilation *c, Extent e);    /* "d-1 = 99" */
const char *shape_text(Compilation *c, Shape s);      /* "a vector of length d = 100" */
Ast *extent_ast(Compilation *c, Extent e, Span span);

/* constant.c: values known when the problem is stated, with dims and params at their defaults. */
bool constant_value(Compilation *c, const Ast *e, double *value);
/* The bit set of SymbolKind that an expression depends on, through lets too. */
uint32_t kinds_of(Checker *k, const Ast *e);
/* Says what becomes of a normalise statement (conserved.c). */
void check_conserved(Checker *k, const Ast *s);
/* The first name in e whose kinds meet the mask; NULL: none. */
const Ast *kinds_find(Checker *k, const Ast *e, uint32_t mask);

/* solve_check.c: the lines of solve { }. */
void settings_check(Checker *k, const Ast *solve);

#endif
