/* diag.c: collecting diagnostics, and the certain fix-its. render.c shows them. */
#include "base/diag.h"

#include "base/compilation.h"
#include "base/diag_list.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const DiagRow rows[DIAG_COUNT] = {
#define D(code, severity, slug, format, explanation)                                               \
    [code] = {#code, SEVERITY_##severity, slug, format, explanation},
#include "base/diag.def"
};

const DiagRow *diag_row(DiagCode code) {
    return &rows[code];
}

static const char *formatted(Compilation *c, const char *format, va_list args) {
    Text t = {.arena = &c->arena};
    text_vprintf(&t, format, args);
    return text_cstr(&t);
}

/* Past this many only the count goes on: what is shown is far less (LIMIT_ERRORS). */
enum { KEPT = 1000 };

Diag *diag(Compilation *c, DiagCode code, Span span, ...) {
    if (!c->diags)
        c->diags = NEW(&c->arena, Diags);
    if (rows[code].severity == SEVERITY_ERROR)
        c->diags->errors++;
    if (rows[code].code[0] == 'X')
        c->diags->internal = true;
    if (c->diags->list.n >= KEPT && code != E0709)
        return &c->diags->spare;
    Diag *d = NEW(&c->arena, Diag);
    d->code = code;
    d->span = span;
    d->sequence = c->diags->list.n;
    va_list args;
    va_start(args, span);
    d->message = formatted(c, rows[code].format, args);
    va_end(args);
    VEC_PUSH(&c->arena, c->diags->list, d);
    return d;
}

static bool kept(const Compilation *c, const Diag *d) {
    return d != &c->diags->spare;
}

void diag_label(Compilation *c, Diag *d, const char *format, ...) {
    if (!kept(c, d))
        return;
    va_list args;
    va_start(args, format);
    d->label = formatted(c, format, args);
    va_end(args);
}

void diag_also(Compilation *c, Diag *d, Span span, const char *format, ...) {
    if (!kept(c, d) || d->alsos == DIAG_ALSO)
        return;
    va_list args;
    va_start(args, format);
    d->also[d->alsos++] = (DiagAlso){span, formatted(c, format, args)};
    va_end(args);
}

void diag_note(Compilation *c, Diag *d, const char *format, ...) {
    if (!kept(c, d))
        return;
    va_list args;
    va_start(args, format);
    VEC_PUSH(&c->arena, d->notes, formatted(c, format, args));
    va_end(args);
}

void diag_fix(Compilation *c, Diag *d, bool certain, Span span, const char *replacement,
              const char *format, ...) {
    if (!kept(c, d))
        return;
    Text copy = {.arena = &c->arena};
    text_printf(&copy, "%s", replacement);
    va_list args;
    va_start(args, format);
    d->fix = (DiagFix){true, certain, span, text_cstr(&copy), formatted(c, format, args)};
    va_end(args);
}

uint32_t diag_errors(const Compilation *c) {
    return c->diags ? c->diags->errors : 0;
}

bool diag_internal(const Compilation *c) {
    return c->diags && c->diags->internal;
}

static int by_position(const void *left, const void *right) {
    const Diag *a = *(Diag *const *)left, *b = *(Diag *const *)right;
    if (a->span.lo != b->span.lo)
        return a->span.lo < b->span.lo ? -1 : 1;
    return a->sequence < b->sequence ? -1 : 1;
}

void diag_sort(Diags *diags) {
    if (diags->list.n == 0)
        return;
    qsort(diags->list.at, diags->list.n, sizeof *diags->list.at, by_position);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < diags->list.n; i++) {
        const Diag *d = diags->list.at[i], *last = diags->list.at[kept - 1];
        if (d->code != last->code || d->span.lo != last->span.lo || d->span.hi != last->span.hi)
            diags->list.at[kept++] = diags->list.at[i];
    }
    diags->list.n = kept;
}

bool diag_apply_fixes(const Compilation *c, Text *out) {
    if (!c->diags || c->sources.list.n == 0)
        return false;
    diag_sort(c->diags);
    const Source *s = &c->sources.list.at[0];
    uint32_t done = 0;
    bool any = false;
    for (uint32_t i = 0; i < c->diags->list.n; i++) {
        const DiagFix *fix = &c->diags->list.at[i]->fix;
        if (!fix->present || !fix->certain || fix->span.lo < done || fix->span.hi > s->n)
            continue;
        text_bytes(out, s->text + done, fix->span.lo - done);
        text_bytes(out, fix->replacement, strlen(fix->replacement));
        done = fix->span.hi;
        any = true;
    }
    text_bytes(out, s->text + done, s->n - done);
    return any;
}

const char *diag_explain_nth(size_t k) {
    return k < DIAG_COUNT ? rows[k].explanation : NULL;
}

static bool same_code(const char *a, const char *b) {
    while (*a && *b && (*a == *b || *a == *b - 'a' + 'A')) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Codes in either case. */
const char *diag_explain(const char *code) {
    for (int i = 0; i < DIAG_COUNT; i++)
        if (same_code(rows[i].code, code) || strcmp(rows[i].slug, code) == 0)
            return rows[i].explanation;
    return NULL;
}
