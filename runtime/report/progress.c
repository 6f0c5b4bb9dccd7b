/* progress.c: the progress line: rate, time left, and what to leave out in a narrow window. */
#define _DEFAULT_SOURCE /* ioctl's TIOCGWINSZ */
#include "files/number.h"
#include "report/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_WIDTH = 80, LINE_MAX_BYTES = 512 };
static const double terminal_interval = 0.1, plain_interval = 5.0;

Progress progress_for(int descriptor) {
    bool terminal = isatty(descriptor) == 1;
    return (Progress){.terminal = terminal,
                      .descriptor = descriptor,
                      .interval = terminal ? terminal_interval : plain_interval};
}

static size_t terminal_width(const Progress *progress) {
    struct winsize size = {0};
    if (ioctl(progress->descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return DEFAULT_WIDTH;
}

const char *progress_duration(double seconds, char *out) {
    if (!(seconds >= 0) || seconds > 1e9) {
        snprintf(out, PROGRESS_DURATION_MAX, "?");
    } else if (seconds < 59.5) {
        char number[NUMBER_TEXT_MAX];
        double shown = seconds < 9.95 ? round(seconds * 10) / 10 : round(seconds);
        snprintf(out, PROGRESS_DURATION_MAX, "%s s", number_print(shown, number));
    } else {
        long long minutes = llround(seconds) / 60, rest = llround(seconds) % 60;
        if (minutes < 60)
            snprintf(out, PROGRESS_DURATION_MAX, "%lld min %02lld s", minutes, rest);
        else if (minutes < 48 * 60)
            snprintf(out, PROGRESS_DURATION_MAX, "%lld h %02lld min", minutes / 60, minutes % 60);
        else
            snprintf(out, PROGRESS_DURATION_MAX, "%lld d %lld h", minutes / 1440,
                     minutes % 1440 / 60);
    }
    return out;
}

/* The sooner of the end by iterations and the end by time. */
static double time_left(const ProgressState *state, double rate) {
    double left = state->time_left;
    if (state->iterations > state->iteration && rate > 0) {
        double by_count = (double)(state->iterations - state->iteration) / rate;
        if (!(left <= by_count))
            left = by_count;
    }
    return left;
}

typedef struct Line {
    char text[LINE_MAX_BYTES];
    size_t size, width;
} Line;

/* Appends a field if the window has room for all of it. Fields come in order of importance: after
 * one that did not fit nothing less important is shown, or the line would jump about. */
static void add_field(Line *line, const char *label, const char *value) {
    const char *gap = line->size ? "  " : "", *blank = *label ? " " : "";
    size_t size = strlen(gap) + strlen(label) + strlen(blank) + strlen(value);
    if (line->size + size > line->width || line->size + size >= sizeof line->text) {
        line->width = 0;
        return;
    }
    snprintf(line->text + line->size, sizeof line->text - line->size, "%s%s%s%s", gap, label, blank,
             value);
    line->size += size;
}

static void add_number(Line *line, const char *label, double value, int digits) {
    char text[NUMBER_TEXT_MAX];
    if (!isnan(value))
        add_field(line, label, number_print_digits(value, digits, text));
}

static void compose(const ProgressState *state, double rate, bool last, double elapsed,
                    Line *line) {
    char text[80], duration[PROGRESS_DURATION_MAX];
    if (state->iterations > 0)
        snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64 " (%.0f%%)", state->iteration,
                 state->iterations, 100.0 * (double)state->iteration / (double)state->iterations);
    else
        snprintf(text, sizeof text, "iteration %" PRIu64, state->iteration);
    add_field(line, "", text);
    add_number(line, "loss", state->loss, 3);
    add_number(line, "error", state->error, 3);
    if (rate > 0) {
        char number[NUMBER_TEXT_MAX];
        snprintf(text, sizeof text, "%s it/s", number_print_digits(rate, 3, number));
        add_field(line, "", text);
    }
    double left = time_left(state, rate);
    if (last)
        add_field(line, "in", progress_duration(elapsed, duration));
    else if (!isnan(left)) {
        snprintf(text, sizeof text, "%s left", progress_duration(left, duration));
        add_field(line, "", text);
    }
}

bool progress_line(Progress *progress, const ProgressState *state, bool last, Buffer *out) {
    if (!progress->started) {
        progress->started = true;
        progress->first_time = progress->next = state->now;
        progress->first_iteration = state->iteration;
    }
    if (state->now < progress->next && !last)
        return false;
    progress->next = state->now + progress->interval;
    double elapsed = state->now - progress->first_time;
    double done = (double)(state->iteration - progress->first_iteration);
    /* One column stays free: a full line would wrap on some terminals. */
    Line line = {.width = progress->terminal ? terminal_width(progress) - 1 : LINE_MAX_BYTES};
    compose(state, elapsed > 0 ? done / elapsed : 0, last, elapsed, &line);
    buffer_text(out, progress_clear(progress));
    buffer_bytes(out, line.text, line.size);
    if (last || !progress->terminal)
        buffer_text(out, "\n");
    return true;
}

const char *progress_clear(const Progress *progress) {
    return progress->terminal ? "\r\x1b[K" : "";
}
