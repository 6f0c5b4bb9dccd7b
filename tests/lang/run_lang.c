/* run_lang.c: the language tests.
 *
 * tests/lang/err/X.pde    begins with lines `#~ CODE LINE:COLUMN`: exactly these are reported
 * tests/lang/limit/X.pde  the same, or no such line: then it compiles
 * tests/lang/ok/X.pde and examples/X.pde compile without errors
 * grammar/README.md       every block marked pde compiles
 * Besides: every code has an explanation and a test; fix-its that are called certain compile
 * after being applied; failing any allocation gives exit code 3. The passes run up to `check`;
 * what later passes report is tested beside them. */
#define _POSIX_C_SOURCE 200809L
#include "compiler/base/diag.h"
#include "compiler/base/limits.h"
#include "compiler/base/source.h"
#include "compiler/pdec.h"
#include "greatest.h"

#include <dirent.h>

enum { MOST_FILES = 1024, MOST_EXPECTED = 64, PATH_BYTES = 1024 };

typedef struct Found {
    char code[8];
    unsigned line, column;
} Found;

typedef struct FoundList {
    Found at[MOST_EXPECTED];
    int n;
} FoundList;

static char files[MOST_FILES][256];
static int file_count;
static bool tested[DIAG_COUNT];
static char note[2048];

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}

static bool list_files(const char *folder) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%.500s/%.200s", PDE_SOURCE_DIR, folder);
    DIR *d = opendir(path);
    file_count = 0;
    if (!d)
        return false;
    struct dirent *entry;
    while ((entry = readdir(d)) && file_count < MOST_FILES) {
        size_t n = strlen(entry->d_name);
        if (n > 4 && n < 200 && strcmp(entry->d_name + n - 4, ".pde") == 0)
            snprintf(files[file_count++], sizeof files[0], "%.200s", entry->d_name);
    }
    closedir(d);
    qsort(files, (size_t)file_count, sizeof files[0], by_text);
    return true;
}

static char *read_test(const char *folder, const char *name, size_t *n) {
    char path[PATH_BYTES], *text = NULL;
    snprintf(path, sizeof path, "%.500s/%.200s/%.200s", PDE_SOURCE_DIR, folder, name);
    if (source_read(path, &text, n) != READ_OK) {
        fprintf(stderr, "cannot read %s/%s\n", folder, name);
        exit(EXIT_FAILURE);
    }
    return text;
}

static void add_found(FoundList *list, const char *code, unsigned line, unsigned column) {
    if (list->n == MOST_EXPECTED)
        return;
    Found *f = &list->at[list->n++];
    snprintf(f->code, sizeof f->code, "%.7s", code);
    f->line = line;
    f->column = column;
}

static void read_expected(const char *text, FoundList *list) {
    list->n = 0;
    while (strncmp(text, "#~ ", 3) == 0) {
        char code[8];
        unsigned line, column;
        if (sscanf(text, "#~ %7s %u:%u", code, &line, &column) == 3)
            add_found(list, code, line, column);
        text = strchr(text, '\n');
        if (!text)
            return;
        text++;
    }
}

/* Lines `t.pde:LINE:COLUMN: CODE message`. */
static void read_messages(const char *text, FoundList *list) {
    list->n = 0;
    while (text && *text) {
        char code[8];
        unsigned line, column;
        if (sscanf(text, "t.pde:%u:%u: %7s", &line, &column, code) == 3)
            add_found(list, code, line, column);
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
}

static bool remove_found(FoundList *list, const Found *wanted) {
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->at[i].code, wanted->code) == 0 && list->at[i].line == wanted->line &&
            list->at[i].column == wanted->column) {
            list->at[i] = list->at[--list->n];
            return true;
        }
    return false;
}

static void mark_tested(const FoundList *list) {
    for (int i = 0; i < list->n; i++)
        for (int code = 0; code < DIAG_COUNT; code++)
            if (strcmp(diag_row((DiagCode)code)->code, list->at[i].code) == 0)
                tested[code] = true;
}

static const PdecOptions until_check = {.format = PDEC_SHORT, .emit = "check"};

