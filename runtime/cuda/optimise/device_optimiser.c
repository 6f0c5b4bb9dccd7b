/* device_optimiser.c: from a row of optim.def to its class on a device. */
#include "cuda/optimise/device_optimiser.h"

#include <assert.h>

const DeviceOptimiser *device_optimiser(PdeOptimiser kind) {
    assert(kind < PDE_OPTIMISERS);
    static const DeviceOptimiser *const of[] = {
#define OPTIMISER(name, class, ...) &device_##class,
#include "contract/optim.def"
#undef OPTIMISER
    };
    return of[kind];
}
