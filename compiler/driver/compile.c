/* compile.c: one compilation from text to result. The only setjmp of the compiler.
 *
 * Between setjmp and the end nothing but the arena is held, so a jump leaks nothing. Results are
 * copied out of the arena before it is freed. */
#include "pdec.h"

#include "base/limits.h"
#include "driver/oracle.h"
#include "eval/bindings.h"
#include "kernel/watch_kernels.h"
#include "output/output.h"
#include "pass.h"
#include "text/parse.h"
#include "variants/variants.h"

#include <stdlib.h>
#include <string.h>

typedef struct Work {
    const char *name, *text;
    size_t n;
    const PdecOptions *options;
    Compilation c;
    Text output, messages, fixed;
    Text part[PDEC_PARTS];
    const Variants *variants; /* NULL: not asked for */
    bool has_fixed;
    double *values;      /* owner: malloc; handed over to the result */
    NpyFile open;        /* a data file while it is read */
    const char *trouble; /* what the command line asked for and cannot be done */
    double seconds[PASS_COUNT];
} Work;

static const char out_of_memory[] = "error[E0710]: out of memory\n";
static const char over_limit[] =
    "error[E0710]: the compilation needs more memory than it may use\n";

static PassId pass_named(const char *name) {
    for (int id = 0; id < PASS_COUNT; id++)
        if (strcmp(pass_row((PassId)id)->name, name) == 0)
            return (PassId)id;
    return PASS_COUNT;
}

typedef struct View {
    const char *name, *what;
    PassId after;
    void (*emit)(Compilation *c, Text *out);
} View;

static const View views[] = {
#define V(name, pass, emit, what) {#name, what, PASS_##pass, emit},
#include "output/view.def"
};
enum { VIEWS = sizeof views / sizeof *views };

static const View *view_named(const char *name) {
    for (size_t k = 0; name && k < VIEWS; k++)
        if (strcmp(views[k].name, name) == 0)
            return &views[k];
    return NULL;
}

static void report_times(Work *w) {
    for (int id = 0; id < PASS_COUNT; id++)
        text_printf(&w->messages, "%-10s %8.3f ms\n", pass_row((PassId)id)->name,
                    w->seconds[id] * 1e3);
}

/* What the command line changes in the program, between parsing and everything else. */
static void apply_options(Work *w) {
    for (size_t k = 0; k < w->options->sets && !w->trouble; k++)
        w->trouble = values_override(&w->c, w->options->set[k]);
    if (w->options->oracle && !w->trouble)
        oracle_extend(&w->c, w->options->oracle);
}

static void ask_oracle(Work *w) {
    size_t n = oracle_count(w->options->oracle);
    w->values = malloc((n + 1) * sizeof *w->values);
    if (!w->values)
        arena_fail(&w->c.arena, ARENA_FAIL_MEMORY);
    w->trouble = oracle_run(&w->c, w->options->oracle, &w->open, w->values, &w->output);
}

static void make_parts(Work *w) {
    for (int k = 0; k < PDEC_PARTS; k++)
        w->part[k].arena = &w->c.arena;
    plan_json(&w->c, &w->part[PDEC_PART_PLAN]);
    kernels_emit(&w->c, &w->part[PDEC_PART_SOURCE]);
    watch_emit(&w->c, &w->part[PDEC_PART_WATCH]);
    conf_json(&w->c, &w->part[PDEC_PART_CONF]);
    mathml_emit(&w->c, &w->part[PDEC_PART_MATH]);
    if (w->options->variants && solve_is_automatic(&w->c))
        w->variants = variants_of(&w->c);
}

static void run_passes(Work *w, const char *emit) {
    Compilation *c = &w->c;
    const View *view = view_named(emit);
    bool whole =
        !emit || w->options->module; /* a module needs every pass, whatever is to be shown */
    PassId last = whole ? (PassId)(PASS_COUNT - 1) : view ? view->after : pass_named(emit);
    if (w->options->oracle)
        last = PASS_expanded;
    if (!pass_run(c, PASS_parse, PASS_parse, w->seconds))
        return;
    apply_options(w);
    if (w->trouble || diag_errors(c) || !pass_run(c, PASS_resolve, last, w->seconds))
        return;
    if (w->options->oracle)
        ask_oracle(w);
    else if (w->options->module)
        make_parts(w);
    else if (view)
        view->emit(c, &w->output);
    else if (emit && pass_row(last)->emit)
        pass_row(last)->emit(c, &w->output);
}

static void run(Work *w) {
    Compilation *c = &w->c;
    source_add(c, w->name, w->text, w->n, false);
    c->json = w->options->json;
    c->variant = w->options->variant;
    c->allow_data = w->options->allow_data;
    c->beside = w->options->beside ? w->options->beside : w->name;
    const char *emit = w->options->emit;
    if (w->n > LIMIT_SOURCE_BYTES) {
        diag(c, E0701, (Span){0, 0}, LIMIT_SOURCE_BYTES);
    } else if (emit && strcmp(emit, "tokens") == 0) {
        tokens_print(c, &c->sources.list.at[0], &w->output);
    } else {
        if (emit && strcmp(emit, "ast") == 0)
            emit = "parse";
        run_passes(w, emit);
    }
    if (w->options->fix)
        w->has_fixed = diag_apply_fixes(c, &w->fixed);
    diag_render(c, (DiagFormat)w->options->format, w->options->colour, &w->messages);
    if (w->trouble) {
        text_str(&w->messages, STR("pdec: "));
        diag_plain(&w->messages, (Str){w->trouble, strlen(w->trouble)});
        text_str(&w->messages, STR("\n"));
    }
    if (w->options->time_passes)
        report_times(w);
}

