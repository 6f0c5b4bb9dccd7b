/* syntax.c: messages for frequent slips of syntax, and the reading of subscripts.
 *
 * The parser knows the unexpected token and what could stand there; the lexer's last tokens say
 * what the writer most likely meant. The checks run from the most specific to the general. */
#include "text/syntax.h"

#include "base/compilation.h"
#include "base/suggest.h"
#include "text/absent.h"

#include "pde.tab.h"

#include <string.h>

/* ---- subscripts ----------------------------------------------------------------------------- */

static Ast *index_node(Lexer *lx, AstKind kind, Span span) {
    return ast_new(lx->c, kind, span, 0, NULL);
}

AstList *syntax_letters(Lexer *lx, Sym text, Span span) {
    AstList *list = NEW(&lx->c->arena, AstList);
    Str s = sym_str(lx->c, text);
    if (s.s[0] >= '0' && s.s[0] <= '9') {
        Ast *n = index_node(lx, AST_NUMBER, (Span){span.lo + 1, span.hi});
        for (size_t i = 0; i < s.n && n->number < 1e15; i++)
            n->number = n->number * 10 + (s.s[i] - '0');
        VEC_PUSH(&lx->c->arena, list->items, n);
        return list;
    }
    for (uint32_t i = 0; i < s.n; i++) {
        Ast *n = index_node(lx, AST_NAME, (Span){span.lo + 1 + i, span.lo + 2 + i});
        n->name = intern(lx->c, s.s + i, 1);
        VEC_PUSH(&lx->c->arena, list->items, n);
    }
    return list;
}

/* sigma_max: three or more letters are a word, not indices. */
static void warn_of_word(Lexer *lx, Span span, const Ast *base, const AstList *indices,
                         Span where) {
    if (indices->items.n < 3 || base->kind != AST_NAME ||
        where.hi - where.lo != indices->items.n + 1)
        return;
    Str name = sym_str(lx->c, base->name);
    Str word = source_text(lx->c, (Span){where.lo + 1, where.hi});
    Text joined = {.arena = &lx->c->arena}, letters = {.arena = &lx->c->arena};
    text_str(&joined, name);
    for (size_t i = 0; i < word.n; i++) {
        char letter = word.s[i];
        if (i == 0 && letter >= 'a' && letter <= 'z')
            letter = (char)(letter - 'a' + 'A');
        text_bytes(&joined, &letter, 1);
        text_printf(&letters, i ? ", %c" : "%c", word.s[i]);
    }
    Str whole = source_text(lx->c, span);
    Diag *d = diag(lx->c, E0204, span, (int)whole.n, whole.s, sym_cstr(lx->c, base->name),
                   text_cstr(&letters));
    diag_label(lx->c, d, "names contain no underscore");
    diag_fix(lx->c, d, true, span, text_cstr(&joined), "write %s", text_cstr(&joined));
}

Ast *syntax_subscript(Lexer *lx, Span span, Ast *base, const AstList *indices, Span where) {
    AstList all = {{0}};
    VEC_PUSH(&lx->c->arena, all.items, base);
    for (uint32_t i = 0; i < indices->items.n; i++)
        VEC_PUSH(&lx->c->arena, all.items, indices->items.at[i]);
    warn_of_word(lx, span, base, indices, where);
    return ast_new(lx->c, AST_SUBSCRIPT, span, all.items.n, all.items.at);
}

Ast *syntax_interval(Lexer *lx, Span span, Ast *lo, Ast *hi, const char *domain) {
    Compilation *c = lx->c;
    Ast *one = ast_new(c, AST_NUMBER, span, 0, NULL);
    one->number = 1;
    Ast *box = ast_new(c, AST_CALL, span, 3, (Ast *[]){one, lo, hi});
    box->name = intern_cstr(c, domain);
    box->name_span = span;
    return box;
}

static Ast *made(Lexer *lx, AstKind kind, Span span, Ast *a, Ast *b) {
    Ast *n = ast_new(lx->c, kind, span, 2, (Ast *[]){a, b});
    n->name_span = span;
    return n;
}

static Ast *called(Lexer *lx, const char *name, Span span, uint32_t n, Ast *const *argument) {
    Ast *call = ast_new(lx->c, AST_CALL, span, n, argument);
    call->name = intern_cstr(lx->c, name);
    call->name_span = span;
    return call;
}

static Ast *number_one(Lexer *lx, Span span) {
    Ast *one = ast_new(lx->c, AST_NUMBER, span, 0, NULL);
    one->number = 1;
    return one;
}

Ast *syntax_less(Lexer *lx, Span span, Ast *a, Ast *b, bool not ) {
    Ast *gap = made(lx, AST_SUB, span, b, a), *holds = called(lx, "step", span, 1, &gap);
    return not ? made(lx, AST_SUB, span, number_one(lx, span), holds) : holds;
}

