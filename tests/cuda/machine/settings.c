/* settings.c: the environment variables of the device; README.md lists them. */
#include "soft.h"

#include <stdlib.h>
#include <string.h>

static Settings current;

static int64_t number(const char *name, int64_t otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoll(text, NULL, 10) : otherwise;
}

int pdeSoftCudaOrder(const char *order) {
    settings(); /* what the environment says comes first */
    if (strcmp(order, "normal") == 0) {
        current.order = ORDER_NORMAL;
    } else if (strcmp(order, "reversed") == 0) {
        current.order = ORDER_REVERSED;
    } else if (strncmp(order, "shuffled", 8) == 0 && (order[8] == ':' || !order[8])) {
        current.order = ORDER_SHUFFLED;
        current.seed = order[8] ? strtoull(order + 9, NULL, 10) : 1;
    } else {
        return 0;
    }
    return 1;
}

void pdeSoftCudaFail(int64_t call) {
    settings();
    current.fail_at = call;
}

int pdeSoftCudaLazy(int lazy) {
    settings();
    int before = current.lazy;
    current.lazy = lazy;
    return before;
}

const Settings *settings(void) {
    static int read;
    if (!read) {
        read = 1;
        const char *order = getenv("PDE_SOFT_CUDA_ORDER");
        if (order && *order && !pdeSoftCudaOrder(order))
            fprintf(soft_output(), "soft-cuda: PDE_SOFT_CUDA_ORDER=%s is not an order\n", order);
        current.memory = (size_t)number("PDE_SOFT_CUDA_MEMORY", INT64_C(8) << 30);
        current.devices = (int)number("PDE_SOFT_CUDA_DEVICES", 1);
        current.driver_version = (int)number("PDE_SOFT_CUDA_VERSION", 13000);
        current.compute_capability = (int)number("PDE_SOFT_CUDA_ARCH", 80);
        current.fail_at = number("PDE_SOFT_CUDA_FAIL", 0);
        current.fail_count = number("PDE_SOFT_CUDA_FAIL_COUNT", 1);
        current.lazy = (int)number("PDE_SOFT_CUDA_LAZY", 0);
        current.trace = (int)number("PDE_SOFT_CUDA_TRACE", 0);
    }
    return &current;
}
