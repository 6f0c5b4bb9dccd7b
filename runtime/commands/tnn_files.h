/* tnn_files.h: what a run with a tensor network keeps on disk. */
#ifndef PDE_RUNTIME_COMMANDS_TNN_FILES_H
#define PDE_RUNTIME_COMMANDS_TNN_FILES_H

#include "tensor/tnn_module.h"
#include "train/run_directory.h"

/* A checkpoint of run->state and the network. */
Status tnn_save(Run *run, const TnnModule *m, const Config *config, bool best, Error *error);
/* The state of a checkpoint; STATUS_CHECKPOINT_MISMATCH if it is of another network. */
Status tnn_load(Run *run, TnnModule *m, const Checkpoint *checkpoint, Error *error);
Status tnn_write_model(const Run *run, const TnnModule *m, double lambda, Error *error);
/* The model of a finished run into a network of the same shape. */
Status tnn_read_model(const char *directory, TnnModule *m, Error *error);
/* Everything that the gradient of one step is made of, after tnn_gradient. */
Status tnn_write_trace(const TnnModule *m, double lambda, const char *path, Error *error);

/* report.html with the marginals of a few dimensions. */
typedef struct TnnOutcome {
    double lambda, dense; /* on the finer rule; of the reference solver (NaN: none) */
    const char *end;      /* "finished", "converged" ... */
    double seconds;
} TnnOutcome;
bool tnn_report(const Run *run, TnnModule *m, const Config *config, const TnnOutcome *outcome);

#endif
