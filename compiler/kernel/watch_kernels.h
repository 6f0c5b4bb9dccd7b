/* watch_kernels.h: kernels that watch themselves: every intermediate value is checked as it is computed, and
 * stands in a table with its place in the user's text. pderun runs them only to find out what made a step
 * non-finite; the kernels that train know nothing of them. */
#ifndef PDE_COMPILER_KERNEL_WATCH_KERNELS_H
#define PDE_COMPILER_KERNEL_WATCH_KERNELS_H

#include "ir/ir.h"

/* One temporary of the generated code. */
typedef struct WatchRow {
    Span span;          /* empty: of no place */
    const char *what;   /* in the language's notation; NULL: too long to show */
    bool root;          /* leaves its function: not an intermediate of another */
    VEC(uint32_t) edge; /* rows it is computed from */
} WatchRow;

/* owner: the arena. */
typedef struct Watch {
    VEC(WatchRow) row;
} Watch;

/* The row of temporary `number` of a function whose first row is `base`. */
WatchRow *watch_row(Compilation *c, Watch *w, uint32_t base, uint32_t number);
/* Says of the row where it comes from and what it is. */
void watch_describe(Compilation *c, WatchRow *row, Ref e, Span near);
/* The temporaries named in a C expression (t12, u3, a7) become edges of the row, or roots if it is NULL. */
void watch_uses(Compilation *c, Watch *w, uint32_t base, WatchRow *row, const char *expression);
/* The temporary that a line accumulates in (a7 += ...); false: none. */
bool watch_target(const char *line, uint32_t *number);

/* Do the bytes lie in the user's own file, and are there any? */
bool watch_has_place(const Compilation *c, Span span);
/* The whole C text of the watching kernels. */
void watch_emit(Compilation *c, Text *out);

#endif
