/* base.h: what every file of the compiler stands on: arena, strings, spans, vectors.
 *
 * One Arena per compilation owns all memory; nothing is freed one by one. arena_alloc never
 * returns NULL: running out of memory or past a limit jumps to the setjmp in pdec_compile.
 * Includes nothing of ours. */
#ifndef PDE_COMPILER_BASE_BASE_H
#define PDE_COMPILER_BASE_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Compilation Compilation;

/* A byte range [lo, hi) in the concatenated text of all sources of a compilation. */
typedef struct Span {
    uint32_t lo, hi;
} Span;

/* A counted string; not NUL-terminated unless a function says so. */
typedef struct Str {
    const char *s;
    size_t n;
} Str;

/* An interned name. 0 is "no name". */
typedef uint32_t Sym;

#define STR(literal) ((Str){(literal), sizeof(literal) - 1})

typedef struct ArenaBlock ArenaBlock;

/* owner: Compilation. Freed by arena_free. */
typedef struct Arena {
    ArenaBlock *block; /* newest first */
    size_t used;       /* bytes handed out in all */
    size_t limit;      /* hard limit in bytes */
    uint64_t calls;    /* allocations made so far */
    uint64_t fail_at;  /* fault injection: this call fails (0: none) */
    jmp_buf *on_fail;  /* where out-of-memory goes */
    int fail_code;     /* why: one of ARENA_FAIL_* */
} Arena;

enum { ARENA_FAIL_MEMORY = 1, ARENA_FAIL_LIMIT = 2 };

void *arena_alloc(Arena *a, size_t bytes); /* zeroed, aligned to 16, never NULL */
void *arena_grow(Arena *a, void *old, size_t old_bytes, size_t new_bytes);
void arena_free(Arena *a);
/* Jumps to on_fail with the given code; for limits other than memory. */
_Noreturn void arena_fail(Arena *a, int code);

#define NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define NEW_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* A growing array in an arena: VEC(T) v = {0}; VEC_PUSH(arena, v, value). */
#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        uint32_t n, cap;                                                                           \
    }
#define VEC_PUSH(a, v, value)                                                                      \
    do {                                                                                           \
        if ((v).n == (v).cap) {                                                                    \
            uint32_t cap_ = (v).cap ? (v).cap * 2 : 8;                                             \
            (v).at = arena_grow((a), (v).at, (v).n * sizeof *(v).at, cap_ * sizeof *(v).at);       \
            (v).cap = cap_;                                                                        \
        }                                                                                          \
        (v).at[(v).n++] = (value);                                                                 \
    } while (0)

/* Text under construction, in an arena. text_str is NUL-terminated. */
typedef struct Text {
    Arena *arena;
    char *s;
    size_t n, cap;
} Text;

#if defined(__GNUC__)
#define PDE_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define PDE_PRINTF(f, a)
#endif

void text_bytes(Text *t, const char *s, size_t n);
void text_str(Text *t, Str s);
void text_printf(Text *t, const char *format, ...) PDE_PRINTF(2, 3);
void text_vprintf(Text *t, const char *format, va_list args) PDE_PRINTF(2, 0);
/* The shortest decimal that reads back as the same double; never locale-dependent. */
void text_double(Text *t, double v);
const char *text_format(Arena *arena, const char *format, ...) PDE_PRINTF(2, 3);
const char *text_cstr(Text *t); /* NUL-terminated view */
/* Reads a whole C-locale decimal, correctly rounded. False only when the system has no memory. */
bool text_read_double(const char *s, double *value);

#endif
