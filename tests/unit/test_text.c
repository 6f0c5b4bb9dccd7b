/* test_text.c: status table, numbers, buffers, UTF-8 and the JSON writer. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/contract/visible.h"
#include "runtime/files/json.h"
#include "runtime/files/number.h"
#include "runtime/files/status.h"
#include "runtime/files/visible_print.h"

#include "scratch.h"

#include "greatest.h"

#include <float.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>

static size_t utf8_length(const char *text, size_t size) {
    uint32_t code;
    return pde_utf8_decode(text, size, &code);
}

TEST status_rows_are_ascending_and_complete(void) {
    static const struct {
        int number, exit_code;
        const char *summary, *explanation;
    } row[] = {
#define STATUS(number, name, exit_code, summary, explanation)                                      \
    {number, exit_code, summary, explanation},
#include "runtime/files/status.def"
#undef STATUS
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        ASSERT(i == 0 || row[i].number > row[i - 1].number);
        int exit_code = row[i].exit_code;
        ASSERT((exit_code >= 1 && exit_code <= 4) || exit_code == 70);
        ASSERT_EQ(exit_code == 2, row[i].number / 100 == 2);
        ASSERT_EQ(exit_code == 70, row[i].number / 100 == 9);
        size_t length = strlen(row[i].summary);
        ASSERTm(row[i].summary, length > 0 && row[i].summary[length - 1] != '.');
        length = strlen(row[i].explanation);
        ASSERTm(row[i].explanation, length > 20 && row[i].explanation[length - 1] == '.');
    }
    PASS();
}

TEST status_code_round_trip(void) {
    char text[STATUS_CODE_MAX];
    Status status = STATUS_OK;
    ASSERT_STR_EQ("R502", status_code(STATUS_CANNOT_WRITE, text));
    ASSERT(status_parse(text, &status));
    ASSERT_EQ(STATUS_CANNOT_WRITE, status);
    ASSERT_STR_EQ("X901", status_code(STATUS_INTERNAL, text));
    ASSERT(status_parse("x901", &status) && status == STATUS_INTERNAL);
    ASSERT_FALSE(status_parse("R999", &status));
    ASSERT_FALSE(status_parse("R50200000000", &status));
    ASSERT_FALSE(status_parse("R502 ", &status));
    ASSERT_FALSE(status_parse("", &status));
    ASSERT_EQ(0, status_exit_code(STATUS_OK));
    ASSERT_EQ(3, status_exit_code(STATUS_CANNOT_WRITE));
    PASS();
}

TEST first_error_wins(void) {
    Error error = {0};
    ASSERT_EQ(STATUS_CANNOT_READ, error_set(&error, STATUS_CANNOT_READ, "first %d", 1));
    ASSERT_EQ(STATUS_INTERNAL, error_set(&error, STATUS_INTERNAL, "second"));
    ASSERT_EQ(STATUS_CANNOT_READ, error.status);
    ASSERT_STR_EQ("first 1", error.message);
    PASS();
}

TEST long_messages_are_cut_between_characters(void) {
    char text[3 * ERROR_MESSAGE_MAX + 1];
    for (size_t offset = 0; offset < 2; offset++) {
        size_t n = 0;
        while (n < offset)
            text[n++] = 'a';
        while (n + 2 < sizeof text) {
            text[n++] = '\xC3';
            text[n++] = '\xA9';
        }
        text[n] = '\0';
        Error error = {0};
        error_set(&error, STATUS_INTERNAL, "%s", text);
        size_t length = strlen(error.message);
        ASSERT(length < ERROR_MESSAGE_MAX);
        ASSERT_STR_EQ("...", error.message + length - 3);
        for (size_t i = 0, step; i < length; i += step) {
            step = utf8_length(error.message + i, length - i);
            ASSERT(step > 0);
        }
    }
    PASS();
}

TEST numbers_survive_text(void) {
    const double value[] = {0.0,
                            -0.0,
                            1.0,
                            0.1,
                            1e-3,
                            1.0 / 3,
                            DBL_MAX,
                            DBL_MIN,
                            5e-324,
                            123456789.0,
                            -2.5e-7,
                            9007199254740993.0,
                            3.141592653589793};
    char text[NUMBER_TEXT_MAX];
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        double back;
        number_print(value[i], text);
        ASSERTm(scratch_note(text), number_read(text, &back));
        ASSERTm(scratch_note(text), memcmp(&back, &value[i], sizeof back) == 0);
    }
    ASSERT_STR_EQ("0.1", number_print(0.1, text));
    ASSERT_STR_EQ("0.001", number_print(1e-3, text));
    ASSERT_STR_EQ("10", number_print(10, text));
    ASSERT_STR_EQ("-128000", number_print(-128000, text));
    ASSERT_STR_EQ("1e+22", number_print(1e22, text));
    ASSERT_STR_EQ("1234", number_print_digits(1234.4, 3, text));
    ASSERT_STR_EQ("1.23e+07", number_print_digits(12345678, 3, text));
    ASSERT_STR_EQ("nan", number_print((double)NAN, text));
    ASSERT_STR_EQ("-inf", number_print(-(double)INFINITY, text));
    ASSERT_STR_EQ("0.333", number_print_digits(1.0 / 3, 3, text));
    char interval[NUMBER_INTERVAL_MAX];
    ASSERT_STR_EQ("6.2174 +- 0.0003", number_print_interval(6.21738, 0.00028, interval));
    ASSERT_STR_EQ("1.0449 +- 0.0017", number_print_interval(1.04491, 0.00164, interval));
    ASSERT_STR_EQ("-0.5 +- 0.4", number_print_interval(-0.51, 0.4, interval));
    ASSERT_STR_EQ("(3.21 +- 0.05)e-8", number_print_interval(3.21e-8, 4.1e-10, interval));
    ASSERT_STR_EQ("(1.2 +- 0.4)e9", number_print_interval(1.23e9, 4e8, interval));
    ASSERT_STR_EQ("0 +- 1000", number_print_interval(0, 1000, interval));
    ASSERT_STR_EQ("2 +- 0", number_print_interval(2, 0, interval));
    ASSERT_STR_EQ("nan +- nan", number_print_interval((double)NAN, (double)NAN, interval));
    PASS();
}

TEST what_is_not_a_number(void) {
    static const char *const bad[] = {"",    ".",  "-",  "e5",  "1e",    "1e+", "0x10", "inf",
                                      "nan", " 1", "1 ", "1,5", "1.5.2", "--1", "1e999"};
    double value;
    int64_t integer;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ASSERTm(bad[i], !number_read(bad[i], &value));
        ASSERTm(bad[i], !number_read_integer(bad[i], &integer));
    }
    ASSERT(number_read_integer("1e6", &integer) && integer == 1000000);
    ASSERT(number_read_integer("-9223372036854775808", &integer) && integer == INT64_MIN);
    ASSERT_FALSE(number_read_integer("9223372036854775808", &integer));
    ASSERT_FALSE(number_read_integer("1.5", &integer));
    ASSERT_FALSE(number_read_integer("1e300", &integer));
    PASS();
}

/* A locale with a decimal comma must change nothing. */
TEST numbers_ignore_the_locale(void) {
    static const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "de_DE.utf8"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof comma / sizeof *comma && !set; i++)
        set = setlocale(LC_ALL, comma[i]);
    if (!set)
        SKIPm("no locale with a decimal comma is installed");
    char text[NUMBER_TEXT_MAX];
    double value;
    number_print(0.5, text);
    bool read = number_read("0.5", &value);
    setlocale(LC_ALL, "C");
    ASSERT_STR_EQ("0.5", text);
    ASSERT(read && value == 0.5);
    PASS();
}

