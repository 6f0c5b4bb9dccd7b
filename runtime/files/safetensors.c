/* safetensors.c: an 8-byte little-endian header length, a JSON header, the elements.
 *
 * The header maps each name to {"dtype", "shape", "data_offsets": [begin, end]} with offsets from
 * the end of the header, and "__metadata__" to an object of strings. The format demands that the
 * arrays cover the rest of the file without gap or overlap; so do we. */
#include "files/io.h"
#include "files/json.h"
#include "files/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_SIZE = 8, HEADER_ALIGNMENT = 8, HEADER_LIMIT = 100 * 1000 * 1000 };

static const char metadata_key[] = "__metadata__";
static const char *const dtype_name[ARRAY_TYPES] = {
    [ARRAY_F32] = "F32", [ARRAY_F64] = "F64", [ARRAY_I32] = "I32", [ARRAY_I64] = "I64"};

/* ---- writing ---- */

static void write_entry(JsonWriter *json, const Array *array, uint64_t begin, uint64_t end) {
    json_key(json, array->name);
    json_begin_object(json);
    json_key(json, "dtype");
    json_put_text(json, dtype_name[array->type]);
    json_key(json, "shape");
    json_begin_array(json);
    for (int i = 0; i < array->rank; i++)
        json_put_integer(json, (int64_t)array->shape[i]);
    json_end_array(json);
    json_key(json, "data_offsets");
    json_begin_array(json);
    json_put_integer(json, (int64_t)begin);
    json_put_integer(json, (int64_t)end);
    json_end_array(json);
    json_end_object(json);
}

static void write_metadata(JsonWriter *json, const SafetensorsText *text, size_t count) {
    if (count == 0)
        return;
    json_key(json, metadata_key);
    json_begin_object(json);
    for (size_t i = 0; i < count; i++) {
        json_key(json, text[i].key);
        json_put_text(json, text[i].value);
    }
    json_end_object(json);
}

/* part[i] are the elements of sorted[i]: they follow each other without gaps. */
static Status write_header(const Array *sorted, const Bytes *part, size_t count,
                           const SafetensorsText *text, size_t text_count, Buffer *out,
                           Error *error) {
    buffer_zeros(out, LENGTH_SIZE);
    JsonWriter json = {.out = out};
    json_begin_object(&json);
    write_metadata(&json, text, text_count);
    uint64_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        write_entry(&json, &sorted[i], offset, offset + part[i].size);
        offset += part[i].size;
    }
    json_end_object(&json);
    while (out->size % HEADER_ALIGNMENT != 0 && !out->failed)
        buffer_text(out, " ");
    Status status = buffer_status(out, error);
    for (size_t i = 0; i < LENGTH_SIZE && status == STATUS_OK; i++)
        out->data[i] = (char)((uint64_t)(out->size - LENGTH_SIZE) >> 8 * i & 0xFF);
    return status;
}

/* Wide types first: then every array begins at a multiple of its element size. */
static Status sort_arrays(const Array *array, size_t count, Array *sorted, Bytes *part,
                          Error *error) {
    size_t n = 0;
    for (size_t width = 8; width >= 4; width /= 2)
        for (size_t i = 0; i < count; i++) {
            size_t elements;
            if (array_type_size(array[i].type) != width)
                continue;
            if (!array_count(&array[i], &elements))
                return error_set(error, STATUS_INTERNAL, "array '%s' has an impossible shape",
                                 array[i].name);
            sorted[n] = array[i];
            part[n++] = (Bytes){array[i].data, elements * width};
        }
    return STATUS_OK;
}

