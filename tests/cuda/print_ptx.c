/* print_ptx.c: prints kernels as PTX: the engine's, or those of a source (pdec --emit=cuda) that is
 * on standard input.
 *
 *     print_ptx sm_80 float|double engine|source */
#include "runtime/cuda/device/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_all(Buffer *out) {
    char part[1 << 14];
    size_t n;
    while ((n = fread(part, 1, sizeof part, stdin)) > 0)
        buffer_bytes(out, part, n);
}

static Status compile_source(CudaApi *api, bool is_double, int arch, Buffer *ptx, Error *error) {
    Buffer source = {0};
    cuda_define(&source, is_double, false);
    read_all(&source);
    Status status = buffer_status(&source, error);
    const Bytes part = {source.data, source.size};
    const CudaCompileSpec spec = {.part = &part, .parts = 1, .arch = arch};
    if (status == STATUS_OK)
        status = cuda_compile(api, &spec, ptx, error);
    buffer_free(&source);
    return status;
}

int main(int argc, char **argv) {
    CudaApi api = {0};
    Buffer ptx = {0};
    Error error = {0};
    if (argc != 4 || strncmp(argv[1], "sm_", 3) != 0)
        return 2;
    CudaEngineSpec spec = {.is_double = strcmp(argv[2], "double") == 0, .activation = "tanh"};
    Status status = cuda_compile_arch(&api, (int)strtol(argv[1] + 3, NULL, 10), &spec.arch, &error);
    if (status == STATUS_OK)
        status = strcmp(argv[3], "engine") == 0
                     ? cuda_engine_compile(&api, &spec, &ptx, &error)
                     : compile_source(&api, spec.is_double, spec.arch, &ptx, &error);
    if (status == STATUS_OK)
        fwrite(ptx.data, 1, ptx.size, stdout);
    else
        fprintf(stderr, "%s\n", error.message);
    buffer_free(&ptx);
    cuda_close(&api);
    return status == STATUS_OK ? 0 : 1;
}
