/* space.h: where a step of natural gradient is solved: among the rows (rows.c), or among
 * the parameters. The step is the same but for rounding.
 *
 * With J of all rows, r their residuals, phi the momentum: p minimises |J p - r|^2 + lambda |p - mu phi|^2.
 * Unknown numbers are columns of J after those of the network. */
#ifndef PDE_RUNTIME_STEP_NATURAL_SPACE_H
#define PDE_RUNTIME_STEP_NATURAL_SPACE_H

#include "step/session.h"

/* What is solved, whatever the space; owner of its arrays. */
typedef struct NaturalProblem {
    Session *session;
    int64_t rows;
    int unknowns;
    int64_t means;      /* sets of rows that count by their mean: norms, constraints */
    int64_t (*mean)[2]; /* the first row of each, and how many */
    double *r;          /* [rows]: residuals */
    double *by_unknown; /* [rows][unknowns]: dr by unknowns in parts of their size; NULL: none */
} NaturalProblem;

typedef struct NaturalSpace {
    /* *self is closed also after a failure. */
    Status (*open)(const NaturalProblem *of, const PdeJacobianPart *part, int parts, void **self,
                   Error *error);
    void (*close)(void *self);
    /* Rows of a step: begin, then each part in order, times its scale. */
    void (*begin)(void *self);
    void (*add)(void *self, int part, const PdeTaskSpec *task);
    /* From the rows and of->r: what solve needs. The mean eigenvalue of J J'. */
    double (*gather)(void *self);
    /* False: not finite, or not positive enough. */
    bool (*solve)(void *self, double momentum, double lambda);
    /* After solve: |p|^2 (of unknowns without what momentum they had), and the loss that the linear model promises for theta - rate p. */
    double (*length)(const void *self);
    double (*promised)(const void *self, double rate);
    /* p - mu phi, as the gradient that pde_update takes; and of one unknown. */
    void (*gradient)(void *self);
    double (*unknown_gradient)(const void *self, int unknown);
    int64_t (*bytes)(const void *self);
} NaturalSpace;

extern const NaturalSpace natural_rows, natural_columns;

/* columns: parameters and unknowns */
bool natural_by_columns(const Settings *settings, double rows, double columns);

#endif
