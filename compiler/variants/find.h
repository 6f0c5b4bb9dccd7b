/* find.h: what was found in the known data of a problem: each with its text in
 * the language, the reason, and the place in the file that suggested it. A rule
 * each: inputs.c, law.c, reductions.c, products.c, unknown.c. */
#ifndef PDE_COMPILER_VARIANTS_FIND_H
#define PDE_COMPILER_VARIANTS_FIND_H

#include "ir/problem.h"
#include "terms/process.h"

typedef enum FindKind {
    FIND_INPUT,     /* x or t, standardised */
    FIND_REDUCTION, /* a number that known data consist of */
    FIND_PRODUCT,   /* a vector of what a sum shows to interact */
    FIND_LAW,       /* where points are drawn */
    FIND_UNKNOWN    /* a trial function */
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
/* "text: reason (at 12:3)" */
const char *find_because(Compilation *c, const Find *find);
/* A name that nothing in the file has: the first of these, or the first with a
 * number. */
const char *find_free_name(Compilation *c, const char *wanted);

/* An auxiliary random number of a law. */
typedef struct Chance {
    const char *name;
    bool normal; /* of the standard normal law; else uniform in (0, 1) */
} Chance;

enum { SPREAD_CHANCES = 4 };

/* The law of one coordinate of the points that a network is trained on. mean
 * and deviation are those at the middle of the time; law_mean and law_deviation
 * are the law itself, in the time and the chances. */
typedef struct Spread {
    bool known;
    Ref index; /* the coordinate's, free in what follows */
    Ref mean, deviation, law_mean, law_deviation;
    bool logarithmic; /* mean and deviation are of log(x) */
    bool radial;      /* of a round domain: every radius is as likely */
    bool positive;    /* x > 0, with all the certainty that sampling gives */
    uint32_t chances;
    Chance chance[SPREAD_CHANCES];
    Span where;
} Spread;

/* Are the radii of the points uniform, by `sample x ~ radial(uniform)`, and not the points in the volume? */
bool radius_is_uniform(const Compilation *c);
/* By the domain, or by the file's law for x; of several coordinate vectors nothing is known as of one. */
Spread spread_of_file(Compilation *c);
/* By the domain; radial: with uniform radii in a round one. */
Spread spread_of_domain(Compilation *c, bool radial);
/* Where a reference or a report asks for values: all coordinates of it. NULL: nowhere. */
const PlaceRow *asked_place(const Problem *p);
/* mean and deviation from law_mean and law_deviation. */
void spread_settle(Compilation *c, Spread *s);
/* A law that is not the file's: its statement for x, and those for its chances,
 * one a line. */
const char *spread_statements(Compilation *c, const Spread *s, bool keep_test);

/* Rule: every coordinate vector and the time standardised, log(x) where the law is that of
 * logarithms. */
void find_inputs(Compilation *c, const Spread *spread, Finds *finds);
/* The coordinate `shift` after the index, standardised: (x_{i+1} - m) / s. */
Ref input_entry_of(Compilation *c, const Spread *spread, int64_t shift);
/* Rule: the law of the equation's own process, started where answers are asked.
 * False: none, or the file's law is one already. */
bool find_law(Compilation *c, const Spread *file, Spread *out, Finds *finds);
/* Rule: radii as likely as each other where answers are asked at the centre of a ball, near which a uniform law has no
 * points. NULL, or the statements. */
const char *find_radial(Compilation *c, Spread *out, Finds *finds);
/* Rule: log(x) in place of x where the diffusion is lognormal. Changes what
 * `spread` says. */
void find_logarithm(Compilation *c, Spread *spread);
/* Rule: numbers that the known data consist of. */
void find_reductions(Compilation *c, const Spread *spread, Finds *finds);
/* Rule: products of the coordinates that stand together under a sum. */
void find_products(Compilation *c, const Spread *spread, Finds *finds);
/* Rule: an exponential of the network for a density. NULL, or the statement,
 * which meets its condition. */
const char *find_ansatz(Compilation *c, Finds *finds, const Ast **condition);

/* Has the expression a kink or a jump? */
bool has_kink(const Ir *ir, Ref e);
/* One process for all rules: drift and diffusion by unit of time, the network's
 * part left out. */
typedef struct Diffusion {
    bool known;
    bool forward; /* paths run with the time, from answers to terminal data */
    Ref index, drift, diagonal;
    uint32_t ranks;
    Ref vector[PROCESS_RANKS], strength[PROCESS_RANKS];
    Span where;
} Diffusion;
Diffusion diffusion_of(Compilation *c);
/* e / x_k^power without x in it; 0 if x remains. */
Ref without_coordinate(Compilation *c, Ref e, Ref index, int power);

#endif