Ast *syntax_either(Lexer *lx, Span span, Ast *one, Ast *two) {
    return called(lx, "max", span, 2, (Ast *[]){one, two});
}

/* The test stands in it twice: test * a + (1 - test) * b. */
Ast *syntax_choice(Lexer *lx, Span span, Ast *test, Ast *a, Ast *b) {
    Ast *other = made(lx, AST_SUB, span, number_one(lx, span), test);
    return made(lx, AST_ADD, span, made(lx, AST_MUL, span, test, a),
                made(lx, AST_MUL, span, other, b));
}

Ast *syntax_big(Lexer *lx, Span span, const AstList *letters, Ast *body) {
    AstList all = {{0}};
    for (uint32_t i = 0; i < letters->items.n; i++) {
        const Ast *letter = letters->items.at[i];
        Ast *range = ast_new(lx->c, AST_RANGE, letter->span, 2, (Ast *[]){NULL, NULL});
        range->name = letter->name;
        if (letter->kind == AST_NUMBER) {
            diag(lx->c, E0201, letter->span, "a number: a sum runs over an index, as in sum_i");
            range->name = intern_cstr(lx->c, "i");
        }
        VEC_PUSH(&lx->c->arena, all.items, range);
    }
    VEC_PUSH(&lx->c->arena, all.items, body);
    return ast_new(lx->c, AST_BIG, span, all.items.n, all.items.at);
}

void syntax_source_origin(Lexer *lx, Sym origin, Span span) {
    if (origin == intern_cstr(lx->c, "exact"))
        return;
    Diag *d = diag(lx->c, E0209, span, sym_cstr(lx->c, origin));
    diag_fix(lx->c, d, true, span, "exact", "write exact");
}

/* ---- messages ------------------------------------------------------------------------------- */

static Str text_at(const Lexer *lx, Span span) {
    return source_text(lx->c, span);
}

static bool expects(const SyntaxError *e, const char *what) {
    for (int i = 0; i < e->expectations; i++)
        if (strcmp(e->expected[i], what) == 0)
            return true;
    return false;
}

static bool operand(int kind) {
    return kind == NAME || kind == NUMBER || kind == SUB || kind == ')' || kind == ']';
}

static bool operator_sign(int kind) {
    return kind == '+' || kind == '-' || kind == '*' || kind == '/' || kind == '^' || kind == '=';
}

/* if(a < b, u, v), as of a function: is this the comma? */
static bool choice_as_function(const Lexer *lx, const Token *got) {
    if (got->kind != ',' || lx->depth == 0 || lx->depth > LEXER_BRACKETS)
        return false;
    const unsigned char *at = lx->text + (lx->open[lx->depth - 1].lo - lx->base);
    while (at > lx->text && at[-1] == ' ')
        at--;
    bool alone = at - lx->text < 3 || strchr(" (+-*/^=,", at[-3]);
    return at - lx->text >= 2 && memcmp(at - 2, "if", 2) == 0 && alone;
}

/* boundary u periodic, 1 if x_1 < 1: words that other languages have, or that this one has elsewhere. A comparison has a
 * word for itself only where it cannot stand: sum_{i<j} has it. */
static bool absent_word(Lexer *lx, const SyntaxError *e, const Token *got, const Token *before) {
    const Token *word = got;
    const char *way = NULL;
    if (lx->in_settings)
        return false;
    if (got->kind == NAME || got->kind == WHERE || got->kind == PERIODIC || got->kind == IF)
        way = absent_way_out(text_at(lx, got->span),
                             operand(before->kind) && got->span.lo != lx->statement.lo);
    if (!way && before->kind == NAME) {
        word = before;
        way = absent_way_out(text_at(lx, before->span), false);
    }
    if (!way && (got->kind == '<' || got->kind == '>' || choice_as_function(lx, got))) {
        word = got;
        way = absent_comparison();
    }
    if (!way)
        return false;
    Str text = text_at(lx, word->span);
    Diag *d = diag(lx->c, E0260, word == got ? e->span : word->span, (int)text.n, text.s);
    diag_note(lx->c, d, "%s", way);
    return true;
}

static bool unknown_statement(Lexer *lx, const SyntaxError *e, const Token *got) {
    if (got->span.lo != lx->statement.lo || lx->in_settings)
        return false;
    Str word = text_at(lx, e->span);
    Diag *d = diag(lx->c, E0208, e->span, (int)word.n, word.s);
    if (got->kind != NAME) {
        diag_note(lx->c, d, "every statement begins with a keyword such as let or equation");
        return true;
    }
    Suggestion near = suggest_start(word);
#define K(spelling, token, place) suggest_offer(&near, (Str){spelling, strlen(spelling)});
#include "keywords.def"
    if (near.best.n) {
        diag_fix(lx->c, d, true, e->span, near.best.s, "did you mean %s?", near.best.s);
        return true;
    }
    const unsigned char *p = lx->cursor;
    while (p < lx->limit && (*p == ' ' || *p == '\t'))
        p++;
    Span front = {e->span.lo, e->span.lo};
    if (p < lx->limit && *p == '=')
        diag_fix(lx->c, d, true, front, "let ", "a definition begins with let");
    else
        diag_note(lx->c, d, "every statement begins with a keyword such as let or equation");
    return true;
}

