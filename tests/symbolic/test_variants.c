/* test_variants.c: what the compiler proposes where a file leaves the network open: every rule by problems whose
 * answer is known, nothing from the exact solution, and a time that does not depend on d. */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"

#include "compiler/pdec.h"
#include "greatest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char note[4096];

/* The output of --emit=STAGE; the caller frees it. NULL where the problem has errors. */
static char *emitted(const char *text, const char *stage) {
    PdecOptions options = {.emit = stage, .format = PDEC_SHORT};
    PdecResult result;
    char *out = NULL;
    if (pdec_compile("variants.pde", text, strlen(text), &options, &result) == PDEC_OK) {
        out = result.output;
        result.output = NULL;
    } else {
        printf("%s\n", result.messages);
    }
    pdec_result_free(&result);
    return out;
}

typedef struct Case {
    const char *text;
    const char *holds[5]; /* parts of what is printed; with ! before it: it must not be there */
} Case;

static const char *first_wrong(const Case *c, const char *stage) {
    char *out = emitted(c->text, stage);
    const char *wrong = out ? NULL : "the problem compiles";
    for (int k = 0; out && k < 5 && c->holds[k] && !wrong; k++) {
        const bool absent = c->holds[k][0] == '!';
        if ((strstr(out, c->holds[k] + absent) == NULL) != absent)
            wrong = c->holds[k];
    }
    if (wrong)
        snprintf(note, sizeof note, "expected: %.200s\nin: %.3600s", wrong, out ? out : "nothing");
    free(out);
    return wrong;
}

#define CHECK_CASES(cases, stage)                                                                  \
    for (size_t k_ = 0; k_ < sizeof(cases) / sizeof *(cases); k_++)                                \
    ASSERTm(note, first_wrong(&(cases)[k_], stage) == NULL)

#define HEAT(law)                                                                                  \
    "dim d = 40\nparam T = 2\ndomain x in R(d)\ntime t in [0, T]\nfield u(x, t)\n" law "\n"        \
    "equation d(u, t) + lap(u) = 0\n"
#define PRICES                                                                                     \
    "dim d = 40\nparam T = 1, mu = 0.1, sigma = 0.2\ndomain x in R(d)\ntime t in [0, T]\n"         \
    "field u(x, t)\nsample x_i ~ normal(100, 10)\n"                                                \
    "equation d(u, t) + mu * sum_i x_i * d(u, x_i) + sigma^2/2 * sum_i x_i^2 * d2(u, x_i) = 0\n"
#define NAMED                                                                                      \
    "dim d = 2\nparam T = 1, a = 0.3, b = 0.2, rho = 0.5\ndomain x in R(d)\ntime t in [0, T]\n"    \
    "field u(x, t)\nsample x_i ~ lognormal(0, 0.3)\n"                                              \
    "equation d(u, t) + a^2/2 * x_1^2 * d2(u, x_1) + b^2/2 * x_2^2 * d2(u, x_2) "
#define BALL "dim d = 30\ndomain x in ball(d, 3)\nfield u(x)\n"

/* Coordinates over mean and deviation of domain or law, the time from -1 to 1; nothing where they are of size 1. */
TEST inputs_are_standardised(void) {
    static const Case cases[] = {
        {BALL "equation lap(u) = 1\nboundary u = 0\n", {"2:1  input      sqrt(d + 2) * x_i / 3"}},
        {BALL "equation lap(u) = 1\nboundary u = 0\nsample x ~ radial(uniform)\n",
         {"input      sqrt(3 * d) * x_i / 3"}},
        {"dim d = 9\ndomain x in box(d, 0, 10)\nfield u(x)\nequation lap(u) = 1\nboundary u = 0\n",
         {"input      sqrt(12) * (x_i - 5) / 10"}},
        {"dim d = 9\ndomain x in box(d, -1, 1)\nfield u(x)\nequation lap(u) = 1\nboundary u = 0\n",
         {"input      x\n"}},
        {HEAT("sample x_i ~ normal(0, 1)\ntest x_i ~ normal(0, 1)") "terminal u = 1\n",
         {"input      x\n", "4:1  input      (2 * t - T) / T"}},
        {HEAT("sample x_i ~ uniform(90, 110)\ntest x_i ~ uniform(90, 110)") "terminal u = 1\n",
         {"(x_i - 100)"}},
        {"domain x in ball(3, 2), s in [0, 10]\nfield u(x, s)\nequation lap(u) = 1\nboundary u = "
         "0\n",
         {"input      x\n", "input      sqrt(12) * (-5 + s) / 10"}},
    };
    CHECK_CASES(cases, "features");
    PASS();
}

