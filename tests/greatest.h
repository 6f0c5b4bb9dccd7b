/* greatest.h: the few macros of the greatest test library that our tests use.
 * Used only where the real greatest.h is not installed (see CMakeLists.txt); same names, same
 * meaning: a TEST returns PASS, FAIL or SKIP; a SUITE runs tests; main prints a summary and
 * returns the number of failures as its exit code (0 or 1). */
#ifndef GREATEST_H
#define GREATEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum greatest_test_res {
    GREATEST_TEST_RES_PASS = 0,
    GREATEST_TEST_RES_FAIL = -1,
    GREATEST_TEST_RES_SKIP = 1
} greatest_test_res;

typedef struct greatest_run_info {
    unsigned passed, failed, skipped;
    const char *msg, *file, *only;
    unsigned line;
    int verbosity;
} greatest_run_info;

extern greatest_run_info greatest_info;

#define TEST static greatest_test_res
#define SUITE(name) static void name(void)
#define SUITE_EXTERN(name) void name(void)

#define GREATEST_END_(result, text)                                                                \
    do {                                                                                           \
        greatest_info.msg = (text);                                                                \
        greatest_info.file = __FILE__;                                                             \
        greatest_info.line = __LINE__;                                                             \
        return (result);                                                                           \
    } while (0)
#define PASSm(text) GREATEST_END_(GREATEST_TEST_RES_PASS, text)
#define FAILm(text) GREATEST_END_(GREATEST_TEST_RES_FAIL, text)
#define SKIPm(text) GREATEST_END_(GREATEST_TEST_RES_SKIP, text)
#define PASS() PASSm(NULL)
#define FAIL() FAILm(NULL)
#define SKIP() SKIPm(NULL)

#define ASSERTm(text, condition)                                                                   \
    do {                                                                                           \
        if (!(condition))                                                                          \
            FAILm(text);                                                                           \
    } while (0)
#define ASSERT(condition) ASSERTm(#condition, condition)
#define ASSERT_FALSEm(text, condition) ASSERTm(text, !(condition))
#define ASSERT_FALSE(condition) ASSERTm("not " #condition, !(condition))
#define ASSERT_EQm(text, expected, got) ASSERTm(text, (expected) == (got))
#define ASSERT_EQ(expected, got) ASSERTm(#expected " == " #got, (expected) == (got))
#define ASSERT_NEQm(text, expected, got) ASSERTm(text, (expected) != (got))
#define ASSERT_NEQ(expected, got) ASSERTm(#expected " != " #got, (expected) != (got))
#define ASSERT_GT(a, b) ASSERTm(#a " > " #b, (a) > (b))
#define ASSERT_GTE(a, b) ASSERTm(#a " >= " #b, (a) >= (b))
#define ASSERT_LT(a, b) ASSERTm(#a " < " #b, (a) < (b))
#define ASSERT_LTE(a, b) ASSERTm(#a " <= " #b, (a) <= (b))
#define ASSERT_EQ_FMTm(text, expected, got, format)                                                \
    do {                                                                                           \
        if ((expected) != (got)) {                                                                 \
            printf("\n  expected " format ", got " format "\n", (expected), (got));                \
            FAILm(text);                                                                           \
        }                                                                                          \
    } while (0)
#define ASSERT_EQ_FMT(expected, got, format)                                                       \
    ASSERT_EQ_FMTm(#expected " == " #got, expected, got, format)
#define ASSERT_IN_RANGEm(text, expected, got, tolerance)                                           \
    ASSERTm(text, fabs((double)(expected) - (double)(got)) <= (double)(tolerance))
#define ASSERT_IN_RANGE(expected, got, tolerance)                                                  \
    ASSERT_IN_RANGEm(#got " near " #expected, expected, got, tolerance)
#define ASSERT_STR_EQm(text, expected, got)                                                        \
    do {                                                                                           \
        const char *e_ = (expected), *g_ = (got);                                                  \
        if (strcmp(e_, g_) != 0) {                                                                 \
            printf("\n  expected: %s\n  got:      %s\n", e_, g_);                                  \
            FAILm(text);                                                                           \
        }                                                                                          \
    } while (0)
#define ASSERT_STR_EQ(expected, got) ASSERT_STR_EQm(#expected " == " #got, expected, got)
#define ASSERT_STRN_EQ(expected, got, n)                                                           \
    ASSERTm(#expected " == " #got, strncmp((expected), (got), (n)) == 0)
#define ASSERT_MEM_EQm(text, expected, got, n) ASSERTm(text, memcmp((expected), (got), (n)) == 0)
#define ASSERT_MEM_EQ(expected, got, n) ASSERT_MEM_EQm(#expected " == " #got, expected, got, n)
#define CHECK_CALL(call)                                                                           \
    do {                                                                                           \
        greatest_test_res r_ = (call);                                                             \
        if (r_ != GREATEST_TEST_RES_PASS)                                                          \
            return r_;                                                                             \
    } while (0)

#define GREATEST_REPORT_(name, call)                                                               \
    do {                                                                                           \
        if (greatest_info.only && !strstr(name, greatest_info.only))                               \
            break;                                                                                 \
        greatest_info.msg = NULL;                                                                  \
        greatest_test_res r_ = (call);                                                             \
        if (r_ == GREATEST_TEST_RES_PASS) {                                                        \
            greatest_info.passed++;                                                                \
            if (greatest_info.verbosity)                                                           \
                printf("PASS %s\n", name);                                                         \
        } else if (r_ == GREATEST_TEST_RES_SKIP) {                                                 \
            greatest_info.skipped++;                                                               \
            printf("SKIP %s: %s\n", name, greatest_info.msg ? greatest_info.msg : "");             \
        } else {                                                                                   \
            greatest_info.failed++;                                                                \
            printf("FAIL %s: %s (%s:%u)\n", name, greatest_info.msg ? greatest_info.msg : "",      \
                   greatest_info.file, greatest_info.line);                                        \
        }                                                                                          \
        fflush(stdout);                                                                            \
    } while (0)
#define RUN_TEST(test) GREATEST_REPORT_(#test, test())
#define RUN_TEST1(test, env) GREATEST_REPORT_(#test, test(env))
#define RUN_TESTp(test, ...) GREATEST_REPORT_(#test, test(__VA_ARGS__))
#define RUN_SUITE(suite)                                                                           \
    do {                                                                                           \
        printf("* Suite " #suite "\n");                                                            \
        suite();                                                                                   \
    } while (0)

#define GREATEST_MAIN_DEFS() greatest_run_info greatest_info
#define GREATEST_MAIN_BEGIN()                                                                      \
    do {                                                                                           \
        for (int a_ = 1; a_ < argc; a_++) {                                                        \
            if (strcmp(argv[a_], "-v") == 0)                                                       \
                greatest_info.verbosity = 1;                                                       \
            else if (strcmp(argv[a_], "-t") == 0 && a_ + 1 < argc)                                 \
                greatest_info.only = argv[++a_];                                                   \
        }                                                                                          \
    } while (0)
#define GREATEST_MAIN_END()                                                                        \
    do {                                                                                           \
        printf("%u passed, %u failed, %u skipped\n", greatest_info.passed, greatest_info.failed,   \
               greatest_info.skipped);                                                             \
        return greatest_info.failed ? EXIT_FAILURE : EXIT_SUCCESS;                                 \
    } while (0)

#endif
