/* json.c: the writer of json.h. */
#include "files/json.h"

#include "contract/visible.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static void new_line(JsonWriter *json) {
    if (json->indent == 0)
        return;
    buffer_text(json->out, "\n");
    for (int i = 0; i < json->indent * json->depth; i++)
        buffer_text(json->out, " ");
}

static void before_value(JsonWriter *json) {
    if (!json->after_key) {
        if (json->needs_comma)
            buffer_text(json->out, ",");
        if (json->depth > 0)
            new_line(json);
    }
    json->after_key = false;
    json->needs_comma = true;
}

static void begin(JsonWriter *json, const char *bracket) {
    before_value(json);
    buffer_text(json->out, bracket);
    json->depth++;
    json->needs_comma = false;
}

static void end(JsonWriter *json, const char *bracket) {
    json->depth--;
    if (json->needs_comma)
        new_line(json);
    buffer_text(json->out, bracket);
    json->needs_comma = true;
}

void json_begin_object(JsonWriter *json) {
    begin(json, "{");
}

void json_end_object(JsonWriter *json) {
    end(json, "}");
}

void json_begin_array(JsonWriter *json) {
    begin(json, "[");
}

void json_end_array(JsonWriter *json) {
    end(json, "]");
}

void json_key(JsonWriter *json, const char *key) {
    before_value(json);
    json_escape(json->out, (Bytes){key, strlen(key)});
    buffer_text(json->out, json->indent ? ": " : ":");
    json->after_key = true;
}

void json_put_text(JsonWriter *json, const char *text) {
    json_put_text_bytes(json, (Bytes){text, strlen(text)});
}

void json_put_text_bytes(JsonWriter *json, Bytes text) {
    before_value(json);
    json_escape(json->out, text);
}

void json_put_number(JsonWriter *json, double value) {
    before_value(json);
    if (isfinite(value))
        buffer_number(json->out, value);
    else
        buffer_text(json->out, "null");
}

void json_put_integer(JsonWriter *json, int64_t value) {
    before_value(json);
    buffer_printf(json->out, "%" PRId64, value);
}

void json_put_boolean(JsonWriter *json, bool value) {
    before_value(json);
    buffer_text(json->out, value ? "true" : "false");
}

void json_put_null(JsonWriter *json) {
    before_value(json);
    buffer_text(json->out, "null");
}

void json_put_raw(JsonWriter *json, Bytes text) {
    before_value(json);
    buffer_bytes(json->out, text.data, text.size);
}

/* What is hidden is escaped: JSON is looked at in terminals too. */
static void escape(Buffer *out, uint32_t code) {
    if (code >= 0x10000) {
        buffer_printf(out, "\\u%04x", (unsigned)(0xD7C0 + (code >> 10)));
        code = 0xDC00 + (code & 0x3FF);
    }
    buffer_printf(out, "\\u%04x", (unsigned)code);
}

void json_escape(Buffer *out, Bytes text) {
    const char *s = text.data;
    buffer_text(out, "\"");
    for (size_t i = 0; i < text.size;) {
        uint32_t code = 0;
        size_t length = pde_utf8_decode(s + i, text.size - i, &code);
        if (length == 0)
            buffer_text(out, "\xEF\xBF\xBD");
        else if (code == '"' || code == '\\')
            buffer_printf(out, "\\%c", (char)code);
        else if (code == '\n')
            buffer_text(out, "\\n");
        else if (pde_hidden(code))
            escape(out, code);
        else
            buffer_bytes(out, s + i, length);
        i += length ? length : 1;
    }
    buffer_text(out, "\"");
}

void json_put_numbers(JsonWriter *json, const char *key, const double *value, int count) {
    json_key(json, key);
    json_begin_array(json);
    for (int i = 0; i < count; i++)
        json_put_number(json, value[i]);
    json_end_array(json);
}

bool json_get_numbers(const json_t *object, const char *key, double *value, int count) {
    const json_t *list = json_object_get(object, key);
    if (json_array_size(list) != (size_t)count)
        return false;
    for (int i = 0; i < count; i++)
        value[i] = json_number_value(json_array_get(list, (size_t)i));
    return true;
}

double json_number_or(const json_t *object, const char *key, double standard) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : standard;
}
