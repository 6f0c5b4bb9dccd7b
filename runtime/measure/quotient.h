/* quotient.h: the eigenvalue once more, from the points where the eigenfunction is large. */
#ifndef PDE_RUNTIME_MEASURE_QUOTIENT_H
#define PDE_RUNTIME_MEASURE_QUOTIENT_H

#include "step/session.h"

typedef struct Quotient {
    const char *name; /* of the eigenvalue; NULL: none, or the density of the points is not known */
    double stated;    /* as it was trained */
    double value, error; /* the mean of local eigenvalues by psi^2, and its standard error */
    double
        tail; /* of the weights psi^2 / p: a share t^(-1 / tail) of them is above t. From 0.7 on the mean is not to be
                    trusted: psi is large where there are hardly any points */
} Quotient;

/* Points and sets of the session are drawn anew; parameters and unknowns are as before. */
void quotient_make(Session *session, Quotient *quotient);

#endif
