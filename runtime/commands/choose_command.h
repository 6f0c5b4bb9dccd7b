/* choose_command.h: a run that chooses its own settings (choose/), as a person sees it. */
#ifndef PDE_RUNTIME_COMMANDS_CHOOSE_COMMAND_H
#define PDE_RUNTIME_COMMANDS_CHOOSE_COMMAND_H

#include "choose/state.h"
#include "files/modfile.h"
#include "measure/verdict.h"
#include "train/run_directory.h"

/* Where training begins. owner of state and json; {0}: as written; release with start_free. */
typedef struct Start {
    bool made;
    State state;
    Buffer json; /* what was chosen, for the run's directory */
} Start;

/* Where the run chooses for itself: what was chosen goes into the configuration, the winner's variant into the
 * place of the module, and all of it is printed. */
Status choose_start(ModuleFile *module, Config *config, Start *start, Error *error);
/* DIR/choice.json, where something was chosen. */
Status start_write(const Start *start, const Run *run, Error *error);
/* A choice that ended worse than a predictor without training is no success. */
Status start_verdict(VerdictKind verdict, Error *error);
void start_free(Start *start);

#endif
