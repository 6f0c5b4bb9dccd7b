/* parse.h: between the lexer (grammar/lex.re), the parser (grammar/pde.y) and the driver. */
#ifndef PDE_COMPILER_TEXT_PARSE_H
#define PDE_COMPILER_TEXT_PARSE_H

#include "base/source.h"
#include "text/ast.h"

typedef struct AstList {
    VEC(Ast *) items;
} AstList;

/* What a token carries besides its kind and span. */
typedef union TokenValue {
    Sym name;         /* NAME, KEY, STRING, SUB (the letters or digits after _) */
    double number;    /* NUMBER; DERIVATIVE: N of dN, 0 for d */
    AstOp op;         /* BIG */
    const char *text; /* of a rule */
    Ast *node;
    AstList *list;
} TokenValue;

typedef struct Token {
    int kind;
    Span span;
    TokenValue value;
} Token;

enum { LEXER_BRACKETS = 64, LEXER_PENDING = 4 };

/* The state of reading one source. Lives on the stack of parse_source; owns nothing. */
typedef struct Lexer {
    Compilation *c;
    const unsigned char *text, *cursor, *limit, *marker, *context, *token;
    uint32_t base;
    bool line_start;             /* no token since the last NEWLINE */
    bool in_settings;            /* inside solve { } */
    uint32_t depth;              /* open ( [ _{ */
    const unsigned char *peeked; /* where the text after the blank lines ahead begins */
    uint32_t unclosed;           /* the depth at which the last NEWLINE cut the statement off */
    bool stray;                  /* the last closing bracket had no opening one */
    Span open[LEXER_BRACKETS];
    char open_kind[LEXER_BRACKETS];
    Token last, before_last; /* what was returned last, for messages and for the words of AFTER */
    Token pending[LEXER_PENDING];
    uint32_t pendings;
    Span statement;     /* its first word */
    int statement_kind; /* its keyword's token */
    Ast *program;       /* the parser's result */
} Lexer;

void lexer_init(Lexer *lx, Compilation *c, const Source *source);
/* The next token; YYEOF again and again at the end. Lexical errors are reported, not returned. */
Token lexer_next(Lexer *lx);
bool lexer_is_statement_word(Str word);

/* Parses one source into a PROGRAM; NULL when the nesting limit stopped it. */
Ast *parse_source(Compilation *c, const Source *source);
/* Parses a text that is one expression into a PROGRAM of one REPORT. */
Ast *parse_expression(Compilation *c, const Source *source);
/* --emit=tokens: one token a line. */
void tokens_print(Compilation *c, const Source *source, Text *out);

#endif
