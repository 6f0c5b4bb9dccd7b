/* verdict.h: whether a run found more than a predictor that needs no training, in one sentence.
 *
 * With an exact solution its errors are compared with those of zero and of a fitted constant. Without
 * one, the loss on points that training never saw is: equations and conditions of the trained network
 * against those of the best constant output. Most of what can go wrong in silence ends here as
 * "about as good as" or "worse than". */
#ifndef PDE_RUNTIME_MEASURE_VERDICT_H
#define PDE_RUNTIME_MEASURE_VERDICT_H

#include "measure/evaluate.h"
#include "measure/quotient.h"

typedef enum VerdictKind {
    VERDICT_BETTER,
    VERDICT_ALIKE,
    VERDICT_WORSE,
    VERDICT_AGREES, /* the other solves the problem, and the run found the same */
    VERDICT_UNKNOWN
} VerdictKind;

typedef struct Verdict {
    VerdictKind kind;
    const char *what, *name; /* what run and trivial are, and of whom the second is */
    double run, trivial;     /* of the trained network; of the best of the others */
    double apart;            /* AGREES: how far the run is from the other, relative to it */
    double taylor;           /* error of the first-order Taylor expansion; NaN: unknown */
    double norm,
        norm_error;    /* reached, in parts of what `normalise` states; NaN: it asks for none */
    Quotient quotient; /* of an eigenproblem */
    int tasks;         /* losses: their parts, with the condition's number; else 0 */
    char task[PLAN_TASKS_MAX][PLAN_NAME_MAX];
    double run_part[PLAN_TASKS_MAX], trivial_part[PLAN_TASKS_MAX];
} Verdict;

/* all, trivial: what evaluation_errors and evaluation_trivials found; NaN: no exact solution. Points and
 * index sets in the session's memory are replaced; parameters and unknowns are as before. */
void verdict_make(Session *session, const ErrorNorms *all, const ErrorNorms trivial[TRIVIALS],
                  Verdict *verdict);

/* Of an eigenvalue that is a Rayleigh quotient: beside that of the network as it began, by the distance
 * to the reference; where there is none (NaN), the smaller one is nearer. */
void verdict_of_eigenvalue(double lambda, double began, double reference, Verdict *verdict);

/* The sentence, without a line end. */
void verdict_print(const Verdict *verdict, Buffer *out);

#endif
