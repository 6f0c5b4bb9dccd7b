/* test_config.c: options from all sources: precedence, ranges, messages, help. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/options/config.h"
#include "scratch.h"

#include "greatest.h"

#include <jansson.h>
#include <math.h>

/* Splits at blanks and reads; the status, with the message in error. */
static Status read_line(Config *config, const char *line, Error *error) {
    char words[1024], *argv[64] = {(char[]){"pderun"}}, *save = NULL;
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok_r(words, " ", &save); word && argc < 64;
         word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    return config_read_arguments(config, argc, argv, error);
}

TEST defaults_are_valid_and_typed(void) {
    Config config;
    Error error = {0};
    Status status = config_init(&config, &error);
    ASSERTm(scratch_note(error.message), status == STATUS_OK);
    ASSERT_EQ(10000, config_integer(&config, OPTION_ITERATIONS));
    ASSERT_FALSE(config_flag(&config, OPTION_RESUME));
    ASSERT(config_is(&config, OPTION_ALGORITHM, "3"));
    ASSERT(config_is(&config, OPTION_ACTIVATION, "tanh"));
    ASSERT_FALSE(config_is_set(&config, OPTION_TIME_LIMIT));
    ASSERT(config_text(&config, OPTION_OUT) == NULL && isnan(config_number(&config, OPTION_SCALE)));
    config_free(&config);
    PASS();
}

TEST both_spellings_and_the_module(void) {
    Config config;
    Error error = {0};
    ASSERT_EQ(STATUS_OK, config_init(&config, NULL));
    Status status = read_line(&config,
                              "--points 1e3 --terms=7 --resume fp.so -o run --scale 2.5 --clip -0 "
                              "--time-limit 1.5h --rate cosine(1e-2,1e-5) --device cuda:1 "
                              "--algorithm exact --set d=100 --set T=0.5 --set d=200 --quiet=false",
                              &error);
    ASSERTm(scratch_note(error.message), status == STATUS_OK);
    ASSERT_EQ(1000, config_integer(&config, OPTION_POINTS));
    ASSERT_EQ(7, config_integer(&config, OPTION_TERMS));
    ASSERT(config_flag(&config, OPTION_RESUME) && !config_flag(&config, OPTION_QUIET));
    ASSERT_STR_EQ("fp.so", config.module);
    ASSERT_STR_EQ("run", config_text(&config, OPTION_OUT));
    ASSERT_EQ(2.5, config_number(&config, OPTION_SCALE));
    ASSERT_EQ(5400.0, config_number(&config, OPTION_TIME_LIMIT));
    ASSERT(config_is(&config, OPTION_ALGORITHM, "exact"));
    ASSERT_STR_EQ("200", config_pair(&config, "d"));
    ASSERT_STR_EQ("0.5", config_pair(&config, "T"));
    ASSERT(config_pair(&config, "x") == NULL);
    ASSERT_EQ(2u, config.pair_count);
    config_free(&config);
    PASS();
}

/* Every option by its American name, and with _ for -, is the option; no two of them are one. */
TEST american_spelling_is_as_good(void) {
    Option found;
    ASSERT(option_find((Bytes){"optimizer", 9}, &found) && found == OPTION_OPTIMISER);
    ASSERT(option_find((Bytes){"color", 5}, &found) && found == OPTION_COLOUR);
    ASSERT(option_find((Bytes){"log_every", 9}, &found) && found == OPTION_LOG_EVERY);
    ASSERT_FALSE(option_find((Bytes){"colur", 5}, &found));
    ASSERT_FALSE(option_find((Bytes){"optimiserr", 10}, &found));
    for (Option i = 0; i < OPTION_COUNT; i++)
        ASSERT(option_find((Bytes){option_name(i), strlen(option_name(i))}, &found) && found == i);
    PASS();
}

