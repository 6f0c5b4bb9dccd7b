/* run_directory.h: a run on disk: its directory, its log, its checkpoints, and the state that makes a
 * resumed run the same run.
 *
 * DIR/config.json, log.jsonl, module.so, model.safetensors, report.html, checkpoints/. */
#ifndef PDE_RUNTIME_TRAIN_RUN_DIRECTORY_H
#define PDE_RUNTIME_TRAIN_RUN_DIRECTORY_H

#include "files/io.h"
#include "measure/evaluate.h"
#include "options/config.h"
#include "report/log.h"
#include "step/session.h"
#include "train/checkpoint.h"
#include "train/state_image.h"

enum { RUN_PATH_MAX = 4096, RUN_DIRECTORY_MAX = RUN_PATH_MAX - 64 };

/* Everything of a run that is not in the session: stored with every checkpoint. */
typedef struct RunState {
    int64_t iteration;  /* steps done */
    double seconds;     /* of training, resumed parts included */
    double cpu_seconds; /* the same of the processor, in all threads */
    double best;        /* smallest error (or loss) seen at a log row; infinity before */
    int64_t best_iteration;
    double held_best; /* smallest loss on held-out points; infinity before */
    int64_t held_best_iteration;
    double rate_factor; /* below 1 after roll-backs */
    int64_t skipped;    /* steps refused for non-finite values */
} RunState;

/* owner of lock, log and buffer; run_open, then run_close. */
typedef struct Run {
    char directory[RUN_DIRECTORY_MAX], checkpoints[RUN_PATH_MAX];
    IoLock lock;
    Log log;
    RunState state;
    Images images;
    int64_t saved; /* iteration of the newest checkpoint, -1: none */
    bool follows;  /* the run is another process's, which writes all of it; this one reads */
} Run;

/* Path of a file in the run's directory; out holds RUN_PATH_MAX bytes and is returned. */
const char *run_path(const Run *run, const char *name, char *out);

typedef enum RunKind {
    RUN_NEW,      /* refuses a directory that holds checkpoints */
    RUN_REPLACED, /* removes what an earlier run wrote there */
    RUN_RESUMED
} RunKind;

/* Takes the directory (creating and locking it). */
Status run_open(const char *directory, RunKind kind, Run *run, Error *error);
/* The directory that another process of this run has taken. */
void run_follow(const char *directory, Run *run);
void run_close(Run *run);
/* The newest checkpoint's settings become those of the configuration (resume.h). */
Status run_read_checkpoint(const Run *run, const ModuleFile *module, Config *config,
                           Checkpoint *checkpoint, Buffer *notes, Error *error);
/* log.jsonl after the run's iteration, and the events of --tensorboard. */
Status run_open_log(Run *run, const Config *config, Error *error);
/* Memory for checkpoints, and config.json; for a resumed run also the state itself. */
Status run_begin(Run *run, Session *session, const Config *config, const Checkpoint *checkpoint,
                 Error *error);
/* The times and the best row, which the state of every kind of run begins with. */
void run_put_progress(const RunState *state, JsonWriter *json);
/* module.so: what is trained, so that the directory alone is enough to use the model and to go on. */
Status run_write_module(const Run *run, const ModuleFile *module, Error *error);
/* config.json: all settings with their sources. */
Status run_write_config(const Run *run, const Config *config, Error *error);
Status run_save(Run *run, const Session *session, const Config *config, bool best, Error *error);
/* Back to the newest checkpoint on disk. */
Status run_restore(Run *run, Session *session, Error *error);
/* The parameters with the least loss on held-out points, and what belongs to them; the run's own state stays. */
Status run_fall_back(Run *run, Session *session, Error *error);
/* DIR/model.safetensors: the parameters, with what is needed to use them as metadata. */
Status run_write_model(Run *run, const Session *session, Error *error);

#endif
