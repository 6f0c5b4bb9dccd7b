/* run_rules.c: what a run without settings goes by: each rule on facts made up for it, budgets, rounding, the
 * trimmed mean, and that a choice never replaces a statement. */
#define _POSIX_C_SOURCE 200809L
#include "greatest.h"

#include "runtime/choose/effort.h"
#include "runtime/choose/judge.h"
#include "runtime/choose/rules.h"

#include <math.h>
#include <time.h>

static const Facts few = {
    .d = 3, .inputs = 4, .order = 2, .exact = true, .samples = true, .seconds = 60};
static const Facts many = {.d = 1000,
                           .inputs = 1000,
                           .terms = 1000,
                           .order = 2,
                           .exact = true,
                           .samples = true,
                           .seconds = 60};

TEST sums_are_exact_where_they_can_be(void) {
    Facts f = many;
    ASSERT_EQ(SUMS_EXACT, rule_sums(&f));
    f.exact = false;
    ASSERT_EQ(SUMS_SAMPLED, rule_sums(&f));
    ASSERT_FALSE(rule_natural(&f));
    f.samples = false;
    ASSERT_EQ(SUMS_FULL, rule_sums(&f));
    f.samples = true;
    f.terms = 20;
    ASSERT_EQ(SUMS_FULL, rule_sums(&f));
    ASSERT(rule_natural(&f));
    PASS();
}

TEST precision_is_double_for_few_inputs(void) {
    ASSERT_EQ(PDE_F64, rule_precision(&few));
    ASSERT_EQ(PDE_F32, rule_precision(&many));
    PASS();
}

TEST more_inputs_or_time_mean_more_points(void) {
    Facts longer = few;
    longer.seconds = 600;
    ASSERT(rule_points(&many) > rule_points(&few));
    ASSERT(rule_points(&longer) > rule_points(&few));
    ASSERT(rule_width(&longer) > rule_width(&few));
    PASS();
}

/* What the points of a step cost is bounded by the time, whatever d is. */
TEST large_networks_get_points_that_leave_time_for_steps(void) {
    Facts f = many;
    int64_t before = rule_points(&f);
    for (f.inputs = 10000; f.inputs <= 10000000; f.inputs *= 10) {
        ASSERT(rule_points(&f) <= before);
        before = rule_points(&f);
    }
    ASSERT_EQ(16, before);
    ASSERT(rule_pilot(&few) && rule_pilot(&many));
    ASSERT_FALSE(rule_pilot(&f));
    f.inputs = 100000;
    ASSERT_FALSE(rule_pilot(&f));
    f.seconds = 3600;
    ASSERT(rule_pilot(&f));
    PASS();
}

TEST numbers_are_powers_of_the_root_of_two(void) {
    ASSERT_EQ(1, effort_round(0.1, 1));
    ASSERT_EQ(8, effort_round(0.1, 8));
    ASSERT_EQ(1024, effort_round(1000, 1));
    ASSERT_EQ(1448, effort_round(1300, 1));
    PASS();
}

/* Waiting is not work. */
TEST time_is_of_work(void) {
    const struct timespec pause = {.tv_nsec = 200000000};
    Stopwatch start = stopwatch_start();
    nanosleep(&pause, NULL);
    ASSERT(stopwatch_seconds(start) < 0.1);
    volatile double sum = 0;
    while (stopwatch_seconds(start) < 0.02)
        sum += 1;
    ASSERT(stopwatch_seconds(start) >= 0.02 && sum > 0);
    PASS();
}

TEST budgets_are_what_is_stated(void) {
    Config config;
    Error error = {0};
    Plan plan = {.automatic = true};
    char *const minutes[] = {"pderun", "--time=5m"},
                *const counted[] = {"pderun", "--iterations=64"},
                *const none[] = {"pderun", "--effort=none"};
    ASSERT_EQ(STATUS_OK, config_init(&config, &error));
    ASSERT(effort_applies(&config, &plan));
    ASSERT_EQ(60, effort_budget(&config).seconds);
    ASSERT_EQ(0, effort_budget(&config).iterations);
    ASSERT_EQ(STATUS_OK, config_read_arguments(&config, 2, minutes, &error));
    ASSERT_EQ(300, effort_budget(&config).seconds);
    plan.automatic = false;
    ASSERT(effort_applies(&config, &plan));
    ASSERT_EQ(STATUS_OK, config_read_arguments(&config, 2, counted, &error));
    ASSERT_EQ(64, effort_budget(&config).iterations);
    ASSERT_EQ(STATUS_OK, config_read_arguments(&config, 2, none, &error));
    ASSERT_FALSE(effort_applies(&config, &plan));
    config_free(&config);
    PASS();
}

