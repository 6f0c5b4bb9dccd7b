/* visible.h: text of others, for people to read.
 *
 * A title, a file name, an option may hold characters that are not seen but obeyed: escape sequences steer a
 * terminal, overrides of the direction turn a line round. Both programs show each of them by its number.
 * This is the one place that says which characters these are, and the one reader of UTF-8. */
#ifndef PDE_RUNTIME_CONTRACT_VISIBLE_H
#define PDE_RUNTIME_CONTRACT_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed character at `text` (1 to 4) and its number; 0 if there is none: a stray or missing
 * continuation byte, an overlong form, a surrogate, past U+10FFFF, or n is 0. */
static inline size_t pde_utf8_decode(const char *text, size_t n, uint32_t *code) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    if (n == 0)
        return 0;
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || n < length)
        return 0;
    uint32_t value = s[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (s[i] & 0x3Fu);
    }
    if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code = value;
    return length;
}

/* Not seen, or not as what it is: C0 and C1 controls with line ends and tabs, marks, overrides and isolates of
 * the direction, separators of lines, blanks without width, annotations and tags. Joiners, which letters of
 * some languages need, are not among them. */
static inline bool pde_hidden(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD || code == 0x61C ||
           code == 0x180E || code == 0x200B || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x206F) ||
           code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
           (code >= 0xE0000 && code <= 0xE007F);
}

enum { PDE_VISIBLE_MAX = 12 };

/* The first character of `text` (n > 0) as it is shown: itself, or \n, \x1B, \u202E, \U000E0001; a byte that is
 * no character as \x9B. Bytes written to `out`; *taken: bytes read. */
static inline size_t pde_visible(const char *text, size_t n, char out[PDE_VISIBLE_MAX],
                                 size_t *taken) {
    static const char digit[] = "0123456789ABCDEF";
    uint32_t code = (unsigned char)text[0];
    size_t length = pde_utf8_decode(text, n, &code), put = 0;
    *taken = length ? length : 1;
    if (length && !pde_hidden(code)) {
        for (; put < length; put++)
            out[put] = text[put];
        return put;
    }
    out[put++] = '\\';
    if (code == '\n') {
        out[put++] = 'n';
        return put;
    }
    int digits = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
    out[put++] = digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
    while (digits > 0)
        out[put++] = digit[code >> (4 * --digits) & 15];
    return put;
}

#endif
