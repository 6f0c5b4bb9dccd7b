#include "cuda/device/backend.h"

#include "engine/real.h"
#include "cuda/abi/engine_abi.h"

#define STICKY(backend, call)                                                                      \
    do {                                                                                           \
        if ((backend)->status == STATUS_OK)                                                        \
            (backend)->status = (call);                                                            \
    } while (0)

const char *factors_text(const Backend *b) {
    static const char *const text[] = {
#define ROW(name, text) text,
        FACTORS(ROW)
#undef ROW
    };
    return text[b->precision == PDE_F64 ? FACTORS_full : b->factors];
}

void *backend_allocate(Backend *b, size_t bytes) {
    void *pointer = NULL;
    STICKY(b, b->ops->allocate(b, bytes, &pointer, &b->error));
    if (pointer)
        backend_zero(b, pointer, bytes);
    return pointer;
}

void backend_release(Backend *b, void *pointer) {
    if (pointer)
        b->ops->release(b, pointer);
}

void backend_upload(Backend *b, void *to, const void *from, size_t bytes) {
    if (bytes > 0)
        STICKY(b, b->ops->upload(b, to, from, bytes, &b->error));
}

void backend_download(Backend *b, void *to, const void *from, size_t bytes) {
    if (bytes > 0)
        STICKY(b, b->ops->download(b, to, from, bytes, &b->error));
}

void backend_zero(Backend *b, void *to, size_t bytes) {
    b->bytes += (double)bytes;
    if (bytes > 0)
        STICKY(b, b->ops->zero(b, to, bytes, &b->error));
}

BackendKernel *backend_kernel(Backend *b, const char *name) {
    BackendKernel *kernel = NULL;
    STICKY(b, b->ops->kernel(b, name, &kernel, &b->error));
    return kernel;
}

void backend_launch(Backend *b, const Launch *launch) {
    b->bytes += launch->bytes;
    b->flops += launch->flops;
    b->launches++;
    if (launch->grid[0] > 0 && launch->grid[1] > 0 && launch->grid[2] > 0)
        STICKY(b, b->ops->launch(b, launch, &b->error));
}

void backend_each(Backend *b, BackendKernel *kernel, const void *argument, size_t size, int64_t n,
                  double moved) {
    Launch launch = {.kernel = kernel,
                     .grid = {(uint32_t)((n + DEV_THREADS - 1) / DEV_THREADS), 1, 1},
                     .block = {DEV_THREADS, 1, 1},
                     .argument = argument,
                     .size = size,
                     .bytes = moved};
    backend_launch(b, &launch);
}

void backend_product(Backend *b, const Product *p) {
    double m = (double)p->m, n = (double)p->n, k = (double)p->k, count = (double)p->count;
    double size = (double)real_size(b->precision);
    double a = p->stride_a ? count : 1, other = p->stride_b ? count : 1;
    b->flops += 2 * m * n * k * count;
    b->bytes += size * (a * m * k + other * k * n + count * m * n * (p->beta != 0 ? 2 : 1));
    b->launches++;
    STICKY(b, b->ops->product(b, p, &b->error));
}

void backend_repeat(Backend *b, bool *recorded, void (*calls)(void *context), void *context) {
    if (!b->ops->replay) {
        calls(context);
        return;
    }
    if (!*recorded) {
        STICKY(b, b->ops->record_begin(b, &b->error));
        calls(context);
        /* recording ends in any case, so that what comes after an error is not recorded too */
        if (b->status == STATUS_OK)
            b->status = b->ops->record_end(b, &b->error);
        else
            (void)b->ops->record_end(b, NULL);
        *recorded = true;
    }
    STICKY(b, b->ops->replay(b, &b->error));
}

void backend_close(Backend *b) {
    if (b)
        b->ops->close(b);
}

Status backend_status(Backend *b, Error *error) {
    Status status = b->status;
    if (status != STATUS_OK)
        error_set(error, status, "%s", b->error.message);
    b->status = STATUS_OK;
    b->error = (Error){0};
    return status;
}
