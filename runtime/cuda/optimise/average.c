/* average.c: the running mean of the parameters on a device (runtime/step/average.h). The device counts
 * the iterates itself, since it alone knows which steps were taken. */
#include "step/average.h"

#include "cuda/step/device_hook.h"

#include <assert.h>
#include <stdlib.h>

typedef struct CudaAverage {
    void *mean;
    int64_t *count;
    double *unknown;
} CudaAverage;

static Status open(CudaSession *s, void **self, Error *error) {
    CudaAverage *a = *self = calloc(1, sizeof *a);
    if (!a)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the mean of the parameters");
    a->mean = cuda_buffer(s, USE_parameters, s->host->network.size, s->real);
    a->count = cuda_buffer(s, USE_parameters, 1, sizeof *a->count);
    a->unknown = cuda_buffer(s, USE_parameters, s->host->problem->plan.unknowns, sizeof(double));
    return STATUS_OK;
}

double cuda_average_share(const CudaSession *s, int64_t step) {
    assert(step >= 0);
    return s->hook[HOOK_average] && (step + 1) % AVERAGE_STRIDE == 0 ? s->host->settings.average
                                                                     : 0;
}

static void add(CudaSession *s, const DevNatural *judged) {
    assert(s->hook[HOOK_average]);
    const CudaAverage *a = s->hook[HOOK_average];
    int64_t n = s->host->network.size;
    DevAverage mean = {.state = s->state,
                       .natural = judged,
                       .count = a->count,
                       .mean = a->mean,
                       .theta = s->theta,
                       .n = n,
                       .unknown_mean = a->unknown,
                       .unknown = s->unknown,
                       .unknowns = s->host->problem->plan.unknowns};
    CUDA_EACH(s, average, mean, n, 0); /* traffic in one of AVERAGE_STRIDE steps */
    CUDA_EACH(s, averaged, mean, 1, 0);
}

void *cuda_average_mean(CudaSession *s) {
    const CudaAverage *a = s->hook[HOOK_average];
    int64_t count = 0, unknowns = s->host->problem->plan.unknowns;
    if (!a)
        return NULL;
    backend_download(s->backend, &count, a->count, sizeof count);
    backend_download(s->backend, average_unknowns(average_of(s->host)), a->unknown,
                     (size_t)unknowns * sizeof(double));
    average_set_count(average_of(s->host), count);
    return count > 0 ? a->mean : NULL;
}

static void push(CudaSession *s) {
    const CudaAverage *a = s->hook[HOOK_average];
    Average *host = average_of(s->host);
    int64_t count = average_count(host), unknowns = s->host->problem->plan.unknowns;
    backend_upload(s->backend, a->count, &count, sizeof count);
    if (count == 0)
        return;
    backend_upload(s->backend, a->mean, average_data(host),
                   (size_t)s->host->network.size * s->real);
    backend_upload(s->backend, a->unknown, average_unknowns(host),
                   (size_t)unknowns * sizeof(double));
}

static void pull(CudaSession *s) {
    const CudaAverage *a = s->hook[HOOK_average];
    Average *host = average_of(s->host);
    int64_t count = 0, unknowns = s->host->problem->plan.unknowns;
    backend_download(s->backend, &count, a->count, sizeof count);
    backend_download(s->backend, average_data(host), a->mean,
                     (size_t)s->host->network.size * s->real);
    backend_download(s->backend, average_unknowns(host), a->unknown,
                     (size_t)unknowns * sizeof(double));
    if (s->backend->status == STATUS_OK)
        average_set_count(host, count);
}

const DeviceHook device_hook_average = {
    .name = "average", .open = open, .after = add, .push = push, .pull = pull};
