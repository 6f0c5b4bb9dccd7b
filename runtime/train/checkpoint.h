/* checkpoint.h: the state of a run on disk.
 *
 * A checkpoint is a safetensors file with three texts in its metadata: "sha256", the digest of all
 * other bytes of the file; "iteration"; and "run", a JSON object that the training loop reads back.
 * Files are DIR/checkpoint-000000001000.safetensors, DIR/best.safetensors and DIR/kept.safetensors. Each is replaced
 * atomically, and old ones are removed only when the new one is on disk. */
#ifndef PDE_RUNTIME_TRAIN_CHECKPOINT_H
#define PDE_RUNTIME_TRAIN_CHECKPOINT_H

#include "files/safetensors.h"

/* owner of file; release with checkpoint_free. */
typedef struct Checkpoint {
    Safetensors file; /* arrays by name: safetensors_find(&c.file, "...") */
    uint64_t iteration;
    const char *run; /* the JSON object given to checkpoint_save */
} Checkpoint;

typedef struct CheckpointOptions {
    int keep;      /* numbered checkpoints to keep, at least 1 */
    bool best;     /* this is the best so far: becomes best.safetensors too */
    bool kept;     /* what the run would fall back to: becomes kept.safetensors too */
    Supply supply; /* of the arrays' elements */
} CheckpointOptions;

enum { CHECKPOINT_PATH_MAX = 4096 };

/* Failing to remove an old checkpoint is not an error. */
Status checkpoint_save(const char *directory, uint64_t iteration, const char *run_json,
                       const Array *array, size_t array_count, CheckpointOptions options,
                       Error *error);

/* STATUS_CHECKPOINT_DAMAGED if any byte of the file is not as it was written. */
Status checkpoint_load(const char *path, Checkpoint *checkpoint, Error *error);

/* Loads the newest intact numbered checkpoint. For each newer one that is damaged a line is
 * appended to notes ("... is damaged, falling back to ..."). STATUS_NO_CHECKPOINT if none is
 * intact. */
Status checkpoint_load_newest(const char *directory, Checkpoint *checkpoint, Buffer *notes,
                              Error *error);
/* Loads best.safetensors, or the newest if there is none or it is damaged (with a note). */
Status checkpoint_load_best(const char *directory, Checkpoint *checkpoint, Buffer *notes,
                            Error *error);
/* Loads kept.safetensors. */
Status checkpoint_load_kept(const char *directory, Checkpoint *checkpoint, Error *error);
bool checkpoint_exists(const char *directory);
Status checkpoint_remove_all(const char *directory, Error *error);
void checkpoint_free(Checkpoint *checkpoint);

#endif
