/* run_constraint.c: the loss of a constraint on an integral, by few points, against the integral of the same network by
 * many. With halves crossed (Adam) loss and gradient have the mean of the squared integral's own; with one mean (natural
 * gradient) the loss has the variance of the estimate besides. Points of a set have one time, and fill the domain. */
#define STAND_IN CONSTRAINT_MODULE
#include "run_mean.h"
#include "run_support.h"

#include "runtime/step/mean.h"
#include "runtime/step/points.h"

enum { DRAWS = 20000, FEW = 10, MANY = 20000 };

static bool open(Rig *rig, const char *points, const char *optimiser) {
    const char *option[] = {"--points",  points,        "--width",     "6",       "--depth",
                            "3",         "--precision", "float64",     "--scale", "none",
                            "--threads", "1",           "--optimiser", optimiser, "--no-cache"};
    return rig_open(rig, option, sizeof option / sizeof *option);
}

static Task *constraint_of(Rig *rig) {
    for (int t = 0; t < rig->s.tasks; t++)
        if (rig->s.task[t].plan->kind == PLAN_constraint)
            return &rig->s.task[t];
    return NULL;
}

/* Loss and gradient of the constraint alone, at the points of a step. */
static void gradient_of(Rig *rig, uint32_t step, double *g) {
    Task *t = constraint_of(rig);
    points_draw(&t->points, 5, step, 0);
    pde_gradient_begin(rig->s.engine);
    session_task_gradient(t, step);
    pde_gradient_store(rig->s.engine);
    pde_engine_get(rig->s.engine, PDE_SLOT_GRADIENT, g);
}

TEST few_points_have_the_integral_in_the_mean(void) {
    Rig many, few;
    char text[16];
    (void)snprintf(text, sizeof text, "%d", MANY);
    ASSERTm(many.error.message, open(&many, text, "adam"));
    (void)snprintf(text, sizeof text, "%d", FEW);
    ASSERT(open(&few, text, "adam"));
    int64_t n = many.s.network.size;
    double *want = malloc((size_t)n * sizeof *want), *g = malloc((size_t)n * sizeof *g);
    Mean loss = {0}, *entry = calloc((size_t)n, sizeof *entry);
    gradient_of(&many, 0, want);
    double integral = constraint_of(&many)->loss;
    for (uint32_t k = 0; k < DRAWS; k++) {
        gradient_of(&few, k, g);
        take(&loss, constraint_of(&few)->loss);
        for (int64_t i = 0; i < n; i++)
            take(&entry[i], g[i]);
    }
    /* the many points are a lattice: their own error is far below that of the draws */
    ASSERT_IN_RANGE(integral, mean_of(&loss), 5 * standard_error(&loss));
    ASSERT(standard_error(&loss) < 0.05 * integral);
    double spread = 0, apart = 0;
    for (int64_t i = 0; i < n; i++) {
        spread += standard_error(&entry[i]) * standard_error(&entry[i]);
        apart += pow(mean_of(&entry[i]) - want[i], 2);
    }
    ASSERT(sqrt(apart) < 5 * sqrt(spread));
    double size = 0;
    for (int64_t i = 0; i < n; i++)
        size += want[i] * want[i];
    ASSERT(sqrt(spread) < 0.05 * sqrt(size));
    free(want);
    free(g);
    free(entry);
    rig_close(&many);
    rig_close(&few);
    PASS();
}

/* What the crossed halves leave out is there where they are not crossed: the test above can see it. */
TEST one_mean_counts_the_variance(void) {
    Rig few, one;
    char text[16];
    (void)snprintf(text, sizeof text, "%d", FEW);
    ASSERT(open(&few, text, "adam"));
    ASSERT(open(&one, text, "natural"));
    double *g = malloc((size_t)few.s.network.size * sizeof *g);
    Mean more = {0};
    for (uint32_t k = 0; k < DRAWS; k++) {
        gradient_of(&few, k, g);
        gradient_of(&one, k, g);
        take(&more, constraint_of(&one)->loss - constraint_of(&few)->loss);
    }
    ASSERT(mean_of(&more) > 8 * standard_error(&more));
    free(g);
    rig_close(&few);
    rig_close(&one);
    PASS();
}

static bool open_time(Rig *rig, const char *points) {
    const char *option[] = {"--points", points, "--precision", "float64", "--no-cache"};
    return rig_open_module(rig, CONSTRAINT_TIME_MODULE, option, 5);
}

/* |x|^2 is 12/5 in the mean over the ball of radius 2 in space, in each half; halves are not the same points. */
TEST sets_have_a_time_and_fill_the_domain(const char *points, int64_t sets) {
    Rig rig;
    ASSERT(open_time(&rig, points));
    Task *t = constraint_of(&rig);
    int64_t at[3], last = 0;
    Mean half[2] = {{0}}, times = {0}, both = {0};
    ASSERT_EQ(sets, mean_sets(t));
    for (uint32_t step = 0; step < 300; step++) {
        points_draw(&t->points, 7, step, 0);
        for (int64_t k = 0; k < sets; k++) {
            mean_set(t, k, at);
            double time = points_coordinate(&t->points, at[0], 3), sum[2] = {0};
            ASSERT(k == 0 ? at[0] == 0 : at[0] == last);
            last = at[2];
            take(&times, time);
            for (int64_t b = at[0]; b < at[2]; b++) {
                double square = 0;
                ASSERT_EQ(time, points_coordinate(&t->points, b, 3));
                ASSERT_EQ(2 * k + (b >= at[1]), points_half(&t->points, b));
                for (int i = 0; i < 3; i++)
                    square += pow(points_coordinate(&t->points, b, i), 2);
                ASSERT(square <= 4 + 1e-12);
                sum[b >= at[1]] += square / (double)(b >= at[1] ? at[2] - at[1] : at[1] - at[0]);
            }
            take(&half[0], sum[0]);
            take(&half[1], sum[1]);
            take(&both, (sum[0] - 2.4) * (sum[1] - 2.4));
        }
        ASSERT_EQ(rig.s.settings.points, last);
    }
    for (int h = 0; h < 2; h++)
        ASSERT_IN_RANGE(2.4, mean_of(&half[h]), 5 * standard_error(&half[h]));
    ASSERT_IN_RANGE(2.0, mean_of(&times), 5 * standard_error(&times));
    ASSERT_IN_RANGE(0.0, mean_of(&both), 5 * standard_error(&both)); /* independent */
    rig_close(&rig);
    PASS();
}

SUITE(constraints) {
    RUN_TEST(few_points_have_the_integral_in_the_mean);
    RUN_TEST(one_mean_counts_the_variance);
    RUN_TESTp(sets_have_a_time_and_fill_the_domain, "37", 2);
    RUN_TESTp(sets_have_a_time_and_fill_the_domain, "256", 16);
    RUN_TESTp(sets_have_a_time_and_fill_the_domain, "203", 12);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(constraints);
    GREATEST_MAIN_END();
}
