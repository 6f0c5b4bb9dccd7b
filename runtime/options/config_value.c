/* config_value.c: the value of an option, of each kind, read from a text. */
#include "files/number.h"
#include "options/config.h"

#include <string.h>

static bool read_flag(const char *text, int64_t *value) {
    *value = strcmp(text, "true") == 0;
    return *value || strcmp(text, "false") == 0;
}

static bool read_duration(const char *text, double *seconds) {
    static const struct {
        char unit;
        double seconds;
    } unit[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    char number[NUMBER_TEXT_MAX];
    size_t length = strlen(text);
    double factor = 1;
    for (size_t i = 0; length > 0 && i < sizeof unit / sizeof *unit; i++)
        if (text[length - 1] == unit[i].unit) {
            factor = unit[i].seconds;
            length--;
            break;
        }
    if (length == 0 || length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    if (!number_read(number, seconds))
        return false;
    *seconds *= factor;
    return true;
}

static bool read_device(const char *text) {
    if (strcmp(text, "auto") == 0 || strcmp(text, "cpu") == 0)
        return true;
    size_t digits =
        strspn(text + (strncmp(text, "cuda:", 5) == 0 ? 5 : strlen(text)), "0123456789");
    return digits > 0 && digits < 4 && text[5 + digits] == '\0';
}

/* One number of a schedule's list, up to , or ). */
static const char *read_argument(const char *text, double *value) {
    char number[NUMBER_TEXT_MAX];
    while (*text == ' ')
        text++;
    size_t length = strcspn(text, ",) ");
    if (length >= sizeof number)
        return NULL;
    memcpy(number, text, length);
    number[length] = '\0';
    if (!number_read(number, value) || *value < 0)
        return NULL;
    text += length;
    while (*text == ' ')
        text++;
    return text;
}

bool config_read_rate(const char *text, RateText *rate) {
    *rate = (RateText){.schedule = "constant", .count = 1};
    if (number_read(text, &rate->argument[0]))
        return rate->argument[0] >= 0;
    size_t length = strcspn(text, "(");
    if (length >= RATE_NAME_MAX || text[length] != '(')
        return false;
    memcpy(rate->schedule, text, length);
    rate->schedule[length] = '\0';
    if (option_word(option_schedules, rate->schedule) < 0)
        return false;
    text += length;
    for (rate->count = 0; *text == '(' || *text == ',';) {
        if (rate->count == RATE_ARGUMENTS_MAX)
            return false;
        text = read_argument(text + 1, &rate->argument[rate->count++]);
        if (!text)
            return false;
    }
    return text[0] == ')' && text[1] == '\0';
}

bool config_read_value(const OptionRow *row, const char *text, ConfigValue *value) {
    RateText rate;
    bool is_number = false;
    switch (row->kind) {
    case KIND_FLAG:
        return read_flag(text, &value->integer);
    case KIND_INTEGER:
        is_number = number_read_integer(text, &value->integer);
        value->number = (double)value->integer;
        break;
    case KIND_PAGE:
    case KIND_CHOICE:
    case KIND_CHOICE_OR_NUMBER:
        value->integer = option_word(row->argument, text);
        if (value->integer >= 0 || row->kind != KIND_CHOICE_OR_NUMBER)
            return value->integer >= 0;
        is_number = number_read(text, &value->number);
        break;
    case KIND_CHOICE_OR_INTEGER:
        if (option_word(row->argument, text) >= 0) {
            value->integer = option_word(row->argument, text);
            return true;
        }
        is_number = number_read_integer(text, &value->integer);
        value->number = (double)value->integer;
        break;
    case KIND_NUMBER:
        is_number = number_read(text, &value->number);
        break;
    case KIND_DURATION:
        is_number = read_duration(text, &value->number);
        break;
    case KIND_RATE:
        return config_read_rate(text, &rate);
    case KIND_DEVICE:
        return read_device(text);
    case KIND_PAIR:
    case KIND_TEXT:
        return *text != '\0';
    }
    return is_number && value->number >= row->minimum && value->number <= row->maximum;
}
