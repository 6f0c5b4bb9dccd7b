/* trained_model.h: what a finished run has left in its directory. */
#ifndef PDE_RUNTIME_COMMANDS_TRAINED_MODEL_H
#define PDE_RUNTIME_COMMANDS_TRAINED_MODEL_H

#include "options/config.h"
#include "step/session.h"

/* The settings of the run. */
Status model_settings(const Config *config, const char *directory, Config *own, Error *error);
/* The same, and the module's problem in double, as the run that `option` names a directory of had it. */
Status model_problem(ModuleFile *module, const Config *config, Option option, Settings *settings,
                     Problem *problem, Error *error);
/* A session's parameters and scales in double; theta is the caller's, to free. */
Status session_parameters(const Session *session, double **theta,
                          double output_scale[PLAN_FIELDS_MAX], Error *error);
/* Those of a run in a directory. */
Status model_parameters(const Problem *problem, const Settings *settings, const char *directory,
                        double **theta, double output_scale[PLAN_FIELDS_MAX], Error *error);
/* The file that holds them; safetensors_free it. */
Status model_file_read(const char *directory, Safetensors *file, Error *error);
/* Its parameters, scales and unknowns, into a session of those settings in double. */
Status model_read(Session *session, const char *directory, Error *error);

#endif
