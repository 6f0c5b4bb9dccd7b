/* json.h: JSON written piece by piece into a Buffer. (JSON is read with jansson.)
 *
 * The writer puts the commas; the caller pairs begin and end and gives every member of an object a
 * key. Values are put (json_put_*) because jansson owns the shorter names. Compact on one line by
 * default, indented when `indent` is set. */
#ifndef PDE_RUNTIME_FILES_JSON_H
#define PDE_RUNTIME_FILES_JSON_H

#include "files/buffer.h"

#include <stdint.h>

/* Initialise with {.out = &buffer}. */
typedef struct JsonWriter {
    Buffer *out;
    int indent; /* blanks per level, 0 for one line */
    int depth;
    bool needs_comma; /* a value was written at this depth */
    bool after_key;
} JsonWriter;

void json_begin_object(JsonWriter *json);
void json_end_object(JsonWriter *json);
void json_begin_array(JsonWriter *json);
void json_end_array(JsonWriter *json);
void json_key(JsonWriter *json, const char *key);
void json_put_text(JsonWriter *json, const char *text);
void json_put_text_bytes(JsonWriter *json, Bytes text);
void json_put_number(JsonWriter *json, double value); /* NaN and infinities become null */
void json_put_integer(JsonWriter *json, int64_t value);
void json_put_boolean(JsonWriter *json, bool value);
void json_put_null(JsonWriter *json);
/* Text that is JSON already, as it is. */
void json_put_raw(JsonWriter *json, Bytes text);

/* A member that is an array of numbers. */
void json_put_numbers(JsonWriter *json, const char *key, const double *value, int count);

/* What such a member is, in an object that jansson has read; false, unless it has `count` numbers. */
struct json_t;
bool json_get_numbers(const struct json_t *object, const char *key, double *value, int count);
/* A member that is a number; `standard` if there is none. */
double json_number_or(const struct json_t *object, const char *key, double standard);

/* Quotes and escapes; bytes that are not UTF-8 become U+FFFD. */
void json_escape(Buffer *out, Bytes text);

#endif
