/* test_front.c: parts of the front end by themselves: arena, numbers, names, positions, trees,
 * ranges that check fills, and the command line of pdec. */
#define _POSIX_C_SOURCE 200809L
#include "compiler/base/compilation.h"
#include "compiler/base/limits.h"
#include "compiler/base/suggest.h"
#include "compiler/pass.h"
#include "compiler/pdec.h"
#include "compiler/text/parse.h"
#include "compiler/text/symbols.h"
#include "greatest.h"

#include <locale.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- helpers ---- */

static Compilation fresh(jmp_buf *on_fail) {
    Compilation c = {0};
    c.arena.limit = LIMIT_ARENA_BYTES;
    c.arena.on_fail = on_fail;
    return c;
}

static bool front_end(Compilation *c, const char *text) {
    source_add(c, "t.pde", text, strlen(text), false);
    return pass_run(c, PASS_parse, PASS_check, NULL);
}

#define COMPILE(c, text)                                                                           \
    jmp_buf on_fail;                                                                               \
    Compilation c = fresh(&on_fail);                                                               \
    if (setjmp(on_fail))                                                                           \
        FAILm("out of memory");                                                                    \
    bool ok = front_end(&c, text)

/* ---- arena ---- */

TEST arena_zeroes_and_aligns(void) {
    jmp_buf on_fail;
    Compilation c = fresh(&on_fail);
    if (setjmp(on_fail))
        FAIL();
    for (size_t n = 0; n < 200000; n = n * 3 + 1) {
        unsigned char *p = arena_alloc(&c.arena, n);
        ASSERT_EQ(0u, (uintptr_t)p % 16);
        for (size_t i = 0; i < n; i++)
            ASSERT_EQ(0, p[i]);
        memset(p, 0xFF, n);
    }
    arena_free(&c.arena);
    PASS();
}

TEST arena_stops_at_its_limit(void) {
    jmp_buf on_fail;
    Compilation c = fresh(&on_fail);
    c.arena.limit = 1000;
    volatile int blocks = 0;
    if (setjmp(on_fail) == 0)
        for (;; blocks = blocks + 1)
            arena_alloc(&c.arena, 100);
    arena_free(&c.arena);
    ASSERT_EQ(ARENA_FAIL_LIMIT, c.arena.fail_code);
    ASSERT(blocks >= 8 && blocks <= 10);
    PASS();
}

/* ---- numbers ---- */

TEST doubles_read_back(void) {
    static const double values[] = {
        0.1,     1.0 / 3, 1e-3, 5e-324,    1.7976931348623157e308, 123456789.125, 1e22, 1e23,
        -2.5e-7, 0,       50,   0x1p-1074, 4503599627370497.5};
    jmp_buf on_fail;
    Compilation c = fresh(&on_fail);
    if (setjmp(on_fail))
        FAIL();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        Text t = {.arena = &c.arena};
        double back;
        text_double(&t, values[i]);
        ASSERT(text_read_double(text_cstr(&t), &back));
        ASSERTm(t.s, memcmp(&back, &values[i], sizeof back) == 0);
    }
    Text shortest = {.arena = &c.arena};
    text_double(&shortest, 0.1);
    text_str(&shortest, STR(" "));
    text_double(&shortest, 50);
    ASSERT_STR_EQ("0.1 50", text_cstr(&shortest));
    arena_free(&c.arena);
    PASS();
}

TEST numbers_ignore_the_locale(void) {
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "de_DE"))
        SKIPm("no locale with a decimal comma");
    double v = 0;
    bool read = text_read_double("0.25", &v);
    setlocale(LC_NUMERIC, "C");
    ASSERT(read);
    ASSERT_EQ(0.25, v);
    PASS();
}

/* ---- names and positions ---- */

TEST names_are_interned(void) {
    jmp_buf on_fail;
    Compilation c = fresh(&on_fail);
    if (setjmp(on_fail))
        FAIL();
    char name[16];
    Sym sym[2000];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        sym[i] = intern_cstr(&c, name);
    }
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        ASSERT_EQ(sym[i], intern_cstr(&c, name));
        ASSERT_STR_EQ(name, sym_cstr(&c, sym[i]));
    }
    ASSERT_EQ(0u, intern_cstr(&c, ""));
    arena_free(&c.arena);
    PASS();
}

