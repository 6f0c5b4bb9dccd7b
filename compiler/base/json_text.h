/* json_text.h: JSON strings. */
#ifndef PDE_COMPILER_BASE_JSON_TEXT_H
#define PDE_COMPILER_BASE_JSON_TEXT_H

#include "base/base.h"

/* A JSON string literal, quotes included; control characters escaped. */
void emit_json_string(Text *out, const char *s);

#endif
