/* open_named.h: what the word on pderun's command line names: a problem, a module, or the directory of a run. */
#ifndef PDE_RUNTIME_OPEN_NAMED_H
#define PDE_RUNTIME_OPEN_NAMED_H

#include "files/modfile.h"
#include "options/config.h"

/* A directory is taken apart: its module and, for --predict and --resume, the directory itself become what the
 * options name. Where only --model or --error name one, that is taken. *shown: nothing was asked of the run, so what it
 * is has been printed, and there is no more to do. */
Status named_run(Config *config, bool *shown, Error *error);
/* The module, or the problem compiled to one; the compiler's messages are printed. */
Status named_open(const Config *config, ModuleFile *module, Error *error);

#endif
