/* number.h: doubles to text and back, the same in every locale.
 *
 * The one place in the runtime that touches printf's %g and strtod, both of which follow the
 * locale of the host program; everything else comes through here. */
#ifndef PDE_RUNTIME_FILES_NUMBER_H
#define PDE_RUNTIME_FILES_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT_MAX = 40, NUMBER_INTERVAL_MAX = 96 };

typedef struct NamedNumber {
    const char *name;
    double value;
} NamedNumber;

/* The shortest decimal that reads back as the same double; "nan", "inf", "-inf" otherwise.
 * out holds NUMBER_TEXT_MAX bytes and is returned. */
const char *number_print(double value, char *out);
/* The value rounded to `digits` significant digits (1..17), for people: whole numbers up to six
 * digits are written out. */
const char *number_print_digits(double value, int digits, char *out);
/* The same always with an exponent: "5.58e-04". */
const char *number_print_scientific(double value, int digits, char *out);
/* "6.2174 +- 0.0003": as many digits as the interval leaves, which is rounded up to one digit, or to two that begin
 * with 1. out holds NUMBER_INTERVAL_MAX bytes. */
const char *number_print_interval(double value, double half, char *out);
/* Reads all of `text` as [sign] digits [. digits] [e [sign] digits]; false if it is anything else
 * or overflows. */
bool number_read(const char *text, double *value);
/* Reads all of `text` as a decimal integer; also accepts forms such as 1e6 that are whole. */
bool number_read_integer(const char *text, int64_t *value);

#endif
