/* log.c: writing, cutting and reading log.jsonl. */
#include "files/json.h"
#include "report/events.h"
#include "report/log.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_PATH_MAX = 4096, LOG_SIZE_MAX = 1 << 30 };

static Status log_path(const char *directory, char *out, Error *error) {
    int written = snprintf(out, LOG_PATH_MAX, "%s/log.jsonl", directory);
    if (written < 0 || written >= LOG_PATH_MAX)
        return error_set(error, STATUS_CANNOT_WRITE, "the path '%s' is too long", directory);
    return STATUS_OK;
}

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static bool parse_row(const char *line, size_t size, LogRow *row) {
    json_t *object = json_loadb(line, size, 0, NULL);
    const json_t *iteration = json_object_get(object, "iteration");
    bool valid = json_is_integer(iteration) && json_integer_value(iteration) >= 0;
    if (valid)
        *row = (LogRow){.iteration = (uint64_t)json_integer_value(iteration),
                        .loss = number_of(object, "loss"),
                        .error = number_of(object, "error"),
                        .seconds = number_of(object, "seconds"),
                        .cpu_seconds = number_of(object, "cpu_seconds"),
                        .ms_per_iteration = number_of(object, "ms_per_iteration"),
                        .rate = number_of(object, "rate")};
    json_decref(object);
    return valid;
}

/* The text of the log; an absent file is an empty log. */
static Status read_text(const char *path, char **text, size_t *size, Error *error) {
    *text = NULL;
    *size = 0;
    return io_exists(path) ? io_read_file(path, LOG_SIZE_MAX, text, size, error) : STATUS_OK;
}

/* Calls for every line that ends in a newline; what follows the last newline was cut short. */
typedef bool (*LineVisitor)(const char *line, size_t size, void *context);

static bool for_each_line(const char *text, size_t size, LineVisitor visit, void *context) {
    const char *end = text + size;
    for (const char *line = text, *stop; size > 0 && line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop)
            break;
        if (!visit(line, (size_t)(stop - line), context))
            return false;
    }
    return true;
}

typedef struct Cut {
    uint64_t last;
    Buffer kept;
} Cut;

static bool keep_if_early(const char *line, size_t size, void *context) {
    Cut *cut = context;
    LogRow row;
    if (!parse_row(line, size, &row))
        return false;
    if (row.iteration <= cut->last) {
        buffer_bytes(&cut->kept, line, size);
        buffer_text(&cut->kept, "\n");
    }
    return true;
}

static Status cut_after(const char *path, uint64_t iteration, Error *error) {
    char *text;
    size_t size;
    Status status = read_text(path, &text, &size, error);
    if (status != STATUS_OK || !text)
        return status;
    Cut cut = {.last = iteration};
    if (!for_each_line(text, size, keep_if_early, &cut))
        status =
            error_set(error, STATUS_BAD_LOG, "'%s' holds a line that is not a row of a log", path);
    if (status == STATUS_OK)
        status = buffer_status(&cut.kept, error);
    if (status == STATUS_OK && cut.kept.size != size)
        status = io_write_atomic(path, &(Bytes){cut.kept.data, cut.kept.size}, 1, error);
    buffer_free(&cut.kept);
    free(text);
    return status;
}

Status log_open(const char *directory, uint64_t iteration, Log *log, Error *error) {
    *log = LOG_NONE;
    char path[LOG_PATH_MAX];
    Status status = log_path(directory, path, error);
    if (status != STATUS_OK)
        return status;
    if (iteration > 0)
        status = cut_after(path, iteration, error);
    else if (io_exists(path))
        status = io_write_atomic(path, NULL, 0, error);
    return status == STATUS_OK ? io_append_open(path, &log->file, error) : status;
}

static bool copy_event(const char *line, size_t size, void *context) {
    return events_row(line, size, context);
}

