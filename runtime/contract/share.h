/* share.h: who does what of a generated kernel. On the host one thread does all of it, and the names
 * here are plain loops of C or nothing at all. On CUDA a block shares it (launch_abi.h): each thread
 * has one lane, or none; outermost loops are dealt out to the ranks and what they sum is joined in a
 * fixed tree; everything else is done alike by all ranks, and stored by the first.
 *
 *   PDE_KERNEL                  before every kernel
 *   PDE_POINTS, PDE_TERMS,      first line of its body: ranks are rows of lanes, or single threads
 *   PDE_WEIGHTS                 (of a block as for terms, as for points)
 *   PDE_EACH_LANE               a loop over the lanes l of this thread, of which it has PDE_OWN_LANES
 *   PDE_FOR(i, lo, hi)          lo <= i <= hi, dealt out; PDE_FOR_LANES where loops over lanes are within
 *   PDE_RANGE(i, lo, hi)        declares first_i and last_i: the same in pieces, for loops that keep
 *                               values from one i to the next
 *   PDE_EACH_TERM(k, lo, end)   lo <= k < end, dealt out
 *   PDE_TREE(t, first, last, n) before a loop that adds up: its numbers first <= k <= last of n, from 0, are dealt
 *                               out by leaves (leaf.h); PDE_OWN_TREE where each thread does all of them. Then
 *     PDE_TOTAL(t, how, a)      for each sum or product a, which has its first value
 *     PDE_LEAVES(t) {           all leaves
 *     PDE_LEAF(t, i, from) {    one of them; i = k + from
 *     PDE_NODE(t, how, a)       } after it, for each a: into the tree
 *     PDE_ROOT(t, how, a)       } after all. The forms with _LANES are for arrays over lanes
 *   PDE_JOIN(how, v)            after such a loop; PDE_JOIN_LANES for an array over lanes; the arg
 *                               forms keep the place a of the best value b
 *   PDE_SQUARE(s, d)            s = |x|^2 of each lane, an array of double
 *   PDE_SPLIT(v)                before a loop that adds to v what PDE_JOIN then joins
 *   PDE_ONCE                    a store outside loops
 *   PDE_TOGETHER                between loops of which the second stores where the first has
 *   PDE_DELIVER(s, target)      target += s, which a dealt out loop has added up, the same place for all ranks
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
#ifdef __clang__
/* Lanes are what becomes vectors, by whole loads and stores. Clang unrolls their loops and would then take some i
 * together, which it has to gather and scatter: several times the time. */
#define PDE_FOR_LANES(i, lo, hi) _Pragma("clang loop vectorize(disable)") PDE_FOR(i, lo, hi)
#else
#define PDE_FOR_LANES PDE_FOR
#endif
#define PDE_RANGE(i, lo, hi) const int64_t first_##i = (lo), last_##i = (hi);
#define PDE_EACH_TERM(k, lo, end) for (int64_t k = (lo); k < (end); k++)
#define PDE_JOIN(how, v)
#define PDE_JOIN_LANES(how, v)
#define PDE_JOIN_ARG(how, a, b)
#define PDE_JOIN_ARG_LANES(how, a, b)
#define PDE_SPLIT(v)
#define PDE_ONCE
#define PDE_TOGETHER
#define PDE_DELIVER(s, target) target += s;
#define PDE_LAUNCH_POINTS(name)
#define PDE_LAUNCH_WEIGHTS(name)
#define PDE_LAUNCH_COMBINE(name, families)

#define PDE_TREE(t, first, last, n)                                                                \
    const int64_t wide_##t = pde_leaf(n), first_##t = (first), last_##t = (last);                  \
    int64_t leaf_##t = pde_leaf_of(first_##t, wide_##t);