static Str str(const char *s) {
    return (Str){s, strlen(s)};
}

TEST distances(void) {
    ASSERT_EQ(0u, suggest_distance(str("abc"), str("abc")));
    ASSERT_EQ(1u, suggest_distance(str("abc"), str("acb")));
    ASSERT_EQ(1u, suggest_distance(str("abc"), str("abcd")));
    ASSERT_EQ(2u, suggest_distance(str("feld"), str("fielt")));
    ASSERT_EQ(4u, suggest_distance(str("a"), str("abcdefg")));
    Suggestion near = suggest_start(str("kapa"));
    suggest_offer(&near, str("beta"));
    suggest_offer(&near, str("kappa"));
    ASSERT_EQ(5u, near.best.n);
    PASS();
}

TEST columns_count_cells(void) {
    jmp_buf on_fail;
    Compilation c = fresh(&on_fail);
    if (setjmp(on_fail))
        FAIL();
    const char text[] = "a\n\xCE\xBB b\n\xE6\xBC\xA2z\n";
    source_add(&c, "t.pde", text, sizeof text - 1, false);
    Place b = source_place(&c, 5), z = source_place(&c, 10);
    ASSERT_EQ(2u, b.line);
    ASSERT_EQ(3u, b.column); /* lambda is one cell */
    ASSERT_EQ(3u, z.line);
    ASSERT_EQ(3u, z.column); /* the ideograph is two */
    arena_free(&c.arena);
    PASS();
}

/* ---- trees ---- */

static const char head[] = "dim d = 100\ndomain x in ball(d, 1)\nfield u(x)\n";

static bool tree_is(const char *expression, const char *expected) {
    jmp_buf on_fail;
    Compilation c = fresh(&on_fail);
    if (setjmp(on_fail))
        return false;
    char text[512];
    snprintf(text, sizeof text, "let q = %s\n", expression);
    source_add(&c, "t.pde", text, strlen(text), false);
    Ast *program = parse_source(&c, &c.sources.list.at[0]);
    Text tree = {.arena = &c.arena}, flat = {.arena = &c.arena};
    if (program && program->n == 1 && program->kid[0]->kind == AST_LET)
        ast_print(&c, program->kid[0]->kid[0]->kid[1], &tree);
    /* one line, without positions: "add(name,..." is enough to see the grouping */
    for (size_t i = 0; i < tree.n; i++) {
        if (tree.s[i] == ' ' && i + 1 < tree.n && tree.s[i + 1] == ' ' && i > 0 &&
            tree.s[i - 1] != '\n' && tree.s[i - 1] != ' ') {
            while (tree.s[i] != '\n')
                i++;
            text_str(&flat, STR(";"));
        } else if (tree.s[i] != ' ' && tree.s[i] != '\n') {
            text_bytes(&flat, tree.s + i, 1);
        }
    }
    bool same = strcmp(text_cstr(&flat), expected) == 0;
    if (!same)
        printf("\n  %s\n  expected %s\n  got      %s\n", expression, expected, flat.s);
    arena_free(&c.arena);
    return same;
}

TEST precedence(void) {
    ASSERT(tree_is("-a^2", "neg;pow;namea;number2;"));
    ASSERT(tree_is("a^b^c", "pow;namea;pow;nameb;namec;"));
    ASSERT(tree_is("a-b-c", "sub;sub;namea;nameb;namec;"));
    ASSERT(tree_is("a/b*c", "mul;div;namea;nameb;namec;"));
    ASSERT(tree_is("2^-a", "pow;number2;neg;namea;"));
    ASSERT(tree_is("sum_i a*b + c", "add;bigsum;rangei;--mul;namea;nameb;namec;"));
    ASSERT(tree_is("-sum_i a*b", "neg;bigsum;rangei;--mul;namea;nameb;"));
    ASSERT(tree_is("c*sum_i a*b", "mul;namec;bigsum;rangei;--mul;namea;nameb;"));
    ASSERT(tree_is("sum_i a^2", "bigsum;rangei;--pow;namea;number2;"));
    ASSERT(tree_is("max(a, b)", "callmax;namea;nameb;"));
    ASSERT(tree_is("d2(u, t) * d", "mul;derivative2;nameu;namet;named;"));
    ASSERT(tree_is("x_12", "subscript;namex;number12;"));
    ASSERT(tree_is("D_ij", "subscript;nameD;namei;namej;"));
    PASS();
}

