/* sum_form.h: the one place that says how a sum over derivatives of the network is had in full, or that it is not.
 * The terms (split.c) take their class from it, the plan (plan.c) builds what it says. */
#ifndef PDE_COMPILER_TERMS_SUM_FORM_H
#define PDE_COMPILER_TERMS_SUM_FORM_H

#include "ir/problem.h"

/* The distinct FIELD and NET nodes of an opened expression; sums inside stay closed and are skipped. */
typedef struct Atoms {
    VEC(Ref) at;
} Atoms;
void collect_atoms(Ir *ir, Ref e, Atoms *out);

typedef enum SumForm {
    FORM_NONE,        /* no route gives it in full */
    FORM_ALONG,       /* sum_i a_i d(net, x_i): one derivative along a direction */
    FORM_ALONG_TWO,   /* sum_ij a_i b_j d2(net, x_i, x_j): second derivatives along directions */
    FORM_SLANTED,     /* sum_i a_i d2(net, x_i, s), s a scalar input */
    FORM_TANGENTS,    /* any sums of first derivatives along tangents (ir/tangent.h) */
    FORM_GRAM,        /* sum_i w_i d2(net, x_i), w the same at every point */
    FORM_SQUARES,     /* sum_i w_i d(net, x_i)^2, w the same at every point */
    FORM_GRADIENT,    /* sum_i f(d(net, x_i), x_i, the point), of one output */
    FORM_WRITTEN_OUT, /* none by itself, but written out it is several sums: see `instead` */
    FORM_COUNT
} SumForm;

typedef struct Sum {
    SumForm form;
    uint32_t output;
    Ref index; /* the INDEX in what follows */
    Ref entries
        [2]; /* ALONG, SLANTED: a; ALONG_TWO: a and b; GRAM, SQUARES: w; GRADIENT: f. 0 outside the range */
    uint32_t slot; /* SLANTED: of the scalar input */
    Ref atom;      /* GRADIENT: the NET atom d(net, x_index) in f */
    Ref instead;   /* WRITTEN_OUT */
} Sum;

/* requires: a SUM over NET atoms. Asked again it is the same answer. */
Sum sum_form(Ir *ir, Ref sum);

/* For rewritings that stop at sums. true: e is a sum, or another binder, over NET atoms, of the form *sum (binders
 * that are no sums: FORM_NONE). false: *answer is what such a rewriting answers here, to leave e or to go on below. */
bool sum_at(Ir *ir, Ref e, Ref *answer, Sum *sum);

/* The same everywhere: no coordinate, time or unknown number in it? */
bool sum_point_free(Ir *ir, Ref e);

/* What a whole expression in NET atoms holds: how many sums there are of each form, those written out aside. A largest
 * value, a product and the like over derivatives counts as FORM_NONE. */
typedef struct SumCount {
    uint32_t of[FORM_COUNT];
} SumCount;
SumCount sum_count(Ir *ir, Ref e);

/* sum_i f(i) d(net, x_{i+s}) is sum_j f(j-s) d(net, x_j) over a range moved by s: the s that all derivatives by a
 * coordinate of this index share; 0: none, or they differ. */
Ref sum_common_shift(Ir *ir, Ref index, const Atoms *atoms);

#endif
