/* scales.h: the sizes by which a problem is divided before training.
 *
 * u = A s N + C with s the RMS of the best constant-plus-linear N on a pilot batch, so that the
 * network works at size 1; every task's residual is divided by its size for functions of that size
 * that vary once across the pilot points. With few inputs a pilot of waves (wave_pilot.h) corrects s,
 * and training checks it (train/recheck.h). */
#ifndef PDE_RUNTIME_MEASURE_SCALES_SCALES_H
#define PDE_RUNTIME_MEASURE_SCALES_SCALES_H

#include "step/session.h"

/* Sets output_scale (unless the settings give one) and the tasks' residual scales. Draws a pilot
 * batch; parameters stay as they are. */
Status scales_choose(Session *session, Error *error);
/* The tasks' residual scales for the output_scale that is there. */
Status scales_follow(Session *session, Error *error);

#endif