TEST statements_stay(void) {
    Config config, copy;
    Error error = {0};
    char *const stated[] = {"pderun", "--width=17"};
    ASSERT_EQ(STATUS_OK, config_init(&config, &error));
    ASSERT_EQ(STATUS_OK, config_read_arguments(&config, 2, stated, &error));
    ASSERT_EQ(STATUS_OK, config_copy(&copy, &config, &error));
    ASSERT_EQ(STATUS_OK, config_choose(&copy, OPTION_WIDTH, "32", &error));
    ASSERT_EQ(STATUS_OK, config_choose(&copy, OPTION_POINTS, "32", &error));
    ASSERT_EQ(17, config_integer(&copy, OPTION_WIDTH));
    ASSERT_EQ(32, config_integer(&copy, OPTION_POINTS));
    ASSERT_EQ(100, config_integer(&config, OPTION_POINTS));
    ASSERT(config_is_stated(&copy, OPTION_WIDTH) && !config_is_stated(&copy, OPTION_POINTS));
    config_free(&copy);
    config_free(&config);
    PASS();
}

TEST few_points_do_not_rule_a_mean(void) {
    double value[200];
    for (int i = 0; i < 200; i++)
        value[i] = i == 17 || i == 90 ? 1e12 : 4;
    ASSERT_IN_RANGE(2, judge_trimmed_root(value, 200), 1e-12);
    value[3] = (double)NAN;
    ASSERT(isinf(judge_trimmed_root(value, 200)));
    PASS();
}

/* Estimates less than a standard error apart say nothing: then the measure decides, but only between these. */
TEST ties_go_to_the_smaller_measure(void) {
    const Candidate c[] = {{.error = 1.0, .noise = 0.06, .measure = 3},
                           {.error = 1.1, .noise = 0.09, .measure = 2},
                           {.error = 1.2, .noise = 0.09, .measure = 1},
                           {.error = 1.05, .noise = 0.01, .measure = 4}};
    const int index[] = {0, 3, 1, 2};
    ASSERT(judge_ties(&c[0], &c[1]) && judge_ties(&c[1], &c[0]));
    ASSERT(judge_ties(&c[1], &c[2]));
    ASSERT_FALSE(judge_ties(&c[0], &c[2]));
    ASSERT_EQ(1, judge_best(c, index, 4));
    ASSERT_EQ(0, judge_best(c, index, 2));
    ASSERT_EQ(0, judge_best(c, index, 1));
    PASS();
}

/* A third goes on, and not only one variant with other settings. */
TEST finalists_are_of_two_variants(void) {
    const Candidate c[] = {{.tweak = {{OPTION_VARIANT, "written"}}},
                           {.tweak = {{OPTION_VARIANT, "written"}, {OPTION_SCALE, "1"}}},
                           {.tweak = {{OPTION_VARIANT, "written"}, {OPTION_ACTIVATION, "sin"}}},
                           {.tweak = {{OPTION_VARIANT, "plain"}}},
                           {.tweak = {{OPTION_VARIANT, "reductions"}}}};
    int alike[] = {1, 0, 2, 3, 4}, different[] = {1, 4, 0, 2, 3}, two[] = {2, 0}, one[] = {3};
    ASSERT_EQ(3, judge_finalists(c, alike, 5));
    ASSERT(alike[0] == 1 && alike[1] == 0 && alike[2] == 3 && alike[3] == 2);
    ASSERT_EQ(2, judge_finalists(c, different, 5));
    ASSERT_EQ(2, judge_finalists(c, two, 2));
    ASSERT_EQ(1, judge_finalists(c, one, 1));
    ASSERT_EQ(0, judge_finalists(c, one, 0));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(sums_are_exact_where_they_can_be);
    RUN_TEST(precision_is_double_for_few_inputs);
    RUN_TEST(more_inputs_or_time_mean_more_points);
    RUN_TEST(large_networks_get_points_that_leave_time_for_steps);
    RUN_TEST(numbers_are_powers_of_the_root_of_two);
    RUN_TEST(time_is_of_work);
    RUN_TEST(budgets_are_what_is_stated);
    RUN_TEST(statements_stay);
    RUN_TEST(few_points_do_not_rule_a_mean);
    RUN_TEST(ties_go_to_the_smaller_measure);
    RUN_TEST(finalists_are_of_two_variants);
    GREATEST_MAIN_END();
}
