/* json.c: the writer of json.h. */
#include "files/json.h"
#include "files/utf8.h"

#include <inttypes.h>
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

void json_escape(Buffer *out, Bytes text) {
    const char *s = text.data;
    buffer_text(out, "\"");
    for (size_t i = 0; i < text.size;) {
        size_t length = utf8_length(s + i, text.size - i);
        unsigned char c = (unsigned char)s[i];
        if (length == 0)
            buffer_text(out, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\')
            buffer_printf(out, "\\%c", c);
        else if (c == '\n')
            buffer_text(out, "\\n");
        else if (c < 0x20 || c == 0x7F)
            buffer_printf(out, "\\u%04x", c);
        else
            buffer_bytes(out, s + i, length);
        i += length ? length : 1;
    }
    buffer_text(out, "\"");
}
