/* Philox against the published vectors; the vector code against the scalar functions; moments;
 * index sets without replacement.
 */
#include "engine_check.h"

#include "runtime/engine/lattice.h"

TEST philox_gives_the_published_vectors(void) {
    static const uint32_t in[3][6] = {
        {0, 0, 0, 0, 0, 0},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}};
    static const uint32_t out[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t c[4] = {in[i][0], in[i][1], in[i][2], in[i][3]};
        pde_philox(c, in[i][4], in[i][5]);
        ASSERT_EQ(0, memcmp(c, out[i], sizeof c));
    }
    PASS();
}

static PdeEngine *small_engine(PdePrecision precision, PdeIsa isa) {
    int64_t width[] = {1, 1, 1};
    PdeEngineConfig config = {
        precision, isa, 1, 2, width, PDE_ACT_tanh, pde_optim_default(PDE_OPT_sgd), NULL};
    return pde_engine_create(&config);
}

enum { D = 403 };

TEST fill_matches_scalar_functions(PdeIsa isa) {
    static float x[D * PDE_LANES];
    static double y[D * PDE_LANES];
    PdeEngine *e = small_engine(PDE_F32, isa), *f = small_engine(PDE_F64, isa);
    if (!e || !f)
        SKIPm("no such instruction set here");
    for (int law = 0; law < 2; law++) {
        pde_random_fill(e, (PdeLaw)law, 0x1234567890ull, 3, 17, 32, 0, 200, x, NULL);
        pde_random_fill(e, (PdeLaw)law, 0x1234567890ull, 3, 17, 32, 200, D, x, NULL);
        pde_random_fill(f, (PdeLaw)law, 0x1234567890ull, 3, 17, 32, 0, D, y, NULL);
        for (uint32_t i = 0; i < D; i++)
            for (uint32_t l = 0; l < PDE_LANES; l++) {
                uint32_t w[4];
                float a[2];
                double b[2];
                pde_random_block(0x1234567890ull, 3, 17, 32 + l, i >> 2, w);
                ASSERT_EQ(w[i & 3], pde_random_word(0x1234567890ull, 3, 17, 32 + l, i));
                pde_normal_pairf(w[i & 2], w[(i & 2) + 1], a, a + 1);
                pde_normal_pair(w[i & 2], w[(i & 2) + 1], b, b + 1);
                double want = law ? b[i & 1] : pde_uniform(w[i & 3]);
                float wantf = law ? a[i & 1] : pde_uniformf(w[i & 3]);
                ASSERT_IN_RANGE((double)wantf, (double)x[i * PDE_LANES + l], 2e-6);
                ASSERT_IN_RANGE(want, y[i * PDE_LANES + l], 1e-12);
                /* 23 bits of the radius' uniform: 2^-23 at one is 5e-4, more in the far tail */
                ASSERT_IN_RANGE(want, (double)wantf, 6e-4 + (fabs(want) > 4 ? 0.1 : 0));
            }
    }
    pde_engine_destroy(e);
    pde_engine_destroy(f);
    PASS();
}

TEST moments_are_right(void) {
    enum { N = 20000 };
    static float x[N * PDE_LANES];
    PdeEngine *e = small_engine(PDE_F32, PDE_ISA_BEST);
    ASSERT(e);
    double n = (double)N * PDE_LANES, m[5] = {0}, neighbour = 0;
    pde_random_fill(e, PDE_LAW_NORMAL, 5, 0, 0, 0, 0, N, x, NULL);
    for (long i = 0; i < N * PDE_LANES; i++) {
        for (int k = 1; k <= 4; k++)
            m[k] += pow((double)x[i], k) / n;
        if (i >= PDE_LANES)
            neighbour += (double)x[i] * (double)x[i - PDE_LANES] / n;
    }
    double unit = 1 / sqrt(n); /* five standard deviations each */
    ASSERT_IN_RANGE(0.0, m[1], 5 * unit);
    ASSERT_IN_RANGE(1.0, m[2], 5 * unit * sqrt(2));
    ASSERT_IN_RANGE(0.0, m[3], 5 * unit * sqrt(15));
    ASSERT_IN_RANGE(3.0, m[4], 5 * unit * sqrt(96));
    ASSERT_IN_RANGE(0.0, neighbour, 5 * unit);
    pde_random_fill(e, PDE_LAW_UNIFORM, 5, 0, 0, 0, 0, N, x, NULL);
    m[1] = m[2] = 0;
    for (long i = 0; i < N * PDE_LANES; i++) {
        ASSERT(x[i] > 0 && x[i] < 1);
        m[1] += (double)x[i] / n;
        m[2] += (double)x[i] * (double)x[i] / n;
    }
    ASSERT_IN_RANGE(0.5, m[1], 5 * unit * 0.289);
    ASSERT_IN_RANGE(1 / 3.0, m[2], 5 * unit * 0.299);
    pde_engine_destroy(e);
    PASS();
}

