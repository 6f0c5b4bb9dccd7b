/* Sums over many coordinates against double: of the first layer, of norms, of products of points; positive numbers,
 * so that rounding adds up. By leaf and tree the error is that of a leaf and the bits are those of any number of
 * threads and, of the first layer, of any instruction set that fuses products with sums. With --long up to 10^7.
 */
#include "engine_check.h"

#include "runtime/engine/dense.h"
#include "runtime/engine/tree_sum.h"

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

/* node (k, j) of the rule, from the leaves; every sum in the order in which the rule says it. */
static double node(const double *leaf, int64_t leaves, int k, int64_t j) {
    if (k == 0)
        return leaf[j];
    double left = node(leaf, leaves, k - 1, 2 * j);
    return ((2 * j + 1) << (k - 1)) < leaves ? left + node(leaf, leaves, k - 1, 2 * j + 1) : left;
}

TEST dots_are_the_tree(int64_t n) {
    int64_t wide = pde_leaf(n), leaves = n ? (n + wide - 1) / wide : 0;
    double *a = malloc((size_t)(n + 1) * sizeof *a), *b = malloc((size_t)(n + 1) * sizeof *b);
    double *leaf = calloc((size_t)leaves + 1, sizeof *leaf);
    TreeSum one_by_one = {.wide = wide};
    int top = 0;
    ASSERT(a && b && leaf);
    for (int64_t i = 0; i < n; i++) {
        a[i] = at_random(i, 7);
        b[i] = at_random(i, 8);
        leaf[i / wide] += a[i] * b[i];
        tree_sum_add(&one_by_one, a[i] * b[i]);
    }
    while (((int64_t)1 << top) < leaves)
        top++;
    double want = leaves ? node(leaf, leaves, top, 0) : 0, got = dense_dot(a, b, n);
    ASSERT_EQ(0, memcmp(&want, &got, sizeof want));
    got = tree_sum(&one_by_one);
    ASSERT_EQ(0, memcmp(&want, &got, sizeof want));
    free(a);
    free(b);
    free(leaf);
    PASS();
}

typedef struct Wide {
    int64_t n;
    PdeEngine *e;
    PdeBatch *q;
    float *theta, *x;
} Wide;

/* A network of one hidden unit, whose weights and points are positive numbers at random. */
static int wide_open(Wide *w, int64_t n, int threads) {
    enum { POINTS = 3 };
    int64_t width[] = {n, 1, 1};
    PdeEngineConfig config = {
        PDE_F32, PDE_ISA_BEST, threads, 2, width, PDE_ACT_identity, pde_optim_default(PDE_OPT_sgd),
        NULL};
    PdeBatchConfig shape = {.points = POINTS, .residuals = 1};
    *w = (Wide){.n = n, .e = pde_engine_create(&config)};
    w->q = w->e ? pde_batch_create(w->e, &shape) : NULL;
    w->theta = calloc((size_t)n + 3, sizeof *w->theta);
    w->x = w->q ? pde_batch_x(w->q) : NULL;
    for (int64_t i = 0; i < n && w->theta && w->x; i++) {
        w->theta[i] = (float)at_random(i, 0);
        for (int b = 0; b < POINTS; b++)
            w->x[i * PDE_LANES + b] = (float)at_random(i, 1 + (uint64_t)b);
    }
    if (w->theta)
        w->theta[n + 1] = 1;
    if (w->theta && w->e)
        pde_engine_set(w->e, PDE_SLOT_PARAMETERS, w->theta);
    return w->theta && w->x;
}

static void wide_close(Wide *w) {
    free(w->theta);
    pde_batch_destroy(w->q);
    pde_engine_destroy(w->e);
}

static void take_value(void *context, const PdeJet *jet) {
    (void)context;
    ((float *)jet->residual)[0] = ((const float *)jet->n)[0];
    if (jet->seed_n)
        ((float *)jet->seed_n)[0] = 1;
}

/* |theta|, |gradient| = |x| for a residual that is the network, and x x' of two points, which is their entry of K
 * less the products of what is no coordinate. */
TEST norms_and_products_of_points(int64_t n) {
    double norm[2], slope[2], k[2][9];
    for (int threads = 1; threads < 3; threads++) {
        Wide w;
        ASSERT(wide_open(&w, n, threads));
        double square = 1, squares = 0, product[3] = {0};
        for (int64_t i = 0; i < n; i++) {
            square += (double)w.theta[i] * (double)w.theta[i];
            for (int b = 0; b < 3; b++)
                product[b] += (double)w.x[i * PDE_LANES] * (double)w.x[i * PDE_LANES + b];
            double sum = (double)w.x[i * PDE_LANES] + (double)w.x[i * PDE_LANES + 1] +
                         (double)w.x[i * PDE_LANES + 2];
            squares += sum * sum;
        }
        norm[threads - 1] = pde_engine_norm(w.e, PDE_SLOT_PARAMETERS);
        ASSERT_IN_RANGE(sqrt(square), norm[threads - 1], BOUND * sqrt(square));
        float residual[3];
        PdeTaskSpec task = {.combine = take_value, .residual = residual, .scale = 1};
        PdeJacobian *j = pde_jacobian_create(w.e, &(PdeJacobianPart){w.q, 0}, 1, 0);
        ASSERT(j);
        pde_jacobian_begin(j);
        pde_jacobian_add(j, 0, &task);
        pde_jacobian_gram(j, k[threads - 1]);
        for (int b = 0; b < 3;
             b++) { /* d/d(bias) = 1, d/d(second weight) = first value, d/d(output bias) = 1 */
            double rest = 2 + (double)residual[0] * (double)residual[b];
            double want = product[b] + rest;
            ASSERT_IN_RANGE(want, k[threads - 1][b], BOUND * want);
        }
        double ones[3] = {1, 1, 1};
        pde_jacobian_transposed(j, ones);
        pde_gradient_store(w.e);
        slope[threads - 1] = pde_gradient_norm(w.e);
        double values = (double)residual[0] + (double)residual[1] + (double)residual[2];
        double want = sqrt(squares + 9 + 9 + values * values);
        ASSERT_IN_RANGE(want, slope[threads - 1], BOUND * want);
        pde_jacobian_destroy(j);
        wide_close(&w);
    }
    ASSERT_EQ(0, memcmp(&norm[0], &norm[1], sizeof norm[0]));
    ASSERT_EQ(0, memcmp(&slope[0], &slope[1], sizeof slope[0]));
    ASSERT_EQ(0, memcmp(k[0], k[1], sizeof k[0]));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    static const int64_t counts[] = {1, 255, 256, 257, 4097, 33000, 150000, 3000000, 10000000};
    int all = argc > 1 && strcmp(argv[1], "--long") == 0;
    argc -= all;
    argv += all;
    GREATEST_MAIN_BEGIN();
    for (size_t k = 0; k < sizeof counts / sizeof *counts - !all; k++) {
        RUN_TESTp(first_layer_is_summed_by_leaves, counts[k]);
        RUN_TESTp(dots_are_the_tree, counts[k]);
        if (all || counts[k] < 1000000)
            RUN_TESTp(norms_and_products_of_points, counts[k]);
    }
    RUN_TESTp(dots_are_the_tree, 0);
    GREATEST_MAIN_END();
}
