/* module.h: from a compiled problem to the module file that pderun loads. */
#ifndef PDE_COMPILER_DRIVER_MODULE_H
#define PDE_COMPILER_DRIVER_MODULE_H

#include "driver/ptx.h"
#include "pdec.h"
#include "runtime/files/status.h"

typedef struct ModuleHow {
    const PtxArchs *archs; /* PTX for these too; NULL: for none */
    const char *cache; /* where bitcode is kept between calls, or NULL (runtime/cache/cache.h) */
    bool *text_only;   /* set where there was no clang: the loader compiles the C text; or NULL */
} ModuleHow;

/* Compiles the kernels to bitcode with clang, and to PTX where architectures are given: the bytes of the
 * module file. `text` is the .pde file, options what it was compiled with: its variants are compiled like it
 * and put beside it. */
Status module_image(const char *soname, const PdecResult *result, const PdecOptions *options,
                    const char *text, size_t n, const ModuleHow *how, Buffer *out, Error *error);
/* The same as a file, written atomically; the soname is the last part of the path. */
Status module_make(const char *path, const PdecResult *result, const PdecOptions *options,
                   const char *text, size_t n, const ModuleHow *how, Error *error);

#endif
