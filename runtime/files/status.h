/* status.h: how the runtime reports failure.
 *
 * A function that can fail returns a Status and writes the particulars into an Error. The first
 * error wins: what failed first is the cause, what failed during clean-up is noise. Nothing here
 * prints or exits; the two programs do that at the top. An Error belongs to one thread. */
#ifndef PDE_RUNTIME_FILES_STATUS_H
#define PDE_RUNTIME_FILES_STATUS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum Status {
    STATUS_OK = 0,
#define STATUS(number, name, exit_code, summary, explanation) STATUS_##name = (number),
#include "files/status.def"
#undef STATUS
} Status;

enum { ERROR_MESSAGE_MAX = 1024, STATUS_CODE_MAX = 16 };

/* Initialise with {0}. */
typedef struct Error {
    Status status;
    char message
        [ERROR_MESSAGE_MAX]; /* one sentence without code and full stop, UTF-8, nothing hidden in it */
} Error;

#if defined(__GNUC__)
#define PDE_FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define PDE_FORMAT(f, a)
#endif

/* Records the error unless one is recorded already (error may be NULL); returns `status`, so that
 * a failing function can end with `return error_set(...)`. A longer message ends in "...". What %s puts in
 * is made visible (visible_print.h). */
Status error_set(Error *error, Status status, const char *format, ...) PDE_FORMAT(3, 4);
/* The same with ": <text of the errno value>" appended. */
Status error_set_errno(Error *error, Status status, int errno_value, const char *format, ...)
    PDE_FORMAT(4, 5);

/* Adds lines of our own to the message, such as a place in a file; what is another's in them must be visible
 * already. */
void error_add_lines(Error *error, const char *lines);

int status_exit_code(Status status); /* 0, 1, 2, 3 or 70 */
/* "R502" or "X901"; out holds STATUS_CODE_MAX bytes and is returned. */
const char *status_code(Status status, char *out);
const char *status_summary(Status status); /* never NULL */
const char *status_explain(Status status); /* never NULL */
/* The k-th row of the table; false past its end. */
bool status_nth(size_t k, Status *status);
/* Reads "R502", "r502" or "502"; false if no row has that number. */
bool status_parse(const char *text, Status *status);

#endif
