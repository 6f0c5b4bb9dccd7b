/* json_text.c: strings for --format=json and for generated C. */
#include "base/json_text.h"

#include "base/diag.h"
#include "runtime/contract/visible.h"

#include <string.h>

static void escape(Text *out, uint32_t code) {
    if (code >= 0x10000) {
        text_printf(out, "\\u%04x", (unsigned)(0xD7C0 + (code >> 10)));
        code = 0xDC00 + (code & 0x3FF);
    }
    text_printf(out, "\\u%04x", (unsigned)code);
}

void emit_json_string(Text *out, const char *s) {
    size_t n = strlen(s), length;
    text_str(out, STR("\""));
    for (; n > 0; s += length, n -= length) {
        uint32_t code = 0xFFFD; /* what stands for a byte that is no character */
        length = pde_utf8_decode(s, n, &code);
        if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else if (!length || pde_hidden(code))
            escape(out, code);
        else
            text_bytes(out, s, length);
        length = length ? length : 1;
    }
    text_str(out, STR("\""));
}

void emit_c_string(Text *out, const char *s) {
    Text plain = {.arena = out->arena};
    diag_plain(&plain, (Str){s, strlen(s)});
    text_str(out, STR("\""));
    for (size_t i = 0; i < plain.n; i++)
        if (plain.s[i] == '"' || plain.s[i] == '\\' || plain.s[i] == '?') /* ??/ is a trigraph */
            text_printf(out, "\\%c", plain.s[i]);
        else
            text_bytes(out, &plain.s[i], 1);
    text_str(out, STR("\""));
}