#define PDE_OWN_TREE PDE_TREE
#define PDE_LEAVES(t) for (; leaf_##t <= pde_leaf_of(last_##t, wide_##t); leaf_##t++)
#define PDE_LEAF(t, i, from)                                                                       \
    for (int64_t i = pde_leaf_first(leaf_##t, wide_##t, first_##t) + (from),                       \
                 end_##t = pde_imin(leaf_##t * wide_##t + wide_##t - 1, last_##t) + (from);        \
         i <= end_##t; i++)
#define PDE_TOTAL(t, how, a)                                                                       \
    real node_##t##_##a[PDE_TREE_LEVELS];                                                          \
    PDE_FN(tree_##how##_begin)(node_##t##_##a, leaf_##t);
#define PDE_TOTAL_LANES(t, how, a)                                                                 \
    PDE_FN(row) node_##t##_##a[PDE_TREE_LEVELS];                                                   \
    PDE_FN(row_##how##_begin)(node_##t##_##a, leaf_##t);
#define PDE_NODE(t, how, a) PDE_FN(tree_##how##_rise)(&a, node_##t##_##a, leaf_##t);
#define PDE_NODE_LANES(t, how, a)                                                                  \
    PDE_FN(row_##how##_rise)((PDE_FN(row) *)a, node_##t##_##a, leaf_##t);
#define PDE_ROOT(t, how, a) PDE_FN(tree_##how##_root)(&a, node_##t##_##a, leaf_##t);
#define PDE_ROOT_LANES(t, how, a)                                                                  \
    PDE_FN(row_##how##_root)((PDE_FN(row) *)a, node_##t##_##a, leaf_##t);

PDE_MATH_FN int64_t pde_leaf_first(int64_t leaf, int64_t wide, int64_t first) {
    return leaf > 0 ? pde_imax(first, leaf * wide) : first;
}

/* One number for each lane, as one value: loops over lanes that compilers unroll hide from them that nobody else
 * has a sum's address, and then they keep it in memory while a leaf is added up. */
#define PDE_ROW(type)                                                                              \
    type __attribute__((vector_size(PDE_LANES * sizeof(type)), may_alias, aligned(sizeof(type))))
typedef PDE_ROW(float) pde_rowf;
typedef PDE_ROW(double) pde_row;

/* Leaves before the first are there, as if they had added nothing. */
#define PDE_TREE_FN(type, how, name, suffix, start, joined)                                        \
    PDE_TREE_PART void pde_##name##_##how##_begin##suffix(type *node, int64_t leaves) {            \
        for (int k = 0; leaves >> k; k++)                                                          \
            node[k] = (type){0} + start;                                                           \
    }                                                                                              \
    PDE_TREE_PART void pde_##name##_##how##_rise##suffix(type *s, type *node, int64_t leaf) {      \
        type b = *s;                                                                               \
        int k = 0;                                                                                 \
        PDE_TREE_RISE(leaf, k) {                                                                   \
            const type a = node[k];                                                                \
            b = joined;                                                                            \
        }                                                                                          \
        node[k] = b;                                                                               \
        *s = (type){0} + start;                                                                    \
    }                                                                                              \
    PDE_TREE_PART void pde_##name##_##how##_root##suffix(type *s, const type *node,                \
                                                         int64_t leaves) {                         \
        type b = *s;                                                                               \
        PDE_TREE_ROOT(leaves, k) {                                                                 \
            const type a = node[k];                                                                \
            b = joined;                                                                            \
        }                                                                                          \
        *s = b;                                                                                    \
    }
#define PDE_TREE_FNS(type, name, suffix)                                                           \
    PDE_TREE_FN(type, sum, name, suffix, 0, a + b)                                                 \
    PDE_TREE_FN(type, prod, name, suffix, 1, a *b)
#define PDE_TREE_PART PDE_MATH_FN __attribute__((always_inline))
PDE_TREE_FNS(float, tree, f)
PDE_TREE_FNS(double, tree, )
PDE_TREE_FNS(pde_rowf, row, f)
PDE_TREE_FNS(pde_row, row, )

/* Up to one leaf in the number type, more in double. */
PDE_MATH_FN void pde_square_of(const real *x, int64_t d, double *s) {
    if (d <= PDE_LEAF_LEAST) {
        real chain[PDE_LANES];
        for (int l = 0; l < PDE_LANES; l++)
            chain[l] = R(0);
        for (int64_t i = 0; i < d; i++)
            for (int l = 0; l < PDE_LANES; l++)
                chain[l] += PDE_FN(square)(x[i * PDE_LANES + l]);
        for (int l = 0; l < PDE_LANES; l++)
            s[l] = (double)chain[l];
        return;
    }
    pde_row node[PDE_TREE_LEVELS];
    for (int l = 0; l < PDE_LANES; l++)
        s[l] = 0;
    PDE_TREE(x, 0, d - 1, d)
    PDE_LEAVES(x) {
        PDE_LEAF(x, i, 0)
        for (int l = 0; l < PDE_LANES; l++)
            s[l] += (double)x[i * PDE_LANES + l] * (double)x[i * PDE_LANES + l];
        pde_row_sum_rise((pde_row *)s, node, leaf_x);
    }
    pde_row_sum_root((pde_row *)s, node, leaf_x);
}
#define PDE_SQUARE(s, d) pde_square_of(x, d, s);

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
#define PDE_FOR_LANES PDE_FOR
#define PDE_RANGE(i, lo, hi)                                                                       \
    const int64_t first_##i = pde_first(lo, hi, pde_rank, pde_ranks);                              \
    const int64_t last_##i = pde_last(lo, hi, pde_rank, pde_ranks);
#define PDE_EACH_TERM(k, lo, end) for (int64_t k = (lo) + pde_rank; k < (end); k += pde_ranks)
#define PDE_JOIN(how, v) v = pde_join_##how(v, pde_rank, pde_ranks, pde_width);
#define PDE_JOIN_LANES(how, v) PDE_JOIN(how, v[0])
#define PDE_JOIN_ARG(how, a, b) pde_join_##how(&a, &b, pde_rank, pde_ranks, pde_width);
#define PDE_JOIN_ARG_LANES(how, a, b) PDE_JOIN_ARG(how, a[0], b[0])
#define PDE_SQUARE(s, d) s[0] = pde_square_of(x, d, pde_rank, pde_ranks, pde_width);

/* A rank takes every so many numbers; PDE_LEAF_LEAST of its own are a leaf, and its leaves are one chain. */
#define PDE_TREE(t, first, last, n)                                                                \
    const int64_t last_##t = (last), by_##t = pde_ranks;                                           \
    int64_t leaf_##t = (first) + pde_rank;
#define PDE_OWN_TREE(t, first, last, n)                                                            \
    const int64_t last_##t = (last), by_##t = 1;                                                   \
    int64_t leaf_##t = (first);
#define PDE_LEAVES(t) for (; leaf_##t <= last_##t; leaf_##t += PDE_LEAF_LEAST * by_##t)
#define PDE_LEAF(t, i, from)                                                                       \
    for (int64_t i = leaf_##t + (from),                                                            \
                 end_##t = pde_imin(leaf_##t + (PDE_LEAF_LEAST - 1) * by_##t, last_##t) + (from);  \
         i <= end_##t; i += by_##t)
#define PDE_TOTAL(t, how, a) real node_##t##_##a = PDE_START_##how;
#define PDE_TOTAL_LANES PDE_TOTAL
#define PDE_NODE(t, how, a)                                                                        \
    node_##t##_##a = PDE_BOTH_##how(node_##t##_##a, a);                                            \
    a = PDE_START_##how;
#define PDE_NODE_LANES(t, how, a)                                                                  \
    node_##t##_##a = PDE_BOTH_##how(node_##t##_##a, a[0]);                                         \
    a[0] = PDE_START_##how;
#define PDE_ROOT(t, how, a) a = PDE_BOTH_##how(node_##t##_##a, a);
#define PDE_ROOT_LANES(t, how, a) a[0] = PDE_BOTH_##how(node_##t##_##a, a[0]);
#define PDE_START_sum R(0)
#define PDE_START_prod R(1)
#define PDE_BOTH_sum(a, b) a + b
#define PDE_BOTH_prod(a, b) a *b
#define PDE_SPLIT(v) v = pde_rank == 0 ? v : R(0);
#define PDE_ONCE if (pde_rank == 0)
#define PDE_TOGETHER __syncthreads();
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
__shared__ __align__(8) real pde_slot[2][PDE_LAUNCH_ROWS * PDE_LANES];

#define PDE_JOIN_FN(how, type, joined)                                                             \
    static __device__ __forceinline__ type pde_join_##how(type a, int rank, int ranks,             \
                                                          int width) {                             \
        type *slot = (type *)pde_slot[0];                                                          \
        const int at = PDE_THREAD;                                                                 \
        slot[at] = a;                                                                              \
        __syncthreads();                                                                           \
        if (rank < PDE_STAGE) {                                                                    \
            for (int k = PDE_STAGE; k < ranks; k += PDE_STAGE) {                                   \
                const type b = slot[at + k * width];                                               \
                a = joined;                                                                        \
            }                                                                                      \
            slot[at] = a;                                                                          \
        }                                                                                          \
        __syncthreads();                                                                           \
        a = slot[at % width];                                                                      \
        for (int k = 1; k < PDE_STAGE; k++) {                                                      \
            const type b = slot[at % width + k * width];                                           \
            a = joined;                                                                            \
        }                                                                                          \
        __syncthreads();                                                                           \
        return a;                                                                                  \
    }
PDE_JOIN_FN(sum, real, a + b)
PDE_JOIN_FN(prod, real, a *b)
PDE_JOIN_FN(max, real, PDE_FN(fmax)(a, b))
PDE_JOIN_FN(min, real, PDE_FN(fmin)(a, b))
PDE_JOIN_FN(wide, double, a + b)

/* Up to one leaf in the number type, more in double. */
static __device__ __forceinline__ double pde_square_of(const real *x, int64_t d, int rank,
                                                       int ranks, int width) {
    if (d <= PDE_LEAF_LEAST) {
        real chain = R(0);
        for (int64_t i = rank; i < d; i += ranks)
            chain += PDE_FN(square)(x[i * PDE_LANES]);
        return (double)pde_join_sum(chain, rank, ranks, width);
    }
    double s = 0;
    for (int64_t i = rank; i < d; i += ranks)
        s += (double)x[i * PDE_LANES] * (double)x[i * PDE_LANES];
    return pde_join_wide(s, rank, ranks, width);
}

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
