/* diag.h: collecting and showing diagnostics. The messages themselves are rows of diag.def.
 *
 * A pass calls diag(c, E0402, span, args...) and, on the returned handle, adds labels, notes and
 * at most one fix-it. Nothing prints until the end: diag_render sorts by position, drops
 * duplicates (same code and span) and stops after LIMIT_ERRORS. */
#ifndef PDE_COMPILER_BASE_DIAG_H
#define PDE_COMPILER_BASE_DIAG_H

#include "base/base.h"

typedef enum DiagCode {
#define D(code, severity, slug, format, explanation) code,
#include "base/diag.def"
    DIAG_COUNT
} DiagCode;

typedef enum Severity { SEVERITY_ERROR, SEVERITY_WARNING } Severity;
typedef enum DiagFormat { DIAG_TEXT, DIAG_SHORT, DIAG_JSON } DiagFormat;

typedef struct Diag Diag;

/* One row of diag.def. */
typedef struct DiagRow {
    const char *code; /* "E0402" */
    Severity severity;
    const char *slug, *format, *explanation;
} DiagRow;
const DiagRow *diag_row(DiagCode code);

/* The format of the row is applied to the arguments (printf rules; user text as %.*s). */
Diag *diag(Compilation *c, DiagCode code, Span span, ...);
/* Text beside the caret of the primary span. */
void diag_label(Compilation *c, Diag *d, const char *format, ...) PDE_PRINTF(3, 4);
/* A second place in the source, with its own label (up to 4). */
void diag_also(Compilation *c, Diag *d, Span span, const char *format, ...) PDE_PRINTF(4, 5);
/* A sentence without a place (`= note: ...`). */
void diag_note(Compilation *c, Diag *d, const char *format, ...) PDE_PRINTF(3, 4);
/* One fix-it: replace `span` (empty: insert) by the text. `certain` ones are applied by --fix. */
void diag_fix(Compilation *c, Diag *d, bool certain, Span span, const char *replacement,
              const char *format, ...) PDE_PRINTF(6, 7);

uint32_t diag_errors(const Compilation *c);
/* An error of pdec itself (a code X...) was reported. */
bool diag_internal(const Compilation *c);
/* Appends text with control characters and broken UTF-8 escaped: safe on a terminal. */
void diag_plain(Text *out, Str text);
/* The first source with all certain fix-its applied; false if there is none. */
bool diag_apply_fixes(const Compilation *c, Text *out);
void diag_render(Compilation *c, DiagFormat format, bool colour, Text *out);
/* The text of --explain; NULL for an unknown code. `code` as the user typed it ("E0402"). */
const char *diag_explain(const char *code);
const char *diag_explain_nth(size_t k); /* NULL past the last */

#endif