TEST later_sources_win_in_any_order(void) {
    static const char module[] = "{\"points\":1,\"terms\":1,\"width\":1,\"set\":{\"d\":1,\"T\":1}}";
    static const char file[] = "{\"points\":2,\"terms\":2,\"set\":{\"d\":2}}";
    for (int order = 0; order < 2; order++) {
        Config config;
        ASSERT_EQ(STATUS_OK, config_init(&config, NULL));
        for (int step = 0; step < 3; step++) {
            int which = order ? step : 2 - step;
            Status status = STATUS_OK;
            if (which == 0)
                status = config_read_json(&config, CONFIG_MODULE, (Bytes){module, strlen(module)},
                                          "the module", NULL);
            else if (which == 1)
                status = config_read_json(&config, CONFIG_FILE, (Bytes){file, strlen(file)},
                                          "c.json", NULL);
            else
                status = read_line(&config, "--points 3", NULL);
            ASSERT_EQ(STATUS_OK, status);
        }
        ASSERT_EQ(3, config_integer(&config, OPTION_POINTS));
        ASSERT_EQ(2, config_integer(&config, OPTION_TERMS));
        ASSERT_EQ(1, config_integer(&config, OPTION_WIDTH));
        ASSERT_EQ(4, config_integer(&config, OPTION_DEPTH));
        ASSERT_STR_EQ("2", config_pair(&config, "d"));
        ASSERT_STR_EQ("1", config_pair(&config, "T"));
        ASSERT_STR_EQ("file", config_source_name(config.value[OPTION_TERMS].source));
        config_free(&config);
    }
    PASS();
}

