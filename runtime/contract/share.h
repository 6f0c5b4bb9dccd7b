/* share.h: who does what of a generated kernel. On the host one thread does all of it, and the names
 * here are plain loops of C or nothing at all. On CUDA a block shares it (launch_abi.h): each thread
 * has one lane, or none; outermost loops are dealt out to the ranks and what they sum is joined in a
 * fixed tree; everything else is done alike by all ranks, and stored by the first.
 *
 *   PDE_KERNEL                  before every kernel
 *   PDE_POINTS, PDE_TERMS,      first line of its body: ranks are rows of lanes, or single threads
 *   PDE_WEIGHTS                 (of a block as for terms, as for points)
 *   PDE_EACH_LANE               a loop over the lanes l of this thread, of which it has PDE_OWN_LANES
 *   PDE_FOR(i, lo, hi)          lo <= i <= hi, dealt out
 *   PDE_RANGE(i, lo, hi)        declares first_i and last_i: the same in pieces, for loops that keep
 *                               values from one i to the next
 *   PDE_EACH_TERM(k, lo, end)   lo <= k < end, dealt out
 *   PDE_JOIN(how, v)            after such a loop; PDE_JOIN_LANES for an array over lanes; the arg
 *                               forms keep the place a of the best value b
 *   PDE_SQUARE(s, d)            s = |x|^2 of each lane, an array of double
 *   PDE_SPLIT(v)                before a loop that adds to v what PDE_JOIN then joins
 *   PDE_ONCE                    a store outside loops
 *   PDE_TOGETHER                between loops of which the second stores where the first has
 *   PDE_COLLECT(s, target, v)   target += v in a dealt out loop, where all ranks have the same target;
 *                               s is declared by PDE_COLLECTOR before and PDE_DELIVERed after it
 *   PDE_DIM, PDE_PARAM          constants that get their values when the kernels are loaded
 *   PDE_LAUNCH_...              after every kernel */
#ifndef PDE_RUNTIME_CONTRACT_SHARE_H
#define PDE_RUNTIME_CONTRACT_SHARE_H

#ifndef PDE_CUDA

#define PDE_DIM(name) extern const int64_t name;
#define PDE_PARAM(name) extern const double name;
#define PDE_KERNEL
#define PDE_POINTS
#define PDE_TERMS
#define PDE_WEIGHTS
#define PDE_OWN_LANES PDE_LANES
#define PDE_FOR(i, lo, hi) for (int64_t i = (lo); i <= (hi); i++)
#define PDE_RANGE(i, lo, hi) const int64_t first_##i = (lo), last_##i = (hi);
#define PDE_EACH_TERM(k, lo, end) for (int64_t k = (lo); k < (end); k++)
#define PDE_JOIN(how, v)
#define PDE_JOIN_LANES(how, v)
#define PDE_JOIN_ARG(how, a, b)
#define PDE_JOIN_ARG_LANES(how, a, b)
#define PDE_SPLIT(v)
#define PDE_ONCE
#define PDE_TOGETHER
#define PDE_COLLECTOR(s)
#define PDE_COLLECT(s, target, v) target += v
#define PDE_DELIVER(s, target)
#define PDE_LAUNCH_POINTS(name)
#define PDE_LAUNCH_WEIGHTS(name)
#define PDE_LAUNCH_COMBINE(name, families)

/* Up to 256 coordinates one chain in the number type; more in double. */
#define PDE_SQUARE(s, d)                                                                           \
    if ((d) <= 256) {                                                                              \
        real chain[PDE_OWN_LANES];                                                                 \
        for (int l = 0; l < PDE_OWN_LANES; l++)                                                    \
            chain[l] = R(0);                                                                       \
        for (int64_t i = 0; i < (d); i++)                                                          \
            for (int l = 0; l < PDE_OWN_LANES; l++)                                                \
                chain[l] += PDE_FN(square)(x[i * PDE_LANES + l]);                                  \
        for (int l = 0; l < PDE_OWN_LANES; l++)                                                    \
            s[l] = (double)chain[l];                                                               \
    } else {                                                                                       \
        for (int l = 0; l < PDE_OWN_LANES; l++)                                                    \
            s[l] = 0;                                                                              \
        for (int64_t i = 0; i < (d); i++)                                                          \
            for (int l = 0; l < PDE_OWN_LANES; l++)                                                \
                s[l] += (double)x[i * PDE_LANES + l] * (double)x[i * PDE_LANES + l];               \
    }

