/* evaluate.h: errors against the exact solution on fixed test points, and what trivial predictors
 * reach on the same points, without which a relative error means little.
 *
 * Test points are drawn by counter, batch by batch into the training batch's memory, and never
 * kept. Exact values are computed in double. */
#ifndef PDE_RUNTIME_MEASURE_EVALUATE_H
#define PDE_RUNTIME_MEASURE_EVALUATE_H

#include "step/session.h"

typedef struct ErrorNorms {
    double l2, l1, max; /* relative; NaN: unknown */
    bool absolute;      /* instead: the exact solution is 0 at all test points */
} ErrorNorms;

/* owner of everything but session; release with evaluation_close. */
typedef struct Evaluation {
    Session *session;
    int fields;
    int64_t points; /* test points; 0 without exact solution */
    Points draw;
    PdeBatch *batch;
    void *value;   /* real[B][fields]: the fields on the batch at hand */
    double *exact; /* [points][fields] */
    double *work;  /* per worker: x, aux and scalars of a group in double */
    int64_t work_size;
    double known[PLAN_REFERENCES_MAX][2]; /* reference.c: values and their standard errors */
    bool references_known;
    double *predictor; /* [points][fields], while trivial predictors are made */
} Evaluation;

Status evaluation_open(Session *session, Evaluation *evaluation, Error *error);
void evaluation_close(Evaluation *evaluation);

/* Fields of the network on the points in session->task[0]'s memory: into evaluation->value. */
void evaluation_fields(Evaluation *evaluation);

/* The network's own target (u - C) / A at PDE_LANES points given in double (x[n_in][PDE_LANES]),
 * per field; the trial u = A N + C. Where the trial is not of that form, u itself, and false. */
bool evaluation_target(const Evaluation *evaluation, int worker, const double *x,
                       double target[][PDE_LANES]);

/* Errors of the network, per field and (in `all`, the largest of them) for all. */
ErrorNorms evaluation_errors(Evaluation *evaluation, ErrorNorms *field);

/* The same as one number, from the sum of squared differences of each field. */
double evaluation_l2(const Evaluation *evaluation, const double *square);

/* TRIVIAL(name, "what a table shows") */
#define EVALUATION_TRIVIALS(TRIVIAL)                                                               \
    TRIVIAL(zero, "zero")                                                                          \
    TRIVIAL(constant, "fitted constant")                                                           \
    TRIVIAL(taylor, "first-order Taylor")

typedef enum Trivial {
#define TRIVIAL(name, text) TRIVIAL_##name,
    EVALUATION_TRIVIALS(TRIVIAL)
#undef TRIVIAL
        TRIVIALS
} Trivial;

const char *trivial_text(Trivial trivial);
/* Errors of the trivial predictors, the largest over the fields; NaN where one does not exist. */
void evaluation_trivials(Evaluation *evaluation, ErrorNorms error[TRIVIALS]);

#endif
