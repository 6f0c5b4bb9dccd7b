/* lex.re: text to tokens.
 *
 * Three decisions are made here so that the grammar stays plain: where a statement ends (see
 * ends_statement), which words are keywords (see word_kind), and that `d2(` is a derivative and
 * `max_` a big operator while `d2`, `max(` are names. A lexical error is reported and replaced by
 * what was most likely meant, so that the parser goes on. */
#include "base/compilation.h"
#include "base/limits.h"
#include "text/parse.h"

#include "pde.tab.h"

#include <string.h>

typedef enum WordPlace { FIRST, AFTER } WordPlace;

typedef struct Word {
    const char *text;
    int kind;
    WordPlace place;
} Word;

static const Word words[] = {
#define K(spelling, token, place) {spelling, token, place},
#include "keywords.def"
};

static int word_find(Str text, WordPlace place) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].place == place && strlen(words[i].text) == text.n &&
            memcmp(words[i].text, text.s, text.n) == 0)
            return words[i].kind;
    return NAME;
}

bool lexer_is_statement_word(Str word) {
    return word_find(word, FIRST) != NAME;
}

void lexer_init(Lexer *lx, Compilation *c, const Source *source) {
    *lx = (Lexer){.c = c, .base = source->base, .line_start = true};
    lx->text = lx->cursor = (const unsigned char *)source->text;
    lx->limit = lx->text + source->n;
    if (source->n >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0)
        lx->cursor += 3; /* a byte order mark says nothing in UTF-8 */
}

static bool is_letter(unsigned char b) {
    return (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z');
}

static bool is_digit(unsigned char b) {
    return b >= '0' && b <= '9';
}

static Span span_here(const Lexer *lx) {
    return (Span){lx->base + (uint32_t)(lx->token - lx->text),
                  lx->base + (uint32_t)(lx->cursor - lx->text)};
}

/* ---- names ---------------------------------------------------------------------------------- */

static const char *const greek_lower[] = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta",     "theta", "iota",
    "kappa", "lambda", "mu",  "nu",    "xi",      "omicron", "pi",   "rho",   "sigma",
    "sigma", "tau",  "upsilon", "phi", "chi",     "psi",  "omega"};

static const char *greek_name(uint32_t code, char *first) {
    *first = 0;
    if (code >= 0x3B1 && code <= 0x3C9)
        return greek_lower[code - 0x3B1];
    if (code >= 0x391 && code <= 0x3A9) {
        const char *name = greek_lower[code - 0x391];
        *first = (char)(name[0] - 'a' + 'A');
        return name;
    }
    return code == 0x3D1 ? "theta" : code == 0x3D5 ? "phi" : code == 0x3F1 ? "rho" : "epsilon";
}

/* The ASCII spelling of the token; truncated to the limit, which is reported. */
static Sym ascii_name(Lexer *lx) {
    char name[LIMIT_NAME_BYTES + 16];
    size_t n = 0;
    const char *at = (const char *)lx->token, *end = (const char *)lx->cursor;
    while (at < end && n <= LIMIT_NAME_BYTES) {
        uint32_t code = 0;
        size_t length = utf8_decode(at, (size_t)(end - at), &code);
        if (code < 0x80) {
            name[n++] = *at;
        } else {
            char first;
            const char *greek = greek_name(code, &first);
            size_t bytes = strlen(greek);
            memcpy(name + n, greek, bytes);
            if (first)
                name[n] = first;
            n += bytes;
        }
        at += length;
    }
    if (n > LIMIT_NAME_BYTES) {
        diag(lx->c, E0705, span_here(lx), LIMIT_NAME_BYTES);
        n = LIMIT_NAME_BYTES;
    }
    return intern(lx->c, name, n);
}

static bool ends_operand(int kind) {
    return kind == NAME || kind == NUMBER || kind == SUB || kind == STRING || kind == ')' ||
           kind == ']' || kind == '}';
}

/* `if` is a word of the language where an operand follows it, else an ordinary name. */
static bool begins_choice(const Lexer *lx, Sym name) {
    const unsigned char *p = lx->cursor;
    if (!sym_is(lx->c, name, "if"))
        return false;
    while (p < lx->limit && (*p == ' ' || *p == '\t'))
        p++;
    return p < lx->limit && (is_letter(*p) || is_digit(*p) || *p == '(' || *p == '-');
}

