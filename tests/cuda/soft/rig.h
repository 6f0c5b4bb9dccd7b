/* rig.h: what the tests of the device use: the driver stand-in and NVRTC, both opened by name. */
#ifndef SOFT_RIG_H
#define SOFT_RIG_H

#include "tests/cuda/machine/soft_cuda.h"

typedef uint64_t DevicePointer;

/* The driver's functions by their exported names. */
#define RIG_DRIVER(X)                                                                              \
    X(cuInit, (unsigned))                                                                          \
    X(cuDeviceGet, (int *, int))                                                                   \
    X(cuDevicePrimaryCtxRetain, (void **, int))                                                    \
    X(cuDevicePrimaryCtxRelease_v2, (int))                                                         \
    X(cuCtxSetCurrent, (void *))                                                                   \
    X(cuCtxSynchronize, (void))                                                                    \
    X(cuModuleLoadDataEx, (void **, const void *, unsigned, int *, void **))                       \
    X(cuModuleUnload, (void *))                                                                    \
    X(cuModuleGetFunction, (void **, void *, const char *))                                        \
    X(cuModuleGetGlobal_v2, (DevicePointer *, size_t *, void *, const char *))                     \
    X(cuMemAlloc_v2, (DevicePointer *, size_t))                                                    \
    X(cuMemFree_v2, (DevicePointer))                                                               \
    X(cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                                      \
    X(cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                                            \
    X(cuMemcpyDtoD_v2, (DevicePointer, DevicePointer, size_t))                                     \
    X(cuMemsetD8_v2, (DevicePointer, unsigned char, size_t))                                       \
    X(cuMemsetD32Async, (DevicePointer, unsigned, size_t, void *))                                 \
    X(cuStreamCreate, (void **, unsigned))                                                         \
    X(cuStreamDestroy_v2, (void *))                                                                \
    X(cuStreamBeginCapture_v2, (void *, int))                                                      \
    X(cuStreamEndCapture, (void *, void **))                                                       \
    X(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long))                          \
    X(cuGraphLaunch, (void *, void *))                                                             \
    X(cuGraphDestroy, (void *))                                                                    \
    X(cuGraphExecDestroy, (void *))                                                                \
    X(cuGetErrorName, (int, const char **))                                                        \
    X(cuGetProcAddress_v2, (const char *, void **, int, uint64_t, int *))                          \
    X(cuFuncSetAttribute, (void *, int, int))                                                      \
    X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,         \
                       unsigned, void *, void **, void **))

#define X(name, arguments) extern int(*name) arguments;
RIG_DRIVER(X)
#undef X
extern void (*rig_counters)(SoftCounters *, size_t);
extern void (*rig_reset)(void);
extern int (*rig_order)(const char *);

int rig_open_driver(void);
int rig_open(void);  /* and NVRTC; 0 if that is missing: then the tests are skipped */
int rig_start(void); /* a context */
void rig_stop(void);
/* A module from CUDA source (with options, NULL-terminated) or PTX; NULL after printing why. */
void *rig_compile(const char *source, const char *const *options);
char *rig_ptx(const char *source, const char *const *options);
void *rig_function(void *module, const char *name);
/* Launches one-dimensional grids; parameters are pointers to the values. */
int rig_launch(void *function, unsigned blocks, unsigned threads, unsigned shared, ...);
uint64_t rig_found(SoftFinding kind); /* since the last reset */
uint64_t rig_found_all(void);

#define SKIPPED 77

/* main of a program whose tests need a context: one suite of greatest. */
#define RIG_MAIN(suite)                                                                            \
    GREATEST_MAIN_DEFS();                                                                          \
    int main(int argc, char **argv) {                                                              \
        if (!rig_open())                                                                           \
            return SKIPPED;                                                                        \
        if (!rig_start())                                                                          \
            return 1;                                                                              \
        GREATEST_MAIN_BEGIN();                                                                     \
        RUN_SUITE(suite);                                                                          \
        rig_stop();                                                                                \
        GREATEST_MAIN_END();                                                                       \
    }

#endif
