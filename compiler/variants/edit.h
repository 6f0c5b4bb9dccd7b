/* edit.h: the user's text with statements put in, changed and left out. */
#ifndef PDE_COMPILER_VARIANTS_EDIT_H
#define PDE_COMPILER_VARIANTS_EDIT_H

#include "text/ast.h"

typedef struct Edit {
    Span span; /* of the user's text; what is replaced */
    const char *text;
} Edit;

/* owner: the arena. Zero it. */
typedef struct Edits {
    VEC(Edit) at;
    Text added;   /* statements for the end of the file */
    Text network; /* the arguments of network mlp(...) */
} Edits;

/* Puts `text` in the place of a span. */
void edit_replace(Compilation *c, Edits *e, Span span, const char *text);
/* Adds a statement on a line of its own. */
void edit_add(Compilation *c, Edits *e, const char *statement);
/* The whole text, and what is new in it. */
const char *edit_text(Compilation *c, Edits *e);
const char *edit_statements(Compilation *c, Edits *e);

#endif
