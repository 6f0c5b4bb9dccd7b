/* watch_kernels.c: the table of watched values, and the text around the kernels that fill it. */
#include "kernel/watch_kernels.h"

#include <string.h>

#include "base/compilation.h"
#include "base/json_text.h"
#include "kernel/kernels.h"

WatchRow *watch_row(Compilation *c, Watch *w, uint32_t base, uint32_t number) {
    while (w->row.n <= base + number)
        VEC_PUSH(&c->arena, w->row, (WatchRow){.root = false});
    return &w->row.at[base + number];
}

/* Would e take more than `budget` nodes to write out? Counts down. */
static bool is_long(const Ir *ir, Ref e, int *budget) {
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (is_long(ir, ir_kid(ir, e, k), budget))
            return true;
    return --*budget < 0;
}

void watch_describe(Compilation *c, WatchRow *row, Ref e, Span near) {
    int budget = 24;
    row->span = watch_has_place(c, c->ir->trail.at[e]) ? c->ir->trail.at[e] : near;
    row->what = is_long(c->ir, e, &budget) ? NULL : ir_text(c->ir, e);
}

static bool in_word(char ch) {
    return ch == '_' || (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') ||
           (ch >= 'A' && ch <= 'Z');
}

/* The next name of a temporary in C text: a letter of `kinds` and digits. NULL: no more; else past it. */
static const char *next_temporary(const char *text, const char *kinds, uint32_t *number) {
    while (*text) {
        if (!in_word(*text)) {
            text++;
            continue;
        }
        const char *word = text;
        while (in_word(*text))
            text++;
        size_t digits = strspn(word + 1, "0123456789");
        if (!strchr(kinds, *word) || digits == 0 || digits > 9 || word + 1 + digits != text)
            continue;
        *number = 0;
        for (const char *at = word + 1; at < text; at++)
            *number = *number * 10 + (uint32_t)(*at - '0');
        return text;
    }
    return NULL;
}

void watch_uses(Compilation *c, Watch *w, uint32_t base, WatchRow *row, const char *expression) {
    uint32_t number;
    while ((expression = next_temporary(expression, "tua", &number)) != NULL) {
        if (row)
            VEC_PUSH(&c->arena, row->edge, base + number);
        else
            watch_row(c, w, base, number)->root = true;
    }
}

bool watch_target(const char *line, uint32_t *number) {
    return next_temporary(line, "a", number) != NULL;
}

bool watch_has_place(const Compilation *c, Span span) {
    return span.lo < span.hi && span.hi <= c->sources.list.at[0].n;
}

/* ---- text ---- */

static const char see[] =
    "static void pde_watch_see(PdeWatch *w, int64_t row, int64_t lane, double index, double value) "
    "{\n"
    "    if ((lane >= 0 && lane != w->lane) || value - value == 0 || w->order[row])\n"
    "        return;\n"
    "    w->order[row] = ++w->seen;\n"
    "    w->index[row] = index;\n"
    "    w->value[row] = value;\n"
    "}\n"
    "#define PDE_WATCH(row, lane, at, v) "
    "pde_watch_see(&pde_watch_state, row, lane, (double)(at), (double)(v))\n";

static void write_table(const Watch *w, Text *out) {
    uint32_t edges = 0;
    text_str(out, STR("\nstatic const uint32_t pde_watch_edges[] = {"));
    for (uint32_t k = 0; k < w->row.n; k++)
        for (uint32_t j = 0; j < w->row.at[k].edge.n; j++)
            text_printf(out, "%u,%s", w->row.at[k].edge.at[j], edges++ % 20 == 19 ? "\n" : "");
    text_str(out, STR("0};\n\nstatic const PdeWatchRow pde_watch_rows[] = {\n"));
    edges = 0;
    for (uint32_t k = 0; k < w->row.n; k++) {
        const WatchRow *r = &w->row.at[k];
        text_printf(out, "{%u, %u, %u, %u, %d, ", r->span.lo, r->span.hi, edges, r->edge.n,
                    r->root);
        emit_c_string(out, r->what ? r->what : "");
        text_str(out, STR("},\n"));
        edges += r->edge.n;
    }
    text_str(out, STR("{0, 0, 0, 0, 0, 0}};\n"));
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void watch_emit(Compilation *c, Text *out) {
    Watch watch = {0};
    Text body = {.arena = &c->arena};
    KernelInfo info;
    kernels_write_watching(c, &watch, &info, &body);
    uint32_t n = watch.row.n;
    kernels_prelude(out);
    text_printf(out,
                "\nstatic int64_t pde_watch_order[%u];\nstatic double pde_watch_index[%u], "
                "pde_watch_value[%u];\n",
                n + 1, n + 1, n + 1);
    write_table(&watch, out);
    text_str(out, STR("\nstatic const uint32_t pde_watch_scalars[] = {"));
    for (uint32_t k = 0; k <= info.n_tasks; k++)
        text_printf(out, "%u, ", info.scalar[k].at.n);
    text_str(out, STR("0};\n"));
    text_str(out, STR("\nstatic PdeWatch pde_watch_state = {.file = "));
    emit_c_string(out, base_name(c->sources.list.at[0].name));
    text_printf(
        out,
        ", .rows = %u, .row = pde_watch_rows, .edge = pde_watch_edges, .scalars = "
        "pde_watch_scalars,\n"
        "    .order = pde_watch_order, .index = pde_watch_index, .value = pde_watch_value};\n"
        "PdeWatch *pde_watch(void);\n"
        "PdeWatch *pde_watch(void) { return &pde_watch_state; }\n",
        n);
    text_bytes(out, see, sizeof see - 1);
    text_bytes(out, body.s, body.n);
}