#else

/* Either their values are known by now (then the names are macros), or the host sets them later. */
#ifdef PDE_LATE
#define PDE_DIM(name) extern "C" __constant__ int64_t name = 0;
#define PDE_PARAM(name) extern "C" __constant__ double name = 0;
#else
#define PDE_DIM(name)
#define PDE_PARAM(name)
#endif

#define PDE_KERNEL static __device__ __forceinline__
#define PDE_POINTS                                                                                 \
    const int pde_rank = (int)threadIdx.y, pde_ranks = PDE_LAUNCH_ROWS, pde_width = PDE_LANES;     \
    (void)pde_rank, (void)pde_ranks, (void)pde_width;
#define PDE_TERMS                                                                                  \
    const int pde_rank = PDE_THREAD, pde_ranks = PDE_LAUNCH_TERMS, pde_width = 1;                  \
    (void)pde_rank, (void)pde_ranks, (void)pde_width;
#define PDE_WEIGHTS                                                                                \
    const int pde_rank = PDE_THREAD, pde_ranks = PDE_LAUNCH_ROWS * PDE_LANES, pde_width = 1;       \
    (void)pde_rank, (void)pde_ranks, (void)pde_width;
#define PDE_THREAD ((int)(threadIdx.x + blockDim.x * threadIdx.y))
#define PDE_OWN_LANES 1
#define PDE_FOR(i, lo, hi) for (int64_t i = (lo) + pde_rank; i <= (hi); i += pde_ranks)
#define PDE_RANGE(i, lo, hi)                                                                       \
    const int64_t first_##i = pde_first(lo, hi, pde_rank, pde_ranks);                              \
    const int64_t last_##i = pde_last(lo, hi, pde_rank, pde_ranks);