#define SHOWS(wanted, ...)                                                                         \
    do {                                                                                           \
        char shown[200];                                                                           \
        ASSERT_EQ(strlen(wanted), visible_print(shown, sizeof shown, __VA_ARGS__));                \
        ASSERT_STR_EQ(wanted, shown);                                                              \
    } while (0)

TEST numbers_print_as_printf_does(void) {
    char mine[400], theirs[400];
#define SAME(...)                                                                                  \
    do {                                                                                           \
        visible_print(mine, sizeof mine, __VA_ARGS__);                                             \
        snprintf(theirs, sizeof theirs, __VA_ARGS__);                                              \
        ASSERT_STR_EQ(theirs, mine);                                                               \
    } while (0)
    SAME("%d %5d %-5d| %05d %+d", 7, 7, 7, 7, 7);
    SAME("%u %x %08x", 4000000000u, 255u, 255u);
    SAME("%ld %lld %llu %zu", -1L, -1234567890123LL, ~0ULL, sizeof mine);
    SAME("%10.3f|%-12.4g|%.1e|%a|%.0f", 3.14159, 2.5e-7, 12345.678, 0.1, DBL_MAX);
    SAME("%*d %-*d| %.*f", 6, 42, 6, 42, 2, 2.0 / 3);
    SAME("100%% %s %-8s| %8s| %.2s", "plain", "ab", "cd", "efgh");
#undef SAME
    PASS();
}

