/* process.h: the process whose paths carry the error of a trained solution.
 *
 * With e = v - u the error of v and r = R(v), A e = r to first order, where
 *     A e = sum_kl a_kl d_kl e + sum_k b_k d_k e + tau d_t e + c e
 * is R linearised at v. A generates dX = b ds + sigma dW with sigma sigma' = 2 a, and along its paths e is an
 * integral of r and of what the conditions leave (Feynman-Kac). Everything here is in NET atoms and before any
 * division by tau: the runtime divides. Where the field is an exponential of the network, e is the error of its
 * logarithm, which is what is scored. */
#ifndef PDE_COMPILER_TERMS_PROCESS_H
#define PDE_COMPILER_TERMS_PROCESS_H

#include "ir/problem.h"

/* PROCESS(id, "name", "where its paths end") */
#define PROCESS_CLASSES(PROCESS)                                                                   \
    PROCESS(NONE, "none", "nowhere: there is no process")                                          \
    PROCESS(ELLIPTIC, "elliptic", "at the boundary")                                               \
    PROCESS(TERMINAL, "terminal", "at the end of time, or at the boundary before")                 \
    PROCESS(INITIAL, "initial",                                                                    \
            "at the start of time, to which they run back, or at the boundary before")

typedef enum ProcessClass {
#define PROCESS(id, name, where) PROCESS_##id,
    PROCESS_CLASSES(PROCESS)
#undef PROCESS
} ProcessClass;

enum { PROCESS_RANKS = 4 };
#define PROCESS_SHIFT "$s" /* an auxiliary number */

/* What a condition says of the error: beta e + gamma d_n e = its residual. */
typedef struct ProcessEdge {
    uint32_t condition; /* of Problem.condition */
    Ref beta, gamma;    /* in NET atoms; gamma 0: values only */
    bool reflects;      /* gamma is not 0 */
} ProcessEdge;

typedef struct Process {
    ProcessClass class;
    const char *why; /* NONE: the reason */
    Span where;      /* NONE: what in the file is the reason */
    Ref index;       /* the INDEX k of what follows */
    Ref drift;       /* b_k */
    Ref diagonal;    /* of sigma sigma', without what the ranks and the matrix add */
    uint32_t ranks;  /* sigma sigma' has strength v v' besides */
    Ref vector[PROCESS_RANKS], strength[PROCESS_RANKS];
    Ref other; /* the INDEX l of the matrix */
    Ref matrix; /* sigma sigma' has scale_k matrix_kl scale_l besides, the matrix constant; 0: none */
    Ref scale;
    Ref tau, rate;  /* rate: c */
    bool diffuses;  /* sigma is not identically 0 */
    bool logarithm; /* errors are those of the logarithm of the field */
    bool linear;    /* the coefficients do not depend on the solution: A e = r is exact */
    /* Not linear: how c, b_k and the diagonal of sigma sigma' change with the solution's value, and b_k with its
     * slope along x_k. They bound what the linearisation neglects. */
    Ref bend_rate, bend_drift, bend_diagonal, bend_slope;
    /* Not linear: c and b_k where the solution is less or more by PROCESS_SHIFT, a number that the runtime gives. */
    Ref rate_less, rate_more, drift_less;
    double low,
        high; /* the solution lies between, by comparison (principle.h); infinite: not known */
    VEC(ProcessEdge) edge;
    VEC(int64_t)
    asked; /* by the reports: 0 the field, k its derivative by x_k, -1 something else */
} Process;

/* The process of a problem, or the reason why there is none. */
const Process *process_build(Compilation *c);
const char *process_class_name(ProcessClass class);

#endif
