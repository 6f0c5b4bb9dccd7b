/* html.h: text and numbers into HTML. Everything a user, a module or the system wrote goes through
 * html_text; only mathematical markup that html_math_is_safe accepts goes in as it is. */
#ifndef PDE_RUNTIME_REPORT_HTML_H
#define PDE_RUNTIME_REPORT_HTML_H

#include "files/buffer.h"

/* Escaped for element content and for quoted attributes; what is not UTF-8 becomes U+FFFD. */
void html_text(Buffer *out, const char *text);
/* The same for part of a text. */
void html_bytes(Buffer *out, Bytes text);
/* For people: "0.0123", "6.5 x 10^-4" with a real superscript, a dash for NaN. */
void html_number(Buffer *out, double value, int digits);

/* True if the text is one or more well-formed <math> elements of presentation MathML with nothing
 * in it that a browser would run or fetch: known elements, known attributes, plain values. */
bool html_math_is_safe(const char *markup);

#endif