/* Several coordinate vectors, observations, and a domain with a hole: features all the same, but no other law. */
TEST features_of_other_statements(void) {
    static const Case cases[] = {
        {"domain s in [0, 200], v in [0, 1]\ntime t in [0, 1]\nfield V(s, v, t)\nequation d(V, t) "
         "+ "
         "v*s^2/2*d2(V, s) + d2(V, v) = 0\nterminal V = max(s - 100, 0)\nboundary V = 0\n",
         {"the distance to the kink of the data", "(v - (", "(s - 100)", "!  law  "}},
        {"domain x in [0, 2]\ntime t in [0, 3]\nunknown k = 1\nfield u(x, t)\nequation d(u, t) = "
         "k*d2(u, x)\n"
         "initial u = sin(pi*x/2)\nobserve u = exp(-t) at x = m/10, t = 1 for m = 1..9\n",
         {"input      0.5 * sqrt(12) * (x - 1)", "the values of the data", "!exp("}},
        {"domain x in [0, 4], y in [0, 2] where x > 2 or y < 1\nfield u(x, y)\nequation lap(u) = "
         "1\nboundary u = 0\n",
         {"input      0.25 * (x - 2) * sqrt(12)", "!  law  "}},
    };
    CHECK_CASES(cases, "features");
    PASS();
}

/* Sums of the data, smooth data themselves, kinks and extrema in forms that are smooth; affine functions of what
 * is there already are left out. */
TEST reductions_are_those_of_known_data(void) {
    static const Case cases[] = {
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = log((1 + norm(x)^2) / 2)\n",
         {"(sum_{i=1..d} x_i^2 - (", "(log(0.5 + 0.5 * (sum_{i=1..d} x_i^2))", "a sum of the data",
          "the values of the data"}},
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = 3 + 2 * norm(x)^2\n",
         {"sum_{i=1..d} x_i^2", "!0.5 * (sum", "!3 + 2", "!the values"}},
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = max(mean_i x_i - 0.1, 0)\n",
         {"erf(", "a smooth form of the kink", "over the root of the remaining time", "!max("}},
        {"dim d = 1\nparam T = 2\ndomain x in R(d)\ntime t in [0, T]\nfield u(x, t)\n" /* D T = 4 */
         "sample x_i ~ normal(0, 1)\ntest x_i ~ normal(0, 1)\nequation d(u, t) + lap(u) = 0\n"
         "terminal u = max(x_1 - 0.1, 0)\n",
         {"sqrt(0.004 + 4 * (T - t) / T)"}},
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = max_i x_i\n",
         {"log((sum_{i=1..d} exp(", "a soft extremum", "!max_"}},
        {BALL "equation lap(u) = 1\nboundary u = 0\n",
         {"2:1  number     (sum_{i=1..d} x_i^2)", "the squared radius of the domain"}},
        {"dim d = 3\ndomain x in box(d, 0, 1)\nfield u(x)\nequation lap(u) = 1\nboundary u = 0\n",
         {"!number"}},
        {BALL "equation lap(u) - (sum_i x_i)^2 * u = 1\nboundary u = 0\n",
         {"a sum of the equation", "(sum_{i=1..d} x_i) / ("}},
        {"dim d = 40\ndomain x in R(d)\ntime t in [0, 1]\nfield p(x, t)\nlet k_i = 1 + i / d\n"
         "sample x_i ~ normal(0, 1)\nequation d(p, t) = sum_i d(k_i * x_i * p, x_i) + lap(p)\n"
         "initial p = exp(-norm(x)^2 / 2)\n",
         {"(sum_{i=1..d} (1 + i / d) * x_i^2 - (", "a sum of the equation at the data",
          "x_i^2 * (1 + i / d)^2 - (", "a sum of the equation near the data"}},
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = max(mean_i x_i, 0)\n",
         {"!the equation at the data"}},
        {"dim d = 40\nparam k = 2\nrandom c_i ~ normal(0, 1) for i = 1..d seed 1\n"
         "domain x in ball(d, 1)\nfield u(x)\nequation lap(u) = k * sum_ij c_i * c_j * x_i^2 * "
         "x_j\n"
         "boundary u = 0\n",
         {"!sum_{k"}},
    };
    CHECK_CASES(cases, "features");
    PASS();
}

/* The index pattern of a sum over neighbours. */
TEST products_follow_the_indices(void) {
    static const Case cases[] = {
        {BALL "equation lap(u) = sum_{i=1..d-1} sin(x_i + cos(x_{i+1}))\nboundary u = 0\n",
         {"squares beside products", "neighbours stand together", "!three neighbours"}},
        {BALL "equation lap(u) = sum_{i=1..d-2} exp(x_i * x_{i+1} * x_{i+2})\nboundary u = 0\n",
         {"three neighbours stand together"}},
        {BALL "equation lap(u) = sum_{i=1..d} exp(x_i)\nboundary u = 0\n", {"!vector"}},
    };
    CHECK_CASES(cases, "features");
    PASS();
}

