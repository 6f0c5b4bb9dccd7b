/* edge.h: data of conditions that are met exactly, at their own place, and where two places meet. */
#ifndef PDE_COMPILER_LOWER_EDGE_H
#define PDE_COMPILER_LOWER_EDGE_H

#include "ir/problem.h"

/* e at the end of time that belongs to the condition (COND_INITIAL or COND_TERMINAL). */
Ref edge_at_time(Compilation *c, const Problem *p, AstOp where, Ref e);

/* Boundary data as they enter the trial function of a field: free of the exact solution in the interior.
 * 0 after a message (E0582). */
Ref edge_boundary_data(Compilation *c, const Problem *p, const ConditionRow *row, uint32_t field,
                       Ref data);

/* Is `gap`, data at an end of time minus those of the boundary, 0 where both hold? Otherwise a message (E0581)
 * shows what remains. */
bool edge_agree(Compilation *c, const Problem *p, const ConditionRow *time,
                const ConditionRow *boundary, Ref gap);

/* Is exact(u) written there? */
bool edge_calls_exact(Compilation *c, const Ast *e);

/* An ansatz that calls, or is the exact solution wherever the network is 0 (E0582). */
void edge_check_ansatz(Compilation *c, const Problem *p, const Field *f);

#endif
