/* arrays.h: how the solution of a run is computed from its network, for --export. */
#ifndef PDE_LIBRARY_ARRAYS_H
#define PDE_LIBRARY_ARRAYS_H

#include "runtime/files/modfile.h"
#include "runtime/options/config.h"

/* Compiles the module's own text once more, with the dims and params of the run that --model names, and appends what
 * --emit=arrays prints. */
Status arrays_of_module(const ModuleFile *module, const Config *config, Buffer *arrays,
                        Error *error);

#endif