/* X_t of the equation's own process, from the file's law or from the point that is asked for. */
TEST laws_are_those_of_the_process(void) {
    static const Case cases[] = {
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = norm(x)^2\n",
         {"sample x_i ~ normal(0, sqrt(1 + 2 * t * s))"}},
        {"dim d = 4\nparam T = 2\ndomain x in R(d)\ntime t in [0, T]\nfield u(x, t)\n"
         "sample x_i ~ normal(0, 1)\nequation d(u, t) = lap(u)\ninitial u = norm(x)^2\n",
         {"sample x_i ~ normal(0, sqrt(1 + 2 * (T - t) * s))"}},
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = norm(x)^2\nreport u at x_i = 0, t = 0\n",
         {"sample x_i ~ normal(0, sqrt(s + 2 * t))"}},
        {HEAT("sample x_i ~ normal(0, 1)\ntest x_i ~ normal(0, 1)") "terminal u = norm(x)^2\n",
         {"!  law  "}},
        {HEAT("sample x_i ~ normal(0, sqrt(1 + t))") "terminal u = norm(x)^2\n", {"!  law  "}},
        {PRICES "terminal u = norm(x)^2\n",
         {"sample x_i ~ lognormal(", "sigma^2", "logarithms of the coordinates"}},
        {"dim d = 40\nparam T = 2, v = 0.2\ndomain x in R(d)\ntime t in [0, T]\nfield u(x, t)\n"
         "sample x_i ~ lognormal(0.5, 0.3)\n"
         "equation d(u, t) + v^2/2 * sum_i x_i^2 * d2(u, x_i) = 0\nterminal u = norm(x)^2\n",
         {"sample x_i ~ lognormal(0.5 - 0.5 * t * v^2 * s, sqrt(0.3^2 + t * v^2 * s))"}},
        /* a coefficient that jumps with the solution: the middle of both sides */
        {"dim d = 40\nparam T = 1, a = 0.1, b = 0.3\ndomain x in R(d)\ntime t in [0, T]\nfield "
         "u(x, t)\n"
         "sample x_i ~ lognormal(0, 0.3)\n"
         "equation d(u, t) + sum_i x_i^2 * d2(u, x_i) + a * max(sum_i x_i * d(u, x_i), 0)"
         " + b * min(sum_i x_i * d(u, x_i), 0) = 0\nterminal u = norm(x)^2\n",
         {"0.5 * a", "0.5 * b"}},
        /* coordinates by name: correlated noise, a polynomial in the index where they differ */
        {NAMED "+ rho * a * b * x_1 * x_2 * d(u, x_1, x_2) = 0\nterminal u = max(x_1 - x_2, 0)\n",
         {"sample g ~ normal(0, 1)\nsample x_i ~ lognormal(", "* g", "(-1 + i)", "!k ="}},
        {NAMED "= 0\nterminal u = max(x_1 - x_2, 0)\n",
         {"sample x_i ~ lognormal(", "a^2 * (2 - i)", "!* g"}},
        {BALL "equation lap(u) = 1\nboundary u = 0\n", {"!  law  "}},
        {BALL "equation lap(u) = 1\nboundary u = 0\nreport u at x_i = 0\n",
         {"  law        sample x ~ radial(uniform)\n", "at the centre"}},
        {BALL "equation lap(u) = 1\nboundary u = 0\nreport u at x_i = 0.1\n", {"!  law  "}},
        {BALL "equation lap(u) = 1\nboundary u = 0\nreport u at x_i = 0\n"
              "sample x ~ radial(uniform)\n",
         {"!  law  "}},
    };
    CHECK_CASES(cases, "features");
    PASS();
}

/* The logarithm of what stays positive. */
TEST unknowns_are_changed(void) {
    static const Case cases[] = {
        {"dim d = 40\ndomain x in R(d)\ntime t in [0, 1]\nfield p(x, t)\n"
         "sample x_i ~ normal(0, 1)\nequation d(p, t) = lap(p)\n"
         "initial p = (2*pi)^(-d/2) * exp(-norm(x)^2 / 2)\n",
         {"ansatz p = exp(-0.5 * (sum_{i=1..d} x_i^2) - 0.5 * d * (log(2) + log(pi)) + (t) * "
          "net)"}},
        {"dim d = 40\ndomain x in R(d)\ntime t in [0, 1]\nfield p(x, t)\n"
         "sample x_i ~ normal(0, 1)\nequation d(p, t) = lap(p) - 1\ninitial p = exp(-norm(x)^2)\n",
         {"!ansatz"}},
        {"dim d = 40\ndomain x in R(d)\ntime t in [0, 1]\nfield p(x, t)\n"
         "sample x_i ~ normal(0, 1)\nequation d(p, t) = lap(p)\ninitial p = norm(x)^2\n",
         {"!ansatz"}},
    };
    CHECK_CASES(cases, "features");
    PASS();
}

