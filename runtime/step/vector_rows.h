/* vector_rows.h: rows of a condition on vectors for natural gradient.
 *
 * The kernels of such a condition give Q, a mean of squares. With one entry in the set Q is the square
 * of that entry's residual: its root, and dQ / (2 root), are a row and its Jacobian up to a sign that
 * both have in common, which no Gauss-Newton step sees. So the kernel is called once for each sampled
 * entry. Where entries are not had one by one (each has a sum over derivatives), a point has one row,
 * the root of its Q: the part of its rows along their residual. */
#ifndef PDE_RUNTIME_STEP_VECTOR_ROWS_H
#define PDE_RUNTIME_STEP_VECTOR_ROWS_H

#include "step/session.h"

/* owner of both */
struct Entries {
    Route route;
    void *seed_unknown; /* real[B][rows][n_unknowns], or NULL */
};

/* *entries must be freed after a failure too. */
Status entries_open(Task *task, Entries **entries, Error *error);
void entries_close(Entries *entries);
/* Rows that a point of a task will have, `size` entries in all. K is dense: --terms, but few. */
int64_t entries_planned(const Settings *settings, const PlanTask *plan, int64_t size);
/* Rows of each point; the loss of a point is the mean of their squares. */
int entries_count(const Entries *entries);
PdeTaskSpec entries_spec(Entries *entries);

#endif
