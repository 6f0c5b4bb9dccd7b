/* ptx.c: PTX for --emit=ptx and for modules. */
#include "ptx.h"

#include "cuda/compile.h"

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

static Status compile(CudaApi *api, const Bytes *part, size_t parts, int arch, Buffer *out,
                      Error *error) {
    const CudaCompileSpec spec = {.part = part, .parts = parts, .arch = arch};
    int known = 0;
    Status status = cuda_compile_arch(api, arch, &known, error);
    if (status == STATUS_OK && known != arch)
        return error_set(error, STATUS_CUDA_COMPILE, "NVRTC does not know sm_%d", arch);
    return status == STATUS_OK ? cuda_compile(api, &spec, out, error) : status;
}

Status ptx_print(Bytes source, int arch, Buffer *out, Error *error) {
    CudaApi api = {0};
    Status status = compile(&api, &source, 1, arch, out, error);
    cuda_close(&api);
    return status;
}

Status ptx_sections(Bytes source, const PtxArchs *archs, PtxSections *out, Error *error) {
    CudaApi api = {0};
    Status status = STATUS_OK;
    *out = (PtxSections){0};
    for (int k = 0; k < 2 * archs->n && status == STATUS_OK; k++) {
        Buffer head = {0};
        int arch = archs->at[k / 2];
        cuda_define(&head, k % 2, true);
        status = buffer_status(&head, error);
        if (status == STATUS_OK)
            status = compile(&api, (Bytes[]){{head.data, head.size}, source}, 2, arch,
                             &out->text[k], error);
        cuda_ptx_section(arch, k % 2, out->name[k]);
        out->blob[out->n++] = (ModuleBlob){
            out->name[k], PDE_SECTION_OPTIONAL, {out->text[k].data, out->text[k].size}};
        buffer_free(&head);
    }
    cuda_close(&api);
    return status;
}

void ptx_free(PtxSections *sections) {
    for (int k = 0; k < PTX_BLOBS; k++)
        buffer_free(&sections->text[k]);
}
