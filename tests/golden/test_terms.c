/* test_terms.c: for every .pde file of examples/ and tests/ that compiles, --emit=terms and the plan say the same.
 *
 * - The terms that `--emit=terms --format=json` prints are, byte for byte, those in the plan's JSON, which a module
 *   carries and a report shows.
 * - What the plan builds is what the terms say: a sum that the route samples for each term of class "sampled" and for
 *   no other, over a family of the same indices. */
#define _GNU_SOURCE
#include "greatest.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/base/compilation.h"
#include "compiler/base/limits.h"
#include "compiler/pass.h"
#include "compiler/pdec.h"
#include "compiler/plan/plan.h"

enum { MOST_FILES = 1024 };

static char *files[MOST_FILES];
static size_t file_count, compiled;
static char note[1024];

static int note_file(const char *path, const struct stat *about, int kind, struct FTW *at) {
    size_t n = strlen(path);
    (void)about;
    (void)at;
    if (kind == FTW_F && n > 4 && strcmp(path + n - 4, ".pde") == 0 && file_count < MOST_FILES)
        files[file_count++] = strdup(path);
    return 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ---- as printed ---- */

/* What a pass prints as JSON; NULL: the file does not compile. The caller frees it. */
static char *printed(const char *path, const char *text, size_t n, const char *pass) {
    PdecOptions options = {.emit = pass, .json = true};
    PdecResult result;
    int code = pdec_compile(path, text, n, &options, &result);
    char *out = code == PDEC_OK && result.output ? strdup(result.output) : NULL;
    pdec_result_free(&result);
    return out;
}

/* The list of residuals behind `name`, cut at its end in `text`. */
static char *list_of(char *text, const char *name) {
    char *list = text ? strstr(text, name) : NULL;
    if (!list)
        return NULL;
    list += strlen(name);
    int depth = 0;
    bool quoted = false;
    for (char *at = list; *at; at++) {
        if (*at == '\\' && quoted)
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && *at == '[')
            depth++;
        else if (!quoted && *at == ']' && --depth == 0) {
            at[1] = '\0';
            return list;
        }
    }
    return NULL;
}

static const char *compare_printed(const char *path, const char *text, size_t n) {
    char *terms = printed(path, text, n, "terms"), *plan = printed(path, text, n, "plan");
    const char *why = NULL;
    if (terms && plan) {
        const char *a = list_of(terms, "\"residuals\":"), *b = list_of(plan, ",\n\"terms\":");
        compiled++;
        if (!a || !b)
            why = "a list of terms is missing";
        else if (strcmp(a, b) != 0)
            why = "the terms and the plan say different things";
    }
    free(terms);
    free(plan);
    return why;
}

/* ---- as built ---- */

static const Operator *operator_of(const Problem *p, const Task *task, uint32_t e) {
    return &p->operators->at[task->kind == TASK_EQUATION ? e : p->equation.n + task->row];
}

static bool same_indices(const Family *a, const Family *b) {
    return a->n_index == b->n_index && a->ordered == b->ordered && a->size == b->size &&
           a->lo[0] == b->lo[0] && a->hi[0] == b->hi[0];
}

static const char *check_task(const Problem *p, const Task *task) {
    uint32_t s = 0;
    if (task->kind == TASK_REPORT || task->squares)
        return NULL;
    for (uint32_t e = 0; e < task->n_residuals; e++) {
        const Operator *op = operator_of(p, task, e);
        for (uint32_t k = 0; k < op->term.n; k++) {
            const Term *t = &op->term.at[k];
            if ((t->class == TERM_SAMPLED) != (t->family >= 0))
                return "a family and the class \"sampled\" do not go together";
            if (t->class != TERM_SAMPLED)
                continue;
            if (s == task->sampled.sum.n)
                return "a sampled term that the plan does not sample";
            const SampledSum *sum = &task->sampled.sum.at[s++];
            if (!same_indices(&task->family.at[sum->family], &op->family.at[t->family]))
                return "a sum is sampled over other indices than its term says";
        }
    }
    return s < task->sampled.sum.n ? "the plan samples a sum that no term says" : NULL;
}

static const char *compare_built(Compilation *c, const char *path, const char *text, size_t n) {
    const char *why = NULL;
    source_add(c, path, text, n, false);
    if (!pass_run(c, PASS_parse, PASS_plan, NULL))
        return NULL;
    const Problem *p = c->problem;
    for (uint32_t k = 0; !why && k < p->plan->task.n; k++)
        why = check_task(p, &p->plan->task.at[k]);
    return why;
}

/* ---- the files ---- */

static const char *compare(const char *path) {
    char *text;
    size_t n;
    jmp_buf on_fail;
    if (source_read(path, &text, &n) != READ_OK)
        return NULL;
    const char *volatile why = compare_printed(path, text, n);
    Compilation *c = calloc(1, sizeof *c);
    if (c && !why) {
        c->arena = (Arena){.limit = LIMIT_ARENA_BYTES, .on_fail = &on_fail};
        c->scratch = c->arena;
        if (setjmp(on_fail) == 0)
            why = compare_built(c, path, text, n);
        arena_free(&c->scratch);
        arena_free(&c->arena);
    }
    free(c);
    free(text);
    return why;
}

TEST terms_and_plan_agree(void) {
    for (size_t k = 0; k < file_count; k++) {
        const char *why = compare(files[k]);
        if (why) {
            snprintf(note, sizeof note, "%s: %s", files[k], why);
            FAILm(note);
        }
    }
    ASSERT(compiled > 120); /* the walk has found them */
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    nftw(PDE_SOURCE_DIR "/examples", note_file, 16, FTW_PHYS);
    nftw(PDE_SOURCE_DIR "/tests", note_file, 16, FTW_PHYS);
    qsort(files, file_count, sizeof *files, by_name);
    RUN_TEST(terms_and_plan_agree);
    for (size_t k = 0; k < file_count; k++)
        free(files[k]);
    GREATEST_MAIN_END();
}
