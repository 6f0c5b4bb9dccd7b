/* engine_ptx.c: prints the engine's kernels as PTX: engine_ptx sm_80 [float|double] [ACTIVATION]. */
#include "runtime/cuda/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    CudaApi api = {0};
    Buffer ptx = {0};
    Error error = {0};
    CudaEngineSpec spec = {.is_double = argc > 2 && strcmp(argv[2], "double") == 0,
                           .activation = argc > 3 ? argv[3] : "tanh"};
    if (argc < 2 || strncmp(argv[1], "sm_", 3) != 0)
        return 2;
    Status status = cuda_compile_arch(&api, (int)strtol(argv[1] + 3, NULL, 10), &spec.arch, &error);
    if (status == STATUS_OK)
        status = cuda_engine_compile(&api, &spec, &ptx, &error);
    if (status == STATUS_OK)
        fwrite(ptx.data, 1, ptx.size, stdout);
    else
        fprintf(stderr, "%s\n", error.message);
    buffer_free(&ptx);
    cuda_close(&api);
    return status == STATUS_OK ? 0 : 1;
}
