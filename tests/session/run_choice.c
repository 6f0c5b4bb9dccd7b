/* run_choice.c: the figures behind --points auto and --terms auto.
 *
 * Components of variance against layouts that are known; the spread of a session's gradient against
 * enumeration of all index sets (the sets of a pilot are all sets of the same size, so their mean and
 * variance are exact); and which way the decision goes. */
#include "run_support.h"

#include "runtime/engine/dense.h"

#include "runtime/measure/auto_sizes.h"

enum { D = 6, SETS = 15, POINTS = 24 };

#define COMMON                                                                                     \
    "--precision=float64", "--set=d=6", "--width=5", "--depth=3", "--threads=1", "--no-cache"

/* Vectors y = mu + p_b + s_m + z_mb in n dimensions: their products. */
static void products(const double *y, int64_t count, int n, double *gram) {
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++) {
            gram[i * count + j] = 0;
            for (int k = 0; k < n; k++)
                gram[i * count + j] += y[i * n + k] * y[j * n + k];
        }
}

/* Contrasts that sum to zero over sets, points and both: the components come out exactly. */
TEST components_of_known_layouts(double point, double set, double rest) {
    enum { M = 4, P = 6 };
    double y[M * P], gram[M * P * M * P], own = 0;
    for (int m = 0; m < M; m++)
        for (int b = 0; b < P; b++)
            y[m * P + b] = 3 + point * (b % 2 ? 1 : -1) + set * (m % 2 ? 1 : -1) +
                           rest * (b % 2 == m % 2 ? 1 : -1);
    products(y, M * P, 1, gram);
    Components c = spread_components(gram, M, P);
    /* sums of squares of such contrasts: n a^2 with P - 1, M - 1 or (P - 1)(M - 1) degrees */
    double z = M * P * rest * rest / ((P - 1) * (M - 1));
    ASSERT_IN_RANGE(z, c.rest, 1e-12);
    ASSERT_IN_RANGE((M * P * point * point / (P - 1) - z) / M, c.point, 1e-12);
    ASSERT_IN_RANGE((M * P * set * set / (M - 1) - z) / P, c.set, 1e-12);
    own = 9 - c.point / P - c.set / M - c.rest / (M * P);
    ASSERT_IN_RANGE(own, c.mean, 1e-12);
    PASS();
}

/* y[set][point][n]: gradients of single points for all sets of two terms, by whole steps. */
static double *all_gradients(const char *algorithm, int64_t *size, double *residual) {
    Rig rig;
    bool seen[SETS] = {false};
    int found = 0;
    const char *option[] = {COMMON, algorithm, "--terms=2", "--points=1"};
    if (!rig_open(&rig, option, (int)(sizeof option / sizeof option[0])))
        return NULL;
    int64_t n = *size = rig.s.network.size;
    double *y = calloc((size_t)(SETS * POINTS * n), sizeof *y);
    for (uint32_t step = 0; y && step < 4000 && found < SETS; step++)
        for (uint32_t b = 0; b < POINTS; b++) {
            points_draw(&rig.s.task[0].points, rig.s.settings.seed, STEP_PILOT, b);
            double *g = rig_gradient(&rig, step);
            int k = set_number(rig.s.task[0].gradient[0].set[0]);
            found += b == 0 && !seen[k];
            seen[k] = true;
            memcpy(y + (k * POINTS + (int)b) * n, g, (size_t)n * sizeof *y);
            residual[k * POINTS + (int)b] =
                real_get(PDE_F64, rig.s.task[0].gradient[0].residual, 0);
            free(g);
        }
    rig_close(&rig);
    if (found == SETS)
        return y;
    free(y);
    return NULL;
}

/* What the spread must be if its sets are all sets: variances over them, of the finite family. */
static Components enumerated(const double *y, int64_t n) {
    double *gram = malloc(sizeof *gram * SETS * POINTS * SETS * POINTS);
    for (int64_t i = 0; i < SETS * POINTS; i++)
        for (int64_t j = 0; j < SETS * POINTS; j++)
            gram[i * SETS * POINTS + j] = dense_dot(y + i * n, y + j * n, n);
    Components c = spread_components(gram, SETS, POINTS);
    free(gram);
    return c;
}

