/* ast.h: the syntax tree. One struct for every node; ast.def says what each kind holds.
 * Built by grammar/pde.y, immutable afterwards; lives in the compilation's arena. */
#ifndef PDE_COMPILER_TEXT_AST_H
#define PDE_COMPILER_TEXT_AST_H

#include "base/base.h"

typedef enum AstKind {
#define A(kind, text, what) AST_##kind,
#include "text/ast.def"
    AST_COUNT
} AstKind;

/* Values of Ast.op where ast.def asks for one. */
typedef enum AstOp {
    AST_OP_NONE,
    BIG_SUM,
    BIG_PROD,
    BIG_MAX,
    BIG_MIN,
    BIG_MEAN,
    COND_BOUNDARY,
    COND_INITIAL,
    COND_TERMINAL,
    COND_OBSERVE,
    COND_CONSTRAINT,
    EIGEN_SMALLEST
} AstOp;

typedef struct Ast Ast;
struct Ast {
    AstKind kind;
    AstOp op;
    bool flag;
    bool parenthesised; /* the expression stood in its own ( ) */
    Span span;          /* the whole node */
    Span name_span; /* the name or operator symbol, for carets; equals span where there is none */
    Sym name;
    double number;
    uint32_t height; /* of the tree below: bounds every recursive walk */
    uint32_t n;      /* number of kids */
    Ast **kid;
};

/* Nodes are made with their kids; a NULL kid stays in its place. */
Ast *ast_new(Compilation *c, AstKind kind, Span span, uint32_t n, Ast *const *kids);
/* Two programs, one after the other. */
Ast *ast_join(Compilation *c, const Ast *first, const Ast *second);
const char *ast_kind_text(AstKind kind);
/* An indented tree with names and positions (--emit=ast). */
void ast_print(Compilation *c, const Ast *node, Text *out);

#endif
