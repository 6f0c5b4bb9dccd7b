/* run_estimator.c: the algorithms' gradients over ALL index sets, in float64.
 *
 * Steps are run until every set (every pair of sets) has been drawn once; since a gradient depends
 * on its sets only, the mean over distinct sets is the exact expectation. Algorithms 1 and 2 must
 * give the full gradient; algorithm 3 must differ by exactly
 *     2 Cov(R_I, grad R_I),  Cov = (1 - n/d) / (n (d - 1)) sum_i (R_i - mean)(grad R_i - mean)
 * where R_i is the residual of the single term i with factor d. */
#include "run_support.h"

enum { D = 6, N = 2, SETS = 15, STEPS = 20000 }; /* 15 = 6 choose 2 */

#define COMMON                                                                                     \
    "--precision=float64", "--set=d=6", "--width=5", "--depth=3", "--threads=1", "--no-cache"
#define OPEN(rig, ...)                                                                             \
    do {                                                                                           \
        const char *option[] = {COMMON, __VA_ARGS__};                                              \
        ASSERTm((rig)->error.message,                                                              \
                rig_open(rig, option, (int)(sizeof option / sizeof option[0])));                   \
        for (int t_ = 0; t_ < (rig)->s.tasks; t_++)                                                \
            points_draw(&(rig)->s.task[t_].points, 1, 0, 0);                                       \
    } while (0)

/* The mean over all distinct (I, J); how many were found. */
static int mean_over_sets(Rig *rig, double *mean) {
    int64_t n = rig->s.network.size;
    const Task *t = &rig->s.task[0];
    bool sampled = t->values && t->value->terms == TERMS_SAMPLE;
    int wanted = sampled ? SETS * SETS : SETS, found = 0;
    bool seen[SETS * SETS] = {false};
    memset(mean, 0, (size_t)n * sizeof *mean);
    for (uint32_t step = 0; step < STEPS && found < wanted; step++) {
        double *g = rig_gradient(rig, step);
        int key = set_number(t->gradient[0].set[0]);
        if (sampled)
            key = key * SETS + set_number(t->value->set[0]);
        for (int64_t i = 0; i < n && !seen[key]; i++)
            mean[i] += g[i] / wanted;
        found += !seen[key];
        seen[key] = true;
        free(g);
    }
    return found == wanted;
}

static double *full_gradient(int points) {
    Rig rig;
    char text[32];
    snprintf(text, sizeof text, "--points=%d", points);
    const char *option[] = {COMMON, "--algorithm=full", text};
    if (!rig_open(&rig, option, (int)(sizeof option / sizeof option[0])))
        return NULL;
    points_draw(&rig.s.task[0].points, 1, 0, 0);
    double *g = rig_gradient(&rig, 0);
    rig_close(&rig);
    return g;
}

TEST unbiased(const char *algorithm) {
    Rig rig;
    OPEN(&rig, algorithm, "--terms=2", "--points=3");
    double *full = full_gradient(3), *mean = malloc((size_t)rig.s.network.size * sizeof *mean);
    ASSERT(full && mean);
    ASSERT(mean_over_sets(&rig, mean));
    ASSERT(distance(mean, full, rig.s.network.size) < 1e-11);
    free(full);
    free(mean);
    rig_close(&rig);
    PASS();
}

/* R_i and grad R_i of every term, for one point: from steps with one term. */
static bool single_terms(double residual[D], double *gradient[D]) {
    Rig rig;
    bool seen[D] = {false};
    int found = 0;
    const char *option[] = {COMMON, "--algorithm=3", "--terms=1", "--points=1"};
    if (!rig_open(&rig, option, (int)(sizeof option / sizeof option[0])))
        return false;
    points_draw(&rig.s.task[0].points, 1, 0, 0);
    for (uint32_t step = 0; step < STEPS && found < D; step++) {
        double *g = rig_gradient(&rig, step);
        uint32_t i = rig.s.task[0].gradient[0].set[0][0];
        if (seen[i]) {
            free(g);
            continue;
        }
        residual[i] = real_get(PDE_F64, rig.s.task[0].gradient[0].residual, 0);
        for (int64_t k = 0; k < rig.s.network.size; k++)
            g[k] /= 2 * residual[i];
        gradient[i] = g;
        seen[i] = true;
        found++;
    }
    rig_close(&rig);
    return found == D;
}

