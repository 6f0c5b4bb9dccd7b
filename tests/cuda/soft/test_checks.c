/* test_checks.c: each check of the device provoked once, on purpose: it must be found, in the right
 * place, and the launch must fail; the same kernel done right must pass. */
#include "greatest.h"
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
    "extern \"C\" __global__ void copy(float *y, const float *x, int n, int shift) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i + shift]; }\n"
    "extern \"C\" __global__ void bytes(char *p, int shift) { *(float *)(p + shift) = 1.0f; }\n"
    "extern \"C\" __global__ void diverged(float *y) {\n"
    "  __shared__ float s[64]; s[threadIdx.x] = 1;\n"
    "  if (threadIdx.x < 32) { __syncthreads(); y[threadIdx.x] = s[63 - threadIdx.x]; }\n"
    "  else { y[threadIdx.x] = 2; __syncthreads(); y[threadIdx.x] += s[3]; } }\n"
    "extern \"C\" __global__ void early(float *y, int n) {\n"
    "  __shared__ float s[64]; if ((int)threadIdx.x >= n) return;\n"
    "  s[threadIdx.x] = 1; __syncthreads(); y[threadIdx.x] = s[0]; }\n"
    "extern \"C\" __global__ void race(float *y, int right) {\n"
    "  __shared__ float s[64]; s[threadIdx.x] = (float)threadIdx.x;\n"
    "  if (right) __syncthreads();\n"
    "  y[threadIdx.x] = s[(threadIdx.x + 33) % 64]; }\n"
    "extern \"C\" __global__ void overwrite(float *y, int right) {\n"
    "  __shared__ float s[64]; s[threadIdx.x] = 0; __syncthreads();\n"
    "  float v = s[(threadIdx.x + 40) % 64]; if (right) __syncthreads();\n"
    "  s[threadIdx.x] = v + 1; __syncthreads(); y[threadIdx.x] = s[threadIdx.x]; }\n"
    "extern \"C\" __global__ void both(int *y, int right) {\n"
    "  __shared__ int s; if (right) atomicExch(&s, 3); else s = 3; __syncthreads(); y[threadIdx.x] "
    "= s; }\n"
    "extern \"C\" __global__ void warps(float *y, int right) {\n"
    "  __shared__ float s[64]; s[threadIdx.x] = (float)threadIdx.x;\n"
    "  if (right) __syncwarp();\n"
    "  y[threadIdx.x] = s[threadIdx.x ^ 1]; }\n"
    "extern \"C\" __global__ void unset(float *y) {\n"
    "  __shared__ float s[64]; if (threadIdx.x < 63) s[threadIdx.x] = 1; __syncthreads(); "
    "y[threadIdx.x] = s[threadIdx.x]; }\n"
    "extern \"C\" __global__ void beyond(float *y, int k) {\n"
    "  __shared__ float s[64]; s[threadIdx.x] = 1; __syncthreads(); if (threadIdx.x == 5) s[k] = "
    "2; __syncthreads(); y[threadIdx.x] = s[threadIdx.x]; }\n"
    "extern \"C\" __global__ void beyond_dynamic(float *y, int k) {\n"
    "  extern __shared__ float d[]; d[threadIdx.x] = 1; if (threadIdx.x == 5) d[k] = 2; "
    "__syncthreads(); y[threadIdx.x] = d[threadIdx.x]; }\n"
    "extern \"C\" __global__ void local(float *y, int k) {\n"
    "  float a[8]; for (int i = 0; i < 8; i++) a[i] = y[i]; a[k] = 3; y[threadIdx.x] = "
    "a[threadIdx.x % 8]; }\n"
    "extern \"C\" __global__ void shuffle(float *y, int k) {\n"
    "  float v = 1; if ((int)threadIdx.x < k) v = __shfl_xor_sync(0xffffffffu, v, 1); else v = "
    "y[0];\n"
    "  __syncwarp(); y[threadIdx.x] = v; }\n"
    "__constant__ float table[4] = {1, 2, 3, 4};\n"
    "extern \"C\" __global__ void constant(float *y) { y[threadIdx.x] = table[threadIdx.x % 4]; }\n"
    "extern \"C\" __global__ void stop(int k) { if ((int)threadIdx.x == k) __trap(); }\n"
    "extern \"C\" __global__ void last(int *y) { y[0] = blockIdx.x * blockDim.x + threadIdx.x; }\n";

