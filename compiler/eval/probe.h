/* probe.h: a few random points, parameters and network values, for questions about signs and
 * identities that no rewriting decides. Small dimensions, so the cost does not depend on d. */
#ifndef PDE_COMPILER_EVAL_PROBE_H
#define PDE_COMPILER_EVAL_PROBE_H

#include "eval/domain_points.h"

enum { PROBE_POINTS = 12, PROBE_DIMENSION = 5, PROBE_STEPS = 20000 };

typedef struct Probe {
    Compilation *c;
    Values values;
    Regions region;
    EvalInput in;
    double *x, *normal; /* [PROBE_POINTS][d] */
    double t[PROBE_POINTS];
} Probe;

/* Values for e, points inside the domain, a random network. vary: as in Values. False if something
 * in e has no numbers. */
bool probe_open(Compilation *c, Ref e, uint32_t vary, Probe *probe);
/* Moves the points to where a condition holds; on: parts of the boundary, or NULL. False: they are not there in the few
 * dimensions of a probe. */
bool probe_move_to(Probe *probe, AstOp where, const Faces *on);
/* out[PROBE_POINTS]; false if e cannot be evaluated or is not finite somewhere. */
bool probe_eval(Probe *probe, Ref e, double *out);

#endif
