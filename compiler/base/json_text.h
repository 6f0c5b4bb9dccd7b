/* json_text.h: strings of JSON and of C. */
#ifndef PDE_COMPILER_BASE_JSON_TEXT_H
#define PDE_COMPILER_BASE_JSON_TEXT_H

#include "base/base.h"

/* A JSON string literal, quotes included; what is hidden (contract/visible.h) is escaped. */
void emit_json_string(Text *out, const char *s);
/* A string literal of C11, quotes included; what is hidden is shown by its number, as diag_plain does. */
void emit_c_string(Text *out, const char *s);

#endif
