/* device_plan.c: the calls of a step, counted instead of done. */
#include "cuda/session/device_plan.h"

#include "cuda/device/count.h"
#include "cuda/step/device_session.h"
#include "files/say.h"

static const char *const use_text[] = {
#define ROW(name, text) text,
    CUDA_USES(ROW)
#undef ROW
};

static void print_gpu(const CudaSession *s) {
    say("  %-34s %10.3f ms", s->backend->name, 1e3 * count_seconds(s->backend));
    if (s->tile < s->host->settings.points)
        say(", %lld points at a time", (long long)s->tile);
    if (cuda_session_blocks(s) > 0)
        say(", the Jacobian in %d blocks of columns", cuda_session_blocks(s));
    say("\n");
}

static Status print_for(Session *host, Gpu gpu, Factors factors, Error *error) {
    CudaSession *s = NULL;
    Backend *backend = count_backend(host->settings.precision, gpu, factors);
    if (!backend)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a plan");
    Error reason = {0};
    Status status = cuda_session_open(host, backend, &s, &reason);
    if (status == STATUS_OUT_OF_MEMORY) {
        say("  %-34s does not fit: %s\n", gpu_info(gpu)->name, reason.message);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return error_set(error, status, "%s", reason.message);
    count_reset(backend);
    cuda_step_calls(s);
    if (gpu == 0) {
        count_print_memory(CUDA_USE_COUNT, use_text, s->used, cuda_session_bytes(s));
        count_print_work(backend, "a step");
        say("time of a step by its arithmetic and traffic\n");
    }
    print_gpu(s);
    cuda_session_close(s);
    return STATUS_OK;
}

Status cuda_plan_print(const Problem *problem, const Settings *settings, Factors factors,
                       Error *error) {
    Session host;
    Status status = session_open(problem, settings, &host, error);
    if (status != STATUS_OK)
        return status;
    for (int gpu = 0; gpu < GPUS && status == STATUS_OK; gpu++)
        status = print_for(&host, (Gpu)gpu, factors, error);
    session_close(&host);
    return status;
}
