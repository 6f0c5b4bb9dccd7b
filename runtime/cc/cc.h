/* cc.h: C text compiled by a program of this machine, without a shell and without files.
 *
 * clang reads the source from standard input and writes to standard output, so that no file name
 * gets into the bitcode: the same problem gives the same bytes. */
#ifndef PDE_RUNTIME_CC_CC_H
#define PDE_RUNTIME_CC_CC_H

#include "files/buffer.h"

typedef struct CcSpec {
    Bytes source;       /* kernels, C that compiles alone */
    const char *define; /* PDE_FLOAT or PDE_DOUBLE */
    bool slow;          /* they need no speed */
    const char *cache;  /* directory (cache/cache.h) where results are kept, or NULL */
} CcSpec;

/* LLVM bitcode into an empty buffer. STATUS_NO_COMPILER: no clang is at hand. */
Status cc_bitcode(const CcSpec *spec, Buffer *out, Error *error);

#endif