TEST bad_command_lines_are_explained(void) {
    static const struct {
        const char *line;
        Status status;
        const char *message;
    } row[] = {
        {"--itertions 5", STATUS_UNKNOWN_OPTION, "did you mean '--iterations'?"},
        {"--lr 1e-3", STATUS_UNKNOWN_OPTION, "did you mean '--rate'?"},
        {"--batch_size 5", STATUS_UNKNOWN_OPTION, "did you mean '--points'?"},
        {"--activation swish", STATUS_OPTION_VALUE, "did you mean 'silu'?"},
        {"--optimizer adm", STATUS_OPTION_VALUE, "did you mean 'adam'?"},
        {"--xyzzy", STATUS_UNKNOWN_OPTION, "see 'pderun --help'"},
        {"-p 3", STATUS_UNKNOWN_OPTION, "two dashes"},
        {"--points", STATUS_OPTION_MISSING_VALUE, "--points needs a value: points drawn"},
        {"--points --terms 3", STATUS_OPTION_MISSING_VALUE, "--points"},
        {"--points 0", STATUS_OPTION_VALUE, "a whole number from 1 to 1000000000, not '0'"},
        {"--points 2.5", STATUS_OPTION_VALUE, "not '2.5'"},
        {"--points=", STATUS_OPTION_VALUE, "not ''"},
        {"--algorithm 4", STATUS_OPTION_VALUE, "full, 1, 2, 3 or exact, not '4'"},
        {"--activation relu", STATUS_OPTION_VALUE, "tanh, sin"},
        {"--scale big", STATUS_OPTION_VALUE, "auto or none, or a number"},
        {"--scale -1", STATUS_OPTION_VALUE, "not '-1'"},
        {"--time-limit 3w", STATUS_OPTION_VALUE, "2h"},
        {"--time-limit s", STATUS_OPTION_VALUE, "2h"},
        {"--rate linear(1e-3", STATUS_OPTION_VALUE, "linear(1e-3,0)"},
        {"--rate linear()", STATUS_OPTION_VALUE, "constant, linear"},
        {"--rate step(1)", STATUS_OPTION_VALUE, "schedule"},
        {"--rate -1", STATUS_OPTION_VALUE, "schedule"},
        {"--rate linear(1,2,3,4,5)", STATUS_OPTION_VALUE, "schedule"},
        {"--rate linear(1,2)x", STATUS_OPTION_VALUE, "schedule"},
        {"--device gpu", STATUS_OPTION_VALUE, "cuda:N"},
        {"--device cuda:", STATUS_OPTION_VALUE, "cuda:N"},
        {"--device cuda:1x", STATUS_OPTION_VALUE, "cuda:N"},
        {"--set d", STATUS_OPTION_VALUE, "name=value"},
        {"--set d=", STATUS_OPTION_VALUE, "name=value"},
        {"--set =3", STATUS_OPTION_VALUE, "name=value"},
        {"--set d=x", STATUS_OPTION_VALUE, "name=value"},
        {"--resume=maybe", STATUS_OPTION_VALUE, "true or false"},
        {"a.so b.so", STATUS_OPTION_CONFLICT, "'a.so' and 'b.so'"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Config config;
        Error error = {0};
        ASSERT_EQ(STATUS_OK, config_init(&config, NULL));
        Status status = read_line(&config, row[i].line, &error);
        ASSERTm(row[i].line, status == row[i].status);
        ASSERTm(scratch_note(error.message), strstr(error.message, row[i].message) != NULL);
        ASSERT_EQ(2, status_exit_code(status));
        config_free(&config);
    }
    PASS();
}

TEST conflicts_are_found(void) {
    static const struct {
        const char *line;
        const char *message; /* NULL: none */
    } row[] = {
        {"--info --plan m.so", "--info and --plan"},
        {"--model run", "--predict and --export only"},
        {"--export c --predict a.npy", "--predict and --export"},
        {"--resume --force", "leave one out"},
        {"--what u", "--what is used with --predict only"},
        {"--predict a.npy --model run --what u", NULL},
        {"--predict a.npy --resume", "--resume trains"},
        {"--info --plan=false m.so", NULL},
        {"m.so --resume", NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Config config;
        Error error = {0};
        ASSERT_EQ(STATUS_OK, config_init(&config, NULL));
        ASSERT_EQ(STATUS_OK, read_line(&config, row[i].line, NULL));
        Status status = config_check(&config, &error);
        ASSERTm(row[i].line, (status == STATUS_OK) == (row[i].message == NULL));
        if (row[i].message)
            ASSERTm(scratch_note(error.message), strstr(error.message, row[i].message) != NULL);
        config_free(&config);
    }
    PASS();
}

TEST bad_json_is_explained(void) {
    static const struct {
        const char *json;
        Status status;
        const char *message;
    } row[] = {
        {"{\"iteratons\": 5}", STATUS_UNKNOWN_OPTION,
         "c.json: unknown key \"iteratons\"; did you mean \"iterations\"?"},
        {"{\"points\": \"many\"}", STATUS_OPTION_VALUE,
         "c.json: \"points\" takes auto, or a "
         "whole number"},
        {"{\"points\": [1]}", STATUS_OPTION_VALUE, "must be a number or a text"},
        {"{\"set\": {\"d\": \"x\"}}", STATUS_OPTION_VALUE, "\"d\" must be a number"},
        {"{\"set\": \"d=3\"}", STATUS_OPTION_VALUE, "an object of numbers"},
        {"{\"help\": true}", STATUS_CONFIG_FILE, "belongs on the command line"},
        {"{\"points\": 1,\n \"points\": 2}", STATUS_CONFIG_FILE, "line 2"},
        {"[1]", STATUS_CONFIG_FILE, "not a JSON object"},
        {"", STATUS_CONFIG_FILE, "c.json, line"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Config config;
        Error error = {0};
        ASSERT_EQ(STATUS_OK, config_init(&config, NULL));
        Status status = config_read_json(
            &config, CONFIG_FILE, (Bytes){row[i].json, strlen(row[i].json)}, "c.json", &error);
        ASSERTm(row[i].json, status == row[i].status);
        ASSERTm(scratch_note(error.message), strstr(error.message, row[i].message) != NULL);
        config_free(&config);
    }
    PASS();
}

/* auto on the command line is answered by the number that the resumed run decided on; a number there
 * is not. */
TEST auto_gives_way_to_the_choice_of_a_resumed_run(void) {
    static const char run[] = "{\"points\": 48, \"terms\": 6}";
    Config config;
    Error error = {0};
    ASSERT_EQ(STATUS_OK, config_init(&config, NULL));
    ASSERT_EQ(STATUS_OK, read_line(&config, "--points auto --terms 9", NULL));
    ASSERT(config_is(&config, OPTION_POINTS, "auto"));
    ASSERT_FALSE(config_is(&config, OPTION_TERMS, "auto"));
    ASSERT_EQ(STATUS_OK, config_read_json(&config, CONFIG_RESUMED, (Bytes){run, sizeof run - 1},
                                          "run", &error));
    ASSERT_FALSE(config_is(&config, OPTION_POINTS, "auto"));
    ASSERT_EQ(48, config_integer(&config, OPTION_POINTS));
    ASSERT_EQ(9, config_integer(&config, OPTION_TERMS));
    ASSERT_EQ(STATUS_OK, config_decide(&config, OPTION_TERMS, 12, &error));
    ASSERT_EQ(12, config_integer(&config, OPTION_TERMS));
    config_free(&config);
    PASS();
}

/* What a checkpoint stores of the options restores the run, and nothing of the call. */
TEST written_settings_read_back(void) {
    Config config, again;
    Buffer first = {0}, second = {0};
    ASSERT_EQ(STATUS_OK, config_init(&config, NULL));
    ASSERT_EQ(STATUS_OK, config_init(&again, NULL));
    ASSERT_EQ(STATUS_OK, read_line(&config,
                                   "--set d=12 --rate linear(1e-3,0) --scale 3 --points 7 "
                                   "--time-limit 2h --out a --resume --precision float64",
                                   NULL));
    JsonWriter json = {.out = &first};
    json_begin_object(&json);
    config_write_json(&config, &json);
    json_end_object(&json);
    Error error = {0};
    Status status =
        config_read_json(&again, CONFIG_RESUMED, (Bytes){first.data, first.size}, "again", &error);
    ASSERTm(scratch_note(error.message), status == STATUS_OK);
    json = (JsonWriter){.out = &second};
    json_begin_object(&json);
    config_write_json(&again, &json);
    json_end_object(&json);
    ASSERT_STR_EQ(first.data, second.data);
    ASSERT(strstr(first.data, "time-limit") == NULL && strstr(first.data, "\"out\"") == NULL);
    ASSERT(config_is(&again, OPTION_PRECISION, "float64"));
    ASSERT_EQ(3.0, config_number(&again, OPTION_SCALE));
    ASSERT_FALSE(config_flag(&again, OPTION_RESUME));
    ASSERT_EQ(STATUS_OK, read_line(&again, "--points 9", NULL));
    ASSERT_EQ(9, config_integer(&again, OPTION_POINTS));
    ASSERT(strstr(first.data, "\"set\":{\"d\":12}") != NULL);
    config_free(&config);
    config_free(&again);
    buffer_free(&first);
    buffer_free(&second);
    PASS();
}

TEST the_file_of_config_is_read(void) {
    char directory[SCRATCH_PATH_MAX], line[2 * SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    static const char json[] = "{\"width\": 64, \"depth\": 2}";
    ASSERT(scratch_put(scratch_path(directory, "c.json"), json, sizeof json - 1));
    Config config;
    ASSERT_EQ(STATUS_OK, config_init(&config, NULL));
    ASSERT_EQ(STATUS_OK, config_read_file(&config, NULL));
    snprintf(line, sizeof line, "--config %s/c.json --depth 3", directory);
    ASSERT_EQ(STATUS_OK, read_line(&config, line, NULL));
    ASSERT_EQ(STATUS_OK, config_read_file(&config, NULL));
    ASSERT_EQ(64, config_integer(&config, OPTION_WIDTH));
    ASSERT_EQ(3, config_integer(&config, OPTION_DEPTH));
    config_free(&config);
    scratch_remove(directory);
    PASS();
}

TEST help_fits_and_is_complete(void) {
    static const int width[] = {20, 60, 80, 100, 300};
    for (size_t w = 0; w < sizeof width / sizeof *width; w++) {
        Buffer out = {0};
        option_help(&out, width[w], true);
        ASSERT_FALSE(out.failed);
        for (Option i = 0; i < OPTION_COUNT; i++) {
            char wanted[64];
            snprintf(wanted, sizeof wanted, "\n  --%s", option_name(i));
            ASSERTm(scratch_note(wanted), strstr(out.data, wanted) != NULL);
        }
        size_t limit = width[w] < 80 ? 80 : width[w] > 100 ? 100 : (size_t)width[w];
        for (const char *line = out.data, *end; *line; line = end + 1) {
            end = strchr(line, '\n');
            ASSERTm(scratch_note(line), (size_t)(end - line) <= limit);
            ASSERTm(scratch_note(line), end == line || end[-1] != ' ');
        }
        buffer_free(&out);
    }
    Buffer few = {0};
    int shown = 0;
    option_help(&few, 80, false);
    for (const char *at = few.data; (at = strstr(at, "\n  --")); at++)
        shown++;
    ASSERT_EQ(10, shown);
    buffer_free(&few);
    PASS();
}

TEST rates_are_taken_apart(void) {
    RateText rate;
    ASSERT(config_read_rate("1e-3", &rate));
    ASSERT_STR_EQ("constant", rate.schedule);
    ASSERT(rate.count == 1 && rate.argument[0] == 1e-3);
    ASSERT(config_read_rate("exponential(0.01, 1e-4)", &rate));
    ASSERT_STR_EQ("exponential", rate.schedule);
    ASSERT(rate.count == 2 && rate.argument[0] == 0.01 && rate.argument[1] == 1e-4);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(defaults_are_valid_and_typed);
    RUN_TEST(both_spellings_and_the_module);
    RUN_TEST(american_spelling_is_as_good);
    RUN_TEST(later_sources_win_in_any_order);
    RUN_TEST(bad_command_lines_are_explained);
    RUN_TEST(conflicts_are_found);
    RUN_TEST(bad_json_is_explained);
    RUN_TEST(written_settings_read_back);
    RUN_TEST(auto_gives_way_to_the_choice_of_a_resumed_run);
    RUN_TEST(the_file_of_config_is_read);
    RUN_TEST(help_fits_and_is_complete);
    RUN_TEST(rates_are_taken_apart);
    GREATEST_MAIN_END();
}
