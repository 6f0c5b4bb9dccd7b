/* nvrtc.c: passes every call on to the real NVRTC, but lets the N-th fail. PDE_SOFT_NVRTC names the
 * library (libnvrtc.so.13 if not set), PDE_SOFT_NVRTC_FAIL is N. */
#include "tests/cuda/machine/soft_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_OF_MEMORY = 1, INVALID_INPUT = 3, COMPILATION = 6, INTERNAL = 11 };

static int calls;

static void *real(const char *name) {
    static void *library;
    const char *given = getenv("PDE_SOFT_NVRTC");
    const char *names[] = {given && *given ? given : "libnvrtc.so.13", "libnvrtc.so.12",
                           "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"};
    for (size_t k = 0; !library && k < sizeof names / sizeof names[0]; k++)
        library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

static int fails(const char *name) {
    const char *text = getenv("PDE_SOFT_NVRTC_FAIL");
    int at = text ? (int)strtol(text, NULL, 10) : 0;
    if (++calls != at)
        return 0;
    fprintf(stderr, "soft-nvrtc: call %d, %s, fails as asked\n", calls, name);
    return 1;
}

SOFT_API int pdeSoftNvrtcCalls(void) {
    return calls;
}

/* PASS(name, status when failing, arguments in parentheses, their names) */
#define PASS(name, status, parameters, arguments)                                                  \
    SOFT_API int name parameters {                                                                 \
        int(*function) parameters;                                                                 \
        void *at = real(#name);                                                                    \
        memcpy(&function, &at, sizeof at);                                                         \
        if (fails(#name))                                                                          \
            return status;                                                                         \
        return at ? function arguments : INTERNAL;                                                 \
    }
PASS(nvrtcVersion, INTERNAL, (int *major, int *minor), (major, minor))
PASS(nvrtcGetNumSupportedArchs, INTERNAL, (int *n), (n))
PASS(nvrtcGetSupportedArchs, INTERNAL, (int *archs), (archs))
PASS(nvrtcCreateProgram, OUT_OF_MEMORY,
     (void **program, const char *source, const char *name, int headers, const char *const *texts,
      const char *const *names),
     (program, source, name, headers, texts, names))
PASS(nvrtcCompileProgram, COMPILATION, (void *program, int count, const char *const *options),
     (program, count, options))
PASS(nvrtcGetPTXSize, INTERNAL, (void *program, size_t *size), (program, size))
PASS(nvrtcGetPTX, INTERNAL, (void *program, char *text), (program, text))
PASS(nvrtcGetCUBINSize, INTERNAL, (void *program, size_t *size), (program, size))
PASS(nvrtcGetCUBIN, INTERNAL, (void *program, char *bytes), (program, bytes))
PASS(nvrtcGetProgramLogSize, INTERNAL, (void *program, size_t *size), (program, size))
PASS(nvrtcGetProgramLog, INTERNAL, (void *program, char *text), (program, text))
PASS(nvrtcAddNameExpression, OUT_OF_MEMORY, (void *program, const char *name), (program, name))
PASS(nvrtcGetLoweredName, INTERNAL, (void *program, const char *name, const char **lowered),
     (program, name, lowered))

/* What is to be given back is given back even if the call fails. */
SOFT_API int nvrtcDestroyProgram(void **program) {
    int (*function)(void **);
    void *at = real("nvrtcDestroyProgram");
    memcpy(&function, &at, sizeof at);
    int failed = fails("nvrtcDestroyProgram"), status = at ? function(program) : INTERNAL;
    return failed ? INTERNAL : status;
}

SOFT_API const char *nvrtcGetErrorString(int status) {
    const char *(*function)(int);
    void *at = real("nvrtcGetErrorString");
    memcpy(&function, &at, sizeof at);
    return at ? function(status) : "NVRTC_ERROR_UNKNOWN";
}
