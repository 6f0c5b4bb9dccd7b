/* pilot.h: what the two pilots (scales.c, wave_pilot.c) share: the jets of a task at one point, which a pilot
 * sets without a network, what its kernel makes of them, and the system for the coefficients of a trial. */
#ifndef PDE_RUNTIME_MEASURE_SCALES_PILOT_H
#define PDE_RUNTIME_MEASURE_SCALES_PILOT_H

#include "step/session.h"

/* owner: pilot_jets_close, also after a failure. Numbers have the network's type. */
typedef struct PilotJets {
    const Route *route;
    int64_t outputs, directions; /* K */
    void *n, *residual, *seed_n, *d[PDE_MAX_ORDER], *seed_d[PDE_MAX_ORDER];
    void *seed_unknown; /* [residuals][unknowns] */
    double *slope;      /* [functions][K] of the point at hand */
} PilotJets;

/* false: no memory */
bool pilot_jets_open(PilotJets *jets, const Route *route, int64_t outputs, int64_t functions);
void pilot_jets_close(PilotJets *jets);
/* The residuals at a point whose n and d have been set; with seeds, their derivatives by these. */
void pilot_jets_run(const PilotJets *jets, int64_t point, bool seeds, double *residual);

/* owner: pilot_fit_close, also after a failure. matrix[rows][unknowns]: the linearisation at theta. */
typedef struct PilotFit {
    int64_t rows, unknowns;
    double *matrix, *residual, *theta, *step, *work;
} PilotFit;

bool pilot_fit_open(PilotFit *fit, int64_t rows, int64_t unknowns);
void pilot_fit_close(PilotFit *fit);
/* The step that leaves the least squares, with so much of the mean eigenvalue added; false: there is none. */
bool pilot_fit_solve(PilotFit *fit, double ridge);
/* theta += factor * step */
void pilot_fit_move(PilotFit *fit, double factor);

#endif
