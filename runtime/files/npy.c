/* npy.c: reader and writer of .npy.
 *
 * A file is "\x93NUMPY", major, minor, the header length (2 bytes in version 1, 4 after), a Python
 * dictionary literal such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), } padded
 * with blanks to a multiple of 64, and the elements. */
#include "files/io.h"
#include "files/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char npy_magic[] = "\x93NUMPY";
enum { NPY_MAGIC_SIZE = 6, NPY_ALIGNMENT = 64, NPY_HEADER_MAX = 1 << 16 };

static const char *const npy_descr[ARRAY_TYPES] = {
    [ARRAY_F32] = "<f4", [ARRAY_F64] = "<f8", [ARRAY_I32] = "<i4", [ARRAY_I64] = "<i8"};

/* ---- reading the dictionary ---- */

typedef struct Cursor {
    const char *at, *end;
} Cursor;

static void skip_blanks(Cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
        c->at++;
}

static bool take(Cursor *c, char wanted) {
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool take_word(Cursor *c, const char *word) {
    skip_blanks(c);
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A quoted string without escapes, as NumPy writes them. */
static bool take_string(Cursor *c, Bytes *text) {
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    char quote = *c->at++;
    const char *start = c->at;
    while (c->at < c->end && *c->at != quote)
        c->at++;
    if (c->at == c->end)
        return false;
    *text = (Bytes){start, (size_t)(c->at++ - start)};
    return true;
}

static bool take_unsigned(Cursor *c, uint64_t *value) {
    skip_blanks(c);
    const char *start = c->at;
    for (*value = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        uint64_t digit = (uint64_t)(*c->at - '0');
        if (*value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return c->at > start;
}

static bool take_shape(Cursor *c, Array *array) {
    if (!take(c, '('))
        return false;
    for (array->rank = 0; !take(c, ')'); array->rank++) {
        if (array->rank == ARRAY_RANK_MAX || !take_unsigned(c, &array->shape[array->rank]))
            return false;
        if (!take(c, ',')) {
            array->rank++;
            return take(c, ')');
        }
    }
    return true;
}

static Status bad(Error *error, const char *path, const char *what) {
    return error_set(error, STATUS_BAD_ARRAY_FILE, "'%s' is not a usable .npy file: %s", path,
                     what);
}

static Status read_descr(Bytes descr, ArrayType *type, const char *path, Error *error) {
    for (int i = 0; i < ARRAY_TYPES; i++)
        if (descr.size == 3 && memcmp(descr.data, npy_descr[i], 3) == 0) {
            *type = (ArrayType)i;
            return STATUS_OK;
        }
    int shown = descr.size < 20 ? (int)descr.size : 20;
    return error_set(error, STATUS_BAD_ARRAY_FILE,
                     "'%s' holds elements of type '%.*s'; little-endian float32, float64, int32 "
                     "and int64 can be read",
                     path, shown, (const char *)descr.data);
}

static Status read_dictionary(Cursor c, Array *array, const char *path, Error *error) {
    enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };
    unsigned seen = 0;
    if (!take(&c, '{'))
        return bad(error, path, "its header is not a dictionary");
    while (!take(&c, '}')) {
        Bytes key, descr;
        if (!take_string(&c, &key) || !take(&c, ':'))
            return bad(error, path, "its header is damaged");
        if (key.size == 5 && memcmp(key.data, "descr", 5) == 0) {
            if (!take_string(&c, &descr))
                return bad(error, path, "it holds records, not plain numbers");
            Status status = read_descr(descr, &array->type, path, error);
            if (status != STATUS_OK)
                return status;
            seen |= HAS_DESCR;
        } else if (key.size == 13 && memcmp(key.data, "fortran_order", 13) == 0) {
            if (take_word(&c, "True"))
                return bad(error, path,
                           "it is in Fortran order; save numpy.ascontiguousarray(a) instead");
            if (!take_word(&c, "False"))
                return bad(error, path, "its header is damaged");
            seen |= HAS_ORDER;
        } else if (key.size == 5 && memcmp(key.data, "shape", 5) == 0) {
            if (!take_shape(&c, array))
                return bad(error, path, "its shape is damaged or has more than 8 dimensions");
            seen |= HAS_SHAPE;
        } else {
            return bad(error, path, "its header has an unknown entry");
        }
        if (!take(&c, ',') && (skip_blanks(&c), c.at == c.end || *c.at != '}'))
            return bad(error, path, "its header is damaged");
    }
    skip_blanks(&c);
    if (seen != HAS_ALL || c.at != c.end)
        return bad(error, path, "its header is incomplete");
    return STATUS_OK;
}

static Status read_header(const char *data, size_t size, const char *path, Array *array,
                          size_t *data_offset, Error *error) {
    const unsigned char *byte = (const unsigned char *)data;
    if (size < NPY_MAGIC_SIZE + 4 || memcmp(data, npy_magic, NPY_MAGIC_SIZE) != 0)
        return bad(error, path, "it does not begin like one");
    unsigned major = byte[6];
    size_t prefix = major == 1 ? 10 : 12;
    if (major < 1 || major > 3)
        return bad(error, path, "its format version is unknown");
    if (size < prefix)
        return bad(error, path, "it is truncated");
    size_t length = byte[8] | (size_t)byte[9] << 8;
    if (major > 1)
        length |= (size_t)byte[10] << 16 | (size_t)byte[11] << 24;
    if (length > NPY_HEADER_MAX || length > size - prefix)
        return bad(error, path, "its header is longer than the file");
    *data_offset = prefix + length;
    return read_dictionary((Cursor){data + prefix, data + *data_offset}, array, path, error);
}

Status npy_read(const char *path, size_t limit, NpyFile *file, Error *error) {
    char *data;
    size_t size;
    *file = (NpyFile){0};
    Status status = io_read_file(path, limit, &data, &size, error);
    return status == STATUS_OK ? npy_parse(path, data, size, file, error) : status;
}

Status npy_parse(const char *path, char *data, size_t size, NpyFile *file, Error *error) {
    size_t offset = 0, count;
    *file = (NpyFile){0};
    Status status = read_header(data, size, path, &file->array, &offset, error);
    if (status == STATUS_OK && !array_count(&file->array, &count))
        status = bad(error, path, "its shape is too large");
    if (status == STATUS_OK && count * array_type_size(file->array.type) != size - offset)
        status = error_set(error, STATUS_BAD_ARRAY_FILE,
                           "'%s' should hold %zu elements of %zu bytes and holds %zu bytes", path,
                           count, array_type_size(file->array.type), size - offset);
    if (status != STATUS_OK) {
        free(data);
        *file = (NpyFile){0};
        return status;
    }
    /* Versions differ in where the elements start: moved to the front they are aligned. */
    memmove(data, data + offset, size - offset);
    file->storage = data;
    file->array.data = data;
    return STATUS_OK;
}

void npy_free(NpyFile *file) {
    free(file->storage);
    *file = (NpyFile){0};
}

/* ---- writing ---- */

bool npy_head(const Array *array, Buffer *head) {
    size_t count;
    if (!array_count(array, &count))
        return false;
    const size_t start = head->size;
    buffer_bytes(head, npy_magic, NPY_MAGIC_SIZE);
    buffer_bytes(head, "\x01\x00\x00\x00", 4); /* version 1.0, length filled in below */
    buffer_printf(head, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                  npy_descr[array->type]);
    for (int i = 0; i < array->rank; i++)
        buffer_printf(head, "%s%" PRIu64, i ? ", " : "", array->shape[i]);
    buffer_text(head, array->rank == 1 ? ",), }" : "), }");
    while ((head->size - start) % NPY_ALIGNMENT != NPY_ALIGNMENT - 1 && !head->failed)
        buffer_text(head, " ");
    buffer_text(head, "\n");
    if (!head->failed) {
        const size_t length = head->size - start - 10;
        head->data[start + 8] = (char)(length & 0xFF);
        head->data[start + 9] = (char)(length >> 8 & 0xFF);
    }
    return true;
}

Status npy_write(const char *path, const Array *array, Error *error) {
    Buffer head = {0};
    size_t count = 0;
    if (!array_count(array, &count) || !npy_head(array, &head))
        return error_set(error, STATUS_INTERNAL, "an array for '%s' has an impossible shape", path);
    Status status = buffer_status(&head, error);
    if (status == STATUS_OK) {
        const Bytes part[] = {{head.data, head.size},
                              {array->data, count * array_type_size(array->type)}};
        status = io_write_atomic(path, part, 2, error);
    }
    buffer_free(&head);
    return status;
}
