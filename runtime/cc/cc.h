/* cc.h: C text compiled by a program of this machine, without a shell.
 *
 * The source goes to standard input and bitcode comes from standard output, so that no file name
 * gets into it: the same problem gives the same bytes. */
#ifndef PDE_RUNTIME_CC_CC_H
#define PDE_RUNTIME_CC_CC_H

#include "files/buffer.h"

typedef struct CcSpec {
    Bytes source;       /* kernels, C that compiles alone */
    const char *define; /* PDE_FLOAT or PDE_DOUBLE */
    bool slow;          /* they need no speed */
    const char *cache;  /* directory (cache/cache.h) where results are kept, or NULL */
    bool text;          /* of bitcode: as text that people read */
} CcSpec;

/* LLVM bitcode into an empty buffer. The clang is $PDE_CLANG, or that of this build, or another that PATH has.
 * STATUS_NO_COMPILER: none is at hand. */
Status cc_bitcode(const CcSpec *spec, Buffer *out, Error *error);
/* An object file for this processor, by any C compiler that PATH has. */
Status cc_object(const CcSpec *spec, Buffer *out, Error *error);
/* A shared object from any C source, by a program that takes the words of gcc. */
Status cc_shared(const char *program, Bytes source, Buffer *out, Error *error);

#endif
