/* variant.h: the variants of a problem that a module carries: whole modules in its sections .pde.alt0, .pde.alt1,
 * ..., which pdec wrote with other features, laws or trial functions. Each is read like a file, with all bounds
 * and digests checked again. */
#ifndef PDE_RUNTIME_LOAD_VARIANT_H
#define PDE_RUNTIME_LOAD_VARIANT_H

#include "files/modfile.h"
#include "load/plan_read.h"

/* The name of the problem as the file states it. */
#define VARIANT_WRITTEN "written"

int variant_count(const ModuleFile *module);
/* The plan of a module; release with module_plan_close, which takes NULL, too. */
Status module_plan(const ModuleFile *module, Plan **plan, Error *error);
void module_plan_close(Plan *plan);
/* Variant k as a module of its own: a copy, to be released with module_free. path: shown in messages. */
Status variant_open(const ModuleFile *module, const char *path, int k, ModuleFile *variant,
                    Error *error);
/* Puts the variant of this name in the place of the module; "written" (or its own name) leaves it. */
Status variant_select(ModuleFile *module, const char *path, const char *name, Error *error);

#endif
