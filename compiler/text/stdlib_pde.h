/* stdlib_pde.h: the files of stdlib/, embedded by CMake (generated stdlib_pde.c). */
#ifndef PDE_COMPILER_TEXT_STDLIB_PDE_H
#define PDE_COMPILER_TEXT_STDLIB_PDE_H

#include <stddef.h>

typedef struct StdlibFile {
    const char *name, *text;
    size_t n;
} StdlibFile;

extern const StdlibFile stdlib_pde[];
extern const size_t stdlib_pde_count;

#endif