static void *module;

static DevicePointer fresh(size_t size, int filled) {
    DevicePointer p = 0;
    if (cuMemAlloc_v2(&p, size) == 0 && filled)
        cuMemsetD8_v2(p, 0, size);
    return p;
}

/* A failed launch spoils the context, as on a GPU: begin anew. */
static int begin(void) {
    rig_stop();
    rig_reset();
    if (!rig_start())
        return 0;
    module = rig_compile(source, NULL);
    return module != NULL;
}

static void end(DevicePointer a, DevicePointer b) {
    if (a)
        cuMemFree_v2(a);
    if (b)
        cuMemFree_v2(b);
    cuModuleUnload(module);
}

/* launch(wrong) must return a status and count one kind of finding; launch(right) nothing. */
#define FINDS(kind, status, ...)                                                                   \
    do {                                                                                           \
        ASSERT_EQ(0, rig_found_all());                                                             \
        ASSERT_EQ(status, rig_launch(__VA_ARGS__, NULL));                                          \
        ASSERT(rig_found(kind) > 0);                                                               \
        ASSERT_EQ(rig_found(kind), rig_found_all());                                               \
    } while (0)
#define FINE(...)                                                                                  \
    do {                                                                                           \
        ASSERT_EQ(0, rig_launch(__VA_ARGS__, NULL));                                               \
        ASSERT_EQ(0, rig_found_all());                                                             \
    } while (0)

TEST out_of_bounds(void) {
    for (int wrong = 0; wrong < 3; wrong++) { /* behind the end, before the beginning, null */
        ASSERT(begin());
        DevicePointer x = fresh(100 * 4, 1), y = fresh(100 * 4, 0), null = 0;
        int n = 100, shift = 0, bad[2] = {1, -1};
        FINE(rig_function(module, "copy"), 1, 128, 0, &y, &x, &n, &shift);
        FINDS(FOUND_OUT_OF_BOUNDS, 700, rig_function(module, "copy"), 1, 128, 0, &y,
              wrong == 2 ? &null : &x, &n, wrong == 2 ? &shift : &bad[wrong]);
        ASSERT_EQ(700, cuCtxSynchronize());
        end(x, y);
    }
    PASS();
}

TEST misaligned(void) {
    ASSERT(begin());
    DevicePointer x = fresh(64, 0);
    int shift = 4, bad = 6;
    FINE(rig_function(module, "bytes"), 1, 1, 0, &x, &shift);
    FINDS(FOUND_MISALIGNED, 716, rig_function(module, "bytes"), 1, 1, 0, &x, &bad);
    end(x, 0);
    PASS();
}

TEST use_after_free(void) {
    ASSERT(begin());
    DevicePointer x = fresh(400, 1), y = fresh(400, 0);
    int n = 100, shift = 0;
    cuMemFree_v2(x);
    FINDS(FOUND_USE_AFTER_FREE, 700, rig_function(module, "copy"), 1, 128, 0, &y, &x, &n, &shift);
    end(y, 0);
    PASS();
}

TEST uninitialised(void) {
    ASSERT(begin());
    DevicePointer x = fresh(400, 0), y = fresh(400, 0);
    float some[99] = {0}, back[100];
    int n = 99, all = 100, shift = 0;
    ASSERT_EQ(0, cuMemcpyHtoD_v2(x, some, sizeof some));
    FINE(rig_function(module, "copy"), 1, 128, 0, &y, &x, &n, &shift);
    ASSERT_EQ(0, cuMemcpyDtoD_v2(y, x, 400)); /* carries the gap along */
    ASSERT_EQ(0, rig_found_all());
    cuMemcpyDtoH_v2(back, y, 400);
    ASSERT_EQ(1, rig_found(FOUND_UNINITIALISED));
    rig_reset();
    FINDS(FOUND_UNINITIALISED, 719, rig_function(module, "copy"), 1, 128, 0, &y, &x, &all, &shift);
    end(x, y);
    PASS();
}

