/* events.c: see events.h. A record is the length of its data, the data, and a check sum of each; the data are messages
 * of protocol buffers: Event {wall_time = 1, step = 2, file_version = 3, summary = 5}, Summary {value = 1}, Value {tag = 1,
 * simple_value = 2}. The time of an event is that since the beginning of the run. */
#include "report/events.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

/* Castagnoli's polynomial, and the mask of the format. */
static uint32_t check_sum(const void *data, size_t size) {
    const unsigned char *byte = data;
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    crc = ~crc;
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

static void put_little(Buffer *out, uint64_t v, int bytes) {
    for (int k = 0; k < bytes; k++)
        buffer_bytes(out, &(unsigned char){(unsigned char)(v >> (8 * k))}, 1);
}

static void put_varint(Buffer *out, uint64_t v) {
    for (; v >= 0x80; v >>= 7)
        buffer_bytes(out, &(unsigned char){(unsigned char)(v | 0x80)}, 1);
    buffer_bytes(out, &(unsigned char){(unsigned char)v}, 1);
}

static void put_key(Buffer *out, int field, int kind) {
    put_varint(out, (uint64_t)field << 3 | (uint64_t)kind);
}

static void put_length(Buffer *out, int field, const void *data, size_t size) {
    put_key(out, field, 2);
    put_varint(out, size);
    buffer_bytes(out, data, size);
}

static void put_double(Buffer *out, int field, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_key(out, field, 1);
    put_little(out, bits, 8);
}

static void put_record(Buffer *out, Buffer *event) {
    unsigned char length[8];
    for (int k = 0; k < 8; k++)
        length[k] = (unsigned char)((uint64_t)event->size >> (8 * k));
    buffer_bytes(out, length, sizeof length);
    put_little(out, check_sum(length, sizeof length), 4);
    buffer_bytes(out, event->data ? event->data : "", event->size);
    put_little(out, check_sum(event->data, event->size), 4);
    out->failed |= event->failed;
    buffer_free(event);
}

void events_head(Buffer *out) {
    static const char version[] = "brain.Event:2";
    Buffer event = {0};
    put_double(&event, 1, 0);
    put_length(&event, 3, version, sizeof version - 1);
    put_record(out, &event);
}

static void put_value(Buffer *summary, const char *tag, double v) {
    const float number = (float)v;
    uint32_t bits;
    Buffer value = {0};
    memcpy(&bits, &number, sizeof bits);
    put_length(&value, 1, tag, strlen(tag));
    put_key(&value, 2, 5);
    put_little(&value, bits, 4);
    put_length(summary, 1, value.data ? value.data : "", value.size);
    summary->failed |= value.failed;
    buffer_free(&value);
}

bool events_row(const char *line, size_t size, Buffer *out) {
    json_t *row = json_loadb(line, size, 0, NULL);
    const json_t *step = json_object_get(row, "iteration");
    Buffer event = {0}, summary = {0};
    const char *key;
    json_t *value;
    const bool valid = json_is_integer(step) && json_integer_value(step) >= 0;
    if (valid) {
        json_object_foreach(row, key, value) {
            if (json_is_number(value) && strcmp(key, "iteration") != 0)
                put_value(&summary, key, json_number_value(value));
        }
        put_double(&event, 1, json_number_value(json_object_get(row, "seconds")));
        put_key(&event, 2, 0);
        put_varint(&event, (uint64_t)json_integer_value(step));
        put_length(&event, 5, summary.data ? summary.data : "", summary.size);
        event.failed |= summary.failed;
        put_record(out, &event);
    }
    buffer_free(&summary);
    json_decref(row);
    return valid;
}
