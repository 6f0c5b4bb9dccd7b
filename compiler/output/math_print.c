/* math_print.c: boxes as LaTeX and as presentation MathML. Everything of the user's is escaped. */
#include <string.h>

#include "base/compilation.h"
#include "output/mathtree.h"
#include "pass.h"

static const char *const latex_sign[] = {
#define S(id, latex, mathml) latex,
    SIGNS(S)
#undef S
};

static const char *const mathml_sign[] = {
#define S(id, latex, mathml) mathml,
    SIGNS(S)
#undef S
};

static void put(Text *out, const char *s) {
    text_bytes(out, s, strlen(s));
}

/* ---- LaTeX ---- */

static void latex_escaped(Text *out, Str s) {
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.s[i];
        if (strchr("#$%&_{}", ch))
            text_printf(out, "\\%c", ch);
        else if (ch == '\\' || ch == '^' || ch == '~')
            text_printf(out, "\\char%d{}", ch);
        else
            text_bytes(out, &s.s[i], 1);
    }
}

static void latex(Text *out, const Box *b);

static void latex_kids(Text *out, const Box *b) {
    for (uint32_t k = 0; k < b->n; k++)
        latex(out, b->kid[k]);
}

static void latex_letter(Text *out, Str s) {
    const char *name, *character;
    if (math_greek(s, &name, &character)) {
        text_printf(out, "\\%s ", name);
    } else if (s.n == 1) {
        latex_escaped(out, s);
    } else {
        put(out, "\\mathrm{");
        latex_escaped(out, s);
        put(out, "}");
    }
}

static void latex_fence(Text *out, const Box *b) {
    static const struct {
        const char *open, *close;
    } pair[] = {{"(", ")"}, {"[", "]"}, {"\\{", "\\}"}, {"|", "|"}, {"\\|", "\\|"}};
    text_printf(out, "\\left%s ", pair[b->sign - SIGN_PARENS].open);
    latex_kids(out, b);
    text_printf(out, "\\right%s ", pair[b->sign - SIGN_PARENS].close);
}

/* Functions LaTeX knows by a command of their own. */
static bool latex_knows(Str s) {
    static const char *const known[] = {"sin",  "cos", "tan", "sinh", "cosh",
                                        "tanh", "exp", "log", "max",  "min"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strlen(known[k]) == s.n && memcmp(known[k], s.s, s.n) == 0)
            return true;
    return false;
}

/* base_{index}, base^{exponent}: braces around a base of more than one letter. */
static void latex_script(Text *out, const Box *b, const char *script) {
    bool plain = b->kid[0]->kind == BOX_LETTER || b->kid[0]->kind == BOX_NUMBER;
    put(out, plain ? "" : "{");
    latex(out, b->kid[0]);
    text_printf(out, "%s%s{", plain ? "" : "}", script);
    latex(out, b->kid[1]);
    put(out, "}");
}

static void latex_fraction(Text *out, const Box *b) {
    put(out, "\\frac{");
    latex(out, b->kid[0]);
    put(out, "}{");
    latex(out, b->kid[1]);
    put(out, "}");
}

static void latex_big(Text *out, const Box *b) {
    put(out, latex_sign[b->sign]);
    if (b->kid[0]) {
        put(out, "_{");
        latex(out, b->kid[0]);
        put(out, "}");
    }
    if (b->kid[1]) {
        put(out, "^{");
        latex(out, b->kid[1]);
        put(out, "}");
    }
    put(out, " ");
}

static void latex(Text *out, const Box *b) {
    switch (b->kind) {
    case BOX_ROW:
        latex_kids(out, b);
        break;
    case BOX_LETTER:
        latex_letter(out, b->text);
        break;
    case BOX_NUMBER:
        text_str(out, b->text);
        break;
    case BOX_SIGN:
        put(out, latex_sign[b->sign]);
        break;
    case BOX_WORDS:
        put(out, "\\text{");
        latex_escaped(out, b->text);
        put(out, "}");
        break;
    case BOX_NAME:
        put(out, latex_knows(b->text) ? "\\" : "\\operatorname{");
        latex_escaped(out, b->text);
        put(out, latex_knows(b->text) ? "" : "}");
        break;
    case BOX_FRACTION:
        latex_fraction(out, b);
        break;
    case BOX_POWER:
        latex_script(out, b, "^");
        break;
    case BOX_INDEX:
        latex_script(out, b, "_");
        break;
    case BOX_ROOT:
        put(out, "\\sqrt{");
        latex_kids(out, b);
        put(out, "}");
        break;
    case BOX_FENCE:
        latex_fence(out, b);
        break;
    case BOX_BIG:
        latex_big(out, b);
        break;
    }
}

void latex_emit(Compilation *c, Text *out) {
    MathLines lines = {0};
    math_lines(c, &lines);
    put(out, "% needs amsmath, amssymb and mathtools\n\\begin{align*}\n");
    for (uint32_t k = 0; k < lines.at.n; k++) {
        const MathLine *line = &lines.at.at[k];
        put(out, "  ");
        latex(out, line->left);
        text_printf(out, " &%s", latex_sign[line->relation]);
        latex(out, line->right);
        if (line->where) {
            put(out, " && ");
            latex(out, line->where);
        }
        put(out, k + 1 < lines.at.n ? " \\\\\n" : "\n");
    }
    put(out, "\\end{align*}\n");
}

