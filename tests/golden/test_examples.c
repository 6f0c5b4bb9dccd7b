/* test_examples.c: every file of examples/ says what its problem says.
 *
 * - It compiles without a message, up to the texts of a module, and opens with a header comment.
 * - Its terms are those of terms.txt, as stated and at d = 1,000,000, in less than 50 ms.
 * - Its exact solution, or its reference made one, solves the equation; a source that is derived
 *   agrees with a closed form. (Finite differences of the sources: tests/symbolic.)
 *
 * terms.txt has one line for each residual of each file: kind, name, then the terms, sorted:
 * class(number of terms)/order and the marks L (linear) and G (Gram matrix).
 * `test_examples --write` prints it anew: look at the difference before you keep it. */
#define _POSIX_C_SOURCE 200809L
#include "compiler/pdec.h"
#include "greatest.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <time.h>

enum { MOST_FILES = 256, TEXT_BYTES = 1 << 20, NAME_BYTES = 64 };

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

static char *names[MOST_FILES];
static int name_count;
static char note[4096];

/* ---- files ---- */

/* The caller frees it; NULL if it cannot be read. */
static char *read_text(const char *folder, const char *name, const char *ending) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s%s", PDE_SOURCE_DIR, folder, name, ending);
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *text = calloc(1, TEXT_BYTES);
    if (text)
        text[fread(text, 1, TEXT_BYTES - 1, f)] = '\0';
    fclose(f);
    return text;
}

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}
static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_examples(void) {
    DIR *folder = opendir(PDE_SOURCE_DIR "/examples");
    for (struct dirent *e = NULL; folder && (e = readdir(folder)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (n < 5 || n >= NAME_BYTES || strcmp(e->d_name + n - 4, ".pde") != 0 ||
            name_count == MOST_FILES)
            continue;
        names[name_count++] = strndup(e->d_name, n - 4);
    }
    if (folder)
        closedir(folder);
    qsort(names, (size_t)name_count, sizeof *names, by_name);
}

/* ---- terms as lines ---- */

static void append(char *line, size_t size, const char *text) {
    size_t used = strlen(line), n = strlen(text);
    if (used + n < size)
        memcpy(line + used, text, n + 1);
}

static const char *member(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "?";
}

static void term_word(const json_t *residual, const json_t *term, char out[128]) {
    const json_t *family =
        json_array_get(json_object_get(residual, "families"),
                       (size_t)json_integer_value(json_object_get(term, "family")));
    const char *class = member(term, "class");
    bool gradient = strcmp(class, "full gradient") == 0;
    snprintf(out, 128, "%s%s%s%s/%d%s%s", gradient ? "gradient" : class, family ? "(" : "",
             family ? member(family, "size") : "", family ? ")" : "",
             (int)json_integer_value(json_object_get(term, "order")),
             json_is_true(json_object_get(term, "linear")) ? "L" : "",
             json_is_true(json_object_get(term, "gram")) ? "G" : "");
}

static void residual_line(const char *name, const json_t *residual, char *out, size_t size) {
    enum { MOST_TERMS = 64 };
    static char words[MOST_TERMS][128];
    size_t n = 0, i;
    json_t *term;
    json_array_foreach(json_object_get(residual, "terms"), i, term) if (n < MOST_TERMS)
        term_word(residual, term, words[n++]);
    qsort(words, n, sizeof *words, by_text);
    const char *equation = member(residual, "name");
    append(out, size, name);
    append(out, size, " ");
    append(out, size, member(residual, "kind"));
    append(out, size, *equation ? " " : "");
    append(out, size, equation);
    append(out, size, ":");
    for (i = 0; i < n; i++) {
        append(out, size, " ");
        append(out, size, words[i]);
    }
    append(out, size, "\n");
}

/* The lines of one example; false with a note if it does not compile. */
static bool term_lines(const char *name, const char *set, char *out, size_t size) {
    char *text = read_text("examples", name, ".pde");
    PdecOptions options = {.emit = "terms", .json = true, .set = &set, .sets = set != NULL};
    PdecResult result = {0};
    bool ok = text && pdec_compile(name, text, strlen(text), &options, &result) == PDEC_OK;
    json_t *root = ok ? json_loads(result.output, 0, NULL) : NULL;
    size_t i;
    json_t *residual;
    json_array_foreach(json_object_get(root, "residuals"), i, residual)
        residual_line(name, residual, out, size);
    snprintf(note, sizeof note, "%s: %s", name, result.messages ? result.messages : "no terms");
    ok = root != NULL;
    json_decref(root);
    pdec_result_free(&result);
    free(text);
    return ok;
}

/* The lines of terms.txt that belong to a file. */
static void expected_lines(const char *table, const char *name, char *out, size_t size) {
    size_t n = strlen(name);
    *out = '\0';
    for (const char *line = table; *line;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) + 1 : strlen(line);
        size_t used = strlen(out);
        if (strncmp(line, name, n) == 0 && line[n] == ' ' && used + length < size) {
            memcpy(out + used, line, length);
            out[used + length] = '\0';
        }
        line += length;
    }
}

