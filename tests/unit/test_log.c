/* test_log.c: log.jsonl across crashes and resumes; the progress line in all widths. */
#define _DEFAULT_SOURCE /* struct winsize */
#define _XOPEN_SOURCE 700
#include "runtime/report/log.h"
#include "runtime/report/progress.h"
#include "scratch.h"

#include "greatest.h"

#include <fcntl.h>
#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

static Status add(Log *log, uint64_t iteration) {
    const LogRow row = {.iteration = iteration,
                        .loss = 1.0 / (double)iteration,
                        .error = (double)NAN,
                        .seconds = 0.5,
                        .ms_per_iteration = 2,
                        .rate = 1e-3};
    const LogValue extra = {"lambda \"1\"", 3};
    return log_row(log, &row, &extra, 1, NULL);
}

TEST rows_are_json_lines(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    Log log;
    ASSERT_EQ(STATUS_OK, log_open(directory, 0, &log, NULL));
    ASSERT_EQ(STATUS_OK, add(&log, 10));
    static const char want[] =
        "{\"iteration\":10,\"loss\":0.1,\"error\":null,\"seconds\":0.5,\"ms_per_iteration\":2,"
        "\"rate\":0.001,\"lambda \\\"1\\\"\":3}\n";
    /* Readable before the log is closed. */
    ASSERT(scratch_holds(scratch_path(directory, "log.jsonl"), want, sizeof want - 1));
    ASSERT_EQ(STATUS_OK, log_close(&log, NULL));
    scratch_remove(directory);
    PASS();
}

TEST resuming_cuts_later_rows_and_half_lines(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    Log log;
    ASSERT_EQ(STATUS_OK, log_open(directory, 0, &log, NULL));
    for (uint64_t i = 1; i <= 5; i++)
        ASSERT_EQ(STATUS_OK, add(&log, 10 * i));
    ASSERT_EQ(STATUS_OK, log_close(&log, NULL));
    FILE *file = fopen(scratch_path(directory, "log.jsonl"), "ab");
    fputs("{\"iteration\":6", file);
    fclose(file);
    LogRow *row;
    size_t count;
    ASSERT_EQ(STATUS_OK, log_read(directory, &row, &count, NULL));
    ASSERT_EQ(5u, count);
    free(row);
    ASSERT_EQ(STATUS_OK, log_open(directory, 30, &log, NULL));
    ASSERT_EQ(STATUS_OK, add(&log, 40));
    ASSERT_EQ(STATUS_OK, log_close(&log, NULL));
    ASSERT_EQ(STATUS_OK, log_read(directory, &row, &count, NULL));
    ASSERT_EQ(4u, count);
    for (size_t i = 0; i < 4; i++)
        ASSERT_EQ(10 * (i + 1), row[i].iteration);
    ASSERT(isnan(row[0].error) && row[3].loss == 0.025 && row[3].rate == 1e-3);
    free(row);
    ASSERT_EQ(STATUS_OK, log_open(directory, 0, &log, NULL)); /* a new run begins empty */
    ASSERT_EQ(STATUS_OK, log_close(&log, NULL));
    ASSERT_EQ(STATUS_OK, log_read(directory, &row, &count, NULL));
    ASSERT_EQ(0u, count);
    scratch_remove(directory);
    PASS();
}

TEST a_strange_log_is_left_alone(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    static const char strange[] = "{\"iteration\":1}\nhello\n";
    ASSERT(scratch_put(scratch_path(directory, "log.jsonl"), strange, sizeof strange - 1));
    Log log;
    LogRow *row;
    size_t count;
    ASSERT_EQ(STATUS_BAD_LOG, log_open(directory, 5, &log, NULL));
    ASSERT_EQ(STATUS_BAD_LOG, log_read(directory, &row, &count, NULL));
    ASSERT(scratch_holds(scratch_path(directory, "log.jsonl"), strange, sizeof strange - 1));
    scratch_remove(directory);
    PASS();
}

