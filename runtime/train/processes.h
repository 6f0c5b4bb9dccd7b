/* processes.h: a run of several processes: how they come together, what they must have in common. */
#ifndef PDE_RUNTIME_TRAIN_PROCESSES_H
#define PDE_RUNTIME_TRAIN_PROCESSES_H

#include "files/modfile.h"
#include "options/config.h"

/* Where a launcher started this process as one of several: they are connected, config->ranks is set, and all but the
 * first fall silent. The threads of a rank are its share of the machine's. */
Status processes_join(Config *config, Error *error);
/* Have all the same module, options, version and kind of processor? */
Status processes_compare(const ModuleFile *module, const Config *config, Error *error);
/* --build-mpi */
Status processes_build(Error *error);

#endif
