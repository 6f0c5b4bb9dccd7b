/* say.c: through the buffers of stdio, in pieces made visible. */
#define _POSIX_C_SOURCE 200809L
#include "files/say.h"

#include "contract/visible.h"
#include "files/buffer.h"
#include "files/visible_print.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void say_begin(void) {
    int number;
    do /* read only: whoever writes there is still told that it cannot be done */
        number = open("/dev/null", O_RDONLY);
    while (number >= 0 && number <= STDERR_FILENO);
    if (number > STDERR_FILENO)
        close(number);
}

static _Thread_local Buffer *kept; /* NULL: printed */
static bool silent;

void say_nothing(void) {
    silent = true;
}

void say_again(void) {
    silent = false;
}

void say_into(Buffer *to) {
    kept = to;
}

static void put(FILE *file, const char *text, size_t n) {
    if (kept)
        buffer_bytes(kept, text, n);
    else if (!silent)
        fwrite(text, 1, n, file);
}

static void say_to(FILE *file, const char *format, va_list arguments) PDE_FORMAT(2, 0);

static void say_to(FILE *file, const char *format, va_list arguments) {
    char little[1024], *text = little;
    va_list again;
    va_copy(again, arguments);
    size_t n = visible_vprint(little, sizeof little, format, arguments);
    if (n >= sizeof little && (text = malloc(n + 1)))
        visible_vprint(text, n + 1, format, again);
    va_end(again);
    if (!text) { /* no memory: the beginning is better than nothing */
        text = little;
        n = sizeof little - 1;
    }
    put(file, text, n);
    if (text != little)
        free(text);
}

void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_to(stdout, format, arguments);
    va_end(arguments);
}

void say_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_to(stderr, format, arguments);
    va_end(arguments);
}

/* In runs of what needs no change. */
static void lines_to(FILE *file, const char *text, size_t size) {
    size_t start = 0, taken;
    char shown[PDE_VISIBLE_MAX];
    for (size_t i = 0; i < size; i += taken) {
        size_t n = pde_visible(text + i, size - i, shown, &taken);
        if (text[i] == '\n' || text[i] == '\t' || (n == taken && memcmp(text + i, shown, n) == 0))
            continue;
        put(file, text + start, i - start);
        put(file, shown, n);
        start = i + taken;
    }
    put(file, text + start, size - start);
}

void say_lines(const char *text, size_t size) {
    lines_to(stdout, text, size);
}

void say_error_lines(const char *text, size_t size) {
    lines_to(stderr, text, size);
}

void say_error_as_is(const char *text) {
    put(stderr, text, strlen(text));
}

bool say_end(void) {
    return kept || (fflush(stdout) == 0 && !ferror(stdout));
}