TEST barriers(void) {
    int full = 64, part = 60;
    ASSERT(begin());
    DevicePointer y = fresh(256, 0);
    FINE(rig_function(module, "early"), 1, 64, 0, &y, &full);
    FINDS(FOUND_DIVERGED_BARRIER, 719, rig_function(module, "early"), 1, 64, 0, &y, &part);
    end(y, 0);
    ASSERT(begin());
    y = fresh(256, 0);
    FINDS(FOUND_DIVERGED_BARRIER, 719, rig_function(module, "diverged"), 1, 64, 0, &y);
    end(y, 0);
    PASS();
}

TEST races(void) {
    static const char *const orders[] = {"normal", "reversed", "shuffled:3"};
    static const char *const kernels[] = {"race", "overwrite", "both", "warps"};
    int right = 1, wrong = 0;
    for (int o = 0; o < 3; o++)
        for (int k = 0; k < 4; k++) {
            ASSERT(begin() && rig_order(orders[o]));
            DevicePointer y = fresh(256, 0);
            FINE(rig_function(module, kernels[k]), 2, 64, 0, &y, &right);
            /* in other orders the value may not even be there yet */
            ASSERT_EQ(719,
                      rig_launch(rig_function(module, kernels[k]), 2, 64, 0, &y, &wrong, NULL));
            ASSERT(rig_found(FOUND_RACE) > 0);
            ASSERT_EQ(rig_found_all(), rig_found(FOUND_RACE) + rig_found(FOUND_UNINITIALISED));
            end(y, 0);
        }
    rig_order("normal");
    PASS();
}

TEST shared_memory(void) {
    int inside = 63, behind = 64;
    ASSERT(begin());
    DevicePointer y = fresh(256, 0);
    FINDS(FOUND_UNINITIALISED, 719, rig_function(module, "unset"), 1, 64, 0, &y);
    end(y, 0);
    ASSERT(begin());
    y = fresh(256, 0);
    FINE(rig_function(module, "beyond"), 1, 64, 0, &y, &inside);
    FINDS(FOUND_OUT_OF_BOUNDS, 700, rig_function(module, "beyond"), 1, 64, 0, &y, &behind);
    end(y, 0);
    ASSERT(begin());
    y = fresh(256, 0);
    int mine = 5;
    FINE(rig_function(module, "beyond_dynamic"), 1, 64, 256, &y, &mine);
    FINDS(FOUND_OUT_OF_BOUNDS, 700, rig_function(module, "beyond_dynamic"), 1, 64, 256, &y,
          &behind);
    end(y, 0);
    PASS();
}

TEST local_memory(void) {
    int inside = 7, outside = 5000;
    ASSERT(begin());
    DevicePointer y = fresh(256, 1);
    FINE(rig_function(module, "local"), 1, 64, 0, &y, &inside);
    FINDS(FOUND_OUT_OF_BOUNDS, 700, rig_function(module, "local"), 1, 64, 0, &y, &outside);
    end(y, 0);
    PASS();
}

TEST warp_operations(void) {
    int all = 32, half = 16;
    ASSERT(begin());
    DevicePointer y = fresh(256, 1);
    FINE(rig_function(module, "shuffle"), 1, 32, 0, &y, &all);
    FINDS(FOUND_DIVERGED_WARP, 719, rig_function(module, "shuffle"), 1, 32, 0, &y, &half);
    end(y, 0);
    PASS();
}

