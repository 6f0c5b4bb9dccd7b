/* run_natural_terms.c: sampled terms in the natural gradient, over ALL index sets, in float64.
 *
 * With algorithm 2 the step is linear in R_J, given I: its mean over all J is the step with the whole
 * residual and J_I, which is what algorithm 1 takes. J_I also stands in the inverse, so the mean over
 * I is not the step of the whole sums: that bias is there, and the exact sum has none. */
#include "run_support.h"

#include "runtime/step/natural/natural.h"

enum { SETS = 15, STEPS = 20000 };

#define COMMON                                                                                     \
    "--precision=float64", "--set=d=6", "--width=5", "--depth=3", "--threads=1", "--no-cache",     \
        "--optimiser=natural", "--points=4", "--terms=2", "--damping=1e-2", "--momentum=0.9"

static bool open_rig(Rig *rig, const char *algorithm) {
    const char *option[] = {COMMON, algorithm};
    bool ok = rig_open(rig, option, (int)(sizeof option / sizeof option[0]));
    for (int i = 0; ok && i < rig->s.tasks; i++)
        points_draw(&rig->s.task[i].points, 1, 0, 0);
    return ok;
}

/* phi after one step that moves nothing (rate 0), from the same phi of earlier steps. */
static bool direction(Rig *rig, uint32_t step, double *phi) {
    int64_t n = rig->s.network.size;
    for (int64_t i = 0; i < n; i++)
        phi[i] = 1e-3 * sin((double)i);
    pde_engine_set(rig->s.engine, PDE_SLOT_STATE, phi);
    natural_set_caution(natural_of(&rig->s), 1);
    bool ok = natural_step(natural_of(&rig->s), step, 0);
    pde_engine_get(rig->s.engine, PDE_SLOT_STATE, phi);
    return ok;
}

/* mean[I][n]: the mean over J of the step for every I; with algorithm 1 the step itself. */
static double *means(const char *algorithm, int64_t *size) {
    Rig rig;
    bool seen[SETS * SETS] = {false};
    int found = 0;
    if (!open_rig(&rig, algorithm))
        return NULL;
    const Task *t = &rig.s.task[0];
    bool sampled = t->value->terms == TERMS_SAMPLE;
    int wanted = sampled ? SETS * SETS : SETS;
    int64_t n = *size = rig.s.network.size;
    double *mean = calloc((size_t)(SETS * n), sizeof *mean), *phi = malloc((size_t)n * sizeof *phi);
    for (uint32_t step = 0; mean && phi && step < STEPS && found < wanted; step++) {
        if (!direction(&rig, step, phi))
            break;
        int I = set_number(t->gradient[0].set[0]);
        int key = sampled ? I * SETS + set_number(t->value->set[0]) : I;
        for (int64_t i = 0; i < n && !seen[key]; i++)
            mean[I * n + i] += phi[i] * SETS / wanted;
        found += !seen[key];
        seen[key] = true;
    }
    free(phi);
    rig_close(&rig);
    if (found == wanted)
        return mean;
    free(mean);
    return NULL;
}

static double *whole(const char *algorithm) {
    Rig rig;
    if (!open_rig(&rig, algorithm))
        return NULL;
    double *phi = malloc((size_t)rig.s.network.size * sizeof *phi);
    bool ok = phi && direction(&rig, 0, phi);
    rig_close(&rig);
    if (ok)
        return phi;
    free(phi);
    return NULL;
}

TEST unbiased_given_I(void) {
    int64_t n;
    double *two = means("--algorithm=2", &n), *one = means("--algorithm=1", &n), worst = 0;
    ASSERT(two && one);
    for (int I = 0; I < SETS; I++)
        worst = fmax(worst, distance(two + I * n, one + I * n, n));
    ASSERT_IN_RANGE(0.0, worst, 1e-9);
    free(two);
    free(one);
    PASS();
}