static int word_kind(const Lexer *lx, Sym name) {
    if (lx->line_start)
        return lx->in_settings ? KEY : word_find(sym_str(lx->c, name), FIRST);
    if (!lx->in_settings && ends_operand(lx->last.kind))
        return word_find(sym_str(lx->c, name), AFTER);
    if (!lx->in_settings && begins_choice(lx, name))
        return IF;
    return NAME;
}

/* ---- where a statement ends ----------------------------------------------------------------- */

static const unsigned char *skip_blank(const unsigned char *p, const unsigned char *limit) {
    while (p < limit && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

static const unsigned char *skip_blank_lines(const unsigned char *p, const unsigned char *limit) {
    for (;;) {
        p = skip_blank(p, limit);
        if (p < limit && *p == '#') {
            while (p < limit && *p != '\n')
                p++;
        }
        if (p >= limit || *p != '\n')
            return p;
        p++;
    }
}

/* Two words side by side are never an expression: such a line starts anew, whatever was left open
 * before. This turns a missing ) into one message instead of a swallowed file. */
static bool starts_anew(const Lexer *lx, const unsigned char *p) {
    const unsigned char *word = p;
    if (lx->in_settings && p < lx->limit && *p == '}')
        return true;
    while (p < lx->limit && is_letter(*p))
        p++;
    const unsigned char *next = skip_blank(p, lx->limit);
    if (p == word || next == p || next >= lx->limit)
        return false;
    Str text = {(const char *)word, (size_t)(p - word)};
    if (is_letter(*next))
        return word_find(text, AFTER) == NAME;
    if (!lx->in_settings && !lexer_is_statement_word(text))
        return false;
    return is_digit(*next) || *next == '"' || *next == '{' || *next >= 0x80 ||
           (*next == '-' && text.n == 8 && memcmp(text.s, "equation", 8) == 0);
}

static bool wants_more(int kind) {
    return kind == '+' || kind == '-' || kind == '*' || kind == '/' || kind == '^' || kind == '=' ||
           kind == ',' || kind == '~' || kind == ':' || kind == '<' || kind == '>' ||
           kind == LE || kind == GE || kind == IF || kind == THEN || kind == ELSE || kind == AND ||
           kind == OR || kind == WHERE || kind == DOTDOT;
}

static bool ends_statement(Lexer *lx) {
    if (lx->line_start)
        return false;
    if (!lx->peeked || lx->peeked < lx->cursor) /* many blank lines are looked over once */
        lx->peeked = skip_blank_lines(lx->cursor, lx->limit);
    const unsigned char *next = lx->peeked;
    if (next >= lx->limit || starts_anew(lx, next))
        return true;
    if (lx->depth > 0 || wants_more(lx->last.kind))
        return false;
    return !(*next == '+' || *next == '-' || *next == '*' || *next == '/');
}

/* ---- tokens --------------------------------------------------------------------------------- */

static Token token_of(const Lexer *lx, int kind) {
    Token t = {.kind = kind, .span = span_here(lx)};
    return t;
}

static Token token_name(Lexer *lx, int kind, Sym name) {
    Token t = token_of(lx, kind);
    t.value.name = name;
    return t;
}

static Token token_number(Lexer *lx, double number) {
    Token t = token_of(lx, NUMBER);
    t.value.number = number;
    return t;
}

static void pend(Lexer *lx, Token t) {
    lx->pending[lx->pendings++] = t;
}

static Token token_word(Lexer *lx) {
    Sym name = ascii_name(lx);
    return token_name(lx, word_kind(lx, name), name);
}

static Token token_big(Lexer *lx, AstOp op) {
    Token t = token_of(lx, BIG);
    t.value.op = op;
    return t;
}

static Token token_derivative(Lexer *lx) {
    Token t = token_of(lx, DERIVATIVE);
    for (const unsigned char *p = lx->token + 1; p < lx->cursor && is_digit(*p); p++)
        t.value.number = t.value.number * 10 + (*p - '0');
    return t;
}

static Token token_literal(Lexer *lx) {
    char digits[LIMIT_NUMBER_BYTES + 1];
    size_t n = (size_t)(lx->cursor - lx->token);
    if (n > LIMIT_NUMBER_BYTES) {
        diag(lx->c, E0706, span_here(lx), LIMIT_NUMBER_BYTES);
        return token_number(lx, 0);
    }
    memcpy(digits, lx->token, n);
    digits[n] = '\0';
    double value = 0;
    if (!text_read_double(digits, &value))
        arena_fail(&lx->c->arena, ARENA_FAIL_MEMORY);
    if (value > 1.7976931348623157e308)
        diag(lx->c, E0111, span_here(lx));
    Token t = token_number(lx, value);
    if (lx->cursor < lx->limit && is_letter(*lx->cursor)) {
        /* 2x: go on as if the product had been written. */
        Span here = {t.span.hi, t.span.hi};
        Diag *d = diag(lx->c, E0106, t.span, (int)n, digits);
        diag_label(lx->c, d, "a product needs *");
        diag_fix(lx->c, d, true, here, "*", "write the product");
        pend(lx, (Token){.kind = '*', .span = here});
    }
    return t;
}

static Token token_string(Lexer *lx, bool closed) {
    const char *s = (const char *)lx->token + 1;
    size_t n = (size_t)(lx->cursor - lx->token) - (closed ? 2 : 1);
    if (!closed) {
        Diag *d = diag(lx->c, E0103, span_here(lx));
        diag_label(lx->c, d, "opened here, not closed on this line");
        Span end = {span_here(lx).hi, span_here(lx).hi};
        diag_fix(lx->c, d, true, end, "\"", "close it");
    }
    return token_name(lx, STRING, intern(lx->c, s, n));
}

static Token token_open(Lexer *lx, int kind, char shown) {
    Token t = token_of(lx, kind);
    if (lx->depth < LEXER_BRACKETS) {
        lx->open[lx->depth] = t.span;
        lx->open_kind[lx->depth] = shown;
    }
    lx->depth++;
    return t;
}

static Token token_close(Lexer *lx, int kind) {
    lx->stray = lx->depth == 0;
    if (lx->depth > 0)
        lx->depth--;
    else if (kind == '}')
        lx->in_settings = false;
    return token_of(lx, kind);
}

static Token token_newline(Lexer *lx) {
    lx->unclosed = lx->depth;
    lx->depth = 0;
    Token t = token_of(lx, NEWLINE);
    t.span.hi = t.span.lo;
    return t;
}

static void replace_by(Lexer *lx, DiagCode code, const char *meant) {
    Str text = source_text(lx->c, span_here(lx));
    Diag *d = diag(lx->c, code, span_here(lx), (int)text.n, text.s);
    diag_fix(lx->c, d, true, span_here(lx), meant, "write %s", meant);
}

static void unexpected(Lexer *lx) {
    uint32_t code = 0;
    size_t length = utf8_decode((const char *)lx->token, (size_t)(lx->limit - lx->token), &code);
    if (length == 0) {
        while (lx->cursor < lx->limit && *lx->cursor >= 0x80 &&
               utf8_decode((const char *)lx->cursor, (size_t)(lx->limit - lx->cursor), &code) == 0)
            lx->cursor++;
        diag(lx->c, E0101, span_here(lx), *lx->token);
        return;
    }
    lx->cursor = lx->token + length;
    if (code < 0x20 || code == 0x7F)
        diag(lx->c, E0112, span_here(lx), code);
    else
        diag(lx->c, E0102, span_here(lx), (int)length, (const char *)lx->token);
}

static void line_comment(Lexer *lx) {
    replace_by(lx, E0108, "#");
    while (lx->cursor < lx->limit && *lx->cursor != '\n')
        lx->cursor++;
}

/* A nabla, Delta or partial sign that is not followed by its argument in parentheses. */
static Token bare_operator(Lexer *lx, const char *meant, bool takes_next) {
    Span sign = span_here(lx);
    const unsigned char *p = skip_blank(lx->cursor, lx->limit), *name = p;
    while (p < lx->limit && is_letter(*p))
        p++;
    Diag *d = diag(lx->c, E0113, sign, (int)(lx->cursor - lx->token), (const char *)lx->token);
    if (takes_next && p > name) {
        Text fixed = {.arena = &lx->c->arena};
        text_printf(&fixed, "%s(%.*s)", meant, (int)(p - name), (const char *)name);
        lx->cursor = p;
        diag_fix(lx->c, d, true, span_here(lx), text_cstr(&fixed), "write it as a function");
    } else {
        diag_note(lx->c, d, "derivatives are written d(u, t), d2(u, x_i), grad(u)_i, lap(u)");
    }
    return token_number(lx, 0);
}

/* The partial sign over the partial sign, as in a paper. */
static Token partial_fraction(Lexer *lx) {
    const unsigned char *p = lx->token + 3, *top = p;
    while (is_letter(*p))
        p++;
    Str name = {(const char *)top, (size_t)(p - top)};
    while (*p != 0x82) /* the last byte of the second partial sign */
        p++;
    p++;
    Text fixed = {.arena = &lx->c->arena};
    text_printf(&fixed, "d(%.*s, %.*s)", (int)name.n, name.s, (int)(lx->cursor - p), (const char *)p);
    Diag *d = diag(lx->c, E0113, span_here(lx), 3, "\xE2\x88\x82");
    diag_fix(lx->c, d, true, span_here(lx), text_cstr(&fixed), "write it as a function");
    return token_number(lx, 0);
}

static Token token_power(Lexer *lx, double exponent) {
    pend(lx, token_number(lx, exponent));
    return token_of(lx, '^');
}

static Token token_end(Lexer *lx) {
    if (!lx->line_start)
        return token_newline(lx);
    return token_of(lx, YYEOF);
}

/* Digits and letters mixed after an underscore, or nothing at all. */
static Token bad_subscript(Lexer *lx) {
    Str text = source_text(lx->c, span_here(lx));
    Diag *d = diag(lx->c, E0109, span_here(lx), (int)text.n, text.s);
    diag_note(lx->c, d, "subscripts are letters (x_i, D_ij), one number (x_12) or a list in "
                        "braces (c_{i,1}, x_{i+1})");
    return token_name(lx, SUB, intern_cstr(lx->c, "1"));
}

static Token scan(Lexer *lx) {
#define YYCTYPE unsigned char
again:
    lx->token = lx->cursor;
    /*!re2c
    re2c:encoding:utf8 = 1;
    re2c:eof = 0;
    re2c:yyfill:enable = 0;
    re2c:define:YYCURSOR = "lx->cursor";
    re2c:define:YYLIMIT = "lx->limit";
    re2c:define:YYMARKER = "lx->marker";
    re2c:define:YYCTXMARKER = "lx->context";

    digit    = [0-9];
    letter   = [A-Za-z\u0391-\u0393\u0395-\u03A2\u03A4-\u03A9\u03B1-\u03C9\u03D1\u03D5\u03F1\u03F5] | "\u03A3";
    name     = letter (letter | digit)*;
    exponent = [eE] [+-]? digit+;
    number   = digit+ ("." digit+)? exponent? | "." digit+ exponent?;
    blank    = [ \t\r\u00A0];

    $                     { return token_end(lx); }
    blank+                { goto again; }
    "#" [^\n\x00]*        { goto again; }
    "//"                  { line_comment(lx); goto again; }
    "\n"                  { if (!ends_statement(lx)) goto again;
                            lx->cursor = lx->token; Token t = token_newline(lx);
                            lx->cursor++; return t; }

    number                { return token_literal(lx); }
    digit+ "." / [^.0-9]  { return token_literal(lx); }
    "\"" [^"\n\x00]* "\"" { return token_string(lx, true); }
    "\"" [^"\n\x00]*      { return token_string(lx, false); }

    "sum" / "_"           { return token_big(lx, BIG_SUM); }
    "prod" / "_"          { return token_big(lx, BIG_PROD); }
    "max" / "_"           { return token_big(lx, BIG_MAX); }
    "min" / "_"           { return token_big(lx, BIG_MIN); }
    "mean" / "_"          { return token_big(lx, BIG_MEAN); }
    ("\u03A3" | "\u2211") / "_" { return token_big(lx, BIG_SUM); }
    ("\u03A0" | "\u220F") / "_" { return token_big(lx, BIG_PROD); }
    ("d" digit{0,3} | "\u2202") / blank* "(" { return token_derivative(lx); }
    "expect" / blank* "("   { return token_of(lx, EXPECT); }
    "integral" / blank* "(" { return token_of(lx, INTEGRAL); }
    ("\u0394" | "\u2206") / blank* "(" { return token_name(lx, NAME, intern_cstr(lx->c, "lap")); }
    "\u2207" / blank* "("   { return token_name(lx, NAME, intern_cstr(lx->c, "grad")); }
    "\u221A" / blank* "("   { return token_name(lx, NAME, intern_cstr(lx->c, "sqrt")); }
    "\u2202" [A-Za-z]+ blank* "/" blank* "\u2202" [A-Za-z]+ ("_" [A-Za-z0-9]+)? { return partial_fraction(lx); }
    ("\u0394" | "\u2206" | "\u2207" [ ]* ("\u00B2" | "^2")) { return bare_operator(lx, "lap", true); }
    "\u2207"              { return bare_operator(lx, "grad", true); }
    "\u2202"              { return bare_operator(lx, "d", false); }
    "\u221A"              { return bare_operator(lx, "sqrt", true); }
    "\u221E"              { return token_name(lx, NAME, intern_cstr(lx->c, "inf")); }
    "\u2208"              { return token_of(lx, IN); }
    name                  { return token_word(lx); }

    "_" [A-Za-z]+         { lx->token++; Token t = token_name(lx, SUB, ascii_name(lx)); t.span.lo--; return t; }
    "_" digit+            { lx->token++; Token t = token_name(lx, SUB, ascii_name(lx)); t.span.lo--; return t; }
    "_" [A-Za-z0-9]*      { return bad_subscript(lx); }
    "_{"                  { return token_open(lx, SUBOPEN, '{'); }

    ".."                  { return token_of(lx, DOTDOT); }
    "**"                  { replace_by(lx, E0104, "^"); return token_of(lx, '^'); }
    "==" | ":="           { replace_by(lx, E0105, "="); return token_of(lx, '='); }
    ";"                   { replace_by(lx, E0107, ""); goto again; }
    "'" [^'\n\x00]* "'"   { Text s = {.arena = &lx->c->arena};
                            text_printf(&s, "\"%.*s\"", (int)(lx->cursor - lx->token) - 2,
                                        (const char *)lx->token + 1);
                            replace_by(lx, E0110, text_cstr(&s));
                            return token_string(lx, true); }
    [({[]                 { return token_open(lx, *lx->token, (char)*lx->token); }
    [)}\]]                { return token_close(lx, *lx->token); }
    "<=" | "\u2264"       { return token_of(lx, LE); }
    ">=" | "\u2265"       { return token_of(lx, GE); }
    [-+*/^=,:~<>]         { return token_of(lx, *lx->token); }
    "\u00B7" | "\u00D7" | "\u22C5" { return token_of(lx, '*'); }
    "\u2212"              { return token_of(lx, '-'); }
    "\u00B2"              { return token_power(lx, 2); }
    "\u00B3"              { return token_power(lx, 3); }
    "\u2074"              { return token_power(lx, 4); }
    *                     { unexpected(lx); goto again; }
    */
}

/* The brace of solve { opens settings instead of a bracket: there each line is a statement. */
static void enter_settings(Lexer *lx, const Token *t) {
    if (t->kind == '{' && lx->last.kind == SOLVE) {
        lx->depth--;
        lx->in_settings = true;
        lx->line_start = true;
    }
}

Token lexer_next(Lexer *lx) {
    Token t;
    if (lx->pendings)
        t = lx->pending[--lx->pendings];
    else
        t = scan(lx);
    if (lx->line_start && t.kind != NEWLINE && t.kind != YYEOF && !lx->in_settings) {
        lx->statement = t.span;
        lx->statement_kind = t.kind;
    }
    lx->line_start = t.kind == NEWLINE || t.kind == YYEOF;
    enter_settings(lx, &t);
    lx->before_last = lx->last;
    lx->last = t;
    return t;
}
