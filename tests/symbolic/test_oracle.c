/* test_oracle.c: --eval and --set as a library call: values, precision, and what is said when it
 * cannot be. */
#include "compiler/pdec.h"

#include "greatest.h"
#include "runtime/contract/tensor_rng.h"

#include <math.h>
#include <string.h>

static char note[1024];

static const char heat[] =
    "dim d = 3\nparam k = 2, w = k * d\ndomain x in ball(d, 1)\ntime t in [0, 1]\n"
    "field u(x, t)\nrandom c_i ~ normal(0, 1) for i = 1..d seed 7\n"
    "exact u = exp(-t) * norm(x)^2 + w\n"
    "equation heat: d(u, t) = lap(u) + g\nsource g from exact\n"
    "initial u = exact(u)\nboundary u = exact(u)\n";

static const double points[] = {0.25, -0.5, 0.125, 0.5,
                                0.5,  0.25, 0,     1}; /* two points, time last */

static PdecResult ask(const char *expression, size_t columns, bool extended, const char *set) {
    PdecOracle oracle = {.expression = expression,
                         .points = columns ? points : NULL,
                         .rows = columns ? 8 / columns : 0,
                         .columns = columns,
                         .extended = extended};
    PdecOptions options = {
        .oracle = &oracle, .set = &set, .sets = set != NULL, .format = PDEC_SHORT};
    PdecResult result;
    pdec_compile("heat.pde", heat, sizeof heat - 1, &options, &result);
    return result;
}

typedef struct Value {
    const char *expression;
    double first, second;
} Value;

