/* tensor_plan.c: --plan of a tensor network with a device: the calls of a gradient step, counted.
 */
#include "count.h"
#include "tensor.h"

#include <stdio.h>

static const char *const use_text[] = {
#define ROW(name, text) text,
    CUDA_TENSOR_USES(ROW)
#undef ROW
};

static void print_first(const CudaTensor *c) {
    count_print_memory(CUDA_TENSOR_USE_COUNT, use_text, c->used, cuda_tensor_bytes(c));
    count_print_work(c->backend, "a gradient step");
    if (c->solves)
        printf(
            "on the processor\n  eigenproblems of the output layers by LAPACK%s; the device makes "
            "their matrices\n",
            tnn_separable(c->t) ? "" : ", and the sweep over the dimensions");
    printf("time of a gradient step by its arithmetic and traffic\n");
}

static Status print_for(TnnModule *m, Gpu gpu, Error *error) {
    CudaTensor *c = NULL;
    Error reason = {0};
    Backend *backend = count_backend(PDE_F64, gpu, FACTORS_full);
    if (!backend)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a plan");
    Status status = cuda_tensor_open(m, backend, &c, &reason);
    if (status == STATUS_OUT_OF_MEMORY) {
        printf("  %-34s does not fit: %s\n", gpu_info(gpu)->name, reason.message);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return error_set(error, status, "%s", reason.message);
    count_reset(backend);
    cuda_tensor_calls(c);
    if (gpu == 0)
        print_first(c);
    printf("  %-34s %10.3f ms", backend->name, 1e3 * count_seconds(backend));
    if (c->block < c->net.d)
        printf(", %lld dimensions at a time", (long long)c->block);
    printf("\n");
    cuda_tensor_close(c);
    return STATUS_OK;
}

Status cuda_tensor_plan(TnnModule *m, Error *error) {
    Status status = STATUS_OK;
    for (int gpu = 0; gpu < GPUS && status == STATUS_OK; gpu++)
        status = print_for(m, (Gpu)gpu, error);
    return status;
}