TEST subsets_are_distinct_and_uniform(void) {
    uint64_t out[8], table[16], seen[20] = {0};
    ASSERT_EQ(0, pde_random_subset(1, 0, 0, 0, 3, 4, out, table, 16));
    ASSERT_EQ(0, pde_random_subset(1, 0, 0, 0, 30, 9, out, table, 16));
    for (uint32_t step = 0; step < 20000; step++) {
        ASSERT(pde_random_subset(1, 0, step, 0, 20, 8, out, table, 16));
        for (int i = 0; i < 8; i++) {
            ASSERT(out[i] < 20);
            seen[out[i]]++;
            for (int j = 0; j < i; j++)
                ASSERT(out[i] != out[j]);
        }
    }
    for (int i = 0; i < 20; i++)
        ASSERT_IN_RANGE(8000.0, (double)seen[i], 5 * sqrt(20000 * 0.24));
    ASSERT(pde_random_subset(1, 0, 3, 0, 8, 8, out, table, 16)); /* all of K */
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++)
        sum += out[i];
    ASSERT_EQ(28u, sum);
    uint64_t huge = (uint64_t)1000000 * 1000000;
    ASSERT(pde_random_subset(1, 0, 3, 0, huge, 8, out, table, 16));
    int large = 0;
    for (int i = 0; i < 8; i++)
        large += out[i] > huge / 4;
    ASSERT(large > 2);
    PASS();
}

TEST pairs_are_counted_without_gaps(void) {
    uint64_t k = 0;
    for (uint32_t j = 1; j < 60; j++)
        for (uint32_t i = 0; i < j; i++, k++) {
            uint32_t pair[2];
            pde_pair_below(k, pair);
            ASSERT(pair[0] == i && pair[1] == j);
        }
    uint32_t pair[2];
    uint64_t d = 4000000000u, last = d / 2 * (d - 1) - 1;
    pde_pair_below(last, pair);
    ASSERT(pair[0] == d - 2 && pair[1] == d - 1);
    pde_pair_of(7 * d + 5, d, pair);
    ASSERT(pair[0] == 7 && pair[1] == 5);
    ASSERT_EQ(0xFFFFFFFFFFFFFFFEull, pde_mul_high(~0ull, ~0ull));
    ASSERT_EQ(1ull, pde_mul_high(1ull << 63, 2));
    PASS();
}

/* The mean of a smooth product over one lattice with a shift, less what it is. */
static double mean_off(const Lattice *l, int dimensions, const double *shift) {
    double sum = 0;
    for (uint32_t n = 0; n < (uint32_t)l->points; n++) {
        double product = 1;
        for (int j = 0; j < dimensions; j++)
            product *= 1 + sin(6.283185307179586 * lattice_uniform(l, n, j, shift[j])) / (j + 1);
        sum += product;
    }
    return sum / (double)l->points - 1;
}

/* Where random points are off by their deviation over the root of their number, a lattice is off by far less; each of its
 * coordinates has every multiple of 1/N once. */
TEST lattices_are_even(int points) {
    enum { DIMENSIONS = 5, SHIFTS = 32 };
    Lattice l;
    lattice_make(points, DIMENSIONS, &l);
    ASSERT_EQ(points, (int)l.points);
    for (int j = 0; j < DIMENSIONS; j++) {
        double sum = 0;
        for (uint32_t n = 0; n < (uint32_t)points; n++)
            sum += lattice_uniform(&l, n, j, 0.25 / points);
        ASSERT_IN_RANGE(0.5 - 0.25 / points, sum / points, 1e-9);
    }
    double square = 0, variance = 1;
    for (int s = 0; s < SHIFTS; s++) {
        double shift[DIMENSIONS];
        for (int j = 0; j < DIMENSIONS; j++)
            shift[j] = pde_uniform(pde_random_word(3, 1, (uint32_t)s, 0, (uint32_t)j));
        const double off = mean_off(&l, DIMENSIONS, shift);
        square += off * off / SHIFTS;
    }
    for (int j = 0; j < DIMENSIONS; j++)
        variance *= 1 + 0.5 / ((j + 1) * (j + 1));
    ASSERT(sqrt(square) < 0.3 * sqrt((variance - 1) / points));
    PASS();
}

TEST normal_numbers_invert_their_law(void) {
    for (int k = 1; k < 4000; k++) {
        const double u = k / 4000.0;
        ASSERT_IN_RANGE(u, 0.5 * erfc(-lattice_normal(u) * 0.70710678118654752), 1e-8);
    }
    ASSERT_IN_RANGE(-6.2, lattice_normal(2.8231580370e-10), 1e-6);
    PASS();
}

SUITE(random_numbers) {
    RUN_TESTp(lattices_are_even, 100);
    RUN_TESTp(lattices_are_even, 257);
    RUN_TESTp(lattices_are_even, 4096);
    RUN_TEST(normal_numbers_invert_their_law);
    RUN_TEST(philox_gives_the_published_vectors);
    for (int isa = PDE_ISA_BASE; isa < PDE_ISAS; isa++)
        RUN_TESTp(fill_matches_scalar_functions, (PdeIsa)isa);
    RUN_TEST(moments_are_right);
    RUN_TEST(subsets_are_distinct_and_uniform);
    RUN_TEST(pairs_are_counted_without_gaps);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(random_numbers);
    GREATEST_MAIN_END();
}
