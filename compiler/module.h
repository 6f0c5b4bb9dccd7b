/* module.h: from a compiled problem to the module file that pderun loads. */
#ifndef PDE_MODULE_H
#define PDE_MODULE_H

#include "pdec.h"
#include "ptx.h"
#include "status.h"

/* Compiles the kernels to bitcode with clang, and to PTX where architectures are given, and writes all
 * parts atomically. `text` is the .pde file. */
Status module_make(const char *path, const PdecResult *result, const char *text, size_t n,
                   const PtxArchs *archs, Error *error);

#endif