Status safetensors_assemble(const Array *array, size_t count, const SafetensorsText *text,
                            size_t text_count, SafetensorsParts *parts, Error *error) {
    *parts =
        (SafetensorsParts){.part = malloc((count + 1) * sizeof *parts->part), .count = count + 1};
    Array *sorted = malloc((count + 1) * sizeof *sorted);
    Status status = STATUS_OK;
    if (!sorted || !parts->part)
        status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory to write %zu arrays", count);
    if (status == STATUS_OK)
        status = sort_arrays(array, count, sorted, parts->part + 1, error);
    if (status == STATUS_OK)
        status =
            write_header(sorted, parts->part + 1, count, text, text_count, &parts->header, error);
    if (status == STATUS_OK)
        parts->part[0] = (Bytes){parts->header.data, parts->header.size};
    else
        safetensors_parts_free(parts);
    free(sorted);
    return status;
}

void safetensors_parts_free(SafetensorsParts *parts) {
    buffer_free(&parts->header);
    free(parts->part);
    *parts = (SafetensorsParts){0};
}

Status safetensors_write(const char *path, const Array *array, size_t count,
                         const SafetensorsText *text, size_t text_count, Error *error) {
    SafetensorsParts parts;
    Status status = safetensors_assemble(array, count, text, text_count, &parts, error);
    if (status == STATUS_OK) {
        status = io_write_atomic(path, parts.part, parts.count, error);
        safetensors_parts_free(&parts);
    }
    return status;
}

/* ---- reading ---- */

static Status bad(Error *error, const char *path, const char *what) {
    return error_set(error, STATUS_BAD_ARRAY_FILE, "'%s' is not a usable .safetensors file: %s",
                     path, what);
}

