/* lab.h: a problem opened up to its IR, with numbers for everything, for tests of the symbolic
 * core. */
#ifndef PDE_LAB_H
#define PDE_LAB_H

#include "compiler/base/compilation.h"
#include "compiler/eval/domain_points.h"
#include "compiler/pass.h"

/* owner: the test, by lab_close. */
typedef struct Lab {
    Compilation c;
    jmp_buf on_fail;
    Values values;
    Regions region;
} Lab;

/* Compiles a text up to a pass, with d in place of its dimension (0: as stated). False, with the
 * messages printed, if it has errors. */
bool lab_open(Lab *lab, const char *name, const char *text, PassId last, long d);
bool lab_open_example(Lab *lab, const char *name, PassId last, long d);
void lab_close(Lab *lab);

/* An expression in the scope of the problem; 0 if it does not parse. */
Ref lab_expression(Lab *lab, const char *text);
/* Numbers for everything that occurs in e; call before evaluating. */
bool lab_values(Lab *lab, Ref e);
/* At one point. NaN where e cannot be evaluated. */
long double lab_eval(Lab *lab, Ref e, const double *x, double t);
double lab_eval_double(Lab *lab, Ref e, const double *x, double t);

/* A point of the domain with coordinates on a grid of 2^-12, so that steps of 2^-k are exact. */
void lab_dyadic_point(const Lab *lab, uint32_t number, double *x, double *t);

/* Weights of the central stencil -4..4 for derivative 1 or 2, of order 8. */
extern const long double lab_stencil[3][9];

#endif
