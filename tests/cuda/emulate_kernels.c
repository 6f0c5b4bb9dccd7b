/* The engine's kernels compiled for the host, once for each number type: the threads of a block are
 * coroutines of emulate.c, and a barrier passes control on. */
#include "emulate.h"

#include "runtime/contract/pde_math.h"
#include "runtime/contract/prelude.h"
#include "runtime/contract/rng.h"

#define PDE_DEVICE_REAL real
#include "runtime/engine/optim_rule.h"
#include "runtime/cuda/abi/engine_abi.h"
#include "runtime/cuda/abi/natural_abi.h"

#define KERNEL(name, Args) static void kernel_##name(const Args a)
#define DEVICE static inline __attribute__((unused))
#define INLINE DEVICE
#define SHARED static
#define BARRIER emulate_barrier()
#define UNROLL
#define M_(name) PDE_FN(name)
#define real_erf PDE_FN(erf)
#define blockIdx emulate_block
#define threadIdx emulate_thread
#define blockDim emulate_size

#include "runtime/engine/kernels/sigma.h"

static void (*const sigma[])(real, real *) = {
#define ACTIVATION(name, ...) act_##name,
#include "runtime/contract/activation.def"
#undef ACTIVATION
};
#define PDE_ACTIVATION(z, s) sigma[emulate_activation](z, s)

#include "runtime/cuda/kernels/base.cuh"
#include "runtime/cuda/kernels/rule_real.cuh"
#include "runtime/engine/optim_rule_body.h"
#include "runtime/cuda/kernels/rule_double.cuh"
#include "runtime/engine/optim_rule_body.h"
#include "runtime/step/step_rule.h"
#include "runtime/cuda/kernels/step.cuh"

enum {
#define OPTIMISER(name, ...) RULE_##name,
#include "runtime/contract/optim.def"
#undef OPTIMISER
};

RULES_BEGIN
#define OPTIMISER(name, class, states, ...) RULES_ROW(RULE_##name, name, states)
#include "runtime/contract/optim.def"
#undef OPTIMISER
RULES_END

#include "runtime/cuda/kernels/points.cuh"
#include "runtime/cuda/step/domains.h"
#include "runtime/cuda/kernels/paths.cuh"
#include "runtime/cuda/kernels/attack.cuh"
#include "runtime/cuda/kernels/sets.cuh"
#include "runtime/cuda/kernels/first.cuh"
#include "runtime/cuda/kernels/rows.cuh"
#include "runtime/cuda/kernels/taylor.cuh"
#include "runtime/cuda/kernels/gram.cuh"
#include "runtime/cuda/abi/tensor_abi.h"
#include "runtime/cuda/kernels/tensor.cuh"
#include "runtime/cuda/kernels/tensor_eigen.cuh"
#include "runtime/cuda/kernels/tensor_sweep.cuh"
#include "runtime/cuda/kernels/natural_state.cuh"
#include "runtime/cuda/kernels/natural_gram.cuh"
#include "runtime/cuda/kernels/natural_solve.cuh"
#include "runtime/step/lbfgs/lbfgs_search.h"
#include "runtime/cuda/abi/lbfgs_abi.h"
#include "runtime/cuda/kernels/lbfgs.cuh"

#define ENGINE_KERNEL(name, Args)                                                                  \
    static void run_##name(const void *a) {                                                        \
        kernel_##name(*(const Args *)a);                                                           \
    }
#include "runtime/cuda/abi/engine.def"
#undef ENGINE_KERNEL

const EmulatedKernel EMULATE_TABLE[] = {
#define ENGINE_KERNEL(name, Args) {"pde_engine_" #name, run_##name},
#include "runtime/cuda/abi/engine.def"
#undef ENGINE_KERNEL
    {0, 0}};