TEST values_are_right(void) {
    const double e = exp(-0.5), f = exp(-1.0), n = 0.328125, m = 0.3125;
    double c[3];
    pde_tensor_fill(pde_tensor_key(7, "c", 1), TENSOR_NORMAL, 0, 1, 0, 0, 3, c);
    const Value values[] = {{"x_2 + t", 0, 1.25},
                            {"u", e * n + 6, f * m + 6},
                            {"exact(u) - w", e * n, f * m},
                            {"d(u, t)", -e * n, -f * m},
                            {"d2(u, x_1)", 2 * e, 2 * f},
                            {"lap(exact(u))", 6 * e, 6 * f},
                            {"g", -e * n - 6 * e, -f * m - 6 * f},
                            {"residual", 0, 0},
                            {"residual(heat)", 0, 0},
                            {"residual(1) + 1", 1, 1},
                            {"d(u, outward)", 2 * e * sqrt(n), 2 * f * sqrt(m)},
                            {"c_3 * d", 3 * c[2], 3 * c[2]},
                            {"sum_{i=1..d-3} x_i", 0, 0}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        for (int extended = 0; extended < 2; extended++) {
            PdecResult r = ask(values[k].expression, 4, extended, NULL);
            snprintf(note, sizeof note, "%s: %s", values[k].expression,
                     r.messages ? r.messages : r.output);
            ASSERTm(note, r.status == PDEC_OK && r.values_n == 2);
            ASSERTm(note,
                    fabs(r.values[0] - values[k].first) < 1e-14 * (1 + fabs(values[k].first)));
            ASSERTm(note,
                    fabs(r.values[1] - values[k].second) < 1e-14 * (1 + fabs(values[k].second)));
            pdec_result_free(&r);
        }
    PASS();
}

/* With 100000 samples: the mean is the exact one to 4 standard errors, and not another law's. */
typedef struct Mean {
    const char *expression;
    double exact, deviation, other;
} Mean;

TEST expectations_are_means(void) {
    const double e = exp(1.0);
    const Mean means[] = {
        {"expect(z ~ normal(0.5, 1): z)", 0.5, 1, -0.5},
        {"expect(z ~ normal(0.5, 1): exp(-z))", 1, sqrt(e - 1), e},
        {"expect(z ~ uniform(-1, 2): z)", 0.5, sqrt(0.75), -0.5},
        {"expect(z ~ uniform(-1, 2): z^3)", 1.25, 2.4, -1.25},
        {"expect(z ~ exponential(2): z)", 0.5, 0.5, 2},
        {"expect(z ~ rademacher(): z + z^2)", 1, 1, 0},
        {"expect(z ~ lognormal(0.5, 1): z)", e, e * sqrt(e - 1), 1},
        {"-log(expect(z ~ normal(0, 1): exp(-z)))", -0.5, sqrt(e - 1), 0.5},
        {"expect(z_i ~ normal(0, 1): norm(z)^2)", 3, sqrt(6), 9},
        {"expect(z_i ~ normal(0, 1): z_1 * z_2 + z_2 * z_3 + z_1 * z_3)", 0, sqrt(3), 3},
        {"expect(z ~ normal(0, 1), v ~ normal(0, 1): (z - v)^2)", 2, sqrt(8), 0},
        {"expect(z_i ~ normal(0, 1): (x_2 + z_2)^2)", 1.25, sqrt(3), 1},
        {"d(expect(z ~ normal(0, 1): exp(t * z)), t) - expect(z ~ normal(0, 1): z^2)",
         0.5 * exp(0.125) - 1, 2.5, 1}};
    for (size_t k = 0; k < sizeof means / sizeof *means; k++) {
        const Mean *m = &means[k];
        PdecResult r = ask(m->expression, 4, false, NULL),
                   again = ask(m->expression, 4, true, NULL);
        snprintf(note, sizeof note, "%s: %s", m->expression, r.messages ? r.messages : r.output);
        ASSERTm(note, r.status == PDEC_OK && again.status == PDEC_OK);
        double limit = 4 * m->deviation / sqrt(1e5);
        ASSERTm(note, fabs(r.values[0] - m->exact) < limit);
        ASSERTm(note, fabs(r.values[0] - m->other) > limit);
        ASSERTm(note, fabs(r.values[0] - again.values[0]) < 1e-11 * (1 + fabs(m->exact)));
        pdec_result_free(&r);
        pdec_result_free(&again);
    }
    PASS();
}

TEST settings_reach_everything(void) {
    PdecResult r = ask("w + k + d", 0, false, "d=7");
    ASSERT(r.status == PDEC_OK && r.values_n > 0 && fabs(r.values[0] - 23) < 1e-15);
    pdec_result_free(&r);
    r = ask("w + k + d", 0, false, "k=-0.5");
    ASSERT(r.status == PDEC_OK && fabs(r.values[0] - 1) < 1e-15);
    pdec_result_free(&r);
    PASS();
}

typedef struct Refusal {
    const char *expression;
    size_t columns;
    const char *set, *says;
    int status;
} Refusal;

static const Refusal refusals[] = {
    {"u", 2, NULL,
     "a point has 2 numbers, and this problem needs 3 and the time after them; use --set d=1",
     PDEC_USAGE},
    {"u", 4, "d=0", "a dimension is a whole number", PDEC_USAGE},
    {"u", 4, "D=5", "no dim or param 'D'", PDEC_USAGE},
    {"u", 4, "d", "write --set name=value", PDEC_USAGE},
    {"u", 4, "d=five", "'five' is not a number", PDEC_USAGE},
    {"u + foo", 4, NULL, "--eval:1:5: E0301", PDEC_DIAGNOSTICS},
    {"u +", 4, NULL, "--eval:1:4: E0211", PDEC_DIAGNOSTICS},
    {"x", 4, NULL, "--eval:1:1: E0402", PDEC_DIAGNOSTICS},
    {"u\nreport u", 4, NULL, "one expression", PDEC_DIAGNOSTICS},
    {"residual(cold)", 4, NULL, "--eval:1:1", PDEC_DIAGNOSTICS},
    {"", 4, NULL, "--eval:1:1", PDEC_DIAGNOSTICS},
};

TEST refusals_say_why(void) {
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        const Refusal *want = &refusals[k];
        PdecResult r = ask(want->expression, want->columns, false, want->set);
        snprintf(note, sizeof note, "%s: status %d, %s", want->expression, r.status,
                 r.messages ? r.messages : "nothing said");
        ASSERTm(note, r.status == want->status && r.messages && strstr(r.messages, want->says));
        pdec_result_free(&r);
    }
    PASS();
}

/* Every allocation failed in turn: no crash, no leak (under the sanitizers). */
TEST memory_may_run_out(void) {
    PdecOracle oracle = {.expression = "residual + c_1", .points = points, .rows = 2, .columns = 4};
    PdecOptions options = {.oracle = &oracle};
    PdecResult r;
    pdec_compile("heat.pde", heat, sizeof heat - 1, &options, &r);
    uint64_t calls = r.allocations;
    pdec_result_free(&r);
    for (uint64_t k = 1; k <= calls; k += 1 + k / 50) {
        options.fail_at = k;
        ASSERT_EQ(PDEC_ENVIRONMENT, pdec_compile("heat.pde", heat, sizeof heat - 1, &options, &r));
        pdec_result_free(&r);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(values_are_right);
    RUN_TEST(expectations_are_means);
    RUN_TEST(settings_reach_everything);
    RUN_TEST(refusals_say_why);
    RUN_TEST(memory_may_run_out);
    GREATEST_MAIN_END();
}
