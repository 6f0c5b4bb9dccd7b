/* jit.h: the kernels of a module as functions of this process.
 *
 * Bitcode is handed to LLVM only by callers that have verified the module's digests: LLVM's reader
 * is not made for damaged input. Sizes and parameters are external constants of the bitcode that
 * get their values here, before `default<O3>` for this processor. Compiled objects are kept on
 * disk; a cache that cannot be read or written is simply not used. */
#ifndef PDE_RUNTIME_LOAD_JIT_H
#define PDE_RUNTIME_LOAD_JIT_H

#include "files/digest.h"

/* A value for `pde_dim_NAME` (integer) or `pde_param_NAME` (number). */
typedef struct JitConstant {
    char name[96];
    bool is_integer;
    int64_t integer;
    double number;
} JitConstant;

typedef struct JitSpec {
    Bytes bitcode; /* empty: there is none */
    Bytes
        source; /* the same as C: compiled where there is no bitcode, or another LLVM's, by a clang of this
                      machine, else by its C compiler */
    const char *define; /* of the source: PDE_FLOAT or PDE_DOUBLE */
    bool slow;          /* it need not be fast */
    Digest module;      /* digest of the module the bitcode came from */
    const JitConstant *constant;
    size_t constants;
    const char *const *wanted; /* functions to keep, if the bitcode has them */
    size_t wanteds;
    const char *cache; /* directory, or NULL */
} JitSpec;

typedef struct Jit Jit;
typedef void JitFunction(void);

Status jit_create(const JitSpec *spec, Jit **jit, Error *error);
void jit_destroy(Jit *jit);
/* NULL if the bitcode has no such function or it was not wanted. */
JitFunction *jit_find(const Jit *jit, const char *name);
bool jit_from_cache(const Jit *jit);
const char *jit_processor(void); /* whose code is made */
const char *jit_llvm_version(void);

#endif
