/* tensor_plan.c: --plan of a tensor network with a device: the calls of a gradient step and of a
 * pass of eigenproblems, counted. */
#include "cuda/device/count.h"
#include "cuda/tensor/device_tensor.h"
#include "files/say.h"

static const char *const use_text[] = {
#define ROW(name, text) text,
    CUDA_TENSOR_USES(ROW)
#undef ROW
};

/* What a device is given to do, and what the plan calls it. */
typedef struct Work {
    const char *name;
    bool asked;
    void (*calls)(CudaTensor *);
} Work;

static void count(CudaTensor *c, const Work *w) {
    count_reset(c->backend);
    w->calls(c);
}

/* Once, as it is the same for all GPUs but for the blocks. */
static void print_first(CudaTensor *c, const Work *work, int n) {
    count_print_memory(CUDA_TENSOR_USE_COUNT, use_text, c->used, cuda_tensor_bytes(c));
    for (int k = 0; k < n; k++)
        if (work[k].asked) {
            count(c, &work[k]);
            count_print_work(c->backend, work[k].name);
        }
    if (c->solves && !tnn_separable(c->t))
        say("  the sweep is one block of threads: it takes longer than its arithmetic says\n");
    say("time by arithmetic and traffic\n");
}

static void print_for(CudaTensor *c, Gpu gpu) {
    enum { WORKS = 2 };
    const Work work[WORKS] = {{"a gradient step", c->m->solver != SOLVER_EIGEN, cuda_tensor_calls},
                              {"a pass of eigenproblems", c->solves, cuda_tensor_solve_calls}};
    if (gpu == 0)
        print_first(c, work, WORKS);
    for (int k = 0; k < WORKS; k++) {
        if (!work[k].asked)
            continue;
        count(c, &work[k]);
        say("  %-16s %-24s %10.3f ms", c->backend->name, work[k].name,
            1e3 * count_seconds(c->backend));
        if (c->block < c->net.d)
            say(", %lld dimensions at a time", (long long)c->block);
        say("\n");
    }
}

static Status plan_for(TnnModule *m, Gpu gpu, Error *error) {
    CudaTensor *c = NULL;
    Error reason = {0};
    Backend *backend = count_backend(PDE_F64, gpu, FACTORS_full);
    if (!backend)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a plan");
    Status status = cuda_tensor_open(m, backend, &c, &reason);
    if (status == STATUS_OUT_OF_MEMORY) {
        say("  %-34s does not fit: %s\n", gpu_info(gpu)->name, reason.message);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return error_set(error, status, "%s", reason.message);
    print_for(c, gpu);
    cuda_tensor_close(c);
    return STATUS_OK;
}

Status cuda_tensor_plan(TnnModule *m, Error *error) {
    Status status = STATUS_OK;
    for (int gpu = 0; gpu < GPUS && status == STATUS_OK; gpu++)
        status = plan_for(m, (Gpu)gpu, error);
    return status;
}