TEST expected_messages(const char *folder, const char *name) {
    size_t n;
    char *text = read_test(folder, name, &n);
    FoundList expected, got;
    PdecResult result;
    read_expected(text, &expected);
    mark_tested(&expected);
    int status = pdec_compile("t.pde", text, n, &until_check, &result);
    read_messages(result.messages, &got);
    snprintf(note, sizeof note, "%.200s: got\n%.1500s", name,
             result.messages ? result.messages : "");
    bool same = got.n == expected.n, errors = false;
    for (int i = 0; i < expected.n; i++) {
        errors = errors || expected.at[i].code[0] == 'E';
        same = remove_found(&got, &expected.at[i]) && same;
    }
    pdec_result_free(&result);
    free(text);
    ASSERTm(note, same);
    ASSERT_EQm(note, errors ? PDEC_DIAGNOSTICS : PDEC_OK, status);
    PASS();
}

TEST compiles(const char *folder, const char *name) {
    size_t n;
    char *text = read_test(folder, name, &n);
    PdecResult result;
    int status = pdec_compile("t.pde", text, n, &until_check, &result);
    snprintf(note, sizeof note, "%.200s:\n%.1500s", name, result.messages ? result.messages : "");
    pdec_result_free(&result);
    free(text);
    ASSERT_EQm(note, PDEC_OK, status);
    PASS();
}

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *p = text; p && (p = strstr(p, what)); p++)
        n++;
    return n;
}

/* If every error of a file has a certain fix-it, the fixed text compiles; otherwise it has fewer
 * errors than before. */
TEST fixes_help(const char *folder, const char *name) {
    size_t n;
    char *text = read_test(folder, name, &n);
    PdecOptions options = {.format = PDEC_JSON, .emit = "check", .fix = true};
    PdecResult before, after;
    pdec_compile("t.pde", text, n, &options, &before);
    free(text);
    if (!before.fixed) {
        pdec_result_free(&before);
        PASS();
    }
    int errors = count(before.messages, "\"severity\":\"error\"");
    int certain = count(before.messages, "\"certain\":true");
    int status = pdec_compile("t.pde", before.fixed, before.fixed_n, &options, &after);
    int left = count(after.messages, "\"severity\":\"error\"");
    snprintf(note, sizeof note, "%.200s: fixed text:\n%.600s\n%.900s", name, before.fixed,
             after.messages ? after.messages : "");
    pdec_result_free(&before);
    pdec_result_free(&after);
    if (errors == certain)
        ASSERT_EQm(note, PDEC_OK, status);
    ASSERT_LT(left, errors);
    PASS();
}

/* Reported by later passes or by no text at all; their tests stand beside their passes. */
static bool tested_elsewhere(const char *code) {
    bool symbolic = strcmp(code, "E0550") >= 0 && strcmp(code, "E0700") < 0;
    return symbolic || strncmp(code, "E08", 3) == 0 || strncmp(code, "W12", 3) == 0 ||
           code[0] == 'X' || strcmp(code, "E0710") == 0;
}

TEST every_code_is_explained(void) {
    for (int i = 0; i < DIAG_COUNT; i++) {
        const DiagRow *row = diag_row((DiagCode)i);
        snprintf(note, sizeof note, "%s", row->code);
        ASSERTm(note, pdec_explain(row->code) && strlen(pdec_explain(row->code)) > 60);
        ASSERTm(note, pdec_explain(row->slug) == pdec_explain(row->code));
        if (!tested_elsewhere(row->code)) {
            ASSERTm(note, strstr(row->explanation, "Wrong:") && strstr(row->explanation, "Right:"));
        }
    }
    ASSERT(pdec_explain("E9999") == NULL);
    PASS();
}

TEST every_code_is_tested(void) {
    for (int i = 0; i < DIAG_COUNT; i++) {
        const DiagRow *row = diag_row((DiagCode)i);
        snprintf(note, sizeof note, "%s has no file in tests/lang", row->code);
        ASSERTm(note, tested[i] || tested_elsewhere(row->code));
    }
    PASS();
}

TEST readme_blocks_compile(void) {
    size_t n;
    char *text = read_test("grammar", "README.md", &n);
    int blocks = 0;
    for (char *p = text; (p = strstr(p, "\n```pde\n"));) {
        char *start = p + 8, *end = strstr(start, "\n```");
        ASSERTm("a block is not closed", end);
        PdecResult result;
        int status =
            pdec_compile("README.md", start, (size_t)(end + 1 - start), &until_check, &result);
        snprintf(note, sizeof note, "block %d:\n%.300s\n%.1500s", ++blocks, start,
                 result.messages ? result.messages : "");
        pdec_result_free(&result);
        ASSERT_EQm(note, PDEC_OK, status);
        p = end;
    }
    free(text);
    ASSERT_GT(blocks, 10);
    PASS();
}

