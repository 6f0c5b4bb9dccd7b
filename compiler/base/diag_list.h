/* diag_list.h: how collected diagnostics are stored; private to diag.c and render.c. */
#ifndef PDE_COMPILER_BASE_DIAG_LIST_H
#define PDE_COMPILER_BASE_DIAG_LIST_H

#include "base/diag.h"

enum { DIAG_ALSO = 4 };

typedef struct DiagAlso {
    Span span;
    const char *label;
} DiagAlso;

typedef struct DiagFix {
    bool present, certain;
    Span span;
    const char *replacement, *help;
} DiagFix;

struct Diag {
    DiagCode code;
    Span span;
    uint32_t sequence; /* order of reporting, for a stable sort */
    const char *message, *label;
    DiagAlso also[DIAG_ALSO];
    uint32_t alsos;
    VEC(const char *) notes;
    DiagFix fix;
};

typedef struct Diags {
    VEC(Diag *) list;
    uint32_t errors;
    bool internal;
    Diag spare; /* what diag returns when nothing more is kept */
} Diags;

/* By position, duplicates (same code and span) dropped. */
void diag_sort(Diags *diags);

#endif
