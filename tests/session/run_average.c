/* run_average.c: the mean of the parameters (--average) against sums of the iterates, in float64. */
#include "run_support.h"

#include "runtime/step/average.h"

enum { TAKEN = 5 };

/* Weight of the k-th of TAKEN iterates, both from 1, in the mean over a part of them. */
static double weight_of(double part, int k) {
    double weight = 1 / fmax(1, part * k);
    for (int n = k + 1; n <= TAKEN; n++)
        weight *= 1 - 1 / fmax(1, part * n);
    return weight;
}

static double largest_difference(const double *a, const double *b, int64_t n) {
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

static enum greatest_test_res mean_over(const char *option_text, double part) {
    const char *option[] = {"--precision=float64", "--set=d=6",  "--width=5", "--threads=1",
                            "--no-cache",          "--points=4", option_text};
    Rig rig;
    ASSERT(rig_open(&rig, option, (int)(sizeof option / sizeof option[0])));
    ASSERT(average_of(&rig.s));
    int64_t n = rig.s.network.size;
    double *data = calloc((size_t)n * 3, sizeof *data);
    double *wanted = data, *last = data + n, *found = data + 2 * n;
    hooks_result(&rig.s); /* nothing was taken yet: nothing happens */
    for (int step = 1; step <= TAKEN * AVERAGE_STRIDE; step++) {
        ASSERT(session_step(&rig.s, (uint32_t)step, 1e-2));
        hooks_after(&rig.s, step);
        pde_engine_get(rig.s.engine, PDE_SLOT_PARAMETERS, last);
        for (int64_t i = 0; i < n && step % AVERAGE_STRIDE == 0; i++)
            wanted[i] += weight_of(part, step / AVERAGE_STRIDE) * last[i];
    }
    hooks_result(&rig.s);
    pde_engine_get(rig.s.engine, PDE_SLOT_PARAMETERS, found);
    ASSERT(largest_difference(found, wanted, n) < 1e-14);
    ASSERT(largest_difference(found, last, n) > 1e-4);
    hooks_result(&rig.s);
    pde_engine_get(rig.s.engine, PDE_SLOT_PARAMETERS, found);
    ASSERT(largest_difference(found, last, n) == 0);
    free(data);
    rig_close(&rig);
    PASS();
}

TEST of_all(void) {
    for (int k = 1; k <= TAKEN; k++)
        ASSERT(fabs(weight_of(1, k) - 1.0 / TAKEN) < 1e-15);
    return mean_over("--average=1", 1);
}

TEST of_the_last_part(void) {
    return mean_over("--average=0.4", 0.4);
}

TEST not_with_lbfgs(void) {
    const char *option[] = {"--set=d=6", "--no-cache", "--optimiser=lbfgs", "--algorithm=full",
                            "--average=0.5"};
    Rig rig;
    ASSERT_FALSE(rig_open(&rig, option, 5));
    ASSERT_EQ(STATUS_OPTION_CONFLICT, rig.error.status);
    problem_close(&rig.problem);
    config_free(&rig.config);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(of_all);
    RUN_TEST(of_the_last_part);
    RUN_TEST(not_with_lbfgs);
    GREATEST_MAIN_END();
}