/* The pilot's sets are independent draws; their mean over many pilots must come to what all sets
 * give. The points are the same in all. */
TEST spread_is_that_of_all_sets(const char *algorithm) {
    enum { PILOTS = 60 };
    double residual[SETS * POINTS], sum[4] = {0}, square[4] = {0};
    int64_t n;
    double *y = all_gradients(algorithm, &n, residual);
    ASSERT(y);
    Components c = enumerated(y, n);
    /* E of the sample variance over independent draws is the variance over all sets: divisor 15 */
    const double share = 0.5 - 1.0 / D, whole = (SETS - 1.0) / SETS;
    const double wanted[] = {c.point + c.rest / SETS, c.set * whole, c.rest * whole};
    Rig rig;
    const char *option[] = {COMMON, algorithm, "--terms=2", "--points=24", "--accumulate=12"};
    ASSERT(rig_open(&rig, option, (int)(sizeof option / sizeof option[0])));
    for (int k = 0; k < PILOTS; k++) {
        Spread s;
        rig.s.settings.seed = 0; /* the same points; other sets */
        points_draw(&rig.s.task[0].points, 0, STEP_PILOT, 0);
        rig.s.settings.seed = 1000 + (uint64_t)k;
        ASSERT_EQ(STATUS_OK, spread_here(&rig.s, &s, &rig.error));
        ASSERT_EQ(D, s.most);
        const double got[] = {s.points, s.terms * share, s.both * share, s.bias};
        for (int i = 0; i < 4; i++) {
            sum[i] += got[i] / PILOTS;
            square[i] += got[i] * got[i] / PILOTS;
        }
    }
    for (int i = 0; i < 3; i++) {
        double deviation = sqrt((square[i] - sum[i] * sum[i]) / PILOTS);
        if (fabs(sum[i] - wanted[i]) > 5 * deviation + 1e-12)
            fprintf(stderr, "component %d: %g, wanted %g +- %g\n", i, sum[i], wanted[i], deviation);
        ASSERT(fabs(sum[i] - wanted[i]) <= 5 * deviation + 1e-12);
    }
    ASSERT(wanted[1] > 0 && wanted[2] > 0);
    rig_close(&rig);
    free(y);
    PASS();
}

/* Algorithm 3's bias over all sets: the mean of R_I grad R_I less R grad R. */
TEST bias_is_that_of_all_sets(void) {
    enum { PILOTS = 60 };
    double residual[SETS * POINTS], bias = 0, mean = 0, square = 0;
    int64_t n;
    double *y = all_gradients("--algorithm=3", &n, residual);
    ASSERT(y);
    double *difference = calloc((size_t)n, sizeof *difference);
    for (int b = 0; b < POINTS; b++) {
        double full = 0;
        for (int m = 0; m < SETS; m++)
            full += residual[m * POINTS + b] / SETS;
        for (int m = 0; m < SETS; m++) /* y = 2 R_m grad R_m */
            for (int64_t i = 0; i < n; i++)
                difference[i] += y[(m * POINTS + b) * n + i] *
                                 (1 - full / residual[m * POINTS + b]) / (SETS * POINTS);
    }
    bias = dense_dot(difference, difference, n);
    const double share = 0.5 - 1.0 / D;
    Rig rig;
    const char *option[] = {COMMON, "--algorithm=3", "--terms=2", "--points=24", "--accumulate=60"};
    ASSERT(rig_open(&rig, option, (int)(sizeof option / sizeof option[0])));
    for (int k = 0; k < PILOTS; k++) {
        Spread s;
        points_draw(&rig.s.task[0].points, 0, STEP_PILOT, 0);
        rig.s.settings.seed = 1000 + (uint64_t)k;
        ASSERT_EQ(STATUS_OK, spread_here(&rig.s, &s, &rig.error));
        mean += s.bias * share * share / PILOTS;
        square += s.bias * share * share * s.bias * share * share / PILOTS;
    }
    double deviation = sqrt((square - mean * mean) / PILOTS);
    ASSERT(bias > 0);
    /* its own noise, of 60 sets, is part of a squared norm: a tenth at most */
    ASSERT(fabs(mean - bias) < 5 * deviation + 0.1 * bias);
    rig_close(&rig);
    free(difference);
    free(y);
    PASS();
}