/* Exactly where the data are smooth, as losses besides; a kink is never built in, also where the file says so. */
TEST conditions_are_exact_where_smooth(void) {
    static const Case cases[] = {
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = norm(x)^2\n",
         {"terminal u = norm(x)^2 exactly", "# variant reductions-process",
          "# variant reductions-soft-process"}},
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = norm(x)^2 weight 20\n",
         {"terminal u = norm(x)^2 exactly", "terminal u = norm(x)^2 weight 20"}},
        {HEAT("sample x_i ~ normal(0, 1)") "terminal u = max_i x_i\n",
         {"!exactly", "# variant reductions-soft-process"}},
        {BALL "equation lap(u) = 1\nboundary u = sum_i x_i\n", {"!exactly"}},
        {BALL "equation lap(u) = 1\nboundary u = 0\nansatz u = (9 - norm(x)^2) * net\n",
         {"!exactly", "!-soft", "# variant plain"}},
        {BALL "equation lap(u) = 1\nboundary u = 0\nsolve {\n  iterations 30\n}\n",
         {"  iterations 30\n\n  network mlp(features"}},
        {BALL "equation lap(u) = 1\nboundary u = 0\nsolve {\n  optimiser adam(rate = 1e-3)\n}\n",
         {"no variants"}},
    };
    CHECK_CASES(cases, "variants");
    PASS();
}

/* Without the line that states the exact solution, nothing that is proposed is another. */
TEST the_exact_solution_is_not_looked_at(void) {
    static const char head[] = "dim d = 20\ndomain x in ball(d, 1)\nfield u(x)\n"
                               "random c_i ~ normal(0, 1) for i = 1..d-1 seed 7\n";
    static const char tail[] = "equation lap(u) + sin(u) = g\nboundary u = 0\n";
    static const char exact[] =
        "exact u = (1 - norm(x)^2) * sum_{i=1..d-1} c_i * sin(x_i + cos(x_{i+1}))\n";
    static const char *const stages[] = {"features", "variants"};
    char with[16384], without[16384], derived[2048];
    Lab lab;
    snprintf(derived, sizeof derived, "%s%s%ssource g from exact\n", head, exact, tail);
    ASSERT(lab_open(&lab, "exact", derived, PASS_expanded, 0));
    Ref source = lab.c.problem->source.at[0].value;
    snprintf(with, sizeof with, "%slet g = %s\n%s%s", head, ir_text(lab.c.ir, source), tail, exact);
    snprintf(without, sizeof without, "%slet g = %s\n%s", head, ir_text(lab.c.ir, source), tail);
    lab_close(&lab);
    for (int k = 0; k < 2; k++) {
        char *a = emitted(with, stages[k]), *b = emitted(without, stages[k]);
        ASSERT(a && b && strlen(a) > 100);
        for (char *line; (line = strstr(a, exact));)
            memmove(line, line + strlen(exact), strlen(line + strlen(exact)) + 1);
        ASSERT_STR_EQ(b, a);
        free(a);
        free(b);
    }
    PASS();
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

TEST the_time_does_not_depend_on_d(void) {
    double took[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "dim d = %s\nparam T = 1\ndomain x in R(d)\ntime t in [0, T]\nfield u(x, t)\n"
                 "sample x_i ~ normal(0, 1)\nequation d(u, t) + lap(u) = 0\n"
                 "terminal u = log(1 + norm(x)^2 + sum_{i=1..d-1} x_i * x_{i+1})\n",
                 k ? "1000000" : "1000");
        double start = seconds();
        char *out = emitted(text, "variants");
        took[k] = seconds() - start;
        ASSERT(out && strstr(out, "# variant products-process"));
        free(out);
    }
    snprintf(note, sizeof note, "%g s and %g s", took[0], took[1]);
    ASSERTm(note, took[1] < 2 * took[0] + 0.1);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(inputs_are_standardised);
    RUN_TEST(features_of_other_statements);
    RUN_TEST(reductions_are_those_of_known_data);
    RUN_TEST(products_follow_the_indices);
    RUN_TEST(laws_are_those_of_the_process);
    RUN_TEST(unknowns_are_changed);
    RUN_TEST(conditions_are_exact_where_smooth);
    RUN_TEST(the_exact_solution_is_not_looked_at);
    RUN_TEST(the_time_does_not_depend_on_d);
    GREATEST_MAIN_END();
}
