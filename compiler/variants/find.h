/* find.h: what was found in the known data of a problem: each with its text in the language, the reason, and
 * the place in the file that suggested it. */
#ifndef PDE_COMPILER_VARIANTS_FIND_H
#define PDE_COMPILER_VARIANTS_FIND_H

#include "ir/problem.h"
#include "terms/process.h"

typedef enum FindKind {
    FIND_INPUT,     /* x or t, standardised */
    FIND_REDUCTION, /* a number */
    FIND_PRODUCT,   /* a vector */
    FIND_LAW,       /* where points are drawn */
    FIND_UNKNOWN,   /* a trial function, or log coordinates */
    FIND_CONDITION, /* exact or as a loss */
} FindKind;

typedef struct Find {
    FindKind kind;
    const char *text;   /* in the language */
    const char *reason; /* a few words */
    Span where;
} Find;

typedef struct Finds {
    VEC(Find) at;
} Finds;

void find_add(Compilation *c, Finds *finds, FindKind kind, const char *text, const char *reason,
              Span where);
/* "reason (at 12:3)" */
const char *find_because(Compilation *c, const Find *find);

/* A name for an index, which nothing in the file has: 'i' if possible. */
const char *find_index_name(Compilation *c);

/* The law of one coordinate of the points a network is trained on: a number each, for an entry `index`. */
typedef struct Spread {
    Ref mean, deviation; /* in dims, params and the index; 0: not known */
    Ref index;
    bool logarithmic; /* of log(x) */
    Span where;
} Spread;

/* By the domain or by the file's law for `x` at the middle of the time. */
bool spread_of_file(Compilation *c, Spread *out);
/* Rule 1: x and the time standardised; log(x) where the law is that of logarithms. */
void find_inputs(Compilation *c, const Spread *spread, Finds *finds);

#endif
