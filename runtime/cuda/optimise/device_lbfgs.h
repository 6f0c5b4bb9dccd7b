/* device_lbfgs.h: the step of runtime/step/lbfgs.c on a device, with its history and all vectors, in double.
 *
 * A turn is one evaluation of the gradient, with what comes before and after it: where an iteration
 * begins its direction; the point to try; whether it is taken, or another is tried in the next
 * turn. All of that the device decides. The host queues a turn for each iteration and reads
 * nothing; when it waits it learns how many iterations are not over, and queues as many turns. */
#ifndef PDE_RUNTIME_CUDA_OPTIMISE_DEVICE_LBFGS_H
#define PDE_RUNTIME_CUDA_OPTIMISE_DEVICE_LBFGS_H

#include "cuda/step/device_session.h"

/* After the tasks, before the scratch of a tile. */
Status cuda_lbfgs_open(CudaSession *session, Error *error);
void cuda_lbfgs_close(CudaLbfgs *lbfgs); /* NULL is nothing */
/* The calls of one turn. */
void cuda_lbfgs_calls(CudaSession *session);
/* Queues an iteration and a turn. */
void cuda_lbfgs_step(CudaSession *session, uint32_t step);
/* Waits until all queued iterations are over, or one was refused. */
void cuda_lbfgs_settle(CudaSession *session);
/* The host's history to the device, and the points, which stay. */
void cuda_lbfgs_push(CudaSession *session);
/* After settling: the number of evaluations; into *now the loss where it stands, and which step was
 * refused, if one was. */
void cuda_lbfgs_pull(CudaSession *session, DevState *now);
void cuda_lbfgs_pull_history(CudaSession *session);

#endif
