/* html.c: escaping, numbers, and the check of MathML.
 *
 * A report shows markup that came out of a module, and a module may be a stranger's: so MathML is
 * not trusted but read, tag by tag, against a list. What is not on the list makes the report fall
 * back to the plain text of the equation. */
#include "contract/visible.h"
#include "files/number.h"
#include "report/html.h"

#include <math.h>
#include <string.h>

static const char *entity(char c) {
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : NULL;
}

/* What is hidden is shown by its number: overrides of the direction would turn a line of the page round. */
void html_bytes(Buffer *out, Bytes text) {
    const char *s = text.data;
    char shown[PDE_VISIBLE_MAX];
    size_t taken;
    for (size_t i = 0; i < text.size; i += taken) {
        size_t n = pde_visible(s + i, text.size - i, shown, &taken);
        if (entity(s[i]))
            buffer_text(out, entity(s[i]));
        else if (s[i] == '\n' || s[i] == '\t')
            buffer_bytes(out, s + i, 1);
        else
            buffer_bytes(out, shown, n);
    }
}

void html_text(Buffer *out, const char *text) {
    html_bytes(out, (Bytes){text, strlen(text)});
}

/* Below this a power of ten is easier to read than zeros. */
static const double small_number = 1e-2;

void html_number(Buffer *out, double value, int digits) {
    char text[NUMBER_TEXT_MAX];
    if (isnan(value)) {
        buffer_text(out, "&ndash;");
        return;
    }
    if (fabs(value) < small_number && fabs(value) > 0)
        number_print_scientific(value, digits, text);
    else
        number_print_digits(value, digits, text);
    char *exponent = isfinite(value) ? strchr(text, 'e') : NULL;
    if (!exponent) {
        buffer_text(out, text);
        return;
    }
    *exponent++ = '\0';
    bool negative = *exponent == '-';
    exponent += strspn(exponent, "+-0");
    buffer_printf(out, "%s&thinsp;&times;&thinsp;10<sup>%s%s</sup>", text,
                  negative ? "&minus;" : "", exponent);
}

/* ---- MathML ---- */

static const char *const math_element[] = {
    "math",   "mrow",    "mi",     "mo",     "mn",         "mtext",    "mspace", "msub",
    "msup",   "msubsup", "munder", "mover",  "munderover", "mfrac",    "msqrt",  "mroot",
    "mtable", "mtr",     "mtd",    "mstyle", "mpadded",    "mphantom",
};
static const char *const math_attribute[] = {
    "display",     "displaystyle",  "mathvariant",   "stretchy",      "fence",
    "separator",   "lspace",        "rspace",        "width",         "columnalign",
    "rowspacing",  "columnspacing", "movablelimits", "accent",        "largeop",
    "scriptlevel", "xmlns",         "form",          "linethickness",
};
enum { MATH_DEPTH_MAX = 200 };

static bool is_listed(const char *const *list, size_t count, Bytes name, size_t *index) {
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == name.size && memcmp(list[i], name.data, name.size) == 0) {
            *index = i;
            return true;
        }
    return false;
}

static Bytes take_name(const char **at) {
    Bytes name = {*at, strspn(*at, "abcdefghijklmnopqrstuvwxyz")};
    *at += name.size;
    return name;
}

/* name="value" pairs up to > or /; false at anything else. */
static bool skip_attributes(const char **at) {
    for (;;) {
        *at += strspn(*at, " \n\t");
        if (**at == '>' || **at == '/')
            return true;
        size_t unused;
        if (!is_listed(math_attribute, sizeof math_attribute / sizeof *math_attribute,
                       take_name(at), &unused) ||
            strncmp(*at, "=\"", 2) != 0)
            return false;
        *at += 2;
        *at += strcspn(*at, "\"<>&");
        if (*(*at)++ != '"')
            return false;
    }
}

/* &lt; &gt; &amp; &quot; and character numbers. */
static bool skip_entity(const char **at) {
    static const char *const named[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strncmp(*at, named[i], strlen(named[i])) == 0) {
            *at += strlen(named[i]);
            return true;
        }
    if (strncmp(*at, "&#", 2) != 0)
        return false;
    *at += 2;
    static const char digit[] = "0123456789abcdef";
    uint32_t base = **at == 'x' ? 16 : 10;
    *at += base == 16;
    size_t digits = strspn(*at, base == 16 ? "0123456789abcdefABCDEF" : "0123456789");
    uint32_t code = 0;
    for (size_t i = 0; i < digits && i < 6; i++)
        code = code * base + (uint32_t)(strchr(digit, (*at)[i] | 0x20) - digit);
    *at += digits;
    return digits > 0 && digits <= 6 && !pde_hidden(code) && *(*at)++ == ';';
}

bool html_math_is_safe(const char *markup) {
    size_t open[MATH_DEPTH_MAX], depth = 0;
    const size_t elements = sizeof math_element / sizeof *math_element;
    const char *at = markup;
    while (*at) {
        if (*at == '&') {
            if (depth == 0 || !skip_entity(&at))
                return false;
        } else if (*at != '<') {
            uint32_t code = 0;
            size_t length = pde_utf8_decode(at, 4, &code);
            if (length == 0 || (pde_hidden(code) && !strchr("\n\t", *at)) ||
                (depth == 0 && !strchr(" \n\t", *at)))
                return false;
            at += length;
        } else {
            bool closing = at[1] == '/';
            size_t element;
            at += closing ? 2 : 1;
            if (!is_listed(math_element, elements, take_name(&at), &element))
                return false;
            if (closing) {
                if (depth == 0 || open[--depth] != element || *at++ != '>')
                    return false;
                continue;
            }
            if ((element == 0) != (depth == 0) || depth == MATH_DEPTH_MAX || !skip_attributes(&at))
                return false;
            if (*at == '/')
                at++;
            else
                open[depth++] = element;
            if (*at++ != '>')
                return false;
        }
    }
    return depth == 0 && at != markup;
}
