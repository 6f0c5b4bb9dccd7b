/* pderun.h: the program's actions; each prints its result and returns a status. */
#ifndef PDE_RUNTIME_COMMANDS_PDERUN_H
#define PDE_RUNTIME_COMMANDS_PDERUN_H

#include "files/modfile.h"
#include "options/config.h"

/* The variant that the options or an earlier run name, and the module's own settings: prepare.c. */
Status module_prepare(ModuleFile *module, Config *config, Error *error);
/* --info: what is in the module, without compiling anything. */
Status show_info(const ModuleFile *module, const Config *config, Error *error);
/* --plan: memory, work and expected time of a run with these options. Takes the module over. */
Status show_plan(ModuleFile *module, Config *config, Error *error);
/* --selftest. Takes the module over. */
Status run_selftest(ModuleFile *module, const Config *config, Error *error);
/* --predict. Takes the module over, which was compiled with so many of the expressions in --what. */
Status run_predict(ModuleFile *module, const Config *config, int expressions, Error *error);
/* --export: a trained model for other programs. Takes the module over. arrays: what --emit=arrays prints of it with the
 * numbers of the run, or NULL where --export does not need it. */
Status run_export(ModuleFile *module, const Config *config, const char *arrays, Error *error);
/* --error: how wrong a trained model is. Takes the module over. */
Status run_error(ModuleFile *module, const Config *config, Error *error);
/* --suggest: chooses settings and prints them. */
Status run_suggest(ModuleFile *module, const Config *config, Error *error);
/* No action: trains. Takes the module over. */
Status run_training(ModuleFile *module, Config *config, Error *error);

#endif