TEST what_is_hidden_is_shown(void) {
    SHOWS("ours\n\\x1B[31m\\n\\x09", "ours\n%s", "\x1B[31m\n\t");
    SHOWS("\\x9B \\x9B \\xFF", "%s", "\x9B \xC2\x9B \xFF"); /* C1 as a byte and as UTF-8 */
    SHOWS("\\u202E \\u2066 \\u200F \\u061C", "%s",
          "\xE2\x80\xAE \xE2\x81\xA6 \xE2\x80\x8F \xD8\x9C");
    SHOWS("\\U000E0041", "%s", "\xF3\xA0\x81\x81");
    SHOWS("\xC3\xA9 \xE2\x88\x82 \xF0\x9D\x94\xB8", "%s", "\xC3\xA9 \xE2\x88\x82 \xF0\x9D\x94\xB8");
    SHOWS("ab \\x07|", "%.3s%c|", "ab \xC3\xA9", 7);
    SHOWS("a|", "%.2s|", "a\xC3\xA9"); /* a character is not cut */
    SHOWS("a\xC3\xA9|", "%.3s|", "a\xC3\xA9x");
    char small[6];
    ASSERT_EQ(8u, visible_print(small, sizeof small, "%s", "\x1B\x1B"));
    ASSERT_STR_EQ("\\x1B\\", small);
    PASS();
}

TEST utf8_lengths(void) {
    ASSERT_EQ(1u, utf8_length("a", 1));
    ASSERT_EQ(2u, utf8_length("\xC3\xA9", 2));
    ASSERT_EQ(3u, utf8_length("\xE2\x88\x82", 3));
    ASSERT_EQ(4u, utf8_length("\xF0\x9D\x94\xB8", 4));
    static const char *const bad[] = {"\x80",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xE0\x80\x80",
                                      "\xED\xA0\x80",
                                      "\xF0\x80\x80\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xC3",
                                      "\xE2\x88",
                                      "\xC3("};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ASSERT_EQ(0u, utf8_length(bad[i], strlen(bad[i])));
    ASSERT_EQ(0u, utf8_length("", 0));
    PASS();
}

static void write_sample(JsonWriter *json) {
    json_begin_object(json);
    json_key(json, "text");
    json_put_text(json, "a\"b\\c\n\t\x01\xFFz");
    json_key(json, "list");
    json_begin_array(json);
    json_put_number(json, 0.1);
    json_put_number(json, (double)NAN);
    json_put_number(json, (double)INFINITY);
    json_put_integer(json, INT64_MIN);
    json_put_boolean(json, true);
    json_put_null(json);
    json_begin_object(json);
    json_end_object(json);
    json_put_raw(json, (Bytes){"[1]", 3});
    json_end_array(json);
    json_end_object(json);
}

TEST json_is_what_it_should_be(void) {
    Buffer out = {0};
    write_sample(&(JsonWriter){.out = &out});
    ASSERT_STR_EQ("{\"text\":\"a\\\"b\\\\c\\n\\u0009\\u0001\xEF\xBF\xBDz\",\"list\":[0.1,null,null,"
                  "-9223372036854775808,true,null,{},[1]]}",
                  out.data);
    json_t *compact = json_loads(out.data, 0, NULL);
    buffer_free(&out);
    write_sample(&(JsonWriter){.out = &out, .indent = 2});
    json_t *indented = json_loads(out.data, 0, NULL);
    ASSERT(compact && indented && json_equal(compact, indented));
    ASSERT(strstr(out.data, "\n  \"list\": [\n    0.1,") != NULL);
    json_decref(compact);
    json_decref(indented);
    buffer_free(&out);
    PASS();
}

TEST buffer_fails_once_and_for_all(void) {
    Buffer buffer = {0};
    Error error = {0};
    buffer_text(&buffer, "kept");
    buffer_zeros(&buffer, SIZE_MAX / 2);
    buffer_text(&buffer, "ignored");
    ASSERT_STR_EQ("kept", buffer.data);
    ASSERT_EQ(STATUS_OUT_OF_MEMORY, buffer_status(&buffer, &error));
    buffer_free(&buffer);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(status_rows_are_ascending_and_complete);
    RUN_TEST(status_code_round_trip);
    RUN_TEST(first_error_wins);
    RUN_TEST(long_messages_are_cut_between_characters);
    RUN_TEST(numbers_survive_text);
    RUN_TEST(what_is_not_a_number);
    RUN_TEST(numbers_ignore_the_locale);
    RUN_TEST(utf8_lengths);
    RUN_TEST(numbers_print_as_printf_does);
    RUN_TEST(what_is_hidden_is_shown);
    RUN_TEST(json_is_what_it_should_be);
    RUN_TEST(buffer_fails_once_and_for_all);
    GREATEST_MAIN_END();
}
