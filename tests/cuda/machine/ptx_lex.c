#include "ptx_lex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fails with the line's number and text. */
void parse_fail(Parser *p, const char *format, ...) {
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const char *at = p->module->text;
    int line = p->insn_line ? p->insn_line : p->token.line;
    for (int k = 1; k < line && at; k++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    while (at && (*at == ' ' || *at == '\t'))
        at++;
    int length = at ? (int)strcspn(at, "\n") : 0;
    snprintf(p->message, sizeof p->message, "%s (PTX line %d: %.*s)", what, line,
             length < 120 ? length : 120, at ? at : "");
    longjmp(p->failed, 1);
}

static int is_word(int c) {
    return isalnum(c) || c == '_' || c == '$' || c == '.' || c == '%';
}

static void skip_blanks(Parser *p) {
    while (p->p < p->end) {
        if (*p->p == '\n') {
            p->line++;
            p->p++;
        } else if (isspace((unsigned char)*p->p)) {
            p->p++;
        } else if (p->p[0] == '/' && p->p + 1 < p->end && p->p[1] == '/') {
            while (p->p < p->end && *p->p != '\n')
                p->p++;
        } else if (p->p[0] == '/' && p->p + 1 < p->end && p->p[1] == '*') {
            for (p->p += 2; p->p + 1 < p->end && !(p->p[0] == '*' && p->p[1] == '/'); p->p++)
                p->line += *p->p == '\n';
            p->p += 2;
        } else {
            return;
        }
    }
}

static void read_number(Parser *p, Token *t) {
    char buffer[64];
    t->length = t->length < sizeof buffer - 1 ? t->length : sizeof buffer - 1;
    memcpy(buffer, t->at, t->length);
    buffer[t->length] = 0;
    char *end;
    if (buffer[0] == '0' && (buffer[1] == 'f' || buffer[1] == 'F')) {
        t->width = 4;
        t->bits = strtoull(buffer + 2, &end, 16);
    } else if (buffer[0] == '0' && (buffer[1] == 'd' || buffer[1] == 'D')) {
        t->width = 8;
        t->bits = strtoull(buffer + 2, &end, 16);
    } else {
        t->bits = strtoull(buffer, &end, 0);
        if (*end == 'U')
            end++;
    }
    if (*end)
        parse_fail(p, "a number expected");
}

void lex_next(Parser *p) {
    skip_blanks(p);
    Token *t = &p->token;
    *t = (Token){.kind = LEX_END, .at = p->p, .line = p->line};
    if (p->p >= p->end || !*p->p)
        return;
    int c = (unsigned char)*p->p;
    if (is_word(c)) {
        while (p->p < p->end &&
               (is_word((unsigned char)*p->p) || (p->p[0] == ':' && p->p[1] == ':'))) {
            p->p += *p->p == ':' ? 2 : 1;
        }
        t->length = (size_t)(p->p - t->at);
        t->kind = isdigit(c) ? LEX_NUMBER : LEX_WORD;
        if (t->kind == LEX_NUMBER)
            read_number(p, t);
        return;
    }
    p->p++;
    if (c == '"') {
        while (p->p < p->end && *p->p != '"')
            p->p++;
        p->p++;
        t->kind = LEX_STRING;
        t->length = (size_t)(p->p - t->at);
        return;
    }
    t->kind = LEX_SIGN;
    t->sign = (char)c;
    t->length = 1;
}

int lex_is(const Parser *p, const char *word) {
    return p->token.kind == LEX_WORD && strlen(word) == p->token.length &&
           memcmp(word, p->token.at, p->token.length) == 0;
}

int lex_sign(const Parser *p, char sign) {
    return p->token.kind == LEX_SIGN && p->token.sign == sign;
}

int lex_accept(Parser *p, char sign) {
    if (!lex_sign(p, sign))
        return 0;
    lex_next(p);
    return 1;
}

void lex_expect(Parser *p, char sign) {
    if (!lex_accept(p, sign))
        parse_fail(p, "'%c' expected", sign);
}
