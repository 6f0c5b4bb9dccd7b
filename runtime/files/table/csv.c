/* csv.c: tables as text. */
#include "files/io.h"
#include "files/number.h"
#include "files/table/table.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64, NAME_SHOWN = 128 };

typedef struct Numbers {
    double *at;
    size_t n, capacity;
} Numbers;

static bool push(Numbers *to, double v) {
    if (to->n == to->capacity) {
        const size_t capacity = to->capacity ? 2 * to->capacity : 1024;
        double *more = realloc(to->at, capacity * sizeof *more);
        if (!more)
            return false;
        to->at = more;
        to->capacity = capacity;
    }
    to->at[to->n++] = v;
    return true;
}

/* nan and inf, as this file and others write them, are numbers too. */
static bool read_word(const char *word, size_t n, double *v) {
    char text[WORD_MAX];
    if (n == 0 || n >= sizeof text)
        return false;
    memcpy(text, word, n);
    text[n] = '\0';
    return number_read(text, v);
}

/* One line: *columns numbers are added. false: a word is none, or there was no memory. */
static bool read_line(const char *line, size_t n, Numbers *to, size_t *columns) {
    const char *end = line + n;
    *columns = 0;
    while (line < end) {
        const size_t word = strcspn(line, ",; \t\r\n");
        double v;
        if (word > 0) {
            if (!read_word(line, word, &v) || !push(to, v))
                return false;
            ++*columns;
        }
        line += word;
        const size_t gap = strspn(line, " \t\r");
        line += gap;
        if (line < end && (*line == ',' || *line == ';'))
            line += 1 + strspn(line + 1, " \t");
    }
    return true;
}

static Status bad(Error *error, const char *path, size_t line, const char *what) {
    return error_set(error, STATUS_BAD_ARRAY_FILE, "'%s', line %zu: %s", path, line, what);
}

static Status read_rows(const char *path, const char *data, size_t size, Numbers *all,
                        size_t *columns, Error *error) {
    const char *end = data + size;
    size_t number = 0;
    *columns = 0;
    while (data < end) {
        const char *stop = memchr(data, '\n', (size_t)(end - data));
        const size_t n = (size_t)((stop ? stop : end) - data), before = all->n;
        size_t found;
        number++;
        if (memchr(data, '\0', n))
            return bad(error, path, number, "this is no text");
        if (!read_line(data, n, all, &found)) {
            if (number > 1)
                return bad(error, path, number, "numbers are expected, with commas between them");
            all->n = before; /* a heading */
        } else if (found > 0 && *columns > 0 && found != *columns) {
            return error_set(error, STATUS_BAD_ARRAY_FILE,
                             "'%s', line %zu: %zu numbers, where the lines before have %zu", path,
                             number, found, *columns);
        } else if (found > 0) {
            *columns = found;
        }
        data += n + 1;
    }
    return *columns > 0 ? STATUS_OK : bad(error, path, number ? number : 1, "no numbers");
}

Status csv_parse(const char *path, const char *data, size_t size, NpyFile *file, Error *error) {
    Numbers all = {0};
    size_t columns;
    *file = (NpyFile){0};
    Status status = read_rows(path, data, size, &all, &columns, error);
    if (status != STATUS_OK) {
        free(all.at);
        return status;
    }
    file->storage = all.at;
    file->array = (Array){NULL, ARRAY_F64, 2, {all.n / columns, columns}, all.at};
    return STATUS_OK;
}

static size_t columns_of(const Array *a) {
    return a->rank > 1 ? (size_t)a->shape[1] : 1;
}

/* A name may hold commas: it stands in quotes then. */
static void put_heading(const Array *a, Buffer *out) {
    const bool quoted = strpbrk(a->name, ",;\" ") != NULL;
    for (size_t k = 0; k < columns_of(a); k++) {
        buffer_printf(out, "%s%s%.*s", k ? "," : "", quoted ? "\"" : "", NAME_SHOWN, a->name);
        if (a->rank > 1)
            buffer_printf(out, "_%zu", k + 1);
        buffer_text(out, quoted ? "\"" : "");
    }
}

Status csv_write(const char *path, const Array *array, size_t count, Error *error) {
    Buffer out = {0};
    for (size_t k = 0; k < count; k++) {
        buffer_text(&out, k ? "," : "");
        put_heading(&array[k], &out);
    }
    buffer_text(&out, "\n");
    for (size_t row = 0; count > 0 && row < array[0].shape[0] && !out.failed; row++) {
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0, n = columns_of(&array[k]); i < n; i++) {
                buffer_text(&out, k || i ? "," : "");
                buffer_number(&out, array_value(&array[k], row * n + i));
            }
        buffer_text(&out, "\n");
    }
    Status status = buffer_status(&out, error);
    if (status == STATUS_OK)
        status = io_write_atomic(path, &(Bytes){out.data, out.size}, 1, error);
    buffer_free(&out);
    return status;
}
