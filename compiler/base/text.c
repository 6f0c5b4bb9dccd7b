/* text.c: building text in an arena, and reading and writing numbers without a locale. */
#define _POSIX_C_SOURCE 200809L
#define _GNU_SOURCE /* strtod_l */
#include "base/base.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_reserve(Text *t, size_t more) {
    if (t->cap - t->n > more)
        return;
    size_t cap = t->cap ? t->cap * 2 : 128;
    while (cap - t->n <= more)
        cap *= 2;
    t->s = arena_grow(t->arena, t->s, t->n, cap);
    t->cap = cap;
}

void text_bytes(Text *t, const char *s, size_t n) {
    if (n == 0)
        return;
    text_reserve(t, n);
    memcpy(t->s + t->n, s, n);
    t->n += n;
}

void text_str(Text *t, Str s) {
    text_bytes(t, s.s, s.n);
}

void text_vprintf(Text *t, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n > 0) {
        text_reserve(t, (size_t)n + 1);
        vsnprintf(t->s + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

void text_printf(Text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vprintf(t, format, args);
    va_end(args);
}

const char *text_format(Arena *arena, const char *format, ...) {
    Text t = {.arena = arena};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    return text_cstr(&t);
}

const char *text_cstr(Text *t) {
    text_reserve(t, 1);
    t->s[t->n] = '\0';
    return t->s;
}

bool text_read_double(const char *s, double *value) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    *value = strtod_l(s, NULL, plain);
    freelocale(plain);
    return true;
}

/* A locale may print the decimal point as another character, even as several bytes. */
static size_t point_is_a_dot(char *s) {
    size_t out = 0;
    bool dotted = false;
    for (size_t i = 0; s[i]; i++) {
        if (strchr("0123456789+-eE", s[i])) {
            s[out++] = s[i];
        } else if (!dotted) {
            s[out++] = '.';
            dotted = true;
        }
    }
    s[out] = '\0';
    return out;
}

void text_double(Text *t, double v) {
    if (isnan(v)) {
        text_bytes(t, "nan", 3);
        return;
    }
    if (isinf(v)) {
        text_str(t, v < 0 ? STR("-inf") : STR("inf"));
        return;
    }
    char digits[64];
    size_t n = 0;
    if (v == floor(v) && fabs(v) < 1e15) {
        text_printf(t, "%.0f", v); /* 50, not 5e+01 */
        return;
    }
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, v);
        n = point_is_a_dot(digits);
        double back = 0;
        if (text_read_double(digits, &back) && memcmp(&back, &v, sizeof v) == 0)
            break;
    }
    text_bytes(t, digits, n);
}