static bool read_unsigned(const json_t *value, uint64_t *out) {
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

static bool read_type(const json_t *value, ArrayType *type) {
    const char *name = json_string_value(value);
    for (int i = 0; name && i < ARRAY_TYPES; i++)
        if (strcmp(name, dtype_name[i]) == 0) {
            *type = (ArrayType)i;
            return true;
        }
    return false;
}

static bool read_shape(const json_t *value, Array *array) {
    size_t rank = json_array_size(value);
    if (!json_is_array(value) || rank > ARRAY_RANK_MAX)
        return false;
    array->rank = (int)rank;
    for (size_t i = 0; i < rank; i++)
        if (!read_unsigned(json_array_get(value, i), &array->shape[i]))
            return false;
    return true;
}

/* data/size: the elements of the file. */
static Status read_entry(const char *path, const char *name, const json_t *entry, const char *data,
                         size_t size, Array *array, Error *error) {
    *array = (Array){.name = name};
    if (!read_type(json_object_get(entry, "dtype"), &array->type))
        return bad(error, path, "an array has a type other than F32, F64, I32 and I64");
    const json_t *range = json_object_get(entry, "data_offsets");
    uint64_t begin, end;
    size_t count, width = array_type_size(array->type);
    if (!read_shape(json_object_get(entry, "shape"), array) || !array_count(array, &count))
        return bad(error, path, "an array has an impossible shape");
    if (json_array_size(range) != 2 || !read_unsigned(json_array_get(range, 0), &begin) ||
        !read_unsigned(json_array_get(range, 1), &end) || begin > end || end > size)
        return bad(error, path, "an array lies outside the file");
    if (end - begin != count * width)
        return bad(error, path, "an array's place and shape disagree");
    if (begin % width != 0)
        return bad(error, path, "an array is not aligned");
    array->data = data + begin;
    return STATUS_OK;
}

static int compare_places(const void *a, const void *b) {
    const Array *x = a, *y = b;
    uintptr_t at_x = (uintptr_t)x->data, at_y = (uintptr_t)y->data;
    if (at_x != at_y)
        return at_x < at_y ? -1 : 1;
    size_t count_x = 0, count_y = 0; /* an empty array lies before the one that starts there */
    array_count(x, &count_x);
    array_count(y, &count_y);
    return (count_x > 0) - (count_y > 0);
}

static bool covers_file(const Safetensors *file, const char *data, size_t size) {
    const char *expected = data;
    for (size_t i = 0; i < file->array_count; i++) {
        size_t count = 0;
        if (file->array[i].data != expected || !array_count(&file->array[i], &count))
            return false;
        expected += count * array_type_size(file->array[i].type);
    }
    return expected == data + size;
}

static Status read_entries(const char *path, json_t *root, const char *data, size_t size,
                           Safetensors *file, Error *error) {
    json_t *metadata = json_object_get(root, metadata_key), *entry;
    const char *key;
    file->array = calloc(json_object_size(root) + 1, sizeof *file->array);
    file->text = calloc(json_object_size(metadata) + 1, sizeof *file->text);
    if (!file->array || !file->text)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory to read '%s'", path);
    if (metadata && !json_is_object(metadata))
        return bad(error, path, "its metadata is not an object");
    json_object_foreach(metadata, key, entry) {
        if (!json_is_string(entry))
            return bad(error, path, "its metadata holds something else than text");
        file->text[file->text_count++] = (SafetensorsText){key, json_string_value(entry)};
    }
    json_object_foreach(root, key, entry) {
        if (strcmp(key, metadata_key) == 0)
            continue;
        Status status =
            read_entry(path, key, entry, data, size, &file->array[file->array_count], error);
        if (status != STATUS_OK)
            return status;
        file->array_count++;
    }
    qsort(file->array, file->array_count, sizeof *file->array, compare_places);
    if (!covers_file(file, data, size))
        return bad(error, path, "its arrays leave a gap, overlap, or end before the file does");
    return STATUS_OK;
}

static Status parse_header(const char *path, const char *data, size_t size, Safetensors *file,
                           Error *error) {
    uint64_t length = 0;
    if (size < LENGTH_SIZE)
        return bad(error, path, "it is truncated");
    for (size_t i = 0; i < LENGTH_SIZE; i++)
        length |= (uint64_t)(unsigned char)data[i] << 8 * i;
    if (length > size - LENGTH_SIZE || length > HEADER_LIMIT)
        return bad(error, path, "its header is longer than the file");
    if (length % HEADER_ALIGNMENT != 0)
        return bad(error, path, "its header is not padded to a multiple of 8 bytes");
    const char *header = data + LENGTH_SIZE;
    json_error_t problem;
    json_t *root = length > 0 && header[0] == '{'
                       ? json_loadb(header, (size_t)length, JSON_REJECT_DUPLICATES, &problem)
                       : NULL;
    if (!root)
        return bad(error, path, "its header is not a JSON object");
    file->document = root;
    return read_entries(path, root, header + length, size - LENGTH_SIZE - (size_t)length, file,
                        error);
}

static Status parse(const char *path, char *data, size_t size, size_t mapped, Safetensors *file,
                    Error *error) {
    *file = (Safetensors){.storage = data, .mapped = mapped};
    Status status = parse_header(path, data, size, file, error);
    if (status != STATUS_OK)
        safetensors_free(file);
    return status;
}

Status safetensors_parse(const char *path, char *data, size_t size, Safetensors *file,
                         Error *error) {
    return parse(path, data, size, 0, file, error);
}

Status safetensors_parse_mapped(const char *path, char *data, size_t size, Safetensors *file,
                                Error *error) {
    return parse(path, data, size, size, file, error);
}

Status safetensors_read(const char *path, size_t limit, Safetensors *file, Error *error) {
    *file = (Safetensors){0};
    char *data;
    size_t size;
    Status status = io_read_file(path, limit, &data, &size, error);
    return status == STATUS_OK ? safetensors_parse(path, data, size, file, error) : status;
}

const Array *safetensors_find(const Safetensors *file, const char *name) {
    for (size_t i = 0; i < file->array_count; i++)
        if (strcmp(file->array[i].name, name) == 0)
            return &file->array[i];
    return NULL;
}

const char *safetensors_find_text(const Safetensors *file, const char *key) {
    for (size_t i = 0; i < file->text_count; i++)
        if (strcmp(file->text[i].key, key) == 0)
            return file->text[i].value;
    return NULL;
}

void safetensors_free(Safetensors *file) {
    json_decref(file->document);
    free(file->array);
    free(file->text);
    if (file->mapped)
        io_unmap_file(file->storage, file->mapped);
    else
        free(file->storage);
    *file = (Safetensors){0};
}
