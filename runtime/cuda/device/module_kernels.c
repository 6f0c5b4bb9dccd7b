/* module_kernels.c: from a module's source or PTX to kernels that can be launched. */
#include "cuda/device/module_kernels.h"

#include "cuda/device/compile.h"

#include <string.h>

Status cuda_load_ptx(CudaApi *api, const char *ptx, CudaModule *out, Error *error) {
    enum { LOG_SIZE = 1024 };
    char log[LOG_SIZE] = "";
    CudaJitOption option[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
    void *value[] = {log, (void *)(uintptr_t)LOG_SIZE};
    Error reason = {0};
    *out = NULL;
    Status status = CUDA_CALL(api, &reason, DRIVER, cuModuleLoadDataEx, out, ptx, 2, option, value);
    if (status == STATUS_OK)
        return STATUS_OK;
    log[LOG_SIZE - 1] = '\0';
    for (char *c = log; *c; c++)
        *c = *c < 0x20 || *c > 0x7e ? ' ' : *c;
    return error_set(error, status == STATUS_OUT_OF_MEMORY ? status : STATUS_CUDA_COMPILE,
                     "%s%s%.300s", reason.message, log[0] ? ": " : "", log);
}

/* The newest PTX of the module that the device runs. */
static bool find_ptx(const ModuleFile *module, const char *what, bool is_double, int arch,
                     Bytes *out) {
    char name[PDE_SECTION_NAME_SIZE];
    for (int k = arch; k > 0; k--) {
        cuda_ptx_section(what, k, is_double, name);
        if (module_section(module, name, out))
            return true;
    }
    return false;
}

bool cuda_kernels_have_ptx(const ModuleFile *module, bool is_double, int arch) {
    Bytes ptx;
    return find_ptx(module, "ptx", is_double, arch, &ptx) &&
           find_ptx(module, "eng", is_double, arch, &ptx);
}

static Status compile_source(CudaApi *api, const CudaKernelSpec *spec, Buffer *ptx, Error *error) {
    Bytes source;
    Buffer head = {0};
    int arch = 0;
    Status status = module_require(spec->module, ".pde.src", &source, error);
    if (status == STATUS_OK)
        status = cuda_compile_arch(api, spec->arch, &arch, error);
    cuda_define(&head, spec->is_double, false);
    for (size_t k = 0; k < spec->constants; k++)
        if (spec->constant[k].is_integer)
            cuda_define_integer(&head, spec->constant[k].name, spec->constant[k].integer);
        else
            cuda_define_number(&head, spec->constant[k].name, spec->constant[k].number);
    if (status == STATUS_OK)
        status = buffer_status(&head, error);
    if (status == STATUS_OK) {
        const Bytes part[] = {{head.data, head.size}, source};
        const CudaCompileSpec how = {part, 2, arch, spec->fast_math, spec->cache};
        status = cuda_compile(api, &how, ptx, error);
    }
    buffer_free(&head);
    return status;
}

/* A constant that no kernel reads may have been left out by the compiler. */
static Status set_constant(CudaApi *api, CudaModule module, const JitConstant *c, Error *error) {
    enum { NOT_FOUND = 500 };
    CudaPointer at = 0;
    size_t size = 0;
    CudaResult result = api->cuModuleGetGlobal(&at, &size, module, c->name);
    if (result == NOT_FOUND)
        return STATUS_OK;
    Status status = cuda_status(api, CUDA_DRIVER, result, "cuModuleGetGlobal", error);
    if (status != STATUS_OK)
        return status;
    if (size != sizeof c->integer)
        return error_set(error, STATUS_MODULE_CONTENT, "%s has %zu bytes", c->name, size);
    return c->is_integer ? CUDA_CALL(api, error, DRIVER, cuMemcpyHtoD, at, &c->integer, size)
                         : CUDA_CALL(api, error, DRIVER, cuMemcpyHtoD, at, &c->number, size);
}

static Status check_engine(const Buffer *ptx, int arch, Error *error) {
    Buffer mark = {0};
    cuda_engine_mark(&mark);
    Status status = buffer_status(&mark, error);
    if (status == STATUS_OK &&
        (ptx->size < mark.size || memcmp(ptx->data, mark.data, mark.size) != 0))
        status = error_set(error, STATUS_CUDA_LIBRARY,
                           "the module's kernels are of another version of pderun, and NVRTC is "
                           "not on this machine: compile it again with pdec --arch sm_%d",
                           arch);
    buffer_free(&mark);
    return status;
}

static Status load_precompiled(CudaApi *api, const CudaKernelSpec *spec, const char *what,
                               CudaModule *out, Error *error) {
    Bytes section;
    Buffer ptx = {0};
    if (!find_ptx(spec->module, what, spec->is_double, spec->arch, &section))
        return error_set(error, STATUS_CUDA_LIBRARY,
                         "NVRTC is not on this machine, and the module has no kernels for sm_%d: "
                         "compile it with pdec --arch sm_%d",
                         spec->arch, spec->arch);
    buffer_bytes(&ptx, section.data, section.size); /* with a terminator */
    Status status = buffer_status(&ptx, error);
    if (status == STATUS_OK && strcmp(what, "eng") == 0)
        status = check_engine(&ptx, spec->arch, error);
    if (status == STATUS_OK)
        status = cuda_load_ptx(api, ptx.data, out, error);
    for (size_t k = 0; k < spec->constants && status == STATUS_OK; k++)
        status = set_constant(api, *out, &spec->constant[k], error);
    if (status != STATUS_OK && *out) {
        (void)api->cuModuleUnload(*out);
        *out = NULL;
    }
    buffer_free(&ptx);
    return status;
}

Status cuda_kernels_load(CudaApi *api, const CudaKernelSpec *spec, CudaModule *out, Error *error) {
    *out = NULL;
    if (cuda_open(api, CUDA_NVRTC, NULL) != STATUS_OK)
        return load_precompiled(api, spec, "ptx", out, error);
    Buffer ptx = {0};
    Status status = compile_source(api, spec, &ptx, error);
    if (status == STATUS_OK)
        status = cuda_load_ptx(api, ptx.data, out, error);
    buffer_free(&ptx);
    return status;
}

Status cuda_engine_load(CudaApi *api, const CudaKernelSpec *spec, CudaModule *out, Error *error) {
    CudaEngineSpec how = {spec->is_double, spec->activation, 0, spec->cache};
    *out = NULL;
    if (cuda_open(api, CUDA_NVRTC, NULL) != STATUS_OK) {
        const JitConstant activation = {"pde_activation", true, spec->activation_number, 0};
        CudaKernelSpec late = *spec;
        late.constant = &activation;
        late.constants = 1;
        return load_precompiled(api, &late, "eng", out, error);
    }
    Buffer ptx = {0};
    Status status = cuda_compile_arch(api, spec->arch, &how.arch, error);
    if (status == STATUS_OK)
        status = cuda_engine_compile(api, &how, &ptx, error);
    if (status == STATUS_OK)
        status = cuda_load_ptx(api, ptx.data, out, error);
    buffer_free(&ptx);
    return status;
}