/* ---- what check establishes ---- */

static void count_ranges(const Ast *e, int *filled, int *open) {
    if (!e)
        return;
    if (e->kind == AST_RANGE) {
        if (e->kid[0] && e->kid[1])
            ++*filled;
        else
            ++*open;
    }
    for (uint32_t i = 0; i < e->n; i++)
        count_ranges(e->kid[i], filled, open);
}

TEST every_range_is_filled(void) {
    char text[1024];
    snprintf(text, sizeof text,
             "%srandom c_i ~ normal(0, 1) for i = 1..d-1\nlet F_i = sum_j x_i * x_j\n"
             "equation sum_i d2(u, x_i) = sum_i c_i + sum_{i<j} x_i * x_j + max_i x_i + norm(F)\n",
             head);
    COMPILE(c, text);
    int filled = 0, open = 0;
    count_ranges(c.program, &filled, &open);
    const Symbol *tensor = symbol_find(&c, intern_cstr(&c, "c"));
    const Symbol *drift = symbol_find(&c, intern_cstr(&c, "F"));
    ASSERT(ok);
    ASSERT_EQ(7, filled); /* with the one of `for` */
    ASSERT_EQ(0, open);
    ASSERT(tensor && tensor->rank == 1 && tensor->extent[0].coef == 1 &&
           tensor->extent[0].constant == -1);
    ASSERT(drift && drift->rank == 1 && drift->extent[0].constant == 0);
    arena_free(&c.arena);
    PASS();
}

TEST two_compilations_at_once(void) {
    jmp_buf on_fail;
    Compilation a = fresh(&on_fail), b = fresh(&on_fail);
    if (setjmp(on_fail))
        FAIL();
    char first[256], second[256];
    snprintf(first, sizeof first, "%sequation lap(u) = 1\n", head);
    snprintf(second, sizeof second, "%sequation lap(u) = q\n", head);
    source_add(&a, "a.pde", first, strlen(first), false);
    source_add(&b, "b.pde", second, strlen(second), false);
    parse_run(&a);
    parse_run(&b);
    resolve_run(&a);
    resolve_run(&b);
    ASSERT_EQ(0u, diag_errors(&a));
    ASSERT_EQ(1u, diag_errors(&b));
    arena_free(&a.arena);
    arena_free(&b.arena);
    PASS();
}

/* The whole text of a message, as a reader sees it. */
TEST carets_stand_where_they_should(void) {
    static const char text[] =
        "dim d = 100\nparam k = 1\ndomain x in ball(d, 1)\ntime t in [0, 1]\n"
        "field u(x, t)\nequation d(u, t) = k * grad(u)\n";
    static const char expected[] =
        "error[E0402]: 'grad(u)' is a vector of length d = 100, and a scalar is needed\n"
        "  --> heat.pde:6:24\n"
        "   |\n"
        " 6 | equation d(u, t) = k * grad(u)\n"
        "   |          -------       ^^^^^^^ a vector of length d = 100\n"
        "   |          |\n"
        "   |          the left side is a scalar\n"
        "   = help: did you mean the Laplacian?\n"
        "   |\n"
        " 6 | equation d(u, t) = k * lap(u)\n"
        "   |                        ~~~\n"
        "   = run 'pdec --explain E0402' for more\n"
        "\n";
    PdecOptions options = {.emit = "check"};
    PdecResult result;
    pdec_compile("heat.pde", text, sizeof text - 1, &options, &result);
    bool same = result.messages && strcmp(result.messages, expected) == 0;
    if (!same)
        printf("\n%s\n", result.messages ? result.messages : "nothing");
    pdec_result_free(&result);
    ASSERT(same);
    PASS();
}

/* Kernels quote the statements they come from, without what would swallow a line: a backslash at its
 * end, or (the last three characters) the trigraph of one. */
