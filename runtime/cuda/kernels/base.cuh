/* base.cuh: the dialect of the engine's kernels: C that NVRTC compiles, and that a test compiles for
 * the host to run with threads of its own (it defines KERNEL, SHARED, DEVICE and BARRIER itself).
 *
 * Sums are joined in trees of fixed shape through shared memory, so a step has the same bits each time.
 * No atomics, no warp instructions: the order in which threads run changes nothing. */
#ifndef KERNEL
#define KERNEL(name, Args) extern "C" __global__ void pde_engine_##name(const Args a)
#define DEVICE static __device__ __forceinline__
#define SHARED __shared__
#define BARRIER __syncthreads()
#define UNROLL _Pragma("unroll")
#endif

/* sum[4][4] of thread (tx, ty) += the product of two tiles [DEV_DEEP][DEV_TILE] in shared memory */
#define ADD_TILES(sum, u, v)                                                                       \
    UNROLL for (int k = 0; k < DEV_DEEP; k++)                                                      \
        UNROLL for (int p = 0; p < 4; p++)                                                         \
            UNROLL for (int q = 0; q < 4; q++)                                                     \
                sum[p][q] += u[k][ty + 16 * p] * v[k][tx + 16 * q];

DEVICE int64_t thread_number(void) {
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Sum of the n (a power of two) numbers of `part`, into part[0]; every thread of the block calls. */
DEVICE void tree_sum(double *part, int t, int n) {
    for (int s = n / 2; s > 0; s /= 2) {
        BARRIER;
        if (t < s)
            part[t] += part[t + s];
    }
    BARRIER;
}

DEVICE int block_thread(void) {
    return (int)(threadIdx.y * blockDim.x + threadIdx.x);
}

/* Sum of a number of each of the DEV_THREADS threads of a block, for all of them. */
DEVICE double block_sum(double *part, double mine) {
    int t = block_thread();
    BARRIER;
    part[t] = mine;
    tree_sum(part, t, DEV_THREADS);
    return part[0];
}

/* Column sums of part[DEV_TALL][DEV_WIDE] into its first row. */
DEVICE void tall_sum(real (*part)[DEV_WIDE]) {
    for (int s = DEV_TALL / 2; s > 0; s /= 2) {
        BARRIER;
        if ((int)threadIdx.y < s)
            part[threadIdx.y][threadIdx.x] += part[threadIdx.y + s][threadIdx.x];
    }
    BARRIER;
}

/* Row sums of part[DEV_TALL][DEV_WIDE] into its first column. */
DEVICE void wide_sum(real (*part)[DEV_WIDE]) {
    for (int s = DEV_WIDE / 2; s > 0; s /= 2) {
        BARRIER;
        if ((int)threadIdx.x < s)
            part[threadIdx.y][threadIdx.x] += part[threadIdx.y][threadIdx.x + s];
    }
    BARRIER;
}