static bool missing_bracket(Lexer *lx, const SyntaxError *e, uint32_t open) {
    if (open == 0 || open > LEXER_BRACKETS)
        return false;
    char kind = lx->open_kind[open - 1];
    char closing = kind == '(' ? ')' : kind == '[' ? ']' : '}';
    char name[4] = {'\'', closing, '\'', 0};
    if (!expects(e, name))
        return false;
    Diag *d = diag(lx->c, E0202, e->span, closing);
    diag_also(lx->c, d, lx->open[open - 1], "opened here");
    char text[2] = {closing, 0};
    Span end = {lx->before_last.span.hi, lx->before_last.span.hi};
    diag_fix(lx->c, d, false, end, text, "close the bracket");
    return true;
}

/* sum_{i=1..d x_i: an operand where only } can follow. */
static bool missing_brace(Lexer *lx, const SyntaxError *e, const Token *got) {
    bool starts = got->kind == NAME || got->kind == NUMBER || got->kind == BIG || got->kind == '(';
    uint32_t open = got->kind == '(' ? lx->depth - 1 : lx->depth;
    if (!starts || open == 0 || open > LEXER_BRACKETS || lx->open_kind[open - 1] != '{')
        return false;
    return missing_bracket(lx, e, open);
}

static bool square_brackets(Lexer *lx, const SyntaxError *e, const Token *got,
                            const Token *before) {
    if (got->kind != '[' || before->kind != NAME)
        return false;
    Diag *d = diag(lx->c, E0206, e->span);
    const unsigned char *close = lx->cursor;
    while (close < lx->limit && *close != ']' && *close != '\n')
        close++;
    if (close >= lx->limit || *close != ']')
        return true;
    Text fixed = {.arena = &lx->c->arena};
    int n = (int)(close - lx->cursor);
    bool letter = n == 1 && ((lx->cursor[0] | 32) >= 'a' && (lx->cursor[0] | 32) <= 'z');
    text_printf(&fixed, letter ? "_%.*s" : "_{%.*s}", n, (const char *)lx->cursor);
    Span whole = {e->span.lo, lx->base + (uint32_t)(close + 1 - lx->text)};
    diag_fix(lx->c, d, true, whole, text_cstr(&fixed), "write a subscript");
    return true;
}

static bool decimal_comma(Lexer *lx, const SyntaxError *e, const Token *got, const Token *before) {
    if (got->kind != NUMBER || before->kind != ',' || before->span.hi != got->span.lo)
        return false;
    Diag *d = diag(lx->c, E0207, e->span);
    diag_fix(lx->c, d, true, before->span, ".", "write a point");
    return true;
}

static bool side_by_side(Lexer *lx, const SyntaxError *e, const Token *got, const Token *before) {
    bool starts = got->kind == NAME || got->kind == NUMBER || got->kind == '(' ||
                  got->kind == BIG || got->kind == DERIVATIVE || got->kind == EXPECT ||
                  got->kind == INTEGRAL;
    if (!starts || !operand(before->kind) || !(expects(e, "'*'") || expects(e, "'+'")))
        return false;
    if (lx->in_settings && lx->depth == 0) {
        Str word = text_at(lx, e->span);
        Text what = {.arena = &lx->c->arena};
        text_printf(&what, "'%.*s'", (int)word.n, word.s);
        Diag *line = diag(lx->c, E0201, e->span, text_cstr(&what));
        diag_label(lx->c, line, "each setting stands on a line of its own");
        return true;
    }
    Str left = text_at(lx, before->span);
    Diag *d = diag(lx->c, E0205, e->span, (int)left.n, left.s);
    diag_also(lx->c, d, before->span, "this");
    static const char *const functions[] = {"sin",  "cos",  "tan",  "exp",  "log", "sqrt", "abs",
                                            "sinh", "cosh", "tanh", "atan", "lap", "grad", "norm"};
    for (size_t i = 0; before->kind == NAME && i < sizeof functions / sizeof *functions; i++)
        if (left.n == strlen(functions[i]) && memcmp(left.s, functions[i], left.n) == 0) {
            Str argument = text_at(lx, e->span);
            Text fixed = {.arena = &lx->c->arena};
            text_printf(&fixed, "%.*s(%.*s)", (int)left.n, left.s, (int)argument.n, argument.s);
            diag_fix(lx->c, d, false, (Span){before->span.lo, e->span.hi}, text_cstr(&fixed),
                     "a function takes its argument in parentheses");
            return true;
        }
    if (before->kind == NAME && left.n == 2 && left.s[0] == 'd') {
        diag_note(lx->c, d, "a derivative is written d(u, t)"); /* d/dt u */
        return true;
    }
    diag_fix(lx->c, d, false, (Span){before->span.hi, e->span.lo}, " * ", "for a product, write *");
    return true;
}

