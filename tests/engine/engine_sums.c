/* The first layer's sums over many coordinates against double: positive products, so that rounding adds up. By leaf
 * and tree the error is that of a leaf and the bits are those of any number of threads and of any instruction set
 * that fuses products with sums.
 */
#include "engine_check.h"

/* The bound that a chain of floats for each sixteenth of the coordinates, which is what stood here, breaks from a
 * million coordinates on; and numbers at random, as those of a pattern round to nothing in the mean. */
static const double BOUND = 1e-6;

static double at_random(int64_t i, uint64_t which) {
    uint64_t z = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u + which * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 0x1p53;
}

static void keep_value(void *context, const PdeJet *jet) {
    ((float *)context)[jet->point] = ((const float *)jet->n)[0];
    ((float *)jet->residual)[0] = 0;
}

/* value[b] of a network with one hidden unit, which sees sum_i w_i x_bi; want[b] is that in double. */
static int value_of(int64_t n, int threads, PdeIsa isa, float *value, double *want) {
    enum { POINTS = 3 };
    int64_t width[] = {n, 1, 1};
    PdeEngineConfig config = {
        PDE_F32, isa, threads, 2, width, PDE_ACT_identity, pde_optim_default(PDE_OPT_sgd), NULL};
    PdeEngine *e = pde_engine_create(&config);
    PdeBatchConfig shape = {.points = POINTS, .residuals = 1};
    PdeBatch *q = e ? pde_batch_create(e, &shape) : NULL;
    float *theta = calloc((size_t)n + 3, sizeof *theta), *x = q ? pde_batch_x(q) : NULL;
    if (!q || !theta) {
        free(theta);
        if (e)
            pde_engine_destroy(e);
        return 0;
    }
    for (int64_t i = 0; i < n; i++)
        theta[i] = (float)((1 + at_random(i, 0)) / (4 * (double)n));
    theta[n + 1] = 1;
    pde_engine_set(e, PDE_SLOT_PARAMETERS, theta);
    for (int b = 0; b < POINTS; b++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            float v = (float)at_random(i, 1 + (uint64_t)b);
            x[i * PDE_LANES + b] = v;
            sum += (double)v * (double)theta[i];
        }
        want[b] = sum;
    }
    PdeTaskSpec task = {.combine = keep_value, .context = value};
    pde_value(e, q, &task);
    free(theta);
    pde_batch_destroy(q);
    pde_engine_destroy(e);
    return 1;
}

TEST first_layer_is_summed_by_leaves(int64_t n) {
    float best[3] = {0}, other[3];
    double want[3];
    ASSERT(value_of(n, 2, PDE_ISA_BEST, best, want));
    for (int b = 0; b < 3; b++)
        ASSERT_IN_RANGE(want[b], (double)best[b], BOUND * want[b]);
    for (int threads = 1; threads < 6; threads += 4) {
        ASSERT(value_of(n, threads, PDE_ISA_BEST, other, want));
        ASSERT_EQ(0, memcmp(best, other, sizeof best));
    }
    if (value_of(n, 1, PDE_ISA_AVX2, other, want))
        ASSERT_EQ(0, memcmp(best, other, sizeof best));
    ASSERT(value_of(n, 1, PDE_ISA_BASE, other, want));
    for (int b = 0; b < 3; b++)
        ASSERT_IN_RANGE(want[b], (double)other[b], BOUND * want[b]);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    static const int64_t counts[] = {1, 255, 256, 257, 4097, 33000, 150000, 3000000};
    GREATEST_MAIN_BEGIN();
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        RUN_TESTp(first_layer_is_summed_by_leaves, counts[k]);
    GREATEST_MAIN_END();
}