TEST kernels_quote_the_text(void) {
    static const char text[] = "dim d = 10\ndomain x in ball(d, 1)\nfield u(x)\n"
                               "equation lap(u) = # left \\\n    u\nboundary u = 1 # \xc3\xa9?\?/\n"
                               "sample x_i ~ normal(0, 1)\n";
    static const char *const quoted[] = {"\n// 4 | equation lap(u) = # left .\n",
                                         "\n// 5 |     u\n", "\n// 6 | boundary u = 1 # ..../\n",
                                         "\n// 7 | sample x_i ~ normal(0, 1)\n"};
    PdecOptions options = {.emit = "cuda"};
    PdecResult result;
    pdec_compile("quoted.pde", text, sizeof text - 1, &options, &result);
    bool found = result.output != NULL;
    for (size_t i = 0; found && i < sizeof quoted / sizeof quoted[0]; i++)
        found = strstr(result.output, quoted[i]) != NULL;
    if (!found)
        printf("\n%s\n", result.messages ? result.messages : "nothing");
    pdec_result_free(&result);
    ASSERT(found);
    PASS();
}

/* ---- the command line ---- */

static int run_pdec(const char *arguments) {
    char command[1024];
    snprintf(command, sizeof command, "'%s' %s >/dev/null 2>&1", PDEC_PROGRAM, arguments);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool write_text(const char *name, const char *text) {
    FILE *f = fopen(name, "wb");
    if (!f)
        return false;
    bool ok = fputs(text, f) >= 0;
    return fclose(f) == 0 && ok;
}

TEST exit_codes(void) {
    ASSERT_EQ(0, run_pdec("--help"));
    ASSERT_EQ(0, run_pdec("--version"));
    ASSERT_EQ(0, run_pdec("--explain E0402"));
    ASSERT_EQ(2, run_pdec("--explain E9999"));
    ASSERT_EQ(2, run_pdec(""));
    ASSERT_EQ(2, run_pdec("--no-such-option"));
    ASSERT_EQ(2, run_pdec("--emit=nothing '" PDE_SOURCE_DIR "/examples/wave.pde'"));
    ASSERT_EQ(3, run_pdec("--check /nonexistent.pde"));
    ASSERT_EQ(0, run_pdec("--emit=tokens '" PDE_SOURCE_DIR "/examples/wave.pde'"));
    ASSERT_EQ(0, run_pdec("--emit=ast '" PDE_SOURCE_DIR "/examples/wave.pde'"));
    ASSERT_EQ(1, run_pdec("--check '" PDE_SOURCE_DIR "/tests/lang/err/unknown_name.pde'"));
    PASS();
}

TEST fix_rewrites_the_file(void) {
    char name[64], arguments[128], line[128] = "";
    snprintf(name, sizeof name, "fix-%ld.pde", (long)getpid());
    snprintf(arguments, sizeof arguments, "--fix %s", name);
    ASSERT(write_text(name,
                      "dim d = 10\ndomain x in ball(d, 1)\nfield u(x)\nequation lap(u) = 2u**2\n"));
    int first = run_pdec(arguments), second = run_pdec(arguments);
    FILE *f = fopen(name, "rb");
    for (int i = 0; f && i < 4; i++)
        if (!fgets(line, sizeof line, f))
            break;
    if (f)
        fclose(f);
    remove(name);
    ASSERT_EQ(1, first);
    ASSERT_EQ(0, second);
    ASSERT_STR_EQ("equation lap(u) = 2*u^2\n", line);
    PASS();
}

SUITE(parts) {
    RUN_TEST(arena_zeroes_and_aligns);
    RUN_TEST(arena_stops_at_its_limit);
    RUN_TEST(doubles_read_back);
    RUN_TEST(numbers_ignore_the_locale);
    RUN_TEST(names_are_interned);
    RUN_TEST(distances);
    RUN_TEST(columns_count_cells);
}

SUITE(trees) {
    RUN_TEST(precedence);
    RUN_TEST(every_range_is_filled);
    RUN_TEST(two_compilations_at_once);
    RUN_TEST(carets_stand_where_they_should);
    RUN_TEST(kernels_quote_the_text);
}

SUITE(command_line) {
    RUN_TEST(exit_codes);
    RUN_TEST(fix_rewrites_the_file);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(parts);
    RUN_SUITE(trees);
    RUN_SUITE(command_line);
    GREATEST_MAIN_END();
}
