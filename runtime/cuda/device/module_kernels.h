/* module_kernels.h: the generated kernels of a module and those of the engine, on a device.
 *
 * Where NVRTC can be opened the module's source is compiled for the device with its sizes and
 * parameters as constants; else PTX that pdec put into the module is taken, and they are set as
 * variables. */
#ifndef PDE_RUNTIME_CUDA_DEVICE_MODULE_KERNELS_H
#define PDE_RUNTIME_CUDA_DEVICE_MODULE_KERNELS_H

#include "cuda/device/api.h"
#include "files/modfile.h"
#include "load/jit.h"

typedef struct CudaKernelSpec {
    const ModuleFile *module;    /* its digests have been verified */
    const JitConstant *constant; /* values of dims and params */
    size_t constants;
    bool is_double;
    int arch; /* of the device: 80 */
    bool fast_math;
    const char *cache;      /* directory, or NULL */
    const char *activation; /* of the network, for the engine: its name and number */
    int activation_number;
} CudaKernelSpec;

/* In the current context. owner: the caller, by cuModuleUnload. Kernels are called pde_NAME_launch.
 */
Status cuda_kernels_load(CudaApi *api, const CudaKernelSpec *spec, CudaModule *out, Error *error);

/* The same for the engine's kernels, pde_engine_NAME. */
Status cuda_engine_load(CudaApi *api, const CudaKernelSpec *spec, CudaModule *out, Error *error);

/* Does the module bring PTX, of the problem and of the engine, that a device of this architecture
 * runs? */
enum { CUDA_ANY_ARCH = 999 };
bool cuda_kernels_have_ptx(const ModuleFile *module, bool is_double, int arch);

/* PTX as text to a module of the current context; the driver's complaint becomes the message. */
Status cuda_load_ptx(CudaApi *api, const char *ptx, CudaModule *out, Error *error);

#endif