/* param sigma_max = 2: a subscript where a plain name is declared. */
static bool word_as_subscript(Lexer *lx, const SyntaxError *e, const Token *got,
                              const Token *before) {
    if (got->kind != SUB || before->kind != NAME || got->span.hi - got->span.lo < 4)
        return false;
    Ast base = {.kind = AST_NAME, .name = before->value.name, .span = before->span};
    warn_of_word(lx, (Span){before->span.lo, e->span.hi}, &base,
                 syntax_letters(lx, got->value.name, got->span), got->span);
    return true;
}

static bool missing_operand(Lexer *lx, const SyntaxError *e, const Token *got,
                            const Token *before) {
    bool after = operator_sign(before->kind) || before->kind == ',' || before->kind == '(';
    bool ends = got->kind == NEWLINE || got->kind == ')' || got->kind == ',' || got->kind == ']' ||
                got->kind == '}' || (operator_sign(got->kind) && got->kind != '-');
    if (!after || !ends)
        return false;
    Str sign = text_at(lx, before->span);
    diag(lx->c, E0211, e->span, "after", (int)sign.n, sign.s);
    return true;
}

static bool missing_equals(Lexer *lx, const SyntaxError *e, const Token *got) {
    if (got->kind != NEWLINE || !expects(e, "'='"))
        return false;
    Str word = text_at(lx, lx->statement);
    char keyword[32];
    size_t n = word.n < sizeof keyword - 1 ? word.n : sizeof keyword - 1;
    memcpy(keyword, word.s, n);
    keyword[n] = '\0';
    Diag *d = diag(lx->c, E0203, e->span, keyword);
    if (lx->statement_kind == EQUATION)
        diag_fix(lx->c, d, false, e->span, " = 0", "to set it to zero");
    return true;
}

/* d(u): only a derivative wants a comma where its bracket closes. */
static bool missing_variable(Lexer *lx, const SyntaxError *e, const Token *got) {
    if (got->kind != ')' || lx->statement_kind == UNKNOWN || !expects(e, "','") ||
        expects(e, "')'"))
        return false;
    Diag *d = diag(lx->c, E0212, e->span);
    diag_note(lx->c, d, "write d(u, t), d2(u, x_i) or d(u, outward)");
    return true;
}

static bool stray_bracket(Lexer *lx, const SyntaxError *e, const Token *got) {
    if ((got->kind != ')' && got->kind != ']' && got->kind != '}') || !lx->stray)
        return false;
    diag(lx->c, E0210, e->span, got->kind);
    return true;
}

static void general(Lexer *lx, const SyntaxError *e, const Token *got) {
    Text what = {.arena = &lx->c->arena};
    Str text = text_at(lx, e->span);
    if (got->kind == NEWLINE || got->kind == YYEOF || text.n == 0)
        text_printf(&what, "%s", e->got);
    else
        text_printf(&what, "'%.*s'", (int)text.n, text.s);
    Diag *d = diag(lx->c, E0201, e->span, text_cstr(&what));
    if (e->expectations > 0 && e->expectations <= SYNTAX_SHOWN) {
        Text list = {.arena = &lx->c->arena};
        for (int i = 0; i < e->expectations; i++)
            text_printf(&list, "%s%s",
                        i == 0                     ? ""
                        : i == e->expectations - 1 ? " or "
                                                   : ", ",
                        e->expected[i]);
        diag_label(lx->c, d, "expected %s", text_cstr(&list));
    }
}

void syntax_error(Lexer *lx, const SyntaxError *e) {
    Token got = lx->last, before = lx->before_last;
    /* A NEWLINE has already closed the lexer's brackets: its depth stood in `unclosed`. */
    uint32_t open = got.kind == NEWLINE ? lx->unclosed : 0;
    if (absent_word(lx, e, &got, &before) || unknown_statement(lx, e, &got) ||
        missing_operand(lx, e, &got, &before) || missing_bracket(lx, e, open) ||
        missing_brace(lx, e, &got) || square_brackets(lx, e, &got, &before) ||
        decimal_comma(lx, e, &got, &before) || word_as_subscript(lx, e, &got, &before) ||
        side_by_side(lx, e, &got, &before) || missing_equals(lx, e, &got) ||
        missing_variable(lx, e, &got) || stray_bracket(lx, e, &got))
        return;
    general(lx, e, &got);
}