#define PDE_EACH_TERM(k, lo, end) for (int64_t k = (lo) + pde_rank; k < (end); k += pde_ranks)
#define PDE_JOIN(how, v) v = pde_join_##how(v, pde_rank, pde_ranks, pde_width);
#define PDE_JOIN_LANES(how, v) PDE_JOIN(how, v[0])
#define PDE_JOIN_ARG(how, a, b) pde_join_##how(&a, &b, pde_rank, pde_ranks, pde_width);
#define PDE_JOIN_ARG_LANES(how, a, b) PDE_JOIN_ARG(how, a[0], b[0])
#define PDE_SQUARE(s, d)                                                                           \
    real chain_##s = R(0);                                                                         \
    PDE_FOR(i, 1, d) chain_##s += PDE_FN(square)(x[(i - 1) * PDE_LANES]);                          \
    PDE_JOIN(sum, chain_##s)                                                                       \
    s[0] = (double)chain_##s;
#define PDE_SPLIT(v) v = pde_rank == 0 ? v : R(0);
#define PDE_ONCE if (pde_rank == 0)
#define PDE_TOGETHER __syncthreads();
#define PDE_COLLECTOR(s) real s = R(0);
#define PDE_COLLECT(s, target, v) s += v
#define PDE_DELIVER(s, target)                                                                     \
    PDE_JOIN(sum, s)                                                                               \
    PDE_ONCE target += s;

/* Equal pieces; a rank without one has first = lo, where reading is safe, and last before it. */
PDE_MATH_FN int64_t pde_piece(int64_t lo, int64_t hi, int ranks) {
    return hi < lo ? 0 : (hi - lo + ranks) / ranks;
}
PDE_MATH_FN int64_t pde_first(int64_t lo, int64_t hi, int rank, int ranks) {
    const int64_t first = lo + rank * pde_piece(lo, hi, ranks);
    return first > hi ? lo : first;
}
PDE_MATH_FN int64_t pde_last(int64_t lo, int64_t hi, int rank, int ranks) {
    const int64_t piece = pde_piece(lo, hi, ranks), first = lo + rank * piece;
    return first > hi ? lo - 1 : pde_imin(first + piece - 1, hi);
}

/* The tree has two stages, so that three barriers do: the first PDE_STAGE ranks join what is theirs of
 * the others, then every rank joins those. */
#define PDE_STAGE 8
__shared__ real pde_slot[2][PDE_LAUNCH_ROWS * PDE_LANES];

#define PDE_JOIN_FN(how, joined)                                                                   \
    static __device__ __forceinline__ real pde_join_##how(real a, int rank, int ranks,             \
                                                          int width) {                             \
        const int at = PDE_THREAD;                                                                 \
        pde_slot[0][at] = a;                                                                       \
        __syncthreads();                                                                           \
        if (rank < PDE_STAGE) {                                                                    \
            for (int k = PDE_STAGE; k < ranks; k += PDE_STAGE) {                                   \
                const real b = pde_slot[0][at + k * width];                                        \
                a = joined;                                                                        \
            }                                                                                      \
            pde_slot[0][at] = a;                                                                   \
        }                                                                                          \
        __syncthreads();                                                                           \
        a = pde_slot[0][at % width];                                                               \
        for (int k = 1; k < PDE_STAGE; k++) {                                                      \
            const real b = pde_slot[0][at % width + k * width];                                    \
            a = joined;                                                                            \
        }                                                                                          \
        __syncthreads();                                                                           \
        return a;                                                                                  \
    }
PDE_JOIN_FN(sum, a + b)
PDE_JOIN_FN(prod, a *b)
PDE_JOIN_FN(max, PDE_FN(fmax)(a, b))
PDE_JOIN_FN(min, PDE_FN(fmin)(a, b))

/* Of equal values the first place counts, as in a loop. Rare: a plain tree, ranks are a power of two. */
#define PDE_JOIN_ARG_FN(how, better)                                                               \
    static __device__ __forceinline__ void pde_join_##how(real *place, real *value, int rank,      \
                                                          int ranks, int width) {                  \
        const int at = PDE_THREAD;                                                                 \
        pde_slot[0][at] = *place;                                                                  \
        pde_slot[1][at] = *value;                                                                  \
        __syncthreads();                                                                           \
        for (int half = ranks / 2; half > 0; half /= 2) {                                          \
            if (rank < half) {                                                                     \
                const int from = at + half * width;                                                \
                const real v = pde_slot[1][from], b = pde_slot[1][at];                             \
                if (v better b || (v == b && pde_slot[0][from] < pde_slot[0][at])) {               \
                    pde_slot[0][at] = pde_slot[0][from];                                           \
                    pde_slot[1][at] = v;                                                           \
                }                                                                                  \
            }                                                                                      \
            __syncthreads();                                                                       \
        }                                                                                          \
        *place = pde_slot[0][at % width];                                                          \
        *value = pde_slot[1][at % width];                                                          \
        __syncthreads();                                                                           \
    }
PDE_JOIN_ARG_FN(argmax, >)
PDE_JOIN_ARG_FN(argmin, <)

/* Arguments of group 0 or point 0 to those of this block. Arrays that a kernel does not have are NULL
 * and stay so. */
#define PDE_MOVED(type, pointer, by) ((pointer) ? (type *)(pointer) + (by) : (type *)(pointer))

