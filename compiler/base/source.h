/* source.h: the texts of a compilation, in one space of byte positions.
 *
 * Each source occupies [base, base + n] of that space; one position past the end belongs to it
 * too, so that "unexpected end of file" has a place. Files are read before the arena's setjmp
 * (source_read), so no file is open when a limit jumps. */
#ifndef PDE_COMPILER_BASE_SOURCE_H
#define PDE_COMPILER_BASE_SOURCE_H

#include "base/base.h"

typedef struct Source {
    const char *name; /* as the user typed it */
    const char *text; /* n bytes and a NUL */
    uint32_t n;
    uint32_t base;
    uint32_t *line; /* offsets of line starts, relative to text */
    uint32_t lines;
    bool library; /* part of stdlib */
} Source;

typedef struct Sources {
    VEC(Source) list;
} Sources;

/* Where a position is, for people: counted from 1; column counts display cells. */
typedef struct Place {
    const Source *source;
    uint32_t line, column;
    uint32_t byte; /* bytes from the line's start */
} Place;

/* Copies the text; the name stays the caller's and must outlive the compilation. */
const Source *source_add(Compilation *c, const char *name, const char *text, size_t n,
                         bool library);
Place source_place(const Compilation *c, uint32_t position);
/* The line of a source without its line end. Lines count from 1. */
Str source_line(const Source *s, uint32_t line);
Str source_text(const Compilation *c, Span span);
/* Display cells of the first n bytes of s: 0 for combining marks, 2 for wide characters. */
uint32_t display_width(const char *s, size_t n);
/* Decodes one UTF-8 sequence; returns its length, or 0 if the bytes are not valid UTF-8. */
size_t utf8_decode(const char *s, size_t n, uint32_t *code);

typedef enum ReadStatus {
    READ_OK,
    READ_OPEN,
    READ_IO,
    READ_TOO_LARGE,
    READ_MEMORY,
    READ_NOT_REGULAR,
} ReadStatus;
/* Reads a whole regular file into malloc'ed memory (NUL-terminated); "-" is standard input. */
ReadStatus source_read(const char *name, char **text, size_t *n);

#endif