Status log_open_events(const char *directory, Log *log, Error *error) {
    char path[LOG_PATH_MAX], events[LOG_PATH_MAX], *text = NULL;
    size_t size;
    Buffer out = {0};
    Status status = log_path(directory, path, error);
    if (status == STATUS_OK)
        status = read_text(path, &text, &size, error);
    if (status != STATUS_OK)
        return status;
    const int written = snprintf(events, sizeof events, "%s/events.out.tfevents", directory);
    events_head(&out);
    if (written < 0 || written >= LOG_PATH_MAX ||
        (text && !for_each_line(text, size, copy_event, &out)))
        status = error_set(error, STATUS_BAD_LOG, "'%s' cannot be copied for TensorBoard", path);
    if (status == STATUS_OK)
        status = buffer_status(&out, error);
    if (status == STATUS_OK)
        status = io_write_atomic(events, &(Bytes){out.data, out.size}, 1, error);
    if (status == STATUS_OK)
        status = io_append_open(events, &log->events, error);
    buffer_free(&out);
    free(text);
    return status;
}

static Status append_event(Log *log, const Buffer *line, Error *error) {
    Buffer out = {0};
    events_row(line->data, line->size, &out);
    Status status = buffer_status(&out, error);
    if (status == STATUS_OK)
        status = io_append(&log->events, out.data, out.size, error);
    buffer_free(&out);
    return status;
}

Status log_row(Log *log, const LogRow *row, const LogValue *extra, size_t extra_count,
               Error *error) {
    Buffer line = {0};
    JsonWriter json = {.out = &line};
    json_begin_object(&json);
    json_key(&json, "iteration");
    json_put_integer(&json, (int64_t)row->iteration);
    const LogValue fixed[] = {{"loss", row->loss},
                              {"error", row->error},
                              {"seconds", row->seconds},
                              {"ms_per_iteration", row->ms_per_iteration},
                              {"rate", row->rate}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        json_key(&json, fixed[i].name);
        json_put_number(&json, fixed[i].value);
    }
    if (row->cpu_seconds > 0) {
        json_key(&json, "cpu_seconds");
        json_put_number(&json, row->cpu_seconds);
    }
    for (size_t i = 0; i < extra_count; i++) {
        json_key(&json, extra[i].name);
        json_put_number(&json, extra[i].value);
    }
    json_end_object(&json);
    buffer_text(&line, "\n");
    Status status = buffer_status(&line, error);
    if (status == STATUS_OK)
        status = io_append(&log->file, line.data, line.size, error);
    if (status == STATUS_OK && log->events.descriptor >= 0)
        status = append_event(log, &line, error);
    buffer_free(&line);
    return status;
}

Status log_close(Log *log, Error *error) {
    Status status = log->events.descriptor >= 0 ? io_append_close(&log->events, error) : STATUS_OK;
    const Status of_file = io_append_close(&log->file, error);
    return status == STATUS_OK ? of_file : status;
}

static bool collect(const char *line, size_t size, void *context) {
    Buffer *rows = context;
    LogRow row;
    if (!parse_row(line, size, &row))
        return false;
    buffer_bytes(rows, &row, sizeof row);
    return true;
}

Status log_read(const char *directory, LogRow **row, size_t *count, Error *error) {
    *row = NULL;
    *count = 0;
    char path[LOG_PATH_MAX], *text = NULL;
    size_t size;
    Status status = log_path(directory, path, error);
    if (status == STATUS_OK)
        status = read_text(path, &text, &size, error);
    if (status != STATUS_OK || !text)
        return status;
    Buffer rows = {0};
    if (!for_each_line(text, size, collect, &rows))
        status =
            error_set(error, STATUS_BAD_LOG, "'%s' holds a line that is not a row of a log", path);
    if (status == STATUS_OK)
        status = buffer_status(&rows, error);
    free(text);
    if (status != STATUS_OK) {
        buffer_free(&rows);
        return status;
    }
    *row = (LogRow *)(void *)rows.data; /* malloc's alignment serves any type */
    *count = rows.size / sizeof(LogRow);
    return STATUS_OK;
}
