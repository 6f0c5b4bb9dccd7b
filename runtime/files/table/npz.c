/* npz.c: several arrays in one file: a ZIP archive of .npy files, stored without compression.
 *
 * Reading goes by the central directory at the end, which says where every member is and how large. */
#include "files/io.h"
#include "files/table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46,
    END_SIZE = 22,
    COMMENT_MAX = 65535,
    NAME_MAX_SHOWN = 200
};

static const char local_magic[] = "PK\3\4", central_magic[] = "PK\1\2", end_magic[] = "PK\5\6";

static uint32_t crc32_of(uint32_t crc, const void *data, size_t size) {
    const unsigned char *byte = data;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static uint32_t word_at(const char *data, int bytes) {
    uint32_t v = 0;
    for (int k = bytes - 1; k >= 0; k--)
        v = v << 8 | (unsigned char)data[k];
    return v;
}

static void put_word(Buffer *out, uint64_t v, int bytes) {
    for (int k = 0; k < bytes; k++)
        buffer_bytes(out, &(char){(char)(v >> (8 * k) & 0xFF)}, 1);
}

/* ---- reading ---- */

static Status bad(Error *error, const char *path, const char *what) {
    return error_set(error, STATUS_BAD_ARRAY_FILE, "'%s' is not a usable .npz file: %s", path,
                     what);
}

typedef struct Member {
    const char *name;
    size_t name_size, offset, size;
    bool stored;
} Member;

static bool member_is(const Member *m, const char *name) {
    return m->name_size == strlen(name) && memcmp(m->name, name, m->name_size) == 0;
}

/* The member of the directory at *at, which moves on; false: it is damaged. */
static bool next_member(const char *data, size_t size, size_t *at, Member *m) {
    const char *c = data + *at;
    if (*at + CENTRAL_SIZE > size || memcmp(c, central_magic, 4) != 0)
        return false;
    m->stored = word_at(c + 10, 2) == 0;
    m->size = word_at(c + 20, 4);
    m->name_size = word_at(c + 28, 2);
    m->name = c + CENTRAL_SIZE;
    m->offset = word_at(c + 42, 4);
    *at += CENTRAL_SIZE + m->name_size + word_at(c + 30, 2) + word_at(c + 32, 2);
    return *at <= size;
}

/* The wanted member: `x` or `points`, or the only one. */
static Status choose(const char *path, const char *data, size_t size, Member *chosen,
                     Error *error) {
    size_t end = size < END_SIZE ? size : size - END_SIZE;
    const size_t least = end > COMMENT_MAX ? end - COMMENT_MAX : 0;
    while (end > least && memcmp(data + end, end_magic, 4) != 0)
        end--;
    if (size < END_SIZE || memcmp(data + end, end_magic, 4) != 0)
        return bad(error, path, "it has no directory at its end");
    const size_t members = word_at(data + end + 10, 2);
    size_t at = word_at(data + end + 16, 4);
    bool found = false;
    for (size_t k = 0; k < members; k++) {
        Member m;
        if (!next_member(data, size, &at, &m))
            return bad(error, path, "its directory is damaged or too large");
        if (members == 1 || member_is(&m, "x.npy") || (!found && member_is(&m, "points.npy"))) {
            *chosen = m;
            found = true;
        }
    }
    return found ? STATUS_OK
                 : bad(error, path, "of several arrays none is called x or points, or it is empty");
}

Status npz_parse(const char *path, char *data, size_t size, NpyFile *file, Error *error) {
    Member m = {0};
    *file = (NpyFile){0};
    Status status = choose(path, data, size, &m, error);
    if (status == STATUS_OK && !m.stored)
        status = bad(error, path, "it is compressed; write it with numpy.savez");
    size_t at = 0;
    if (status == STATUS_OK) {
        const bool inside = m.offset < size && size - m.offset >= LOCAL_SIZE &&
                            memcmp(data + m.offset, local_magic, 4) == 0;
        at = inside ? m.offset + LOCAL_SIZE + word_at(data + m.offset + 26, 2) +
                          word_at(data + m.offset + 28, 2)
                    : size;
        if (!inside || at > size || m.size > size - at)
            status = bad(error, path, "an array lies outside of it");
    }
    if (status != STATUS_OK) {
        free(data);
        return status;
    }
    memmove(data, data + at, m.size);
    return npy_parse(path, data, m.size, file, error);
}

/* ---- writing ---- */

/* The part that local and central headers share, from the version that is needed on. */
static void put_entry(Buffer *out, uint32_t crc, uint64_t size, size_t name) {
    put_word(out, 20, 2);
    put_word(out, 0, 4);          /* no flags, stored */
    put_word(out, 0x00210000, 4); /* the first day of 1980: the same bytes each time */
    put_word(out, crc, 4);
    put_word(out, size, 4);
    put_word(out, size, 4);
    put_word(out, name, 2);
    put_word(out, 0, 2);
}

static bool put_member(const Array *array, Buffer *out, Buffer *directory) {
    Buffer head = {0};
    size_t count = 0;
    char name[NAME_MAX_SHOWN];
    bool ok = array_count(array, &count) && npy_head(array, &head) && !head.failed;
    const size_t bytes = count * array_type_size(array->type), at = out->size;
    const int n = snprintf(name, sizeof name, "%s.npy", array->name);
    ok = ok && n > 0 && (size_t)n < sizeof name && at + bytes + head.size < UINT32_MAX;
    if (ok) {
        const uint32_t crc = crc32_of(crc32_of(0, head.data, head.size), array->data, bytes);
        buffer_bytes(out, local_magic, 4);
        put_entry(out, crc, head.size + bytes, (size_t)n);
        buffer_bytes(out, name, (size_t)n);
        buffer_bytes(out, head.data, head.size);
        buffer_bytes(out, array->data, bytes);
        buffer_bytes(directory, central_magic, 4);
        put_word(directory, 20, 2);
        put_entry(directory, crc, head.size + bytes, (size_t)n);
        put_word(directory, 0, 4); /* no comment, the first disk */
        put_word(directory, 0, 2);
        put_word(directory, 0, 4);
        put_word(directory, at, 4);
        buffer_bytes(directory, name, (size_t)n);
    }
    buffer_free(&head);
    return ok;
}

Status npz_write(const char *path, const Array *array, size_t count, Error *error) {
    Buffer out = {0}, directory = {0};
    bool ok = count < UINT16_MAX;
    for (size_t k = 0; k < count && ok; k++)
        ok = put_member(&array[k], &out, &directory);
    const size_t at = out.size;
    buffer_bytes(&out, directory.data ? directory.data : "", directory.size);
    buffer_bytes(&out, end_magic, 4);
    put_word(&out, 0, 4);
    put_word(&out, count, 2);
    put_word(&out, count, 2);
    put_word(&out, directory.size, 4);
    put_word(&out, at, 4);
    put_word(&out, 0, 2);
    Status status =
        directory.failed ? buffer_status(&directory, error) : buffer_status(&out, error);
    if (status == STATUS_OK && !ok)
        status = error_set(error, STATUS_OPTION_VALUE,
                           "'%s': an .npz file holds at most 4 GB; write .npy files", path);
    if (status == STATUS_OK)
        status = io_write_atomic(path, &(Bytes){out.data, out.size}, 1, error);
    buffer_free(&out);
    buffer_free(&directory);
    return status;
}