TEST constants_and_traps(void) {
    int never = -1, some = 3;
    ASSERT(begin());
    DevicePointer y = fresh(256, 1);
    DevicePointer table;
    ASSERT_EQ(0, cuModuleGetGlobal_v2(&table, NULL, module, "table"));
    FINE(rig_function(module, "constant"), 1, 64, 0, &y);
    FINDS(FOUND_READ_ONLY, 719, rig_function(module, "last"), 1, 64, 0, &table);
    end(y, 0);
    ASSERT(begin());
    FINE(rig_function(module, "stop"), 1, 64, 0, &never);
    FINDS(FOUND_TRAP, 719, rig_function(module, "stop"), 1, 64, 0, &some);
    end(0, 0);
    PASS();
}

/* What depends on the order of threads shows in the orders. */
TEST orders_differ(void) {
    int seen[4];
    static const char *const orders[] = {"normal", "reversed", "shuffled:1", "shuffled:2"};
    ASSERT(begin());
    DevicePointer y = fresh(4, 1);
    for (int k = 0; k < 4; k++) {
        ASSERT(rig_order(orders[k]));
        FINE(rig_function(module, "last"), 7, 64, 0, &y);
        cuMemcpyDtoH_v2(&seen[k], y, 4);
    }
    ASSERT_EQ(7 * 64 - 1, seen[0]);
    ASSERT_EQ(0, seen[1]);
    ASSERT(seen[2] != seen[3] && seen[2] != seen[0]);
    ASSERT(!rig_order("sideways"));
    rig_order("normal");
    end(y, 0);
    PASS();
}

TEST leaks_and_bad_frees(void) {
    ASSERT(begin());
    DevicePointer kept = fresh(40, 0), y = fresh(40, 0);
    ASSERT_EQ(1, cuMemFree_v2(y + 8));
    ASSERT_EQ(1, rig_found(FOUND_BAD_FREE));
    ASSERT_EQ(0, cuMemFree_v2(y));
    ASSERT_EQ(1, cuMemFree_v2(y));
    ASSERT_EQ(2, rig_found(FOUND_BAD_FREE));
    cuModuleUnload(module);
    rig_reset();
    rig_stop();
    ASSERT_EQ(1, rig_found(FOUND_LEAK));
    ASSERT(rig_start());
    ASSERT_EQ(1, cuMemFree_v2(kept)); /* the context took it along */
    kept = fresh(40, 0);
    cuMemFree_v2(kept);
    rig_reset();
    rig_stop();
    ASSERT_EQ(0, rig_found(FOUND_LEAK));
    ASSERT(rig_start());
    PASS();
}

