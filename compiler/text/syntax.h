/* syntax.h: what the grammar's actions call besides building nodes: subscripts and messages. */
#ifndef PDE_COMPILER_TEXT_SYNTAX_H
#define PDE_COMPILER_TEXT_SYNTAX_H

#include "text/parse.h"

enum { SYNTAX_EXPECTED = 80, SYNTAX_SHOWN = 5 };

typedef struct SyntaxError {
    Span span;
    const char *got;
    const char *expected[SYNTAX_EXPECTED];
    int expectations;
} SyntaxError;

/* Says what is wrong as specifically as the last tokens allow. */
void syntax_error(Lexer *lx, const SyntaxError *e);
/* The letters or digits after _ as index expressions: ij is i and j, 12 is one number. */
AstList *syntax_letters(Lexer *lx, Sym text, Span span);
Ast *syntax_subscript(Lexer *lx, Span span, Ast *base, const AstList *indices, Span where);
/* sum_ij body: one RANGE per letter. */
/* x in [lo, hi]: a box or a torus of one coordinate. */
Ast *syntax_interval(Lexer *lx, Span span, Ast *lo, Ast *hi, const char *domain);
/* a < b as a number, 1 where it holds and else 0: step(b - a); `not`: where it does not hold. */
Ast *syntax_less(Lexer *lx, Span span, Ast *a, Ast *b, bool not );
/* One of two tests holds; if test then a else b. */
Ast *syntax_either(Lexer *lx, Span span, Ast *one, Ast *two);
Ast *syntax_choice(Lexer *lx, Span span, Ast *test, Ast *a, Ast *b);
Ast *syntax_big(Lexer *lx, Span span, const AstList *letters, Ast *body);
/* `source g from NAME`: the name can only be exact. */
void syntax_source_origin(Lexer *lx, Sym origin, Span span);

#endif
