/* number.c: C-locale conversions. uselocale switches the calling thread only, so a host program
 * with another locale, or several threads, are not disturbed. */
#define _POSIX_C_SOURCE 200809L
#include "files/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* (locale_t)0 if the C locale cannot be had, which leaves the thread's locale in force. */
static locale_t enter_c_locale(locale_t *previous) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *previous = c_locale ? uselocale(c_locale) : (locale_t)0;
    return c_locale;
}

static void leave_c_locale(locale_t c_locale, locale_t previous) {
    if (!c_locale)
        return;
    uselocale(previous);
    freelocale(c_locale);
}

static bool print_special(double value, char *out) {
    if (isfinite(value))
        return false;
    const char *text = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    memcpy(out, text, strlen(text) + 1);
    return true;
}

/* Digits before the decimal point if there are 1 to 15, else 0. */
static int whole_digits(double value) {
    const double size = fabs(value);
    int digits = 0;
    for (double power = 1; power <= size && digits < 16; power *= 10)
        digits++;
    return digits < 16 ? digits : 0;
}

const char *number_print(double value, char *out) {
    if (print_special(value, out))
        return out;
    locale_t previous, c_locale = enter_c_locale(&previous);
    /* Beginning with all digits before the point makes 10 "10" and not "1e+01". */
    int first = whole_digits(value);
    for (int digits = first ? first : 1; digits <= 17; digits++) {
        snprintf(out, NUMBER_TEXT_MAX, "%.*g", digits, value);
        double back = strtod(out, NULL);
        if (memcmp(&back, &value, sizeof value) == 0)
            break;
    }
    leave_c_locale(c_locale, previous);
    return out;
}

const char *number_print_digits(double value, int digits, char *out) {
    if (print_special(value, out))
        return out;
    locale_t previous, c_locale = enter_c_locale(&previous);
    int whole = whole_digits(value);
    snprintf(out, NUMBER_TEXT_MAX, "%.*g", whole <= 6 && whole > digits ? whole : digits, value);
    leave_c_locale(c_locale, previous);
    return out;
}

/* "5.40e-03" to "5.4e-03", "1.00e+00" to "1e+00". */
static void drop_trailing_zeros(char *text) {
    char *exponent = strchr(text, 'e'), *end = exponent;
    if (!exponent || !memchr(text, '.', (size_t)(exponent - text)))
        return;
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    memmove(end, exponent, strlen(exponent) + 1);
}

const char *number_print_scientific(double value, int digits, char *out) {
    if (print_special(value, out))
        return out;
    locale_t previous, c_locale = enter_c_locale(&previous);
    snprintf(out, NUMBER_TEXT_MAX, "%.*e", digits - 1, value);
    leave_c_locale(c_locale, previous);
    drop_trailing_zeros(out);
    return out;
}

const char *number_print_interval(double value, double half, char *out) {
    enum { DECIMALS_MOST = 15 };
    if (!isfinite(value) || !isfinite(half) || !(half > 0)) {
        char text[NUMBER_TEXT_MAX], width[NUMBER_TEXT_MAX];
        snprintf(out, NUMBER_INTERVAL_MAX, "%s +- %s", number_print_digits(value, 12, text),
                 number_print_digits(half, 2, width));
        return out;
    }
    double size = floor(log10(fmax(fabs(value), half)));
    bool scientific = size < -3 || size > 6;
    double scale = scientific ? pow(10, size) : 1;
    value /= scale;
    half /= scale;
    double last = floor(log10(half));
    last -= half / pow(10, last) < 2;
    int decimals = (int)fmin(fmax(-last, 0), DECIMALS_MOST);
    double up = ceil(half * pow(10, decimals) * (1 - 1e-12)) / pow(10, decimals);
    locale_t previous, c_locale = enter_c_locale(&previous);
    if (scientific)
        snprintf(out, NUMBER_INTERVAL_MAX, "(%.*f +- %.*f)e%d", decimals, value, decimals, up,
                 (int)size);
    else
        snprintf(out, NUMBER_INTERVAL_MAX, "%.*f +- %.*f", decimals, value, decimals, up);
    leave_c_locale(c_locale, previous);
    return out;
}

/* strtod also takes "inf", "nan", hexadecimal and leading blanks: none of them is a number here. */
static bool has_number_form(const char *text) {
    static const char digit[] = "0123456789";
    text += *text == '-' || *text == '+';
    size_t whole = strspn(text, digit), fraction = 0;
    text += whole;
    if (*text == '.') {
        fraction = strspn(++text, digit);
        text += fraction;
    }
    if (whole + fraction == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        size_t exponent = strspn(text, digit);
        if (exponent == 0)
            return false;
        text += exponent;
    }
    return *text == '\0';
}

bool number_read(const char *text, double *value) {
    if (!has_number_form(text))
        return false;
    locale_t previous, c_locale = enter_c_locale(&previous);
    double read = strtod(text, NULL);
    leave_c_locale(c_locale, previous);
    if (!isfinite(read))
        return false;
    *value = read;
    return true;
}

bool number_read_integer(const char *text, int64_t *value) {
    size_t sign = *text == '-' || *text == '+';
    if (text[sign] != '\0' && strspn(text + sign, "0123456789") == strlen(text + sign)) {
        errno = 0;
        long long read = strtoll(text, NULL, 10);
        if (errno == ERANGE)
            return false;
        *value = read;
        return true;
    }
    const double exact_limit =
        9007199254740992.0; /* 2^53: above it a double is not every integer */
    double read;
    if (!number_read(text, &read) || read != floor(read) || fabs(read) > exact_limit)
        return false;
    *value = (int64_t)read;
    return true;
}