TEST unsupported_instructions(void) {
    static const char head[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f()\n{\n.reg .b32 %r<3>;\n";
    char text[512], log[512] = "";
    void *m, *values[2] = {log, (void *)(uintptr_t)sizeof log};
    int names[2] = {5, 6};
    rig_reset();
    snprintf(text, sizeof text, "%s\twmma.nothing.b32 %%r1, %%r2;\n\tret;\n}\n", head);
    ASSERT_EQ(218, cuModuleLoadDataEx(&m, text, 2, names, values));
    ASSERT_EQ(1, rig_found(FOUND_UNSUPPORTED));
    ASSERT(strstr(log, "PTX line 7: wmma.nothing.b32 %r1, %r2;"));
    snprintf(text, sizeof text, "%s\tadd.s32 %%r1, %%r2, 7;\n\tret;\n}\n", head);
    ASSERT_EQ(0, cuModuleLoadDataEx(&m, text, 2, names, values));
    ASSERT_EQ(0, cuModuleUnload(m));
    PASS();
}

/* The driver as host code sees it: sizes, capture, names, what is refused. */
TEST driver_calls(void) {
    ASSERT(begin());
    DevicePointer x = fresh(400, 1), y = fresh(400, 0), big;
    int n = 100, shift = 0;
    void *stream, *graph, *exec, *found = NULL, *copy = rig_function(module, "copy");
    void *params[] = {&y, &x, &n, &shift};
    ASSERT_EQ(2, cuMemAlloc_v2(&big, (size_t)1 << 44));
    ASSERT_EQ(1, cuLaunchKernel(copy, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL));
    ASSERT_EQ(1, rig_found(FOUND_BAD_ARGUMENT));
    ASSERT_EQ(1, cuLaunchKernel(copy, 1, 1, 1, 32, 1, 1, 49 << 10, NULL, params, NULL));
    ASSERT_EQ(0, cuFuncSetAttribute(copy, 8, 100 << 10));
    ASSERT_EQ(0, cuLaunchKernel(copy, 1, 1, 1, 128, 1, 1, 49 << 10, NULL, params, NULL));
    rig_reset();
    ASSERT_EQ(0, cuStreamCreate(&stream, 1));
    ASSERT_EQ(0, cuStreamBeginCapture_v2(stream, 0));
    ASSERT_EQ(0, cuMemsetD32Async(x, 0x40000000u, 100, stream)); /* 2.0f */
    ASSERT_EQ(0, cuLaunchKernel(copy, 1, 1, 1, 128, 1, 1, 0, stream, params, NULL));
    ASSERT_EQ(900, cuCtxSynchronize());
    ASSERT_EQ(900, cuMemAlloc_v2(&big, 4));
    ASSERT_EQ(0, cuStreamEndCapture(stream, &graph));
    ASSERT_EQ(0, cuGraphInstantiateWithFlags(&exec, graph, 0));
    float values[100];
    ASSERT_EQ(0, cuMemsetD8_v2(y, 0, 400));
    for (int k = 0; k < 2; k++) {
        ASSERT_EQ(0, cuGraphLaunch(exec, stream));
        ASSERT_EQ(0, cuMemcpyDtoH_v2(values, y, 400));
        ASSERT_EQ(2.0f, values[99]);
    }
    SoftCounters c;
    rig_counters(&c, sizeof c);
    ASSERT_EQ(2, c.launches);
    ASSERT_EQ(2 * 100 * 4, c.read_bytes);
    ASSERT_EQ(2 * 100 * 4, c.written_bytes);
    ASSERT_EQ(2 * 13, c.read_sectors); /* 400 bytes in sectors of 32 */
    ASSERT_EQ(0, c.flops);
    ASSERT(cuGraphDestroy(graph) == 0 && cuGraphExecDestroy(exec) == 0 &&
           cuStreamDestroy_v2(stream) == 0);
    ASSERT_EQ(0, cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, NULL));
    ASSERT(memcmp(&found, &cuMemAlloc_v2, sizeof found) == 0);
    ASSERT_EQ(500, cuGetProcAddress_v2("cuNothing", &found, 12000, 0, NULL));
    ASSERT_EQ(0, rig_found_all());
    end(x, y);
    PASS();
}

SUITE(checks) {
    RUN_TEST(out_of_bounds);
    RUN_TEST(misaligned);
    RUN_TEST(use_after_free);
    RUN_TEST(uninitialised);
    RUN_TEST(barriers);
    RUN_TEST(races);
    RUN_TEST(shared_memory);
    RUN_TEST(local_memory);
    RUN_TEST(warp_operations);
    RUN_TEST(constants_and_traps);
    RUN_TEST(orders_differ);
    RUN_TEST(leaks_and_bad_frees);
    RUN_TEST(unsupported_instructions);
    RUN_TEST(driver_calls);
}

GREATEST_MAIN_DEFS();

/* Findings are wanted here: they go to a file of the working directory, not to the terminal. */
int main(int argc, char **argv) {
    if (!getenv("PDE_SOFT_CUDA_LOG"))
        setenv("PDE_SOFT_CUDA_LOG", "soft_checks.log", 1);
    remove(getenv("PDE_SOFT_CUDA_LOG"));
    if (!rig_open())
        return SKIPPED;
    if (!rig_start())
        return 1;
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(checks);
    rig_stop();
    GREATEST_MAIN_END();
}