/* ------------------------------------------------------------------------------- the decision */

static const StepTime usual = {.fixed = 1, .points = 0.05, .terms = 0.01, .both = 0.005};

static Spread spread_of(double points, double terms, double both) {
    return (Spread){.points = points, .terms = terms, .both = both, .most = 1000, .draws = 1};
}

TEST decision_follows_the_spread(void) {
    const Spread even = spread_of(1, 1, 1), no_terms = spread_of(1, 0, 0);
    const Spread point = spread_of(1000, 1, 1), term = spread_of(1, 1000, 1);
    Choice a = choice_best(&even, &usual, 0, 0), b = choice_best(&no_terms, &usual, 0, 0);
    Choice c = choice_best(&point, &usual, 0, 0), e = choice_best(&term, &usual, 0, 0);
    ASSERT_EQ(1, b.terms);
    ASSERT(b.points > 5 * a.points);
    ASSERT(c.points > 2 * a.points && c.terms < a.terms);
    ASSERT(e.points < a.points && e.terms > 2 * a.terms);
    const Choice all[] = {a, b, c, e};
    for (int i = 0; i < 4; i++) {
        double seconds = choice_seconds(&usual, all[i].points, all[i].terms);
        ASSERT(seconds <= choice_seconds(&usual, 100, 100));
        ASSERT(spread_error(&all[i].spread, all[i].points, all[i].terms) <=
               1.1 * spread_error(&all[i].spread, 100, 100));
    }
    PASS();
}

/* |B| = sqrt(M C1 / C2) for a budget M = |B||I|, where nothing else costs and C3 = 0. */
TEST decision_is_the_formula(double points, double terms) {
    const StepTime product = {.both = 1};
    Spread s = spread_of(points, terms, 0);
    s.endless = true;
    Choice c = choice_best(&s, &product, 0, 0);
    double best = sqrt(1e4 * points / terms);
    ASSERT((double)c.points > best / 1.7 && (double)c.points < best * 1.7);
    ASSERT(spread_error(&s, c.points, c.terms) < 1.15 * 2 * sqrt(points * terms / 1e4));
    PASS();
}

TEST decision_keeps_what_is_given(void) {
    const Spread even = spread_of(1, 1, 1), no_terms = spread_of(1, 0, 0);
    Choice c = choice_best(&even, &usual, 77, 0);
    ASSERT_EQ(77, c.points);
    ASSERT(c.terms > 50);
    c = choice_best(&no_terms, &usual, 77, 0);
    ASSERT_EQ(1, c.terms);
    c = choice_best(&even, &usual, 0, 33);
    ASSERT_EQ(33, c.terms);
    ASSERT(c.points > 100);
    PASS();
}

/* All of a small family: no variance over terms is left. */
TEST decision_takes_a_whole_family(void) {
    Spread s = {.points = 1, .terms = 1e6, .both = 0, .most = 10, .draws = 1};
    Choice c = choice_best(&s, &usual, 0, 0);
    ASSERT_EQ(10, c.terms);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TESTp(components_of_known_layouts, 1, 0, 0);
    RUN_TESTp(components_of_known_layouts, 0, 1, 0);
    RUN_TESTp(components_of_known_layouts, 0, 0, 1);
    RUN_TESTp(components_of_known_layouts, 1, 2, 3);
    RUN_TESTp(spread_is_that_of_all_sets, "--algorithm=1");
    RUN_TESTp(spread_is_that_of_all_sets, "--algorithm=3");
    RUN_TEST(bias_is_that_of_all_sets);
    RUN_TEST(decision_follows_the_spread);
    RUN_TESTp(decision_is_the_formula, 1, 1);
    RUN_TESTp(decision_is_the_formula, 9, 1);
    RUN_TESTp(decision_is_the_formula, 1, 9);
    RUN_TEST(decision_keeps_what_is_given);
    RUN_TEST(decision_takes_a_whole_family);
    GREATEST_MAIN_END();
}
