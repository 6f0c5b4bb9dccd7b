/* select.h: whether the steps of a session are taken by a device. */
#ifndef PDE_RUNTIME_CUDA_SESSION_SELECT_H
#define PDE_RUNTIME_CUDA_SESSION_SELECT_H

#include "cuda/device/backend.h"
#include "step/session.h"
#include "train/stepper.h"

/* What --tf32 and --bf16 ask for; both is STATUS_OPTION_CONFLICT. */
Status cuda_factors(const Config *config, Factors *factors, Error *error);
/* What takes the session's steps, as --device says. With `auto`, a device that cannot be used for this run
 * is a sentence in note, and the processor it is; a device that was asked for is an error then. */
Status cuda_select(Session *session, const Config *config, Stepper *stepper, Buffer *note,
                   Error *error);

/* device_stepper.c: takes the device's session over. */
struct CudaSession;
Stepper cuda_stepper(struct CudaSession *session);

#endif