TEST bias_of_algorithm_3(void) {
    Rig rig;
    double residual[D], *gradient[D], mean_residual = 0;
    OPEN(&rig, "--algorithm=3", "--terms=2", "--points=1");
    int64_t n = rig.s.network.size;
    double *full = full_gradient(1), *mean = malloc((size_t)n * sizeof *mean);
    ASSERT(full && mean && mean_over_sets(&rig, mean) && single_terms(residual, gradient));
    for (int i = 0; i < D; i++)
        mean_residual += residual[i] / D;
    double bias = 0, error = 0, size = 0;
    for (int64_t k = 0; k < n; k++) {
        double mean_gradient = 0, covariance = 0;
        for (int i = 0; i < D; i++)
            mean_gradient += gradient[i][k] / D;
        for (int i = 0; i < D; i++)
            covariance += (residual[i] - mean_residual) * (gradient[i][k] - mean_gradient);
        covariance *= (1 - (double)N / D) / (N * (D - 1));
        double predicted = full[k] + 2 * covariance;
        bias += 4 * covariance * covariance;
        error += (mean[k] - predicted) * (mean[k] - predicted);
        size += full[k] * full[k];
    }
    ASSERT(sqrt(error / size) < 1e-11);
    ASSERT(sqrt(bias / size) > 1e-6); /* there is a bias to predict */
    for (int i = 0; i < D; i++)
        free(gradient[i]);
    free(full);
    free(mean);
    rig_close(&rig);
    PASS();
}

/* Unequal parts of K: 4 does not divide 6. */
TEST accumulation_is_full(void) {
    Rig rig;
    OPEN(&rig, "--algorithm=full", "--accumulate=4", "--points=3");
    double *full = full_gradient(3), *parts = rig_gradient(&rig, 0);
    ASSERT_EQ(4, rig.s.task[0].gradients);
    ASSERT(distance(parts, full, rig.s.network.size) < 1e-12);
    free(full);
    free(parts);
    rig_close(&rig);
    PASS();
}

TEST exact_is_full(void) {
    Rig rig;
    OPEN(&rig, "--algorithm=exact", "--points=3");
    double *full = full_gradient(3), *exact = rig_gradient(&rig, 0);
    ASSERT(rig.s.task[0].gradient[0].exact);
    ASSERT(distance(exact, full, rig.s.network.size) < 1e-10);
    free(full);
    free(exact);
    rig_close(&rig);
    PASS();
}

/* Probes and per-point sets: the mean of many draws of R_I comes to R, within five deviations. */
TEST mean_residual(const char *first, const char *second) {
    enum { DRAWS = 20000 };
    Rig rig, all;
    OPEN(&all, "--algorithm=full", "--points=1");
    free(rig_gradient(&all, 0));
    double wanted = real_get(PDE_F64, all.s.task[0].gradient[0].residual, 0);
    OPEN(&rig, first, second, "--algorithm=3", "--terms=2", "--points=1");
    double sum = 0, squares = 0;
    for (uint32_t step = 0; step < DRAWS; step++) {
        session_gradient_here(&rig.s, step);
        double r = real_get(PDE_F64, rig.s.task[0].gradient[0].residual, 0) - wanted;
        sum += r;
        squares += r * r;
    }
    double deviation = sqrt(squares / DRAWS / DRAWS);
    ASSERT(deviation > 0);
    ASSERT(fabs(sum / DRAWS) < 5 * deviation);
    rig_close(&all);
    rig_close(&rig);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TESTp(unbiased, "--algorithm=1");
    RUN_TESTp(unbiased, "--algorithm=2");
    RUN_TEST(bias_of_algorithm_3);
    RUN_TEST(accumulation_is_full);
    RUN_TEST(exact_is_full);
    RUN_TESTp(mean_residual, "--estimator=rademacher", "--index-sets=shared");
    RUN_TESTp(mean_residual, "--estimator=normal", "--index-sets=shared");
    RUN_TESTp(mean_residual, "--estimator=coordinate", "--index-sets=per-point");
    GREATEST_MAIN_END();
}