/* NULL for nothing, or when there is no memory (then *failed is set). */
static char *copy_out(const char *s, size_t n, bool wanted, bool *failed) {
    if (!wanted)
        return NULL;
    char *copy = malloc(n + 1);
    if (!copy) {
        *failed = true;
        return NULL;
    }
    if (n)
        memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

static void give_constant(PdecResult *result, const char *message) {
    bool failed = false;
    result->messages = copy_out(message, strlen(message), true, &failed);
    result->messages_n = result->messages ? strlen(message) : 0;
}

static char *copy_text(const char *s, bool *failed) {
    return copy_out(s, strlen(s), true, failed);
}

static void give_variants(Work *w, PdecResult *result, bool *failed) {
    for (uint32_t k = 0; w->variants && k < w->variants->list.n && k < PDEC_VARIANTS; k++) {
        const Variant *from = &w->variants->list.at[k];
        PdecVariant *to = &result->variant[result->variants++];
        Text because = {.arena = &w->c.arena};
        for (uint32_t j = 0; j < from->because.n; j++)
            text_printf(&because, "%s\n", from->because.at[j]);
        *to = (PdecVariant){copy_text(from->name, failed), copy_text(text_cstr(&because), failed),
                            copy_text(from->statements, failed), copy_text(from->text, failed)};
    }
}

static void give_results(Work *w, PdecResult *result) {
    bool failed = false;
    result->output = copy_out(w->output.s, w->output.n, w->output.n > 0, &failed);
    result->messages = copy_out(w->messages.s, w->messages.n, w->messages.n > 0, &failed);
    result->fixed = copy_out(w->fixed.s, w->fixed.n, w->has_fixed, &failed);
    for (int k = 0; k < PDEC_PARTS; k++) {
        result->part[k] = copy_out(w->part[k].s, w->part[k].n, w->part[k].n > 0, &failed);
        result->part_n[k] = w->part[k].n;
    }
    give_variants(w, result, &failed);
    result->output_n = w->output.n;
    result->messages_n = w->messages.n;
    result->fixed_n = w->fixed.n;
    result->values_n = w->values ? oracle_count(w->options->oracle) : 0;
    result->status = failed                 ? PDEC_ENVIRONMENT
                     : diag_internal(&w->c) ? PDEC_INTERNAL
                     : diag_errors(&w->c)   ? PDEC_DIAGNOSTICS
                     : w->trouble           ? PDEC_USAGE
                                            : PDEC_OK;
}

int pdec_compile(const char *name, const char *text, size_t n, const PdecOptions *options,
                 PdecResult *result) {
    Work w = {.name = name, .text = text, .n = n, .options = options};
    jmp_buf on_fail;
    *result = (PdecResult){0};
    if (options->emit && strcmp(options->emit, "tokens") != 0 &&
        strcmp(options->emit, "ast") != 0 && pass_named(options->emit) == PASS_COUNT &&
        !view_named(options->emit)) {
        result->status = PDEC_USAGE;
        return result->status;
    }
    w.c.arena.limit = options->memory_limit ? options->memory_limit : LIMIT_ARENA_BYTES;
    w.c.arena.fail_at = options->fail_at;
    w.c.arena.on_fail = &on_fail;
    w.c.scratch = (Arena){.limit = w.c.arena.limit, .on_fail = &on_fail};
    w.output.arena = w.messages.arena = w.fixed.arena = &w.c.arena;
    if (setjmp(on_fail) == 0) {
        run(&w);
        give_results(&w, result);
    } else {
        bool limit = w.c.arena.fail_code == ARENA_FAIL_LIMIT;
        give_constant(result, limit ? over_limit : out_of_memory);
        result->status = limit ? PDEC_DIAGNOSTICS : PDEC_ENVIRONMENT;
    }
    result->allocations = w.c.arena.calls;
    result->values = w.values;
    npy_free(&w.open);
    arena_free(&w.c.scratch);
    arena_free(&w.c.arena);
    return result->status;
}

void pdec_result_free(PdecResult *result) {
    free(result->output);
    free(result->messages);
    free(result->fixed);
    for (int k = 0; k < PDEC_PARTS; k++)
        free(result->part[k]);
    for (size_t k = 0; k < PDEC_VARIANTS; k++) {
        free(result->variant[k].name);
        free(result->variant[k].because);
        free(result->variant[k].statements);
        free(result->variant[k].text);
    }
    free(result->values);
    *result = (PdecResult){0};
}

const char *pdec_explain(const char *code) {
    return diag_explain(code);
}

const char *pdec_explain_nth(size_t k) {
    return diag_explain_nth(k);
}

const char *pdec_stage(size_t i, const char **what) {
    if (i == 0) {
        *what = "what the lexer reads";
        return "tokens";
    }
    if (i == 1) {
        *what = "the syntax tree";
        return "ast";
    }
    for (int id = 1; id < PASS_COUNT; id++) {
        if (!pass_row((PassId)id)->emit)
            continue;
        if (--i == 1) {
            *what = pass_row((PassId)id)->what;
            return pass_row((PassId)id)->name;
        }
    }
    if (i - 2 >= VIEWS)
        return NULL;
    *what = views[i - 2].what;
    return views[i - 2].name;
}
