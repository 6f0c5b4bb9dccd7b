/* head.cuh: names that the shared files rng.h, sigma.h and engine_abi.h take from their includer; after
 * prelude.h. PDE_ACTIVATION is defined by the host, for the network at hand; kernels compiled ahead have
 * all of them. */
#ifdef PDE_LATE
extern "C" __constant__ int64_t pde_activation = 0;
static __device__ void pde_act(real z, real *s);
#define PDE_ACTIVATION pde_act
#endif
#define __builtin_sqrtf sqrtf
#define __builtin_sqrt sqrt
#define PDE_DEVICE_REAL real
#define M_(name) PDE_FN(name)
#define real_erf PDE_FN(erf)
#define INLINE static inline
