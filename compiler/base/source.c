/* source.c: reading files, line tables, positions and display columns. */
#define _POSIX_C_SOURCE 200809L
#include "base/source.h"

#include "base/compilation.h"
#include "base/limits.h"
#include "runtime/contract/visible.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void index_lines(Compilation *c, Source *s) {
    uint32_t lines = 1;
    for (uint32_t i = 0; i < s->n; i++)
        lines += s->text[i] == '\n';
    s->line = NEW_ARRAY(&c->arena, uint32_t, lines);
    s->lines = lines;
    uint32_t at = 1;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->text[i] == '\n')
            s->line[at++] = i + 1;
}

const Source *source_add(Compilation *c, const char *name, const char *text, size_t n,
                         bool library) {
    uint32_t base = 0;
    if (c->sources.list.n) {
        const Source *last = &c->sources.list.at[c->sources.list.n - 1];
        base = last->base + last->n + 1;
    }
    char *copy = arena_alloc(&c->arena, n + 1); /* the lexer relies on the NUL after the text */
    if (n)
        memcpy(copy, text, n);
    Source s = {.name = name, .text = copy, .n = (uint32_t)n, .base = base, .library = library};
    index_lines(c, &s);
    VEC_PUSH(&c->arena, c->sources.list, s);
    return &c->sources.list.at[c->sources.list.n - 1];
}

static const Source *source_of(const Compilation *c, uint32_t position) {
    uint32_t i = c->sources.list.n;
    while (i > 1 && c->sources.list.at[i - 1].base > position)
        i--;
    return &c->sources.list.at[i - 1];
}

Place source_place(const Compilation *c, uint32_t position) {
    const Source *s = source_of(c, position);
    uint32_t offset = position - s->base;
    if (offset > s->n)
        offset = s->n;
    uint32_t low = 0, high = s->lines;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->line[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    uint32_t byte = offset - s->line[low];
    uint32_t column = display_width(s->text + s->line[low], byte) + 1;
    return (Place){.source = s, .line = low + 1, .column = column, .byte = byte};
}

Str source_line(const Source *s, uint32_t line) {
    uint32_t lo = s->line[line - 1];
    uint32_t hi = line < s->lines ? s->line[line] - 1 : s->n;
    if (hi > lo && s->text[hi - 1] == '\r')
        hi--;
    return (Str){s->text + lo, hi - lo};
}

Str source_text(const Compilation *c, Span span) {
    const Source *s = source_of(c, span.lo);
    uint32_t lo = span.lo - s->base, hi = span.hi - s->base;
    if (lo > s->n)
        lo = s->n;
    if (hi > s->n)
        hi = s->n;
    return (Str){s->text + lo, hi > lo ? hi - lo : 0};
}

size_t utf8_decode(const char *text, size_t n, uint32_t *code) {
    return pde_utf8_decode(text, n, code);
}

static uint32_t cells(uint32_t code) {
    if (pde_hidden(code))
        return 1; /* it is shown as one sign */
    if ((code >= 0x300 && code <= 0x36F) || code == 0x200D || (code >= 0xFE00 && code <= 0xFE0F))
        return 0;
    if ((code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
        (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
        (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
        (code >= 0xFFE0 && code <= 0xFFE6) || (code >= 0x1F300 && code <= 0x1FAFF) ||
        (code >= 0x20000 && code <= 0x3FFFD))
        return 2;
    return 1;
}

uint32_t display_width(const char *s, size_t n) {
    uint32_t width = 0;
    for (size_t i = 0; i < n;) {
        uint32_t code = 0;
        size_t length = utf8_decode(s + i, n - i, &code);
        width += length ? cells(code) : 1;
        i += length ? length : 1;
    }
    return width;
}

/* Only a regular file: a pipe that nobody writes to would wait for ever. What comes from a program is
 * read from standard input. */
static ReadStatus open_regular(const char *name, FILE **f) {
    struct stat info;
    int descriptor = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        return READ_OPEN;
    bool regular = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    *f = regular ? fdopen(descriptor, "rb") : NULL;
    if (!*f)
        close(descriptor);
    return *f ? READ_OK : regular ? READ_MEMORY : READ_NOT_REGULAR;
}

ReadStatus source_read(const char *name, char **text, size_t *n) {
    bool standard = strcmp(name, "-") == 0;
    FILE *f = stdin;
    ReadStatus status = standard ? READ_OK : open_regular(name, &f);
    if (status != READ_OK)
        return status;
    size_t cap = 16384;
    char *bytes = malloc(cap);
    size_t used = 0;
    status = bytes ? READ_OK : READ_MEMORY;
    while (status == READ_OK) {
        size_t got = fread(bytes + used, 1, cap - used - 1, f);
        used += got;
        if (got == 0)
            break;
        if (used > LIMIT_SOURCE_BYTES) {
            status = READ_TOO_LARGE;
        } else if (used == cap - 1) {
            char *more = realloc(bytes, cap * 2);
            if (more) {
                bytes = more;
                cap *= 2;
            } else {
                status = READ_MEMORY;
            }
        }
    }
    if (status == READ_OK && ferror(f))
        status = READ_IO;
    if (!standard)
        fclose(f);
    if (status != READ_OK) {
        free(bytes);
        return status;
    }
    bytes[used] = '\0';
    *text = bytes;
    *n = used;
    return READ_OK;
}
