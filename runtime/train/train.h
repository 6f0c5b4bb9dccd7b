/* train.h: the training loop. It allocates nothing inside a step and prints nothing: what a person
 * sees goes through TrainHooks. */
#ifndef PDE_RUNTIME_TRAIN_TRAIN_H
#define PDE_RUNTIME_TRAIN_TRAIN_H

#include "report/progress.h"
#include "train/run_directory.h"
#include "train/stepper.h"

#include <signal.h>

typedef struct TrainHooks {
    void *context;
    void (*progress)(void *context, const ProgressState *state, bool last);
    void (*warn)(void *context, const char *text);
    const volatile sig_atomic_t *interrupt; /* set to non-zero to stop after the step */
} TrainHooks;

/* TRAIN_ENDS(ROW): ROW(name, "how the final line says it") */
#define TRAIN_ENDS(ROW)                                                                            \
    ROW(finished, "finished")                                                                      \
    ROW(interrupted, "interrupted")                                                                \
    ROW(time_limit, "stopped at the time limit")                                                   \
    ROW(below, "stopped: the error is small enough")                                               \
    ROW(patience, "stopped: no improvement any more")                                              \
    ROW(converged, "converged")

typedef enum TrainEnd {
#define ROW(name, text) TRAIN_##name,
    TRAIN_ENDS(ROW)
#undef ROW
} TrainEnd;

typedef struct TrainResult {
    TrainEnd end;
    int64_t iterations;      /* done in all */
    double loss, error;      /* last logged */
    double seconds;          /* of training in all */
    double ms_per_iteration; /* of this process, steps only */
} TrainResult;

const char *train_end_text(TrainEnd end);

/* Trains from run->state.iteration on, whatever is trained and wherever. Checkpoints and log rows that cannot
 * be written are warned about and tried again later; only the last one decides the status. */
Status train(Trainee *trainee, Run *run, const Config *config, const TrainHooks *hooks,
             TrainResult *result, Error *error);

#endif
