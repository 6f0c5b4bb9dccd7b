/* count.c: a back end that does nothing: the same calls as a step's, counted. */
#include "count.h"

#include <stdlib.h>

enum { ALIGNMENT = 256 };

typedef struct CountBackend {
    Backend base;
    uintptr_t next; /* addresses are never used, but must differ */
} CountBackend;

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
    (void)backend;
    (void)to;
    (void)from;
    (void)bytes;
    (void)error;
    return STATUS_OK;
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

Backend *count_backend(PdePrecision precision, size_t memory) {
    CountBackend *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->base = (Backend){.ops = &count_ops, .precision = precision, .memory = memory};
    b->next = ALIGNMENT;
    return &b->base;
}
