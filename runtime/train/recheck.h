/* recheck.h: the automatic scale of the solution against what training finds.
 *
 * A pilot can be wrong. After a few fixed numbers of iterations the size of the network's output is
 * measured: it should be about 1. Where it is far from that, and the network already explains the
 * residuals (a network that has learnt nothing yet is small), the scale becomes what training has
 * found, the residuals' scales follow, and training begins anew from the first parameters. The
 * iterations depend on nothing, and what follows from them is in every checkpoint, so a resumed run
 * does the same. */
#ifndef PDE_RUNTIME_TRAIN_RECHECK_H
#define PDE_RUNTIME_TRAIN_RECHECK_H

#include "step/session.h"

/* Is there something to look at after so many iterations? */
bool recheck_due(const Session *session, int64_t iteration);

/* *said: one line for a person if the scales were chosen again and everything learnt was dropped;
 * otherwise it stays empty and nothing has changed. The parameters are the host's. */
Status recheck_scales(Session *session, int64_t iteration, Buffer *said, Error *error);

#endif