/* ---- MathML ---- */

static void mathml_escaped(Text *out, Str s) {
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.s[i];
        if (ch == '&' || ch == '<' || ch == '>' || ch == '"')
            text_printf(out, "&#%d;", ch);
        else if (ch == ' ') /* a plain one would be trimmed at the ends */
            put(out, "&#160;");
        else
            text_bytes(out, &s.s[i], 1);
    }
}

static void element(Text *out, const char *name, const char *attributes, Str text) {
    text_printf(out, "<%s%s>", name, attributes);
    mathml_escaped(out, text);
    text_printf(out, "</%s>", name);
}

static void mathml(Text *out, const Box *b);

static void mathml_kids(Text *out, const char *name, const Box *b) {
    text_printf(out, "<%s>", name);
    for (uint32_t k = 0; k < b->n; k++)
        mathml(out, b->kid[k]);
    text_printf(out, "</%s>", name);
}

static void mathml_letter(Text *out, Str s) {
    const char *name, *character;
    if (math_greek(s, &name, &character))
        text_printf(out, "<mi>%s</mi>", character);
    else
        element(out, "mi", "", s);
}

static void mathml_sign_box(Text *out, Sign sign) {
    if (sign == SIGN_THIN)
        put(out, "<mspace width=\"0.17em\"></mspace>");
    else if (sign == SIGN_EXPECTATION || sign == SIGN_REALS || sign == SIGN_NETWORK ||
             sign == SIGN_INFINITY)
        text_printf(out, "<mi mathvariant=\"normal\">%s</mi>", mathml_sign[sign]);
    else if (sign == SIGN_PARTIAL || sign == SIGN_NABLA || sign == SIGN_LAPLACE)
        text_printf(out, "<mo lspace=\"0\" rspace=\"0\">%s</mo>", mathml_sign[sign]);
    else
        text_printf(out, "<mo>%s</mo>", mathml_sign[sign]);
}

static void mathml_fence(Text *out, const Box *b) {
    static const struct {
        const char *open, *close;
    } pair[] = {{"(", ")"}, {"[", "]"}, {"{", "}"}, {"|", "|"}, {"\xE2\x80\x96", "\xE2\x80\x96"}};
    text_printf(out, "<mrow><mo fence=\"true\" form=\"prefix\">%s</mo>",
                pair[b->sign - SIGN_PARENS].open);
    mathml(out, b->kid[0]);
    text_printf(out, "<mo fence=\"true\" form=\"postfix\">%s</mo></mrow>",
                pair[b->sign - SIGN_PARENS].close);
}

static void mathml_big(Text *out, const Box *b) {
    bool integral = b->sign == SIGN_INTEGRAL, both = b->kid[0] && b->kid[1];
    const char *name = both ? (integral ? "msubsup" : "munderover") : "munder";
    bool glyph = b->sign == SIGN_SUM || b->sign == SIGN_PROD || integral;
    text_printf(out, "<%s><mo%s>%s</mo>", name,
                glyph ? " largeop=\"true\" movablelimits=\"false\"" : "", mathml_sign[b->sign]);
    for (int k = 0; k < 2; k++)
        if (b->kid[k])
            mathml(out, b->kid[k]);
    text_printf(out, "</%s>", name);
}

static void mathml(Text *out, const Box *b) {
    switch (b->kind) {
    case BOX_ROW:
        mathml_kids(out, "mrow", b);
        break;
    case BOX_LETTER:
        mathml_letter(out, b->text);
        break;
    case BOX_NUMBER:
        element(out, "mn", "", b->text);
        break;
    case BOX_SIGN:
        mathml_sign_box(out, b->sign);
        break;
    case BOX_WORDS:
        element(out, "mtext", "", b->text);
        break;
    case BOX_NAME:
        element(out, "mi", " mathvariant=\"normal\"", b->text);
        break;
    case BOX_FRACTION:
        mathml_kids(out, "mfrac", b);
        break;
    case BOX_POWER:
        mathml_kids(out, "msup", b);
        break;
    case BOX_INDEX:
        mathml_kids(out, "msub", b);
        break;
    case BOX_ROOT:
        mathml_kids(out, "msqrt", b);
        break;
    case BOX_FENCE:
        mathml_fence(out, b);
        break;
    case BOX_BIG:
        mathml_big(out, b);
        break;
    }
}

void mathml_emit(Compilation *c, Text *out) {
    MathLines lines = {0};
    math_lines(c, &lines);
    for (uint32_t k = 0; k < lines.at.n; k++) {
        const MathLine *line = &lines.at.at[k];
        put(out, "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\"><mrow>");
        mathml(out, line->left);
        mathml_sign_box(out, line->relation);
        mathml(out, line->right);
        if (line->where) {
            put(out, "<mspace width=\"2em\"></mspace>");
            mathml(out, line->where);
        }
        put(out, "</mrow></math>\n");
    }
}
