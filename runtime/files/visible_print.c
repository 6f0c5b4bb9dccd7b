/* visible_print.c: a format is read conversion by conversion. Numbers go to snprintf with the conversion as it
 * stands; text is written here, character by character. */
#include "files/visible_print.h"

#include "contract/visible.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SPEC_MAX = 32, NUMBER_MAX = 400 }; /* %f of the largest double has 316 characters */

typedef struct Sink {
    char *out;
    size_t size, n; /* n: of the whole text, whether it fits or not */
} Sink;

static void put(Sink *sink, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++, sink->n++)
        if (sink->n + 1 < sink->size)
            sink->out[sink->n] = text[i];
}

/* One conversion: its text from % on, and what was read of it. */
typedef struct Spec {
    char text[SPEC_MAX];
    size_t n;
    bool left, is_long, is_long_long, is_size;
    int width, precision; /* -1: none; a width below that: to the left */
    char kind;
} Spec;

static void keep(Spec *spec, const char **at) {
    if (spec->n + 1 < SPEC_MAX)
        spec->text[spec->n++] = **at;
    ++*at;
}

/* Digits, which stay in the text, or a star, which is replaced by its value. */
static int read_size(Spec *spec, const char **at, int star) {
    int value = 0;
    if (**at == '*') {
        int written = snprintf(spec->text + spec->n, SPEC_MAX - spec->n, "%d", star);
        spec->n += written > 0 && (size_t)written < SPEC_MAX - spec->n ? (size_t)written : 0;
        ++*at;
        return star;
    }
    for (; **at >= '0' && **at <= '9'; keep(spec, at))
        value = value < 100000 ? 10 * value + (**at - '0') : value;
    return value;
}

static const char *read_length(Spec *spec, const char *at) {
    for (; *at && strchr("lzhjt", *at); keep(spec, &at)) {
        spec->is_long_long |= spec->is_long && *at == 'l';
        spec->is_long |= *at == 'l';
        spec->is_size |= *at == 'z';
    }
    return at;
}

static void put_text(Sink *sink, const Spec *spec, const char *text) {
    size_t most = spec->precision >= 0 ? (size_t)spec->precision : SIZE_MAX, n = 0, seen = 0, taken;
    char character[PDE_VISIBLE_MAX];
    if (!text)
        text = "(null)";
    while (n < most && text[n])
        n++;
    if (n == most &&
        n > 0) { /* the precision may have cut a character: what is left of it goes too */
        size_t start = n;
        uint32_t code;
        while (start > 0 && n - start < 3 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
            start--;
        start -= start > 0;
        if ((unsigned char)text[start] >= 0xC2 && !pde_utf8_decode(text + start, n - start, &code))
            n = start;
    }
    for (size_t i = 0; i < n; i += taken)
        seen += pde_visible(text + i, n - i, character, &taken);
    size_t pad = spec->width > 0 && (size_t)spec->width > seen ? (size_t)spec->width - seen : 0;
    for (size_t i = 0; i < pad && !spec->left; i++)
        put(sink, " ", 1);
    for (size_t i = 0; i < n; i += taken) {
        size_t length = pde_visible(text + i, n - i, character, &taken);
        put(sink, character, length);
    }
    for (size_t i = 0; i < pad && spec->left; i++)
        put(sink, " ", 1);
}

/* The format of each is what the caller's compiler has checked. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif

static void put_integer(Sink *sink, const Spec *spec, long long value) {
    char text[NUMBER_MAX];
    int n = spec->is_long_long ? snprintf(text, sizeof text, spec->text, value)
            : spec->is_long    ? snprintf(text, sizeof text, spec->text, (long)value)
            : spec->is_size    ? snprintf(text, sizeof text, spec->text, (size_t)value)
                               : snprintf(text, sizeof text, spec->text, (int)value);
    put(sink, text, n > 0 && n < NUMBER_MAX ? (size_t)n : 0);
}

static void put_number(Sink *sink, const Spec *spec, double value) {
    char text[NUMBER_MAX];
    int n = snprintf(text, sizeof text, spec->text, value);
    put(sink, text, n > 0 && n < NUMBER_MAX ? (size_t)n : 0);
}

size_t visible_vprint(char *out, size_t size, const char *format, va_list arguments) {
    Sink sink = {out, size, 0};
    for (const char *at = format; *at;) {
        if (*at != '%') {
            size_t n = strcspn(at, "%");
            put(&sink, at, n);
            at += n;
            continue;
        }
        Spec spec = {.width = -1, .precision = -1};
        keep(&spec, &at);
        for (; *at && strchr("-+ #0", *at); keep(&spec, &at))
            spec.left |= *at == '-';
        if (*at == '*' || (*at >= '1' && *at <= '9'))
            spec.width = read_size(&spec, &at, *at == '*' ? va_arg(arguments, int) : 0);
        if (*at == '.') {
            keep(&spec, &at);
            spec.precision = read_size(&spec, &at, *at == '*' ? va_arg(arguments, int) : 0);
        }
        spec.left |= spec.width < -1;
        spec.width = spec.width < -1 ? -spec.width : spec.width;
        at = read_length(&spec, at);
        spec.kind = *at;
        if (*at)
            keep(&spec, &at);
        if (spec.kind == 's')
            put_text(&sink, &spec, va_arg(arguments, const char *));
        else if (spec.kind == 'c')
            put_text(&sink, &spec, (char[]){(char)va_arg(arguments, int), '\0'});
        else if (spec.kind && strchr("fega", spec.kind))
            put_number(&sink, &spec, va_arg(arguments, double));
        else if (spec.kind && strchr("diux", spec.kind))
            put_integer(&sink, &spec,
                        spec.is_long_long ? va_arg(arguments, long long)
                        : spec.is_long    ? va_arg(arguments, long)
                        : spec.is_size    ? (long long)va_arg(arguments, size_t)
                                          : va_arg(arguments, int));
        else
            put(&sink, spec.text, spec.kind == '%' ? 1 : spec.n);
    }
    if (size > 0)
        out[sink.n < size ? sink.n : size - 1] = '\0';
    return sink.n;
}

size_t visible_print(char *out, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t n = visible_vprint(out, size, format, arguments);
    va_end(arguments);
    return n;
}
