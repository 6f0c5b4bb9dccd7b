/* launch_abi.h: how generated kernels are launched on a device. Included by the host code of
 * runtime/cuda/ and placed, after kernel_abi.h, before the generated source that NVRTC compiles.
 *
 * Every function of kernel_abi.h that takes PdePointArgs or PdeCombineArgs, say pde_points_0, has a
 * kernel pde_points_0_launch beside it, declared extern "C", that takes one of the structs below by
 * value. All pointers are device pointers; strides count elements (reals, or uint32_t for sets).
 *
 *   point kernels    one block for each group of PDE_LANES points: blockIdx.x is the group,
 *                    blockDim (PDE_LANES, PDE_LAUNCH_ROWS): threadIdx.x is the lane, and the loops
 *                    over coordinates are shared by the rows and joined in a fixed tree
 *   weight kernels   one block of the same shape, whose threads share the one loop
 *   combine kernels  one block for each point: blockIdx.x is the point, blockDim.x is
 *                    PDE_LAUNCH_TERMS; the loops over terms and directions are shared likewise
 *
 * Tables of pointers (tensor, set, weight) lie in the device's memory too. seed_n and seed_d are zeroed
 * before, as on the host. Sums are joined in a fixed order, so that a step has the same bits each time
 * it is run. contract/share.h has the device's side of this. */
#ifndef PDE_RUNTIME_CUDA_ABI_LAUNCH_ABI_H
#define PDE_RUNTIME_CUDA_ABI_LAUNCH_ABI_H

#define PDE_LAUNCH_ROWS 16
#define PDE_LAUNCH_TERMS 128
#define PDE_LAUNCH_FAMILIES 8 /* PLAN_FAMILIES_MAX */

typedef struct PdePointLaunch {
    PdePointArgs group0;                               /* the arguments of group 0 */
    int64_t x, aux, normal, gradient, out, value, bar; /* from one group to the next */
} PdePointLaunch;

typedef struct PdeCombineLaunch {
    PdeCombineArgs point0; /* the arguments of point 0 (lane is ignored) */
    int64_t points;
    int64_t x, aux, normal, scalar, sweep, frozen; /* from one group to the next */
    int64_t set[PDE_LAUNCH_FAMILIES];              /* from one point to the next; 0: shared sets */
    int64_t n, d, residual, seed_n, seed_d, seed_unknown; /* from one point to the next */
    int64_t sparse;                                       /* likewise, rows and values */
} PdeCombineLaunch;

#endif
