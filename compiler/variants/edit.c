/* edit.c: see edit.h. */
#include "variants/edit.h"

#include <stdlib.h>

#include "base/compilation.h"

void edit_replace(Compilation *c, Edits *e, Span span, const char *text) {
    VEC_PUSH(&c->arena, e->at, ((Edit){span, text}));
}

void edit_add(Compilation *c, Edits *e, const char *statement) {
    e->added.arena = &c->arena;
    text_printf(&e->added, "%s\n", statement);
}

static int by_place(const void *a, const void *b) {
    const Edit *x = a, *y = b;
    return x->span.lo < y->span.lo ? -1 : x->span.lo > y->span.lo;
}

static const Ast *solve_of(const Compilation *c) {
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_SOLVE)
            return c->program->kid[k];
    return NULL;
}

static const char *network_line(Compilation *c, Edits *e) {
    Text line = {.arena = &c->arena};
    text_printf(&line, "  network mlp(%s)\n", text_cstr(&e->network));
    return text_cstr(&line);
}

/* The network goes into the solve { } of the file, if there is one, before its closing bracket. */
static void place_network(Compilation *c, Edits *e, Text *end) {
    const Ast *solve = solve_of(c);
    if (e->network.n == 0)
        return;
    if (solve) {
        Text line = {.arena = &c->arena};
        text_printf(&line, "\n%s", network_line(c, e));
        edit_replace(c, e, (Span){solve->span.hi - 1, solve->span.hi - 1}, text_cstr(&line));
    } else {
        text_printf(end, "solve {\n%s}\n", network_line(c, e));
    }
}

const char *edit_text(Compilation *c, Edits *e) {
    const Source *s = &c->sources.list.at[0];
    Text out = {.arena = &c->arena}, end = {.arena = &c->arena};
    place_network(c, e, &end);
    if (e->at.n)
        qsort(e->at.at, e->at.n, sizeof *e->at.at, by_place);
    uint32_t at = s->base;
    for (uint32_t k = 0; k < e->at.n; k++) {
        const Edit *one = &e->at.at[k];
        if (one->span.lo < at)
            continue;
        text_bytes(&out, s->text + (at - s->base), one->span.lo - at);
        text_printf(&out, "%s", one->text);
        at = one->span.hi;
    }
    text_bytes(&out, s->text + (at - s->base), s->base + s->n - at);
    text_printf(&out, "\n%s%s", e->added.n ? text_cstr(&e->added) : "",
                end.n ? text_cstr(&end) : "");
    return text_cstr(&out);
}

/* A statement as it reads after an edit of it or of a part of it. */
static void put_changed(Compilation *c, const Edit *edit, Text *out) {
    for (uint32_t k = 0; k < c->program->n; k++) {
        Span whole = c->program->kid[k]->span;
        if (edit->span.lo < whole.lo || edit->span.hi > whole.hi)
            continue;
        Str before = source_text(c, (Span){whole.lo, edit->span.lo}),
            after = source_text(c, (Span){edit->span.hi, whole.hi});
        text_bytes(out, before.s, before.n);
        text_printf(out, "%s", edit->text);
        text_bytes(out, after.s, after.n);
        text_printf(out, "\n");
        return;
    }
}

const char *edit_statements(Compilation *c, Edits *e) {
    Text out = {.arena = &c->arena};
    for (uint32_t k = 0; k < e->at.n; k++)
        put_changed(c, &e->at.at[k], &out);
    if (e->added.n)
        text_printf(&out, "%s", text_cstr(&e->added));
    if (e->network.n)
        text_printf(&out, "solve {\n%s}\n", network_line(c, e));
    return out.n ? text_cstr(&out) : "";
}
