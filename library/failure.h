/* failure.h: what the functions of pde.h have in common. */
#ifndef PDE_LIBRARY_FAILURE_H
#define PDE_LIBRARY_FAILURE_H

#include "library/pde.h"
#include "runtime/files/buffer.h"
#include "runtime/files/modfile.h"
#include "runtime/options/config.h"

/* diagnostics may be NULL. Never NULL, even without memory. */
PdeFailure *failure_make(const Error *error, const Buffer *diagnostics);

struct PdeProblem {
    char *name;
    Buffer text, diagnostics;
    ModuleFile module;
};

/* A copy that may be taken over. */
Status module_copy(const ModuleFile *module, const char *path, ModuleFile *copy, Error *error);

/* Takes the text of the report over. */
Status run_load(const char *directory, Buffer *report, PdeRun **run, Error *error);

#endif
