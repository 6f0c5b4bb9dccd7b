/* generated_lab.c: see generated_lab.h. */
#include "generated_lab.h"

#include "runtime/contract/kernel_abi.h"
#include "runtime/engine/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double lab_uniform(Lab *lab, double lo, double hi) {
    lab->random = lab->random * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(lab->random >> 11) / 9007199254740992.0;
}

/* ---- arrays ---- */

void lab_upload(Lab *lab, const Array2 *a) {
    if (lab->status == STATUS_OK)
        lab->status =
            CUDA_CALL(lab->api, &lab->error, DRIVER, cuMemcpyHtoD, a->device, a->host, a->bytes);
}

Array2 *lab_make(Lab *lab, size_t bytes) {
    if (lab->arrays == ARRAYS) {
        fprintf(stderr, "run_generated: more than %d arrays\n", ARRAYS);
        exit(70);
    }
    Array2 *a = &lab->array[lab->arrays++];
    *a = (Array2){.host = calloc(1, bytes + 8), .bytes = bytes + 8};
    if (!a->host)
        exit(3);
    if (lab->status == STATUS_OK)
        lab->status = CUDA_CALL(lab->api, &lab->error, DRIVER, cuMemAlloc, &a->device, a->bytes);
    lab_upload(lab, a);
    return a;
}

Array2 *lab_make_reals(Lab *lab, int64_t n, double lo, double hi) {
    Array2 *a = lab_make(lab, (size_t)n * real_size(lab->precision));
    for (int64_t k = 0; k < n; k++)
        real_set(lab->precision, a->host, k, lab_uniform(lab, lo, hi));
    lab_upload(lab, a);
    return a;
}

Array2 *lab_make_copy(Lab *lab, const void *data, size_t bytes) {
    Array2 *a = lab_make(lab, bytes);
    memcpy(a->host, data, bytes);
    lab_upload(lab, a);
    return a;
}

void lab_free_arrays(Lab *lab) {
    for (int k = 0; k < lab->arrays; k++) {
        free(lab->array[k].host);
        if (lab->array[k].device)
            (void)lab->api->cuMemFree(lab->array[k].device);
    }
    lab->arrays = 0;
}

void *lab_on(Side side, const Array2 *a) {
    return !a ? NULL : side == HOST ? (void *)a->host : (void *)(uintptr_t)a->device;
}

Array2 *lab_make_table(Lab *lab, Array2 *const *entry, int n) {
    const void *host[PLAN_TENSORS_MAX + PDE_MAX_BLOCKS], *device[PLAN_TENSORS_MAX + PDE_MAX_BLOCKS];
    for (int k = 0; k < n; k++) {
        host[k] = lab_on(HOST, entry[k]);
        device[k] = lab_on(DEVICE, entry[k]);
    }
    Array2 *a = lab_make_copy(lab, device, (size_t)n * sizeof *device);
    memcpy(a->host, host, (size_t)n * sizeof *host);
    return a;
}

/* ---- comparing ---- */

static void lab_differ(Lab *lab, const char *kernel, const char *what, int64_t at, double host,
                       double device) {
    if (lab->failed++ < 20)
        printf("FAIL %s %s %s[%lld]: host %.17g, device %.17g\n", lab->name, kernel, what,
               (long long)at, host, device);
}

void lab_compare(Lab *lab, const char *kernel, const char *what, const Array2 *a, int64_t n) {
    char *got = malloc(a->bytes);
    double scale = 0, tolerance = lab->precision == PDE_F64 ? 1e-12 : 2e-5;
    if (lab->status == STATUS_OK)
        lab->status =
            CUDA_CALL(lab->api, &lab->error, DRIVER, cuMemcpyDtoH, got, a->device, a->bytes);
    for (int64_t k = 0; k < n; k++) {
        double h = fabs(real_get(lab->precision, a->host, k));
        scale = isfinite(h) && h > scale ? h : scale;
    }
    for (int64_t k = 0; k < n && lab->status == STATUS_OK; k++) {
        double h = real_get(lab->precision, a->host, k), d = real_get(lab->precision, got, k);
        if ((isnan(h) && isnan(d)) || !(h < d || h > d))
            continue;
        double error = fabs(h - d) / (scale > 0 ? scale : 1);
        if (!(error <= tolerance))
            lab_differ(lab, kernel, what, k, h, d);
        else if (error > lab->worst)
            lab->worst = error;
    }
    free(got);
}

void lab_compare_indices(Lab *lab, const char *kernel, const Array2 *a, int64_t n) {
    uint32_t *got = malloc(a->bytes);
    const uint32_t *host = (const uint32_t *)(const void *)a->host;
    if (lab->status == STATUS_OK)
        lab->status =
            CUDA_CALL(lab->api, &lab->error, DRIVER, cuMemcpyDtoH, got, a->device, a->bytes);
    for (int64_t k = 0; k < n && lab->status == STATUS_OK; k++)
        if (host[k] != got[k])
            lab_differ(lab, kernel, "row", k, host[k], got[k]);
    free(got);
}

void lab_launch(Lab *lab, const char *kernel, unsigned blocks, unsigned x, unsigned y,
                void *parameter) {
    char name[128];
    CudaFunction function = NULL;
    void *parameters[] = {parameter};
    snprintf(name, sizeof name, "%s_launch", kernel);
    if (lab->status == STATUS_OK)
        lab->status = CUDA_CALL(lab->api, &lab->error, DRIVER, cuModuleGetFunction, &function,
                                lab->module, name);
    if (lab->status == STATUS_OK)
        lab->status = CUDA_CALL(lab->api, &lab->error, DRIVER, cuLaunchKernel, function, blocks, 1,
                                1, x, y, 1, 0, NULL, parameters, NULL);
    if (lab->status == STATUS_OK)
        lab->status = cuda_status(lab->api, CUDA_DRIVER, lab->api->cuCtxSynchronize(),
                                  "cuCtxSynchronize", &lab->error);
    if (lab->status != STATUS_OK) {
        printf("FAIL %s %s: %s\n", lab->name, kernel, lab->error.message);
        exit(1);
    }
    lab->compared++;
}
