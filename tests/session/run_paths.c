/* run_paths.c: points along paths. Times are the grid, increments are independent normals of the
 * stated variance, auxiliary numbers belong to paths, index sets to slices; algorithm 2 with a pair
 * of sets for each slice has the full gradient as its mean, by enumeration. */
static const char *opened; /* the one that a test opens */
#define STAND_IN opened
#include "run_support.h"

enum { SLICES = 20, PATHS = 150, D = 64, NUMBERS = PATHS * D };
#define COMMON "--precision=float64", "--width=8", "--depth=3", "--no-cache", "--scale=none"

static bool open_with(Rig *rig, const char *name, const char *const *more, int count) {
    const char *option[24] = {COMMON};
    int n = 5;
    for (int i = 0; i < count; i++)
        option[n++] = more[i];
    opened = name;
    return rig_open(rig, option, n);
}
#define OPEN(rig, name, ...)                                                                       \
    open_with(rig, name, (const char *const[]){__VA_ARGS__},                                       \
              (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

/* ----------------------------------------------------------------------------------- increments */

typedef struct Law {
    const char *module, *forwards, *backwards, *spread;
    bool logarithm;
    double first, last;       /* times of the grid's ends */
    double slope, at0, drift; /* variance at0 + slope t, mean drift t, of x or of log x */
} Law;

static const Law laws[] = {
    {PATHS_MODULE, "--set=a=1", "--set=b=0", "--set=spread=0", false, 0, 0.5, 2, 0, 0},
    {PATHS_MODULE, "--set=a=0", "--set=b=1", "--set=spread=0", false, 0, 0.5, -2, 1, 0},
    {PATHS_MODULE, "--set=a=1", "--set=b=0", "--set=spread=3", false, 0, 0.5, 2, 3, 0},
    {LOGNORMAL_MODULE, "--set=d=64", "--set=d=64", "--set=d=64", true, 0.2, 0.8, 0.16, 0, -0.08},
};

static double time_of(const Law *law, int n) {
    int step = law->slope < 0 ? n : n + 1;
    return law->first + (law->last - law->first) * step / SLICES;
}

/* What the law's normal number of slice n adds to that of the narrower neighbour, in units of the
 * deviation that it must have. */
static double increment(const Law *law, const Points *p, int path, int n, int i) {
    int before = law->slope < 0 ? n + 1 : n - 1;
    double t = time_of(law, n), x = points_coordinate(p, path * SLICES + n, i);
    double value = (law->logarithm ? log(x) : x) - law->drift * t;
    double variance = law->at0 + law->slope * t;
    if (before >= 0 && before < SLICES) {
        double u = time_of(law, before), y = points_coordinate(p, path * SLICES + before, i);
        value -= (law->logarithm ? log(y) : y) - law->drift * u;
        variance -= law->at0 + law->slope * u;
    }
    return value / sqrt(variance);
}

TEST increments_are_independent(const Law *law) {
    static double e[SLICES][NUMBERS];
    Rig rig;
    ASSERTm(rig.error.message, OPEN(&rig, law->module, law->forwards, law->backwards, law->spread,
                                    "--points=3000", "--slices=20", "--threads=2"));
    const Points *p = &rig.s.task[0].points;
    points_draw(&rig.s.task[0].points, 1, 0, 0);
    for (int b = 0; b < PATHS * SLICES; b++)
        ASSERT_IN_RANGE(time_of(law, b % SLICES), points_coordinate(p, b, D), 1e-14);
    for (int n = 0; n < SLICES; n++)
        for (int k = 0; k < NUMBERS; k++)
            e[n][k] = increment(law, p, k / D, n, k % D);
    const double unit = 5 / sqrt(NUMBERS); /* five standard errors of a mean of variance 1 */
    for (int n = 0; n < SLICES; n++) {
        double mean = 0, fourth = 0;
        for (int k = 0; k < NUMBERS; k++) {
            mean += e[n][k] / NUMBERS;
            fourth += pow(e[n][k], 4) / NUMBERS;
        }
        ASSERT_IN_RANGE(0, mean, unit);
        ASSERT_IN_RANGE(3, fourth, unit * sqrt(96));
        for (int m = 0; m <= n; m++) {
            double product = 0;
            for (int k = 0; k < NUMBERS; k++)
                product += e[n][k] * e[m][k] / NUMBERS;
            ASSERT_IN_RANGE(m == n, product, m == n ? unit * sqrt(2) : unit);
        }
    }
    rig_close(&rig);
    PASS();
}

/* ------------------------------------------------------------------------------ what is shared */

TEST starts_belong_to_paths(void) {
    Rig rig;
    double last = 0;
    ASSERTm(rig.error.message, OPEN(&rig, PATHS_MODULE, "--set=start=1", "--set=a=0", "--slices=5",
                                    "--points=40", "--threads=2"));
    const Points *p = &rig.s.task[0].points;
    points_draw(&rig.s.task[0].points, 1, 0, 0);
    for (int b = 0; b < 40; b++) { /* without a variance x is the start */
        double x = points_coordinate(p, b, 7);
        ASSERT_EQ(b % 5 > 0, b > 0 && x == last);
        last = x;
    }
    rig_close(&rig);
    PASS();
}

TEST sets_belong_to_slices(void) {
    enum { N = 4, B = 12, TERMS = 6 };
    Rig rig;
    ASSERTm(rig.error.message, OPEN(&rig, PATHS_MODULE, "--slices=4", "--points=12", "--terms=6",
                                    "--algorithm=2", "--index-sets=slice", "--threads=2"));
    session_gradient(&rig.s, 3);
    const Task *t = &rig.s.task[0];
    const uint32_t *I = t->gradient[0].set[0], *J = t->value->set[0];
    for (int b = 0; b < B; b++) {
        ASSERT(memcmp(I + b * TERMS, J + b * TERMS, TERMS * sizeof *I) != 0);
        for (int c = 0; c < b; c++) {
            bool same = b % N == c % N;
            ASSERT_EQ(same, memcmp(I + b * TERMS, I + c * TERMS, TERMS * sizeof *I) == 0);
            ASSERT_EQ(same, memcmp(J + b * TERMS, J + c * TERMS, TERMS * sizeof *J) == 0);
        }
    }
    rig_close(&rig);
    PASS();
}

TEST threads_give_the_same_points(void) {
    Rig one, many;
    ASSERT(OPEN(&one, PATHS_MODULE, "--set=start=1", "--slices=7", "--points=91", "--threads=1"));
    ASSERT(OPEN(&many, PATHS_MODULE, "--set=start=1", "--slices=7", "--points=91", "--threads=4"));
    points_draw(&one.s.task[0].points, 1, 5, 0);
    points_draw(&many.s.task[0].points, 1, 5, 0);
    for (int b = 0; b < 91; b++)
        for (int i = 0; i <= D; i++)
            ASSERT_EQ(points_coordinate(&one.s.task[0].points, b, i),
                      points_coordinate(&many.s.task[0].points, b, i));
    rig_close(&one);
    rig_close(&many);
    PASS();
}

/* ---------------------------------------------------------------------------------- unbiased */

#define SMALL "--set=d=3", "--slices=2", "--points=6", "--threads=1"

TEST algorithm_2_is_unbiased(void) {
    enum { ALL = 81, STEPS = 5000 }; /* I and J of two slices, each one of three terms */
    Rig rig, full;
    bool seen[ALL] = {false};
    int found = 0;
    double worst = 0, size = 0;
    ASSERT(OPEN(&rig, PATHS_MODULE, SMALL, "--algorithm=2", "--terms=1", "--index-sets=slice"));
    ASSERT(OPEN(&full, PATHS_MODULE, SMALL, "--algorithm=full"));
    int64_t n = rig.s.network.size;
    double *mean = calloc((size_t)n, sizeof *mean);
    ASSERT(mean);
    for (int i = 0; i < rig.s.tasks; i++) {
        points_draw(&rig.s.task[i].points, 1, 0, 0);
        points_draw(&full.s.task[i].points, 1, 0, 0);
    }
    double *want = rig_gradient(&full, 0);
    for (uint32_t step = 0; step < STEPS && found < ALL; step++) {
        double *g = rig_gradient(&rig, step);
        const uint32_t *I = rig.s.task[0].gradient[0].set[0], *J = rig.s.task[0].value->set[0];
        int key = (int)(((I[0] * 3 + I[1]) * 3 + J[0]) * 3 + J[1]);
        for (int64_t i = 0; i < n && !seen[key]; i++)
            mean[i] += g[i] / ALL;
        found += !seen[key];
        seen[key] = true;
        free(g);
    }
    ASSERT_EQ(ALL, found);
    for (int64_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(mean[i] - want[i]));
        size = fmax(size, fabs(want[i]));
    }
    ASSERT(size > 0 && worst < 1e-12 * size);
    free(mean);
    free(want);
    rig_close(&rig);
    rig_close(&full);
    PASS();
}

/* ------------------------------------------------------------------------------------- refusals */

TEST refused(const char *name, const char *points, const char *sets, const char *slices) {
    Rig rig;
    ASSERT_FALSE(OPEN(&rig, name, points, sets, slices));
    ASSERT_EQ(STATUS_OPTION_CONFLICT, rig.error.status);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++)
        RUN_TESTp(increments_are_independent, &laws[i]);
    RUN_TEST(starts_belong_to_paths);
    RUN_TEST(sets_belong_to_slices);
    RUN_TEST(threads_give_the_same_points);
    RUN_TEST(algorithm_2_is_unbiased);
    RUN_TESTp(refused, PATHS_MODULE, "--points=10", "--index-sets=shared", "--slices=4");
    RUN_TESTp(refused, PATHS_MODULE, "--points=auto", "--index-sets=shared", "--slices=4");
    RUN_TESTp(refused, PATHS_MODULE, "--points=12", "--index-sets=slice", "--slices=0");
    RUN_TESTp(refused, TIMELESS_MODULE, "--points=12", "--index-sets=slice", "--slices=4");
    GREATEST_MAIN_END();
}