/* ---- tests of every file ---- */

TEST compiles_silently(const char *name) {
    char *text = read_text("examples", name, ".pde");
    ASSERT(text);
    PdecOptions options = {.module = true};
    PdecResult result = {0};
    int status = pdec_compile(name, text, strlen(text), &options, &result);
    bool head = strncmp(text, "# ", 2) == 0 && strstr(text, "\n# Shows: ") &&
                strstr(text, "\n# Run:  pdec examples/");
    snprintf(note, sizeof note, "%s: %s", name, result.messages ? result.messages : "header");
    bool parts =
        result.part[PDEC_PART_PLAN] && result.part[PDEC_PART_SOURCE] && result.part[PDEC_PART_CONF];
    bool silent = result.messages == NULL;
    pdec_result_free(&result);
    free(text);
    ASSERT_EQm(note, PDEC_OK, status);
    ASSERTm(note, silent && parts && head);
    PASS();
}

TEST terms_are_those_of_the_table(const char *name, const char *table, const char *set) {
    static char have[8192], want[8192];
    *have = '\0';
    ASSERTm(note, term_lines(name, set, have, sizeof have));
    expected_lines(table, name, want, sizeof want);
    snprintf(note, sizeof note, "%s\nexpected:\n%.1500sfound:\n%.1500s", name, want, have);
    ASSERTm(note, strcmp(have, want) == 0);
    PASS();
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All passes without clang. Other work on the machine only adds: the best of several runs counts. */
TEST compiles_fast_in_a_million_dimensions(const char *name) {
    if (SANITIZED)
        SKIPm("no times under sanitizers");
    char *text = read_text("examples", name, ".pde");
    ASSERT(text);
    const char *set = "d=1000000";
    double best = 1e9;
    for (int run = 0; run < 30 && best > 0.05; run++) {
        PdecOptions options = {.set = &set, .sets = 1};
        PdecResult result = {0};
        double start = seconds();
        int status = pdec_compile(name, text, strlen(text), &options, &result);
        best = fmin(best, seconds() - start);
        pdec_result_free(&result);
        ASSERT_EQm(name, PDEC_OK, status);
    }
    free(text);
    snprintf(note, sizeof note, "%s: %.1f ms", name, 1e3 * best);
    ASSERTm(note, best <= 0.05);
    PASS();
}

SUITE(every_example) {
    char *table = read_text("tests/golden", "terms", ".txt");
    for (int k = 0; k < name_count; k++) {
        RUN_TESTp(compiles_silently, names[k]);
        RUN_TESTp(terms_are_those_of_the_table, names[k], table ? table : "", NULL);
        RUN_TESTp(terms_are_those_of_the_table, names[k], table ? table : "", "d=1000000");
        RUN_TESTp(compiles_fast_in_a_million_dimensions, names[k]);
    }
    free(table);
}

/* ---- what the files claim ---- */

#define ANY "1 2 3 7 50"
#define TH(f) "(x_i + " f " * cos(x_{i+1}) + x_{i+1} * cos(x_i))"
/* Laplacian of (1 - |x|^2) sum c_i sin(TH), by hand. */
#define TWO_BODY(f)                                                                                \
    "((1 - norm(x)^2) * sum_{i=1..d-1} c_i * (-cos" TH(                                            \
        f) " * (x_{i+1}*cos(x_i) + " f                                                             \
           " * cos(x_{i+1})) - sin" TH(                                                            \
               f) " * ((1 - x_{i+1}*sin(x_i))^2 + (cos(x_i) - " f                                  \
                  " * sin(x_{i+1}))^2)) - 4 * sum_{i=1..d-1} c_i * cos" TH(                        \
                      f) " * (x_i * (1 - x_{i+1}*sin(x_i))"                                        \
                         " + x_{i+1} * (cos(x_i) - " f                                             \
                         " * sin(x_{i+1}))) - 2 * d * sum_{i=1..d-1} c_i * sin" TH(f) ")"
#define PQR "x_i * x_{i+1} * x_{i+2}"
#define E3 "c_i * exp(" PQR ")"
#define THREE_BODY                                                                                 \
    "((1 - norm(x)^2) * sum_{i=1..d-2} " E3 " * ((x_{i+1}*x_{i+2})^2 + (x_i*x_{i+2})^2"            \
    " + (x_i*x_{i+1})^2) - 12 * sum_{i=1..d-2} " E3 " * " PQR " - 2 * d * sum_{i=1..d-2} " E3 ")"
/* The ground state of the coupled oscillators, exp(-x' sqrt(A) x / 2). */
#define COUPLED                                                                                    \
    "exact psi = exp(-1/2 * sum_{k=1..d} sqrt(1 - cos(k*pi/(d+1))) * 2/(d+1)"                      \
    " * (sum_i sin(i*k*pi/(d+1)) * x_i)^2)\n"
/* HJB-Rosenbrock at d = 2: the Laplace integral with the 2 x 2 determinant written out. */
#define ROSENBROCK_2                                                                               \
    "let s2 = 2*(T - t), trace2 = 2*a_1 + b_1, det2 = a_1*b_1\n"                                   \
    "let m(l) = 1 + 2*l*s2*trace2 + 4*l^2*s2^2*det2\n"                                             \
    "exact u = -log(2 * integral(v = -50..log(800): exp(v - exp(v)) / sqrt(m(exp(v)))"             \
    " * exp(-exp(v) * (q(x) + 2*exp(v)*s2*det2*norm(x)^2) / m(exp(v)))))\n"

/* HJB-LQG with mu = 2: (1 + q)^-2 is the integral of l exp(-l (1 + q)). */
#define LQG_2                                                                                      \
    "let s2 = 2*(T - t)\n"                                                                         \
    "exact u = -1/mu * log(4 * integral(v = -60..log(800): exp(2*v - exp(v)"                       \
    " - d/2*log1p(2*s2*exp(v)) - exp(v)*norm(x)^2/(1 + 2*s2*exp(v)))))\n"

typedef struct Claim {
    const char *name;
    const char *dims;       /* values of d, each tried */
    const char *expression; /* must vanish */
    double tolerance;       /* absolute */
    const char
        *statements; /* added to the file; "exact": its reference is made an exact solution */
    const char *set; /* besides d; NULL: nothing */
} Claim;

static const Claim claims[] = {
    {"elliptic_poisson", ANY, "g - " TWO_BODY("1"), 1e-12, NULL, NULL},
    {"elliptic_allen_cahn", ANY, "g - " TWO_BODY("1") " - u + u^3", 1e-11, NULL, NULL},
    {"elliptic_sine_gordon", ANY, "g - " TWO_BODY("1") " - sin(u)", 1e-12, NULL, NULL},
    {"poisson_houman", "2 3 7 50", "g - " TWO_BODY("3"), 1e-12, NULL, NULL},
    {"elliptic_poisson_three_body", ANY, "g - " THREE_BODY, 1e-12, NULL, NULL},
    {"elliptic_allen_cahn_three_body", ANY, "g - " THREE_BODY " - u + u^3", 1e-11, NULL, NULL},
    {"elliptic_sine_gordon_three_body", ANY, "g - " THREE_BODY " - sin(u)", 1e-12, NULL, NULL},
    {"elliptic_sine_gordon_products", "2 3 7 50", "g - " TWO_BODY("1") " - sin(u)", 1e-12, NULL,
     NULL},
    {"elliptic_sine_gordon_three_body_products", "3 7 50", "g - " THREE_BODY " - sin(u)", 1e-12,
     NULL, NULL},
    {"elliptic_sine_gordon_features", "2 3 7 50", "g - " TWO_BODY("1") " - sin(u)", 1e-12, NULL,
     NULL},
    {"elliptic_sine_gordon_three_body_features", "3 7 50", "g - " THREE_BODY " - sin(u)", 1e-12,
     NULL, NULL},
    {"poisson_box", ANY, "g - u", 1e-14, NULL, NULL},
    {"fitzhugh", ANY, "g - (D*u - 2*u + u^3 + v)", 1e-14, NULL, NULL},
    {"fitzhugh", ANY, "h + eps*(u - beta*v)", 1e-14, NULL, NULL},
    {"fitzhugh", ANY, "residual(activator)", 1e-14, NULL, NULL},
    {"fitzhugh", ANY, "residual(inhibitor)", 1e-14, NULL, NULL},
    {"biharmonic", ANY, "residual", 1e-9, NULL, NULL},
    {"biharmonic_features", "3 7 20", "residual", 1e-9, NULL, NULL},
    {"biharmonic_system", ANY, "residual(inner)", 1e-9, NULL, NULL},
    {"biharmonic_system", ANY, "residual(outer)", 1e-9, NULL, NULL},
    {"black_scholes", ANY, "residual / V", 1e-13, NULL, NULL},
    {"black_scholes_barenblatt", ANY, "residual / u", 1e-13, NULL, NULL},
    {"fokker_planck", "1 2 3 7 50", "residual / p", 1e-12, NULL, NULL},
    {"fokker_planck_nonlinear", "1 2 3 7 50", "residual / p", 1e-12, NULL, NULL},
    {"hjb_lin", ANY, "residual", 1e-13, NULL, NULL},
    {"hjb_log", "1 2 3 7 50 1000", "residual", 1e-10, "exact", NULL},
    {"hjb_log_paths", "1 2 3 7 50 1000", "residual", 1e-10, "exact", NULL},
    {"hjb_log_points", "1 2 3 7 50 1000", "residual", 1e-10, "exact", NULL},
    {"hjb_rosenbrock", "2", "residual", 1e-10, ROSENBROCK_2, NULL},
    {"hjb_lqg", ANY, "residual", 1e-10, LQG_2, "mu=2"},
    {"wave", ANY, "residual", 1e-13, NULL, NULL},
    {"wave_ansatz", ANY, "residual", 1e-13, NULL, NULL},
    {"kdv_2d", "2", "residual", 1e-13, NULL, NULL},
    {"gkdv_1d", "1", "residual", 1e-13, NULL, NULL},
    {"gkdv_1d", "1", "residual(alongx)", 1e-12, NULL, NULL},
    {"gkdv_1d", "1", "residual(alongt)", 1e-12, NULL, NULL},
    {"sine_gordon_1d", "1", "residual", 1e-13, NULL, NULL},
    {"oscillator", "1 2 3 7 20", "residual / psi", 1e-12, COUPLED, NULL},
    {"oscillator_sine", "1 2 3 7 20", "residual / psi", 1e-12, COUPLED, NULL},
    {"oscillator_uncoupled", ANY, "residual / psi", 1e-11, NULL, NULL},
};

static bool claim_text(const Claim *claim, char *out, size_t size) {
    char *text = read_text("examples", claim->name, ".pde");
    if (!text)
        return false;
    bool promote = claim->statements && strcmp(claim->statements, "exact") == 0;
    char *reference = promote ? strstr(text, "\nreference u =") : NULL;
    if (reference)
        memcpy(reference, "\nexact     u =", 14);
    snprintf(out, size, "%s\n%s", text, claim->statements && !promote ? claim->statements : "");
    free(text);
    return true;
}

TEST claim_holds(const Claim *claim) {
    static char text[TEXT_BYTES];
    ASSERTm(claim->name, claim_text(claim, text, sizeof text));
    char dims[64];
    snprintf(dims, sizeof dims, "%s", claim->dims);
    char *rest = NULL;
    for (char *d = strtok_r(dims, " ", &rest); d; d = strtok_r(NULL, " ", &rest)) {
        char setting[32];
        snprintf(setting, sizeof setting, "d=%s", d);
        const char *set[2] = {setting, claim->set};
        PdecOracle oracle = {.expression = claim->expression};
        PdecOptions options = {.oracle = &oracle, .set = set, .sets = claim->set ? 2 : 1};
        PdecResult result = {0};
        int status = pdec_compile(claim->name, text, strlen(text), &options, &result);
        double worst = result.values_n ? 0 : HUGE_VAL;
        for (size_t k = 0; k < result.values_n; k++)
            worst = isfinite(result.values[k]) ? fmax(worst, fabs(result.values[k])) : HUGE_VAL;
        snprintf(note, sizeof note, "%s, %s: %s is %g: %.2000s", claim->name, setting,
                 claim->expression, worst, result.messages ? result.messages : "");
        pdec_result_free(&result);
        ASSERT_EQm(note, PDEC_OK, status);
        ASSERTm(note, worst <= claim->tolerance);
    }
    PASS();
}

/* The check of the checks: with a wrong sign the soliton is none. */
TEST a_wrong_equation_is_noticed(void) {
    char *text = read_text("examples", "kdv_2d", ".pde");
    ASSERT(text);
    char *sign = strstr(text, "- d(u, x_1, x_1) + 2");
    ASSERT(sign);
    *sign = '+';
    PdecOracle oracle = {.expression = "residual"};
    PdecOptions options = {.oracle = &oracle};
    PdecResult result = {0};
    ASSERT_EQ(PDEC_OK, pdec_compile("kdv_2d", text, strlen(text), &options, &result));
    ASSERT(result.values_n > 0 && fabs(result.values[0]) > 1e-3);
    pdec_result_free(&result);
    free(text);
    PASS();
}

SUITE(what_examples_claim) {
    for (size_t k = 0; k < sizeof claims / sizeof *claims; k++)
        RUN_TEST1(claim_holds, &claims[k]);
    RUN_TEST(a_wrong_equation_is_noticed);
}

/* ---- the table itself ---- */

TEST every_line_of_the_table_has_a_file(void) {
    char *table = read_text("tests/golden", "terms", ".txt");
    ASSERT(table);
    char *rest = NULL;
    for (char *line = strtok_r(table, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        line[strcspn(line, " ")] = '\0';
        ASSERTm(line, bsearch(&line, names, (size_t)name_count, sizeof *names, by_name));
    }
    free(table);
    PASS();
}

TEST every_file_is_in_the_readme(void) {
    char *readme = read_text("examples", "README", ".md");
    ASSERT(readme);
    for (int k = 0; k < name_count; k++) {
        char link[2 * NAME_BYTES + 16];
        snprintf(link, sizeof link, "[%s](%s.pde)", names[k], names[k]);
        ASSERTm(names[k], strstr(readme, link));
    }
    free(readme);
    PASS();
}

SUITE(tables) {
    RUN_TEST(every_line_of_the_table_has_a_file);
    RUN_TEST(every_file_is_in_the_readme);
}

static int write_table(void) {
    static char lines[8192];
    for (int k = 0; k < name_count; k++) {
        *lines = '\0';
        if (!term_lines(names[k], NULL, lines, sizeof lines)) {
            fputs(note, stderr);
            return 1;
        }
        fputs(lines, stdout);
    }
    return 0;
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    list_examples();
    if (argc > 1 && strcmp(argv[1], "--write") == 0)
        return write_table();
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(every_example);
    RUN_SUITE(what_examples_claim);
    RUN_SUITE(tables);
    GREATEST_MAIN_END();
}
