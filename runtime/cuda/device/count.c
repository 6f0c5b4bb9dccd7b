/* count.c: a back end that does nothing: the same calls as a step's, counted. */
#include "cuda/device/count.h"

#include "files/say.h"

#include <stdio.h>
#include <stdlib.h>

enum { ALIGNMENT = 256 };

typedef struct CountBackend {
    Backend base;
    uintptr_t next;               /* addresses are never used, but must differ */
    double arithmetic, bandwidth; /* per second */
    double seen_bytes, seen_flops, seconds;
} CountBackend;

const GpuInfo *gpu_info(Gpu gpu) {
    static const GpuInfo table[] = {
#define GPU(id, name, f32, tf32, bf16, f64, bandwidth, memory)                                     \
    {name, f32, tf32, bf16, f64, bandwidth, memory},
#include "cuda/device/gpu.def"
#undef GPU
    };
    return &table[gpu];
}

/* What the wrapper has counted since the last call is this call's. */
static Status charge(Backend *backend) {
    CountBackend *b = (CountBackend *)backend;
    double arithmetic = (backend->flops - b->seen_flops) / b->arithmetic;
    double memory = (backend->bytes - b->seen_bytes) / b->bandwidth;
    b->seconds += arithmetic > memory ? arithmetic : memory;
    b->seen_flops = backend->flops;
    b->seen_bytes = backend->bytes;
    return STATUS_OK;
}

static Status allocate(Backend *backend, size_t bytes, void **pointer, Error *error) {
    CountBackend *b = (CountBackend *)backend;
    (void)error;
    *pointer = (void *)b->next;
    b->next += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return STATUS_OK;
}

static void release(Backend *backend, void *pointer) {
    (void)backend;
    (void)pointer;
}

static Status transfer(Backend *backend, void *to, const void *from, size_t bytes, Error *error) {
    (void)to;
    (void)from;
    (void)bytes;
    (void)error;
    return charge(backend);
}

static Status zero(Backend *backend, void *to, size_t bytes, Error *error) {
    return transfer(backend, to, NULL, bytes, error);
}

static Status kernel(Backend *backend, const char *name, BackendKernel **found, Error *error) {
    (void)error;
    (void)name;
    *found = backend;
    return STATUS_OK;
}

static Status launch(Backend *backend, const Launch *launched, Error *error) {
    return transfer(backend, NULL, launched, 0, error);
}

static Status product(Backend *backend, const Product *multiplied, Error *error) {
    return transfer(backend, NULL, multiplied, 0, error);
}

static void count_close(Backend *backend) {
    free(backend);
}

static const BackendOps count_ops = {.allocate = allocate,
                                     .release = release,
                                     .upload = transfer,
                                     .download = transfer,
                                     .zero = zero,
                                     .kernel = kernel,
                                     .launch = launch,
                                     .product = product,
                                     .close = count_close};

Backend *count_backend(PdePrecision precision, Gpu gpu, Factors factors) {
    const GpuInfo *info = gpu_info(gpu);
    double f32 = factors == FACTORS_bf16   ? info->bf16
                 : factors == FACTORS_tf32 ? info->tf32
                                           : info->f32;
    CountBackend *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->base = (Backend){
        .ops = &count_ops, .precision = precision, .memory = (size_t)(1e9 * info->memory)};
    snprintf(b->base.name, sizeof b->base.name, "%s", info->name);
    b->next = ALIGNMENT;
    b->arithmetic = 1e12 * (precision == PDE_F64 ? info->f64 : f32);
    b->bandwidth = 1e9 * info->bandwidth;
    return &b->base;
}

double count_seconds(const Backend *backend) {
    return ((const CountBackend *)backend)->seconds;
}

void count_reset(Backend *backend) {
    CountBackend *b = (CountBackend *)backend;
    backend->bytes = backend->flops = b->seen_bytes = b->seen_flops = b->seconds = 0;
    backend->launches = 0;
}

void count_print_memory(int uses, const char *const text[], const double used[], double all) {
    say("memory on the device\n");
    for (int i = 0; i < uses; i++)
        if (used[i] > 0)
            say("  %-34s %10.1f MB\n", text[i], used[i] / 1e6);
    say("  %-34s %10.1f MB\n", "in all", all / 1e6);
}

void count_print_work(const Backend *b, const char *what) {
    say("work of %s on the device\n", what);
    say("  %-34s %10.3f GFLOP\n", "arithmetic", b->flops / 1e9);
    say("  %-34s %10.3f GB\n", "memory traffic", b->bytes / 1e9);
    say("  %-34s %10lld\n", "launches", (long long)b->launches);
}
