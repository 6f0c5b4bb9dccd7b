/* mathtree.h: a problem as displayed mathematics, before it is LaTeX or MathML.
 *
 * mathtree.c turns what the user wrote (the syntax tree) into boxes; math_print.c prints boxes. */
#ifndef PDE_COMPILER_OUTPUT_MATHTREE_H
#define PDE_COMPILER_OUTPUT_MATHTREE_H

#include "text/ast.h"

typedef enum BoxKind {
    BOX_ROW,      /* kids side by side */
    BOX_LETTER,   /* text: one variable; greek or single letters are slanted, words upright */
    BOX_NUMBER,   /* text: digits */
    BOX_SIGN,     /* sign: an operator or relation */
    BOX_WORDS,    /* text: running text between formulas */
    BOX_NAME,     /* text: a function's name, upright */
    BOX_FRACTION, /* kids: above, below */
    BOX_POWER,    /* kids: base, exponent */
    BOX_INDEX,    /* kids: base, subscript */
    BOX_ROOT,     /* kid */
    BOX_FENCE,    /* sign: which pair; kid */
    BOX_BIG       /* sign: the operator; kids: below or NULL, above or NULL */
} BoxKind;

/* S(id, "LaTeX", "MathML text") */
#define SIGNS(S)                                                                                   \
    S(PLUS, "+", "+")                                                                              \
    S(MINUS, "-", "\xE2\x88\x92")                                                                  \
    S(PRODUCT_SET, "\\times ", "\xC3\x97")                                                         \
    S(TIMES, "\\cdot ", "\xC2\xB7")                                                                \
    S(THIN, "\\,", "")                                                                             \
    S(EQUALS, "=", "=")                                                                            \
    S(DEFINED, "\\coloneqq ", "\xE2\x89\x94")                                                      \
    S(LESS, "<", "&lt;")                                                                           \
    S(AT_MOST, "\\le ", "\xE2\x89\xA4")                                                            \
    S(IN, "\\in ", "\xE2\x88\x88")                                                                 \
    S(SUCH, "\\mid ", "|")                                                                         \
    S(FOLLOWS, "\\sim ", "\xE2\x88\xBC")                                                           \
    S(COMMA, ",", ",")                                                                             \
    S(PRIME, "\\ast ", "\xE2\x88\x97")                                                             \
    S(PARTIAL, "\\partial ", "\xE2\x88\x82")                                                       \
    S(NABLA, "\\nabla ", "\xE2\x88\x87")                                                           \
    S(LAPLACE, "\\Delta ", "\xCE\x94")                                                             \
    S(EXPECTATION, "\\mathbb{E}", "\xF0\x9D\x94\xBC")                                              \
    S(REALS, "\\mathbb{R}", "\xE2\x84\x9D")                                                        \
    S(NETWORK, "\\mathcal{N}", "\xF0\x9D\x92\xA9")                                                 \
    S(INFINITY, "\\infty ", "\xE2\x88\x9E")                                                        \
    S(SUM, "\\sum", "\xE2\x88\x91")                                                                \
    S(PROD, "\\prod", "\xE2\x88\x8F")                                                              \
    S(MAX, "\\max", "max")                                                                         \
    S(MIN, "\\min", "min")                                                                         \
    S(MEAN, "\\operatorname*{mean}", "mean")                                                       \
    S(INTEGRAL, "\\int", "\xE2\x88\xAB")                                                           \
    S(PARENS, "()", "()")                                                                          \
    S(BRACKETS, "[]", "[]")                                                                        \
    S(BRACES, "{}", "{}")                                                                          \
    S(BARS, "||", "||")                                                                            \
    S(NORM, "\\|", "\xE2\x80\x96")

typedef enum Sign {
#define S(id, latex, mathml) SIGN_##id,
    SIGNS(S)
#undef S
} Sign;

typedef struct Box Box;
struct Box {
    BoxKind kind;
    Sign sign;
    Str text;
    uint32_t n;
    Box **kid;
};

/* One displayed line: left, relation, right, where it holds. */
typedef struct MathLine {
    const Box *left, *right;
    Sign relation;
    const Box *where; /* NULL: nothing to say */
} MathLine;

typedef struct MathLines {
    VEC(MathLine) at;
} MathLines;

/* Domain, time, definitions, equations, conditions, exact solutions, ansatz; in this order. */
void math_lines(Compilation *c, MathLines *out);

/* The LaTeX command of a Greek letter's name and its character; false for other names. */
bool math_greek(Str name, const char **latex, const char **character);

#endif
