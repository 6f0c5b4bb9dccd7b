/* ptx.c: PTX for --emit=ptx and for modules. */
#include "driver/ptx.h"

#include "runtime/cuda/device/compile.h"

#include <stdio.h>
#include <string.h>

bool ptx_read_archs(const char *text, PtxArchs *out) {
    *out = (PtxArchs){0};
    while (out->n < PTX_ARCHS && strncmp(text, "sm_", 3) == 0) {
        int arch = 0, digits = 0;
        for (text += 3; *text >= '0' && *text <= '9' && digits < 4; text++, digits++)
            arch = 10 * arch + (*text - '0');
        if (digits < 2 || digits > 3)
            return false;
        out->at[out->n++] = arch;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
    return false;
}

static Status check_arch(CudaApi *api, int arch, Error *error) {
    int known = 0;
    Status status = cuda_compile_arch(api, arch, &known, error);
    if (status == STATUS_OK && known != arch)
        return error_set(error, STATUS_CUDA_COMPILE, "NVRTC does not know sm_%d", arch);
    return status;
}

Status ptx_print(Bytes source, int arch, Buffer *out, Error *error) {
    CudaApi api = {0};
    const CudaCompileSpec spec = {.part = &source, .parts = 1, .arch = arch};
    Status status = check_arch(&api, arch, error);
    if (status == STATUS_OK)
        status = cuda_compile(&api, &spec, out, error);
    cuda_close(&api);
    return status;
}

/* Section k of an architecture: the problem's kernels or the engine's, in float or double. */
static Status compile_section(CudaApi *api, Bytes source, int arch, int k, PtxSections *out,
                              Error *error) {
    bool engine = k / 2, is_double = k % 2;
    Buffer head = {0}, ptx = {0}, *text = &out->text[out->n];
    cuda_define(&head, is_double, true);
    Status status = buffer_status(&head, error);
    const Bytes part[] = {{head.data, head.size}, source};
    const CudaCompileSpec spec = {.part = part, .parts = 2, .arch = arch};
    const CudaEngineSpec how = {.is_double = is_double, .arch = arch};
    if (status == STATUS_OK)
        status = engine ? cuda_engine_compile(api, &how, &ptx, error)
                        : cuda_compile(api, &spec, &ptx, error);
    if (engine)
        cuda_engine_mark(text);
    buffer_bytes(text, ptx.data, ptx.size);
    if (status == STATUS_OK)
        status = buffer_status(text, error);
    buffer_free(&ptx);
    cuda_ptx_section(engine ? "eng" : "ptx", arch, is_double, out->name[out->n]);
    out->blob[out->n] =
        (ModuleBlob){out->name[out->n], PDE_SECTION_OPTIONAL, {text->data, text->size}};
    out->n++;
    buffer_free(&head);
    return status;
}

Status ptx_sections(Bytes source, const PtxArchs *archs, PtxSections *out, Error *error) {
    CudaApi api = {0};
    Status status = STATUS_OK;
    *out = (PtxSections){0};
    for (int a = 0; a < archs->n && status == STATUS_OK; a++) {
        status = check_arch(&api, archs->at[a], error);
        for (int k = 0; k < 4 && status == STATUS_OK; k++)
            status = compile_section(&api, source, archs->at[a], k, out, error);
    }
    cuda_close(&api);
    return status;
}

void ptx_free(PtxSections *sections) {
    for (int k = 0; k < PTX_BLOBS; k++)
        buffer_free(&sections->text[k]);
}