TEST durations_read_well(void) {
    static const struct {
        double seconds;
        const char *text;
    } row[] = {{0.04, "0 s"},        {4.25, "4.3 s"},          {9.96, "10 s"},
               {59.4, "59 s"},       {59.6, "1 min 00 s"},     {185, "3 min 05 s"},
               {7620, "2 h 07 min"}, {3 * 86400.0, "3 d 0 h"}, {-1, "?"}};
    char text[PROGRESS_DURATION_MAX];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        ASSERT_STR_EQ(row[i].text, progress_duration(row[i].seconds, text));
    ASSERT_STR_EQ("?", progress_duration((double)NAN, text));
    PASS();
}

static ProgressState state_at(uint64_t iteration, double now) {
    return (ProgressState){.iteration = iteration,
                           .iterations = 1000,
                           .loss = 0.0123456,
                           .error = 6.5e-4,
                           .now = now,
                           .time_left = (double)NAN};
}

TEST plain_lines_come_every_few_seconds(void) {
    Progress progress = progress_for(-1);
    Buffer out = {0};
    ASSERT_FALSE(progress.terminal);
    ProgressState state = state_at(500, 100); /* resumed at 500: the rate must not count those */
    ASSERT(progress_line(&progress, &state, false, &out));
    state = state_at(510, 101);
    ASSERT_FALSE(progress_line(&progress, &state, false, &out));
    buffer_free(&out);
    state = state_at(600, 110);
    ASSERT(progress_line(&progress, &state, false, &out));
    ASSERT_STR_EQ("600/1000 (60%)  loss 0.0123  error 0.00065  10 it/s  40 s left\n", out.data);
    buffer_free(&out);
    state.time_left = 7;
    state.now = 110.1;
    ASSERT(progress_line(&progress, &state, true, &out));
    ASSERT(strstr(out.data, "in 10 s\n") != NULL);
    buffer_free(&out);
    state.now = 120;
    ASSERT(progress_line(&progress, &state, false, &out));
    ASSERT(strstr(out.data, "7 s left\n") != NULL);
    buffer_free(&out);
    PASS();
}

TEST the_line_fits_the_terminal(void) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0)
        SKIPm("no pseudo-terminal");
    Progress progress = progress_for(terminal);
    ASSERT(progress.terminal);
    ProgressState state = state_at(0, 0);
    Buffer out = {0};
    ASSERT(progress_line(&progress, &state, false, &out));
    buffer_free(&out);
    state = state_at(600, 60);
    ASSERT(progress_line(&progress, &state, false, &out));
    ASSERT_STR_EQ("\r\x1b[K600/1000 (60%)  loss 0.0123  error 0.00065  10 it/s  40 s left",
                  out.data);
    ASSERT(out.size - strlen(progress_clear(&progress)) < 80);
    buffer_free(&out);
    const struct winsize narrow = {.ws_row = 24, .ws_col = 40};
    ASSERT_EQ(0, ioctl(terminal, TIOCSWINSZ, &narrow));
    state = state_at(600, 61);
    ASSERT(progress_line(&progress, &state, false, &out));
    ASSERT_STR_EQ("\r\x1b[K600/1000 (60%)  loss 0.0123", out.data);
    buffer_free(&out);
    state = state_at(1000, 62);
    ASSERT(progress_line(&progress, &state, true, &out));
    ASSERT_EQ('\n', out.data[out.size - 1]);
    buffer_free(&out);
    close(terminal);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(rows_are_json_lines);
    RUN_TEST(resuming_cuts_later_rows_and_half_lines);
    RUN_TEST(a_strange_log_is_left_alone);
    RUN_TEST(durations_read_well);
    RUN_TEST(plain_lines_come_every_few_seconds);
    RUN_TEST(the_line_fits_the_terminal);
    GREATEST_MAIN_END();
}
