/* test_math.c: problems as LaTeX and MathML: the notation, escaping, and that the report takes it.
 */
#include "compiler/base/source.h"
#include "compiler/pdec.h"
#include "runtime/report/html.h"

#include "greatest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char note[2048];

typedef struct Shown {
    const char *written, *latex;
} Shown;

/* Each is the right side of a `let`. */
static const Shown shown[] = {
    {"d2(u, x_i)", "\\frac{{\\partial }^{2}u}{\\partial {x_{i}}^{2}}"},
    {"d4(u, x_i, x_i, x_j, x_j)",
     "\\frac{{\\partial }^{4}u}{\\partial {x_{i}}^{2}\\partial {x_{j}}^{2}}"},
    {"d(theta * u, t)", "\\frac{\\partial }{\\partial t}\\left( \\theta \\,u\\right) "},
    {"sum_{k=1..d-1} x_k * x_{k+1}", "\\sum_{k=1}^{d-1} x_{k}\\,x_{k+1}"},
    {"sum_{k<l} x_k * x_l", "\\sum_{k<l} x_{k}\\,x_{l}"},
    {"a * (b - 1) / 2", "\\frac{a\\,\\left( b-1\\right) }{2}"},
    {"a - (b - 1)", "a-\\left( b-1\\right) "},
    {"-1/2 * a", "-\\frac{1}{2}\\,a"},
    {"a * 2", "a\\cdot 2"},
    {"(-a)^2", "{\\left( -a\\right) }^{2}"},
    {"1e-9 * sqrt(norm(x)^2)", "10^{-9}\\,\\sqrt{{\\left\\| x\\right\\| }^{2}}"},
    {"sin(u) + exp(a + b)", "\\sin\\,u+\\exp\\left( a+b\\right) "},
    {"lap(u) + abs(u)", "\\Delta u+\\left| u\\right| "},
};

static char *emitted(const char *text, const char *stage) {
    PdecOptions options = {.emit = stage};
    PdecResult r;
    pdec_compile("math.pde", text, strlen(text), &options, &r);
    char *out = r.output;
    r.output = NULL;
    if (r.messages)
        snprintf(note, sizeof note, "%.2000s", r.messages);
    pdec_result_free(&r);
    return out;
}

TEST notation_is_that_of_a_paper(void) {
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        char text[1024];
        bool indices = strstr(shown[k].written, "x_i") != NULL,
             both = strstr(shown[k].written, "x_j") != NULL;
        snprintf(text, sizeof text,
                 "dim d = 4\nparam a = 1, b = 2, theta = 3\ndomain x in R(d)\nsample x_i ~ "
                 "normal(0, 1)\n"
                 "time t in [0, 1]\nfield u(x, t)\nlet Q%s = %s\nequation d(u, t) = "
                 "lap(u)\ninitial u = 0\n",
                 both      ? "_ij"
                 : indices ? "_i"
                           : "",
                 shown[k].written);
        char *out = emitted(text, "latex");
        ASSERTm(note, out != NULL);
        snprintf(note, sizeof note, "%s: %.1500s", shown[k].written, out);
        ASSERTm(note, strstr(out, shown[k].latex) != NULL);
        free(out);
    }
    PASS();
}

/* One line for all coordinate vectors; an interval is no power of one. */
TEST domains_are_a_product(void) {
    static const char text[] = "domain x in ball(3, 1), y in [0, 2]\nfield u(x, y)\n"
                               "equation lap(u) = 1\nboundary u = 0\n";
    char *out = emitted(text, "latex");
    ASSERTm(note, out != NULL);
    ASSERT(strstr(out, "\\left( x,y\\right)  &\\in \\Omega \\coloneqq \\left\\{"));
    ASSERT(strstr(out, "<1\\right\\} \\times \\left[ 0,2\\right]"));
    free(out);
    PASS();
}

TEST reports_accept_every_example(void) {
    DIR *folder = opendir(PDE_SOURCE_DIR "/examples");
    struct dirent *entry;
    ASSERT(folder);
    while ((entry = readdir(folder))) {
        char path[1024], *text;
        size_t n;
        if (!strstr(entry->d_name, ".pde"))
            continue;
        snprintf(path, sizeof path, "%s/examples/%s", PDE_SOURCE_DIR, entry->d_name);
        ASSERT(source_read(path, &text, &n) == READ_OK);
        char *out = emitted(text, "mathml");
        ASSERTm(entry->d_name, out && html_math_is_safe(out));
        free(out);
        free(text);
    }
    closedir(folder);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(notation_is_that_of_a_paper);
    RUN_TEST(domains_are_a_product);
    RUN_TEST(reports_accept_every_example);
    GREATEST_MAIN_END();
}