TEST biased_over_I_and_exact_is_not(void) {
    int64_t n;
    double *one = means("--algorithm=1", &n), *full = whole("--algorithm=full");
    double *exact = whole("--algorithm=exact"), *mean = calloc((size_t)n, sizeof *mean);
    ASSERT(one && full && exact && mean);
    for (int64_t i = 0; i < SETS * n; i++)
        mean[i % n] += one[i] / SETS;
    ASSERT_IN_RANGE(0.0, distance(exact, full, n), 1e-8);
    ASSERT(distance(mean, full, n) > 1e-3);
    free(one);
    free(full);
    free(exact);
    free(mean);
    PASS();
}

/* The exact sum is taken unless another algorithm was asked for. */
TEST exact_is_preferred(void) {
    Rig rig;
    ASSERT(open_rig(&rig, "--index-sets=shared"));
    ASSERT_EQ(STATUS_OK, optimiser_imply(&rig.config, &rig.problem, &rig.error));
    ASSERT(config_is(&rig.config, OPTION_ALGORITHM, "exact"));
    rig_close(&rig);
    ASSERT(open_rig(&rig, "--algorithm=2"));
    ASSERT_EQ(STATUS_OK, optimiser_imply(&rig.config, &rig.problem, &rig.error));
    ASSERT(config_is(&rig.config, OPTION_ALGORITHM, "2"));
    rig_close(&rig);
    PASS();
}

/* Momentum by default: at a constant rate eta, theta is the running mean, with weight eta, of
 * y <- y - J' sol. J' sol is what phi gains beyond its share 1 - eta. */
/* Uphill every step makes the loss worse, or no better where it is too short to count: damping grows
 * each time, without end. */
TEST damping_stays_finite(void) {
    Rig rig;
    ASSERT(open_rig(&rig, "--algorithm=exact"));
    for (uint32_t step = 0; step < 1500; step++)
        ASSERT(natural_step(natural_of(&rig.s), step, -1));
    ASSERT(natural_caution(natural_of(&rig.s)) > 1e6);
    ASSERT(isfinite(natural_caution(natural_of(&rig.s))));
    rig_close(&rig);
    PASS();
}

TEST momentum_is_a_mean(void) {
    const double rate = 0.3;
    const char *option[] = {"--precision=float64", "--set=d=6",  "--width=5",   "--threads=1",
                            "--no-cache",          "--points=4", "--terms=6",   "--step-limit=0",
                            "--optimiser=natural", "--depth=3",  "--damping=1", "--momentum=auto"};
    Rig rig;
    ASSERT(rig_open(&rig, option, (int)(sizeof option / sizeof option[0])));
    int64_t n = rig.s.network.size;
    double *data = calloc((size_t)n * 4, sizeof *data);
    double *y = data, *mean = data + n, *old = data + 2 * n, *now = data + 3 * n;
    pde_engine_get(rig.s.engine, PDE_SLOT_PARAMETERS, mean);
    memcpy(y, mean, (size_t)n * sizeof *y);
    for (int k = 0; k < 3; k++) {
        pde_engine_get(rig.s.engine, PDE_SLOT_STATE, old);
        ASSERT(session_step(&rig.s, (uint32_t)k, rate));
        ASSERT_EQ(1, natural_caution(natural_of(&rig.s)));
        pde_engine_get(rig.s.engine, PDE_SLOT_STATE, now);
        for (int64_t i = 0; i < n; i++) {
            y[i] -= now[i] - (1 - rate) * old[i];
            mean[i] += rate * (y[i] - mean[i]);
        }
        pde_engine_get(rig.s.engine, PDE_SLOT_PARAMETERS, now);
        ASSERT(distance(now, mean, n) < 1e-12);
        ASSERT(distance(now, y, n) > 1e-6);
    }
    free(data);
    rig_close(&rig);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(unbiased_given_I);
    RUN_TEST(biased_over_I_and_exact_is_not);
    RUN_TEST(exact_is_preferred);
    RUN_TEST(damping_stays_finite);
    RUN_TEST(momentum_is_a_mean);
    GREATEST_MAIN_END();
}