static __device__ __forceinline__ PdePointArgs pde_points_of(const PdePointLaunch &q,
                                                             int64_t lane) {
    const int64_t group = blockIdx.x;
    PdePointArgs a = q.group0;
    a.x = PDE_MOVED(const real, a.x, group *q.x + lane);
    a.aux = PDE_MOVED(const real, a.aux, group *q.aux + lane);
    a.normal = PDE_MOVED(const real, a.normal, group *q.normal + lane);
    a.gradient = PDE_MOVED(const real, a.gradient, group *q.gradient + lane);
    a.out = PDE_MOVED(real, a.out, group * q.out + lane);
    a.value = PDE_MOVED(real, a.value, group * q.value + lane);
    a.bar_at = group * q.bar + lane;
    return a;
}

static __device__ __forceinline__ PdeCombineArgs pde_combine_of(const PdeCombineLaunch &q) {
    const int64_t point = blockIdx.x, group = point / PDE_LANES;
    PdeCombineArgs a = q.point0;
    a.lane = point % PDE_LANES;
    a.x = PDE_MOVED(const real, a.x, group *q.x);
    a.aux = PDE_MOVED(const real, a.aux, group *q.aux);
    a.normal = PDE_MOVED(const real, a.normal, group *q.normal);
    a.scalar = PDE_MOVED(const real, a.scalar, group *q.scalar);
    a.sweep = PDE_MOVED(const real, a.sweep, group *q.sweep);
    a.frozen = PDE_MOVED(real, a.frozen, group * q.frozen);
    a.sparse_row = PDE_MOVED(uint32_t, a.sparse_row, point * q.sparse);
    a.sparse_value = PDE_MOVED(real, a.sparse_value, point * q.sparse);
    a.n = PDE_MOVED(const real, a.n, point *q.n);
    a.residual = PDE_MOVED(real, a.residual, point * q.residual);
    a.seed_n = PDE_MOVED(real, a.seed_n, point * q.seed_n);
    a.seed_unknown = PDE_MOVED(real, a.seed_unknown, point * q.seed_unknown);
    for (int m = 0; m < 4; m++) {
        a.d[m] = PDE_MOVED(const real, a.d[m], point *q.d);
        a.seed_d[m] = PDE_MOVED(real, a.seed_d[m], point * q.seed_d);
    }
    return a;
}

#define PDE_LAUNCH_POINTS(name)                                                                    \
    extern "C" __global__ void __launch_bounds__(PDE_LAUNCH_ROWS *PDE_LANES)                       \
        pde_##name##_launch(const PdePointLaunch q) {                                              \
        const PdePointArgs a = pde_points_of(q, threadIdx.x);                                      \
        pde_##name(&a);                                                                            \
    }
#define PDE_LAUNCH_WEIGHTS(name)                                                                   \
    extern "C" __global__ void __launch_bounds__(PDE_LAUNCH_ROWS *PDE_LANES)                       \
        pde_##name##_launch(const PdePointLaunch q) {                                              \
        const PdePointArgs a = pde_points_of(q, 0);                                                \
        pde_##name(&a);                                                                            \
    }
/* Blocks of a combine kernel that a multiprocessor must have registers for: with four, the largest of
 * them spill in double, whose numbers take two registers each. */
#define PDE_LAUNCH_BLOCKS (sizeof(real) == sizeof(double) ? 3 : 4)
#define PDE_LAUNCH_COMBINE(name, families)                                                         \
    extern "C" __global__ void __launch_bounds__(PDE_LAUNCH_TERMS, PDE_LAUNCH_BLOCKS)              \
        pde_##name##_launch(const PdeCombineLaunch q) {                                            \
        const uint32_t *set[families + 1];                                                         \
        if (blockIdx.x >= q.points)                                                                \
            return;                                                                                \
        PdeCombineArgs a = pde_combine_of(q);                                                      \
        for (int f = 0; f < families; f++)                                                         \
            set[f] = a.set[f] + blockIdx.x * q.set[f];                                             \
        a.set = set;                                                                               \
        pde_##name(&a);                                                                            \
    }

#endif

#define PDE_EACH_LANE for (int l = 0; l < PDE_OWN_LANES; l++)

#endif
