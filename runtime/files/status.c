/* status.c: the table of status.def and the recording of the first error. */
#include "files/status.h"

#include "files/visible_print.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct StatusRow {
    Status status;
    int exit_code;
    const char *summary, *explanation;
} StatusRow;

static const StatusRow status_table[] = {
#define STATUS(number, name, exit_code, summary, explanation)                                      \
    {STATUS_##name, exit_code, summary, explanation},
#include "files/status.def"
#undef STATUS
};

enum { STATUS_ROWS = sizeof status_table / sizeof *status_table, STATUS_FIRST_INTERNAL = 900 };

static const StatusRow *find_row(Status status) {
    for (size_t i = 0; i < STATUS_ROWS; i++)
        if (status_table[i].status == status)
            return &status_table[i];
    return NULL;
}

/* Shortens to fit with a visible mark, never inside a UTF-8 sequence. */
static void mark_cut(char *text, size_t capacity) {
    size_t end = capacity - sizeof "...";
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    memcpy(text + end, "...", sizeof "...");
}

static void format_message(Error *error, const char *suffix, const char *format, va_list arguments)
    PDE_FORMAT(3, 0);

static void format_message(Error *error, const char *suffix, const char *format,
                           va_list arguments) {
    size_t capacity = sizeof error->message;
    size_t length = visible_vprint(error->message, capacity, format, arguments);
    if (length < capacity)
        length += visible_print(error->message + length, capacity - length, "%s", suffix);
    if (length >= capacity)
        mark_cut(error->message, capacity);
}

Status error_set(Error *error, Status status, const char *format, ...) {
    if (error && error->status == STATUS_OK) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        format_message(error, "", format, arguments);
        va_end(arguments);
    }
    return status;
}

Status error_set_errno(Error *error, Status status, int errno_value, const char *format, ...) {
    if (error && error->status == STATUS_OK) {
        error->status = status;
        char suffix[256];
        snprintf(suffix, sizeof suffix, ": %s", strerror(errno_value));
        va_list arguments;
        va_start(arguments, format);
        format_message(error, suffix, format, arguments);
        va_end(arguments);
    }
    return status;
}

void error_add_lines(Error *error, const char *lines) {
    if (!error || !*lines)
        return;
    size_t capacity = sizeof error->message, length = strlen(error->message);
    int written = snprintf(error->message + length, capacity - length, "%s", lines);
    if (written < 0 || length + (size_t)written >= capacity)
        mark_cut(error->message, capacity);
}

int status_exit_code(Status status) {
    const StatusRow *row = find_row(status);
    if (row)
        return row->exit_code;
    return status == STATUS_OK ? 0 : 70;
}

const char *status_code(Status status, char *out) {
    snprintf(out, STATUS_CODE_MAX, "%c%d", (int)status >= STATUS_FIRST_INTERNAL ? 'X' : 'R',
             (int)status);
    return out;
}

const char *status_summary(Status status) {
    const StatusRow *row = find_row(status);
    return row ? row->summary : "no error";
}

const char *status_explain(Status status) {
    const StatusRow *row = find_row(status);
    return row ? row->explanation : "Nothing failed.";
}

bool status_nth(size_t k, Status *status) {
    if (k >= STATUS_ROWS)
        return false;
    *status = status_table[k].status;
    return true;
}

bool status_parse(const char *text, Status *status) {
    if (*text == 'R' || *text == 'r' || *text == 'X' || *text == 'x')
        text++;
    int number = 0;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 4 || text[digits] != '\0')
        return false;
    for (size_t i = 0; i < digits; i++)
        number = number * 10 + (text[i] - '0');
    const StatusRow *row = find_row((Status)number);
    if (row)
        *status = row->status;
    return row != NULL;
}
