/* json_text.c: JSON strings for --format=json. */
#include "base/json_text.h"

void emit_json_string(Text *out, const char *s) {
    text_str(out, STR("\""));
    for (; *s; s++) {
        unsigned char ch = (unsigned char)*s;
        if (ch == '"' || ch == '\\')
            text_printf(out, "\\%c", ch);
        else if (ch < 0x20 || ch == 0x7f)
            text_printf(out, "\\u%04x", ch);
        else
            text_bytes(out, s, 1);
    }
    text_str(out, STR("\""));
}
