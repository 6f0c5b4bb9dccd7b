/* module.h: from a compiled problem to the module file that pderun loads. */
#ifndef PDE_COMPILER_DRIVER_MODULE_H
#define PDE_COMPILER_DRIVER_MODULE_H

#include "driver/ptx.h"
#include "pdec.h"
#include "runtime/files/status.h"

/* Compiles the kernels to bitcode with clang, and to PTX where architectures are given, and writes all
 * parts atomically. `text` is the .pde file, options what it was compiled with: its
 * variants are compiled like it and put beside it. */
Status module_make(const char *path, const PdecResult *result, const PdecOptions *options,
                   const char *text, size_t n, const PtxArchs *archs, Error *error);

#endif