/* Fails every single allocation in turn. */
TEST out_of_memory(const char *folder, const char *name) {
    size_t n;
    char *text = read_test(folder, name, &n);
    PdecOptions options = {.format = PDEC_TEXT, .emit = "check"};
    PdecResult result;
    pdec_compile("t.pde", text, n, &options, &result);
    uint64_t calls = result.allocations;
    pdec_result_free(&result);
    bool ok = calls > 100;
    for (uint64_t at = 1; at <= calls && ok; at++) {
        options.fail_at = at;
        ok = pdec_compile("t.pde", text, n, &options, &result) == PDEC_ENVIRONMENT &&
             result.messages && strstr(result.messages, "out of memory");
        pdec_result_free(&result);
    }
    free(text);
    ASSERTm(name, ok);
    PASS();
}

TEST memory_limit(void) {
    const char *text = "dim d = 10\n";
    PdecOptions options = {.memory_limit = 4096};
    PdecResult result;
    int status = pdec_compile("t.pde", text, strlen(text), &options, &result);
    bool said = result.messages && strstr(result.messages, "E0710");
    pdec_result_free(&result);
    ASSERT_EQ(PDEC_DIAGNOSTICS, status);
    ASSERT(said);
    PASS();
}

TEST source_limit(void) {
    size_t n = LIMIT_SOURCE_BYTES + 1;
    char *text = malloc(n + 1);
    ASSERT(text);
    memset(text, '\n', n);
    FoundList got;
    PdecResult result;
    pdec_compile("t.pde", text, n, &until_check, &result);
    read_messages(result.messages, &got);
    mark_tested(&got);
    bool past = got.n == 1 && strcmp(got.at[0].code, "E0701") == 0;
    pdec_result_free(&result);
    pdec_compile("t.pde", text, n - 1, &until_check, &result);
    read_messages(result.messages, &got);
    bool at = got.n > 0 && strcmp(got.at[0].code, "E0701") != 0;
    pdec_result_free(&result);
    free(text);
    ASSERT(past);
    ASSERT(at);
    PASS();
}

/* No control character of the source reaches the terminal, in any format. */
TEST messages_are_safe(void) {
    const char text[] = "dim d = 1\nlet a\x1b[31m = \"\x07\xff\n\xe2\x80\xae = 3\nparam k = 2x\n";
    for (int format = PDEC_TEXT; format <= PDEC_JSON; format++) {
        PdecOptions options = {.format = (PdecFormat)format};
        PdecResult result;
        pdec_compile("t\x1b.pde", text, sizeof text - 1, &options, &result);
        ASSERT(result.messages);
        for (const char *p = result.messages; *p; p++)
            ASSERT((unsigned char)*p >= 0x20 || *p == '\n');
        ASSERT(!strstr(result.messages, "\xff"));
        ASSERT(!strstr(result.messages, "\xe2\x80\xae"));
        pdec_result_free(&result);
    }
    PASS();
}

TEST enough_files(void) {
    ASSERT_GTE(file_count, 70);
    PASS();
}

SUITE(files_that_fail) {
    list_files("tests/lang/err");
    RUN_TEST(enough_files);
    for (int i = 0; i < file_count; i++) {
        RUN_TESTp(expected_messages, "tests/lang/err", files[i]);
        RUN_TESTp(fixes_help, "tests/lang/err", files[i]);
    }
}

SUITE(files_at_limits) {
    list_files("tests/lang/limit");
    for (int i = 0; i < file_count; i++)
        RUN_TESTp(expected_messages, "tests/lang/limit", files[i]);
    RUN_TEST(source_limit);
    RUN_TEST(memory_limit);
}

SUITE(files_that_compile) {
    static const char *const folders[] = {"tests/lang/ok", "examples"};
    for (size_t f = 0; f < 2; f++) {
        list_files(folders[f]);
        for (int i = 0; i < file_count; i++)
            RUN_TESTp(compiles, folders[f], files[i]);
    }
    RUN_TEST(readme_blocks_compile);
}

SUITE(codes) {
    RUN_TEST(every_code_is_explained);
    RUN_TEST(every_code_is_tested);
    RUN_TEST(messages_are_safe);
}

SUITE(memory) {
    list_files("examples");
    for (int i = 0; i < file_count; i++)
        RUN_TESTp(out_of_memory, "examples", files[i]);
    RUN_TESTp(out_of_memory, "tests/lang/err", "several_errors.pde");
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(files_that_fail);
    RUN_SUITE(files_at_limits);
    RUN_SUITE(files_that_compile);
    RUN_SUITE(codes);
    RUN_SUITE(memory);
    GREATEST_MAIN_END();
}
