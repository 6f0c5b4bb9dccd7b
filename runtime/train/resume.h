/* resume.h: the options of a run that goes on, beside those that it began with. */
#ifndef PDE_RUNTIME_TRAIN_RESUME_H
#define PDE_RUNTIME_TRAIN_RESUME_H

#include "files/modfile.h"
#include "options/config.h"

/* Takes over the options that a checkpoint has stored (a JSON object). What the command line gives
 * otherwise is refused (STATUS_RESUME_CHANGES) or, where a run may change it (SPAN in option.def), taken
 * and said in notes, a line each; so is what a configuration file gives otherwise, which is not taken.
 * The module has the values of dims and params that were not set. */
Status resume_options(Config *config, Bytes stored, const ModuleFile *module, Buffer *notes,
                      Error *error);

#endif
