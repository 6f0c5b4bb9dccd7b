/* run_frame.h: what every run has around its training, whatever is trained: directory and lock, the
 * checkpoint it goes on from, signals, progress, and what is said at the end. */
#ifndef PDE_RUNTIME_TRAIN_RUN_FRAME_H
#define PDE_RUNTIME_TRAIN_RUN_FRAME_H

#include "files/modfile.h"
#include "measure/verdict.h"
#include "train/train.h"

/* Trains; takes the module over. checkpoint: where to go on from, NULL for a new run; it is large,
 * and to be freed (checkpoint_free) as soon as its state has been taken. */
typedef Status FrameBody(ModuleFile *module, Config *config, Run *run, Checkpoint *checkpoint,
                         Error *error);

Status frame_run(ModuleFile *module, Config *config, FrameBody *body, Error *error);
/* Who has a run made in place of a person at a terminal: no signal is caught, and progress and warnings go to the
 * hooks. */
typedef struct FrameHost {
    TrainHooks hooks;
    char directory[RUN_DIRECTORY_MAX]; /* that the run has taken; "": none yet */
} FrameHost;
/* Of the runs of this thread from now on; NULL: a terminal. */
void frame_host(FrameHost *host);
/* Says what the choice of a device had to say, if anything, and frees it. */
void frame_note(Buffer *note);

typedef struct Screen {
    Progress progress;
    bool quiet;
} Screen;

Screen frame_screen(const Config *config);
/* Progress and warnings on that screen; signals. */
TrainHooks frame_hooks(Screen *screen);

/* The line that says whether the run was worth its training. */
void frame_verdict(const Verdict *verdict);

/* The last lines: how the run ended, its files, how to go on. STATUS_INTERRUPTED where a signal
 * ended it. */
Status frame_end(const Run *run, const Config *config, const TrainResult *result, bool has_report,
                 Error *error);

#endif
