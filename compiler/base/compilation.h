/* compilation.h: everything one call of pdec_compile owns. First parameter of most functions. */
#ifndef PDE_COMPILER_BASE_COMPILATION_H
#define PDE_COMPILER_BASE_COMPILATION_H

#include "base/base.h"
#include "base/diag.h"
#include "base/source.h"

typedef struct Ast Ast;

struct Compilation {
    Arena arena;
    Arena scratch;   /* emptied by whoever used it */
    Sources sources; /* user file first, then stdlib */
    struct Interner *interner;
    struct Diags *diags;
    Ast *program; /* the user's statements */
    Ast *library; /* stdlib statements */
    struct Symbols *symbols;
    struct Ir *ir;
    struct Problem *problem;
    const struct PdecVariant *variant; /* what the text is a variant of; NULL: it is a file */
    const char *beside;                /* the file that data lie beside */
    const char *allow_data; /* --allow-data: folders, with colons between them; NULL: none */
    bool json;              /* --format=json for what --emit prints */
};

Sym intern(Compilation *c, const char *s, size_t n);
Sym intern_cstr(Compilation *c, const char *s);
Str sym_str(const Compilation *c, Sym s);
bool sym_is(const Compilation *c, Sym s, const char *text);
const char *sym_cstr(const Compilation *c, Sym s); /* NUL-terminated */

#endif
